//! Handlers that stop neither when they have run too long nor when they are cancelled: their process
//! ends before the resource is handed on.

use crate::child::{Child, Role, is_alive, is_child, kind_of};
use crate::server::{AtWork, Running, lease};
use interlock_api::Span;
use interlock_api::kind::Retry;
use interlock_api::task::{Cancel, State};
use interlock_client::worker::{NOT_STOPPED, Run};
use rustix::process::Pid;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Long enough that a process of a busy machine has ended when it has told itself to.
const LEASE_MS: u64 = 4_000;

/// Who is at work on a resource, and whether it still was when the next one began.
type Seen = Arc<Mutex<BTreeMap<String, (Pid, Option<bool>)>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_whose_handler_does_not_stop_ends_before_the_resource_is_handed_on() {
    if tokio::task::block_in_place(is_child) {
        return;
    }
    let server = Arc::new(Running::start().await);
    let seen = Seen::default();
    let notes = seen.clone();
    let next = server.worker("next").concurrency(10);
    let next = next.handler("next", lease(60_000), move |run: Run, (): ()| {
        let mut notes = notes.lock().unwrap();
        let (pid, alive) = notes.get_mut(&run.resources()[0].resource).unwrap();
        *alive = Some(is_alive(*pid));
        async { Ok(()) }
    });
    let next = AtWork::begin(next);
    server.idle("next").await;
    let mut hanging = Vec::new();
    for role in [Role::Blocked, Role::Deaf] {
        for too_long in [true, false] {
            hanging.push(tokio::spawn(one(
                server.clone(),
                seen.clone(),
                role,
                too_long,
            )));
        }
    }
    for one in hanging {
        one.await.unwrap();
    }
    next.drained().await.unwrap();
    Arc::into_inner(server).unwrap().stop().await;
}

async fn one(server: Arc<Running>, seen: Seen, role: Role, too_long: bool) {
    let name = format!("{role:?}-{too_long}");
    let (kind, resource) = (kind_of(&name), format!("a:{name}"));
    let mut policy = lease(LEASE_MS);
    policy.grace = Some(Span::from_ms(300));
    policy.run_within = too_long.then_some(Span::from_ms(300));
    policy.retry = Some(Retry {
        tries: Some(1),
        ..Retry::default()
    });
    server.client.kinds().set(&kind, &policy).await.unwrap();
    let address = format!("http://127.0.0.1:{}", server.port);
    let test =
        "hanging::a_process_whose_handler_does_not_stop_ends_before_the_resource_is_handed_on";
    let mut child = Child::begin(test, role, &address, &name);
    seen.lock()
        .unwrap()
        .insert(resource.clone(), (child.pid(), None));
    server.idle(&name).await;
    let task = server.submit(&kind, &resource).await;
    server.started(task).await;
    let next = server.submit("next", &resource).await;
    if !too_long {
        // It is at work for longer than a lease, if it can beat at all.
        tokio::time::sleep(Duration::from_millis(LEASE_MS / 4)).await;
        let cancel = server.client.tasks().cancel(task, Cancel::default()).await;
        cancel.unwrap();
    }
    assert_eq!(server.ended(next).await.state, State::Succeeded);
    let (_, alive) = seen.lock().unwrap()[&resource];
    assert_eq!(alive, Some(false), "{name}: it was still at work");
    let ended = server.ended(task).await.state;
    if !too_long {
        assert_eq!(ended, State::Cancelled);
    }
    let status = tokio::task::spawn_blocking(move || child.ended()).await;
    assert_eq!(status.unwrap().code(), Some(NOT_STOPPED), "{name}");
}
