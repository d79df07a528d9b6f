//! Makes a core of rows.

use super::export::TaskRow;
use super::{NamespaceRow, RowError, RowKey, Table};
use crate::Core;
use crate::state::quota::Instance;
use crate::state::task::{FoundClaim, Task};
use crate::state::touched::Since;
use crate::state::worker::{Run, Session};
use crate::state::{Group, Remembered, ScheduleState, State, SweepState};
use crate::words::{Elapsed, Kind, Outcome, Quota, TaskId};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Takes rows, those of [`Table::Namespace`] first and those of tasks last, and makes a core of them.
pub struct Restore {
    state: State,
    /// Pages by the time of their last outcome, to be put back in that order.
    outcomes: Vec<(Elapsed, u64, Outcomes)>,
}

/// A page of outcomes, each with its number on the page.
type Outcomes = Vec<(u8, Outcome)>;

impl Restore {
    /// Begins with nothing. The seed is that of [`Core::new`].
    pub fn new(hash_seed: u64) -> Self {
        Self {
            state: State::new(hash_seed),
            outcomes: Vec::new(),
        }
    }

    /// Adds one row.
    pub fn add(&mut self, table: Table, key: &[u8], body: &[u8]) -> Result<(), RowError> {
        let rows = Bytes { table, key, body };
        match table {
            Table::Namespace => self.state.restore_namespace(rows.body()?),
            Table::Task => {
                let key = <[u8; 8]>::try_from(key).map_err(|_| rows.error("its key"))?;
                let id = TaskId(u64::from_be_bytes(key));
                self.state.restore_task(id, rows.body()?);
            }
            _ => self.add_other(&rows)?,
        }
        Ok(())
    }

    fn add_other(&mut self, rows: &Bytes<'_>) -> Result<(), RowError> {
        let state = &mut self.state;
        match rows.row_key()? {
            RowKey::Kind(id) => {
                let (kind, hold, staffed): (Arc<Kind>, bool, bool) = rows.body()?;
                state.kinds.set(id, kind);
                let found = state.kinds.get_mut(id);
                (found.hold, found.staffed) = (hold, staffed);
            }
            RowKey::Quota(id) => state.quotas.set(id, rows.body::<Arc<Quota>>()?),
            RowKey::Count(name) => {
                *state.count_mut(&name) = rows.body::<Instance>()?;
            }
            RowKey::Run(token) => {
                state.runs.insert(token, rows.body::<Run>()?);
                state.touched.stored_runs.insert(token);
            }
            RowKey::Session(id) => {
                let session: Session = rows.body()?;
                state.session_names.insert(session.name.clone(), id);
                state.sessions.insert(id, session);
            }
            RowKey::Schedule(name) => {
                let schedule: ScheduleState = rows.body()?;
                let next = schedule.next;
                state.schedules.insert(name.clone(), schedule);
                state.set_firing(&name, next);
            }
            RowKey::Group(id) => {
                state.groups.insert(id, rows.body::<Group>()?);
            }
            RowKey::Sweep(id) => {
                let SweepState { sweep, cursor } = rows.body()?;
                state.apply_sweep_begun(id, &sweep);
                state.sweeps.insert(id, SweepState { sweep, cursor });
            }
            RowKey::Remembered(name) => {
                let kept: Remembered = rows.body()?;
                state.remembered_order.push_back((kept.until, name.clone()));
                state.remembered.insert(name, kept);
            }
            RowKey::Resource(name) => {
                let index = state.resources.find_or_add(&name);
                state.resources.get_mut(index).hold = true;
            }
            RowKey::Outcomes(page) => {
                let (known, last) = rows.body()?;
                self.outcomes.push((last, page, known));
            }
        }
        Ok(())
    }

    /// A core with the state that the rows describe, ready for [`Core::replay`] of what came after
    /// them and for [`Core::open`].
    pub fn finish(mut self) -> Core {
        self.outcomes.sort();
        for (last, page, known) in self.outcomes {
            self.state.tasks.restore_outcomes(page, known, last);
        }
        let order = self.state.remembered_order.make_contiguous();
        order.sort();
        self.state.discard_dirty();
        let mut core = Core::with_state(self.state);
        core.track_rows();
        core
    }
}

impl State {
    fn restore_namespace(&mut self, row: NamespaceRow) {
        self.now = row.now;
        self.position = row.position;
        self.generation = row.generation;
        self.next_task = row.next_task;
        self.next_place = row.next_place;
        self.next_sweep = row.next_sweep;
        self.namespace = row.namespace;
        self.hold = row.hold;
        self.kinds.restore_next_id(row.next_kind);
        self.quotas.restore_next_id(row.next_quota);
    }

    fn restore_task(&mut self, id: TaskId, row: TaskRow) {
        let claims = (row.claims.iter())
            .map(|(name, op)| FoundClaim {
                resource: self.resources.find_or_add(name),
                op: *op,
            })
            .collect();
        self.add_task(Box::new(Task {
            id,
            kind: row.kind,
            priority: row.priority,
            coalesces: row.coalesces,
            hold: row.hold,
            arrived: row.arrived,
            joined: row.joined,
            last_run: row.last_run,
            claims,
            payload: row.payload,
            payload_seq: row.payload_seq,
            stage: row.stage,
            spot: row.spot,
            accepted: row.accepted,
            arrival: row.arrival,
            stands_for: row.stands_for,
            tries: row.tries,
            losses: row.losses,
            submitted: row.submitted,
            extra: row.extra,
            exposed: false,
            watch: None,
            touched: Since::Never,
            stored: true,
        }));
        self.discard_dirty();
    }
}

/// One row to be read.
struct Bytes<'a> {
    table: Table,
    key: &'a [u8],
    body: &'a [u8],
}

impl Bytes<'_> {
    fn row_key(&self) -> Result<RowKey, RowError> {
        let key: RowKey = self.decode(self.key)?;
        (key.table() == self.table)
            .then_some(key)
            .ok_or_else(|| self.error("it stands in the wrong table"))
    }

    fn body<T: DeserializeOwned>(&self) -> Result<T, RowError> {
        self.decode(self.body)
    }

    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, RowError> {
        match postcard::take_from_bytes(bytes) {
            Ok((value, [])) => Ok(value),
            Ok(_) => Err(self.error("it is too long")),
            Err(why) => Err(self.error(&why.to_string())),
        }
    }

    fn error(&self, why: &str) -> RowError {
        RowError {
            table: self.table,
            why: why.to_owned(),
        }
    }
}
