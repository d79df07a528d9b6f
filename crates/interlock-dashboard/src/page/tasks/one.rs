//! One task: its state and why, how far it is, its runs, what went in and what came out.

use super::list::table;
use super::{bulk, chain, runs};
use crate::Shared;
use crate::ask::{Ask, Page, page};
use crate::part::{badge, bar, button, link, time};
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::explain::Explanation;
use interlock_api::json::Json;
use interlock_api::page::Page as Listed;
use interlock_api::reason::{HoldTarget, Why};
use interlock_api::task::{Run, State, Task, TaskQuery, Told};
use interlock_api::token::Scope;
use interlock_api::verdict::Verdict;
use interlock_api::{Code, Problem};
use maud::{Markup, html};

/// Children that are shown here.
const CHILDREN: u32 = 20;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/tasks/{id}", page(show))
}

/// What the page is made of.
pub(crate) struct Data {
    pub(crate) asked: u64,
    pub(crate) task: Task,
    pub(crate) explanation: Option<Explanation>,
    pub(crate) children: Listed<Task>,
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let data = fetch(&ask).await?;
    let title = format!("Task {}", data.task.task);
    let main = draw(&ask.viewer, &data);
    Ok(match data.task.state {
        // What it waits for is told by the events of others.
        State::Waiting => Page::live(title, main),
        _ => Page::live_of(title, main, format!("task={}", data.task.task)),
    })
}

async fn fetch(ask: &Ask) -> Result<Data, Problem> {
    let asked = ask.id()?;
    let task: Task = ask.api.get(&format!("/v1/tasks/{asked}")).await?;
    let explanation = match task.state {
        State::Waiting => {
            let explained = ask.api.get(&format!("/v1/tasks/{asked}/explain")).await;
            match explained {
                Ok(explanation) => Some(explanation),
                // It ended between the two looks; the next one shows it.
                Err(problem) if matches!(problem.code, Code::Ended | Code::UnknownTask) => None,
                Err(problem) => return Err(problem),
            }
        }
        _ => None,
    };
    let children = TaskQuery {
        parent: Some(task.task),
        limit: Some(CHILDREN),
        ..TaskQuery::default()
    };
    let children = ask.api.list("/v1/tasks", &children).await?;
    Ok(Data {
        asked,
        task,
        explanation,
        children,
    })
}

pub(crate) fn draw(viewer: &Viewer, data: &Data) -> Markup {
    let task = &data.task;
    html! {
        div.head {
            h1 { "Task " (task.task) }
            (badge::state(task.state))
            @if let Some(kind) = &task.kind { span.muted { "kind " } strong { (link::kind(viewer, Some(kind))) } }
            @if viewer.may(Scope::Operate) { div.actions { (actions(viewer, task)) } }
        }
        @if data.asked != task.task {
            p.notice.info { "Task " (data.asked) " became one with this task; both numbers lead here." }
        }
        (said(viewer, data))
        div.cards {
            @if let Some(run) = &task.run { (running(viewer, run)) }
            @if let Some(told) = &task.told { (verdict(told)) }
            (facts(viewer, task))
        }
        (runs::draw(viewer, task))
        (children(viewer, data))
        (content(task))
    }
}

/// The state in a sentence, and the drawing that goes with it.
fn said(viewer: &Viewer, data: &Data) -> Markup {
    html! {
        @if let Some(explanation) = &data.explanation {
            section.card.why aria-labelledby="why" {
                h2 #why { "Why it waits" }
                p.lead { (explanation.sentence) }
                (chain::draw(viewer, explanation))
            }
        } @else if let Some(end) = &data.task.end {
            section.card.why aria-labelledby="why" {
                h2 #why { "How it ended" }
                p.lead { (end.sentence) }
                @if let Some(ended) = data.task.ended { p.muted { (time::relative(ended, viewer.now)) } }
            }
        }
    }
}

/// What its submitter was told, which may long be over.
fn verdict(told: &Told) -> Markup {
    html! {
        section.card aria-labelledby="verdict" {
            h2 #verdict { "Verdict at submission" }
            @match told.verdict {
                Verdict::Accepted => { p { (badge::badge("good", "accepted")) " Nothing stood in its way." } },
                Verdict::Postponed => { p { (badge::badge("wait", "postponed")) " This stood in its way then:" } },
            }
            @if !told.reasons.is_empty() {
                ul.plain { @for reason in &told.reasons { li { (badge::why(&reason.why)) " " span.muted { (reason.sentence) } } } }
            }
        }
    }
}

fn running(viewer: &Viewer, run: &Run) -> Markup {
    html! {
        section.card aria-labelledby="running" {
            h2 #running { "Running" }
            (bar::progress(run.progress.as_ref(), viewer.now))
            dl.facts {
                dt { "Worker" } dd { (link::worker(viewer, &run.worker)) }
                dt { "Since" } dd { (time::relative(run.started, viewer.now)) }
                @if let Some(rate) = run.progress.as_ref().and_then(|progress| progress.rate) {
                    dt { "Rate" } dd { (format!("{rate:.1}")) " a second" }
                }
                dt { "Lease ends" } dd { (time::until(run.lease_ends, viewer.now)) " unless it is renewed" }
                dt { "Token" } dd { code { (run.token) } }
            }
            @if run.stopping { p.notice.info { "It was told to stop." } }
        }
    }
}

fn facts(viewer: &Viewer, task: &Task) -> Markup {
    html! {
        section.card aria-labelledby="facts" {
            h2 #facts { "Facts" }
            dl.facts {
                @if !task.resources.is_empty() {
                    dt { "Resources" }
                    dd { @for claim in &task.resources {
                        div { @if let Some(op) = claim.op { span.op { (link::op_word(op)) " " } } (link::resource(viewer, &claim.resource)) }
                    } }
                }
                @if let Some(priority) = task.priority { dt { "Priority" } dd { (priority) " of 9" } }
                @if let Some(submitted) = task.submitted { dt { "Submitted" } dd { (time::relative(submitted, viewer.now)) } }
                @if let Some(many) = task.stands_for.filter(|many| *many > 1) { dt { "Stands for" } dd { (many) " submissions" } }
                @if task.tries > 0 { dt { "Failed runs" } dd { (task.tries) } }
                @if task.losses > 0 { dt { "Lost runs" } dd { (task.losses) } }
                @if let Some(worker) = &task.worker { dt { "Last worker" } dd { (link::worker(viewer, worker)) } }
                @if !task.tags.is_empty() {
                    dt { "Tags" }
                    dd { @for tag in &task.tags { a href=(viewer.to("/tasks") + &crate::url::query([("tag", tag.as_str())])) { (tag) } " " } }
                }
                @if let Some(schedule) = &task.schedule {
                    dt { "Schedule" }
                    dd { a href=(viewer.to("/tasks") + &crate::url::query([("schedule", schedule.as_str())])) { (schedule) } }
                }
                @if let Some(group) = task.group { dt { "Group" } dd { a href=(viewer.to(&format!("/groups/{group}"))) { (group) } } }
                @if let Some(parent) = task.parent { dt { "Submitted by a run of" } dd { (link::task(viewer, parent)) } }
                @if let Some(old) = task.retry_of { dt { "Repeats" } dd { (link::task(viewer, old)) } }
            }
        }
    }
}

fn children(viewer: &Viewer, data: &Data) -> Markup {
    let parent = data.task.task.to_string();
    html! {
        @if !data.children.items.is_empty() {
            section.card aria-labelledby="children" {
                h2 #children {
                    "Submitted by its runs"
                    a href=(viewer.to("/tasks") + &crate::url::query([("parent", parent.as_str())])) { "All of them" }
                }
                (table(viewer, &data.children.items, false))
            }
        }
    }
}

/// What was submitted and what came of it, folded away.
fn content(task: &Task) -> Markup {
    let log = task.result.as_ref().and_then(log_of);
    html! {
        @if task.payload.is_some() || task.result.is_some() {
            section.card aria-labelledby="content" {
                h2 #content { "Payload and result" }
                @if let Some(payload) = &task.payload {
                    details #payload { summary { "Payload" } pre.text tabindex="0" { (pretty(payload)) } }
                }
                @if let Some(log) = &log {
                    details #log open { summary { "Last output" } pre.text tabindex="0" { (log) } }
                } @else if let Some(result) = &task.result {
                    details #result { summary { "Result" } pre.text tabindex="0" { (pretty(result)) } }
                }
            }
        }
    }
}

/// The end of a command's output, which `interlock work` keeps as its result.
fn log_of(result: &Json) -> Option<String> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Log {
        log: String,
    }
    result.read::<Log>().ok().map(|found| found.log)
}

/// JSON as people read it; as it was sent if it can't be read.
fn pretty(json: &Json) -> String {
    let value = json.read::<serde_json::Value>();
    let text = value.and_then(|value| serde_json::to_string_pretty(&value));
    text.unwrap_or_else(|_| json.get().to_owned())
}

fn actions(viewer: &Viewer, task: &Task) -> Markup {
    let is_held = task.reasons.iter().any(|reason| {
        matches!(
            &reason.why,
            Why::Held {
                what: HoldTarget::Task(_)
            }
        )
    });
    html! {
        @match task.state {
            State::Waiting => {
                @if let Some(priority) = task.priority.filter(|priority| *priority < 9) { (bump(viewer, task.task, priority)) }
                @if is_held { (bulk::one(viewer, task.task, "release", "Release", "primary")) }
                @else { (bulk::one(viewer, task.task, "hold", "Hold", "")) }
                (cancel(viewer, task))
            },
            State::Running => { (cancel(viewer, task)) },
            _ => { (bulk::one(viewer, task.task, "retry", "Retry", "primary")) },
        }
    }
}

fn bump(viewer: &Viewer, task: u64, priority: u8) -> Markup {
    html! {
        form.inline method="post" action=(viewer.to(&format!("/tasks/{task}/bump"))) {
            (button::back(viewer))
            label.hidden for="priority" { "New priority" }
            select #priority name="priority" {
                @for level in (priority + 1..=9).rev() { option value=(level) { "priority " (level) } }
            }
            button type="submit" { "Bump" }
        }
    }
}

fn cancel(viewer: &Viewer, task: &Task) -> Markup {
    let path = format!("/tasks/{}/cancel", task.task);
    match task.stands_for {
        Some(many) if many > 1 => {
            let label = format!("Cancel all {many} submissions");
            button::button(viewer, &path, &label, "danger", &[("all", "yes")])
        }
        _ => button::button(viewer, &path, "Cancel", "danger", &[]),
    }
}

#[cfg(test)]
mod tests;
