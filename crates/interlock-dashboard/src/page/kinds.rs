//! The page of kinds: each with its policy in words, and what there is of it.

mod words;

use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::part::number::grouped;
use crate::part::{badge, button, empty, link, more};
use crate::url;
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::Problem;
use interlock_api::kind::Kind;
use interlock_api::page::{Page as Listed, PageQuery};
use interlock_api::task::{Done, Nothing};
use interlock_api::token::Scope;
use maud::{Markup, html};

/// Kinds on one page.
const SHOWN: u32 = 50;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/kinds", page(show))
        .route("/kinds/{name}", page(show_one))
        .route("/kinds/{name}/hold", action(hold))
        .route("/kinds/{name}/release", action(release))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let query = PageQuery {
        cursor: ask.query.some("cursor"),
        limit: Some(SHOWN),
    };
    let kinds = ask.api.list("/v1/kinds", &query).await?;
    let first = query.cursor.is_none();
    Ok(Page::live("Kinds", draw(&ask.viewer, &kinds, first)))
}

async fn show_one(ask: Ask) -> Result<Page, Problem> {
    let path = format!("/v1/kinds/{}", url::segment(ask.param("name")));
    let kind: Kind = ask.api.get(&path).await?;
    let title = format!("Kind {}", kind.name);
    Ok(Page::live(title, draw_one(&ask.viewer, &kind)))
}

async fn hold(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = steer(&ask, "hold").await?;
    Ok(Acted::done(format!(
        "Kind {name} is held: none of its tasks starts until it is released."
    )))
}

async fn release(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = steer(&ask, "release").await?;
    Ok(Acted::done(format!("Kind {name} is released.")))
}

async fn steer<'a>(ask: &'a Ask, verb: &str) -> Result<&'a str, Problem> {
    let name = ask.param("name");
    let path = format!("/v1/kinds/{}/{verb}", url::segment(name));
    let Done {} = ask.api.post(&path, &Nothing {}).await?;
    Ok(name)
}

fn draw(viewer: &Viewer, kinds: &Listed<Kind>, first: bool) -> Markup {
    html! {
        h1 { "Kinds" }
        @if kinds.items.is_empty() && first {
            (empty::empty(viewer, "No kind is registered", "A kind is a type of task with its policy. Workers register theirs, or you do:",
                &["interlock kinds set sync", "interlock kinds set delete --op delete"]))
        } @else {
            div.cards {
                @for kind in &kinds.items { (card(viewer, kind)) }
            }
        }
        (more::more(viewer, "/kinds", &[], first, kinds.next.as_deref()))
    }
}

fn card(viewer: &Viewer, kind: &Kind) -> Markup {
    html! {
        section.card data-key={ "kind-" (kind.name) } {
            div.head {
                h2.mono { (link::kind(viewer, Some(&kind.name))) }
                (state(kind))
                (actions(viewer, kind))
            }
            (body(viewer, kind))
        }
    }
}

fn draw_one(viewer: &Viewer, kind: &Kind) -> Markup {
    html! {
        div.head {
            h1 { "Kind " span.mono { (kind.name) } }
            (state(kind))
            (actions(viewer, kind))
        }
        section.card { (body(viewer, kind)) }
        p { a href=(viewer.to("/kinds")) { "All kinds" } }
    }
}

/// What there is of it, and its policy.
fn body(viewer: &Viewer, kind: &Kind) -> Markup {
    html! {
        p {
            (count(viewer, kind, "waiting", kind.waiting)) " · "
            (count(viewer, kind, "running", kind.running)) " · "
            a href=(to_tasks(viewer, kind, "failed")) { "failed ones" }
        }
        ul.words {
            @for sentence in words::policy(&kind.policy) { li { (sentence) } }
        }
    }
}

fn actions(viewer: &Viewer, kind: &Kind) -> Markup {
    let path = format!("/kinds/{}", url::segment(&kind.name));
    html! {
        @if viewer.may(Scope::Operate) {
            div.actions {
                @if kind.held {
                    (button::button(viewer, &format!("{path}/release"), "Release", "primary", &[]))
                } @else {
                    (button::button(viewer, &format!("{path}/hold"), "Hold", "", &[]))
                }
            }
        }
    }
}

fn state(kind: &Kind) -> Markup {
    html! {
        @if kind.held { (badge::badge("hold", "held")) }
        @if !kind.staffed { (badge::badge("bad", "no worker")) }
        @if !kind.held && kind.staffed { (badge::badge("good", "open")) }
    }
}

fn count(viewer: &Viewer, kind: &Kind, state: &str, tasks: u64) -> Markup {
    html! { a href=(to_tasks(viewer, kind, state)) { (grouped(tasks)) " " (state) } }
}

fn to_tasks(viewer: &Viewer, kind: &Kind, state: &str) -> String {
    viewer.to("/tasks") + &url::query([("state", state), ("kind", kind.name.as_str())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::sample::{reader, viewer};
    use serde_json::json;

    fn kinds() -> Listed<Kind> {
        let kinds = json!({"items": [
            {"name": "sync", "policy": {}, "held": false, "staffed": true, "waiting": 12_345, "running": 2},
            {"name": "a/b", "policy": {}, "held": true, "staffed": false, "waiting": 0, "running": 0},
        ]});
        serde_json::from_value(kinds).expect("kinds")
    }

    #[test]
    fn a_kind_shows_its_tasks_and_what_can_be_done() {
        let drawn = draw(&viewer(), &kinds(), true).into_string();
        assert!(drawn.contains("12,345 waiting"), "{drawn}");
        assert!(drawn.contains(r#"href="/tasks?state=running&amp;kind=sync""#));
        assert!(drawn.contains(r#"action="/kinds/sync/hold""#));
        assert!(drawn.contains(r#"action="/kinds/a%2Fb/release""#));
        assert!(drawn.contains("no worker") && drawn.contains("held"));
        assert!(
            !draw(&reader(), &kinds(), true)
                .into_string()
                .contains("<form")
        );
    }

    #[test]
    fn one_kind_has_a_page_of_its_own() {
        let drawn = draw_one(&viewer(), &kinds().items[0]).into_string();
        assert!(drawn.contains("Updates its resources"), "{drawn}");
        assert!(drawn.contains(r#"action="/kinds/sync/hold""#));
    }
}
