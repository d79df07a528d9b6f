//! What the view is made of: three requests, none of which costs more the more tasks there are.

use interlock_api::overview::{Overview, OverviewQuery};
use interlock_api::page::PageQuery;
use interlock_api::task::{Task, TaskQuery};
use interlock_api::worker::Worker;
use interlock_client::{Client, Error};
use serde::Serialize;

/// Tasks and workers that are asked for; more of them fit on no screen.
const ROWS_MAX: u32 = 200;
/// Lines, and counts of quotas of each sort.
const LINES_MAX: u32 = 50;

/// Which tasks are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only these states, with commas between them.
    pub state: String,
    /// Only this kind.
    pub kind: Option<String>,
    /// Only this resource.
    pub resource: Option<String>,
}

/// What was seen in one look.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seen {
    /// The namespace in one look.
    pub overview: Overview,
    /// The tasks that were wanted, the newest first.
    pub tasks: Vec<Task>,
    /// Whether there are more of them.
    pub more_tasks: bool,
    /// The workers, by name.
    pub workers: Vec<Worker>,
}

/// Looks once.
pub async fn look(client: &Client, wanted: &Wanted) -> Result<Seen, Error> {
    let overview = OverviewQuery {
        limit: Some(LINES_MAX),
    };
    let tasks = TaskQuery {
        state: Some(wanted.state.clone()),
        kind: wanted.kind.clone(),
        resource: wanted.resource.clone(),
        limit: Some(ROWS_MAX),
        ..TaskQuery::default()
    };
    let workers = PageQuery {
        limit: Some(ROWS_MAX),
        ..PageQuery::default()
    };
    let (of_tasks, of_workers) = (client.tasks(), client.workers());
    let (overview, tasks, workers) = tokio::try_join!(
        client.overview(&overview),
        of_tasks.list(&tasks),
        of_workers.list(&workers),
    )?;
    Ok(Seen {
        overview,
        tasks: tasks.items,
        more_tasks: tasks.next.is_some(),
        workers: workers.items,
    })
}
