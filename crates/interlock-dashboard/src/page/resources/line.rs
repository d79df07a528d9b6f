//! The line of a resource, drawn as a line: who holds it, who waits behind whom, readers side by side,
//! creates and deletes as bars across it.

use crate::part::number::{counted, grouped};
use crate::part::{badge, bar, link, time};
use crate::url;
use crate::viewer::Viewer;
use interlock_api::claim::Op;
use interlock_api::reason::Brief;
use interlock_api::resource::{InLine, Resource};
use maud::{Markup, html};

/// Tasks in line that are drawn; the rest is counted.
const SHOWN: usize = 50;

/// A stop on the line: one task, or readers that may run side by side.
#[derive(Debug, PartialEq)]
struct Stop<'a> {
    tasks: Vec<&'a InLine>,
    /// Whether nothing passes it in either direction.
    is_barrier: bool,
}

/// Tasks in order, readers next to one another put together.
fn stops<'a>(tasks: impl Iterator<Item = &'a InLine>) -> Vec<Stop<'a>> {
    let mut stops: Vec<Stop<'a>> = Vec::new();
    let reads = |task: &InLine| task.op == Some(Op::Read);
    for task in tasks {
        let is_barrier = matches!(task.op, Some(Op::Create | Op::Delete));
        match stops.last_mut() {
            Some(last) if reads(task) && last.tasks.iter().all(|one| reads(one)) => {
                last.tasks.push(task);
            }
            _ => stops.push(Stop {
                tasks: vec![task],
                is_barrier,
            }),
        }
    }
    stops
}

/// The whole line.
pub(crate) fn draw(viewer: &Viewer, resource: &Resource) -> Markup {
    let shown = resource.line.iter().take(SHOWN);
    let room = SHOWN.saturating_sub(resource.line.len());
    let outside = resource.outside.iter().take(room);
    let drawn = resource.line.len().min(SHOWN) + resource.outside.len().min(room);
    let rest = resource.waiting.saturating_sub(drawn as u64);
    let elsewhere = elsewhere(resource);
    html! {
        section.card aria-labelledby="line" {
            h2 #line {
                "The line"
                span.muted { (counted(resource.waiting, "task waits", "tasks wait")) }
            }
            ol.track {
                li.holders data-key="holders" { (holders(viewer, resource)) }
                @for (at, stop) in stops(shown).iter().enumerate() { (draw_stop(viewer, stop, at + 1)) }
                @for brief in &elsewhere { (barrier_elsewhere(viewer, brief)) }
                @if !resource.outside.is_empty() {
                    li.outside-mark data-key="outside" { span.muted { "Outside the line, until what is above is over" } }
                    @for (at, stop) in stops(outside).iter().enumerate() { (draw_stop(viewer, stop, at + 1)) }
                }
                @if rest > 0 { (the_rest(viewer, resource, rest)) }
            }
        }
    }
}

/// Pending creates and deletes that stand neither in line nor outside: they wait for a retry or a
/// quota, and keep their place.
fn elsewhere(resource: &Resource) -> Vec<&Brief> {
    let seen = |task: u64| {
        let mut all = resource.line.iter().chain(&resource.outside);
        let holds = resource.holders.iter().any(|holder| holder.task == task);
        holds || all.any(|one| one.task == task)
    };
    let barriers = resource.barriers.iter();
    barriers.filter(|barrier| !seen(barrier.task)).collect()
}

fn holders(viewer: &Viewer, resource: &Resource) -> Markup {
    html! {
        span.stop-mark.run aria-hidden="true" {}
        @if resource.holders.is_empty() {
            p.free {
                @if resource.held { "An operator holds it: nothing starts." }
                @else { "Nobody holds it." }
            }
        } @else {
            div.boxes {
                @for holder in &resource.holders {
                    div.box.run data-key={ "task-" (holder.task) } {
                        div.box-head {
                            (link::task(viewer, holder.task)) " " strong { (holder.kind) }
                            (badge::badge("run", "holds it"))
                        }
                        div.muted {
                            @if let Some(worker) = &holder.worker { "on " (link::worker(viewer, worker)) }
                            @if let Some(running) = holder.running {
                                " for " (time::since(ago(viewer, running.ms()), viewer.now))
                            }
                        }
                        (bar::progress(holder.progress.as_ref(), viewer.now))
                    }
                }
            }
        }
    }
}

fn ago(viewer: &Viewer, ms: u64) -> interlock_api::Time {
    interlock_api::Time::from_ms(viewer.now.ms().saturating_sub(ms))
}

fn draw_stop(viewer: &Viewer, stop: &Stop<'_>, number: usize) -> Markup {
    let first = stop.tasks.first().map_or(0, |task| task.task);
    html! {
        li.stop.barrier[stop.is_barrier] data-key={ "stop-" (first) } {
            span.stop-mark.barrier[stop.is_barrier] aria-hidden="true" { (number) }
            div.boxes {
                @for task in &stop.tasks { (in_line(viewer, task)) }
            }
        }
    }
}

fn in_line(viewer: &Viewer, task: &InLine) -> Markup {
    html! {
        div.box data-key={ "task-" (task.task) } {
            div.box-head {
                (link::task(viewer, task.task)) " " strong { (task.kind) }
                @if let Some(op) = task.op { span.op { (link::op_word(op)) } }
                @if matches!(task.op, Some(Op::Create | Op::Delete)) { (badge::badge("hold", "barrier")) }
                @for reason in task.reasons.iter().take(1) { (badge::why(&reason.why)) }
            }
            div.muted {
                "priority " (task.priority) ", waits for " (time::since(task.submitted, viewer.now))
            }
            @if let Some(reason) = task.reasons.first() {
                p.said {
                    (reason.sentence)
                    @if task.reasons.len() > 1 { " And " (task.reasons.len() - 1) " more." }
                }
            }
        }
    }
}

fn barrier_elsewhere(viewer: &Viewer, brief: &Brief) -> Markup {
    html! {
        li.stop.barrier data-key={ "stop-" (brief.task) } {
            span.stop-mark.barrier aria-hidden="true" {}
            div.boxes {
                div.box {
                    div.box-head { (link::task(viewer, brief.task)) " " strong { (brief.kind) } (badge::badge("wait", "keeps its place")) }
                    p.said { "A create or delete that waits for a retry or a quota: nothing passes it." }
                }
            }
        }
    }
}

fn the_rest(viewer: &Viewer, resource: &Resource, rest: u64) -> Markup {
    let query = url::query([
        ("resource", resource.resource.as_str()),
        ("state", "waiting"),
    ]);
    html! {
        li.rest data-key="rest" {
            span.stop-mark aria-hidden="true" { "…" }
            p {
                a href=(viewer.to("/tasks") + &query) {
                    "and " (grouped(rest)) @if rest == 1 { " more task" } @else { " more tasks" }
                }
                span.muted { ", further back or waiting for something else than their turn" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlock_api::Time;
    use interlock_api::task::State;

    fn task(task: u64, op: Op) -> InLine {
        InLine {
            task,
            kind: "k".to_owned(),
            op: Some(op),
            priority: 4,
            state: State::Waiting,
            submitted: Time::from_ms(0),
            reasons: Vec::new(),
        }
    }

    #[test]
    fn readers_stand_side_by_side_until_something_else_comes() {
        use Op::{Delete, Read, Update};
        let line = [
            task(1, Read),
            task(2, Read),
            task(3, Update),
            task(4, Read),
            task(5, Delete),
        ];
        let stops = stops(line.iter());
        let ids: Vec<Vec<u64>> = (stops.iter())
            .map(|stop| stop.tasks.iter().map(|task| task.task).collect())
            .collect();
        assert_eq!(ids, [vec![1, 2], vec![3], vec![4], vec![5]]);
        let barriers: Vec<bool> = stops.iter().map(|stop| stop.is_barrier).collect();
        assert_eq!(barriers, [false, false, false, true]);
    }
}
