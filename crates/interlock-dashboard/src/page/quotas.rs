//! The page of quotas: each limit with what is used of it, and who waits for more.

use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::part::number::{counted, grouped};
use crate::part::{badge, bar, button, empty, link, more, time};
use crate::url;
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::overview::{Overview, OverviewQuery};
use interlock_api::page::{Page as Listed, PageQuery};
use interlock_api::quota::{Limit, LimitCount, PauseQuota, Quota, QuotaCount};
use interlock_api::sentence::length;
use interlock_api::task::Done;
use interlock_api::token::Scope;
use interlock_api::{Code, Problem, Span};
use maud::{Markup, html};

/// Quotas on one page.
const SHOWN: u32 = 50;
/// Counts of resources that are asked for: those that matter now.
const COUNTS: u32 = 100;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/quotas", page(show))
        .route("/quotas/{name}", page(show_one))
        .route("/quotas/{name}/pause", action(pause))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let query = PageQuery {
        cursor: ask.query.some("cursor"),
        limit: Some(SHOWN),
    };
    let quotas: Listed<Quota> = ask.api.list("/v1/quotas", &query).await?;
    let counts = counts(&ask).await?;
    let first = query.cursor.is_none();
    let main = draw(&ask.viewer, &quotas, &counts, first);
    Ok(Page::live("Quotas", main))
}

async fn show_one(ask: Ask) -> Result<Page, Problem> {
    let path = format!("/v1/quotas/{}", url::segment(ask.param("name")));
    let quota: Quota = ask.api.get(&path).await?;
    let title = format!("Quota {}", quota.name);
    let counts = counts(&ask).await?;
    Ok(Page::live(title, draw_one(&ask.viewer, &quota, &counts)))
}

/// The counts of quotas per resource that matter now; only the overview knows which.
async fn counts(ask: &Ask) -> Result<Vec<QuotaCount>, Problem> {
    let wanted = OverviewQuery {
        limit: Some(COUNTS),
    };
    let overview: Overview = ask.api.list("/v1/overview", &wanted).await?;
    Ok(overview.quotas)
}

async fn pause(ask: Ask, form: Form) -> Result<Acted, Problem> {
    let name = ask.param("name");
    let wrong = |error| Problem::new(Code::BadValue, format!("{error}")).at("for");
    let pause = PauseQuota {
        length: form.get("for").parse().map_err(wrong)?,
        resource: form.some("resource"),
    };
    let path = format!("/v1/quotas/{}/pause", url::segment(name));
    let Done {} = ask.api.post(&path, &pause).await?;
    Ok(Acted::done(said(name, &pause)))
}

fn said(name: &str, pause: &PauseQuota) -> String {
    let of = match &pause.resource {
        Some(resource) => format!("Quota {name} of {resource}"),
        None => format!("Quota {name}"),
    };
    match pause.length.ms() {
        0 => format!("{of} grants again."),
        ms => format!("{of} grants nothing for {}.", length(ms)),
    }
}

fn draw(viewer: &Viewer, quotas: &Listed<Quota>, counts: &[QuotaCount], first: bool) -> Markup {
    html! {
        h1 { "Quotas" }
        @if quotas.items.is_empty() && first {
            (empty::empty(viewer, "There is no quota", "A quota says how much may be started or spent. Kinds name the quotas that they use:",
                &["interlock quotas set shop-calls 10/1s 10000/24h --per shop", "interlock kinds set sync --quota shop-calls"]))
        } @else {
            div.cards {
                @for quota in &quotas.items { (card(viewer, quota, counts)) }
            }
        }
        (more::more(viewer, "/quotas", &[], first, quotas.next.as_deref()))
    }
}

fn card(viewer: &Viewer, quota: &Quota, counts: &[QuotaCount]) -> Markup {
    let to = viewer.to(&format!("/quotas/{}", url::segment(&quota.name)));
    html! {
        section.card data-key={ "quota-" (quota.name) } {
            div.head {
                h2.mono { a href=(to) { (quota.name) } }
                (policy(quota))
            }
            (body(viewer, quota, counts))
        }
    }
}

fn draw_one(viewer: &Viewer, quota: &Quota, counts: &[QuotaCount]) -> Markup {
    html! {
        div.head {
            h1 { "Quota " span.mono { (quota.name) } }
            (policy(quota))
        }
        section.card { (body(viewer, quota, counts)) }
        p { a href=(viewer.to("/quotas")) { "All quotas" } }
    }
}

fn policy(quota: &Quota) -> Markup {
    html! {
        span.muted {
            @match &quota.policy.per {
                Some(per) => { "for each " (per) ": " },
                None => { "for the whole namespace: " },
            }
            (limits(&quota.policy.limits))
        }
    }
}

/// What is used of it.
fn body(viewer: &Viewer, quota: &Quota, counts: &[QuotaCount]) -> Markup {
    let of = |count: &&QuotaCount| count.quota == quota.name && count.resource.is_some();
    let counts: Vec<&QuotaCount> = counts.iter().filter(of).collect();
    html! {
        @if let Some(count) = &quota.count { (whole(viewer, count)) }
        @if quota.policy.per.is_some() {
            @if counts.is_empty() {
                p.muted { "Nothing that has used it runs, and nobody waits for it." }
            } @else {
                (table(viewer, &quota.name, &counts))
            }
            (pause_any(viewer, quota))
        }
    }
}

/// The count of the whole namespace.
fn whole(viewer: &Viewer, count: &QuotaCount) -> Markup {
    html! {
        @for limit in &count.limits { (used(viewer, limit)) }
        (standing(viewer, count))
        (steer(viewer, count))
    }
}

fn table(viewer: &Viewer, quota: &str, counts: &[&QuotaCount]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Counts of " (quota) } {
            table {
                thead {
                    tr {
                        th scope="col" { "Resource" }
                        th scope="col" { "Used" }
                        th scope="col" { "Waiting" }
                    }
                }
                tbody {
                    @for count in counts {
                        @let name = count.resource.as_deref().unwrap_or("");
                        tr data-key={ "count-" (name) } {
                            th scope="row" { (link::resource(viewer, name)) }
                            td { @for limit in &count.limits { (used(viewer, limit)) } }
                            td { (standing(viewer, count)) (steer(viewer, count)) }
                        }
                    }
                }
            }
        }
    }
}

/// One limit: a bar, and what is left of it.
fn used(viewer: &Viewer, limit: &LimitCount) -> Markup {
    let of = limit.used + limit.left;
    let tone = match limit.left {
        0 => "bad",
        left if left * 5 < of => "wait",
        _ => "run",
    };
    let words = limit_words(limit.limit);
    let label = format!("{} of {words} used", grouped(limit.used));
    html! {
        div.used {
            div.used-words {
                span { (grouped(limit.used)) " of " (words) }
                span.muted {
                    @match (limit.left, limit.frees, limit.resets) {
                        (0, Some(frees), _) => { "more " (time::until(frees, viewer.now)) },
                        (_, _, Some(resets)) => { "all free " (time::until(resets, viewer.now)) },
                        _ => {},
                    }
                }
            }
            (bar::meter(tone, limit.used, of, &label))
        }
    }
}

/// Who waits, and whether anything is granted.
fn standing(viewer: &Viewer, count: &QuotaCount) -> Markup {
    html! {
        p.standing {
            @if let Some(until) = count.paused_until {
                (badge::badge("hold", "paused")) " ends " (time::until(until, viewer.now)) ". "
            }
            @match count.waiting {
                0 => span.muted { "Nobody waits." },
                waiting => {
                    (counted(waiting, "task waits", "tasks wait"))
                    @if let Some(next) = count.next { ", the first goes on " (time::until(next, viewer.now)) }
                    "."
                },
            }
            @if count.lent > 0 {
                " " span.muted { (grouped(count.lent)) " lent to runs." }
            }
        }
    }
}

/// Pauses this count, or ends its pause.
fn steer(viewer: &Viewer, count: &QuotaCount) -> Markup {
    if !viewer.may(Scope::Operate) {
        return html! {};
    }
    let action = format!("/quotas/{}/pause", url::segment(&count.quota));
    let resource = count.resource.as_deref().unwrap_or("");
    let pause = |label: &str, span: &str| {
        let fields = [("for", span), ("resource", resource)];
        button::button(viewer, &action, label, "", &fields)
    };
    html! {
        div.actions {
            @match count.paused_until {
                Some(_) => (pause("End the pause", "0s")),
                None => { (pause("Pause 5 min", "5m")) (pause("1 h", "1h")) },
            }
        }
    }
}

/// Pauses the count of a resource that is not shown.
fn pause_any(viewer: &Viewer, quota: &Quota) -> Markup {
    let Some(per) = quota
        .policy
        .per
        .as_deref()
        .filter(|_| viewer.may(Scope::Operate))
    else {
        return html! {};
    };
    let field = |name: &str| format!("{name}-{}", quota.name);
    html! {
        details {
            summary { "Pause another one" }
            form.filters method="post" action=(viewer.to(&format!("/quotas/{}/pause", url::segment(&quota.name)))) {
                (button::back(viewer))
                div.field {
                    label for=(field("resource")) { "Resource" }
                    input id=(field("resource")) name="resource" required placeholder={ (per) ":42" } autocomplete="off" spellcheck="false";
                }
                div.field {
                    label for=(field("for")) { "For" }
                    input id=(field("for")) name="for" required value="5m" autocomplete="off";
                }
                button type="submit" { "Pause" }
            }
        }
    }
}

fn limits(limits: &[Limit]) -> String {
    let limits: Vec<String> = limits.iter().map(|limit| limit_words(*limit)).collect();
    limits.join(", ")
}

/// `10 in 1 s`, `4 at once`.
fn limit_words(limit: Limit) -> String {
    match limit {
        Limit::Window { units, per } => format!("{} in {}", grouped(units), in_words(per)),
        Limit::AtOnce(units) => format!("{} at once", grouped(units)),
    }
}

/// A day is a day, but `24 h` is what people call the window.
fn in_words(per: Span) -> String {
    match per.ms() {
        86_400_000 => "24 h".to_owned(),
        ms => length(ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::sample::{reader, viewer};
    use serde_json::json;

    fn drawn(viewer: &Viewer) -> String {
        let quotas = json!({"items": [
            {"name": "mirror", "policy": {"limits": ["10000/24h", {"at_once": 4}]},
             "count": {"quota": "mirror", "waiting": 3, "lent": 2,
                       "next": "2026-11-16T10:00:30Z", "paused_until": "2026-11-16T10:05:00Z",
                       "limits": [{"limit": "10000/24h", "used": 10000, "left": 0, "frees": "2026-11-16T10:02:00Z"},
                                  {"limit": {"at_once": 4}, "used": 1, "left": 3}]}},
            {"name": "calls", "policy": {"per": "shop", "limits": ["10/1s"]}},
        ]});
        let counts = json!([
            {"quota": "calls", "resource": "shop:42", "waiting": 0, "lent": 0,
             "limits": [{"limit": "10/1s", "used": 9, "left": 1, "resets": "2026-11-16T10:00:01Z"}]},
        ]);
        let quotas = serde_json::from_value(quotas).expect("quotas");
        let counts: Vec<QuotaCount> = serde_json::from_value(counts).expect("counts");
        draw(viewer, &quotas, &counts, true).into_string()
    }

    #[test]
    fn each_limit_shows_what_is_used_and_when_there_is_more() {
        let drawn = drawn(&viewer());
        assert!(drawn.contains("10,000 of 10,000 in 24 h"), "{drawn}");
        assert!(drawn.contains("more <time"));
        assert!(drawn.contains("in 2 min"));
        assert!(drawn.contains("1 of 4 at once"));
        assert!(drawn.contains("3 tasks wait, the first goes on"));
        assert!(drawn.contains("2 lent to runs"));
        assert!(drawn.contains("9 of 10 in 1 s"));
        assert!(drawn.contains("for each shop: 10 in 1 s"));
    }

    #[test]
    fn a_quota_is_paused_by_who_may_and_a_pause_is_ended() {
        let all = drawn(&viewer());
        assert!(all.contains("End the pause"));
        assert!(all.contains(r#"name="resource" value="shop:42""#));
        assert!(!drawn(&reader()).contains("<form"));
    }

    #[test]
    fn what_was_done_is_said() {
        let pause = |length: &str, resource: Option<&str>| PauseQuota {
            length: length.parse().expect("a span"),
            resource: resource.map(ToOwned::to_owned),
        };
        assert_eq!(
            said("q", &pause("5m", None)),
            "Quota q grants nothing for 5 min."
        );
        assert_eq!(
            said("q", &pause("0s", Some("a:b"))),
            "Quota q of a:b grants again."
        );
    }
}
