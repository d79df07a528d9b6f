//! Clients that send too slowly are cut off, and others are served meanwhile; whoever comes when all
//! places are taken is served when one is free.

use crate::client::{Caller, Running};
use interlock_server::door::DoorLimits;
use interlock_store::MemoryStore;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// As long as the door of these tests waits for headers or a body.
const PATIENCE: Duration = Duration::from_secs(3);
/// A slow client sends a byte so often: each before it could be taken for dead.
const DRIP: Duration = Duration::from_millis(100);
/// How long anything may take on a busy machine before it counts as not happening.
const AT_MOST: Duration = Duration::from_secs(20);
/// How long those who are not slow may have to wait for an answer.
const PROMPTLY: Duration = Duration::from_secs(2);
const SLOW_CLIENTS: usize = 200;

async fn start(limits: DoorLimits) -> Running {
    Running::with(Box::new(MemoryStore::new()), limits).await
}

fn impatient() -> DoorLimits {
    DoorLimits {
        headers_within: PATIENCE,
        body_within: PATIENCE,
        ..DoorLimits::default()
    }
}

async fn connect(address: &str) -> TcpStream {
    TcpStream::connect(address).await.expect("a connection")
}

/// Sends a beginning, then a byte now and then, until the server hangs up. Returns what it said, and
/// how long it put up with that.
async fn drip(address: String, beginning: String, byte: u8) -> (String, Duration) {
    let mut stream = connect(&address).await;
    let begun = Instant::now();
    stream
        .write_all(beginning.as_bytes())
        .await
        .expect("the beginning is welcome");
    let (mut from, mut to) = stream.split();
    let mut heard = Vec::new();
    let sending = async {
        while to.write_all(&[byte]).await.is_ok() {
            tokio::time::sleep(DRIP).await;
        }
        // The server has gone; what it said is read to its end.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        // A reset is as much an end as an orderly one.
        _end = from.read_to_end(&mut heard) => {}
        () = sending => {}
        () = tokio::time::sleep(AT_MOST) => panic!("the slow client was never cut off"),
    }
    (
        String::from_utf8_lossy(&heard).into_owned(),
        begun.elapsed(),
    )
}

/// Submits again and again until told to stop; returns how often, and the longest wait.
async fn submit_on(
    caller: Caller,
    mut stop: tokio::sync::oneshot::Receiver<()>,
) -> (u32, Duration) {
    let (mut count, mut longest) = (0, Duration::ZERO);
    while stop.try_recv().is_err() {
        let begun = Instant::now();
        let answer = caller
            .call("POST", "/v1/tasks", Some(r#"{"kind": "sync"}"#))
            .await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        longest = longest.max(begun.elapsed());
        count += 1;
        tokio::task::yield_now().await;
    }
    (count, longest)
}

/// Many slow clients of one sort, and others who are served all the while.
async fn many(beginning: impl Fn(usize) -> String, byte: u8) -> Vec<String> {
    let running = start(impatient()).await;
    let made = running
        .caller
        .call("PUT", "/v1/kinds/sync", Some("{}"))
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let others = tokio::spawn(submit_on(running.caller.clone(), stopped));
    let mut slow = JoinSet::new();
    for number in 0..SLOW_CLIENTS {
        let address = running.caller.address().to_owned();
        slow.spawn(drip(address, beginning(number), byte));
    }
    let slow = slow.join_all().await;
    stop.send(()).expect("others are being served");
    let (count, longest) = others.await.expect("no panic");
    assert!(longest < PROMPTLY, "somebody waited for {longest:?}");
    assert!(count > 20, "only {count} others were served");
    running.stop().await;
    for (heard, after) in &slow {
        // Cut off by the limit: not at once, nor much later.
        assert!(*after >= PATIENCE / 2, "cut off after {after:?}: {heard}");
        assert!(*after < AT_MOST / 2, "cut off after {after:?}: {heard}");
    }
    slow.into_iter().map(|(heard, _)| heard).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_with_slow_headers_are_cut_off_while_others_are_served() {
    let beginning = |number: usize| match number % 3 {
        0 => "GET /v1/status HTTP/1.1\r\nhost: x\r\nx-slow: ".to_owned(),
        1 => "POST /v1/ta".to_owned(),
        _ => String::new(),
    };
    for heard in many(beginning, b'a').await {
        // Nothing was asked, so nothing is granted.
        assert!(
            heard.is_empty() || heard.starts_with("HTTP/1.1 408"),
            "{heard}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_with_slow_bodies_are_told_so_and_cut_off_while_others_are_served() {
    let beginning = |number: usize| {
        let path = ["/v1/tasks", "/v1/tasks/batch", "/v1/work/register"][number % 3];
        let size = 1_000_000;
        let head = "host: x\r\ncontent-type: application/json";
        format!("POST {path} HTTP/1.1\r\n{head}\r\ncontent-length: {size}\r\n\r\n{{")
    };
    for heard in many(beginning, b' ').await {
        assert!(heard.starts_with("HTTP/1.1 408 "), "{heard:?}");
        assert!(heard.contains(r#""code":"timeout""#), "{heard}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_with_slow_chunks_are_cut_off_too() {
    let beginning = |_| {
        let head = "host: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked";
        format!("POST /v1/tasks HTTP/1.1\r\n{head}\r\n\r\nfffff\r\n{{")
    };
    for heard in many(beginning, b' ').await {
        assert!(heard.starts_with("HTTP/1.1 408 "), "{heard:?}");
    }
}

/// Whoever keeps a connection and asks nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_is_closed() {
    let running = start(impatient()).await;
    let mut stream = connect(running.caller.address()).await;
    let ask = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(ask).await.expect("it is welcome");
    let mut heard = Vec::new();
    let end = tokio::time::timeout(AT_MOST, stream.read_to_end(&mut heard)).await;
    end.expect("it is closed").expect("in order");
    assert!(heard.starts_with(b"HTTP/1.1 200 OK"));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beyond_the_limit_of_connections_one_waits_until_another_has_gone() {
    let limits = DoorLimits {
        connections_max: 3,
        ..DoorLimits::default()
    };
    let running = start(limits).await;
    let address = running.caller.address().to_owned();
    let ask = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    let mut answer = [0; 12];
    let mut inside = Vec::new();
    for _ in 0..3 {
        let mut stream = connect(&address).await;
        stream.write_all(ask).await.expect("it is welcome");
        stream.read_exact(&mut answer).await.expect("an answer");
        inside.push(stream);
    }
    let mut outside = connect(&address).await;
    outside.write_all(ask).await.expect("it is buffered");
    let early = tokio::time::timeout(PATIENCE, outside.read_exact(&mut answer)).await;
    assert!(early.is_err(), "a fourth was let in");
    // Those inside are still served.
    inside[0].write_all(ask).await.expect("it is welcome");
    inside[0].read_exact(&mut answer).await.expect("an answer");
    drop(inside.pop());
    let late = tokio::time::timeout(AT_MOST, outside.read_exact(&mut answer)).await;
    late.expect("it was let in").expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 200");
    drop((inside, outside));
    running.stop().await;
}

/// Slow clients take all places, and are no reason for others to wait for long.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn places_taken_by_slow_clients_become_free() {
    let limits = DoorLimits {
        connections_max: 5,
        ..impatient()
    };
    let running = start(limits).await;
    let address = running.caller.address().to_owned();
    let mut slow = Vec::new();
    for _ in 0..5 {
        let mut stream = connect(&address).await;
        let beginning = b"GET / HTTP/1.1\r\nx: ";
        stream.write_all(beginning).await.expect("it is buffered");
        slow.push(stream);
    }
    // Connections are let in in the order in which they came, so this one has to wait.
    let begun = Instant::now();
    let call = running.caller.call("GET", "/v1/status", None);
    let answer = tokio::time::timeout(AT_MOST, call).await;
    assert_eq!(answer.expect("a place becomes free").status, 200);
    assert!(
        begun.elapsed() >= PATIENCE / 2,
        "there was room for a sixth"
    );
    running.stop().await;
}
