//! The list of tasks: filters in the address, pages by cursor, and boxes to choose some of them.

use super::{bulk, filter};
use crate::Shared;
use crate::ask::{Ask, Page, page};
use crate::part::{badge, bar, empty, link, more, time};
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::Problem;
use interlock_api::page::Page as Listed;
use interlock_api::task::{State, Task};
use interlock_api::token::Scope;
use maud::{Markup, html};

/// Tasks on one page.
const SHOWN: u32 = 50;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/tasks", page(show))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let query = filter::read(&ask.query, ask.viewer.now, SHOWN)?;
    let tasks: Listed<Task> = ask.api.list("/v1/tasks", &query).await?;
    Ok(Page::live("Tasks", draw(&ask, &tasks)))
}

fn draw(ask: &Ask, tasks: &Listed<Task>) -> Markup {
    let viewer = &ask.viewer;
    let filters = filter::pairs(&ask.query);
    let kept: Vec<(&str, &str)> = (filters.iter())
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let is_first = ask.query.get("cursor").is_empty();
    html! {
        div.head { h1 { "Tasks" } }
        (filter::draw(viewer, &ask.query))
        @if tasks.items.is_empty() {
            (nothing(viewer, !kept.is_empty(), !is_first, tasks.next.is_some()))
        } @else if viewer.may(Scope::Operate) {
            form data-bulk="" method="get" action=(viewer.to("/tasks/confirm")) {
                @for (name, value) in &kept { input type="hidden" name=(name) value=(value); }
                (table(viewer, &tasks.items, true))
                (bulk::bar(!kept.is_empty()))
            }
        } @else {
            (table(viewer, &tasks.items, false))
        }
        (more::more(viewer, "/tasks", &kept, is_first, tasks.next.as_deref()))
    }
}

fn nothing(viewer: &Viewer, filtered: bool, later: bool, goes_on: bool) -> Markup {
    if goes_on {
        let text = "There may be some further on.";
        return empty::empty(viewer, "None among those that were looked at", text, &[]);
    }
    if filtered || later {
        let text = "Take a filter away, or wait: this page fills by itself.";
        return empty::empty(viewer, "No task fits", text, &[]);
    }
    empty::empty(
        viewer,
        "There are no tasks yet",
        "A kind says how tasks of its sort are treated; then tasks of it can be submitted, and a worker runs them:",
        &[
            "interlock kinds set sync",
            "interlock submit sync repository:f16",
            "interlock work --kind sync -- sleep 5",
        ],
    )
}

/// A table of tasks; with boxes to choose some if wanted.
pub(crate) fn table(viewer: &Viewer, tasks: &[Task], choose: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Tasks" {
            table.tasks role="table" {
                thead role="rowgroup" {
                    tr role="row" {
                        @if choose {
                            th.choose scope="col" role="columnheader" {
                                input type="checkbox" data-all="" aria-label="Choose all on this page";
                            }
                        }
                        th scope="col" role="columnheader" { "Task" }
                        th scope="col" role="columnheader" { "State" }
                        th scope="col" role="columnheader" { "Kind" }
                        th.what scope="col" role="columnheader" { "Resources" }
                        th.grow scope="col" role="columnheader" { "Why, or how far" }
                        th.wide.number scope="col" role="columnheader" { "Priority" }
                        th.wide scope="col" role="columnheader" { "Submitted" }
                    }
                }
                tbody role="rowgroup" { @for task in tasks { (row(viewer, task, choose)) } }
            }
        }
    }
}

fn row(viewer: &Viewer, task: &Task, choose: bool) -> Markup {
    html! {
        tr role="row" data-key={ "task-" (task.task) } {
            @if choose {
                td.choose role="cell" {
                    input type="checkbox" data-one="" name="task" value=(task.task) aria-label={ "Choose task " (task.task) };
                }
            }
            th scope="row" role="rowheader" { (link::task(viewer, task.task)) }
            td role="cell" { (badge::state(task.state)) }
            td role="cell" { (link::kind(viewer, task.kind.as_deref())) }
            td.what role="cell" { (link::claims(viewer, &task.resources)) }
            td.grow role="cell" { (said(viewer, task)) }
            td.wide.number role="cell" { @if let Some(priority) = task.priority { (priority) } }
            td.wide.nowrap role="cell" { @if let Some(submitted) = task.submitted { (time::relative(submitted, viewer.now)) } }
        }
    }
}

/// Why it waits, how far it is, or how it ended.
fn said(viewer: &Viewer, task: &Task) -> Markup {
    match (task.state, &task.run) {
        (State::Running, Some(run)) => bar::progress(run.progress.as_ref(), viewer.now),
        (State::Waiting, _) => html! {
            @if let Some(reason) = task.reasons.first() {
                (badge::why(&reason.why)) " " span.muted { (reason.sentence) }
                @if task.reasons.len() > 1 { span.muted { " And " (task.reasons.len() - 1) " more." } }
            }
        },
        (State::Succeeded, _) => html! {
            @if let Some(ended) = task.ended { span.muted { (time::relative(ended, viewer.now)) } }
            @if let Some(took) = took(task) { span.muted { ", took " (took) } }
        },
        _ => html! { @if let Some(end) = &task.end { span.muted { (end.sentence) } } },
    }
}

/// How long its last run took.
fn took(task: &Task) -> Option<String> {
    let (started, ended) = (task.started?, task.ended?);
    let ms = ended.ms().saturating_sub(started.ms());
    Some(interlock_api::sentence::length(ms))
}
