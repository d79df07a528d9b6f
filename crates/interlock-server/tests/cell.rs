//! Cells over a real store: what is acknowledged is there after a restart, and what was not is not.

use interlock_core::command::{Finish, FinishHow, HoldTarget, Register, Submit, Take};
use interlock_core::reply::{Answer, Taken};
use interlock_core::view::Found;
use interlock_core::words::{
    Claim, Kind, Name, Op, Payload, ResourceName, SessionId, Submission, TaskId,
};
use interlock_core::{Command, Reply};
use interlock_server::cell::{self, Cell, CellError, Until};
use interlock_server::cluster::Sole;
use interlock_server::committer::{Commit, Committer, Watcher};
use interlock_server::metrics::Metrics;
use interlock_store::{Loaded, MemoryStore, NamespaceId, SqliteStore, Store, StoreError};
use std::future::poll_fn;
use std::ops::{ControlFlow, Range};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

struct Quiet;

impl Watcher for Quiet {
    fn committed(&mut self, _: Commit) {}
    fn lost(&mut self, error: &StoreError) {
        panic!("the store was lost: {error}");
    }
}

/// Commits that take their time, and the most batches that one of them had.
struct Slow(Arc<AtomicUsize>);

impl Watcher for Slow {
    fn committed(&mut self, commit: Commit) {
        self.0.fetch_max(commit.batches, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
    }
    fn lost(&mut self, error: &StoreError) {
        panic!("the store was lost: {error}");
    }
}

/// Commits that take long, so that they are made beside the cell, and are held up as long as the gate
/// is shut; and how many batches each had.
#[derive(Clone, Default)]
struct Gate {
    shut: Arc<AtomicBool>,
    batches: Arc<Mutex<Vec<usize>>>,
}

impl Gate {
    fn batches(&self) -> Vec<usize> {
        self.batches.lock().expect("nobody panics").clone()
    }
}

impl Watcher for Gate {
    fn committed(&mut self, commit: Commit) {
        (self.batches.lock().expect("nobody panics")).push(commit.batches);
        std::thread::sleep(LONG);
        while self.shut.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    fn lost(&mut self, error: &StoreError) {
        panic!("the store was lost: {error}");
    }
}

/// How long commits take, and which threads made them.
#[derive(Clone)]
struct Who(Duration, Arc<Mutex<Vec<String>>>);

impl Watcher for Who {
    fn committed(&mut self, _: Commit) {
        let name = std::thread::current().name().unwrap_or("").to_owned();
        self.1.lock().expect("nobody panics").push(name);
        std::thread::sleep(self.0);
    }
    fn lost(&mut self, error: &StoreError) {
        panic!("the store was lost: {error}");
    }
}

/// More than a cell makes itself.
const LONG: Duration = Duration::from_millis(3);

struct Running {
    cell: Cell,
    committer: Committer,
    threads: Vec<JoinHandle<()>>,
}

impl Running {
    fn start(mut store: Box<dyn Store>) -> Self {
        let namespace = match store.namespaces().expect("it can be read").first() {
            Some(found) => found.id,
            None => store.create_namespace("default", 0).expect("it is new").id,
        };
        Self::on(store, namespace, Quiet)
    }

    fn on(store: Box<dyn Store>, namespace: NamespaceId, watcher: impl Watcher) -> Self {
        let generation = store.generation();
        let (committer, thread) = Committer::start(store, watcher).expect("a thread");
        let (cell, own) = cell::start(
            namespace,
            generation,
            committer.clone(),
            Metrics::default().decisions("default"),
            Arc::new(Sole),
        )
        .expect("a thread");
        Self {
            cell,
            committer,
            threads: vec![own, thread],
        }
    }

    async fn stop(self) {
        self.cell.stop().await;
        drop(self.cell);
        self.committer
            .stop()
            .await
            .expect("it runs")
            .expect("it stops");
        for thread in self.threads {
            thread.join().expect("no thread panics");
        }
    }

    async fn prepared(&self) -> SessionId {
        let kind = Kind::new(name("sync"));
        let reply = self.cell.decide(Command::SetKind(Box::new(kind))).await;
        assert_eq!(reply.map(|answered| answered.reply), Ok(Reply::Done));
        self.register("w1").await
    }

    async fn register(&self, worker: &str) -> SessionId {
        let register = Register {
            name: name(worker),
            kinds: vec![name("sync")],
            takeover: true,
        };
        match self.decided(Command::Register(register)).await {
            Reply::Registered { session } => session,
            other => panic!("not registered: {other:?}"),
        }
    }

    async fn submit(&self, resource: &str) -> TaskId {
        let submit = Submit {
            items: vec![submission(resource)],
            group: false,
            dry_run: false,
        };
        match self.decided(Command::Submit(submit)).await {
            Reply::Submitted { answers, .. } => match &answers[..] {
                [Answer::Admitted(report)] => report.task.expect("a task"),
                other => panic!("not admitted: {other:?}"),
            },
            other => panic!("not submitted: {other:?}"),
        }
    }

    /// One task for each number, on a resource of its own.
    async fn submit_all(&self, numbers: Range<u64>) {
        let items = numbers.map(|number| submission(&format!("a:{number}")));
        let submit = Submit {
            items: items.collect(),
            group: false,
            dry_run: false,
        };
        let reply = self.decided(Command::Submit(submit)).await;
        assert!(matches!(reply, Reply::Submitted { .. }), "{reply:?}");
    }

    async fn decided(&self, command: Command) -> Reply {
        self.cell.decide(command).await.expect("it answers").reply
    }

    async fn take(&self, session: SessionId, number: u64, wait_ms: u64) -> Taken {
        let delivery = self.cell.take(take(session, number, wait_ms)).await;
        delivery
            .expect("it answers")
            .expect("it is welcome")
            .accept()
    }
}

fn submission(resource: &str) -> Submission {
    let claim = Claim::new(ResourceName::new(resource).expect("good"), Op::Update);
    let mut submission = Submission::new(name("sync"), vec![claim]);
    submission.payload = Payload::from("[1]");
    submission
}

fn name(text: &str) -> Name {
    Name::new(text).expect("a good name")
}

fn take(session: SessionId, number: u64, wait_ms: u64) -> Take {
    Take {
        session,
        number,
        max: 10,
        wait_ms,
        finishes: Vec::new(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_goes_from_submission_to_success() {
    let running = Running::start(Box::new(MemoryStore::new()));
    let session = running.prepared().await;
    let cell = running.cell.clone();
    let parked = tokio::spawn(async move { cell.take(take(session, 1, 10_000)).await });
    let task = running.submit("repository:f16").await;
    let taken = parked
        .await
        .expect("no panic")
        .expect("it answers")
        .expect("welcome")
        .accept();
    assert_eq!(taken.hand_outs.len(), 1);
    assert_eq!(taken.hand_outs[0].task, task);
    let cell = running.cell.clone();
    let watching = tokio::spawn(async move { cell.watch(task, Until::Ended).await });
    let finishes = vec![Finish {
        token: taken.hand_outs[0].token,
        how: FinishHow::Succeed {
            result: Payload::from("1"),
        },
        used: Vec::new(),
    }];
    let reply = running.decided(Command::Finish { session, finishes }).await;
    assert!(matches!(reply, Reply::Finished(_)));
    assert_eq!(watching.await.expect("no panic"), Ok(()));
    let found = running
        .cell
        .read(move |view| view.pending.find(task).cloned())
        .await;
    assert_eq!(
        found.expect("it answers").expect("it ended").result,
        Payload::from("1")
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_there_after_a_restart() {
    let dir = tempfile::tempdir().expect("a directory");
    let running = Running::start(Box::new(SqliteStore::open(dir.path()).expect("it opens")));
    running.prepared().await;
    let mut tasks = Vec::new();
    for number in 0..50 {
        tasks.push(running.submit(&format!("repository:{number}")).await);
    }
    running.stop().await;
    let running = Running::start(Box::new(SqliteStore::open(dir.path()).expect("it opens")));
    for task in tasks {
        let found = running.cell.read(move |view| view.core.task(task)).await;
        assert!(matches!(found, Ok(Found::Live(_))), "{found:?}");
    }
    let session = running.register("w2").await;
    assert_eq!(running.take(session, 1, 0).await.hand_outs.len(), 10);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_take_that_nobody_waits_for_gives_its_tasks_back() {
    let running = Running::start(Box::new(MemoryStore::new()));
    let session = running.prepared().await;
    let task = running.submit("repository:f16").await;
    let delivery = running.cell.take(take(session, 1, 0)).await;
    drop(delivery);
    let other = running.register("w2").await;
    let taken = running.take(other, 1, 5_000).await;
    assert_eq!(taken.hand_outs[0].task, task);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_during_a_commit_is_decided_meanwhile_and_is_one_batch() {
    let mut store = Box::new(MemoryStore::new());
    let namespace = store.create_namespace("default", 0).expect("it is new").id;
    let gate = Gate::default();
    let running = Running::on(store, namespace, gate.clone());
    running.prepared().await;

    gate.shut.store(true, Ordering::Release);
    let before = gate.batches().len();
    let mut first = Box::pin(running.submit("shop:0"));
    assert!(is_pending(&mut first).await);
    until("the first is being written", || {
        gate.batches().len() > before
    })
    .await;
    let names: Vec<String> = (1..=50).map(|number| format!("shop:{number}")).collect();
    let mut others = Vec::new();
    // The cell has decided some before the next come, so that each lot could be a batch.
    for lot in names.chunks(10) {
        for name in lot {
            let mut other = Box::pin(running.submit(name));
            assert!(is_pending(&mut other).await);
            others.push(other);
        }
        until("they are decided", || running.cell.waiting() == 0).await;
    }
    for other in &mut others {
        assert!(is_pending(other).await, "answered before it is written");
    }

    gate.shut.store(false, Ordering::Release);
    let first = first.await;
    for (other, number) in others.into_iter().zip(1..) {
        assert_eq!(other.await, TaskId(first.0 + number));
    }
    assert_eq!(gate.batches()[before..], [1, 1]);
    running.stop().await;
}

#[tokio::test]
async fn what_takes_long_to_decide_is_written_while_more_is_decided() {
    let mut store = Box::new(MemoryStore::new());
    let namespace = store.create_namespace("default", 0).expect("it is new").id;
    let gate = Gate::default();
    let running = Running::on(store, namespace, gate.clone());
    running.prepared().await;

    let before = gate.batches().len();
    let large = |number: u32| {
        let items = (0..1_000).map(|item| submission(&format!("shop:{number}.{item}")));
        Command::Submit(Submit {
            items: items.collect(),
            group: false,
            dry_run: false,
        })
    };
    // The others are there long before the first is decided.
    let requests: Vec<_> = (0..5).map(large).collect();
    let answers: Vec<_> = (requests.into_iter())
        .map(|request| running.cell.decide(request))
        .collect();
    for answer in answers {
        let reply = answer.await.expect("it answers").reply;
        assert!(matches!(reply, Reply::Submitted { answers, .. } if answers.len() == 1_000));
    }
    let batches = gate.batches().len() - before;
    assert!(batches > 1, "all of it was one batch");
    running.stop().await;
}

/// Which threads made the commits of some submissions, one after another.
async fn who_commits(each_takes: Duration, submissions: u64) -> Vec<String> {
    let mut store = Box::new(MemoryStore::new());
    let namespace = store.create_namespace("default", 0).expect("it is new").id;
    let who = Who(each_takes, Arc::default());
    let running = Running::on(store, namespace, who.clone());
    running.prepared().await;
    for number in 0..submissions {
        running.submit(&format!("shop:{number}")).await;
    }
    running.stop().await;
    who.1.lock().expect("nobody panics").clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn short_commits_are_made_by_the_cell_and_long_ones_beside_it() {
    let short = who_commits(Duration::ZERO, 50).await;
    assert!(short.iter().any(|name| name == "cell 1"), "{short:?}");
    // How long they take is known only when there was one.
    assert_eq!(short[0], "committer");
    let long = who_commits(LONG, 10).await;
    assert!(long.iter().all(|name| name == "committer"), "{long:?}");
}

/// Two cells, one of them at work all the time: nobody waits for ever, and each is answered in order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cells_share_the_writer() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut store = SqliteStore::open(dir.path()).expect("it opens");
    let names = ["one", "two", "three"];
    let namespaces = names.map(|name| store.create_namespace(name, 0).expect("it is new").id);
    let generation = store.generation();
    let (committer, thread) = Committer::start(Box::new(store), Quiet).expect("a thread");
    let mut threads = vec![thread];
    let mut at_work = Vec::new();
    for namespace in namespaces {
        let metrics = Metrics::default().decisions("default");
        let tenure = Arc::new(Sole);
        let started = cell::start(namespace, generation, committer.clone(), metrics, tenure);
        let (cell, own) = started.expect("a thread");
        let running = Running {
            cell,
            committer: committer.clone(),
            threads: vec![own],
        };
        at_work.push(tokio::spawn(async move {
            running.prepared().await;
            for number in 0..200 {
                let task = running.submit(&format!("shop:{number}")).await;
                assert_eq!(task, TaskId(number + 1));
                if number % 50 == 0 {
                    running.cell.settle().await.expect("it settles");
                }
            }
            running.cell.stop().await;
            running.threads
        }));
    }
    for cell in at_work {
        threads.extend(cell.await.expect("no panic"));
    }
    committer.stop().await.expect("it runs").expect("it stops");
    for thread in threads {
        thread.join().expect("no thread panics");
    }
    let mut store = SqliteStore::open(dir.path()).expect("it was closed");
    for namespace in namespaces {
        let core = cell::load(&mut store, namespace, 7).expect("it loads");
        assert_eq!(core.counts().waiting, 200);
    }
}

/// Whether something is not done yet, having been begun.
async fn is_pending(future: &mut Pin<Box<impl Future>>) -> bool {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "not so: {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_concerns_many_tasks_is_decided_no_faster_than_it_is_written() {
    let mut store = Box::new(MemoryStore::new());
    let namespace = store.create_namespace("default", 0).expect("it is new").id;
    let most = Arc::new(AtomicUsize::new(0));
    let running = Running::on(store, namespace, Slow(most.clone()));
    running.prepared().await;
    for batch in 0..20 {
        let items = (0..1_000).map(|number| {
            let resource = ResourceName::new(&format!("shop:{}", batch * 1_000 + number));
            let claims = vec![Claim::new(resource.expect("a name"), Op::Update)];
            Submission::new(name("sync"), claims)
        });
        let submit = Submit {
            items: items.collect(),
            group: false,
            dry_run: false,
        };
        running.decided(Command::Submit(submit)).await;
    }
    most.store(0, Ordering::Relaxed);
    // All of them are moved, in slices.
    let hold = Command::Hold {
        what: HoldTarget::Kind(name("sync")),
        by: None,
    };
    running.decided(hold).await;
    for _ in 0..10 {
        // Whoever asks meanwhile waits for what was decided before, and that is not much.
        running.cell.read(|_| ()).await.expect("it is served");
    }
    let most = most.load(Ordering::Relaxed);
    assert!(most <= 4, "{most} batches in one commit");
    running.stop().await;
}

#[tokio::test]
async fn a_stopped_cell_answers_nobody() {
    let running = Running::start(Box::new(MemoryStore::new()));
    let cell = running.cell.clone();
    running.stop().await;
    let error = cell.read(|_| ()).await;
    assert!(
        matches!(error, Err(CellError::Stopping | CellError::Unknown)),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_load_amid_a_checkpoint_sees_and_loses_nothing() {
    const TASKS: u64 = 600;
    let dir = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open(dir.path()).expect("it opens");
    let running = Running::start(Box::new(store));
    running.prepared().await;
    for number in 0..TASKS {
        running.submit(&format!("a:{number}")).await;
    }
    // The last batch carries a checkpoint of several slices, and whoever asks comes in between.
    running.cell.stop().await;
    for _ in 0..3 {
        let namespace = running.cell.namespace();
        let committer = running.committer.clone();
        let load = tokio::task::spawn_blocking(move || committer.load(namespace, 7));
        let core = load.await.expect("no panic").expect("it runs");
        assert_eq!(core.expect("it loads").counts().waiting, TASKS);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    running.stop().await;
}

/// In several parts, each given out when the one before is written.
#[tokio::test]
async fn a_stop_leaves_nothing_to_be_folded() {
    const TASKS: u64 = 40_000;
    let dir = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open(dir.path()).expect("it opens");
    let running = Running::start(Box::new(store));
    running.prepared().await;
    for from in (0..TASKS).step_by(1_000) {
        running.submit_all(from..from + 1_000).await;
    }
    running.stop().await;
    let mut store = SqliteStore::open(dir.path()).expect("it opens");
    let (mut rows, mut records) = (0, 0);
    let namespace = store.namespaces().expect("it can be read")[0].id;
    let loaded = store.load(namespace, &mut |loaded| {
        rows += u64::from(matches!(loaded, Loaded::Task { .. }));
        records += u64::from(matches!(loaded, Loaded::Record(_)));
        ControlFlow::Continue(())
    });
    loaded.expect("it loads");
    assert_eq!((rows, records), (TASKS, 0));
}

/// Some ten parts, of which each is given out when the one before is written.
#[tokio::test]
async fn a_checkpoint_goes_on_while_others_are_answered() {
    const TASKS: u64 = 5_000;
    let dir = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open(dir.path()).expect("it opens");
    let running = Running::start(Box::new(store));
    running.prepared().await;
    for from in (0..TASKS).step_by(500) {
        running.submit_all(from..from + 500).await;
    }
    let cell = running.cell.clone();
    let settled = tokio::spawn(async move { cell.settle().await });
    let mut amid = 0;
    for task in (1..=TASKS).rev().step_by(5) {
        let cancel = Command::Cancel {
            task: TaskId(task),
            all: false,
            by: None,
        };
        let reply = running.decided(cancel).await;
        assert!(
            matches!(reply, Reply::Done | Reply::Cancelling { .. }),
            "{reply:?}"
        );
        amid += u32::from(!settled.is_finished());
    }
    settled.await.expect("no panic").expect("it settles");
    assert!(amid > 10, "only {amid} were answered meanwhile");
    let namespace = running.cell.namespace();
    let committer = running.committer.clone();
    let load = tokio::task::spawn_blocking(move || committer.load(namespace, 7));
    let core = load.await.expect("no panic").expect("it runs");
    let core = core.expect("it loads");
    let there = (1..=TASKS).filter(|task| matches!(core.task(TaskId(*task)), Found::Live(_)));
    assert!(there.eq((1..=TASKS).filter(|task| task % 5 != 0)));
    running.stop().await;
}
