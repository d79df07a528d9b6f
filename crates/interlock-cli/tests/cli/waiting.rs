//! `submit --wait` and `tasks wait` with a worker at the other end.

use crate::run::{Server, blot, shown};
use interlock_api::Span;
use interlock_api::json::Json;
use interlock_api::run::{Again, Finish, Finishes, How, Register, RunError, Take};
use interlock_client::Client;

/// A worker that does one task and leaves.
async fn work(client: Client, how: How) {
    let register = Register {
        name: "w1".to_owned(),
        kinds: vec!["sync".to_owned()],
        takeover: false,
        policies: Vec::new(),
    };
    let session = client.work().register(&register).await.unwrap().session;
    let take = Take {
        session,
        number: 1,
        max: 1,
        wait: Span::from_ms(30_000),
        finishes: Vec::new(),
    };
    let taken = client.work().take(&take).await.unwrap();
    let error = RunError {
        message: "connection refused".to_owned(),
        detail: String::new(),
    };
    let finish = Finish {
        token: taken.hand_outs[0].token,
        how,
        result: (how == How::Succeed).then(|| Json::new("{\"packages\":42}".to_owned()).unwrap()),
        error: (how == How::Fail).then_some(error),
        again: (how == How::Fail).then_some(Again::Never),
        used: Vec::new(),
    };
    let finishes = Finishes {
        session,
        finishes: vec![finish],
    };
    let finished = client.work().finish(&finishes).await.unwrap();
    assert!(finished.finished[0].problem.is_none());
}

/// What `submit --wait` prints to standard output while a worker ends the task so.
fn wait(server: &Server, how: How) -> String {
    let client = Client::new(&server.address).unwrap();
    let worker = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(work(client, how));
    });
    let args = ["submit", "sync", "repository:f16", "--wait"];
    let mut command = server.command(&args);
    let output = command.output().unwrap();
    worker.join().unwrap();
    let code = output.status.code().unwrap();
    // Which lines of progress are seen is a matter of luck; they go to standard error.
    format!(
        "{}[exit {code}]\n",
        String::from_utf8(output.stdout).unwrap()
    )
}

#[test]
fn the_outcome_of_the_task_is_the_outcome_of_the_command() {
    let server = Server::start(&[]);
    server.talk(&[&["kinds", "set", "sync", "--lease", "5m"]]);
    let mut text = wait(&server, How::Succeed);
    text += &wait(&server, How::Fail);
    for args in [
        &["tasks", "show", "1"][..],
        &["tasks", "wait", "2"],
        &["failures", "list"],
        &["resources", "show", "repository:f16"],
        &["workers", "show", "w1"],
        &["failures", "retry", "sync", "--error", "connection refused"],
    ] {
        text += &shown(args, server.command(args));
    }
    // The number of a session says who came first, worker or task.
    let lines = text.lines().filter(|line| !line.starts_with("session"));
    let text = lines.collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(blot(&text));
}

#[test]
fn a_cancelled_task_ends_the_waiting_too() {
    let server = Server::start(&[]);
    server.talk(&[
        &["kinds", "set", "sync", "--lease", "5m"],
        &["submit", "sync", "a:1"],
    ]);
    let waiting = server.command(&["tasks", "wait", "1"]).spawn().unwrap();
    server.talk(&[&["tasks", "cancel", "1"]]);
    let code = waiting.wait_with_output().unwrap().status.code();
    assert_eq!(code, Some(6));
}
