//! Hosts: a burst of events, a removal that is undone, an event type that fails.

use crate::server::Running;
use crate::workers::{Story, assert_exclusion};
use interlock_api::task::{EndWhy, State};
use interlock_examples::ask::{ended, on, set_kinds, task};
use interlock_examples::host_events::worker::Import;
use interlock_examples::host_events::{kinds, traffic};
use interlock_examples::journal::{self, Entry, Note, now_ms};
use std::collections::BTreeMap;

fn story(speed: u64) -> Story<'static> {
    let program = env!("CARGO_BIN_EXE_host_events");
    Story {
        program,
        speed,
        more: Vec::new(),
    }
}

async fn server(story: &Story<'_>) -> Running {
    let server = Running::start().await;
    let kinds = kinds::all(story.speed.into());
    set_kinds(&server.client, kinds).await.unwrap();
    server
}

/// When each run of a task began.
fn began(entries: &[Entry], task: u64) -> Vec<u64> {
    let began = |entry: &&Entry| entry.task == task && entry.note != Note::Over;
    entries
        .iter()
        .filter(began)
        .map(|entry| entry.at_ms)
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_events_become_few_runs_and_none_is_lost() {
    const EVENTS: u64 = 10_000;
    const HOSTS: u64 = 200;
    let story = story(10); // a gather of 300 ms: the burst takes longer
    let server = server(&story).await;
    let _workers = [
        story.worker(&server, "w1", 16),
        story.worker(&server, "w2", 16),
    ];
    let began_ms = now_ms();
    let burst = traffic::burst(&server.client, EVENTS, HOSTS).await.unwrap();
    let took_ms = now_ms() - began_ms;
    for task in &burst.tasks {
        let shown = ended(&server.client, *task).await.unwrap();
        assert_eq!(shown.state, State::Succeeded);
    }
    // What the workers saw: every event once, the last one of each host by a run that began later.
    let entries = journal::read(&server.dir.path().join("story")).unwrap();
    let mut seen: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let (mut last_began, mut runs) = (BTreeMap::new(), 0);
    for entry in &entries {
        let Note::Began(events) = &entry.note else {
            continue;
        };
        let host = entry.resources[0].resource.clone();
        let events: Vec<u64> = serde_json::from_value(events.clone()).unwrap();
        seen.entry(host.clone()).or_default().extend(events);
        last_began.insert(host, entry.at_ms);
        runs += 1;
    }
    for number in 0..HOSTS {
        let host = traffic::host(number, HOSTS);
        let sent: Vec<u64> = (number..EVENTS).step_by(HOSTS as usize).collect();
        assert_eq!(seen[&host], sent, "{host}");
        assert!(last_began[&host] >= burst.last_ms[&host], "{host}");
    }
    let gather_ms = kinds::gather(story.speed.into()).ms();
    let few = HOSTS * (took_ms / gather_ms + 2);
    println!("{EVENTS} events in {took_ms} ms became {runs} runs; {few} would be allowed");
    assert!(runs <= few, "{runs} runs in {took_ms} ms");
    assert!(runs < EVENTS / 2, "{runs} runs");
    assert_exclusion(&entries, &[]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_registers_again_keeps_its_queue() {
    let story = story(200); // ten minutes are three seconds
    let server = server(&story).await;
    let _worker = story.worker(&server, "w1", 4);
    let speed = story.speed.into();
    let mut removals = Vec::new();
    for host in ["host:1", "host:2"] {
        let removal = traffic::removal(host, speed).unwrap();
        removals.push(task(&server.client.tasks().submit(&removal).await.unwrap()));
    }
    let register = on("register", "host:1", &()).unwrap();
    let register = task(&server.client.tasks().submit(&register).await.unwrap());
    let kept = ended(&server.client, removals[0]).await.unwrap();
    assert_eq!(kept.state, State::Cancelled);
    assert_eq!(kept.end.unwrap().why, EndWhy::CancelledBy { by: register });
    let removed = ended(&server.client, removals[1]).await.unwrap();
    assert_eq!(removed.state, State::Succeeded);
    let waited = removed.ended.unwrap().ms() - removed.submitted.unwrap().ms();
    assert!(waited >= kinds::removal_after(speed).ms(), "{waited} ms");
    let entries = journal::read(&server.dir.path().join("story")).unwrap();
    assert!(began(&entries, removals[0]).is_empty());
    assert_eq!(began(&entries, removals[1]).len(), 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_type_that_fails_is_tried_with_its_own_wait_until_its_window_ends() {
    let story = story(3_000); // a wait of 100 ms within a window of 7.2 s
    let server = server(&story).await;
    let _worker = story.worker(&server, "w1", 4);
    let mut tasks = Vec::new();
    for (host, answers_at) in [("host:1", None), ("host:2", Some(3))] {
        let import = on("import", host, &Import { answers_at }).unwrap();
        tasks.push(task(&server.client.tasks().submit(&import).await.unwrap()));
    }
    let healed = ended(&server.client, tasks[1]).await.unwrap();
    assert_eq!((healed.state, healed.tries), (State::Succeeded, 2));
    let failed = ended(&server.client, tasks[0]).await.unwrap();
    assert_eq!(failed.state, State::Failed);
    let message = "the service does not answer".to_owned();
    let detail = String::new();
    assert_eq!(failed.end.unwrap().why, EndWhy::Failure { message, detail });

    let entries = journal::read(&server.dir.path().join("story")).unwrap();
    let began = began(&entries, tasks[0]);
    assert_eq!(began.len() as u32, failed.tries);
    let speed = story.speed.into();
    let (wait, window) = (
        kinds::import_wait(speed).ms(),
        kinds::import_window(speed).ms(),
    );
    for pair in began.windows(2) {
        // The worker's clock is read a moment after the server's, each time another one.
        assert!(pair[1] + 20 >= pair[0] + wait, "{began:?}");
    }
    let tried = failed.ended.unwrap().ms() - began[0];
    assert!(tried <= window + 1_000, "tried for {tried} ms");
    assert!(tried + 4 * wait >= window, "given up after {tried} ms");
    server.stop().await;
}
