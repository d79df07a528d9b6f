//! One reader of events: first the log from its cursor on, then what is committed as it happens.
//!
//! It listens before it looks where the log ends, so nothing falls between the two. Whoever falls
//! behind, or finds a gap, goes back to the log; whoever comes with a cursor that is not kept any
//! more gets the current state instead.

use super::filter::Filter;
use super::message::{Happened, happened, message, progress};
use super::names::Names;
use super::state;
use crate::cell::{CellError, Followed, decode_records};
use crate::http::{Answer, Failed, clock_of};
use crate::limits;
use crate::server::{Hosted, Server};
use axum::response::sse;
use interlock_api::event::{Event, What};
use interlock_api::problem::Problem;
use interlock_api::task::Task;
use interlock_api::time::Time;
use interlock_api::{Code, convert};
use interlock_core::Record;
use interlock_core::view::Found;
use interlock_core::words::TaskId;
use interlock_store::LogPage;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

pub(super) struct Follower {
    server: Arc<Server>,
    namespace: Arc<Hosted>,
    feed: Receiver<Followed>,
    filter: Filter,
    names: Names,
    generation: u32,
    /// The position of the first event that was not looked at yet.
    next: u64,
    phase: Phase,
    /// Whether the reader knows that it has caught up.
    told: bool,
    /// Messages that are ready to go.
    ready: VecDeque<sse::Event>,
    /// Tasks whose runs are further, and when to tell.
    further: BTreeSet<TaskId>,
    tell_at: Option<Instant>,
}

enum Phase {
    /// Reads the log up to this position.
    CatchUp { to: u64 },
    /// Shows the current state, tasks below this one.
    Reset { before: Option<TaskId> },
    /// Listens.
    Live,
}

/// Where a namespace is.
struct Now {
    position: u64,
    generation: u32,
    /// The task that was asked for may have become part of another.
    task: Option<TaskId>,
}

impl Follower {
    /// Begins after a position, or now.
    pub(super) async fn begin(
        server: Arc<Server>,
        namespace: Arc<Hosted>,
        mut filter: Filter,
        after: Option<u64>,
    ) -> Answer<Self> {
        let feed = namespace.cell.follow();
        let now = look(&namespace, filter.task()).await?;
        if let Some(task) = now.task {
            filter.leads_to(task);
        }
        let next = after.map_or(now.position, |after| after.saturating_add(1));
        let mut follower = Self {
            server,
            namespace,
            feed,
            filter,
            names: Names::default(),
            generation: now.generation,
            next,
            phase: Phase::CatchUp { to: now.position },
            told: false,
            ready: VecDeque::new(),
            further: BTreeSet::new(),
            tell_at: None,
        };
        // A cursor beyond the end is from another life of the store.
        if next > now.position {
            follower.reset(now.position);
        }
        Ok(follower)
    }

    /// The next message; none if the stream ends. The reader comes back with its cursor.
    pub(super) async fn next(&mut self) -> Option<sse::Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if let Err(Failed(problem)) = self.more().await {
                tracing::debug!(%problem, "a stream of events ended");
                return None;
            }
        }
    }

    async fn more(&mut self) -> Answer<()> {
        match self.phase {
            Phase::CatchUp { to } if self.next >= to => {
                self.phase = Phase::Live;
                if !self.told {
                    self.told = true;
                    self.say(What::CaughtUp, Some(self.next.saturating_sub(1)));
                }
                Ok(())
            }
            Phase::CatchUp { .. } => self.read_log().await,
            Phase::Reset { before } => self.show_state(before).await,
            Phase::Live => self.listen().await,
        }
    }

    async fn read_log(&mut self) -> Answer<()> {
        let (id, from) = (self.namespace.id, self.next);
        let page = (self.server.readers)
            .read(move |reader| reader.log(id, from, limits::LOG_RECORDS_READ))
            .await;
        let records = match page.ok_or(CellError::Stopping)?? {
            LogPage::TooOld { .. } => {
                let now = look(&self.namespace, None).await?;
                self.reset(now.position);
                return Ok(());
            }
            LogPage::Records(records) => records,
        };
        if records.is_empty() {
            // Everything up to here was there when this was told.
            return Err(unreadable("the log ends too early"));
        }
        for record in records {
            let decoded = decode_records(&record.bytes).map_err(|error| unreadable(&error))?;
            let decoded: Vec<Arc<Record>> = decoded.into_iter().map(Arc::new).collect();
            self.take_in(&decoded).await?;
            self.next = self.next.max(record.next);
        }
        Ok(())
    }

    /// What is not kept any more is replaced by what is now.
    fn reset(&mut self, position: u64) {
        self.next = position;
        self.told = false;
        self.phase = Phase::Reset { before: None };
        self.say(What::Reset, None);
    }

    async fn show_state(&mut self, before: Option<TaskId>) -> Answer<()> {
        if let Some(task) = self.filter.task() {
            let now = state::task(&self.server, &self.namespace, task).await?;
            if let Some(now) = now {
                self.say_task(now);
            }
            self.phase = Phase::CatchUp { to: self.next };
            return Ok(());
        }
        let resource = self.filter.resource().cloned();
        let (tasks, next) = state::tasks(&self.namespace, resource, before).await?;
        for task in tasks {
            self.say_task(task);
        }
        self.phase = match next {
            Some(next) => Phase::Reset { before: Some(next) },
            None => Phase::CatchUp { to: self.next },
        };
        Ok(())
    }

    async fn listen(&mut self) -> Answer<()> {
        let server = self.server.clone();
        let tell_at = self.tell_at;
        let telling = async {
            match tell_at {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            followed = self.feed.recv() => match followed {
                Ok(Followed::Committed(committed)) => self.heard(&committed.records).await,
                Ok(Followed::Progress(note)) => {
                    self.further.insert(note.task);
                    let soon = || Instant::now() + limits::PROGRESS_EVERY;
                    self.tell_at.get_or_insert_with(soon);
                    Ok(())
                }
                Err(RecvError::Lagged(_)) => {
                    let now = look(&self.namespace, None).await?;
                    self.phase = Phase::CatchUp { to: now.position };
                    Ok(())
                }
                Err(RecvError::Closed) => Err(CellError::Stopping.into()),
            },
            () = telling => self.tell_progress().await,
            () = server.stopping() => Err(CellError::Stopping.into()),
        }
    }

    async fn heard(&mut self, records: &[Arc<Record>]) -> Answer<()> {
        let begins = records.iter().map(|record| record.position);
        let ends = records
            .iter()
            .map(|record| record.position + record.events.len() as u64);
        // Records that were written while nobody was told are in the log.
        if begins.min().is_some_and(|begin| begin > self.next) {
            self.phase = Phase::CatchUp {
                to: ends.max().unwrap_or(self.next),
            };
            return Ok(());
        }
        let end = ends.max().unwrap_or(self.next);
        self.take_in(records).await?;
        self.next = self.next.max(end);
        Ok(())
    }

    /// Makes messages of the events that were not looked at yet.
    async fn take_in(&mut self, records: &[Arc<Record>]) -> Answer<()> {
        let mut fresh = happened(records, self.next, &mut self.generation);
        (self.filter.learn(&self.server, &self.namespace, &fresh)).await?;
        fresh.retain(|happened| self.filter.passes(happened.event));
        self.names.learn(&self.namespace, &fresh).await?;
        for happened in fresh {
            self.tell(&happened);
        }
        Ok(())
    }

    fn tell(&mut self, happened: &Happened<'_>) {
        let Happened {
            position,
            generation,
            event,
            ..
        } = *happened;
        let clock = clock_of(happened.at);
        let shown = convert::event::event(position, generation, event, &self.names, &clock);
        let shown = shown.map(|shown| message(&shown, Some(position)));
        self.ready.extend(shown);
    }

    /// How far runs are, as of now: what came in between does not matter.
    async fn tell_progress(&mut self) -> Answer<()> {
        self.tell_at = None;
        let further = std::mem::take(&mut self.further);
        (self.filter)
            .learn_tasks(&self.server, &self.namespace, further.clone())
            .await?;
        let wanted = further.into_iter();
        let wanted: Vec<TaskId> = wanted.filter(|task| self.filter.wants(*task)).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let events = self.namespace.cell.read(move |view| {
            let each = wanted.into_iter().filter_map(|task| progress(view, task));
            each.collect::<Vec<Event>>()
        });
        let events = events.await?;
        self.ready
            .extend(events.iter().map(|event| message(event, None)));
        Ok(())
    }

    fn say_task(&mut self, task: Task) {
        let now = Box::new(task);
        self.say(What::TaskNow { now }, None);
    }

    fn say(&mut self, what: What, id: Option<u64>) {
        let event = Event {
            position: None,
            at: Time::from(crate::clock::wall()),
            what,
        };
        self.ready.push_back(message(&event, id));
    }
}

/// Where a namespace is: everything before is committed, everything after will be told.
async fn look(namespace: &Hosted, task: Option<TaskId>) -> Answer<Now> {
    let now = namespace.cell.read(move |view| Now {
        position: view.core.position(),
        generation: view.core.generation(),
        task: task.and_then(|task| match view.core.task(task) {
            Found::Live(found) => Some(found.task),
            Found::Ended(_) | Found::Unknown => None,
        }),
    });
    Ok(now.await?)
}

fn unreadable(error: &str) -> Failed {
    tracing::error!(error, "the log can't be read");
    Failed(Problem::new(Code::Internal, "the log can't be read"))
}
