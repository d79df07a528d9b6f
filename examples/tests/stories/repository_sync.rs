//! Repositories: conflicts, a worker that is killed, a server that is started again.

use crate::server::Running;
use crate::workers::{Story, assert_exclusion};
use interlock_api::Code;
use interlock_api::reason::Why;
use interlock_api::task::{EndWhy, State, TaskQuery};
use interlock_api::verdict::Verdict;
use interlock_api::worker::WorkerState;
use interlock_examples::ask::{ended, on, set_kinds, started, task};
use interlock_examples::journal::{self, Note, now_ms};
use interlock_examples::repository_sync::files::Repositories;
use interlock_examples::repository_sync::worker::Load;
use interlock_examples::repository_sync::{kinds, traffic};

/// Leases of three seconds.
const STORY: Story<'_> = Story {
    program: env!("CARGO_BIN_EXE_repository_sync"),
    speed: 5,
    more: Vec::new(),
};
const LEASE_MS: u64 = 3_000;

fn load(packages: u64, pace_ms: u64) -> Load {
    Load { packages, pace_ms }
}

async fn server() -> Running {
    let server = Running::start().await;
    let kinds = kinds::all(STORY.speed.into());
    set_kinds(&server.client, kinds).await.unwrap();
    server
}

async fn submit(server: &Running, submission: &interlock_api::submission::Submission) -> u64 {
    task(&server.client.tasks().submit(submission).await.unwrap())
}

async fn sync(server: &Running, repository: &str, load: Load) -> u64 {
    submit(server, &on("sync", repository, &load).unwrap()).await
}

async fn state(server: &Running, task: u64) -> State {
    ended(&server.client, task).await.unwrap().state
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delete_waits_for_the_sync_and_an_update_after_it_is_rejected() {
    let server = server().await;
    let story = server.dir.path().join("story");
    let repositories = Repositories::within(&story);
    let _worker = STORY.worker(&server, "w1", 4);
    let sync = sync(&server, "repository:f16", load(20, 50)).await;
    started(&server.client, sync).await.unwrap();

    let delete = on("delete", "repository:f16", &()).unwrap();
    let report = server.client.tasks().submit(&delete).await.unwrap();
    assert_eq!(report.verdict, Verdict::Postponed);
    let held = matches!(&report.reasons[0].why, Why::HeldBy { by, .. } if by.task == sync);
    assert!(held, "{report:?}");
    let delete = task(&report);

    let update = on("update", "repository:f16", &"too late").unwrap();
    let rejected = server.client.tasks().submit(&update).await.unwrap_err();
    assert_eq!(rejected.code(), Some(Code::Rejected));
    let why = rejected.to_string();
    let said = format!("Task {delete} (delete) will delete repository:f16");
    assert!(why.contains(&said), "{why}");

    let query = TaskQuery {
        resource: Some("repository:f16".to_owned()),
        ..TaskQuery::default()
    };
    let listed = server.client.tasks().list(&query).await.unwrap().items;
    let listed: Vec<_> = listed.iter().map(|task| (task.task, task.state)).collect();
    assert_eq!(listed, [(delete, State::Waiting), (sync, State::Running)]);

    assert_eq!(state(&server, delete).await, State::Succeeded);
    assert_eq!(state(&server, sync).await, State::Succeeded);
    assert!(!repositories.exists("repository:f16"));
    assert_exclusion(&journal::read(&story).unwrap(), &[]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_reads_one_repository_and_updates_the_other() {
    let server = server().await;
    let story = server.dir.path().join("story");
    let _workers = [
        STORY.worker(&server, "w1", 4),
        STORY.worker(&server, "w2", 4),
    ];
    let mut tasks = vec![sync(&server, "repository:a", load(5, 10)).await];
    let publish = on("publish", "repository:a", &load(5, 20)).unwrap();
    for number in 0..10 {
        // Copies there and back: neither waits for ever for the other.
        tasks.push(submit(&server, &traffic::copy("repository:a", "repository:b")).await);
        tasks.push(submit(&server, &traffic::copy("repository:b", "repository:a")).await);
        let more = ["repository:a", "repository:b"][number % 2];
        tasks.push(sync(&server, more, load(1, 5)).await);
        tasks.push(submit(&server, &publish).await);
    }
    for task in tasks {
        assert_eq!(state(&server, task).await, State::Succeeded);
    }
    let copied = Repositories::within(&story).packages("repository:b");
    let expected = [1, 2, 3, 4, 5].map(|package| format!("package-{package}"));
    assert_eq!(copied.unwrap(), expected);
    assert_exclusion(&journal::read(&story).unwrap(), &[]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_worker_is_found_in_time_and_its_name_is_welcome_again() {
    let server = server().await;
    let client = server.client.clone();
    let story = server.dir.path().join("story");
    // The first has its hands full before the second is there.
    let first = STORY.worker(&server, "w1", 2);
    let retried = sync(&server, "repository:1", load(30, 100)).await;
    let cancelled = on("publish", "repository:2", &load(600, 100)).unwrap();
    let cancelled = submit(&server, &cancelled).await;
    for task in [retried, cancelled] {
        started(&client, task).await.unwrap();
    }
    let second = STORY.worker(&server, "w2", 2);
    let other = sync(&server, "repository:3", load(30, 100)).await;
    let waiting = on("update", "repository:2", &"after the publication").unwrap();
    let waiting = submit(&server, &waiting).await;
    assert_eq!(
        started(&client, other).await.unwrap().run.unwrap().worker,
        "w2"
    );

    let killed_ms = now_ms();
    first.kill();
    let shown = ended(&client, cancelled).await.unwrap();
    assert_eq!(shown.state, State::Cancelled);
    assert_eq!(shown.end.unwrap().why, EndWhy::WorkerLost);
    let after_ms = shown.ended.unwrap().ms() - killed_ms;
    assert!(after_ms <= LEASE_MS + 1_000, "found after {after_ms} ms");

    let retried = ended(&client, retried).await.unwrap();
    let facts = (retried.state, retried.tries, retried.worker.as_deref());
    assert_eq!(facts, (State::Succeeded, 0, Some("w2")));
    let other = ended(&client, other).await.unwrap();
    assert_eq!(other.state, State::Succeeded);
    // Unless the other one could not go on in time either, on a machine that is too busy.
    if !journal::read(&story)
        .unwrap()
        .iter()
        .any(|entry| entry.note == Note::Gone)
    {
        assert_eq!((retried.losses, other.losses), (1, 0));
    }
    assert_eq!(state(&server, waiting).await, State::Succeeded);

    let _again = STORY.worker(&server, "w1", 2);
    client.workers().drain("w2").await.unwrap();
    let update = on("update", "repository:1", &"by the new one").unwrap();
    let shown = ended(&client, submit(&server, &update).await)
        .await
        .unwrap();
    assert_eq!(shown.worker.as_deref(), Some("w1"));
    let worker = client.workers().show("w1").await.unwrap();
    assert_ne!(worker.state, WorkerState::Lost);
    assert_exclusion(&journal::read(&story).unwrap(), &["w1"]);
    drop(second);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_started_again_has_lost_nothing() {
    let server = server().await;
    let story = server.dir.path().join("story");
    let _worker = STORY.worker(&server, "w1", 4);
    let running = sync(&server, "repository:0", load(30, 100)).await;
    started(&server.client, running).await.unwrap();
    let mut tasks = vec![running];
    for number in 0..20 {
        let repository = format!("repository:{}", number % 4);
        tasks.push(sync(&server, &repository, load(2, 10)).await);
    }
    let server = server.restart().await;
    for task in &tasks {
        let shown = ended(&server.client, *task).await.unwrap();
        let facts = (shown.state, shown.losses, shown.tries);
        assert_eq!(facts, (State::Succeeded, 0, 0), "task {task}");
    }
    // Each ran once: the one that ran while the server was away went on.
    let entries = journal::read(&story).unwrap();
    for task in tasks {
        let began = |note: &Note| matches!(note, Note::Began(_));
        let runs = entries
            .iter()
            .filter(|entry| entry.task == task && began(&entry.note));
        assert_eq!(runs.count(), 1, "task {task}");
    }
    assert_exclusion(&entries, &[]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_story_is_told() {
    let server = Running::start().await;
    let output = STORY.show(&server).await;
    let told = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{errors}");
    for line in [
        "sync repository:f16: Accepted, task 1",
        "delete repository:f16: Postponed, task 5",
        "update repository:f16: Task 5 (delete) will delete repository:f16, and only a create",
        "  task 5 (delete): Waiting",
        "task 5 (delete): Succeeded",
    ] {
        assert!(told.contains(line), "{line:?} is not in\n{told}");
    }
    server.stop().await;
}
