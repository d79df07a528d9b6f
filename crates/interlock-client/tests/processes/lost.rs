//! Workers that are killed at random moments, two hundred of them: each loss is found after the end
//! of the lease and within a second of it.

use crate::child::{Child, Role, is_child, kind_of};
use crate::proxy::{Granted, Proxy, now_ms};
use crate::server::{AtWork, Running, lease};
use interlock_api::kind::OnLoss;
use interlock_api::task::{EndWhy, State};
use interlock_client::worker::Run;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEASE_MS: u64 = 1_000;
/// What P5 allows.
const FOUND_WITHIN_MS: u64 = 1_000;
/// The witness and the server each cut their times to whole milliseconds.
const ROUNDING_MS: u64 = 2;
const AT_ONCE: u64 = 40;
const ROUNDS: u64 = 5;

/// When each task of the witness began, by resource.
type Began = Arc<Mutex<BTreeMap<String, u64>>>;

/// What happened to one worker.
#[derive(Debug)]
struct Killed {
    last: Granted,
    killed_ms: u64,
    lost_ms: u64,
    handed_on_ms: u64,
}

impl Killed {
    /// How long after the earliest possible end of the lease something was; negative before it.
    fn after(&self, ms: u64) -> i64 {
        let end_ms = self.last.sent_ms + LEASE_MS;
        ms.cast_signed() - end_ms.cast_signed()
    }

    fn check(&self) {
        for ms in [self.lost_ms, self.handed_on_ms] {
            assert!(
                self.after(ms + ROUNDING_MS) >= 0,
                "before the lease had ended: {self:?}"
            );
            let latest_ms = self.last.answered_ms + LEASE_MS + FOUND_WITHIN_MS;
            assert!(ms <= latest_ms + ROUNDING_MS, "too late: {self:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_killed_workers_each_is_found_in_time() {
    if tokio::task::block_in_place(is_child) {
        return;
    }
    let server = Arc::new(Running::start().await);
    let mut doomed = lease(LEASE_MS);
    doomed.on_loss = Some(OnLoss::Cancel);
    for number in 0..AT_ONCE {
        let kind = kind_of(&format!("w{number}"));
        server.client.kinds().set(&kind, &doomed).await.unwrap();
    }
    let began = Began::default();
    let notes = began.clone();
    let next = server.worker("next").concurrency(100);
    let next = next.handler("next", lease(60_000), move |run: Run, (): ()| {
        let resource = run.resources()[0].resource.clone();
        notes.lock().unwrap().insert(resource, now_ms());
        async { Ok(()) }
    });
    let next = AtWork::begin(next);
    server.idle("next").await;
    let lives = (0..AT_ONCE).map(|number| {
        let (server, began) = (server.clone(), began.clone());
        tokio::spawn(async move {
            let mut seen = Vec::new();
            for round in 0..ROUNDS {
                let (name, resource) = (format!("w{number}"), format!("a:{number}-{round}"));
                seen.push(one(&server, &began, &name, resource).await);
            }
            seen
        })
    });
    let lives: Vec<_> = lives.collect();
    let mut seen = Vec::new();
    for life in lives {
        seen.extend(life.await.unwrap());
    }
    assert_eq!(seen.len() as u64, AT_ONCE * ROUNDS);
    seen.iter().for_each(Killed::check);
    // The moments were all over the lease, not all of them right after a beat.
    let late =
        |killed: &&Killed| killed.killed_ms.saturating_sub(killed.last.answered_ms) > LEASE_MS / 6;
    assert!(seen.iter().filter(late).count() > 20);
    let after = seen.iter().map(|killed| killed.after(killed.handed_on_ms));
    println!("handed on at most {:?} ms after the end", after.max());
    next.drained().await.unwrap();
    Arc::into_inner(server).unwrap().stop().await;
}

/// One worker gets a task and is killed while it runs; another task waits for its resource.
async fn one(server: &Running, began: &Began, name: &str, resource: String) -> Killed {
    let proxy = Proxy::to(server.port).await;
    let test = "lost::of_two_hundred_killed_workers_each_is_found_in_time";
    let address = format!("http://{}", proxy.address);
    let mut child = Child::begin(test, Role::Patient, &address, name);
    server.idle(name).await;
    let task = server.submit(&kind_of(name), &resource).await;
    server.started(task).await;
    let next = server.submit("next", &resource).await;
    tokio::time::sleep(Duration::from_millis(random(1_500))).await;
    tokio::task::block_in_place(|| child.kill());
    let killed_ms = now_ms();
    let ended = server.ended(task).await;
    assert_eq!(ended.state, State::Cancelled);
    assert_eq!(ended.end.unwrap().why, EndWhy::WorkerLost);
    assert_eq!(server.ended(next).await.state, State::Succeeded);
    let handed_on_ms = began.lock().unwrap()[&resource];
    Killed {
        last: *proxy.granted().last().unwrap(),
        killed_ms,
        lost_ms: ended.ended.unwrap().ms(),
        handed_on_ms,
    }
}

fn random(below: u64) -> u64 {
    RandomState::new().build_hasher().finish() % below
}

#[test]
#[should_panic(expected = "before the lease had ended")]
fn a_loss_before_the_end_is_seen() {
    killed(999 - ROUNDING_MS).check();
}

#[test]
#[should_panic(expected = "too late")]
fn a_loss_long_after_the_end_is_seen() {
    killed(2_006 + ROUNDING_MS).check();
}

fn killed(lost_ms: u64) -> Killed {
    Killed {
        last: Granted {
            sent_ms: 0,
            answered_ms: 5,
        },
        killed_ms: 10,
        lost_ms,
        handed_on_ms: 1_500,
    }
}
