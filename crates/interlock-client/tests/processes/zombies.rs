//! Workers that stand still for longer than their lease and then go on: whatever they say is refused,
//! and the newer run does not notice.

use crate::child::{Child, Role, is_child, kind_of};
use crate::server::{AtWork, Running, lease};
use interlock_api::Code;
use interlock_api::run::FinishAnswer;
use interlock_api::task::{State, Task};
use interlock_client::worker::Run;
use rustix::process::Signal;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

const LEASE_MS: u64 = 1_000;
/// In tenths of a lease.
const ASLEEP: [u64; 6] = [11, 13, 20, 35, 60, 100];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_stood_still_is_refused_and_the_newer_run_goes_on() {
    if tokio::task::block_in_place(is_child) {
        return;
    }
    let server = Arc::new(Running::start().await);
    let zombies = [Role::Careless, Role::Brief].into_iter();
    let zombies = zombies.flat_map(|role| ASLEEP.map(|tenths| (role, tenths)));
    let zombies = zombies.map(|(role, tenths)| tokio::spawn(one(server.clone(), role, tenths)));
    for zombie in zombies.collect::<Vec<_>>() {
        zombie.await.unwrap();
    }
    Arc::into_inner(server).unwrap().stop().await;
}

async fn one(server: Arc<Running>, role: Role, tenths: u64) {
    let name = format!("{role:?}-{tenths}");
    let (kind, resource) = (kind_of(&name), format!("a:{name}"));
    server
        .client
        .kinds()
        .set(&kind, &lease(LEASE_MS))
        .await
        .unwrap();
    let address = format!("http://127.0.0.1:{}", server.port);
    let test = "zombies::a_worker_that_stood_still_is_refused_and_the_newer_run_goes_on";
    let child = Child::begin(test, role, &address, &name);
    server.idle(&name).await;
    let task = server.submit(&kind, &resource).await;
    let (mut child, began) = blocking(child, |child| child.said("began")).await;
    assert_eq!(began, task.to_string());
    child.signal(Signal::STOP);
    let asleep = tokio::time::sleep(Duration::from_millis(tenths * LEASE_MS / 10));

    // The newer run begins when the lease has ended, and goes on until it is told.
    let (finish, wait) = watch::channel(false);
    let newer = server.worker(&format!("newer-{name}"));
    let newer = newer.handler(kind, None, move |_: Run, (): ()| {
        let mut wait = wait.clone();
        async move {
            let _told = wait.wait_for(|told| *told).await;
            Ok("new")
        }
    });
    let newer = AtWork::begin(newer);
    asleep.await;
    child.tell();
    child.signal(Signal::CONT);
    if role == Role::Careless {
        let (_, answer) = blocking(child, |child| child.said("answer")).await;
        let answer: FinishAnswer = serde_json::from_str(&answer).unwrap();
        let refused = answer.problem.as_ref().map(|problem| problem.code);
        assert_eq!(refused, Some(Code::StaleToken), "{answer:?}");
        assert_eq!(answer.outcome, None);
    } else {
        // Its handler has come to its result by now, and it has dropped it.
        tokio::time::sleep(Duration::from_millis(LEASE_MS)).await;
    }
    let run = running(&server, task, &name).await;
    tokio::time::sleep(Duration::from_millis(LEASE_MS / 2)).await;
    assert_eq!(
        running(&server, task, &name).await,
        run,
        "it was not touched"
    );
    finish.send(true).unwrap();
    let ended = server.ended(task).await;
    assert_eq!((ended.state, ended.losses), (State::Succeeded, 1));
    assert_eq!(ended.result.unwrap().get(), "\"new\"");
    newer.drained().await.unwrap();
}

/// The run of the newer worker, when there is one.
async fn running(server: &Running, task: u64, name: &str) -> String {
    let newer = format!("newer-{name}");
    loop {
        let shown: Task = server.client.tasks().show(task).await.unwrap();
        assert!(shown.result.is_none(), "{shown:?}");
        match shown.run {
            Some(run) if run.worker == newer => return format!("{}", run.token),
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// Does something with a child that takes a while.
async fn blocking<T: Send + 'static>(
    child: Child,
    act: impl FnOnce(&Child) -> T + Send + 'static,
) -> (Child, T) {
    let acting = tokio::task::spawn_blocking(move || {
        let done = act(&child);
        (child, done)
    });
    acting.await.unwrap()
}
