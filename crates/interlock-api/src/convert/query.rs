//! Filters of lists, checked.

use super::name::{maybe, resource_name};
use crate::code::Code;
use crate::limits::WAIT_MS_MAX;
use crate::page;
use crate::problem::Problem;
use crate::task::{Purge, State, TaskQuery, Until, WaitQuery};
use crate::text::echo;
use interlock_core::words::{GroupId, Name, Outcome, ResourceName, TaskId, Wall};

/// Which tasks to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Only these states; all if none.
    pub states: Vec<State>,
    /// Only this kind.
    pub kind: Option<Name>,
    /// Only tasks that claim this resource.
    pub resource: Option<ResourceName>,
    /// Only tasks that this worker runs or ran last.
    pub worker: Option<Name>,
    /// Only tasks with this tag.
    pub tag: Option<Name>,
    /// Only tasks of this schedule.
    pub schedule: Option<Name>,
    /// Only tasks of this group.
    pub group: Option<GroupId>,
    /// Only tasks that a run of this one submitted.
    pub parent: Option<TaskId>,
    /// At this time or later.
    pub since: Option<Wall>,
    /// Before this time.
    pub until: Option<Wall>,
    /// Only ids below this one.
    pub before: Option<u64>,
    /// At most so many.
    pub limit: u32,
}

/// A filter from a query string.
pub fn task_filter(query: &TaskQuery) -> Result<TaskFilter, Problem> {
    let resource = query.resource.as_deref();
    Ok(TaskFilter {
        states: states(query.state.as_deref().unwrap_or_default())?,
        kind: maybe(query.kind.as_deref(), "kind")?,
        resource: resource
            .map(|text| resource_name(text, "resource"))
            .transpose()?,
        worker: maybe(query.worker.as_deref(), "worker")?,
        tag: maybe(query.tag.as_deref(), "tag")?,
        schedule: maybe(query.schedule.as_deref(), "schedule")?,
        group: query.group.map(GroupId),
        parent: query.parent.map(TaskId),
        since: query.since.map(Wall::from),
        until: query.until.map(Wall::from),
        before: page::after_id(query.cursor.as_deref())?,
        limit: page::limit(query.limit)?,
    })
}

const STATES: [(&str, State); 5] = [
    ("waiting", State::Waiting),
    ("running", State::Running),
    ("succeeded", State::Succeeded),
    ("failed", State::Failed),
    ("cancelled", State::Cancelled),
];

fn states(text: &str) -> Result<Vec<State>, Problem> {
    let mut states: Vec<State> = Vec::new();
    for word in text.split(',').filter(|_| !text.is_empty()) {
        let found = STATES.iter().find(|(name, _)| *name == word);
        let (_, state) = found.ok_or_else(|| {
            let known = STATES.iter().map(|(name, _)| *name);
            let detail = format!("there is no state {}", echo(word));
            Problem::new(Code::BadRequest, detail)
                .at("state")
                .knowing(known)
        })?;
        if !states.contains(state) {
            states.push(*state);
        }
    }
    Ok(states)
}

/// For how long to wait, and for what.
pub fn wait(query: &WaitQuery) -> Result<(u64, Until), Problem> {
    let wait_ms = query.wait.unwrap_or_default().ms();
    if wait_ms > WAIT_MS_MAX {
        return Err(Problem::new(Code::BadValue, "it must be at most a minute").at("wait"));
    }
    Ok((wait_ms, query.until))
}

/// Which ended tasks to delete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PurgeFilter {
    /// Only these outcomes; all if none.
    pub outcomes: Vec<Outcome>,
    /// Only this kind.
    pub kind: Option<Name>,
    /// Only tasks that claimed this resource.
    pub resource: Option<ResourceName>,
    /// Only tasks that ended before this time.
    pub ended_before: Option<Wall>,
}

/// A purge from the wire. One without a filter would delete everything, which nobody means by `{}`.
pub fn purge(purge: &Purge) -> Result<PurgeFilter, Problem> {
    if *purge == Purge::default() {
        return Err(Problem::new(
            Code::BadValue,
            "a purge needs at least one of outcomes, kind, resource and ended_before",
        ));
    }
    let resource = purge.resource.as_deref();
    Ok(PurgeFilter {
        outcomes: purge
            .outcomes
            .iter()
            .map(|outcome| (*outcome).into())
            .collect(),
        kind: maybe(purge.kind.as_deref(), "kind")?,
        resource: resource
            .map(|text| resource_name(text, "resource"))
            .transpose()?,
        ended_before: purge.ended_before.map(Wall::from),
    })
}
