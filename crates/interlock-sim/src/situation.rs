//! Situations: rare meetings of rules that a good simulation must reach. Counted per seed, so that a
//! quiet world can't pass for a tested one.

mod notice;

macro_rules! situations {
    ($($name:ident = $text:literal;)*) => {
        /// Something worth reaching.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Situation {
            $(#[doc = $text] $name,)*
        }

        impl Situation {
            /// All of them, in the order of their bits.
            pub const ALL: &[Situation] = &[$(Situation::$name,)*];

            /// In words.
            pub fn text(self) -> &'static str {
                match self { $(Situation::$name => $text,)* }
            }
        }
    };
}

situations! {
    RetryMeetsFollowUp = "a retry meets a follow-up";
    MergedIntoRetry = "a submission joins a task that waits for a retry";
    MergedWhileGathering = "a submission joins a task that gathers";
    FollowUp = "a submission of the same while it runs";
    MergeRefusedAcrossBarrier = "a merge refused across a barrier";
    ScheduledFolded = "a scheduled task folded when it came due";
    ParkedCreate = "a create parked on a quota";
    LifecycleRetries = "a lifecycle task that waits for a retry with tasks behind it";
    ChainOfTwo = "two lifecycle tasks pending on one resource";
    DeleteFails = "a delete that fails with tasks behind it";
    DeleteCancels = "a delete that cancels waiting tasks";
    CreateCancels = "a create that fails and cancels what waits for it";
    DoomedJoins = "a doomed task that joins";
    DoomedCancelled = "a doomed task that is cancelled";
    FutureRejected = "a submission rejected for the future of a resource";
    FutureDecided = "a late comer cancelled for the future of a resource";
    SetAside = "units set aside";
    SetAsideCancelled = "units set aside for a task that is cancelled";
    QuotaPause = "a quota paused";
    SliceLost = "a budget slice lost with its run";
    PermitWaits = "a spend that has to wait";
    LimitLowered = "a limit lowered below what is in use";
    Takeover = "a takeover that ends runs";
    NameInUse = "a name refused because it is in use";
    SessionLost = "a take refused because the session lost a run";
    ZombieBeats = "a zombie's beat";
    ZombieFinishes = "a zombie's finish";
    ZombieSpends = "a zombie's spend";
    TakeRepeated = "a take repeated";
    StaleTake = "a take out of order";
    HandOutReturned = "a hand-out returned";
    FinishRepeated = "a finish repeated";
    GoodbyeReleases = "a goodbye with live runs";
    Drained = "a worker drained";
    RanTooLong = "run_within exceeded";
    CancelRunning = "a cancel of a running task";
    CancelButSuccess = "a cancel of a running task that succeeds in time";
    StandsForSeveral = "a cancel refused for lack of all";
    CancelledByKind = "a task cancelled by a submission of another kind";
    LastRun = "a running task denied a further run";
    LossesCapped = "a task that lost too many workers";
    WindowEnded = "a task given up at the end of its retry window";
    NotStartedInTime = "a task given up because it did not start in time";
    DependencyFailed = "a dependency that failed";
    GroupRefused = "a group refused";
    GroupCancelled = "a group cancelled";
    ChildRefused = "a child refused for its ancestor";
    IdempotentRepeat = "an idempotent repeat";
    IdempotencyMismatch = "an idempotency key with another body";
    NoWorkerReached = "a task left for lack of a worker";
    NoWorkerLeft = "a task that gets a worker at last";
    ScheduleStillLive = "a schedule whose last task is still live";
    ScheduleLate = "a schedule that fires once after an outage";
    UncommittedLost = "decisions lost before their commit";
    CrashAmidSweep = "a crash in the middle of a sweep";
    SecondOpen = "a second open without a beat between";
    HoldReleased = "a hold released";
    PolicyChanged = "a policy changed while tasks wait";
    NodeTakenOver = "a node takes over from one whose lease is over";
    ZombieWoke = "a node that wakes up as a zombie";
    ZombieRefuses = "a beat that a zombie refuses";
    ZombieWriteRefused = "a zombie's write refused";
    AnsweredLate = "an answer of a node from which another took over";
    HandedOver = "a namespace handed over";
    HeirDies = "a namespace handed over to a node that dies";
    NodeDrained = "a node drained";
    UnsureDone = "a commit without an answer that took effect";
    UnsureNotDone = "a commit without an answer that did not";
}

/// What a world reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Situations(u128);

impl Situations {
    /// Notes that something was reached.
    pub fn reach(&mut self, situation: Situation) {
        self.0 |= 1 << situation as u128;
    }

    /// Whether it was reached.
    pub fn has(self, situation: Situation) -> bool {
        self.0 & (1 << situation as u128) != 0
    }

    /// The server died before a commit.
    pub fn uncommitted_lost(&mut self) {
        self.reach(Situation::UncommittedLost);
    }

    /// The server died while a sweep was under way.
    pub fn crash_amid_sweep(&mut self) {
        self.reach(Situation::CrashAmidSweep);
    }
}

/// How many seeds reached what.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: Vec<u64>,
    /// Seeds in all.
    pub seeds: u64,
}

impl Tally {
    /// Adds one world.
    pub fn add(&mut self, situations: Situations) {
        self.counts.resize(Situation::ALL.len(), 0);
        self.seeds += 1;
        for (count, situation) in self.counts.iter_mut().zip(Situation::ALL) {
            *count += u64::from(situations.has(*situation));
        }
    }

    /// Each situation with the percentage of seeds that reached it.
    pub fn percentages(&self) -> impl Iterator<Item = (Situation, f64)> {
        let seeds = self.seeds.max(1) as f64;
        Situation::ALL
            .iter()
            .enumerate()
            .map(move |(index, situation)| {
                let count = self.counts.get(index).copied().unwrap_or(0);
                (*situation, 100.0 * count as f64 / seeds)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_situation_has_a_bit_of_its_own() {
        assert!(Situation::ALL.len() <= 128);
        assert!(Situation::ALL.len() >= 20);
    }

    #[test]
    fn a_tally_counts_seeds_not_occurrences() {
        let mut once = Situations::default();
        once.reach(Situation::Takeover);
        once.reach(Situation::Takeover);
        let mut tally = Tally::default();
        tally.add(once);
        tally.add(Situations::default());
        let (_, percent) = tally
            .percentages()
            .find(|(situation, _)| *situation == Situation::Takeover)
            .unwrap();
        assert!((percent - 50.0).abs() < 1e-9);
    }
}
