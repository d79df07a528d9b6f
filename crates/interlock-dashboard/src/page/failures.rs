//! The page of failures: what failed for good, grouped by kind and error, how it grows, and retry in
//! bulk.

use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::part::confirm::{Confirm, confirm};
use crate::part::number::{counted, grouped};
use crate::part::spark::spark;
use crate::part::{empty, link, time};
use crate::url;
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::Problem;
use interlock_api::failure::{Failure, FailureQuery, Retried, RetriedTask, RetryFailures};
use interlock_api::page::Page as Listed;
use interlock_api::token::Scope;
use interlock_api::verdict::Verdict;
use maud::{Markup, html};

/// Groups that are shown, those with the latest failure first.
const SHOWN: u32 = 100;
/// Calls that one retry in bulk makes, a thousand tasks each.
const ROUNDS: usize = 10;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/failures", page(show))
        .route("/failures/retry", action(retry))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let query = FailureQuery { limit: Some(SHOWN) };
    let failures: Listed<Failure> = ask.api.list("/v1/failures", &query).await?;
    Ok(Page::live("Failures", draw(&ask.viewer, &failures.items)))
}

async fn retry(ask: Ask, form: Form) -> Result<Acted, Problem> {
    let mut tally = Tally::default();
    let mut wanted = RetryFailures {
        kind: form.raw("kind").to_owned(),
        error: Some(form.raw("error").to_owned()),
        cursor: None,
    };
    for _ in 0..ROUNDS {
        let retried: Retried = ask.api.post("/v1/failures/retry", &wanted).await?;
        tally.add(&retried.retried);
        tally.more = retried.next.is_some();
        wanted.cursor = retried.next;
        if !tally.more {
            break;
        }
    }
    Ok(Acted::done(tally.sentence()))
}

/// What became of a retry in bulk.
#[derive(Default)]
struct Tally {
    accepted: u64,
    postponed: u64,
    coalesced: u64,
    refused: u64,
    more: bool,
}

impl Tally {
    fn add(&mut self, retried: &[RetriedTask]) {
        for task in retried {
            let count = match &task.outcome.report {
                None => &mut self.refused,
                Some(report) if report.coalesced => &mut self.coalesced,
                Some(report) if report.verdict == Verdict::Accepted => &mut self.accepted,
                Some(_) => &mut self.postponed,
            };
            *count += 1;
        }
    }

    fn sentence(&self) -> String {
        let all = self.accepted + self.postponed + self.coalesced + self.refused;
        let parts = [
            (self.accepted, "accepted"),
            (self.postponed, "postponed"),
            (self.coalesced, "joined another task"),
            (self.refused, "not admitted"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, how)| format!("{} {how}", grouped(*count)))
            .collect();
        let what = counted(all, "failed task was", "failed tasks were");
        let more = if self.more { " There are more." } else { "" };
        match parts.is_empty() {
            true => "There was nothing to retry.".to_owned(),
            false => format!("{what} submitted again: {}.{more}", parts.join(", ")),
        }
    }
}

fn draw(viewer: &Viewer, failures: &[Failure]) -> Markup {
    html! {
        h1 { "Failures" }
        @if failures.is_empty() {
            (empty::empty(viewer, "Nothing has failed for good", "Tasks that will not be tried again are shown here, by kind and error, as long as the history keeps them.", &[]))
        } @else {
            p.muted { "Tasks that will not be tried again, by kind and error, as long as the history keeps them." }
            (table(viewer, failures))
        }
    }
}

fn table(viewer: &Viewer, failures: &[Failure]) -> Markup {
    let operates = viewer.may(Scope::Operate);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Failures" {
            table {
                thead {
                    tr {
                        th scope="col" { "Kind" }
                        th scope="col" { "Error" }
                        th.number scope="col" { "Tasks" }
                        th.number scope="col" { "Resources" }
                        th scope="col" { "Last 24 hours" }
                        th scope="col" { "Last" }
                        th.wide scope="col" { "First" }
                        @if operates { th scope="col" { span.hidden { "Actions" } } }
                    }
                }
                tbody {
                    @for failure in failures {
                        tr data-key={ "failure-" (failure.kind) " " (failure.error) } {
                            td { (link::kind(viewer, Some(&failure.kind))) }
                            td.error { (failure.error) }
                            td.number { a href=(to_tasks(viewer, failure)) { (grouped(failure.count)) } }
                            td.number { (grouped(failure.resources)) }
                            td { (trend(failure)) }
                            td { (time::relative(failure.last, viewer.now)) }
                            td.wide { (time::relative(failure.first, viewer.now)) }
                            @if operates { td { (retry_button(viewer, failure)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The tasks of the kind that failed, from the first of the group to the last.
fn to_tasks(viewer: &Viewer, failure: &Failure) -> String {
    let since = failure.first.to_string();
    let query = [
        ("state", "failed"),
        ("kind", failure.kind.as_str()),
        ("since", since.as_str()),
    ];
    viewer.to("/tasks") + &url::query(query)
}

fn trend(failure: &Failure) -> Markup {
    let Some(trend) = &failure.trend else {
        return html! { span.muted { "none" } };
    };
    let all: u64 = trend.iter().sum();
    let now = trend.last().copied().unwrap_or(0);
    let label = format!(
        "{} in the last 24 hours, {} in this hour",
        grouped(all),
        grouped(now)
    );
    spark(trend, &label)
}

fn retry_button(viewer: &Viewer, failure: &Failure) -> Markup {
    let most = ROUNDS as u64 * 1_000;
    let count = counted(failure.count.min(most), "task", "tasks");
    let question = match failure.count > most {
        true => format!("The newest {count} will be submitted again, each as a new task."),
        false => format!("{count} will be submitted again, each as a new task."),
    };
    let fields = [
        ("kind", failure.kind.as_str()),
        ("error", failure.error.as_str()),
    ];
    confirm(
        viewer,
        &Confirm {
            label: "Retry",
            question: &question,
            yes: &format!("Retry {count}"),
            action: "/failures/retry",
            fields: &fields,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::sample::{reader, viewer};
    use serde_json::json;

    fn failures() -> Vec<Failure> {
        let mut trend = vec![0; 24];
        (trend[3], trend[23]) = (5, 2);
        let failures = json!([
            {"kind": "sync", "error": "no <such> host", "count": 1_234, "resources": 17,
             "first": "2026-11-10T10:00:00Z", "last": "2026-11-16T09:58:00Z", "trend": trend},
            {"kind": "push", "error": "", "count": 1, "resources": 0,
             "first": "2026-11-10T10:00:00Z", "last": "2026-11-10T10:00:00Z"},
        ]);
        serde_json::from_value(failures).expect("failures")
    }

    #[test]
    fn a_group_shows_how_many_since_when_and_how_it_grows() {
        let drawn = draw(&viewer(), &failures()).into_string();
        assert!(drawn.contains("1,234"), "{drawn}");
        assert!(drawn.contains("2 min ago") && drawn.contains("6 d ago"));
        assert!(drawn.contains("7 in the last 24 hours, 2 in this hour"));
        assert!(drawn.contains("no &lt;such&gt; host"));
    }

    #[test]
    fn a_retry_says_how_many_before_it_does_anything() {
        let drawn = draw(&viewer(), &failures()).into_string();
        assert!(
            drawn.contains("1,234 tasks will be submitted again"),
            "{drawn}"
        );
        assert!(drawn.contains("Retry 1 task<"));
        assert!(drawn.contains(r#"name="error" value="no &lt;such&gt; host""#));
        assert!(!draw(&reader(), &failures()).into_string().contains("<form"));
    }

    #[test]
    fn what_became_of_a_retry_is_said() {
        let mut tally = Tally::default();
        assert_eq!(tally.sentence(), "There was nothing to retry.");
        tally.accepted = 1;
        assert_eq!(
            tally.sentence(),
            "1 failed task was submitted again: 1 accepted."
        );
        (tally.postponed, tally.refused, tally.more) = (1_200, 3, true);
        assert_eq!(
            tally.sentence(),
            "1,204 failed tasks were submitted again: 1 accepted, 1,200 postponed, 3 not admitted. There are more."
        );
    }
}
