//! The same through a real cell and the committer, whose checkpoints and batches are the ones that
//! count: after each answer, what the store would give back is what the cell has.

use crate::for_seeds;
use crate::scenario::{Random, Script};
use interlock_core::{Command, Decision, Reply};
use interlock_server::cell::{self, Cell, Followed};
use interlock_server::cluster::Sole;
use interlock_server::committer::{Commit, Committer, Watcher};
use interlock_server::metrics::Metrics;
use interlock_store::{MemoryStore, SqliteStore, Store, StoreError};
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;

const COMMANDS: u32 = 150;
/// A timer may fire between an answer and a look; then it looks again.
const LOOKS: u32 = 50;

struct Quiet;

impl Watcher for Quiet {
    fn committed(&mut self, _: Commit) {}
    fn lost(&mut self, error: &StoreError) {
        panic!("the store was lost: {error}");
    }
}

async fn run(seed: u64, mut store: Box<dyn Store>) {
    let namespace = store.create_namespace("default", 0).expect("it is new").id;
    let generation = store.generation();
    let (committer, committing) = Committer::start(store, Quiet).expect("a thread");
    let metrics = Metrics::default().decisions("default");
    let started = cell::start(
        namespace,
        generation,
        committer.clone(),
        metrics,
        Arc::new(Sole),
    );
    let (cell, deciding) = started.expect("a thread");
    let mut feed = cell.follow();
    let (mut script, mut random) = (Script::new(seed), Random(seed));
    for command in Script::givens() {
        decide(&cell, &mut feed, &mut script, command).await;
    }
    let mut settled = 0;
    for _ in 0..COMMANDS {
        script.pass_time();
        let command = script.command();
        decide(&cell, &mut feed, &mut script, command).await;
        if random.once_in(8) {
            cell.settle().await.expect("it is written");
            settled += 1;
        }
        compare(seed, &cell, &committer).await;
    }
    assert!(settled > 0, "seed {seed} never wrote its rows");
    cell.stop().await;
    drop(cell);
    let stopped = committer.stop().await.expect("it runs");
    stopped.expect("it stops in order");
    for thread in [deciding, committing] {
        thread.join().expect("no thread panics");
    }
}

/// Decides a command, and lets the script know what came of it.
async fn decide(cell: &Cell, feed: &mut Receiver<Followed>, script: &mut Script, command: Command) {
    let reply = match command {
        Command::Take(mut take) => {
            // Nobody has time to wait here.
            take.wait_ms = 0;
            match cell.take(take).await.expect("it answers") {
                Ok(delivery) => Reply::Taken(delivery.accept()),
                Err(refusal) => Reply::Refused(refusal),
            }
        }
        command => cell.decide(command).await.expect("it answers").reply,
    };
    learn(script, reply, None);
    while let Ok(followed) = feed.try_recv() {
        if let Followed::Committed(committed) = followed {
            for record in &committed.records {
                learn(
                    script,
                    Reply::Done,
                    Some(interlock_core::Record::clone(record)),
                );
            }
        }
    }
}

fn learn(script: &mut Script, reply: Reply, record: Option<interlock_core::Record>) {
    script.learn(&Decision {
        record,
        reply,
        wakes: Vec::new(),
        more: false,
    });
}

/// Looks at the cell's own core and at what the store has of it, at the same moment.
async fn compare(seed: u64, cell: &Cell, committer: &Committer) {
    for _ in 0..LOOKS {
        let (committer, namespace) = (committer.clone(), cell.namespace());
        let compared = cell.read(move |view| {
            let found = committer.load(namespace, seed).expect("it runs");
            let found = found.expect("it can be loaded");
            // What was decided in the same breath is not with the committer yet.
            let same = found.position() == view.core.position();
            same.then(|| view.core.same_hard_state(&found))
        });
        match compared.await.expect("it answers") {
            Some(Ok(())) => return,
            Some(Err(difference)) => panic!("seed {seed}: {difference}"),
            None => {}
        }
    }
    panic!("seed {seed}: the store is always behind");
}

fn runtime() -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime")
}

#[test]
fn a_cell_over_memory_is_what_its_store_gives_back() {
    for_seeds(10, |seed| {
        runtime().block_on(run(seed, Box::new(MemoryStore::new())));
    });
}

#[test]
fn a_cell_over_sqlite_is_what_its_store_gives_back() {
    for_seeds(5, |seed| {
        let dir = crate::stores::quick_dir();
        let store = SqliteStore::open(dir.path()).expect("it can be opened");
        runtime().block_on(run(seed, Box::new(store)));
    });
}
