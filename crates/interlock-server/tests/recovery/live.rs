//! A core that is driven as a cell drives it, over a store, in virtual time.

use crate::scenario::{Random, Script};
use interlock_core::row::EndedTask;
use interlock_core::{Command, Core, Decision};
use interlock_server::cell::{encode_record, history_row, load, row_change};
use interlock_store::{Append, Checkpoint, NamespaceId, Store};

/// What happened in all runs, so that runs in which nothing did don't pass for good ones.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) commits: u32,
    pub(crate) records: u32,
    pub(crate) checkpoints: u32,
    pub(crate) restarts: u32,
    pub(crate) ended: usize,
}

pub(crate) struct Live<'a> {
    store: Box<dyn Store>,
    tally: &'a mut Tally,
    seed: u64,
    /// Opens the store again after a restart.
    reopen: &'a mut dyn FnMut(Box<dyn Store>) -> Box<dyn Store>,
    namespace: NamespaceId,
    core: Core,
    script: Script,
    random: Random,
    /// What was decided and is not committed: the events, and where they begin.
    bytes: Vec<u8>,
    first: u64,
    /// Tasks that ended since the last checkpoint.
    ended: Vec<EndedTask>,
    /// The checkpoint that is being made, and the tasks that it puts into the history.
    begun: Option<(Checkpoint, Vec<EndedTask>)>,
    /// How far back the log is kept.
    kept_from: u64,
}

impl<'a> Live<'a> {
    /// An empty namespace, opened, with the kinds and quotas of the small world.
    pub(crate) fn begin(
        seed: u64,
        mut store: Box<dyn Store>,
        reopen: &'a mut dyn FnMut(Box<dyn Store>) -> Box<dyn Store>,
        tally: &'a mut Tally,
    ) -> Self {
        let namespace = store.create_namespace("default", 0).expect("it is new").id;
        let core = load(&mut *store, namespace, seed).expect("an empty one can be loaded");
        let mut live = Self {
            store,
            tally,
            seed,
            reopen,
            namespace,
            first: core.position(),
            core,
            script: Script::new(seed),
            random: Random(seed ^ 0x5eed),
            bytes: Vec::new(),
            ended: Vec::new(),
            begun: None,
            kept_from: 0,
        };
        live.open();
        for command in Script::givens() {
            live.decide(command);
        }
        live
    }

    /// Some commands, a commit now and then, and at each commit the comparison.
    pub(crate) fn go_on(&mut self, commands: u32) {
        for _ in 0..commands {
            self.script.pass_time();
            let command = self.script.command();
            self.decide(command);
            if self.random.once_in(2) {
                self.commit();
                self.compare();
            }
            if self.begun.is_none() && self.random.once_in(10) {
                self.commit();
                self.begin_checkpoint();
            }
            if self.checkpoint_some() {
                self.commit();
                self.compare();
            }
            if self.random.once_in(40) {
                self.restart();
            }
        }
        self.commit();
        self.compare();
    }

    fn open(&mut self) {
        let generation = self.store.generation();
        let decision = self.core.open(self.script.now(), generation);
        self.go_through(decision);
    }

    fn decide(&mut self, command: Command) {
        let decision = self.core.decide(self.script.now(), command);
        self.go_through(decision);
    }

    /// A decision, and those that finish what it began.
    fn go_through(&mut self, mut decision: Decision) {
        self.take_in(&decision);
        for _ in 0..1_000 {
            if !decision.more {
                return;
            }
            decision = self.core.decide(self.script.now(), Command::Tick);
            self.take_in(&decision);
        }
        panic!("there is more for ever");
    }

    fn take_in(&mut self, decision: &Decision) {
        self.script.learn(decision);
        if let Some(record) = &decision.record {
            encode_record(&mut self.bytes, record);
            self.tally.records += 1;
        }
        self.ended.extend(self.core.take_ended());
    }

    fn commit(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        let next = self.core.position();
        let append = Append {
            namespace: self.namespace,
            position: self.first,
            next,
            at_ms: self.script.now().wall.0,
            bytes: &bytes,
            consumed: &[],
        };
        self.store.append(&[append]).expect("it is written");
        self.first = next;
        self.tally.commits += 1;
    }

    fn begin_checkpoint(&mut self) {
        let position = self.core.position();
        let gone = self.random.below(position - self.kept_from + 1);
        self.kept_from += gone;
        let checkpoint = Checkpoint {
            namespace: self.namespace,
            position,
            rows: Vec::new(),
            ended: Vec::new(),
            keep_log_from: self.kept_from,
        };
        let ended = std::mem::take(&mut self.ended);
        self.core.cut();
        self.begun = Some((checkpoint, ended));
    }

    /// Goes on with the checkpoint, while decisions go on. Says whether that was the last of it.
    fn checkpoint_some(&mut self) -> bool {
        let Some((checkpoint, _)) = &mut self.begun else {
            return false;
        };
        let rows = 1 + self.random.below(6) as usize;
        let changes = self.core.next_changes(rows);
        checkpoint.rows.extend(changes.into_iter().map(row_change));
        if self.core.is_cutting() {
            return false;
        }
        let Some((mut checkpoint, ended)) = self.begun.take() else {
            return false;
        };
        checkpoint.ended = ended.iter().map(history_row).collect();
        self.store.checkpoint(&checkpoint).expect("it is written");
        self.tally.checkpoints += 1;
        self.tally.ended += ended.len();
        true
    }

    /// What a restart would find is what is there.
    fn compare(&mut self) {
        let hash_seed = self.random.next();
        let mut found =
            load(&mut *self.store, self.namespace, hash_seed).expect("it can be loaded");
        let (seed, at) = (self.seed, self.core.position());
        assert_eq!(found.position(), at, "seed {seed}");
        if let Err(difference) = self.core.same_hard_state(&found) {
            panic!("seed {seed}, at position {at}: {difference}");
        }
        // Tasks that ended after the checkpoint are not in the history: the log must give them again.
        let begun = self.begun.iter().flat_map(|(_, ended)| ended);
        let unkept: Vec<_> = begun.chain(&self.ended).cloned().collect();
        assert_eq!(found.take_ended(), unkept, "seed {seed}, at position {at}");
    }

    /// The process dies: what was decided and not committed never happened.
    fn restart(&mut self) {
        self.bytes.clear();
        self.begun = None;
        let nothing: Box<dyn Store> = Box::new(interlock_store::MemoryStore::new());
        let store = std::mem::replace(&mut self.store, nothing);
        self.store = (self.reopen)(store);
        let seed = self.random.next();
        self.core = load(&mut *self.store, self.namespace, seed).expect("it can be loaded");
        self.first = self.core.position();
        self.ended = self.core.take_ended();
        self.open();
        self.core.check().expect("its indexes fit its rows");
        self.commit();
        self.compare();
        self.tally.restarts += 1;
    }
}
