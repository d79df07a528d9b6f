//! Shops: limits that are never broken, who goes first, and the ladder of waits.

use crate::server::Running;
use crate::workers::Story;
use interlock_api::task::State;
use interlock_examples::ask::{ended, set_kinds};
use interlock_examples::shop_sync::api::{Seen, Shops};
use interlock_examples::shop_sync::kinds;
use interlock_examples::shop_sync::traffic::sync;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A day of six seconds.
const SPEED: u64 = 14_400;

/// A server, the shops, and the program for workers.
async fn set_up() -> (Running, Shops, Story<'static>) {
    let server = Running::start().await;
    kinds::set_quota(&server.client, SPEED.into())
        .await
        .unwrap();
    let kinds = kinds::all(SPEED.into());
    set_kinds(&server.client, kinds).await.unwrap();
    let (shops, address) = Shops::open("127.0.0.1:0", SPEED.into()).await.unwrap();
    let story = Story {
        program: env!("CARGO_BIN_EXE_shop_sync"),
        speed: SPEED,
        more: vec!["--shops".to_owned(), address.to_string()],
    };
    (server, shops, story)
}

fn assert_kept(seen: &Seen) {
    let broken = (seen.too_many, seen.stale, seen.overlaps);
    assert_eq!(broken, (0, 0, 0));
}

/// How often a shop was called by two workers within one second.
fn moves(seen: &Seen) -> usize {
    let mut last = BTreeMap::new();
    let moved = seen.calls.iter().filter(|(at, call)| {
        let before = last.insert(&call.shop, (*at, &call.worker));
        before.is_some_and(|(before, worker)| {
            *worker != call.worker && *at - before < Duration::from_secs(1)
        })
    });
    moved.count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_limit_is_broken_when_shops_move_and_workers_die_and_come() {
    let (server, shops, story) = set_up().await;
    let first = story.worker(&server, "w1", 16);
    let _second = story.worker(&server, "w2", 16);
    let mut tasks = Vec::new();
    for shop in 0..200 {
        for kind in ["regular", "push"] {
            tasks.push(sync(&server.client, kind, shop, 2).await.unwrap());
        }
    }
    // Some want more than their second, and more than their day.
    for shop in 0..8 {
        for _ in 0..9 {
            let task = sync(&server.client, "on-demand", shop, 6).await;
            tasks.push(task.unwrap());
        }
    }
    shops.called(150).await;
    first.kill();
    let _third = story.worker(&server, "w3", 16);
    for task in tasks {
        let shown = ended(&server.client, task).await.unwrap();
        assert_eq!(
            (shown.state, shown.tries),
            (State::Succeeded, 0),
            "{shown:?}"
        );
    }
    let seen = shops.seen();
    assert_kept(&seen);
    assert!(moves(&seen) > 0);
    let workers: BTreeSet<&str> = seen.calls.iter().map(|(_, call)| &*call.worker).collect();
    assert_eq!(workers, BTreeSet::from(["w1", "w2", "w3"]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_on_demand_goes_first() {
    let (server, shops, story) = set_up().await;
    let mut tasks = Vec::new();
    for (kind, first) in [("regular", 0), ("push", 10), ("on-demand", 20)] {
        for shop in first..first + 10 {
            tasks.push(sync(&server.client, kind, shop, 1).await.unwrap());
        }
    }
    let _worker = story.worker(&server, "w1", 1);
    for task in tasks {
        let shown = ended(&server.client, task).await.unwrap();
        assert_eq!(shown.state, State::Succeeded);
    }
    let seen = shops.seen();
    assert_kept(&seen);
    let kinds: Vec<&str> = seen.calls.iter().map(|(_, call)| &*call.kind).collect();
    let expected = ["on-demand", "push", "regular"].map(|kind| [kind; 10]);
    assert_eq!(kinds, expected.concat());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shop_that_is_down_is_tried_again_by_the_ladder() {
    let (server, shops, story) = set_up().await;
    let _worker = story.worker(&server, "w1", 4);
    shops.break_down("shop:1", 4);
    let task = sync(&server.client, "regular", 1, 1).await.unwrap();
    let shown = ended(&server.client, task).await.unwrap();
    assert_eq!((shown.state, shown.tries), (State::Succeeded, 4));
    let seen = shops.seen();
    assert_kept(&seen);
    let ladder = kinds::ladder(SPEED.into());
    assert_eq!(seen.calls.len(), ladder.len() + 1);
    for (pair, rung) in seen.calls.windows(2).zip(ladder) {
        let waited = pair[1].0 - pair[0].0;
        assert!(
            waited >= Duration::from_millis(rung.ms()),
            "{waited:?} of {rung}"
        );
    }
    let shop = server.client.resources().show("shop:1").await.unwrap();
    let last = shop.last.iter().find(|last| last.kind == "regular");
    assert_eq!(last.unwrap().succeeded.as_ref().unwrap().task, task);
    assert_eq!(shop.quotas[0].quota, kinds::QUOTA);
    server.stop().await;
}
