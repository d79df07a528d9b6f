//! What ran on a resource lately: a timeline of runs, and the last end of each kind.

use crate::part::{badge, link, time};
use crate::viewer::Viewer;
use interlock_api::Time;
use interlock_api::resource::{LastEnded, LastTask};
use interlock_api::sentence::length;
use interlock_api::task::{State, Task};
use maud::{Markup, html};

/// The drawing's size, in its own units.
const WIDTH: f64 = 1000.0;
const LANE: f64 = 14.0;
/// Lanes at most: runs that overlap are drawn below one another.
const LANES_MAX: usize = 6;

/// A run on the timeline.
struct Bar<'a> {
    task: &'a Task,
    from: u64,
    to: u64,
    lane: usize,
}

/// The runs in lanes: each in the first lane that is free by then.
fn bars(tasks: &[Task]) -> Vec<Bar<'_>> {
    let mut spans: Vec<(u64, u64, &Task)> = (tasks.iter())
        .filter_map(|task| Some((task.started?.ms(), task.ended?.ms(), task)))
        .collect();
    spans.sort_by_key(|(from, to, _)| (*from, *to));
    let mut ends: Vec<u64> = Vec::new();
    let mut bars = Vec::new();
    for (from, to, task) in spans {
        let free = ends.iter().position(|end| *end <= from);
        let lane = free.unwrap_or(ends.len()).min(LANES_MAX - 1);
        match ends.get_mut(lane) {
            Some(end) => *end = to,
            None => ends.push(to),
        }
        bars.push(Bar {
            task,
            from,
            to,
            lane,
        });
    }
    bars
}

/// A timeline of runs that ended, from the first of them until now.
pub(crate) fn timeline(viewer: &Viewer, tasks: &[Task]) -> Markup {
    let bars = bars(tasks);
    let Some(begin) = bars.iter().map(|bar| bar.from).min() else {
        return html! {};
    };
    let end = viewer.now.ms().max(begin + 1);
    let x = |ms: u64| (ms.saturating_sub(begin)) as f64 / (end - begin) as f64 * WIDTH;
    let lanes = bars.iter().map(|bar| bar.lane).max().unwrap_or(0) + 1;
    let height = lanes as f64 * LANE;
    let label = format!("Timeline of the last {} runs", bars.len());
    html! {
        section.card aria-labelledby="timeline" {
            h2 #timeline { "Recent runs" span.muted { (bars.len()) " on this drawing" } }
            svg.timeline viewBox={ "0 0 " (WIDTH) " " (height) } preserveAspectRatio="none" role="img" aria-label=(label) {
                @for bar in &bars {
                    rect.(tone(bar.task.state)) x=(format!("{:.1}", x(bar.from))) y=(bar.lane as f64 * LANE + 1.0)
                        width=(format!("{:.1}", (x(bar.to) - x(bar.from)).max(3.0))) height=(LANE - 2.0) rx="2" {
                        title { (tip(bar.task)) }
                    }
                }
            }
            div.axis {
                span.muted { (time::relative(Time::from_ms(begin), viewer.now)) }
                span.muted { "now" }
            }
            details #runs-table {
                summary { "The same as a table" }
                div.scroll tabindex="0" role="region" aria-label="Table of recent runs" {
                    table {
                        thead { tr { th scope="col" { "Task" } th scope="col" { "Kind" } th scope="col" { "Outcome" } th scope="col" { "Worker" } th scope="col" { "Ended" } th scope="col" { "Took" } } }
                        tbody {
                            @for bar in bars.iter().rev() {
                                tr data-key={ "run-" (bar.task.task) } {
                                    th scope="row" { (link::task(viewer, bar.task.task)) }
                                    td { (link::kind(viewer, bar.task.kind.as_deref())) }
                                    td { (badge::state(bar.task.state)) }
                                    td { @if let Some(worker) = &bar.task.worker { (link::worker(viewer, worker)) } }
                                    td.nowrap { (time::relative(Time::from_ms(bar.to), viewer.now)) }
                                    td.nowrap { (length(bar.to - bar.from.min(bar.to))) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn tone(state: State) -> &'static str {
    match state {
        State::Succeeded => "good",
        State::Failed => "bad",
        _ => "off",
    }
}

fn tip(task: &Task) -> String {
    let kind = task.kind.as_deref().unwrap_or("task");
    let state = match task.state {
        State::Succeeded => "succeeded",
        State::Failed => "failed",
        State::Cancelled => "cancelled",
        State::Running => "running",
        State::Waiting => "waiting",
    };
    let took = match (task.started, task.ended) {
        (Some(from), Some(to)) => length(to.ms().saturating_sub(from.ms())),
        _ => String::new(),
    };
    format!("{kind} #{}, {state}, {took}", task.task)
}

/// The last success and failure of each kind.
pub(crate) fn last(viewer: &Viewer, last: &[LastEnded]) -> Markup {
    html! {
        section.card aria-labelledby="last" {
            h2 #last { "Last ended" }
            @if last.is_empty() {
                p.muted { "Nothing has ended on it that is still remembered." }
            } @else {
                div.scroll tabindex="0" role="region" aria-label="Table of what ended last" {
                    table {
                        thead { tr { th scope="col" { "Kind" } th scope="col" { "Last success" } th scope="col" { "Last failure" } } }
                        tbody {
                            @for one in last {
                                tr data-key={ "kind-" (one.kind) } {
                                    th scope="row" { (link::kind(viewer, Some(&one.kind))) }
                                    td { (ended(viewer, one.succeeded.as_ref())) }
                                    td { (ended(viewer, one.failed.as_ref())) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn ended(viewer: &Viewer, task: Option<&LastTask>) -> Markup {
    html! {
        @match task {
            None => { span.muted { "none" } },
            Some(task) => {
                (time::relative(task.ended, viewer.now)) " " (link::task(viewer, task.task))
                @if let Some(error) = &task.error { div.error { (error) } }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(task: u64, from: u64, to: u64) -> Task {
        let text = format!(
            r#"{{"task": {task}, "state": "succeeded", "resources": [], "started": "{}", "ended": "{}"}}"#,
            Time::from_ms(from),
            Time::from_ms(to)
        );
        serde_json::from_str(&text).expect("a task")
    }

    #[test]
    fn runs_that_overlap_are_drawn_below_one_another() {
        let tasks = [task(3, 30, 40), task(2, 15, 35), task(1, 10, 20)];
        let lanes: Vec<(u64, usize)> = (bars(&tasks).iter())
            .map(|bar| (bar.task.task, bar.lane))
            .collect();
        assert_eq!(lanes, [(1, 0), (2, 1), (3, 0)]);
    }
}
