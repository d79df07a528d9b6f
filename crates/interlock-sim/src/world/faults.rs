//! Lets faults strike.

use super::{Next, World};
use crate::actor::Alarm;
use crate::faults::{self, Fault};
use crate::worker::Mode;

impl World {
    pub(super) fn next_fault(&mut self) {
        if self.calm_until.is_some() {
            return;
        }
        let fault = self.with_ctx(|ctx, _, _| faults::draw(ctx));
        if let Some(fault) = fault {
            self.trace
                .line(|| format!("{} fault {fault:?}", self.clock.time));
            self.strike(fault);
        }
        let wait = self.rng.wait(1_200);
        self.queue.plan(self.clock.time + wait, Next::Fault);
    }

    fn strike(&mut self, fault: Fault) {
        match fault {
            Fault::CrashServer(crash) => self.doom = Some(crash),
            Fault::PauseServer { for_ms } => {
                let until = self.clock.time + for_ms;
                self.server.paused_until = self.server.paused_until.max(until);
                self.wakes_up();
            }
            Fault::Sleep { for_ms } => {
                self.clock.time += for_ms;
                self.wakes_up();
            }
            Fault::JumpWall { by_ms } => {
                self.clock.jump_wall(by_ms);
                self.plan_tick();
            }
            Fault::CrashWorker { down_ms } => {
                if let Some(index) = self.victim() {
                    self.with_process(index, |process, ctx| process.die(ctx, down_ms));
                }
            }
            Fault::PauseWorker { for_ms, replace } => self.pause_worker(for_ms, replace),
        }
    }

    /// A process that is at work, rather one that has something to lose.
    fn victim(&mut self) -> Option<usize> {
        let up: Vec<usize> = self
            .processes
            .iter()
            .filter(|process| process.mode == Mode::Up && process.paused_until == 0)
            .map(|process| process.index)
            .collect();
        let busy: Vec<usize> = up
            .iter()
            .copied()
            .filter(|index| self.processes[*index].is_busy())
            .collect();
        let pool = if busy.is_empty() || self.rng.percent(20) {
            up
        } else {
            busy
        };
        (!pool.is_empty()).then(|| *self.rng.pick(&pool))
    }

    fn pause_worker(&mut self, for_ms: u64, replace: bool) {
        let Some(index) = self.victim() else {
            return;
        };
        self.with_process(index, |process, ctx| process.pause(ctx, for_ms));
        let until = self.processes[index].paused_until;
        self.queue.plan(until, Next::Resume { index });
        if replace && !self.processes[index].is_replaced() {
            let mut new = self.processes[index].replace();
            new.index = self.processes.len();
            let (index, life, alarm) = (new.index, new.life, Alarm::Start);
            let start = self.clock.time + self.rng.range(10, 2_000);
            self.processes.push(new);
            self.queue.plan(start, Next::Wake { index, life, alarm });
        }
    }
}
