//! Submissions that race with the finish of a run on the same key, twenty thousand times: none is
//! lost, and each burst causes one run, or two if it came in part before and in part after.
//!
//! The ledger is in the payloads: each submission is a number, the runs get all numbers that they
//! stand for, and every number must be in exactly one run that began after it was submitted.

use crate::server::{AtWork, Running, lease};
use interlock_api::claim::Claim;
use interlock_api::json::Json;
use interlock_api::kind::{Coalesce, PayloadRule};
use interlock_api::submission::Submission;
use interlock_api::verdict::Verdict;
use interlock_client::Client;
use interlock_client::worker::Run;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

const KEYS: usize = 40;
const BURSTS: u64 = 500;
const TOGETHER: u64 = 3;
/// How long a burst may take before something is stuck.
const STUCK: Duration = Duration::from_secs(20);

/// What is known of a key.
struct Key {
    /// Runs end when it is raised.
    gate: watch::Sender<u64>,
    runs: Mutex<Vec<Vec<u64>>>,
    changed: Notify,
}

impl Key {
    /// Lets the runs end that have begun.
    fn end_runs(&self) {
        self.gate.send_modify(|gate| *gate += 1);
    }
}

type Keys = Arc<BTreeMap<String, Key>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_between_a_finish_and_a_submission() {
    let server = Running::start().await;
    let keys = (0..KEYS).map(|number| {
        let key = Key {
            gate: watch::Sender::new(0),
            runs: Mutex::default(),
            changed: Notify::new(),
        };
        (format!("host:{number}"), key)
    });
    let keys: Keys = Arc::new(keys.collect());
    let mut policy = lease(60_000);
    policy.coalesce = Some(Coalesce {
        payload: PayloadRule::Append,
        ..Coalesce::default()
    });
    let known = keys.clone();
    let worker = server.worker("w1").concurrency(KEYS);
    let worker = worker.handler("event", policy, move |run: Run, numbers: Vec<u64>| {
        let (known, resource) = (known.clone(), run.resources()[0].resource.clone());
        async move {
            let key = &known[&resource];
            let mut gate = key.gate.subscribe();
            let begun = *gate.borrow_and_update();
            key.runs.lock().unwrap().push(numbers);
            key.changed.notify_one();
            let _raised = gate.wait_for(|gate| *gate > begun).await;
            Ok(())
        }
    });
    let worker = AtWork::begin(worker);
    server.idle("w1").await;
    let races = keys.keys().map(|resource| {
        let (client, keys, resource) = (server.client.clone(), keys.clone(), resource.clone());
        tokio::spawn(async move { race(&client, &keys[&resource], &resource).await })
    });
    let races: Vec<_> = races.collect();
    let mut counts = [0_u64; 3];
    for race in races {
        for (count, more) in counts.iter_mut().zip(race.await.unwrap()) {
            *count += more;
        }
    }
    let [gathered, apart, split] = counts;
    println!("bursts: {gathered} before the finish, {apart} after it, {split} on both sides");
    assert_eq!(gathered + apart + split, KEYS as u64 * BURSTS);
    // They did race: neither side always won.
    assert!(gathered > 500 && apart + split > 500, "{counts:?}");
    worker.drained().await.unwrap();
    server.stop().await;
}

/// All bursts of a key, one after the other; how many of them ended in which way.
async fn race(client: &Client, key: &Key, resource: &str) -> [u64; 3] {
    let mut counts = [0; 3];
    let mut number = 0;
    for burst in 0..BURSTS {
        key.runs.lock().unwrap().clear();
        submit(client, resource, number).await;
        until(key, |runs| !runs.is_empty()).await;
        // The run ends, and at the same moment more of the same comes.
        let mut answers = Vec::new();
        let last = number + TOGETHER;
        for one in number + 1..=last {
            let (client, resource) = (client.clone(), resource.to_owned());
            let wait = Duration::from_micros((burst * 37 + one * 101) % 700);
            answers.push(tokio::spawn(async move {
                spin(wait).await;
                submit(&client, &resource, one).await
            }));
        }
        spin(Duration::from_micros(burst * 53 % 900)).await;
        key.end_runs();
        let mut after = false;
        for answer in answers {
            after |= answer.await.unwrap() == Verdict::Accepted;
        }
        // Whatever began since goes on until all of them have their answer: now they may end.
        for seen in 2.. {
            key.end_runs();
            let all = |runs: &Vec<Vec<u64>>| runs.iter().map(Vec::len).sum::<usize>();
            until(key, |runs| {
                runs.len() >= seen || all(runs) as u64 > TOGETHER
            })
            .await;
            if all(&key.runs.lock().unwrap()) as u64 > TOGETHER {
                break;
            }
        }
        key.end_runs();
        let runs = key.runs.lock().unwrap().clone();
        let more = check(&runs, number..=last).unwrap_or_else(|why| panic!("{resource}: {why}"));
        counts[if more == 2 { 2 } else { usize::from(after) }] += 1;
        number = last + 1;
    }
    counts
}

/// How many runs there were after the first, which was for the first number alone.
fn check(runs: &[Vec<u64>], mut numbers: RangeInclusive<u64>) -> Result<usize, String> {
    let mut all: Vec<u64> = runs.iter().flatten().copied().collect();
    all.sort_unstable();
    if !all.iter().copied().eq(numbers.clone()) {
        return Err(format!(
            "{numbers:?} were submitted, and these ran: {runs:?}"
        ));
    }
    if runs[0] != [numbers.next().unwrap()] {
        return Err(format!(
            "a run stands for what came after it began: {runs:?}"
        ));
    }
    match runs.len() - 1 {
        more @ (1 | 2) => Ok(more),
        more => Err(format!("{more} runs for one burst: {runs:?}")),
    }
}

async fn submit(client: &Client, resource: &str, number: u64) -> Verdict {
    let resource = resource.to_owned();
    let mut event = Submission::new("event", [Claim { resource, op: None }]);
    event.key = Some("facts".to_owned());
    event.payload = Some(Json::of(&[number]).unwrap());
    client.tasks().submit(&event).await.unwrap().verdict
}

/// Waits until the runs of a key are so.
async fn until(key: &Key, is: impl Fn(&Vec<Vec<u64>>) -> bool) {
    let waiting = async {
        while !is(&key.runs.lock().unwrap()) {
            key.changed.notified().await;
        }
    };
    if tokio::time::timeout(STUCK, waiting).await.is_err() {
        panic!("something is lost: {:?}", key.runs.lock().unwrap());
    }
}

/// Waits for less than the timers of the runtime can.
async fn spin(length: Duration) {
    let began = Instant::now();
    while began.elapsed() < length {
        tokio::task::yield_now().await;
    }
}

#[test]
fn what_is_lost_or_runs_too_often_is_seen() {
    let runs = |runs: &[&[u64]]| {
        check(
            &runs.iter().map(|run| run.to_vec()).collect::<Vec<_>>(),
            0..=3,
        )
    };
    assert_eq!(runs(&[&[0], &[1, 2, 3]]), Ok(1));
    assert_eq!(runs(&[&[0], &[1], &[2, 3]]), Ok(2));
    assert!(runs(&[&[0], &[1, 3]]).is_err());
    assert!(runs(&[&[0], &[1, 2], &[2, 3]]).is_err());
    assert!(runs(&[&[0, 1], &[2, 3]]).is_err());
    assert!(runs(&[&[0], &[1], &[2], &[3]]).is_err());
}
