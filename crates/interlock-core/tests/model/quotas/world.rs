//! The core and the model of quotas side by side.

use super::model::{Instance, Model, Move, State};
use super::{SHOPS, STEP_MS, Setup, Step};
use crate::print;
use interlock_core::command::{
    Beat, BeatRun, Command, Finish, FinishHow, HoldTarget, Register, Submit, Take,
};
use interlock_core::event::Stage;
use interlock_core::reply::{Answer, HandOut, Reason, Reply, Verdict};
use interlock_core::view::{Found, TaskState};
use interlock_core::words::{
    Claim, Elapsed, Kind, Limit, Name, Namespace, Now, Op, Payload, Quota, QuotaId, QuotaUse,
    ResourceName, Scope, SessionId, Submission, TaskId, Token, Wall,
};
use interlock_core::{Core, Event, Record};

/// Longer than a step of time, so that a beat at each step keeps every run.
const LEASE_MS: u64 = 300_000;
/// The head start of a level of priority: two steps of time.
const PRIORITY_MS: u64 = 20_000;
/// Steps of time after which everything must have come to an end.
const DRAIN_ROUNDS: usize = 300;

pub(super) struct World {
    core: Core,
    model: Model,
    now: Now,
    session: SessionId,
    take: u64,
    quota_ids: Vec<QuotaId>,
    moves: Vec<Move>,
    records: Vec<Record>,
    log: Vec<String>,
}

impl World {
    pub(super) fn new(setup: Setup) -> Self {
        let now = Now {
            elapsed: Elapsed(7 * STEP_MS),
            wall: Wall(1_700_000_000_000),
        };
        let mut world = Self {
            core: Core::new(3),
            model: Model::new(&setup, now.elapsed.0),
            now,
            session: SessionId(0),
            take: 0,
            quota_ids: Vec::new(),
            moves: Vec::new(),
            records: Vec::new(),
            log: Vec::new(),
        };
        let opened = world.core.open(now, 1);
        world.records.extend(opened.record);
        let namespace = Namespace {
            step_ms: PRIORITY_MS,
            ..Namespace::default()
        };
        world.decide(Command::SetNamespace(namespace));
        for quota in 0..setup.quotas.len() {
            world.set_quota(quota);
        }
        for (kind, uses) in setup.kinds.iter().enumerate() {
            let quotas = uses.iter().map(|&(quota, cost)| QuotaUse {
                quota: quota_name(quota),
                cost,
            });
            let quotas = quotas.collect();
            let kind = Kind {
                quotas,
                lease_ms: LEASE_MS,
                ..Kind::new(kind_name(kind))
            };
            world.decide(Command::SetKind(Box::new(kind)));
        }
        let kinds = (0..setup.kinds.len()).map(kind_name).collect();
        let register = Register {
            name: name("w"),
            kinds,
            takeover: false,
        };
        let reply = world.decide(Command::Register(register));
        let Reply::Registered { session } = reply else {
            panic!("not registered: {reply:?}")
        };
        world.session = session;
        world.log.clear();
        world
    }

    fn decide(&mut self, command: Command) -> Reply {
        self.log.push(format!(
            "{:>8} {}",
            self.now.elapsed.0,
            print::command(&command)
        ));
        let decision = self.core.decide(self.now, command);
        assert!(!decision.more && decision.wakes.is_empty(), "{decision:?}");
        decision
            .record
            .iter()
            .for_each(|record| self.note_moves(record));
        self.records.extend(decision.record);
        self.log
            .push(format!("         -> {}", print::reply(&decision.reply)));
        decision.reply
    }

    /// Notes where the core lets tasks wait that have to wait for units, and the places it draws.
    fn note_moves(&mut self, record: &Record) {
        let mut throttled = self
            .model
            .all(|task| matches!(task.state, State::Throttled(_)));
        for event in &record.events {
            match event {
                Event::QuotaSet { id, .. } if !self.quota_ids.contains(id) => {
                    self.quota_ids.push(*id);
                }
                Event::Moved {
                    task,
                    to: Stage::Throttled { instance },
                    ..
                } => {
                    let quota = self.quota_ids.iter().position(|id| *id == instance.quota);
                    let shops = instance.resource.iter();
                    let mut shops =
                        shops.filter_map(|name| (0..SHOPS).find(|&s| shop_name(s) == *name));
                    let instance = (quota.expect("it was set"), shops.next());
                    let task = self.index(*task);
                    // The first time it leaves its lines when it is its turn.
                    match throttled.contains(&task) {
                        true => self.moves.push((task, Some(instance))),
                        false => throttled.push(task),
                    }
                }
                Event::SetAside { task, .. } => {
                    let task = self.index(*task);
                    throttled.retain(|other| *other != task);
                    self.moves.push((task, None));
                }
                Event::Moved {
                    task,
                    to: Stage::InLine,
                    spot,
                } => {
                    self.model.places.push((*task, spot.place));
                }
                Event::Admitted(admitted) => {
                    self.model.places.push((admitted.task, admitted.spot.place));
                }
                _ => {}
            }
        }
    }

    fn index(&self, task: TaskId) -> usize {
        let known = self.model.tasks.iter().position(|known| known.id == task);
        known.expect("it was submitted")
    }

    /// Follows where tasks went that have to wait for units.
    fn follow(&mut self) -> Result<(), String> {
        let moves = std::mem::take(&mut self.moves);
        self.model.follow(&moves)
    }

    pub(super) fn run(mut self, steps: &[Step]) -> Result<(), String> {
        let went = steps
            .iter()
            .try_for_each(|step| self.act(step))
            .and_then(|()| self.drain());
        went.and_then(|()| self.replay()).map_err(|why| {
            format!(
                "{why}\nwith quotas {:?}\nof kinds {:?}\nafter\n{}",
                self.model.quotas,
                self.model.kinds,
                self.log.join("\n")
            )
        })
    }

    /// What the log says is all there is to know.
    fn replay(&mut self) -> Result<(), String> {
        // So that the log knows the time.
        let what = HoldTarget::Namespace;
        self.decide(Command::Hold {
            what: what.clone(),
            by: None,
        });
        self.decide(Command::Release { what, by: None });
        let mut again = Core::new(4);
        for record in &self.records {
            again.replay(record);
        }
        self.core
            .same_hard_state(&again)
            .map_err(|why| format!("a replay differs: {why}"))
    }

    fn act(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Submit {
                kind,
                shop,
                op,
                priority,
            } => self.submit(*kind, *shop, *op, *priority)?,
            Step::Take { max } => self.take(*max)?,
            Step::Finish { run, succeed } => self.finish(*run, *succeed)?,
            Step::Wait(steps) => self.wait(*steps)?,
            Step::Cancel { task } => self.cancel(*task)?,
            Step::SetUnits { quota, units } => {
                for limit in &mut self.model.quotas[*quota].0 {
                    *limit = match *limit {
                        Limit::Window { per_ms, .. } => Limit::Window {
                            units: *units,
                            per_ms,
                        },
                        Limit::AtOnce(_) => Limit::AtOnce(*units),
                    };
                }
                self.set_quota(*quota);
            }
            Step::Pause { quota, shop, steps } => self.pause(*quota, *shop, *steps)?,
        }
        self.follow()?;
        self.compare()
    }

    fn set_quota(&mut self, quota: usize) {
        let (limits, per_shop) = self.model.quotas[quota].clone();
        let scope = if per_shop {
            Scope::Per(name("shop"))
        } else {
            Scope::Namespace
        };
        let quota = Quota {
            name: quota_name(quota),
            scope,
            limits,
        };
        let reply = self.decide(Command::SetQuota(Box::new(quota)));
        assert_eq!(reply, Reply::Done);
    }

    fn submit(&mut self, kind: usize, shop: usize, op: Op, priority: u8) -> Result<(), String> {
        // Budgets are not in this model.
        let op = if self.model.has_budgets(kind) {
            Op::Read
        } else {
            op
        };
        let claims = vec![Claim::new(shop_name(shop), op)];
        let priority_of = Some(priority);
        let item = Submission {
            priority: priority_of,
            ..Submission::new(kind_name(kind), claims)
        };
        let submit = Submit {
            items: vec![item],
            group: false,
            dry_run: false,
        };
        let Reply::Submitted { answers, .. } = self.decide(Command::Submit(submit)) else {
            return Err("not submitted".to_owned());
        };
        let Answer::Admitted(report) = &answers[0] else {
            return Err(format!("not admitted: {answers:?}"));
        };
        let head_start = u64::from(priority) * PRIORITY_MS;
        let rank = self.now.elapsed.0.cast_signed() - head_start.cast_signed();
        let id = report.task.ok_or("no task")?;
        let task = self.model.submit(id, (kind, shop, op), rank);
        let is_free = self.model.is_free(task) && self.model.short_of(task).is_none();
        if is_free != (report.verdict == Verdict::Accepted) {
            return Err(format!("the verdict is {:?}", report.verdict));
        }
        Ok(())
    }

    fn take(&mut self, max: usize) -> Result<(), String> {
        self.take += 1;
        let (session, number) = (self.session, self.take);
        let take = Take {
            session,
            number,
            max,
            wait_ms: 0,
            finishes: Vec::new(),
        };
        let Reply::Taken(taken) = self.decide(Command::Take(take)) else {
            return Err("not taken".to_owned());
        };
        for hand_out in &taken.hand_outs {
            self.start(hand_out)?;
        }
        // Whoever takes less than it may leaves nothing that could start.
        if taken.hand_outs.len() < max
            && let Some(task) = self.model.next_start()
        {
            return Err(format!(
                "task {} should have been handed out",
                self.model.tasks[task].id
            ));
        }
        Ok(())
    }

    fn start(&mut self, hand_out: &HandOut) -> Result<(), String> {
        let expected = self.model.next_start();
        let expected = expected.ok_or(format!("{} should not be handed out", hand_out.task))?;
        let id = self.model.tasks[expected].id;
        if id != hand_out.task {
            return Err(format!(
                "task {} was handed out instead of {id}",
                hand_out.task
            ));
        }
        self.model.start(expected, hand_out.token);
        Ok(())
    }

    fn runs(&self) -> Vec<(usize, Token)> {
        let tasks = self.model.tasks.iter().enumerate();
        tasks
            .filter_map(|(task, state)| match state.state {
                State::Running(token) => Some((task, token)),
                _ => None,
            })
            .collect()
    }

    fn finish(&mut self, run: usize, succeed: bool) -> Result<(), String> {
        let runs = self.runs();
        if runs.is_empty() {
            return Ok(());
        }
        let (task, token) = runs[run % runs.len()];
        let how = match succeed {
            true => FinishHow::Succeed {
                result: Payload::default(),
            },
            false => FinishHow::Release,
        };
        let finishes = vec![Finish {
            token,
            how,
            used: Vec::new(),
        }];
        let reply = self.decide(Command::Finish {
            session: self.session,
            finishes,
        });
        self.model.end(task, !succeed);
        match reply {
            Reply::Finished(finished) if finished[0].is_ok() => Ok(()),
            reply => Err(format!("not finished: {reply:?}")),
        }
    }

    /// Goes on by steps of time; within each the core's timers fire one after another.
    fn wait(&mut self, steps: u64) -> Result<(), String> {
        for _ in 0..steps {
            let half = self.now.plus(STEP_MS / 2);
            let end = self.now.plus(STEP_MS);
            // Pauses end half-way, windows later.
            self.tick_until(half)?;
            self.model.now = half.elapsed.0;
            self.follow()?;
            self.tick_until(end)?;
            self.now = end;
            self.model.now = end.elapsed.0;
            let runs = self.runs().into_iter().map(|(_, token)| BeatRun {
                token,
                progress: None,
                used: Vec::new(),
                dropped: Vec::new(),
            });
            let beat = Beat {
                session: self.session,
                runs: runs.collect(),
            };
            self.decide(Command::Beat(beat));
            self.follow()?;
            self.compare()?;
        }
        Ok(())
    }

    /// Fires the core's timers up to a time.
    fn tick_until(&mut self, end: Now) -> Result<(), String> {
        let is_due = |at: &Elapsed| *at <= end.elapsed;
        while let Some(at) = self.core.next_timer().elapsed.filter(is_due) {
            if at <= self.now.elapsed {
                return Err("a timer is always due".to_owned());
            }
            self.now = self.now.plus(at.since(self.now.elapsed));
            self.decide(Command::Tick);
        }
        Ok(())
    }

    fn cancel(&mut self, task: usize) -> Result<(), String> {
        let waiting = self
            .model
            .all(|task| matches!(task.state, State::InLine | State::Throttled(_)));
        if waiting.is_empty() {
            return Ok(());
        }
        let task = waiting[task % waiting.len()];
        let id = self.model.tasks[task].id;
        let reply = self.decide(Command::Cancel {
            task: id,
            all: false,
            by: None,
        });
        self.model.end(task, false);
        (reply == Reply::Cancelling { running: false })
            .then_some(())
            .ok_or("not cancelled".to_owned())
    }

    fn pause(&mut self, quota: usize, shop: usize, steps: u64) -> Result<(), String> {
        let instance = self.model.instance(quota, shop);
        // Ends between two steps of time.
        let for_ms = (steps * STEP_MS).saturating_sub(STEP_MS / 2);
        let (quota, resource) = (quota_name(quota), instance.1.map(shop_name));
        let reply = self.decide(Command::PauseQuota {
            quota,
            resource,
            for_ms,
        });
        self.model.pause(instance, for_ms);
        (reply == Reply::Done)
            .then_some(())
            .ok_or(format!("not paused: {reply:?}"))
    }

    fn compare(&self) -> Result<(), String> {
        self.core.check()?;
        for index in 0..self.model.tasks.len() {
            let id = self.model.tasks[index].id;
            self.compare_task(index)
                .map_err(|why| format!("task {id}: {why}"))?;
        }
        for quota in 0..self.model.quotas.len() {
            for shop in 0..SHOPS {
                self.compare_queue(self.model.instance(quota, shop))?;
            }
        }
        Ok(())
    }

    fn compare_task(&self, index: usize) -> Result<(), String> {
        let task = &self.model.tasks[index];
        let (view, state) = match (self.core.task(task.id), &task.state) {
            (Found::Live(view), state) if *state != State::Ended => (view, state),
            (Found::Ended(_) | Found::Unknown, State::Ended) => return Ok(()),
            (found, state) => return Err(format!("the core has {found:?}, the model {state:?}")),
        };
        let is_throttled = view.reasons.iter().find_map(|reason| match reason {
            Reason::Throttled {
                quota, resource, ..
            } => Some((quota, resource)),
            _ => None,
        });
        // In line it may turn out to be short only when it is its turn.
        let short_of = match state {
            State::Throttled(instance) => self.model.short_of(index).or(Some(*instance)),
            State::InLine if self.model.is_free(index) => self.model.short_of(index),
            _ => None,
        };
        let expected = short_of.map(|(quota, shop)| (quota_name(quota), shop.map(shop_name)));
        let is_right = match (&view.state, state) {
            (TaskState::Running { token: got, .. }, State::Running(token)) => got == token,
            (TaskState::Waiting, State::InLine | State::Throttled(_)) => {
                is_throttled == expected.as_ref().map(|(quota, shop)| (quota, shop))
            }
            _ => false,
        };
        is_right.then_some(()).ok_or(format!(
            "the core has {:?} {:?}, the model {state:?} short of {short_of:?}",
            view.state, view.reasons
        ))
    }

    fn compare_queue(&self, instance: Instance) -> Result<(), String> {
        let (quota, shop) = instance;
        let waiting = self.model.queue(instance).len() as u64;
        let view = self
            .core
            .quota(&quota_name(quota), shop.map(shop_name).as_ref());
        let got = view.as_ref().map_or(0, |view| view.waiting);
        (got == waiting).then_some(()).ok_or(format!(
            "{got} wait for quota {instance:?} instead of {waiting}"
        ))
    }

    /// Nobody is paused any more, and everything that can start succeeds.
    fn drain(&mut self) -> Result<(), String> {
        for quota in 0..self.model.quotas.len() {
            for shop in 0..SHOPS {
                if self.model.is_paused(self.model.instance(quota, shop)) {
                    let steps = 0;
                    self.act(&Step::Pause { quota, shop, steps })?;
                }
            }
        }
        for _ in 0..DRAIN_ROUNDS {
            if self.model.all(|task| task.state != State::Ended).is_empty() {
                return Ok(());
            }
            self.act(&Step::Take { max: 50 })?;
            while !self.runs().is_empty() {
                self.act(&Step::Finish {
                    run: 0,
                    succeed: true,
                })?;
            }
            self.act(&Step::Wait(1))?;
        }
        Err("it does not come to an end".to_owned())
    }
}

fn name(text: &str) -> Name {
    Name::new(text).expect("a good name")
}

fn quota_name(quota: usize) -> Name {
    name(&format!("q{quota}"))
}

fn kind_name(kind: usize) -> Name {
    name(&format!("k{kind}"))
}

fn shop_name(shop: usize) -> ResourceName {
    ResourceName::new(&format!("shop:{shop}")).expect("a good name")
}
