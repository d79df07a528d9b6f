//! One step after the other, and the end of all things.

use super::World;
use super::work::expect;
use crate::reference::Index;
use crate::steps::{How, RESOURCES, Step, Target, kind_name};
use interlock_core::Refusal;
use interlock_core::command::{Command, HoldTarget};
use interlock_core::reply::Reply;

/// Rounds after which everything must have come to an end.
const DRAIN_ROUNDS: usize = 400;

impl World {
    /// One step, with both sides compared after it.
    pub(super) fn act(&mut self, step: &Step) -> Result<(), String> {
        if self.model.is_unclear {
            return Err("the story is over".to_owned());
        }
        match step {
            Step::Submit(asks) => self.submit(asks)?,
            Step::DryRun(ask) => self.dry_run(ask)?,
            Step::Group(asks) => self.submit_group(asks)?,
            Step::CancelGroup(group) => self.cancel_group(*group)?,
            Step::Wait(ms) => self.wait(*ms)?,
            Step::JumpWall(ms) => {
                // Not over timers of several times: what one of them cancels by a sweep may still be
                // seen by the next. The simulator and the tables of `time_order` have such jumps.
                let ms = self.model.jump(*ms);
                self.log
                    .push(format!("         the wall clock jumps by {ms}"));
                self.model.advance(ms, true);
                self.expect(Command::Tick, &Reply::Done)?;
            }
            Step::Register { worker, takeover } => self.register_again(*worker, *takeover)?,
            Step::Take {
                worker,
                max,
                wait_ms,
                finish,
            } => {
                self.take(*worker, *max, *wait_ms, *finish)?;
            }
            Step::RepeatTake { worker } => self.repeat_take(*worker)?,
            Step::ReturnTake { worker } => self.return_take(*worker)?,
            Step::Beat { worker, but } => self.beat(*worker, *but)?,
            Step::Finish { run, how } => self.finish(*run, *how)?,
            Step::FinishAgain { run } => self.finish_again(*run)?,
            Step::Goodbye { worker } => self.goodbye(*worker)?,
            Step::Cancel { task, all } => self.cancel(*task, *all)?,
            Step::Bump { task, priority } => self.bump(*task, *priority)?,
            Step::Hold(target) => self.hold(*target, true)?,
            Step::Release(target) => self.hold(*target, false)?,
        }
        let pending = std::mem::take(&mut self.pending);
        self.hand_out(pending)?;
        self.compare()
    }

    fn pick(&self, task: usize) -> Option<Index> {
        let tasks = self.model.tasks.len();
        (tasks > 0).then(|| task % tasks)
    }

    /// Why an operator can do nothing to a task that has ended.
    fn is_over(&self, task: Index, reply: &Reply) -> Option<Result<(), String>> {
        let crate::reference::State::Ended(outcome, at) = self.model.tasks[task].state else {
            return None;
        };
        let is_long_ago = self.model.now.wall.0 >= at + interlock_core::limits::OUTCOME_MS;
        Some(match reply {
            Reply::Refused(Refusal::UnknownTask(_)) if is_long_ago => Ok(()),
            Reply::Refused(Refusal::Ended { outcome: got, .. }) if *got == outcome => Ok(()),
            reply => Err(format!(
                "the task ended {outcome:?}, and the reply is {reply:?}"
            )),
        })
    }

    fn cancel(&mut self, task: usize, all: bool) -> Result<(), String> {
        let Some(index) = self.pick(task) else {
            return Ok(());
        };
        let task = self.id(index);
        let decided = self.decide(Command::Cancel {
            task,
            all,
            by: None,
        })?;
        let lead = self.model.lead(index);
        if let Some(over) = self.is_over(lead, &decided.reply) {
            return over;
        }
        let (count, running) = {
            let task = &self.model.tasks[lead];
            (task.stands_for(), task.run().is_some())
        };
        if count > 1 && !all {
            let Reply::Refused(Refusal::StandsForSeveral { count: got, .. }) = decided.reply else {
                return Err(format!(
                    "it stands for {count}, and the reply is {:?}",
                    decided.reply
                ));
            };
            return (got == count)
                .then_some(())
                .ok_or(format!("it stands for {count}"));
        }
        self.model.cancel(lead);
        expect(&decided.reply, &Reply::Cancelling { running })?;
        self.hand_out(decided.hand_outs)
    }

    fn cancel_group(&mut self, group: usize) -> Result<(), String> {
        if self.groups.is_empty() {
            return Ok(());
        }
        let group = group % self.groups.len();
        let command = Command::CancelGroup {
            group: self.groups[group],
            by: None,
        };
        let decided = self.decide(command)?;
        let is_live = !self
            .model
            .all(|t| t.group == Some(group) && t.is_live())
            .is_empty();
        if !is_live {
            return match decided.reply {
                Reply::Refused(Refusal::UnknownGroup(_)) => Ok(()),
                reply => Err(format!("the group has ended, and the reply is {reply:?}")),
            };
        }
        self.model.cancel_group(group);
        expect(&decided.reply, &Reply::Done)?;
        self.hand_out(decided.hand_outs)
    }

    fn bump(&mut self, task: usize, priority: u8) -> Result<(), String> {
        let Some(index) = self.pick(task) else {
            return Ok(());
        };
        let command = Command::Bump {
            task: self.id(index),
            priority,
            by: None,
        };
        let decided = self.decide(command)?;
        let lead = self.model.lead(index);
        if let Some(over) = self.is_over(lead, &decided.reply) {
            return over;
        }
        let task = &self.model.tasks[lead];
        let is_higher = priority > task.priority;
        match (&decided.reply, task.run().is_some(), is_higher) {
            (Reply::Refused(Refusal::Running(_)), true, _) => return Ok(()),
            (Reply::Refused(Refusal::BadValue { .. }), _, false) => return Ok(()),
            (Reply::Done, false, true) => self.model.bump(lead, priority),
            (reply, ..) => return Err(format!("the reply to a bump is {reply:?}")),
        }
        self.hand_out(decided.hand_outs)
    }

    fn hold(&mut self, target: Target, held: bool) -> Result<(), String> {
        let what = match target {
            Target::Task(task) => match self.pick(task) {
                Some(index) => HoldTarget::Task(self.id(index)),
                None => return Ok(()),
            },
            Target::Resource(resource) => HoldTarget::Resource(super::resource_name(resource)),
            Target::Kind(kind) => HoldTarget::Kind(kind_name(kind)),
            Target::Namespace => HoldTarget::Namespace,
        };
        let command = match held {
            true => Command::Hold { what, by: None },
            false => Command::Release { what, by: None },
        };
        let decided = self.decide(command)?;
        match target {
            Target::Task(task) => {
                let lead = self.model.lead(self.pick(task).expect("it was picked"));
                if let Some(over) = self.is_over(lead, &decided.reply) {
                    return over;
                }
                self.model.tasks[lead].held = held;
            }
            Target::Resource(resource) => self.model.held_resources[resource] = held,
            Target::Kind(kind) => self.model.held_kinds[kind] = held,
            Target::Namespace => self.model.held_all = held,
        }
        self.model.settle();
        expect(&decided.reply, &Reply::Done)?;
        self.hand_out(decided.hand_outs)
    }

    /// Nothing is held any more, the workers take and succeed: everything comes to an end.
    pub(super) fn drain(&mut self) -> Result<(), String> {
        self.log
            .push("         everything is released and drained".to_owned());
        if self.model.held_all {
            self.act(&Step::Release(Target::Namespace))?;
        }
        for resource in (0..RESOURCES.len())
            .filter(|&r| self.model.held_resources[r])
            .collect::<Vec<_>>()
        {
            self.act(&Step::Release(Target::Resource(resource)))?;
        }
        for kind in (0..self.setup.kinds.len())
            .filter(|&k| self.model.held_kinds[k])
            .collect::<Vec<_>>()
        {
            self.act(&Step::Release(Target::Kind(kind)))?;
        }
        for task in self.model.all(|task| task.held && task.is_live()) {
            if self.model.tasks[task].is_live() {
                self.act(&Step::Release(Target::Task(task)))?;
            }
        }
        self.setup.handles[0] = vec![true; self.setup.kinds.len()];
        self.act(&Step::Register {
            worker: 0,
            takeover: true,
        })?;
        for _ in 0..DRAIN_ROUNDS {
            if self.model.all(|task| task.is_live()).is_empty() {
                return Ok(());
            }
            self.act(&Step::Take {
                worker: 0,
                max: 100,
                wait_ms: 0,
                finish: None,
            })?;
            let running = self.model.all(|task| task.run().is_some()).len();
            for _ in 0..running {
                self.act(&Step::Finish {
                    run: 0,
                    how: How::Succeed,
                })?;
            }
            if running == 0 {
                self.act(&Step::Wait(3_000))?;
            }
        }
        Err("it does not come to an end".to_owned())
    }
}
