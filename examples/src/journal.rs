//! A file in which all workers of a story note what they do: a witness that is not the server.

use interlock_api::claim::Claim;
use interlock_client::worker::{NOT_STOPPED, Run};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a worker noted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// Who.
    pub worker: String,
    /// The task.
    pub task: u64,
    /// Its kind.
    pub kind: String,
    /// What it touches, and how.
    pub resources: Vec<Claim>,
    /// The fencing number of the run.
    pub fence: (u32, u64),
    /// What happened.
    pub note: Note,
}

/// What happened to a run, as its worker saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// It began, with this payload.
    Began(serde_json::Value),
    /// It is over.
    Over,
    /// The whole worker is: a handler did not stop in time, so its process ends. Of no run.
    Gone,
}

/// The journal of a worker.
#[derive(Clone, Debug)]
pub struct Journal {
    path: PathBuf,
    worker: String,
}

impl Journal {
    /// The journal in this directory, which is made if there is none.
    pub fn open(dir: &Path, worker: impl Into<String>) -> io::Result<Self> {
        std::fs::create_dir_all(dir)?;
        let (path, worker) = (path(dir), worker.into());
        Ok(Self { path, worker })
    }

    /// Notes that a run began, and that it is over when the answer is dropped.
    pub fn begin(&self, run: &Run, payload: &impl Serialize) -> io::Result<Begun> {
        let began = Note::Began(serde_json::to_value(payload)?);
        self.write(&self.entry(run, began))?;
        let (journal, run) = (self.clone(), run.clone());
        Ok(Begun { journal, run })
    }

    /// What a worker does at last whose handler does not stop: it notes that, and ends the process.
    pub fn last_resort(&self, why: &str) {
        let gone = Entry {
            at_ms: now_ms(),
            worker: self.worker.clone(),
            task: 0,
            kind: String::new(),
            resources: Vec::new(),
            fence: (0, 0),
            note: Note::Gone,
        };
        let _lost = self.write(&gone);
        eprintln!("{}: {why}", self.worker);
        std::process::exit(NOT_STOPPED);
    }

    fn entry(&self, run: &Run, note: Note) -> Entry {
        Entry {
            at_ms: now_ms(),
            worker: self.worker.clone(),
            task: run.task(),
            kind: run.kind().to_owned(),
            resources: run.resources().to_vec(),
            fence: run.fence(),
            note,
        }
    }

    /// One line in one write, so that the lines of several processes don't mix.
    fn write(&self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        file.write_all(&line)
    }
}

/// A run that has begun; when this is dropped, it is over.
#[derive(Debug)]
pub struct Begun {
    journal: Journal,
    run: Run,
}

impl Drop for Begun {
    fn drop(&mut self) {
        // A journal that can't be written lacks a line, and whoever reads it sees that.
        let over = self.journal.entry(&self.run, Note::Over);
        let _lost = self.journal.write(&over);
    }
}

/// Everything that was noted in the journal of this directory, in order.
pub fn read(dir: &Path) -> io::Result<Vec<Entry>> {
    let lines = BufReader::new(File::open(path(dir))?).lines();
    lines
        .map(|line| Ok(serde_json::from_str(&line?)?))
        .collect()
}

fn path(dir: &Path) -> PathBuf {
    dir.join("journal.jsonl")
}

/// The time, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
