//! The liveness phase: faults stop, holds are released, pauses end, every kind has a worker, nobody
//! submits any more. Then everything must come to an end within a bounded time.

use super::{Next, World};
use crate::actor::Alarm;
use crate::scenery::{WorkerPlan, name};
use crate::worker::Mode;
use crate::workload::operator;
use interlock_core::Command;
use interlock_core::event::Stage;
use interlock_core::words::Name;

/// How long the liveness phase may take beyond the last timer that tasks wait for.
const DRAIN_WITHIN_MS: u64 = 30 * 60_000;
/// Between two looks at what still stands in the way.
const TIDY_EVERY_MS: u64 = 3_000;

impl World {
    pub(super) fn keep_calm(&mut self) {
        match self.calm_until {
            None => self.become_calm(),
            Some(until) if self.clock.time > until => self.report_stuck(),
            Some(_) if self.is_drained() => {
                self.last_look();
                self.done = true;
                return;
            }
            Some(_) => self.tidy(),
        }
        self.queue.plan(self.clock.time + TIDY_EVERY_MS, Next::Calm);
    }

    fn become_calm(&mut self) {
        self.trace.line(|| format!("{} calm", self.clock.time));
        self.doom = None;
        self.server.paused_until = 0;
        self.calm_nodes();
        self.wakes_up();
        self.serve_at = None;
        self.clock.catch_up_wall(self.oracle.ledger.now.wall);
        let longest = self.longest_wait();
        self.calm_until = Some(self.clock.time + longest + DRAIN_WITHIN_MS);
        self.plan_serve(self.clock.time);
        for index in 0..self.processes.len() {
            if self.processes[index].paused_until > 0 {
                self.processes[index].paused_until = 0;
                self.queue.plan(self.clock.time, Next::Resume { index });
            }
            self.with_process(index, |process, ctx| process.calm(ctx));
        }
        let plan = WorkerPlan {
            name: name("everything"),
            kinds: self
                .scenery
                .kinds
                .iter()
                .map(|kind| kind.name.clone())
                .collect(),
            capacity: 4,
        };
        // Wakes up after removed kinds are back.
        self.add_process(plan, self.clock.time + TIDY_EVERY_MS / 2);
        self.tidy();
    }

    fn longest_wait(&self) -> u64 {
        let wall = self.oracle.ledger.now.wall;
        let waits = self
            .oracle
            .ledger
            .tasks
            .values()
            .map(|task| match task.stage {
                Stage::Scheduled { until } | Stage::Retrying { until } => until.since(wall),
                _ => 0,
            });
        waits.max().unwrap_or(0)
    }

    /// Takes away whatever still keeps tasks from running.
    fn tidy(&mut self) {
        let ledger = &self.oracle.ledger;
        let mut commands: Vec<Command> = operator::held(ledger)
            .map(|what| Command::Release { what, by: None })
            .collect();
        for kind in &self.scenery.kinds {
            if ledger.kind_named(&kind.name).is_none() {
                commands.push(Command::SetKind(Box::new(kind.clone())));
            }
        }
        for (instance, until) in &ledger.pauses {
            if let Some(quota) = ledger
                .quotas
                .get(&instance.quota)
                .filter(|_| *until > ledger.now.elapsed)
            {
                commands.push(Command::PauseQuota {
                    quota: quota.name.clone(),
                    resource: instance.resource.clone(),
                    for_ms: 0,
                });
            }
        }
        let schedules: Vec<Name> = ledger.schedules.keys().cloned().collect();
        commands.extend(schedules.into_iter().map(Command::RemoveSchedule));
        for command in commands {
            self.command(command);
        }
        self.start_everybody();
    }

    fn start_everybody(&mut self) {
        for process in &self.processes {
            if process.mode == Mode::Down {
                let (index, life, alarm) = (process.index, process.life, Alarm::Start);
                self.queue
                    .plan(self.clock.time, Next::Wake { index, life, alarm });
            }
        }
    }

    fn is_drained(&self) -> bool {
        self.oracle.ledger.tasks.is_empty()
            && self.oracle.ledger.is_settled()
            && self.server.inbox.is_empty()
            && self.core().is_some()
    }

    fn last_look(&mut self) {
        let draw = self.rng.bits();
        let recovered = self.server.recover();
        if let Some(core) = &self.server.core {
            self.oracle.scan(core, draw);
            self.oracle.recovered(&recovered, Some(core));
        }
    }

    fn report_stuck(&mut self) {
        let ledger = &self.oracle.ledger;
        let mut text = format!("{} tasks are left:", ledger.tasks.len());
        for task in ledger.tasks.values().take(8) {
            text += &format!(" {} {:?};", task.id, task.stage);
        }
        self.oracle.report("drain", text);
    }
}
