//! Nodes that listen with TLS speak to one another with it.

use interlock_api::kind::KindPolicy;
use interlock_client::{Client, Error};
use interlock_pgtest::Server as Postgres;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

fn openssl(dir: &Path, arguments: &[&str]) {
    let said = Command::new("openssl")
        .args(arguments)
        .current_dir(dir)
        .output();
    let said = said.expect("openssl runs");
    let why = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{why}");
}

/// An authority, and a certificate of it for this machine.
fn certificates(dir: &Path) {
    let new = ["req", "-newkey", "rsa:2048", "-nodes"];
    let ca = [
        "-x509", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca",
    ];
    openssl(dir, &[&new[..], &ca[..]].concat());
    let node = [
        "-keyout", "node.key", "-out", "node.csr", "-subj", "/CN=node",
    ];
    openssl(dir, &[&new[..], &node[..]].concat());
    std::fs::write(dir.join("ext"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    let sign = [
        "x509", "-req", "-in", "node.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
    ];
    let to = [
        "-CAcreateserial",
        "-out",
        "node.pem",
        "-days",
        "2",
        "-extfile",
        "ext",
    ];
    openssl(dir, &[&sign[..], &to[..]].concat());
}

fn start(dir: &Path, url: &str, name: &str) -> (Node, String) {
    let port = interlock_pgtest::quiet_port();
    let child = Command::new(env!("CARGO_BIN_EXE_interlock"))
        .current_dir(dir)
        .env_clear()
        .env("INTERLOCK_STORE", url)
        .args([
            "serve",
            "--log",
            "warn",
            "--node",
            name,
            "--node-ca",
            "ca.pem",
        ])
        .args([
            "--tls-cert",
            "node.pem",
            "--tls-key",
            "node.key",
            "--listen",
        ])
        .arg(format!("127.0.0.1:{port}"))
        .stdout(Stdio::null())
        .spawn();
    (Node(child.unwrap()), format!("https://127.0.0.1:{port}"))
}

#[tokio::test]
async fn nodes_with_certificates_pass_requests_on() {
    let dir = tempfile::tempdir().unwrap();
    certificates(dir.path());
    let database = Postgres::shared().database();
    let (_first, one) = start(dir.path(), &database.url(), "n1");
    let (_second, other) = start(dir.path(), &database.url(), "n2");
    let ca = std::fs::read(dir.path().join("ca.pem")).unwrap();
    let policy = KindPolicy::default();
    for address in [one, other] {
        let client = Client::new(&address).unwrap().trusting(&ca).unwrap();
        let begun = Instant::now();
        // Whichever of them serves the namespace, both must answer for it.
        loop {
            match client.kinds().set("sync", &policy).await {
                Ok(_) => break,
                Err(Error::Problem(problem)) => assert_eq!(problem.status(), 503, "{problem}"),
                Err(_not_up_yet) => {}
            }
            assert!(begun.elapsed() < Duration::from_secs(60));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let nodes = client.nodes().list().await.unwrap().nodes;
        assert!(
            nodes
                .iter()
                .all(|node| node.address.starts_with("https://"))
        );
    }
}
