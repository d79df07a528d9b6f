//! How a world begins: kinds and quotas are set, workers start, everybody gets going.

use super::clock::Clock;
use super::network::Network;
use super::queue::Queue;
use super::server::Server;
use super::{Next, World};
use crate::actor::{Address, Alarm, Request};
use crate::feature::{Feature, Features};
use crate::options::Options;
use crate::oracle::Oracle;
use crate::rng::Rng;
use crate::scenery::{Scenery, WorkerPlan};
use crate::seeded::Seeded;
use crate::trace::Trace;
use crate::worker::Process;
use crate::workload::schedules;
use interlock_core::Command;

impl World {
    pub(super) fn new(options: Options) -> Self {
        let mut rng = Rng::new(options.seed);
        let features = Features::draw(&mut rng).and_nodes(options.seed);
        let features = features.without(options.without);
        let scenery = Scenery::draw(&mut rng, features);
        Self {
            features,
            scenery,
            rng,
            clock: Clock::default(),
            queue: Queue::default(),
            network: Network::default(),
            server: Server::new(options.bug.and_then(Seeded::of_core)),
            nodes: None,
            processes: Vec::new(),
            submitter: crate::workload::submitter::Submitter::default(),
            oracle: Oracle::default(),
            trace: Trace::new(options.trace),
            requests: 0,
            commands: 0,
            planned: 0,
            serve_at: None,
            awake_since: 0,
            doom: None,
            before: None,
            calm_until: None,
            done: false,
            options,
        }
    }

    pub(super) fn set_up(&mut self) {
        self.recover();
        self.set_up_nodes();
        for command in self.first_commands() {
            self.command(command);
        }
        for plan in self.scenery.workers.clone() {
            let start = self.clock.time + self.rng.range(1, 1_000);
            self.add_process(plan, start);
        }
        let time = self.clock.time;
        self.queue.plan(time + 50, Next::Submit);
        self.queue.plan(time + 500, Next::Operate);
        self.queue.plan(time + 1_000, Next::Fault);
    }

    fn first_commands(&mut self) -> Vec<Command> {
        let mut commands = vec![Command::SetNamespace(self.scenery.namespace)];
        let quotas = self.scenery.quotas.iter().cloned();
        commands.extend(quotas.map(|quota| Command::SetQuota(Box::new(quota))));
        let kinds = self.scenery.kinds.iter().cloned();
        commands.extend(kinds.map(|kind| Command::SetKind(Box::new(kind))));
        if self.features.has(Feature::Schedules) {
            let wall = self.clock.now().wall;
            for _ in 0..self.rng.range(1, 3) {
                let schedule = self.with_ctx(|ctx, _, _| schedules::draw(ctx, wall));
                commands.push(Command::SetSchedule(Box::new(schedule)));
            }
        }
        commands
    }

    /// Puts a command before the server, with no network between.
    pub(super) fn command(&mut self, command: Command) {
        self.requests += 1;
        self.server.inbox.push_back(Request {
            id: self.requests,
            from: Address::Operator,
            command,
        });
        self.plan_serve(self.clock.time);
    }

    pub(super) fn add_process(&mut self, plan: WorkerPlan, start: u64) -> usize {
        let index = self.processes.len();
        self.processes.push(Process::new(index, plan));
        let alarm = Alarm::Start;
        let life = 0;
        self.queue.plan(start, Next::Wake { index, life, alarm });
        index
    }
}
