//! The page of workers: who is there, what they run, and when they were last heard of.

use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::part::confirm::{Confirm, confirm};
use crate::part::{badge, empty, link, more, time};
use crate::url;
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::Problem;
use interlock_api::page::{Page as Listed, PageQuery};
use interlock_api::task::{Done, Nothing};
use interlock_api::token::Scope;
use interlock_api::worker::{Worker, WorkerState};
use maud::{Markup, html};

/// Workers on one page.
const SHOWN: u32 = 100;
/// Tasks of one worker that are named.
const TASKS_SHOWN: usize = 3;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/workers", page(show))
        .route("/workers/{name}/drain", action(drain))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let query = PageQuery {
        cursor: ask.query.some("cursor"),
        limit: Some(SHOWN),
    };
    let workers = ask.api.list("/v1/workers", &query).await?;
    let first = query.cursor.is_none();
    Ok(Page::live("Workers", draw(&ask.viewer, &workers, first)))
}

async fn drain(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = ask.param("name");
    let path = format!("/v1/workers/{}/drain", url::segment(name));
    let Done {} = ask.api.post(&path, &Nothing {}).await?;
    Ok(Acted::done(format!(
        "Worker {name} gets no new work and leaves when it is done."
    )))
}

fn draw(viewer: &Viewer, workers: &Listed<Worker>, first: bool) -> Markup {
    html! {
        h1 { "Workers" }
        @if workers.items.is_empty() && first {
            (empty::empty(viewer, "No worker is here", "A worker is any command, run once for each task:",
                &["interlock work --kind sync -- sh -c 'echo \"$INTERLOCK_RESOURCES\"; sleep 5'"]))
        } @else {
            (table(viewer, &workers.items))
        }
        (more::more(viewer, "/workers", &[], first, workers.next.as_deref()))
    }
}

fn table(viewer: &Viewer, workers: &[Worker]) -> Markup {
    let operates = viewer.may(Scope::Operate);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Workers" {
            table {
                thead {
                    tr {
                        th scope="col" { "Worker" }
                        th scope="col" { "State" }
                        th scope="col" { "Runs" }
                        th scope="col" { "Kinds" }
                        th scope="col" { "Last heard" }
                        th.wide scope="col" { "Session" }
                        @if operates { th scope="col" { span.hidden { "Actions" } } }
                    }
                }
                tbody {
                    @for worker in workers {
                        tr data-key={ "worker-" (worker.name) } {
                            th scope="row" { (link::worker(viewer, &worker.name)) }
                            td { (state(worker.state)) }
                            td { (runs(viewer, worker)) }
                            td { (kinds(viewer, &worker.kinds)) }
                            td { @if let Some(heard) = worker.heard { (time::relative(heard, viewer.now)) } }
                            td.wide.mono { (worker.session) }
                            @if operates { td { (drain_button(viewer, worker)) } }
                        }
                    }
                }
            }
        }
    }
}

fn state(state: WorkerState) -> Markup {
    match state {
        WorkerState::Idle => badge::badge("good", "idle"),
        WorkerState::Busy => badge::badge("run", "busy"),
        WorkerState::Quiet => badge::badge("off", "quiet"),
        WorkerState::Draining => badge::badge("hold", "draining"),
        WorkerState::Lost => badge::badge("bad", "lost"),
    }
}

fn runs(viewer: &Viewer, worker: &Worker) -> Markup {
    let running = worker.running.len();
    html! {
        @match worker.at_once {
            Some(at_once) => { (running) " of " (at_once) },
            None => { (running) },
        }
        @for task in worker.running.iter().take(TASKS_SHOWN) { " " (link::task(viewer, *task)) }
        @if running > TASKS_SHOWN { " " span.muted { "and " (running - TASKS_SHOWN) " more" } }
    }
}

fn kinds(viewer: &Viewer, kinds: &[String]) -> Markup {
    html! {
        @for (at, kind) in kinds.iter().enumerate() {
            @if at > 0 { ", " }
            (link::kind(viewer, Some(kind)))
        }
    }
}

fn drain_button(viewer: &Viewer, worker: &Worker) -> Markup {
    if matches!(worker.state, WorkerState::Draining | WorkerState::Lost) {
        return html! {};
    }
    let action = format!("/workers/{}/drain", url::segment(&worker.name));
    confirm(
        viewer,
        &Confirm {
            label: "Drain",
            question: "It gets no new work, and leaves when it is done with what it runs.",
            yes: "Drain it",
            action: &action,
            fields: &[],
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::sample::{reader, viewer};
    use serde_json::json;

    fn workers() -> Listed<Worker> {
        let workers = json!({"items": [
            {"name": "w1", "state": "busy", "session": 7, "kinds": ["sync", "push"],
             "running": [11, 12, 13, 14], "at_once": 8, "heard": "2026-11-16T09:59:58Z"},
            {"name": "w<2>", "state": "lost", "session": 9, "kinds": [], "running": []},
        ], "next": "n-w<2>"});
        serde_json::from_value(workers).expect("workers")
    }

    #[test]
    fn a_worker_shows_what_it_runs_and_when_it_was_heard_of() {
        let drawn = draw(&viewer(), &workers(), true).into_string();
        assert!(drawn.contains("4 of 8"), "{drawn}");
        assert!(drawn.contains(r#"href="/tasks/11""#));
        assert!(drawn.contains("and 1 more"));
        assert!(drawn.contains("2 s ago"));
        assert!(drawn.contains("w&lt;2&gt;") && !drawn.contains("w<2>"));
        assert!(drawn.contains("Next page"));
    }

    #[test]
    fn only_who_may_operate_is_offered_to_drain_and_only_who_is_there_is_drained() {
        let drawn = draw(&viewer(), &workers(), true).into_string();
        assert_eq!(drawn.matches("Drain it").count(), 1);
        assert!(drawn.contains(r#"action="/workers/w1/drain""#));
        let drawn = draw(&reader(), &workers(), true).into_string();
        assert!(!drawn.contains("<form"));
    }

    #[test]
    fn where_nobody_is_it_says_how_to_start_one() {
        let nobody = Listed::new(Vec::new(), None);
        let drawn = draw(&viewer(), &nobody, true).into_string();
        assert!(drawn.contains("interlock work --kind sync"), "{drawn}");
    }
}
