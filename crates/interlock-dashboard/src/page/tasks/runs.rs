//! The runs of a task: who, when, how they ended, and what was said last.

use crate::part::{badge, link, time};
use crate::viewer::Viewer;
use interlock_api::sentence::length;
use interlock_api::task::{PastRun, Run, RunHow, Task};
use maud::{Markup, html};

/// All runs, the latest first.
pub(crate) fn draw(viewer: &Viewer, task: &Task) -> Markup {
    html! {
        section.card aria-labelledby="runs" {
            h2 #runs { "Runs" }
            @if task.runs.is_empty() && task.run.is_none() {
                p.muted { "No run of it has begun." }
            } @else {
                div.scroll tabindex="0" role="region" aria-label="Table of runs" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "Run" }
                                th scope="col" { "Outcome" }
                                th scope="col" { "Worker" }
                                th scope="col" { "Began" }
                                th scope="col" { "Took" }
                                th.grow scope="col" { "Error" }
                            }
                        }
                        tbody {
                            @if let Some(run) = &task.run { (live(viewer, run, task.runs.len() + 1)) }
                            @for (at, run) in task.runs.iter().enumerate().rev() { (past(viewer, run, at + 1)) }
                        }
                    }
                }
            }
        }
    }
}

fn live(viewer: &Viewer, run: &Run, number: usize) -> Markup {
    html! {
        tr data-key={ "run-" (run.token) } {
            th scope="row" { (number) }
            td { @if run.stopping { (badge::badge("off", "stopping")) } @else { (badge::badge("run", "running")) } }
            td { (link::worker(viewer, &run.worker)) }
            td.nowrap { (time::relative(run.started, viewer.now)) }
            td.nowrap { (time::since(run.started, viewer.now)) }
            td { span.muted { "lease ends " (time::until(run.lease_ends, viewer.now)) } }
        }
    }
}

fn past(viewer: &Viewer, run: &PastRun, number: usize) -> Markup {
    let took = run.ended.ms().saturating_sub(run.started.ms());
    html! {
        tr data-key={ "run-" (run.token) } {
            th scope="row" { (number) }
            td { (how(run.how)) }
            td { @match &run.worker {
                Some(worker) => { (link::worker(viewer, worker)) },
                None => { span.muted { "gone" } },
            } }
            td.nowrap { (time::relative(run.started, viewer.now)) }
            td.nowrap { (length(took)) }
            td {
                @if let Some(message) = &run.message { div.error { (message) } }
                @if !run.detail.is_empty() {
                    details data-key={ "log-" (run.token) } {
                        summary { "Last output" }
                        pre.text tabindex="0" { (run.detail) }
                    }
                }
            }
        }
    }
}

fn how(how: RunHow) -> Markup {
    match how {
        RunHow::Succeeded => badge::badge("good", "succeeded"),
        RunHow::Failed => badge::badge("bad", "failed"),
        RunHow::Released => badge::badge("off", "given back"),
        RunHow::Returned => badge::badge("off", "not delivered"),
        RunHow::Lost => badge::badge("bad", "lost"),
        RunHow::Stopped => badge::badge("off", "stopped"),
        RunHow::TooLong => badge::badge("bad", "ran too long"),
    }
}
