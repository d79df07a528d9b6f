//! Pseudo-random commands over a small world, so that they meet each other. Same seed, same commands,
//! as long as the core gives the same replies.

use super::parse;
use super::words::Words;
use super::world::EPOCH;
use interlock_core::command::{
    Beat, BeatRun, Finish, HoldTarget, Register, Spend, Submit, Take, Used,
};
use interlock_core::reply::Taken;
use interlock_core::words::{
    After, Due, Elapsed, GroupId, IfBusy, Namespace, Now, SessionId, Submission, TaskId, Token,
    Wall,
};
use interlock_core::{Command, Decision, Reply};

/// SplitMix64: small, good enough, and the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Once in `n` times.
    pub(crate) fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

const KINDS: [&str; 7] = [
    "sync",
    "read",
    "create",
    "delete",
    "applicability",
    "removal",
    "push",
];
const RESOURCES: [&str; 4] = ["shop:1", "shop:2", "repository:a", "repository:b"];
const WORKERS: [&str; 3] = ["w1", "w2", "w3"];

/// A stream of commands that follows what the core answers.
pub(crate) struct Script {
    random: Random,
    now: Now,
    sessions: Vec<(SessionId, u64)>,
    runs: Vec<(SessionId, Token)>,
    groups: Vec<GroupId>,
    tasks: u64,
}

impl Script {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random(seed),
            now: Now {
                elapsed: Elapsed(0),
                wall: EPOCH,
            },
            sessions: Vec::new(),
            runs: Vec::new(),
            groups: Vec::new(),
            tasks: 0,
        }
    }

    pub(crate) fn now(&self) -> Now {
        self.now
    }

    /// The kinds, quotas and schedules of the small world.
    pub(crate) fn givens() -> Vec<Command> {
        let kinds = [
            "sync retry=2s,10s for=1m lease=5s",
            "read op=read retry=none lease=5s",
            "create op=create retry=3s for=20s lease=5s",
            "delete op=delete retry=3s for=10s lease=5s loss=cancel",
            "applicability coalesce=append gather=1s retry=2s for=30s lease=5s",
            "removal coalesce=latest quota=calls:1 lease=5s",
            "push priority=7 cancels=removal quota=calls:2 within=8s grace=2s lease=5s",
        ];
        let quota = Words::new("calls 6/10s 40/2m at_once:3");
        let schedule = Words::new("often every=7s : sync repository:a");
        let mut commands = vec![Command::SetQuota(Box::new(parse::quota(quota)))];
        let kinds = kinds.iter().map(|text| parse::kind(Words::new(text)));
        commands.extend(kinds.map(|kind| Command::SetKind(Box::new(kind))));
        commands.push(Command::SetSchedule(Box::new(parse::schedule(
            schedule, EPOCH,
        ))));
        commands
    }

    /// Time goes on a little, now and then a lot, and the wall clock is set now and then.
    pub(crate) fn pass_time(&mut self) {
        let ms = match self.random.below(20) {
            0 => 5_000,
            1..=4 => 1_000,
            5..=12 => 100,
            _ => 0,
        };
        let ms = self.random.below(ms + 1);
        self.now = self.now.plus(ms);
        if self.random.once_in(200) {
            let jump = self.random.below(20_000);
            let back = self.random.once_in(2);
            let wall = self.now.wall.0;
            self.now.wall = Wall(if back { wall - jump } else { wall + jump });
        }
    }

    /// Remembers sessions, runs and ids as a client of the namespace would.
    pub(crate) fn learn(&mut self, decision: &Decision) {
        match &decision.reply {
            Reply::Registered { session } => self.sessions.push((*session, 0)),
            Reply::Submitted { group, .. } => self.groups.extend(*group),
            _ => {}
        }
        if let Reply::Taken(taken) = &decision.reply {
            self.learn_taken(None, taken);
        }
        for wake in &decision.wakes {
            self.learn_taken(Some(wake.session), &wake.taken);
        }
        for event in decision.record.iter().flat_map(|record| &record.events) {
            if let interlock_core::Event::Admitted(admitted) = event {
                self.tasks = self.tasks.max(admitted.task.0);
            }
        }
        let surplus = self.runs.len().saturating_sub(12);
        self.runs.drain(..surplus);
        let surplus = self.sessions.len().saturating_sub(6);
        self.sessions.drain(..surplus);
    }

    fn learn_taken(&mut self, session: Option<SessionId>, taken: &Taken) {
        let Some(session) = session.or(self.sessions.last().map(|(session, _)| *session)) else {
            return;
        };
        for hand_out in &taken.hand_outs {
            self.runs.push((session, hand_out.token));
        }
    }

    /// The next command.
    pub(crate) fn command(&mut self) -> Command {
        match self.random.below(100) {
            0..=29 => self.submit(),
            30..=49 => self.take(),
            50..=64 => self.finish(),
            65..=72 => self.beat(),
            73..=77 => self.register(),
            78..=79 => self.leave(),
            80..=84 => self.cancel(),
            85..=90 => self.hold(),
            91..=92 => self.bump(),
            93..=95 => self.quota(),
            96..=97 => self.change(),
            _ => Command::Tick,
        }
    }

    fn submit(&mut self) -> Command {
        let items = 1 + if self.random.once_in(5) {
            self.random.below(4)
        } else {
            0
        };
        let group = self.random.once_in(8);
        let items = (0..items)
            .map(|index| self.submission(index, group))
            .collect();
        let dry_run = !group && self.random.once_in(20);
        Command::Submit(Submit {
            items,
            group,
            dry_run,
        })
    }

    fn submission(&mut self, index: u64, group: bool) -> Submission {
        let kind = parse::name(self.random.pick(&KINDS));
        let mut claims = vec![self.random.pick(&RESOURCES)];
        if self.random.once_in(4) {
            claims.push(self.random.pick(&RESOURCES));
        }
        let claims = claims.into_iter().map(|text| interlock_core::words::Claim {
            resource: parse::resource(text),
            op: None,
        });
        let mut submission = Submission::new(kind, claims.collect());
        submission.payload = format!("[{}]", self.random.below(100)).as_str().into();
        if self.random.once_in(4) {
            submission.priority = Some(self.random.below(10) as u8);
        }
        if self.random.once_in(6) {
            submission.due = Some(Due::In(self.random.below(10_000)));
        }
        if self.random.once_in(15) {
            submission.if_busy = IfBusy::Reject;
        }
        if self.random.once_in(15) {
            submission.start_within_ms = Some(1 + self.random.below(10_000));
        }
        if self.random.once_in(20) {
            submission.idempotency_key = Some(parse::name(&self.random.below(5).to_string()));
        }
        if self.random.once_in(12) && self.tasks > 0 {
            submission.after = vec![After::Task(self.some_task())];
        } else if group && index > 0 && self.random.once_in(2) {
            submission.after = vec![After::Item(self.random.below(index) as usize)];
        }
        if self.random.once_in(20) && !self.runs.is_empty() {
            submission.parent = Some(self.random.pick(&self.runs).1);
        }
        submission.hold = self.random.once_in(25);
        submission
    }

    /// One of the last tasks.
    fn some_task(&mut self) -> TaskId {
        TaskId(self.tasks.saturating_sub(self.random.below(20)).max(1))
    }

    fn take(&mut self) -> Command {
        if self.sessions.is_empty() {
            return self.register();
        }
        // The newest session stays last, so that hand-outs are remembered with the right one.
        let index = self.random.below(self.sessions.len() as u64) as usize;
        let (session, number) = self.sessions.remove(index);
        let number = if self.random.once_in(10) {
            number
        } else {
            number + 1
        };
        self.sessions.push((session, number));
        let finishes = if self.random.once_in(3) {
            self.some_finishes(session)
        } else {
            Vec::new()
        };
        Command::Take(Take {
            session,
            number,
            max: 1 + self.random.below(4) as usize,
            wait_ms: self.random.below(10_000),
            finishes,
        })
    }

    fn some_finishes(&mut self, session: SessionId) -> Vec<Finish> {
        let own = self.runs.iter().filter(|(owner, _)| *owner == session);
        let tokens: Vec<Token> = own.map(|(_, token)| *token).take(2).collect();
        tokens
            .into_iter()
            .map(|token| self.one_finish(token))
            .collect()
    }

    fn one_finish(&mut self, token: Token) -> Finish {
        let how = match self.random.below(10) {
            0..=4 => "ok",
            5..=6 => "fail",
            7 => "fail again=never",
            8 => "fail again=4s",
            _ => "release",
        };
        let how = parse::finish_how(&mut Words::new(how)).expect("a way to finish");
        Finish {
            token,
            how,
            used: Vec::new(),
        }
    }

    fn finish(&mut self) -> Command {
        if self.runs.is_empty() {
            return self.take();
        }
        let (session, token) = self.random.pick(&self.runs);
        let finishes = vec![self.one_finish(token)];
        Command::Finish { session, finishes }
    }

    fn beat(&mut self) -> Command {
        if self.runs.is_empty() {
            return self.take();
        }
        let (session, _) = self.random.pick(&self.runs);
        let own = self.runs.iter().filter(|(owner, _)| *owner == session);
        let runs = own.map(|(_, token)| BeatRun {
            token: *token,
            progress: None,
            used: Vec::new(),
            dropped: Vec::new(),
        });
        Command::Beat(Beat {
            session,
            runs: runs.collect(),
        })
    }

    fn register(&mut self) -> Command {
        Command::Register(Register {
            name: parse::name(self.random.pick(&WORKERS)),
            kinds: KINDS.iter().map(|kind| parse::name(kind)).collect(),
            takeover: self.random.once_in(3),
        })
    }

    fn leave(&mut self) -> Command {
        let Some((session, number)) = self.sessions.first().copied() else {
            return self.register();
        };
        match self.random.below(3) {
            0 => Command::Goodbye { session },
            1 => Command::ReturnTake { session, number },
            _ => Command::Drain {
                worker: parse::name(self.random.pick(&WORKERS)),
                by: None,
            },
        }
    }

    fn cancel(&mut self) -> Command {
        if self.random.once_in(6) && !self.groups.is_empty() {
            let group = self.random.pick(&self.groups);
            return Command::CancelGroup { group, by: None };
        }
        let all = self.random.once_in(2);
        Command::Cancel {
            task: self.some_task(),
            all,
            by: None,
        }
    }

    fn hold(&mut self) -> Command {
        let what = match self.random.below(6) {
            0..=1 => HoldTarget::Task(self.some_task()),
            2..=3 => HoldTarget::Resource(parse::resource(self.random.pick(&RESOURCES))),
            4 => HoldTarget::Kind(parse::name(self.random.pick(&KINDS))),
            _ => HoldTarget::Namespace,
        };
        if self.random.once_in(3) {
            Command::Hold { what, by: None }
        } else {
            Command::Release { what, by: None }
        }
    }

    fn bump(&mut self) -> Command {
        let priority = self.random.below(10) as u8;
        Command::Bump {
            task: self.some_task(),
            priority,
            by: None,
        }
    }

    fn quota(&mut self) -> Command {
        let quota = parse::name("calls");
        if self.random.once_in(2) || self.runs.is_empty() {
            let for_ms = self.random.below(3_000);
            return Command::PauseQuota {
                quota,
                resource: None,
                for_ms,
            };
        }
        let (session, token) = self.random.pick(&self.runs);
        if self.random.once_in(3) {
            let dropped = vec![Used { quota, units: 1 }];
            let run = BeatRun {
                token,
                progress: None,
                used: Vec::new(),
                dropped,
            };
            return Command::Beat(Beat {
                session,
                runs: vec![run],
            });
        }
        Command::Spend(Spend {
            session,
            token,
            quota,
            units: 1 + self.random.below(2),
        })
    }

    fn change(&mut self) -> Command {
        match self.random.below(4) {
            0 => {
                let paused = self.random.once_in(2);
                Command::PauseSchedule {
                    name: parse::name("often"),
                    paused,
                }
            }
            1 => {
                let step_ms = 1 + self.random.below(10_000);
                Command::SetNamespace(Namespace {
                    step_ms,
                    ..Namespace::default()
                })
            }
            2 => {
                let limits = self
                    .random
                    .pick(&["6/10s 40/2m at_once:3", "9/10s at_once:5"]);
                let text = format!("calls {limits}");
                Command::SetQuota(Box::new(parse::quota(Words::new(&text))))
            }
            _ => {
                let op = self.random.pick(&["read", "update"]);
                let text = format!("sync op={op} retry=2s,10s for=1m lease=5s");
                Command::SetKind(Box::new(parse::kind(Words::new(&text))))
            }
        }
    }
}
