//! A small world: a core that has seen some work, so that shapes are those of real answers.

use interlock_api::Clock;
use interlock_api::convert::{kind, quota, run, submission};
use interlock_api::parse;
use interlock_core::reply::{Answer, Reply, Taken};
use interlock_core::view::{Found, TaskView};
use interlock_core::words::{Elapsed, Now, SessionId, TaskId, Wall};
use interlock_core::{Command, Core, command};

/// 2026-11-15T10:30:00Z.
pub(crate) const START_MS: u64 = 1_794_738_600_000;

pub(crate) struct World {
    pub(crate) core: Core,
    now: Now,
}

impl World {
    pub(crate) fn new() -> Self {
        let now = Now {
            elapsed: Elapsed(1_000),
            wall: Wall(START_MS),
        };
        let mut core = Core::new(1);
        core.open(now, 1);
        Self { core, now }
    }

    /// With a kind of each sort, a quota and a worker.
    pub(crate) fn busy() -> (Self, SessionId) {
        let mut world = Self::new();
        world.quota("calls", r#"{"per": "shop", "limits": ["10/1s", "1/24h"]}"#);
        world.kind("sync", r#"{"coalesce": {"gather": "3s"}}"#);
        world.kind("update", "{}");
        world.kind("remove", r#"{"op": "delete"}"#);
        world.kind("call", r#"{"quotas": [{"quota": "calls"}]}"#);
        let session =
            world.register(r#"{"name": "w1", "kinds": ["sync", "update", "remove", "call"]}"#);
        (world, session)
    }

    pub(crate) fn clock(&self) -> Clock {
        self.now.into()
    }

    pub(crate) fn pass(&mut self, ms: u64) {
        self.now = self.now.plus(ms);
        self.decide(Command::Tick);
    }

    pub(crate) fn decide(&mut self, command: Command) -> Reply {
        self.core.decide(self.now, command).reply
    }

    pub(crate) fn kind(&mut self, name: &str, policy: &str) {
        let policy = parse::body(policy.as_bytes()).expect("a policy");
        let kind = kind::kind(Some(name), policy).expect("a kind");
        assert_eq!(self.decide(Command::SetKind(Box::new(kind))), Reply::Done);
    }

    pub(crate) fn quota(&mut self, name: &str, policy: &str) {
        let policy = parse::body(policy.as_bytes()).expect("a policy");
        let quota = quota::quota(Some(name), &policy).expect("a quota");
        assert_eq!(self.decide(Command::SetQuota(Box::new(quota))), Reply::Done);
    }

    pub(crate) fn register(&mut self, text: &str) -> SessionId {
        let wire = parse::body(text.as_bytes()).expect("a registration");
        let (kinds, register) = run::register(wire).expect("a registration");
        for kind in kinds {
            self.decide(Command::SetKind(Box::new(kind)));
        }
        match self.decide(Command::Register(register)) {
            Reply::Registered { session } => session,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn submit(&mut self, text: &str) -> Answer {
        let wire = parse::body(text.as_bytes()).expect("a submission");
        let item = submission::submission(wire).expect("a submission");
        self.submit_all(vec![item], false).remove(0)
    }

    pub(crate) fn submit_all(
        &mut self,
        items: Vec<interlock_core::words::Submission>,
        group: bool,
    ) -> Vec<Answer> {
        let submit = command::Submit {
            items,
            group,
            dry_run: false,
        };
        match self.decide(Command::Submit(submit)) {
            Reply::Submitted { answers, .. } => answers,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn take(&mut self, session: SessionId, number: u64, max: usize) -> Taken {
        let take = command::Take {
            session,
            number,
            max,
            wait_ms: 0,
            finishes: Vec::new(),
        };
        match self.decide(Command::Take(take)) {
            Reply::Taken(taken) => taken,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn view(&self, task: u64) -> TaskView {
        match self.core.task(TaskId(task)) {
            Found::Live(view) => *view,
            other => panic!("{other:?}"),
        }
    }
}
