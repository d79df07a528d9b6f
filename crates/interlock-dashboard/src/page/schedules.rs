//! The page of schedules: when each fires, what it submits, and what came of it last.

use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::part::{badge, button, empty, link, more, time};
use crate::url;
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::Problem;
use interlock_api::page::{Page as Listed, PageQuery};
use interlock_api::schedule::{Fired, Schedule, SchedulePolicy};
use interlock_api::sentence::length;
use interlock_api::task::{Done, Nothing};
use interlock_api::token::Scope;
use interlock_api::verdict::Verdict;
use maud::{Markup, html};

/// Schedules on one page.
const SHOWN: u32 = 50;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/schedules", page(show))
        .route("/schedules/{name}/pause", action(pause))
        .route("/schedules/{name}/resume", action(resume))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let query = PageQuery {
        cursor: ask.query.some("cursor"),
        limit: Some(SHOWN),
    };
    let schedules = ask.api.list("/v1/schedules", &query).await?;
    let first = query.cursor.is_none();
    Ok(Page::live(
        "Schedules",
        draw(&ask.viewer, &schedules, first),
    ))
}

async fn pause(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = steer(&ask, "pause").await?;
    Ok(Acted::done(format!(
        "Schedule {name} is paused: it fires no more until it is resumed."
    )))
}

async fn resume(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = steer(&ask, "resume").await?;
    Ok(Acted::done(format!("Schedule {name} fires again.")))
}

async fn steer<'a>(ask: &'a Ask, verb: &str) -> Result<&'a str, Problem> {
    let name = ask.param("name");
    let path = format!("/v1/schedules/{}/{verb}", url::segment(name));
    let Done {} = ask.api.post(&path, &Nothing {}).await?;
    Ok(name)
}

fn draw(viewer: &Viewer, schedules: &Listed<Schedule>, first: bool) -> Markup {
    html! {
        h1 { "Schedules" }
        @if schedules.items.is_empty() && first {
            (empty::empty(viewer, "There is no schedule", "A schedule submits a task by the calendar or at an interval:",
                &["interlock schedules set nightly --cron '30 3 * * *' --zone Europe/Prague sync repository:f16"]))
        } @else {
            (table(viewer, &schedules.items))
        }
        (more::more(viewer, "/schedules", &[], first, schedules.next.as_deref()))
    }
}

fn table(viewer: &Viewer, schedules: &[Schedule]) -> Markup {
    let operates = viewer.may(Scope::Operate);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Schedules" {
            table {
                thead {
                    tr {
                        th scope="col" { "Schedule" }
                        th scope="col" { "Fires" }
                        th scope="col" { "Next" }
                        th scope="col" { "Last" }
                        th scope="col" { "Submits" }
                        @if operates { th scope="col" { span.hidden { "Actions" } } }
                    }
                }
                tbody {
                    @for schedule in schedules {
                        tr data-key={ "schedule-" (schedule.name) } {
                            th scope="row" {
                                a href={ (viewer.to("/tasks")) (url::query([("schedule", schedule.name.as_str())])) } { (schedule.name) }
                            }
                            td { (timing(&schedule.policy)) }
                            td { (next(viewer, schedule)) }
                            td { (last(viewer, schedule)) }
                            td {
                                (link::kind(viewer, Some(&schedule.policy.submission.kind))) " "
                                (link::claims(viewer, &schedule.policy.submission.resources))
                            }
                            @if operates { td { (steer_button(viewer, schedule)) } }
                        }
                    }
                }
            }
        }
    }
}

fn timing(policy: &SchedulePolicy) -> Markup {
    html! {
        @if let Some(cron) = &policy.cron {
            code.nowrap { (cron) } " "
            span.muted { (policy.zone.as_deref().unwrap_or("UTC")) }
        }
        @if let Some(every) = policy.every {
            "every " (length(every.ms()))
            @if let Some(count) = policy.count { span.muted { ", " (count) " times in all" } }
        }
    }
}

fn next(viewer: &Viewer, schedule: &Schedule) -> Markup {
    if schedule.paused {
        return badge::badge("hold", "paused");
    }
    let later = schedule.upcoming.get(1..).unwrap_or(&[]);
    html! {
        @match schedule.next {
            Some(next) => (time::until(next, viewer.now)),
            None => span.muted { "never again" },
        }
        @if !later.is_empty() {
            details {
                summary { "then" }
                ul.plain { @for firing in later { li { (time::exact(*firing)) } } }
            }
        }
    }
}

fn last(viewer: &Viewer, schedule: &Schedule) -> Markup {
    html! {
        @match schedule.last {
            Some(last) => { (time::relative(last, viewer.now)) " " },
            None => span.muted { "not yet" },
        }
        @match &schedule.last_fired {
            Some(Fired::Submitted { task, verdict }) => { (link::task(viewer, *task)) " " span.muted { (word(*verdict)) } },
            Some(Fired::StillLive { task }) => { span.muted { "skipped, since " } (link::task(viewer, *task)) span.muted { " was not done" } },
            Some(Fired::NotAdmitted { code }) => {
                (badge::badge("bad", "not admitted")) " "
                a href={ "/docs/errors/" (url::segment(code)) } { (code) }
            },
            None => {},
        }
        @if let Some(live) = schedule.live {
            @if !is_last(schedule, live) { " " span.muted { "now " } (link::task(viewer, live)) }
        }
    }
}

/// Whether the live task is the one that is named already.
fn is_last(schedule: &Schedule, live: u64) -> bool {
    match &schedule.last_fired {
        Some(Fired::Submitted { task, .. } | Fired::StillLive { task }) => *task == live,
        _ => false,
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "accepted",
        Verdict::Postponed => "postponed",
    }
}

fn steer_button(viewer: &Viewer, schedule: &Schedule) -> Markup {
    let path = format!("/schedules/{}", url::segment(&schedule.name));
    match schedule.paused {
        true => button::button(viewer, &format!("{path}/resume"), "Resume", "", &[]),
        false => button::button(viewer, &format!("{path}/pause"), "Pause", "", &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::sample::{reader, viewer};
    use serde_json::json;

    fn schedules() -> Listed<Schedule> {
        let schedules = json!({"items": [
            {"name": "nightly", "paused": false,
             "policy": {"cron": "30 3 * * *", "zone": "Europe/Prague",
                        "submission": {"kind": "sync", "resources": ["repository:f16"]}},
             "next": "2026-11-16T10:00:20Z",
             "upcoming": ["2026-11-16T10:00:20Z", "2026-11-17T02:30:00Z"],
             "last": "2026-11-15T02:30:00Z",
             "last_fired": {"fired": "still_live", "task": 5}, "live": 5},
            {"name": "often", "paused": true,
             "policy": {"every": "5m", "count": 3, "submission": {"kind": "push"}},
             "last_fired": {"fired": "not_admitted", "code": "unknown_kind"}},
        ]});
        serde_json::from_value(schedules).expect("schedules")
    }

    #[test]
    fn a_schedule_shows_its_firings_and_what_came_of_the_last() {
        let drawn = draw(&viewer(), &schedules(), true).into_string();
        assert!(drawn.contains("in 20 s"), "{drawn}");
        assert!(drawn.contains("2026-11-17 02:30:00 UTC"));
        assert!(drawn.contains("Europe/Prague"));
        assert_eq!(
            drawn.matches(">#5<").count(),
            1,
            "the live task is named once"
        );
        assert!(drawn.contains("every 5 min"));
        assert!(drawn.contains("3 times in all"));
        assert!(drawn.contains("/docs/errors/unknown_kind"));
    }

    #[test]
    fn what_is_paused_can_be_resumed_by_who_may() {
        let drawn = draw(&viewer(), &schedules(), true).into_string();
        assert!(drawn.contains(r#"action="/schedules/nightly/pause""#));
        assert!(drawn.contains(r#"action="/schedules/often/resume""#));
        assert!(
            !draw(&reader(), &schedules(), true)
                .into_string()
                .contains("<form")
        );
    }
}
