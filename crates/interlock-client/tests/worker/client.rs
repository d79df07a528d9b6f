//! The client: TLS, lists of servers, retries, events.

use crate::server::{AtWork, Running, lease, submission};
use interlock_api::event::{EventQuery, What};
use interlock_client::worker::Run;
use interlock_client::{Client, Error, Retry};
use interlock_server::door::Tls;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tls")
        .join(name)
}

#[tokio::test]
async fn a_server_is_spoken_to_over_tls_if_somebody_vouches_for_it() {
    let tls = Tls {
        cert: file("server.pem"),
        key: file("server.key"),
    };
    let server = Running::start_with(Some(tls)).await;
    let address = format!("https://localhost:{}", server.port);
    let client = Client::new(&address).unwrap().retrying(Retry::NONE);
    let stranger = client.clone().tasks().show(1).await;
    assert!(
        matches!(stranger, Err(Error::Unreachable { .. })),
        "{stranger:?}"
    );
    let authority = std::fs::read(file("ca.pem")).unwrap();
    let client = client.trusting(&authority).unwrap();
    client.kinds().set("sync", &lease(15_000)).await.unwrap();
    assert!(client.clone().trusting(b"nothing").is_err());
    drop(client);
    server.stop().await;
}

#[tokio::test]
async fn of_several_servers_the_one_that_is_there_is_asked() {
    let server = Running::start().await;
    // Nobody listens at the first one.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = listener.local_addr().unwrap();
    drop(listener);
    let list = format!("http://{gone},http://127.0.0.1:{}", server.port);
    let client = Client::new(&list).unwrap();
    client.kinds().set("sync", &lease(15_000)).await.unwrap();
    let report = client
        .tasks()
        .submit(&submission("sync", "a:1"))
        .await
        .unwrap();
    assert_eq!(report.task, Some(1));
    assert_eq!(client.server(), format!("http://127.0.0.1:{}", server.port));
    drop(client);
    server.stop().await;
}

#[tokio::test]
async fn a_submission_whose_answer_was_lost_is_submitted_once() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let server = Running::start().await;
    server
        .client
        .kinds()
        .set("sync", &lease(15_000))
        .await
        .unwrap();
    // A proxy that swallows the first answer.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let port = server.port;
    let proxy = tokio::spawn(async move {
        for swallow in [true, false] {
            let (mut near, _) = listener.accept().await.unwrap();
            let mut far = tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .unwrap();
            let mut request = vec![0; 64 << 10];
            let read = near.read(&mut request).await.unwrap();
            far.write_all(&request[..read]).await.unwrap();
            let mut answer = vec![0; 64 << 10];
            let read = far.read(&mut answer).await.unwrap();
            if !swallow {
                near.write_all(&answer[..read]).await.unwrap();
            }
        }
    });
    let client = Client::new(&format!("http://{address}")).unwrap();
    let report = client
        .tasks()
        .submit(&submission("sync", "a:1"))
        .await
        .unwrap();
    assert!(report.repeated, "{report:?}");
    assert_eq!(report.task, Some(1));
    proxy.await.unwrap();
    drop(client);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_go_on_where_they_were_after_the_server_was_away() {
    let dir = tempfile::TempDir::new().unwrap();
    let server = Running::start_in(dir.path(), 0).await;
    let port = server.port;
    server
        .client
        .kinds()
        .set("sync", &lease(15_000))
        .await
        .unwrap();
    let mut events = server.client.events(EventQuery {
        from: Some(0),
        ..EventQuery::default()
    });
    let mut seen = Vec::new();
    let first = server.submit("sync", "a:1").await;
    while seen.last() != Some(&first) {
        note(&mut seen, events.next().await.unwrap().what);
    }
    let quiet = Client::new(&format!("http://127.0.0.1:{port}")).unwrap();
    server.stop().await;
    let server = Running::start_in(dir.path(), port).await;
    let second = quiet
        .tasks()
        .submit(&submission("sync", "a:1"))
        .await
        .unwrap();
    let worker = server
        .worker("w1")
        .handler("sync", None, |_: Run, (): ()| async { Ok(()) });
    let worker = AtWork::begin(worker);
    let waiting = async {
        while seen.last() != second.task.as_ref() {
            note(&mut seen, events.next().await.unwrap().what);
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting)
        .await
        .unwrap();
    assert_eq!(seen, [first, second.task.unwrap()]);
    worker.drained().await.unwrap();
    drop((events, quiet));
    server.stop().await;
}

fn note(seen: &mut Vec<u64>, what: What) {
    if let What::Submitted(task) = what {
        seen.push(task.task);
    }
}
