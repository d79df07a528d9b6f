//! The window of a quota: never more than its units in any span of its length, at any start times,
//! across midnight and whatever the wall clock does; and nobody waits longer than the rounding of
//! its at most 60 buckets explains. Seen from outside: by the starts alone.

use crate::check;
use interlock_core::Core;
use interlock_core::command::{Command, Finish, FinishHow, Register, Submit, Take};
use interlock_core::limits::QUOTA_BUCKETS;
use interlock_core::reply::{Decision, HandOut, Reply};
use interlock_core::words::{
    Elapsed, Kind, Limit, Name, Now, Payload, Quota, QuotaUse, Scope, SessionId, Submission, Wall,
};
use proptest::prelude::*;

const DAY_MS: u64 = 86_400_000;
const LEASE_MS: u64 = 300_000;

/// A quota, the time at which the world begins, and submissions after one another.
#[derive(Clone, Debug)]
struct Story {
    limits: Vec<(u64, u64)>,
    begin: (u64, u64),
    /// A pause, a jump of the wall clock at its end, and what each submission after it costs.
    bursts: Vec<(u64, u64, Vec<u32>)>,
}

/// A start: when, and what it cost. And when it was submitted.
#[derive(Clone, Copy, Debug)]
struct Start {
    at: u64,
    cost: u64,
    submitted: u64,
}

struct Shop {
    core: Core,
    now: Now,
    session: SessionId,
    take: u64,
    /// Costs and times of submissions by task id.
    submitted: Vec<(u64, u64, u64)>,
    starts: Vec<Start>,
    finishes: Vec<Finish>,
}

impl Shop {
    fn open(story: &Story) -> Self {
        let now = Now {
            elapsed: Elapsed(story.begin.0),
            wall: Wall(story.begin.1),
        };
        let mut core = Core::new(7);
        core.open(now, 1);
        let limits = story
            .limits
            .iter()
            .map(|&(units, per_ms)| Limit::Window { units, per_ms });
        let quota = Quota {
            name: name("calls"),
            scope: Scope::Namespace,
            limits: limits.collect(),
        };
        assert_done(&core.decide(now, Command::SetQuota(Box::new(quota))));
        for cost in 1..=3 {
            let quotas = vec![QuotaUse {
                quota: name("calls"),
                cost,
            }];
            let kind = Kind {
                quotas,
                lease_ms: LEASE_MS,
                ..Kind::new(kind_of(cost))
            };
            assert_done(&core.decide(now, Command::SetKind(Box::new(kind))));
        }
        let kinds = (1..=3).map(kind_of).collect();
        let register = Register {
            name: name("w"),
            kinds,
            takeover: false,
        };
        let reply = core.decide(now, Command::Register(register)).reply;
        let Reply::Registered { session } = reply else {
            panic!("not registered: {reply:?}")
        };
        let (submitted, starts, finishes) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            core,
            now,
            session,
            take: 0,
            submitted,
            starts,
            finishes,
        }
    }

    fn submit(&mut self, cost: u32) {
        let items = vec![Submission::new(kind_of(cost), Vec::new())];
        let submit = Submit {
            items,
            group: false,
            dry_run: false,
        };
        let reply = self.core.decide(self.now, Command::Submit(submit)).reply;
        let Reply::Submitted { answers, .. } = reply else {
            panic!("not submitted: {reply:?}")
        };
        let interlock_core::reply::Answer::Admitted(report) = &answers[0] else {
            panic!("not admitted: {answers:?}")
        };
        let id = report.task.expect("it was admitted").0;
        self.submitted
            .push((id, u64::from(cost), self.now.elapsed.0));
    }

    /// Takes whatever is to be had; what was taken before has succeeded.
    fn work(&mut self) {
        loop {
            self.take += 1;
            let finishes = std::mem::take(&mut self.finishes);
            let (session, number) = (self.session, self.take);
            let take = Take {
                session,
                number,
                max: 100,
                wait_ms: 0,
                finishes,
            };
            let reply = self.core.decide(self.now, Command::Take(take)).reply;
            let Reply::Taken(taken) = reply else {
                panic!("not taken: {reply:?}")
            };
            if taken.hand_outs.is_empty() {
                return;
            }
            taken
                .hand_outs
                .iter()
                .for_each(|hand_out| self.start(hand_out));
        }
    }

    fn start(&mut self, hand_out: &HandOut) {
        let submitted = self
            .submitted
            .iter()
            .find(|(id, ..)| *id == hand_out.task.0);
        let &(_, cost, submitted) = submitted.expect("it was submitted");
        self.starts.push(Start {
            at: self.now.elapsed.0,
            cost,
            submitted,
        });
        let how = FinishHow::Succeed {
            result: Payload::default(),
        };
        self.finishes.push(Finish {
            token: hand_out.token,
            how,
            used: Vec::new(),
        });
    }

    /// Lets time pass from timer to timer, working at each.
    fn wait(&mut self, ms: u64) {
        let end = self.now.elapsed.plus(ms);
        self.work();
        while self.now.elapsed < end {
            let next = self.core.next_timer();
            let elapsed = next.elapsed.map(|at| at.since(self.now.elapsed));
            let wall = next.wall.map(|at| at.since(self.now.wall));
            let hop = elapsed.into_iter().chain(wall).min().unwrap_or(u64::MAX);
            self.now = self.now.plus(hop.max(1).min(end.since(self.now.elapsed)));
            let tick = self.core.decide(self.now, Command::Tick);
            assert!(!tick.more, "there is nothing to sweep");
            self.work();
        }
    }

    fn is_done(&self) -> bool {
        self.starts.len() == self.submitted.len()
    }
}

fn assert_done(decision: &Decision) {
    assert_eq!(decision.reply, Reply::Done);
}

fn name(text: &str) -> Name {
    Name::new(text).expect("a good name")
}

fn kind_of(cost: u32) -> Name {
    name(&format!("costs-{cost}"))
}

/// Units spent in the span of `ms` that ends with `at`.
fn spent(starts: &[Start], at: u64, ms: u64) -> u64 {
    let is_in = |start: &&Start| start.at <= at && start.at + ms > at;
    starts.iter().filter(is_in).map(|start| start.cost).sum()
}

/// Every limit holds in every span, and every wait has a reason.
fn judge(story: &Story, starts: &[Start]) -> Result<(), String> {
    for (index, start) in starts.iter().enumerate() {
        for &(units, per_ms) in &story.limits {
            let spent = spent(starts, start.at, per_ms);
            if spent > units {
                return Err(format!(
                    "{spent} of {units} in {per_ms} ms until {}",
                    start.at
                ));
            }
        }
        let earlier = &starts[..index];
        let possible = earlier
            .last()
            .map_or(0, |last| last.at)
            .max(start.submitted);
        let is_explained = start.at == possible
            || story.limits.iter().any(|&(units, per_ms)| {
                let rounding = 2 * per_ms.div_ceil(QUOTA_BUCKETS);
                spent(earlier, start.at - 1, per_ms + rounding) + start.cost > units
            });
        if !is_explained {
            return Err(format!(
                "{start:?} could have started earlier, after {earlier:?}"
            ));
        }
    }
    Ok(())
}

fn run(story: &Story) -> Result<(), String> {
    let mut shop = Shop::open(story);
    for (pause, jump, costs) in &story.bursts {
        shop.wait(*pause);
        shop.now.wall = shop.now.wall.plus(*jump);
        costs.iter().for_each(|&cost| shop.submit(cost));
        shop.work();
    }
    let longest = story.limits.iter().map(|limit| limit.1).max().unwrap_or(1);
    for _ in 0..400 {
        if shop.is_done() {
            return judge(story, &shop.starts);
        }
        shop.wait(longest / 3 + 1);
    }
    Err(format!(
        "still waiting after {} of {}",
        shop.starts.len(),
        shop.submitted.len()
    ))
}

/// Times around midnight.
fn near_midnight(days: u64) -> impl Strategy<Value = u64> {
    (1..days, 0..4_000_u64).prop_map(|(day, offset)| day * DAY_MS + offset - 2_000)
}

fn story(per_ms: impl Strategy<Value = u64> + Clone) -> impl Strategy<Value = Story> {
    let limits = prop::collection::vec((3..9_u64, per_ms), 1..3);
    limits.prop_flat_map(|limits| {
        let longest = limits.iter().map(|limit| limit.1).max().unwrap_or(1);
        let shortest = limits.iter().map(|limit| limit.1).min().unwrap_or(1);
        let pause = prop_oneof![
            0..=shortest / 20,
            0..=shortest * 2,
            0..=longest + longest / 8
        ];
        let jump = prop_oneof![4 => Just(0), 1 => 0..2 * DAY_MS];
        let burst = (pause, jump, prop::collection::vec(1..=3_u32, 0..5));
        let begin = (near_midnight(30), near_midnight(20_000));
        (Just(limits), begin, prop::collection::vec(burst, 1..20)).prop_map(
            |(limits, begin, bursts)| Story {
                limits,
                begin,
                bursts,
            },
        )
    })
}

#[test]
fn a_window_of_milliseconds_to_seconds_never_grants_too_much_or_too_late() {
    let per_ms = prop_oneof![
        1..130_u64,
        500..3_000_u64,
        Just(1_000_u64),
        Just(60_000_u64)
    ];
    check(150, &story(per_ms), |story| run(&story));
}

#[test]
fn a_window_of_a_day_never_grants_too_much_or_too_late() {
    check(12, &story(Just(DAY_MS)), |story| run(&story));
}

#[test]
fn the_judge_sees_too_many_units_and_a_wait_without_a_reason() {
    let story = Story {
        limits: vec![(2, 1_000)],
        begin: (0, 0),
        bursts: Vec::new(),
    };
    let start = |at| Start {
        at,
        cost: 1,
        submitted: 0,
    };
    let late = 2_000 + 2 * 1_000_u64.div_ceil(QUOTA_BUCKETS);
    assert_eq!(judge(&story, &[start(0), start(0), start(1_000)]), Ok(()));
    assert!(
        judge(&story, &[start(0), start(0), start(999)]).is_err(),
        "too many"
    );
    assert!(
        judge(&story, &[start(0), start(0), start(late)]).is_err(),
        "too late"
    );
}
