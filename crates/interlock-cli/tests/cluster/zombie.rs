//! A node that stood still past its lease finds requests waiting for it when it wakes up, and must not
//! answer them from memory: whoever took over has given each run a lease of its own.

use crate::nodes::Nodes;
use interlock_api::kind::KindPolicy;
use interlock_pgtest::{Wire, Wires};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A request that is sent and whose answer is read later.
struct Asked(TcpStream);

impl Asked {
    fn send(address: &str, path: &str, body: &Value) -> Self {
        let address = address.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let (body, timeout) = (body.to_string(), Duration::from_secs(30));
        stream.set_read_timeout(Some(timeout)).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        Self(stream)
    }

    fn answer(mut self) -> (u16, Value) {
        let mut text = String::new();
        self.0.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.get(9..12).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_wakes_up_past_its_lease_renews_nothing() {
    let nodes = Nodes::start_with(Wires::Between).await;
    let client = nodes.client_of_all();
    let policy = KindPolicy::default();
    client.kinds().set("sync", &policy).await.unwrap();
    let owner = nodes.owner("default").await;
    let address = nodes.address(owner);
    let ask = |path: &str, body: Value| Asked::send(&address, path, &body).answer();
    let (_, registered) = ask("/v1/work/register", json!({"name": "w", "kinds": ["sync"]}));
    let session = registered["session"].clone();
    ask(
        "/v1/tasks",
        json!({"kind": "sync", "resources": ["shop:1"]}),
    );
    let (_, taken) = ask(
        "/v1/work/take",
        json!({"session": session, "number": 1, "max": 1}),
    );
    let token = taken["hand_outs"][0]["token"].clone();
    assert!(token.is_string(), "{taken}");
    let beat = json!({"session": session, "runs": [{"token": token}]});
    let (status, answer) = ask("/v1/work/beat", beat.clone());
    assert_eq!(status, 200, "{answer}");

    // It stands still with a beat and a finish in its ears, until another node serves the namespace;
    // which it can't reach, so that it could only answer by itself.
    nodes.signal(owner, "STOP");
    let finish = json!({"session": session, "finishes": [{"token": token, "how": "succeed"}]});
    let waiting = [
        Asked::send(&address, "/v1/work/beat", &beat),
        Asked::send(&address, "/v1/work/finish", &finish),
    ];
    let next = nodes.next_owner("default", owner).await;
    nodes.to_it(next).set(Wire::Cut);
    nodes.signal(owner, "CONT");
    for asked in waiting {
        let (status, answer) = asked.answer();
        assert_eq!(status, 503, "{answer}");
    }
    nodes.to_it(next).set(Wire::Whole);

    // The run is as it was, and its worker can go on with it by way of any node.
    let (status, answer) = Asked::send(&nodes.address(next), "/v1/work/finish", &finish).answer();
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["finished"][0]["outcome"], "succeeded", "{answer}");
}
