//! The current state, for whoever comes with a cursor that is not kept any more.

use crate::http::tasks::{find_ended, shown_ended};
use crate::http::{Answer, clock_of};
use crate::limits;
use crate::server::{Hosted, Server};
use interlock_api::convert;
use interlock_api::task::Task;
use interlock_core::view::{Found, TaskFilter};
use interlock_core::words::{ResourceName, TaskId};

/// Some live tasks below one, newest first, and where to go on.
pub(super) async fn tasks(
    namespace: &Hosted,
    resource: Option<ResourceName>,
    before: Option<TaskId>,
) -> Answer<(Vec<Task>, Option<TaskId>)> {
    let filter = TaskFilter {
        resource,
        ..TaskFilter::default()
    };
    let page = namespace.cell.read(move |view| {
        let most = limits::STATE_TASKS_READ;
        let page = (view.core).list_tasks(&filter, before, most, limits::LIST_LOOKS);
        let clock = clock_of(view.now);
        let tasks = page.tasks.iter();
        let tasks = tasks.map(|task| convert::task::live(task, None, &clock));
        (tasks.collect(), page.next)
    });
    Ok(page.await?)
}

/// One task, live or ended.
pub(super) async fn task(
    server: &Server,
    namespace: &Hosted,
    task: TaskId,
) -> Answer<Option<Task>> {
    let live = namespace.cell.read(move |view| match view.core.task(task) {
        Found::Live(found) => Some(convert::task::live(&found, None, &clock_of(view.now))),
        Found::Ended(_) | Found::Unknown => None,
    });
    if let Some(live) = live.await? {
        return Ok(Some(live));
    }
    let ended = find_ended(server, namespace, task).await?;
    Ok(ended.map(|ended| Task {
        payload: None,
        result: None,
        ..shown_ended(&ended)
    }))
}
