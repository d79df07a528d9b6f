//! A worker in a process of its own: the same program, told by its environment to be the child, and
//! by its role what to do.

use interlock_client::Client;
use interlock_client::worker::{Run, Worker};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

const ROLE: &str = "INTERLOCK_TEST_ROLE";
const SERVER: &str = "INTERLOCK_TEST_SERVER";
const NAME: &str = "INTERLOCK_TEST_NAME";

/// What a child does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A worker whose handlers go on until they are told to stop, or to finish.
    Patient,
    /// A worker whose handlers block the thread they are on.
    Blocked,
    /// A worker whose handlers are threads that heed nothing.
    Deaf,
    /// A worker whose handlers take a moment.
    Brief,
    /// Takes one task by hand, and finishes it when told, whatever its lease says.
    Careless,
}

const ROLES: [Role; 5] = [
    Role::Patient,
    Role::Blocked,
    Role::Deaf,
    Role::Brief,
    Role::Careless,
];

/// The one kind that the worker of a name handles: no other gets its tasks.
pub(crate) fn kind_of(name: &str) -> String {
    format!("job-{name}")
}

/// In the child: does what the role says, and says so. In the test itself nothing.
pub(crate) fn is_child() -> bool {
    let Ok(role) = std::env::var(ROLE) else {
        return false;
    };
    let role = ROLES.into_iter().find(|one| format!("{one:?}") == role);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(play(role.unwrap()));
    true
}

async fn play(role: Role) {
    let client = Client::new(&std::env::var(SERVER).unwrap()).unwrap();
    let name = std::env::var(NAME).unwrap();
    if role == Role::Careless {
        return careless(&client, name).await;
    }
    let worker = Worker::new(client).name(&name);
    let worker = worker.handler(kind_of(&name), None, move |run: Run, (): ()| act(role, run));
    worker.run().await.unwrap();
}

async fn act(role: Role, run: Run) -> Result<&'static str, interlock_client::worker::Error> {
    say(&format!("began {}", run.task()));
    match role {
        Role::Patient => {
            let told = tokio::task::spawn_blocking(hear);
            tokio::select! {
                _ = run.cancelled() => run.check()?,
                told = told => told.unwrap(),
            }
        }
        Role::Brief => tokio::time::sleep(Duration::from_millis(300)).await,
        Role::Blocked => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        Role::Deaf => {
            let deaf = tokio::task::spawn_blocking(move || {
                while run.attempt() > 0 {
                    std::thread::sleep(Duration::from_secs(1));
                }
            });
            deaf.await.unwrap()
        }
        Role::Careless => unreachable!("it has no handler"),
    }
    Ok("old")
}

/// What no worker of the library does: it goes on with a run whatever the clock says.
async fn careless(client: &Client, name: String) {
    use interlock_api::Span;
    use interlock_api::json::Json;
    use interlock_api::run::{Finish, Finishes, How, Register, Take};
    let register = Register {
        kinds: vec![kind_of(&name)],
        name,
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
    let token = taken.hand_outs[0].token;
    say(&format!("began {}", taken.hand_outs[0].task));
    hear();
    let finish = Finish {
        token,
        how: How::Succeed,
        result: Some(Json::of(&"old").unwrap()),
        error: None,
        again: None,
        used: Vec::new(),
    };
    let finishes = vec![finish];
    let answer = client.work().finish(&Finishes { session, finishes }).await;
    let answer = answer.unwrap().finished.remove(0);
    say(&format!(
        "answer {}",
        serde_json::to_string(&answer).unwrap()
    ));
}

fn say(what: &str) {
    // On a line of its own, whatever the test harness has printed before.
    println!("\n{what}");
    std::io::stdout().flush().unwrap();
}

/// Waits for a line from the test.
fn hear() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
}

/// A child; gone with the test.
pub(crate) struct Child {
    process: std::process::Child,
    lines: std::sync::mpsc::Receiver<String>,
}

impl Child {
    /// Runs the test of this name as a child in a role.
    pub(crate) fn begin(test: &str, role: Role, server: &str, name: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact", "--nocapture", "--test-threads=1"])
            .env(ROLE, format!("{role:?}"))
            .env(SERVER, server)
            .env(NAME, name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let out = BufReader::new(process.stdout.take().unwrap());
        let (tell, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _nobody_listens = tell.send(line);
            }
        });
        Self { process, lines }
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Waits for a line that begins with a word, and says what follows it.
    pub(crate) fn said(&self, word: &str) -> String {
        let wait = Duration::from_secs(60);
        loop {
            let line = self.lines.recv_timeout(wait);
            let line = line.unwrap_or_else(|_| panic!("the child never said {word:?}"));
            if let Some(rest) = line.strip_prefix(word) {
                return rest.trim().to_owned();
            }
        }
    }

    /// Says a line to it.
    pub(crate) fn tell(&mut self) {
        let stdin = self.process.stdin.as_mut().unwrap();
        stdin.write_all(b"go on\n").unwrap();
        stdin.flush().unwrap();
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Waits until it has ended by itself.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}

/// Whether a process is there. One that nobody has waited for yet is dead all the same.
pub(crate) fn is_alive(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
}
