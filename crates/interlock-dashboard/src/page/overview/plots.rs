//! How it went in the last hour and day.

use crate::part::number::{counted, grouped};
use crate::part::plot::{Plot, Series, plot};
use interlock_api::Time;
use interlock_api::activity::{Activity, Bucket, Stretch};
use interlock_api::sentence::length;
use maud::{Markup, html};

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// The plots of both stretches.
pub(crate) fn draw(activity: &Activity) -> Markup {
    html! {
        div.cards {
            (stretch("The last hour", "hour", &activity.hour, activity, HOUR_MS))
            (stretch("The last day", "day", &activity.day, activity, DAY_MS))
        }
    }
}

fn stretch(title: &str, id: &str, stretch: &Stretch, activity: &Activity, span: u64) -> Markup {
    let from = Time::from_ms(activity.now.ms().saturating_sub(span));
    let short = activity.since > from;
    html! {
        section.card aria-labelledby=(id) {
            h2 id=(id) { (title) @if short { span.muted { "counted since " (crate::part::time::relative(activity.since, activity.now)) } } }
            @if stretch.counts.started == 0 {
                p.muted { "No run has begun in this time." }
            } @else {
                (plot(&throughput(stretch, from, activity.now)))
                (plot(&waits(stretch, from, activity.now)))
            }
        }
    }
}

fn points(stretch: &Stretch, value: impl Fn(&Bucket) -> Option<u64>) -> Vec<(Time, u64)> {
    let buckets = stretch.buckets.iter();
    buckets
        .filter_map(|bucket| Some((bucket.from, value(bucket)?)))
        .collect()
}

fn throughput(stretch: &Stretch, from: Time, now: Time) -> Plot<'static> {
    let counts = &stretch.counts;
    let summary = format!(
        "{} succeeded, {} failed, {} lost.",
        counted(counts.succeeded, "run", "runs"),
        grouped(counts.failed),
        grouped(counts.lost)
    );
    Plot {
        title: "Runs that ended",
        summary,
        from,
        now,
        step_ms: stretch.step.ms(),
        series: vec![
            Series {
                name: "succeeded",
                tone: "good",
                points: points(stretch, |bucket| Some(bucket.counts.succeeded)),
            },
            Series {
                name: "failed or lost",
                tone: "bad",
                points: points(stretch, |bucket| {
                    Some(bucket.counts.failed + bucket.counts.lost)
                }),
            },
        ],
        write: grouped,
        stacked: true,
    }
}

fn waits(stretch: &Stretch, from: Time, now: Time) -> Plot<'static> {
    let summary = match &stretch.waits {
        None => "No task began.".to_owned(),
        Some(waits) => format!(
            "Half of {} waited no longer than {}, all but one in twenty no longer than {}, none longer than {}.",
            counted(waits.tasks, "task", "tasks"),
            length(waits.p50.ms()),
            length(waits.p95.ms()),
            length(waits.max.ms())
        ),
    };
    Plot {
        title: "How long tasks waited",
        summary,
        from,
        now,
        step_ms: stretch.step.ms(),
        series: vec![
            Series {
                name: "19 of 20",
                tone: "wait",
                points: points(stretch, |bucket| Some(bucket.waits?.p95.ms())),
            },
            Series {
                name: "half",
                tone: "run",
                points: points(stretch, |bucket| Some(bucket.waits?.p50.ms())),
            },
        ],
        write: length,
        stacked: false,
    }
}
