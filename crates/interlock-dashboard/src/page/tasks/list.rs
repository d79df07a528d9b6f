//! The list of tasks: filters in the address, pages by cursor.

use crate::Shared;
use crate::ask::{Ask, Page, page};
use crate::form::Form;
use crate::part::{badge, bar, empty, link, more, time};
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::page::Page as Listed;
use interlock_api::task::{State, Task, TaskQuery};
use interlock_api::{Code, Problem, Time};
use maud::{Markup, html};

/// Tasks on one page.
const SHOWN: u32 = 50;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/tasks", page(show))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let query = read(&ask.query)?;
    let tasks: Listed<Task> = ask.api.list("/v1/tasks", &query).await?;
    Ok(Page::live("Tasks", draw(&ask.viewer, &query, &tasks)))
}

/// The filters of the address as those of the API. What is empty is no filter.
fn read(form: &Form) -> Result<TaskQuery, Problem> {
    let time = |name: &'static str| -> Result<Option<Time>, Problem> {
        let time = form.some(name).map(|text| text.parse());
        let time = time.transpose();
        time.map_err(|error| Problem::new(Code::BadValue, format!("{error}")).at(name))
    };
    let group = form.some("group").map(|text| text.parse()).transpose();
    let states: Vec<&str> = form
        .all("state")
        .filter(|state| !state.is_empty())
        .collect();
    Ok(TaskQuery {
        state: (!states.is_empty()).then(|| states.join(",")),
        kind: form.some("kind"),
        resource: form.some("resource"),
        worker: form.some("worker"),
        tag: form.some("tag"),
        schedule: form.some("schedule"),
        group: group
            .map_err(|_| Problem::new(Code::BadValue, "it must be a number").at("group"))?,
        parent: None,
        since: time("since")?,
        until: time("until")?,
        cursor: form.some("cursor"),
        limit: Some(SHOWN),
    })
}

fn draw(viewer: &Viewer, query: &TaskQuery, tasks: &Listed<Task>) -> Markup {
    let group = query.group.map(|group| group.to_string());
    let (since, until) = (
        query.since.map(|time| time.to_string()),
        query.until.map(|time| time.to_string()),
    );
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let filters = [
        ("state", text(&query.state)),
        ("kind", text(&query.kind)),
        ("resource", text(&query.resource)),
        ("worker", text(&query.worker)),
        ("tag", text(&query.tag)),
        ("schedule", text(&query.schedule)),
        ("group", text(&group)),
        ("since", text(&since)),
        ("until", text(&until)),
    ];
    let filters: Vec<(&str, &str)> = (filters.iter())
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    html! {
        h1 { "Tasks" }
        @if tasks.items.is_empty() {
            (empty::empty(viewer, "No tasks here", "Submit one:", &["interlock kinds set sync", "interlock submit sync repository:f16"]))
        } @else {
            (table(viewer, &tasks.items))
        }
        (more::more(viewer, "/tasks", &filters, query.cursor.is_none(), tasks.next.as_deref()))
    }
}

fn table(viewer: &Viewer, tasks: &[Task]) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th scope="col" { "Task" }
                        th scope="col" { "State" }
                        th scope="col" { "Kind" }
                        th scope="col" { "Resources" }
                        th scope="col" { "Why, or how far" }
                        th scope="col" { "Submitted" }
                    }
                }
                tbody {
                    @for task in tasks { (row(viewer, task)) }
                }
            }
        }
    }
}

fn row(viewer: &Viewer, task: &Task) -> Markup {
    html! {
        tr data-key={ "task-" (task.task) } {
            td { (link::task(viewer, task.task)) }
            td { (badge::state(task.state)) }
            td { (task.kind.as_deref().unwrap_or("")) }
            td { (link::claims(viewer, &task.resources)) }
            td {
                @match (task.state, &task.run) {
                    (State::Running, Some(run)) => { (bar::progress(run.progress.as_ref(), viewer.now)) },
                    _ => { @if let Some(reason) = task.reasons.first() { (badge::why(&reason.why)) " " span.muted { (reason.sentence) } } },
                }
            }
            td { @if let Some(submitted) = task.submitted { (time::relative(submitted, viewer.now)) } }
        }
    }
}
