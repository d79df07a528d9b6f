//! TLS to the database.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use interlock_pgtest::Server;
use interlock_store::{PostgresStore, Store};

/// A server with a certificate for `localhost`, by an authority of its own.
fn server_with_tls() -> (Server, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let openssl = |arguments: &[&str]| {
        let said = Command::new("openssl")
            .args(arguments)
            .current_dir(dir.path())
            .output();
        let said = said.expect("openssl runs");
        assert!(
            said.status.success(),
            "{}",
            String::from_utf8_lossy(&said.stderr)
        );
    };
    let new = ["req", "-newkey", "rsa:2048", "-nodes", "-days", "30"];
    let with = |more: &[&str]| -> Vec<String> {
        new.iter()
            .chain(more)
            .map(|&text| text.to_owned())
            .collect()
    };
    let run = |arguments: Vec<String>| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        openssl(&arguments);
    };
    run(with(&[
        "-x509",
        "-keyout",
        "ca.key",
        "-out",
        "ca.pem",
        "-subj",
        "/CN=authority",
    ]));
    run(with(&[
        "-keyout",
        "server.key",
        "-out",
        "server.csr",
        "-subj",
        "/CN=localhost",
    ])
    .into_iter()
    .filter(|text| text != "-days" && text != "30")
    .collect());
    fs::write(dir.path().join("ext"), "subjectAltName=DNS:localhost\n").unwrap();
    openssl(&[
        "x509",
        "-req",
        "-in",
        "server.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-out",
        "server.pem",
        "-days",
        "30",
        "-extfile",
        "ext",
    ]);
    let server = Server::start(&[]);
    for (from, to) in [("server.pem", "server.crt"), ("server.key", "server.key")] {
        let to = server.data().join(to);
        fs::copy(dir.path().join(from), &to).unwrap();
        let owner = fs::metadata(server.data()).unwrap();
        let (user, group) = {
            use std::os::unix::fs::MetadataExt as _;
            (owner.uid(), owner.gid())
        };
        std::os::unix::fs::chown(&to, Some(user), Some(group)).unwrap();
        let own = fs::Permissions::from_mode(0o600);
        fs::set_permissions(&to, own).unwrap();
    }
    server.down();
    let hba = server.data().join("pg_hba.conf");
    // The superuser of the tests comes as before; everybody else with a password, over TLS.
    let lines = "host all postgres 127.0.0.1/32 trust\n\
        hostssl all all 127.0.0.1/32 scram-sha-256\n";
    fs::write(&hba, lines).unwrap();
    let conf = server.data().join("postgresql.conf");
    let text = fs::read_to_string(&conf).unwrap() + "ssl = on\n";
    fs::write(&conf, text).unwrap();
    server.up();
    server.sql("postgres", "ALTER ROLE interlock PASSWORD 'open sesame'");
    (server, dir)
}

#[test]
fn sslmode_is_honoured() {
    let (server, dir) = server_with_tls();
    let database = server.database();
    let url = |host: &str, query: &str| {
        let (port, name) = (server.port(), database.name());
        format!(
            "postgres://interlock:open%20sesame@{host}:{port}/{name}?hostaddr=127.0.0.1&{query}"
        )
    };
    let roots = format!("sslrootcert={}", dir.path().join("ca.pem").display());
    let open = |host: &str, query: &str| PostgresStore::open(&url(host, query));
    let refused = |host: &str, query: &str, why: &str| {
        let error = open(host, query)
            .err()
            .expect("it must be refused")
            .to_string();
        assert!(error.contains(why), "{query}: {error}");
    };
    for query in ["", "sslmode=prefer", "sslmode=require"] {
        open("elsewhere", query).unwrap();
    }
    refused("localhost", "sslmode=disable", "pg_hba.conf");
    // By the authority, whatever the name; or by both.
    open("elsewhere", &format!("sslmode=verify-ca&{roots}")).unwrap();
    let mut store = open("localhost", &format!("sslmode=verify-full&{roots}")).unwrap();
    refused(
        "elsewhere",
        &format!("sslmode=verify-full&{roots}"),
        "not valid for name",
    );
    refused("localhost", "sslmode=verify-ca", "UnknownIssuer");
    refused(
        "localhost",
        "sslmode=verify-full&sslrootcert=system",
        "UnknownIssuer",
    );
    store.put_setting("a", Some(b"1")).unwrap();
    let ciphered = "SELECT count(*) > 0 FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
        WHERE s.ssl AND a.usename = 'interlock'";
    assert_eq!(database.sql(ciphered), "t");
    let wrong = url("localhost", "").replace("open%20sesame", "wrong");
    let error = PostgresStore::open(&wrong).err().unwrap().to_string();
    assert!(
        error.contains("password") && !error.contains("wrong"),
        "{error}"
    );
}
