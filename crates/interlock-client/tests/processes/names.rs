//! Two processes under one name: the second waits while the first is at work.

use crate::child::{Child, Role, is_child, kind_of};
use crate::server::{Running, lease};
use interlock_api::task::State;
use std::time::Duration;

const LEASE_MS: u64 = 1_000;
const TEST: &str = "names::a_second_process_of_a_name_waits_until_the_first_is_done_or_dead";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_of_a_name_waits_until_the_first_is_done_or_dead() {
    if tokio::task::block_in_place(is_child) {
        return;
    }
    let server = Running::start().await;
    let address = format!("http://127.0.0.1:{}", server.port);
    for (name, dies) in [("w1", false), ("w2", true)] {
        let kind = kind_of(name);
        server
            .client
            .kinds()
            .set(&kind, &lease(LEASE_MS))
            .await
            .unwrap();
        let mut first = Child::begin(TEST, Role::Patient, &address, name);
        server.idle(name).await;
        let busy = server.submit(&kind, "a:1").await;
        tokio::task::block_in_place(|| first.said("began"));
        let session = server.client.workers().show(name).await.unwrap().session;
        let second = Child::begin(TEST, Role::Brief, &address, name);
        let waiting = server.submit(&kind, "a:2").await;
        // Two leases of the first, which beats.
        tokio::time::sleep(Duration::from_millis(2 * LEASE_MS)).await;
        let shown = server.client.workers().show(name).await.unwrap();
        assert_eq!(shown.session, session, "the second has taken its place");
        assert_eq!(state(&server, waiting).await, State::Waiting);
        assert_eq!(state(&server, busy).await, State::Running);
        if dies {
            tokio::task::block_in_place(|| first.kill());
        } else {
            // From then on it gets nothing more, not even if it asks.
            server.client.workers().drain(name).await.unwrap();
            first.tell();
        }
        assert_eq!(server.ended(waiting).await.state, State::Succeeded);
        let began = tokio::task::block_in_place(|| second.said("began"));
        assert!(
            [busy, waiting]
                .map(|task| task.to_string())
                .contains(&began)
        );
        let ended = server.ended(busy).await;
        assert_eq!((ended.state, ended.losses > 0), (State::Succeeded, dies));
    }
    server.stop().await;
}

async fn state(server: &Running, task: u64) -> State {
    server.client.tasks().show(task).await.unwrap().state
}
