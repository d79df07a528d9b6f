//! Lists of tasks: live ones from the cell, ended ones from memory and the history, in one order.

use super::history::{read, shown_ended};
use crate::cell::{CellError, Pending, history_row, outcome_word};
use crate::http::access::Anywhere;
use crate::http::answer::{Json, Problems};
use crate::http::body::Query;
use crate::http::{Answer, Read, clock_of};
use crate::limits;
use interlock_api::convert;
use interlock_api::convert::query::TaskFilter;
use interlock_api::page::{Cursor, Page};
use interlock_api::task::{State, Task, TaskQuery};
use interlock_api::time::Time;
use interlock_core::view;
use interlock_core::words::{Outcome, TaskId};
use interlock_store::HistoryFilter;

/// A stretch of one source: tasks, newest first, complete down to `seen_to`.
struct Stretch {
    tasks: Vec<Task>,
    /// Everything with this id or a higher one is in it; 0 if there is nothing more.
    seen_to: u64,
}

/// Lists tasks, newest first.
///
/// A node that does not serve the namespace answers for ended tasks from what it can read of the
/// history, and says as of when that is.
#[utoipa::path(get, path = "/v1/tasks", tag = "tasks",
    security(("token" = ["read"])),
    params(TaskQuery),
    responses(
        (status = 200, description = "A page; it may be short, or empty, and have a cursor", body = Page<Task>),
        Problems,
    ))]
pub(super) async fn list(
    access: Anywhere<Read>,
    Query(query): Query<TaskQuery>,
) -> Answer<Json<Page<Task>>> {
    let filter = convert::query::task_filter(&query)?;
    let limit = filter.limit as usize;
    let Some(hosted) = &access.here else {
        if wants_live(&filter) {
            return Err(CellError::Moved.into());
        }
        let as_of = as_of(&access).await?;
        let page = merge(vec![old(&access, &filter).await?], limit);
        return Ok(Json(Page { as_of, ..page }));
    };
    let mut stretches = Vec::new();
    if wants_live(&filter) || wants_ended(&filter) {
        let asked = filter.clone();
        let (live, recent) = (hosted.cell)
            .read(move |view| {
                let live = wants_live(&asked).then(|| live(view, &asked));
                let recent = wants_ended(&asked).then(|| recent(view.pending, &asked));
                (live, recent)
            })
            .await?;
        stretches.extend(live);
        stretches.extend(recent);
    }
    if wants_ended(&filter) {
        stretches.push(old(&access, &filter).await?);
    }
    Ok(Json(merge(stretches, limit)))
}

/// Whether a query is for nothing but tasks that have ended.
pub(in crate::http) fn is_of_ended(query: &str) -> bool {
    let query = interlock_api::parse::query::<TaskQuery>(query);
    let filter = query.and_then(|query| convert::query::task_filter(&query));
    filter.is_ok_and(|filter| !wants_live(&filter))
}

/// Up to when the history has everything.
async fn as_of(access: &Anywhere<Read>) -> Answer<Option<Time>> {
    let (id, now) = (access.id, crate::clock::wall());
    let until = (access.server.readers)
        .read(move |reader| reader.folded_until(id))
        .await;
    let until = until.ok_or(CellError::Stopping)??;
    Ok(Some(until.map_or(Time::from(now), Time::from_ms)))
}

/// One page of several sources: only as far as all of them are complete.
fn merge(stretches: Vec<Stretch>, limit: usize) -> Page<Task> {
    let complete = stretches
        .iter()
        .map(|stretch| stretch.seen_to)
        .max()
        .unwrap_or(0);
    let tasks = stretches.into_iter().flat_map(|stretch| stretch.tasks);
    let mut tasks: Vec<Task> = tasks.filter(|task| task.task >= complete).collect();
    tasks.sort_unstable_by_key(|task| std::cmp::Reverse(task.task));
    // One that ended between the looks is in two of them.
    tasks.dedup_by_key(|task| task.task);
    let more = tasks.len() > limit;
    tasks.truncate(limit);
    let next = match tasks.last() {
        Some(last) if more => Some(last.task),
        _ => (complete > 0).then_some(complete),
    };
    Page::new(tasks, next.map(Cursor::Id))
}

fn wants_live(filter: &TaskFilter) -> bool {
    let live = |state: &State| matches!(state, State::Waiting | State::Running);
    filter.states.is_empty() || filter.states.iter().any(live)
}

fn wants_ended(filter: &TaskFilter) -> bool {
    filter.states.is_empty() || !outcomes(filter).is_empty()
}

fn outcomes(filter: &TaskFilter) -> Vec<String> {
    let outcome = |state: &State| match state {
        State::Succeeded => Some(Outcome::Succeeded),
        State::Failed => Some(Outcome::Failed),
        State::Cancelled => Some(Outcome::Cancelled),
        State::Waiting | State::Running => None,
    };
    let wanted = filter.states.iter().filter_map(outcome);
    wanted
        .map(|outcome| outcome_word(outcome).to_owned())
        .collect()
}

fn live(view: &crate::cell::View<'_>, filter: &TaskFilter) -> Stretch {
    let has = |state| filter.states.is_empty() || filter.states.contains(&state);
    let wanted = view::TaskFilter {
        running: match (has(State::Waiting), has(State::Running)) {
            (true, true) => None,
            (waiting, _) => Some(!waiting),
        },
        kind: filter.kind.clone(),
        resource: filter.resource.clone(),
        worker: filter.worker.clone(),
        tag: filter.tag.clone(),
        schedule: filter.schedule.clone(),
        group: filter.group,
        parent: filter.parent,
    };
    let (before, limit) = (filter.before.map(TaskId), filter.limit as usize + 1);
    let page = view
        .core
        .list_tasks(&wanted, before, limit, limits::LIST_LOOKS);
    let clock = clock_of(view.now);
    let in_time = |task: &&view::TaskView| {
        filter.since.is_none_or(|since| task.submitted >= since)
            && filter.until.is_none_or(|until| task.submitted < until)
    };
    let tasks = page.tasks.iter().filter(in_time);
    Stretch {
        tasks: tasks
            .map(|task| convert::task::live(task, None, &clock))
            .collect(),
        seen_to: page.next.map_or(0, |next| next.0),
    }
}

/// Those that ended and are not in the history yet.
fn recent(pending: &Pending, filter: &TaskFilter) -> Stretch {
    let wanted = history_filter(filter);
    let before = filter.before.map_or(TaskId(u64::MAX), TaskId);
    let rows = pending
        .before(before)
        .filter(|ended| wanted.matches(&history_row(ended)));
    let tasks: Vec<Task> = rows
        .take(filter.limit as usize + 1)
        .map(|ended| row(ended))
        .collect();
    let full = tasks.len() > filter.limit as usize;
    let last = tasks.last().map_or(0, |task| task.task);
    Stretch {
        tasks,
        seen_to: if full { last } else { 0 },
    }
}

async fn old(access: &Anywhere<Read>, filter: &TaskFilter) -> Answer<Stretch> {
    let (wanted, before, limit) = (
        history_filter(filter),
        filter.before,
        filter.limit as usize + 1,
    );
    let id = access.id;
    let page = (access.server.readers)
        .read(move |reader| reader.list(id, &wanted, before, limit))
        .await;
    let page = page.ok_or(CellError::Stopping)??;
    let tasks: Answer<Vec<Task>> = (page.rows.iter())
        .map(|kept| Ok(row(&read(kept)?)))
        .collect();
    Ok(Stretch {
        tasks: tasks?,
        seen_to: page.next.unwrap_or(0),
    })
}

/// A task in a list has neither payload nor result.
fn row(ended: &interlock_core::row::EndedTask) -> Task {
    Task {
        payload: None,
        result: None,
        ..shown_ended(ended)
    }
}

fn history_filter(filter: &TaskFilter) -> HistoryFilter {
    let text = |name: &interlock_core::words::Name| name.to_string();
    HistoryFilter {
        outcomes: outcomes(filter),
        kind: filter.kind.as_ref().map(text),
        resource: filter.resource.as_ref().map(ToString::to_string),
        worker: filter.worker.as_ref().map(text),
        tag: filter.tag.as_ref().map(text),
        schedule: filter.schedule.as_ref().map(text),
        group: filter.group.map(|group| group.0),
        parent: filter.parent.map(|parent| parent.0),
        ended_from_ms: filter.since.map(|since| since.0),
        ended_until_ms: filter.until.map(|until| until.0),
        ..HistoryFilter::default()
    }
}
