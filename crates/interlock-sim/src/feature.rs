//! Features of a world. Each seed turns on its own choice of them, so that rules meet in many
//! different mixtures; shrinking turns them off one by one.

use crate::rng::Rng;

/// In how many of a hundred seeds there are several nodes.
const NODES_PERCENT: u64 = 35;

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $percent:literal;)*) => {
        /// Something that may happen in a world.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $($(#[$doc])* $name,)*
        }

        impl Feature {
            /// All of them, in the order of their bits.
            pub const ALL: &[Feature] = &[$(Feature::$name,)*];

            /// The name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Feature::$name => $text,)* }
            }

            /// In how many of a hundred seeds it is on.
            fn percent(self) -> u64 {
                match self { $(Feature::$name => $percent,)* }
            }
        }
    };
}

features! {
    /// Claims that share.
    Reads = "reads", 80;
    /// Creates and deletes.
    Lifecycle = "lifecycle", 75;
    /// More than one claim per task.
    ManyClaims = "many-claims", 75;
    /// Priorities other than the kind's.
    Priorities = "priorities", 75;
    /// Tasks due later.
    Due = "due", 75;
    /// Tasks that give up.
    StartWithin = "start-within", 60;
    /// Submissions that would rather be rejected than wait.
    IfBusy = "if-busy", 50;
    /// Dependencies between tasks.
    After = "after", 65;
    /// Groups.
    Groups = "groups", 65;
    /// Children of runs.
    Children = "children", 60;
    /// Kinds that coalesce.
    Coalescing = "coalescing", 80;
    /// Kinds that gather.
    Gather = "gather", 70;
    /// Kinds that cancel other kinds.
    CancelKinds = "cancel-kinds", 65;
    /// Keys.
    Keys = "keys", 50;
    /// Idempotency keys and repeated requests.
    Idempotency = "idempotency", 65;
    /// Tasks held from the start.
    HeldFromStart = "held-from-start", 50;
    /// Many submissions in one request.
    Batches = "batches", 60;
    /// Dry runs.
    DryRuns = "dry-runs", 40;
    /// Caps on waiting tasks.
    Caps = "caps", 20;
    /// Schedules.
    Schedules = "schedules", 60;
    /// Runs that fail.
    Failures = "failures", 85;
    /// Runs that take longer than they may.
    TooLong = "too-long", 60;
    /// Quotas.
    Quotas = "quotas", 75;
    /// Runs that spend from their own budget.
    Budgets = "budgets", 70;
    /// Runs that spend through the server.
    Permits = "permits", 70;
    /// Quotas that pause.
    QuotaPauses = "quota-pauses", 60;
    /// Limits that change.
    QuotaChanges = "quota-changes", 50;
    /// Holds and releases.
    Holds = "holds", 65;
    /// Cancels by people.
    Cancels = "cancels", 75;
    /// Bumps.
    Bumps = "bumps", 60;
    /// Workers told to leave.
    Drains = "drains", 50;
    /// Policies that change while tasks wait.
    PolicyChanges = "policy-changes", 60;
    /// Failed tasks submitted again by people.
    Retries = "retries", 50;
    /// Kinds, quotas and schedules removed.
    Removals = "removals", 30;
    /// Workers that die.
    WorkerCrashes = "worker-crashes", 75;
    /// Workers that stand still and wake up as zombies.
    WorkerPauses = "worker-pauses", 70;
    /// New processes that take over a name.
    Takeovers = "takeovers", 60;
    /// Workers that leave by themselves.
    Goodbyes = "goodbyes", 60;
    /// Runs given back.
    Releases = "releases", 60;
    /// Requests and replies that never arrive.
    LostMessages = "lost-messages", 65;
    /// Requests that arrive twice.
    Repeats = "repeats", 60;
    /// Kinds that nobody handles for a while.
    Unstaffed = "unstaffed", 40;
    /// A server that dies and recovers.
    ServerCrashes = "server-crashes", 75;
    /// A server that stands still, so that its clocks jump.
    ServerPauses = "server-pauses", 50;
    /// Recoveries under a higher generation.
    Generations = "generations", 40;
    /// A calendar clock that jumps, forward and back.
    WallJumps = "wall-jumps", 50;
    /// Outages of hours.
    LongOutages = "long-outages", 8;
    /// More than a thousand tasks at once, so that sweeps take several slices.
    Flood = "flood", 6;
    /// Several nodes over one store. Drawn from a stream of its own, so that the worlds of one node
    /// stay what they are.
    Nodes = "nodes", 0;
}

/// Which features are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features(u64);

impl Features {
    /// A choice, drawn from the seed's stream.
    pub fn draw(rng: &mut Rng) -> Self {
        let mut set = Self::default();
        for feature in Feature::ALL.iter().filter(|one| one.percent() > 0) {
            if rng.percent(feature.percent()) {
                set = set.with(*feature);
            }
        }
        set
    }

    /// These, and several nodes in a share of all seeds.
    #[must_use]
    pub fn and_nodes(self, seed: u64) -> Self {
        match Rng::new(!seed).percent(NODES_PERCENT) {
            true => self.with(Feature::Nodes),
            false => self,
        }
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, feature: Feature) -> Self {
        Self(self.0 | 1 << feature as u64)
    }

    /// These but for those.
    #[must_use]
    pub fn without(self, others: Features) -> Self {
        Self(self.0 & !others.0)
    }

    /// Whether it is on.
    pub fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u64) != 0
    }

    /// Those that are on.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |f| self.has(*f))
    }

    /// Reads `a,b,c`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut set = Self::default();
        for name in text.split(',').filter(|name| !name.is_empty()) {
            let found = Feature::ALL.iter().find(|f| f.name() == name);
            set = set.with(*found.ok_or_else(|| format!("no feature is called {name}"))?);
        }
        Ok(set)
    }

    /// Writes `a,b,c`.
    pub fn text(self) -> String {
        self.iter().map(Feature::name).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let set = Features::default().with(Feature::Due).with(Feature::Flood);
        assert_eq!(Features::parse(&set.text()), Ok(set));
        assert!(Features::parse("nonsense").is_err());
    }

    #[test]
    fn every_feature_has_a_bit_of_its_own() {
        assert!(Feature::ALL.len() <= 64);
    }
}
