//! A command at work for one run: what goes in, what comes out, and how it is made to stop.

use super::line::{self, Line};
use super::outcome::Said;
use crate::command::supervise::{Word, boot_ms};
use interlock_api::json::Json;
use interlock_client::worker::{Error, Run};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of one line that are read: the rest of it is the next one.
const LINE_BYTES_MAX: u64 = 64 << 10;
/// The largest line that says a result.
const RESULT_BYTES_MAX: u64 = (1 << 20) + 64;

/// How long the end of the output may take to be read once the command has ended.
const READ_WITHIN: Duration = Duration::from_secs(2);

/// How often the supervisor is told for how long the command may go on.
const RENEW_EVERY: Duration = Duration::from_millis(200);

/// One at a time, so that no command inherits the descriptor of another.
static BEGINNING: Mutex<()> = Mutex::new(());

/// A command that is run for each task.
pub(super) struct Program {
    pub(super) worker: String,
    pub(super) command: Vec<OsString>,
    pub(super) kill_after: Duration,
    pub(super) progress_fd: bool,
    pub(super) show_output: bool,
}

impl Program {
    /// Runs it for this run.
    pub(super) async fn run(&self, run: Run, payload: Option<Json>) -> Result<Option<Json>, Error> {
        let said = Arc::new(Mutex::new(Said::default()));
        let (mut child, words) = self.begin(&run)?;
        let line = child
            .stdin
            .take()
            .ok_or_else(|| Error::new("there is no line to the command"))?;
        let payload = payload.map_or_else(|| "null".to_owned(), |json| json.get().to_owned());
        let line = Lifeline(Some(line));
        let readers = self.readers(&run, &mut child, words, &said);
        // From here on the run is not over before the command is, and everything in its group.
        let waiting = {
            let run = run.clone();
            tokio::task::spawn_blocking(move || {
                let _at_work = run;
                wait(&mut child)
            })
        };
        let fed = tokio::task::spawn_blocking(move || line.feed(payload.as_bytes()));
        let status = self.attend(&run, fed, waiting).await?;
        // A process that left the group may keep the pipes open: it is not waited for.
        let reading = futures_util::future::join_all(readers);
        let _ended = tokio::time::timeout(READ_WITHIN, reading).await;
        let said = std::mem::take(&mut *lock(&said));
        said.outcome(status)
    }

    /// Waits for the command; tells it to stop if the run shall.
    async fn attend(
        &self,
        run: &Run,
        fed: tokio::task::JoinHandle<Lifeline>,
        mut waiting: tokio::task::JoinHandle<std::io::Result<ExitStatus>>,
    ) -> Result<ExitStatus, Error> {
        let mut line = fed.await?;
        loop {
            line.renew(run.time_left());
            tokio::select! {
                status = &mut waiting => return Ok(status??),
                _ = run.cancelled() => break,
                () = tokio::time::sleep(RENEW_EVERY) => {}
            }
        }
        line.terminate();
        let until = Instant::now() + self.kill_after;
        while Instant::now() < until {
            line.renew(run.time_left());
            if let Ok(status) = tokio::time::timeout(RENEW_EVERY, &mut waiting).await {
                return Ok(status??);
            }
        }
        drop(line);
        Ok(waiting.await??)
    }

    /// Starts the command behind its supervisor, in a group of its own.
    fn begin(&self, run: &Run) -> Result<(Child, Option<PipeReader>), Error> {
        let own = std::env::current_exe()?;
        let mut command = Command::new(own);
        command
            .arg("supervise")
            .arg("--")
            .args(&self.command)
            .envs(self.facts(run)?)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let _alone = lock(&BEGINNING);
        let words = self.progress_fd.then(inherited).transpose()?;
        let (reader, writer) = words.unzip();
        if let Some(writer) = &writer {
            command.env("INTERLOCK_PROGRESS_FD", writer.as_raw_fd().to_string());
        }
        Ok((command.spawn()?, reader))
    }

    fn facts(&self, run: &Run) -> Result<Vec<(&'static str, String)>, Error> {
        let resources = run.resources().iter().map(|claim| claim.resource.as_str());
        let (generation, position) = run.fence();
        let mut facts = vec![
            ("INTERLOCK_TASK", run.task().to_string()),
            ("INTERLOCK_KIND", run.kind().to_owned()),
            (
                "INTERLOCK_RESOURCES",
                resources.collect::<Vec<_>>().join(" "),
            ),
            ("INTERLOCK_CLAIMS", serde_json::to_string(run.resources())?),
            ("INTERLOCK_ATTEMPT", run.attempt().to_string()),
            ("INTERLOCK_STANDS_FOR", run.stands_for().to_string()),
            ("INTERLOCK_RUN", run.token().to_string()),
            ("INTERLOCK_GENERATION", generation.to_string()),
            ("INTERLOCK_POSITION", position.to_string()),
            ("INTERLOCK_WORKER", self.worker.clone()),
        ];
        facts.extend(run.trace().map(|trace| ("TRACEPARENT", trace.to_owned())));
        Ok(facts)
    }

    fn readers(
        &self,
        run: &Run,
        child: &mut Child,
        words: Option<PipeReader>,
        said: &Arc<Mutex<Said>>,
    ) -> Vec<tokio::task::JoinHandle<()>> {
        let mut readers = Vec::new();
        let mut read = |from: Box<dyn Read + Send>, understood: bool, logged: bool| {
            let (run, said, shown) = (run.clone(), said.clone(), self.show_output);
            let reader = move || listen(from, &run, &said, (understood, logged, shown));
            readers.push(tokio::task::spawn_blocking(reader));
        };
        let on_stdout = words.is_none();
        if let Some(out) = child.stdout.take() {
            read(Box::new(out), on_stdout, true);
        }
        if let Some(err) = child.stderr.take() {
            read(Box::new(err), false, true);
        }
        if let Some(words) = words {
            read(Box::new(words), true, false);
        }
        readers
    }
}

/// A pipe whose writing end the next command inherits.
fn inherited() -> std::io::Result<(PipeReader, PipeWriter)> {
    let (reader, writer) = std::io::pipe()?;
    rustix::io::fcntl_setfd(&writer, rustix::io::FdFlags::empty())?;
    Ok((reader, writer))
}

/// Reads lines to the end.
fn listen(
    from: Box<dyn Read + Send>,
    run: &Run,
    said: &Mutex<Said>,
    (understood, logged, shown): (bool, bool, bool),
) {
    let mut from = BufReader::new(from);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let mut part = from.by_ref().take(LINE_BYTES_MAX);
        if !matches!(part.read_until(b'\n', &mut bytes), Ok(1..)) {
            return;
        }
        if understood && bytes.starts_with(b"result ") && bytes.last() != Some(&b'\n') {
            let mut rest = from.by_ref().take(RESULT_BYTES_MAX);
            let _rest = rest.read_until(b'\n', &mut bytes);
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        let line = if understood {
            line::read(text)
        } else {
            Line::Other
        };
        match line {
            Line::Progress(progress) => run.report(progress),
            Line::Result(result) => lock(said).result = Some(result),
            Line::Error(error) => lock(said).error = Some(error),
            Line::RetryIn(wait) => lock(said).retry_in = Some(wait),
            Line::Other if logged => {
                if shown {
                    eprintln!("task {}: {text}", run.task());
                }
                lock(said).tail.push(text);
            }
            Line::Other => {}
        }
    }
}

/// Waits for the supervisor to end, and kills whatever is left in its group before the number of the
/// group could come to mean another.
fn wait(child: &mut Child) -> std::io::Result<ExitStatus> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else {
        return child.wait();
    };
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), ended) {}
    let _none_left = kill_process_group(pid, Signal::KILL);
    child.wait()
}

/// The line to the supervisor. When it is dropped, so is everything in the group.
struct Lifeline(Option<ChildStdin>);

impl Lifeline {
    /// Passes the payload on.
    fn feed(mut self, payload: &[u8]) -> Self {
        if let Some(line) = &mut self.0 {
            let length = (payload.len() as u64).to_le_bytes();
            let fed = line
                .write_all(&length)
                .and_then(|()| line.write_all(payload));
            // One that is gone already is seen to be when it is waited for.
            let _gone = fed.and_then(|()| line.flush());
        }
        self
    }

    /// The command may go on for so long without another word.
    fn renew(&mut self, time_left: Duration) {
        self.say(&Word::Until(boot_ms() + time_left.as_millis() as u64));
    }

    /// Asks the command to stop.
    fn terminate(&mut self) {
        self.say(&Word::Terminate);
    }

    fn say(&mut self, word: &Word) {
        if let Some(line) = &mut self.0 {
            let _gone = line.write_all(&word.bytes()).and_then(|()| line.flush());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
