//! Bad ground is refused at the start, with cause and remedy.

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use interlock_pgtest::{Database, Server};
use interlock_store::{PostgresStore, StoreError};

fn refused(url: &str) -> (String, String) {
    match PostgresStore::open(url) {
        Err(StoreError::BadGround { cause, remedy }) => (cause, remedy),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was opened"),
    }
}

fn assert_refused(database: &Database<'_>, cause: &str, remedy: &str) {
    let found = refused(&database.url());
    assert!(found.0.contains(cause), "{found:?}");
    assert!(found.1.contains(remedy), "{found:?}");
    // Nothing was made.
    let made = database.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'interlock'");
    assert_eq!(made, "0");
}

#[test]
fn a_server_that_does_not_sync_is_refused() {
    let server = Server::start(&["fsync = off"]);
    assert_refused(&server.database(), "fsync is off", "fsync = on");
}

#[test]
fn a_server_that_may_tear_pages_is_refused() {
    let server = Server::start(&["full_page_writes = off"]);
    let database = server.database();
    assert_refused(
        &database,
        "full_page_writes is off",
        "full_page_writes = on",
    );
    server.reload(&["full_page_writes = on"]);
    // The signal is on its way: each new connection has the setting that holds then.
    while PostgresStore::open(&database.url()).is_err() {}
}

#[test]
fn a_role_that_does_not_wait_for_the_disk_is_refused() {
    let database = Server::shared().database();
    database.sql(&format!(
        "ALTER DATABASE {} SET synchronous_commit = off",
        database.name()
    ));
    assert_refused(&database, "synchronous_commit is off", "on");
}

#[test]
fn a_database_that_is_read_only_is_refused() {
    let database = Server::shared().database();
    database.sql(&format!(
        "ALTER DATABASE {} SET default_transaction_read_only = on",
        database.name()
    ));
    let found = refused(&database.url());
    assert!(
        found.0.contains("default_transaction_read_only"),
        "{found:?}"
    );
}

#[test]
fn a_standby_is_refused_until_it_is_promoted() {
    let server = Server::start(&["hot_standby = on"]);
    let database = server.database();
    server.stand_by();
    let found = refused(&database.url());
    assert!(found.0.contains("read-only standby"), "{found:?}");
    assert!(found.1.contains("primary"), "{found:?}");
    server.promote();
    PostgresStore::open(&database.url()).unwrap();
}

#[test]
fn another_encoding_is_refused() {
    let server = Server::shared();
    let latin = "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0";
    server.sql("postgres", latin);
    let url = format!("postgres://interlock@127.0.0.1:{}/latin", server.port());
    let found = refused(&url);
    assert!(found.0.contains("LATIN1"), "{found:?}");
    assert!(found.1.contains("UTF8"), "{found:?}");
}

#[test]
fn a_schema_of_somebody_elses_is_refused() {
    let database = Server::shared().database();
    database.sql("CREATE SCHEMA interlock; GRANT USAGE ON SCHEMA interlock TO interlock");
    let found = refused(&database.url());
    assert!(found.0.contains("not Interlock's"), "{found:?}");
}

#[test]
fn a_role_that_may_make_nothing_is_refused() {
    let database = Server::shared().database();
    database.sql(&format!(
        "CREATE ROLE stranger LOGIN; GRANT CONNECT ON DATABASE {} TO stranger",
        database.name()
    ));
    let url = database.url().replace("interlock@", "stranger@");
    let found = refused(&url);
    assert!(found.1.contains("GRANT CREATE"), "{found:?}");
}

#[test]
fn a_database_that_is_not_there_is_refused() {
    let database = Server::shared().database();
    let found = refused(&format!("{}_not_there", database.url()));
    assert!(found.0.contains("does not exist"), "{found:?}");
    assert!(found.1.contains("create the database"), "{found:?}");
}

#[test]
fn nobody_at_the_port_is_told_as_something_that_may_pass() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = PostgresStore::open(&format!("postgres://127.0.0.1:{port}/x"));
    let error = error.err().unwrap();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert!(error.retryable());
}

/// PgBouncer in front of a database, until it is dropped.
struct Bouncer {
    child: Child,
    port: u16,
    dir: tempfile::TempDir,
}

impl Bouncer {
    fn start(database: &Database<'_>, pool_mode: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let users = dir.path().join("users");
        fs::write(&users, "\"interlock\" \"\"\n").unwrap();
        let ini = dir.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {}\n\
             pool_mode = {pool_mode}\ndefault_pool_size = 10\nserver_reset_query = DISCARD ALL\n\
             ignore_startup_parameters = extra_float_digits\n",
            database.server().port(),
            users.display()
        );
        fs::write(&ini, text).unwrap();
        // It refuses to be root, as PostgreSQL does.
        let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
        let mut command = match root {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
                command.arg("pgbouncer");
                let all = fs::Permissions::from_mode(0o755);
                fs::set_permissions(dir.path(), all).unwrap();
                command
            }
            false => Command::new("pgbouncer"),
        };
        let mut child = command
            .arg(&ini)
            .stderr(Stdio::piped())
            .spawn()
            .expect("PgBouncer is installed: run tools/postgres");
        // It says when it listens, and goes on saying things that somebody must read.
        let mut said = child.stderr.take().unwrap();
        let (up, is_up) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let (mut text, mut some) = (String::new(), [0; 512]);
            while let Ok(count @ 1..) = said.read(&mut some) {
                text.push_str(&String::from_utf8_lossy(&some[..count]));
                if text.contains("process up") {
                    let _told_before = up.send(());
                }
            }
        });
        is_up.recv().expect("PgBouncer starts");
        Self { child, port, dir }
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
        assert!(self.dir.path().exists());
    }
}

#[test]
fn a_pooler_in_transaction_mode_is_refused() {
    let database = Server::shared().database();
    let bouncer = Bouncer::start(&database, "transaction");
    let found = refused(&database.url_by(bouncer.port));
    assert!(
        found.0.contains("PgBouncer in transaction mode"),
        "{found:?}"
    );
    assert!(found.1.contains("pool_mode = session"), "{found:?}");
}

#[test]
fn a_pooler_in_session_mode_is_welcome() {
    let database = Server::shared().database();
    let bouncer = Bouncer::start(&database, "session");
    PostgresStore::open(&database.url_by(bouncer.port)).unwrap();
}
