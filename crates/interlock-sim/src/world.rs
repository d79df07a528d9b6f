//! A world: everything that happens, one thing after another, in virtual time and in one thread.

mod calm;
mod clock;
mod faults;
mod log;
mod network;
mod nodes;
mod queue;
mod rows;
mod serve;
mod server;
mod setup;

use crate::actor::{Address, Alarm, Ctx, Effect, Request};
use crate::faults::Crash;
use crate::feature::Features;
use crate::options::Options;
use crate::oracle::{Oracle, Violation};
use crate::panics;
use crate::rng::Rng;
use crate::scenery::Scenery;
use crate::situation::Situations;
use crate::trace::Trace;
use crate::worker::Process;
use crate::workload::submitter::Submitter;
use clock::Clock;
use interlock_core::{Core, Reply};
use network::Network;
use nodes::{NodeEvent, Nodes};
use queue::Queue;
use server::Server;

/// What is going to happen.
enum Next {
    Arrive(Box<Request>),
    Deliver {
        id: u64,
        reply: Box<Reply>,
    },
    Broken {
        id: u64,
        to: Address,
    },
    Wake {
        index: usize,
        life: u64,
        alarm: Alarm,
    },
    Resume {
        index: usize,
    },
    Submit,
    Operate,
    Fault,
    Serve,
    Recover,
    Calm,
    Node(NodeEvent),
}

/// What became of a world.
#[derive(Debug)]
pub struct Outcome {
    /// The first thing that was wrong.
    pub violation: Option<Violation>,
    /// Commands decided.
    pub commands: u64,
    /// A hash of all that happened.
    pub hash: u64,
    /// What was reached.
    pub situations: Situations,
}

/// A world.
pub struct World {
    options: Options,
    features: Features,
    rng: Rng,
    scenery: Scenery,
    clock: Clock,
    queue: Queue<Next>,
    network: Network,
    server: Server,
    /// If there are several.
    nodes: Option<Nodes>,
    processes: Vec<Process>,
    submitter: Submitter,
    oracle: Oracle,
    trace: Trace,
    requests: u64,
    commands: u64,
    /// The time for which what happens now was planned; earlier than now after a long sleep.
    planned: u64,
    serve_at: Option<u64>,
    /// Since when the server has been awake.
    awake_since: u64,
    doom: Option<Crash>,
    /// The core as it was at a commit point when the server died, to compare with what recovers.
    before: Option<Core>,
    /// When everything must have come to an end, once the liveness phase has begun.
    calm_until: Option<u64>,
    done: bool,
}

impl World {
    /// Runs a world to its end.
    pub fn run(options: &Options) -> Outcome {
        let mut world = Self::new(options.clone());
        if let Err(message) = panics::caught(|| world.live()) {
            world.oracle.report(panics::PANIC, message);
        }
        Outcome {
            violation: world.oracle.findings.first().cloned(),
            commands: world.commands,
            hash: world.trace.hash(),
            situations: world.oracle.situations,
        }
    }

    fn live(&mut self) {
        self.set_up();
        while !self.done && self.oracle.findings.first().is_none() {
            let Some((time, next)) = self.queue.pop() else {
                return self
                    .oracle
                    .report("drain", "nothing is left to happen".to_owned());
            };
            self.planned = time;
            self.clock.time = self.clock.time.max(time);
            self.happen(next);
            self.look();
        }
    }

    fn happen(&mut self, next: Next) {
        match next {
            Next::Arrive(request) => self.arrive(*request),
            Next::Deliver { id, reply } => self.deliver(id, reply),
            Next::Broken { id, to } => self.broken(id, to),
            Next::Wake { index, life, alarm } => self.wake(index, life, alarm),
            Next::Resume { index } => {
                self.with_process(index, |process, ctx| process.resume(ctx));
            }
            Next::Submit => self.submit(),
            Next::Operate => self.operate(),
            Next::Fault => self.next_fault(),
            Next::Serve => self.serve(),
            Next::Recover => self.recover(),
            Next::Calm => self.keep_calm(),
            Next::Node(event) => self.happen_to_nodes(event),
        }
    }

    /// What an observer of the real time would notice.
    fn look(&mut self) {
        let stands_still = self.server.paused_until > self.clock.time;
        if self.server.core.is_none() || stands_still || !self.may_answer() {
            return;
        }
        let now = self.clock.now().elapsed;
        if let Some((deadline, token)) = self.oracle.ledger.deadlines.first() {
            let awake = self.clock.time.saturating_sub(self.awake_since);
            if now.since(*deadline).min(awake) > 1_000 {
                let text = format!("run {token} is live at {now:?}, its lease ended {deadline:?}");
                self.oracle.report("stall", text);
            }
        }
    }

    /// The server is at work from now on, or from the end of its pause if it stands still: it may
    /// have come back in the middle of one.
    fn wakes_up(&mut self) {
        self.awake_since = self.clock.time.max(self.server.paused_until);
    }

    fn wake(&mut self, index: usize, life: u64, alarm: Alarm) {
        let process = &self.processes[index];
        if process.life != life {
            return;
        }
        if process.paused_until > self.clock.time {
            let later = process.paused_until;
            return self.queue.plan(later, Next::Wake { index, life, alarm });
        }
        self.with_process(index, |process, ctx| process.on_alarm(ctx, alarm));
    }

    /// Lets a process act, and does what it wants.
    fn with_process(&mut self, index: usize, act: impl FnOnce(&mut Process, &mut Ctx<'_>)) {
        let life = self.processes[index].life;
        let mut out = Vec::new();
        let mut ctx = Ctx {
            time: self.clock.time,
            rng: &mut self.rng,
            features: self.features,
            calm: self.calm_until.is_some(),
            scenery: &self.scenery,
            requests: &mut self.requests,
            out: &mut out,
        };
        act(&mut self.processes[index], &mut ctx);
        if self.processes[index].life != life {
            self.network.close_all(index, life);
        }
        self.carry_out(out);
    }

    /// Lets somebody else act, and does what they want.
    fn with_ctx<T>(&mut self, act: impl FnOnce(&mut Ctx<'_>, &mut Submitter, &Oracle) -> T) -> T {
        let mut out = Vec::new();
        let mut ctx = Ctx {
            time: self.clock.time,
            rng: &mut self.rng,
            features: self.features,
            calm: self.calm_until.is_some(),
            scenery: &self.scenery,
            requests: &mut self.requests,
            out: &mut out,
        };
        let result = act(&mut ctx, &mut self.submitter, &self.oracle);
        self.carry_out(out);
        result
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(request) => self.send(request),
                Effect::HangUp(id) => self.network.close(id),
                Effect::Wake {
                    at,
                    index,
                    life,
                    alarm,
                } => self
                    .queue
                    .plan(at.max(self.clock.time), Next::Wake { index, life, alarm }),
                Effect::Deed(deed) => {
                    let time = self.clock.time;
                    self.trace.number(time);
                    self.trace.line(|| format!("{time} deed {deed:?}"));
                    self.oracle.deed(time, &deed);
                }
            }
        }
    }

    fn submit(&mut self) {
        if self.calm_until.is_some() {
            return;
        }
        self.with_ctx(|ctx, submitter, oracle| submitter.submit(ctx, &oracle.ledger));
        let wait = self.rng.wait(self.scenery.submit_every_ms);
        self.queue.plan(self.clock.time + wait, Next::Submit);
    }

    fn operate(&mut self) {
        if self.calm_until.is_some() {
            return;
        }
        self.with_ctx(|ctx, _, oracle| {
            crate::workload::operator::operate(ctx, &oracle.ledger);
        });
        let wait = self.rng.wait(500);
        self.queue.plan(self.clock.time + wait, Next::Operate);
    }
}
