//! A process that is killed while its take waits at the server: the task that was meant for it goes
//! to another.

use crate::child::{Child, Role, is_child, kind_of};
use crate::server::{AtWork, Running, lease};
use interlock_api::task::State;
use interlock_client::worker::Run;
use std::time::{Duration, Instant};

const LEASE_MS: u64 = 1_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_for_a_process_that_was_killed_goes_to_another() {
    if tokio::task::block_in_place(is_child) {
        return;
    }
    let server = Running::start().await;
    let kind = kind_of("gone");
    server
        .client
        .kinds()
        .set(&kind, &lease(LEASE_MS))
        .await
        .unwrap();
    let address = format!("http://127.0.0.1:{}", server.port);
    let test = "vanished::a_task_for_a_process_that_was_killed_goes_to_another";
    for round in 0..6 {
        let mut gone = Child::begin(test, Role::Brief, &address, "gone");
        server.idle("gone").await;
        let before = server.submit(&kind, "a:1");
        // In turns before, and so shortly after that the server may not have seen it.
        let task = if round % 2 == 0 {
            let task = before.await;
            tokio::task::block_in_place(|| gone.kill());
            task
        } else {
            tokio::task::block_in_place(|| gone.kill());
            before.await
        };
        let began = Instant::now();
        let other = server
            .worker("other")
            .handler(kind.as_str(), None, |_: Run, (): ()| async { Ok("other") });
        let other = AtWork::begin(other);
        let ended = server.ended(task).await;
        assert_eq!(ended.state, State::Succeeded);
        assert_eq!(ended.result.unwrap().get(), "\"other\"");
        // A lease and a second, and some for a busy machine.
        assert!(
            began.elapsed() < Duration::from_millis(LEASE_MS + 3_000),
            "round {round}"
        );
        other.drained().await.unwrap();
    }
    server.stop().await;
}
