//! A primary with a synchronous standby: the primary is killed and the standby promoted, and nothing
//! that was acknowledged is lost.

use crate::nodes::Nodes;
use interlock_api::claim::Claim;
use interlock_api::kind::KindPolicy;
use interlock_api::submission::Submission;
use interlock_pgtest::{Server, Wires};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const BACK_WITHIN: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_with_the_primary() {
    // They end with the process.
    let primary: &'static Server = Box::leak(Box::new(Server::start(&[])));
    let database = primary.database();
    let standby = Server::standby_of(primary);
    let (ports, name) = ((primary.port(), standby.port()), database.name().to_owned());
    // Several hosts: the one that takes writes is used. No wire in between.
    let url = move |_: u16| {
        format!(
            "postgres://interlock@127.0.0.1:{},127.0.0.1:{}/{name}",
            ports.0, ports.1
        )
    };
    let nodes = Nodes::start_on(database, primary.port(), Wires::None, url).await;
    let client = nodes.client_of_all();
    let policy = KindPolicy::default();
    client.kinds().set("sync", &policy).await.unwrap();
    let is_waited_for = primary.sql(
        "postgres",
        "SELECT sync_state FROM pg_stat_replication WHERE application_name = 'standby'",
    );
    assert_eq!(is_waited_for, "sync");

    let go_on = Arc::new(AtomicBool::new(true));
    let submitting: Vec<_> = (0..4)
        .map(|number| {
            let (client, go_on) = (nodes.client_of_all(), go_on.clone());
            tokio::spawn(async move {
                let mut acknowledged = Vec::new();
                for count in 0.. {
                    let claim = Claim {
                        resource: format!("repository:{number}"),
                        op: None,
                    };
                    let mut wanted = Submission::new("sync", [claim]);
                    wanted.idempotency_key = Some(format!("{number}-{count}"));
                    while go_on.load(Ordering::Relaxed) {
                        if let Ok(report) = client.tasks().submit(&wanted).await {
                            acknowledged.extend(report.task);
                            break;
                        }
                    }
                    if !go_on.load(Ordering::Relaxed) {
                        break;
                    }
                }
                acknowledged
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    primary.kill();
    standby.promote();
    let (begun, probe) = (Instant::now(), nodes.client_of_all());
    let claim = Claim {
        resource: "probe:1".into(),
        op: None,
    };
    while let Err(error) = probe
        .tasks()
        .submit(&Submission::new("sync", [claim.clone()]))
        .await
    {
        assert!(begun.elapsed() < BACK_WITHIN, "{error}");
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    go_on.store(false, Ordering::Relaxed);
    let mut acknowledged = Vec::new();
    for submitter in submitting {
        acknowledged.extend(submitter.await.unwrap());
    }
    assert!(acknowledged.len() > 20, "there was something to lose");
    for task in acknowledged {
        let shown = client.tasks().show(task).await;
        assert!(shown.is_ok(), "task {task}: {shown:?}");
    }
}
