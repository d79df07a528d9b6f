//! A core without a world around it, so that a decision costs nothing but itself, and short names
//! for the commands of `slices`.

use crate::scenario::{EPOCH, Words, kind, name, resource};
use interlock_core::command::{Finish, FinishHow, HoldTarget, Register, Submit, Take};
use interlock_core::event::{EndWhy, Event, Record};
use interlock_core::reply::{Answer, HandOut, Reason};
use interlock_core::view::Found;
use interlock_core::words::{
    Claim, Elapsed, Now, Op, Payload, SessionId, Submission, TaskId, Token,
};
use interlock_core::{Command, Core, Decision, Reply, limits};
use std::time::Duration;

/// A core with its log and the cost of each decision that was not a slice.
pub(super) struct Bench {
    pub(super) core: Core,
    pub(super) now: Now,
    pub(super) log: Vec<Record>,
    pub(super) keep_log: bool,
    pub(super) costs: Vec<(&'static str, Duration)>,
    pub(super) takes: u64,
}

impl Bench {
    pub(super) fn new() -> Self {
        let now = Now {
            elapsed: Elapsed(0),
            wall: EPOCH,
        };
        let mut bench = Self {
            core: Core::new(11),
            now,
            log: Vec::new(),
            keep_log: true,
            costs: Vec::new(),
            takes: 0,
        };
        let opened = bench.core.open(now, 1);
        bench.log.extend(opened.record);
        bench
    }

    pub(super) fn kind(&mut self, text: &str) {
        let kind = kind(Words::new(text));
        assert_eq!(
            self.decide(Command::SetKind(Box::new(kind))).reply,
            Reply::Done
        );
    }

    pub(super) fn decide(&mut self, command: Command) -> Decision {
        let decision = self.core.decide(self.now, command);
        self.commit(&decision);
        decision
    }

    /// Decides a command whose cost counts.
    #[allow(
        clippy::disallowed_types,
        clippy::disallowed_methods,
        reason = "about real time"
    )]
    pub(super) fn timed(&mut self, what: &'static str, command: Command) -> Decision {
        let start = std::time::Instant::now();
        let decision = self.core.decide(self.now, command);
        self.costs.push((what, start.elapsed()));
        self.commit(&decision);
        decision
    }

    pub(super) fn commit(&mut self, decision: &Decision) {
        let Some(record) = &decision.record else {
            return;
        };
        let moved = record.events.iter().filter(|event| is_move(event)).count();
        assert!(
            moved <= limits::SLICE_MAX + 8,
            "one decision moved {moved} tasks"
        );
        if self.keep_log {
            self.log.push(record.clone());
        }
    }

    pub(super) fn fill(&mut self, count: u64, item: impl Fn(u64) -> Submission) {
        for batch in 0..count.div_ceil(1_000) {
            let from = batch * 1_000;
            let items = (from..count.min(from + 1_000)).map(&item).collect();
            let submit = Submit {
                items,
                group: false,
                dry_run: false,
            };
            let reply = self.decide(Command::Submit(submit)).reply;
            let Reply::Submitted { answers, .. } = reply else {
                panic!("{reply:?}")
            };
            assert!(
                answers
                    .iter()
                    .all(|answer| matches!(answer, Answer::Admitted(_)))
            );
        }
    }

    pub(super) fn register(&mut self, worker: &str, kinds: &[&str]) -> SessionId {
        let kinds = kinds.iter().map(|kind| name(kind)).collect();
        let register = Register {
            name: name(worker),
            kinds,
            takeover: false,
        };
        match self.decide(Command::Register(register)).reply {
            Reply::Registered { session } => session,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn take(&mut self, session: SessionId, max: usize) -> Command {
        self.takes += 1;
        let number = self.takes;
        Command::Take(Take {
            session,
            number,
            max,
            wait_ms: 0,
            finishes: Vec::new(),
        })
    }

    /// Ticks until nothing is left to move, and returns how often.
    pub(super) fn finish_sweeps(&mut self, mut more: bool) -> u64 {
        let mut slices = 0;
        while more {
            more = self.decide(Command::Tick).more;
            slices += 1;
            assert!(slices < 20_000, "a sweep never ends");
        }
        slices
    }

    /// The process dies and comes back with the first `records` of its log.
    pub(super) fn crash(&mut self, records: usize) -> bool {
        self.log.truncate(records);
        self.core = Core::new(records as u64);
        for record in &self.log {
            self.core.replay(record);
        }
        let opened = self.core.open(self.now, 1);
        self.log.extend(opened.record);
        opened.more
    }

    pub(super) fn ends(&self, wanted: impl Fn(&EndWhy) -> bool) -> u64 {
        let events = self.log.iter().flat_map(|record| &record.events);
        let ended = events.filter(|event| matches!(event, Event::Ended { why, .. } if wanted(why)));
        ended.count() as u64
    }
}

pub(super) fn is_move(event: &Event) -> bool {
    matches!(event, Event::Moved { .. } | Event::Ended { .. })
}

pub(super) fn plain(kind: &str, resource_name: &str) -> Submission {
    let claim = Claim::new(resource(resource_name), Op::Update);
    Submission::new(name(kind), vec![claim])
}

pub(super) fn submit(item: Submission) -> Command {
    Command::Submit(Submit {
        items: vec![item],
        group: false,
        dry_run: false,
    })
}

pub(super) fn task_of(decision: &Decision) -> TaskId {
    match &decision.reply {
        Reply::Submitted { answers, .. } => match &answers[0] {
            Answer::Admitted(report) => report.task.expect("no dry run"),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

pub(super) fn handed(decision: &Decision) -> &[HandOut] {
    match &decision.reply {
        Reply::Taken(taken) => &taken.hand_outs,
        Reply::Parked { .. } => &[],
        other => panic!("{other:?}"),
    }
}

pub(super) fn finish(session: SessionId, token: Token, how: FinishHow) -> Command {
    let finishes = vec![Finish {
        token,
        how,
        used: Vec::new(),
    }];
    Command::Finish { session, finishes }
}

pub(super) fn succeed() -> FinishHow {
    FinishHow::Succeed {
        result: Payload::default(),
    }
}

pub(super) fn hold(what: HoldTarget) -> Command {
    Command::Hold { what, by: None }
}

pub(super) fn release(what: HoldTarget) -> Command {
    Command::Release { what, by: None }
}

pub(super) fn is_held(core: &Core, task: u64) -> bool {
    match core.task(TaskId(task)) {
        Found::Live(view) => matches!(view.reasons[..], [Reason::Held { .. }]),
        _ => false,
    }
}
