//! A world: the core and the model side by side, through the same steps. After each decision the
//! answers, the hand-outs and everything that can be seen of the state must be the same.
//!
//! Time passes from timer to timer, as a caller that obeys `next_timer` lets it pass.

mod act;
mod compare;
mod hand_out;
mod spots;
mod submit;
mod work;

use crate::print;
use crate::reference::{Index, Model, Session};
use crate::steps::{RESOURCES, Setup, Step, kind_name};
use interlock_core::command::{Beat, Finish, HoldTarget, Register};
use interlock_core::event::Spot;
use interlock_core::reply::{Decision, Finished, HandOut, Reply, Wake};
use interlock_core::words::{
    Elapsed, GroupId, KindId, Name, Namespace, Now, ResourceName, SessionId, TaskId, Token, Wall,
};
use interlock_core::{Command, Core, Event, Record};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The keeper is heard at least so often, so that every kind has a worker.
const KEEPER_MS: u64 = 2_000;
/// Ticks after which a decision must be done with all of its slices.
const SLICES_MAX: usize = 20;
/// Worlds begin here, a little before midnight on the wall clock.
const BEGIN: Now = Now {
    elapsed: Elapsed(1_000_000),
    wall: Wall(1_699_999_195_000),
};

/// The core and the model.
pub(crate) struct World {
    setup: Setup,
    core: Core,
    model: Model,
    workers: Vec<Worker>,
    /// A session that handles every kind and never takes anything.
    keeper: Option<SessionId>,
    keeper_heard: u64,
    /// Every run that ever was, with the finish that ended it and its answer.
    runs: Vec<Past>,
    groups: Vec<GroupId>,
    /// Where the core says that tasks stand, and the last place that it drew before this decision.
    spots: BTreeMap<TaskId, Spot>,
    last_place: u64,
    /// The worst rank in the lines and among the runs of each resource before this decision.
    worst_ranks: Vec<Option<i64>>,
    /// What the core calls each kind.
    kind_ids: Vec<KindId>,
    /// Which kinds the core said to have a worker now or not any more.
    staffing: Vec<(usize, bool)>,
    /// Hand-outs that are looked at when the command has been followed.
    pending: Vec<(SessionId, u64, HandOut)>,
    records: Vec<Record>,
    payloads: u64,
    log: Vec<String>,
}

/// A worker as it sees itself.
#[derive(Clone, Copy)]
struct Worker {
    session: SessionId,
    take: u64,
}

/// A run that was handed out.
struct Past {
    session: SessionId,
    token: Token,
    finished: Option<(Finish, Finished)>,
}

/// What a decision answered: to the caller, and with hand-outs to whom.
struct Decided {
    reply: Reply,
    hand_outs: Vec<(SessionId, u64, HandOut)>,
}

impl World {
    /// A world with all of its workers, each of them registered.
    pub(crate) fn new(setup: Setup, has_keeper: bool) -> Result<Self, String> {
        let model = Model::new(BEGIN, setup.step_ms, setup.kinds.clone(), RESOURCES.len());
        let mut world = Self {
            core: Core::new(1),
            model,
            workers: Vec::new(),
            keeper: None,
            keeper_heard: BEGIN.elapsed.0,
            runs: Vec::new(),
            groups: Vec::new(),
            spots: BTreeMap::new(),
            last_place: 0,
            worst_ranks: vec![None; RESOURCES.len()],
            kind_ids: Vec::new(),
            staffing: Vec::new(),
            pending: Vec::new(),
            records: Vec::new(),
            payloads: 0,
            log: vec![format!("{setup:?}")],
            setup,
        };
        let opened = world.core.open(BEGIN, 1);
        world.records.extend(opened.record);
        world.set_up(has_keeper)?;
        Ok(world)
    }

    fn set_up(&mut self, has_keeper: bool) -> Result<(), String> {
        let step_ms = self.setup.step_ms;
        let namespace = Namespace {
            step_ms,
            ..Namespace::default()
        };
        self.expect(Command::SetNamespace(namespace), &Reply::Done)?;
        for pass in 0..2 {
            // A kind that another cancels may have to be there first.
            for mut kind in self.setup.kinds.clone() {
                if pass == 0 {
                    kind.cancels.clear();
                }
                self.expect(Command::SetKind(Box::new(kind)), &Reply::Done)?;
            }
        }
        for worker in 0..self.setup.handles.len() {
            let handles = self.setup.handles[worker].clone();
            let session = self.register(&format!("w{worker}"), handles)?;
            self.workers.push(Worker { session, take: 0 });
        }
        if has_keeper {
            let handles = vec![true; self.setup.kinds.len()];
            self.keeper = Some(self.register("keeper", handles)?);
        }
        self.log
            .retain(|line| !line.contains("Set") && !line.contains("-> Done"));
        Ok(())
    }

    fn register(&mut self, name: &str, handles: Vec<bool>) -> Result<SessionId, String> {
        let decided = self.decide(register_command(name, &handles, false))?;
        let Reply::Registered { session } = decided.reply else {
            return Err(format!("{name} was not registered: {:?}", decided.reply));
        };
        self.welcome(session, handles);
        Ok(session)
    }

    fn welcome(&mut self, id: SessionId, handles: Vec<bool>) {
        self.model.sessions.push(Session {
            id,
            handles,
            is_lost: false,
            is_gone: false,
        });
        self.model.note_worker(self.model.sessions.len() - 1, true);
        self.model.settle();
    }

    /// Goes through the steps, and then lets everything come to an end.
    pub(crate) fn run(mut self, steps: &[Step]) -> Result<(), String> {
        let went = self.go_through(steps).and_then(|()| self.drain());
        let went = went.and_then(|()| self.replay());
        if self.model.is_unclear {
            return Ok(());
        }
        went.map_err(|why| format!("{why}\nafter\n{}", self.log.join("\n")))
    }

    fn go_through(&mut self, steps: &[Step]) -> Result<(), String> {
        steps.iter().try_for_each(|step| self.act(step))
    }

    /// What the log says is all there is to know.
    fn replay(&mut self) -> Result<(), String> {
        // So that the log knows the time.
        for held in [true, false] {
            let what = HoldTarget::Namespace;
            let command = match held {
                true => Command::Hold { what, by: None },
                false => Command::Release { what, by: None },
            };
            self.expect(command, &Reply::Done)?;
        }
        let mut again = Core::new(2);
        for record in &self.records {
            again.replay(record);
        }
        self.core
            .same_hard_state(&again)
            .map_err(|why| format!("a replay differs: {why}"))
    }

    /// Lets the core decide, to the end if it takes slices.
    fn decide(&mut self, command: Command) -> Result<Decided, String> {
        self.model.decision += 1;
        self.model.order.clear();
        let at = self.model.now.elapsed.0 - BEGIN.elapsed.0;
        self.log
            .push(format!("{at:>8} {}", print::command(&command)));
        let Decision {
            reply,
            mut wakes,
            mut more,
            ..
        } = self.decide_once(command)?;
        self.log
            .push(format!("         -> {}", print::reply(&reply)));
        for slice in 0.. {
            if !more {
                break;
            }
            if slice > SLICES_MAX {
                return Err("there is always more to do".to_owned());
            }
            let next = self.decide_once(Command::Tick)?;
            wakes.extend(next.wakes);
            more = next.more;
        }
        let hand_outs: Vec<_> = wakes.into_iter().flat_map(hand_outs).collect();
        for (session, _, hand_out) in &hand_outs {
            self.log
                .push(format!("         -> {} handed to {session}", hand_out.task));
        }
        Ok(Decided { reply, hand_outs })
    }

    fn decide_once(&mut self, command: Command) -> Result<Decision, String> {
        let now = self.model.now;
        let core = &mut self.core;
        let decision = catch_unwind(AssertUnwindSafe(|| core.decide(now, command)));
        let decision = decision.map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or(panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            format!("the core panics: {}", text.unwrap_or_default())
        })?;
        for event in decision.record.iter().flat_map(|record| &record.events) {
            self.note_spot(event);
            if std::env::var_os("MODEL_EVENTS").is_some() {
                self.log.push(format!("            {event:?}"));
            }
            match event {
                Event::KindSet { id, .. } if !self.kind_ids.contains(id) => self.kind_ids.push(*id),
                Event::KindStaffed { kind, staffed } => {
                    let kind = self.kind_ids.iter().position(|id| id == kind);
                    self.staffing.push((kind.expect("it was set"), *staffed));
                }
                _ => {}
            }
        }
        self.records.extend(decision.record.clone());
        Ok(decision)
    }

    fn expect(&mut self, command: Command, reply: &Reply) -> Result<(), String> {
        let decided = self.decide(command)?;
        if decided.reply != *reply {
            return Err(format!(
                "the reply is {:?} instead of {reply:?}",
                decided.reply
            ));
        }
        self.hand_out(decided.hand_outs)?;
        self.compare()
    }

    /// Lets time pass, from timer to timer.
    fn wait(&mut self, ms: u64) -> Result<(), String> {
        let mut left = ms;
        let mut hops_of_nothing = 0;
        loop {
            let keeper_left = self.keeper.map_or(u64::MAX, |_| {
                (self.keeper_heard + KEEPER_MS).saturating_sub(self.model.now.elapsed.0)
            });
            let hop = left
                .min(self.core_timer().unwrap_or(u64::MAX))
                .min(keeper_left);
            if let Some(next) = self.model.next_timer().filter(|&next| next < hop) {
                return Err(format!(
                    "the core sleeps for {hop} ms, but something is due in {next}"
                ));
            }
            hops_of_nothing = if hop == 0 && left > 0 {
                hops_of_nothing + 1
            } else {
                0
            };
            if hops_of_nothing > 10 {
                return Err("the core's timer is always due".to_owned());
            }
            self.model.advance(hop, false);
            left -= hop;
            self.tick(keeper_left == hop)?;
            if left == 0 {
                return Ok(());
            }
        }
    }

    fn tick(&mut self, keeper: bool) -> Result<(), String> {
        match self.keeper.filter(|_| keeper) {
            Some(session) => {
                self.keeper_heard = self.model.now.elapsed.0;
                let beat = Beat {
                    session,
                    runs: Vec::new(),
                };
                self.model.note_worker(self.workers.len(), true);
                self.expect(Command::Beat(beat), &Reply::Beaten(Vec::new()))
            }
            None => self.expect(Command::Tick, &Reply::Done),
        }
    }

    /// In how many ms the core wants to be woken.
    fn core_timer(&self) -> Option<u64> {
        let next = self.core.next_timer();
        let now = self.model.now;
        let elapsed = next.elapsed.map(|at| at.since(now.elapsed));
        let wall = next.wall.map(|at| at.since(now.wall));
        elapsed.into_iter().chain(wall).min()
    }

    fn id(&self, task: Index) -> TaskId {
        self.model.tasks[task].id
    }
}

fn register_command(name: &str, handles: &[bool], takeover: bool) -> Command {
    let kinds = handles.iter().enumerate().filter(|(_, handles)| **handles);
    Command::Register(Register {
        name: Name::new(name).expect("a good name"),
        kinds: kinds.map(|(kind, _)| kind_name(kind)).collect(),
        takeover,
    })
}

fn hand_outs(wake: Wake) -> impl Iterator<Item = (SessionId, u64, HandOut)> {
    let hand_outs = wake.taken.hand_outs.into_iter();
    hand_outs.map(move |hand_out| (wake.session, wake.number, hand_out))
}

fn resource_name(resource: usize) -> ResourceName {
    ResourceName::new(RESOURCES[resource]).expect("a good name")
}
