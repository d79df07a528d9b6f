//! The overview: what needs attention, what runs, why the rest waits, and how it went lately.

mod attention;
mod plots;
mod waiting;

use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::part::number::grouped;
use crate::part::{badge, bar, button, empty, link, time};
use crate::url;
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::Problem;
use interlock_api::activity::Activity;
use interlock_api::overview::{Line, Overview, OverviewQuery};
use interlock_api::page::{Page as Listed, PageQuery};
use interlock_api::task::{Done, Nothing, Task, TaskQuery};
use interlock_api::token::Scope;
use interlock_api::worker::Worker;
use maud::{Markup, html};

/// Runs that are shown.
const RUNNING: u32 = 10;
/// Lines that are shown.
const LINES: usize = 10;
/// Failed tasks that are looked at, the newest first. Their groups would cost a checkpoint.
const FAILURES: u32 = 50;
/// Workers that are looked at.
const WORKERS: u32 = 200;
/// Kinds, lines and quotas that are looked at.
const LOOKS: u32 = 100;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/", page(show))
        .route("/namespace/release", action(release))
}

/// What the page is made of.
pub(crate) struct Data {
    pub(crate) overview: Overview,
    pub(crate) running: Listed<Task>,
    pub(crate) activity: Activity,
    /// The newest tasks that failed for good.
    pub(crate) failed: Listed<Task>,
    pub(crate) workers: Vec<Worker>,
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let data = fetch(&ask).await?;
    Ok(Page::live("Overview", draw(&ask.viewer, &data)))
}

async fn fetch(ask: &Ask) -> Result<Data, Problem> {
    let api = &ask.api;
    let looks = OverviewQuery { limit: Some(LOOKS) };
    let running = TaskQuery {
        state: Some("running".to_owned()),
        limit: Some(RUNNING),
        ..TaskQuery::default()
    };
    let failed = TaskQuery {
        state: Some("failed".to_owned()),
        limit: Some(FAILURES),
        ..TaskQuery::default()
    };
    let workers = PageQuery {
        limit: Some(WORKERS),
        ..PageQuery::default()
    };
    let (overview, running, activity, failed, workers) = tokio::try_join!(
        api.list("/v1/overview", &looks),
        api.list("/v1/tasks", &running),
        api.get("/v1/activity"),
        api.list("/v1/tasks", &failed),
        api.list::<Listed<Worker>>("/v1/workers", &workers),
    )?;
    Ok(Data {
        overview,
        running,
        activity,
        failed,
        workers: workers.items,
    })
}

async fn release(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = url::segment(&ask.viewer.namespace);
    let path = format!("/v1/namespaces/{name}/release");
    let Done {} = ask.api.post(&path, &Nothing {}).await?;
    Ok(Acted::done("The namespace is released."))
}

pub(crate) fn draw(viewer: &Viewer, data: &Data) -> Markup {
    let overview = &data.overview;
    html! {
        div.head {
            h1 { "Overview" }
            @if overview.held {
                (badge::badge("hold", "held"))
                @if viewer.may(Scope::Operate) { (button::button(viewer, "/namespace/release", "Release the namespace", "primary", &[])) }
            }
        }
        @if is_new(data) { (welcome(viewer)) }
        (figures(data))
        (attention::draw(viewer, data))
        div.cards {
            (running(viewer, data))
            (waiting::draw(overview))
        }
        (lines(viewer, &overview.lines))
        (plots::draw(&data.activity))
    }
}

/// Whether nothing has ever happened here.
fn is_new(data: &Data) -> bool {
    let (counts, totals) = (&data.overview.counts, &data.overview.totals);
    counts.waiting + counts.running + counts.sessions == 0
        && totals.accepted + totals.postponed + totals.coalesced == 0
        && data.failed.items.is_empty()
}

fn welcome(viewer: &Viewer) -> Markup {
    empty::empty(
        viewer,
        "Nothing has happened here yet",
        "Register a kind, submit two tasks on the same resource, and start a worker. The second task waits for the first, and this page says so:",
        &[
            "interlock kinds set sync",
            "interlock submit sync repository:f16",
            "interlock submit sync repository:f16",
            "interlock work --kind sync -- sleep 20",
        ],
    )
}

fn figures(data: &Data) -> Markup {
    let counts = &data.overview.counts;
    let hour = &data.activity.hour.counts;
    let figure = |name: &str, value: u64, tone: &str| {
        html! { div.figure.(tone) { dt { (name) } dd { (grouped(value)) } } }
    };
    html! {
        dl.figures {
            (figure("Running", counts.running, "run"))
            (figure("Waiting", counts.waiting, "wait"))
            (figure("Succeeded in the last hour", hour.succeeded, "good"))
            (figure("Failed runs in the last hour", hour.failed, if hour.failed > 0 { "bad" } else { "off" }))
            (figure("Workers", counts.sessions, "off"))
            (figure("Idle workers", counts.idle_workers, "off"))
        }
    }
}

fn running(viewer: &Viewer, data: &Data) -> Markup {
    let all = data.overview.counts.running;
    let tasks = &data.running.items;
    html! {
        section.card aria-labelledby="running" {
            h2 #running {
                "Running now"
                a href=(viewer.to("/tasks?state=running")) { "All " (grouped(all)) }
            }
            @if tasks.is_empty() { p.muted { "Nothing runs." } }
            ul.runs {
                @for task in tasks { (one_running(viewer, task)) }
            }
        }
    }
}

fn one_running(viewer: &Viewer, task: &Task) -> Markup {
    html! {
        li data-key={ "task-" (task.task) } {
            div.run-head {
                div.box-head {
                    (link::task(viewer, task.task)) " " strong { (task.kind.as_deref().unwrap_or("")) } " "
                    (link::claims(viewer, &task.resources))
                }
                @if let Some(run) = &task.run {
                    div.muted { "on " (link::worker(viewer, &run.worker)) " for " (time::since(run.started, viewer.now)) }
                }
            }
            @if let Some(progress) = task.run.as_ref().and_then(|run| run.progress.as_ref()) {
                (bar::progress(Some(progress), viewer.now))
            }
        }
    }
}

fn lines(viewer: &Viewer, lines: &[Line]) -> Markup {
    html! {
        section.card aria-labelledby="lines" {
            h2 #lines { "Longest lines" a href=(viewer.to("/resources")) { "All resources" } }
            @if lines.is_empty() {
                p.muted { "Nobody waits for a resource." }
            } @else {
                div.scroll tabindex="0" role="region" aria-label="Table of the longest lines" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "Resource" }
                                th scope="col" { "State" }
                                th.number scope="col" { "Waiting" }
                                th.wide scope="col" { "Held by" }
                                th.grow scope="col" { "Why the next one waits" }
                            }
                        }
                        tbody { @for line in lines.iter().take(LINES) { (one_line(viewer, line)) } }
                    }
                }
            }
        }
    }
}

fn one_line(viewer: &Viewer, line: &Line) -> Markup {
    let first = line.first.as_ref();
    let reason = first.and_then(|first| first.reasons.first());
    html! {
        tr data-key={ "line-" (line.resource) } {
            th.what scope="row" { (link::resource(viewer, &line.resource)) }
            td { (badge::resource(line.state)) }
            td.number { (grouped(line.waiting)) }
            td.wide.nowrap {
                @if let Some(holder) = &line.holder { (link::task(viewer, holder.task)) " " (holder.kind) }
                @else { span.muted { "nobody" } }
            }
            td.grow {
                @if let Some(first) = first { (link::task(viewer, first.task)) " " }
                @if let Some(reason) = reason { (badge::why(&reason.why)) " " span.muted { (reason.sentence) } }
            }
        }
    }
}

#[cfg(test)]
mod tests;
