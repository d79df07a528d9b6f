//! A namespace with one worker, driven in virtual time. Every step checks that the core did what the
//! benchmark claims to measure.

use interlock_core::command::{Beat, BeatRun, Finish, FinishHow, Register, Submit, Take};
use interlock_core::limits;
use interlock_core::reply::{Answer, HandOut, Order, Verdict};
use interlock_core::words::{
    Claim, Elapsed, Kind, Name, Now, Op, Payload, ResourceName, SessionId, Submission, Token, Wall,
};
use interlock_core::{Command, Core, Decision, Reply};
use std::hint::black_box;

/// The kind that is measured.
pub(crate) const KIND: &str = "sync";
/// The kind of runs that occupy a resource throughout.
const HOLDER: &str = "holder";
/// Virtual time per cycle, in microseconds: 640 tasks per second, so that the quarter of an hour for
/// which outcomes are remembered goes by within a measurement.
const MICROS_PER_CYCLE: u64 = 1_562;

/// A namespace with one worker.
pub(crate) struct World {
    core: Core,
    now: Now,
    micros: u64,
    worker: Worker,
    holders: Option<Holders>,
}

/// One session, and what it has in hand.
struct Worker {
    session: SessionId,
    take: u64,
    finishes: Vec<Finish>,
}

/// A second session, whose runs never end.
struct Holders {
    session: SessionId,
    tokens: Vec<Token>,
}

impl World {
    /// A namespace with these kinds and a worker that handles them all.
    pub(crate) fn new(kinds: &[&str]) -> Self {
        let mut core = Core::new(1);
        let now = Now {
            elapsed: Elapsed(1_000),
            wall: Wall(1_700_000_000_000),
        };
        core.open(now, 1);
        for kind in kinds {
            let kind = Box::new(Kind::new(name(kind)));
            let set = core.decide(now, Command::SetKind(kind));
            assert_eq!(set.reply, Reply::Done, "the kind is set");
        }
        let worker = Worker {
            session: register(&mut core, now, "worker", kinds),
            take: 0,
            finishes: Vec::new(),
        };
        Self {
            core,
            now,
            micros: 0,
            worker,
            holders: None,
        }
    }

    /// Decides one command.
    pub(crate) fn decide(&mut self, command: Command) -> Decision {
        self.core.decide(self.now, command)
    }

    /// Lets the time of so many cycles go by.
    pub(crate) fn pass(&mut self, cycles: u64) {
        self.micros += cycles * MICROS_PER_CYCLE;
        self.now = self.now.plus(self.micros / 1_000);
        self.micros %= 1_000;
    }

    /// Submits one task in a command of its own.
    pub(crate) fn submit(&mut self, submission: Submission) -> Verdict {
        let decision = self.decide(submit(submission));
        match &black_box(decision).reply {
            Reply::Submitted { answers, .. } => match answers.as_slice() {
                [Answer::Admitted(report)] => report.verdict,
                other => panic!("a submission that is admitted, not {other:?}"),
            },
            other => panic!("an answer to a submission, not {other:?}"),
        }
    }

    /// Takes exactly `count` tasks; the finishes of the last ones ride along. The new ones succeed
    /// with the next take or [`World::finish`].
    pub(crate) fn take(&mut self, count: usize) {
        let hand_outs = self.take_up_to(count);
        assert_eq!(hand_outs.len(), count, "as many ready tasks as are taken");
        let measured = |hand_out: &HandOut| hand_out.kind.as_str() == KIND;
        assert!(hand_outs.iter().all(measured), "none of the other kinds");
        let succeed = |hand_out: &HandOut| succeed(hand_out.token);
        self.worker.finishes.extend(hand_outs.iter().map(succeed));
    }

    /// Reports everything in hand as done, in a command of its own.
    pub(crate) fn finish(&mut self) {
        let command = Command::Finish {
            session: self.worker.session,
            finishes: std::mem::take(&mut self.worker.finishes),
        };
        match &black_box(self.decide(command)).reply {
            Reply::Finished(finished) => assert!(finished.iter().all(Result::is_ok)),
            other => panic!("answers to finishes, not {other:?}"),
        }
    }

    /// Occupies these resources with runs that go on as long as [`World::beat`] is called.
    pub(crate) fn occupy(&mut self, resources: impl IntoIterator<Item = String>) {
        let mut kind = Kind::new(name(HOLDER));
        kind.lease_ms = limits::LEASE_MS_MAX;
        self.decide(Command::SetKind(Box::new(kind)));
        let session = register(&mut self.core, self.now, "holder", &[HOLDER]);
        let mut tokens = Vec::new();
        for (number, resource) in (1..).zip(resources) {
            self.submit(submission(HOLDER, &resource, ""));
            let hand_outs = handed_out(self.decide(take(session, number, 1, Vec::new())));
            tokens.extend(hand_outs.iter().map(|hand_out| hand_out.token));
            assert_eq!(tokens.len() as u64, number, "each resource is occupied");
        }
        self.holders = Some(Holders { session, tokens });
    }

    /// Renews the leases of the runs that occupy resources.
    pub(crate) fn beat(&mut self) {
        let Some(holders) = &self.holders else { return };
        for tokens in holders.tokens.chunks(limits::RUNS_PER_CALL_MAX) {
            let command = Command::Beat(Beat {
                session: holders.session,
                runs: tokens.iter().copied().map(goes_on).collect(),
            });
            match self.core.decide(self.now, command).reply {
                Reply::Beaten(beaten) => assert!(beaten.iter().all(|run| run.order == Order::GoOn)),
                other => panic!("answers to a beat, not {other:?}"),
            }
        }
    }

    /// How many tasks wait.
    pub(crate) fn waiting(&self) -> u64 {
        self.core.counts().waiting
    }

    fn take_up_to(&mut self, max: usize) -> Vec<HandOut> {
        self.worker.take += 1;
        let command = take(
            self.worker.session,
            self.worker.take,
            max,
            std::mem::take(&mut self.worker.finishes),
        );
        handed_out(self.decide(command))
    }
}

/// A command that submits one task.
pub(crate) fn submit(submission: Submission) -> Command {
    Command::Submit(Submit {
        items: vec![submission],
        group: false,
        dry_run: false,
    })
}

/// A command that takes up to `max` tasks.
pub(crate) fn take(session: SessionId, number: u64, max: usize, finishes: Vec<Finish>) -> Command {
    Command::Take(Take {
        session,
        number,
        max,
        wait_ms: 0,
        finishes,
    })
}

/// A submission as it comes from outside: nothing in it is shared with an earlier one.
pub(crate) fn submission(kind: &str, resource: &str, payload: &str) -> Submission {
    let resource = ResourceName::new(resource).expect("the resource is well formed");
    let mut submission = Submission::new(name(kind), vec![Claim::new(resource, Op::Update)]);
    submission.payload = Payload::from(payload);
    submission
}

/// A report of success.
pub(crate) fn succeed(token: Token) -> Finish {
    Finish {
        token,
        how: FinishHow::Succeed {
            result: Payload::default(),
        },
        used: Vec::new(),
    }
}

/// A name that is known to be well formed.
pub(crate) fn name(text: &str) -> Name {
    Name::new(text).expect("the name is well formed")
}

fn goes_on(token: Token) -> BeatRun {
    BeatRun {
        token,
        progress: None,
        used: Vec::new(),
        dropped: Vec::new(),
    }
}

fn register(core: &mut Core, now: Now, worker: &str, kinds: &[&str]) -> SessionId {
    let command = Command::Register(Register {
        name: name(worker),
        kinds: kinds.iter().copied().map(name).collect(),
        takeover: false,
    });
    match core.decide(now, command).reply {
        Reply::Registered { session } => session,
        other => panic!("a session, not {other:?}"),
    }
}

fn handed_out(decision: Decision) -> Vec<HandOut> {
    match black_box(decision).reply {
        Reply::Taken(taken) => {
            assert!(taken.finished.iter().all(Result::is_ok), "finishes count");
            taken.hand_outs
        }
        other => panic!("tasks, not {other:?}"),
    }
}
