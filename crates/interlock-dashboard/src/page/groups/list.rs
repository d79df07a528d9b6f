//! The list of groups that have live tasks.

use crate::Shared;
use crate::ask::{Ask, Page, page};
use crate::part::number::grouped;
use crate::part::{badge, bar, empty, more};
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::Problem;
use interlock_api::group::{GroupCounts, GroupRow};
use interlock_api::page::{Page as Listed, PageQuery};
use maud::{Markup, html};

/// Groups on one page.
const SHOWN: u32 = 50;

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/groups", page(show))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let query = PageQuery {
        cursor: ask.query.some("cursor"),
        limit: Some(SHOWN),
    };
    let groups = ask.api.list("/v1/groups", &query).await?;
    let first = query.cursor.is_none();
    Ok(Page::live("Groups", draw(&ask.viewer, &groups, first)))
}

fn draw(viewer: &Viewer, groups: &Listed<GroupRow>, first: bool) -> Markup {
    html! {
        h1 { "Groups" }
        @if groups.items.is_empty() && first {
            (empty::empty(viewer, "No group is under way", "A group is admitted as a whole or not at all, and its tasks may wait for one another:",
                &["interlock groups submit '[{\"kind\": \"sync\"}, {\"kind\": \"sync\", \"after\": [{\"item\": 0}]}]'"]))
        } @else {
            (table(viewer, &groups.items))
        }
        (more::more(viewer, "/groups", &[], first, groups.next.as_deref()))
    }
}

fn table(viewer: &Viewer, groups: &[GroupRow]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Groups" {
            table {
                thead {
                    tr {
                        th scope="col" { "Group" }
                        th scope="col" { "State" }
                        th scope="col" { "Ended" }
                        th scope="col" { "Tasks" }
                    }
                }
                tbody {
                    @for group in groups {
                        tr data-key={ "group-" (group.group) } {
                            th scope="row" { a.id href=(viewer.to(&format!("/groups/{}", group.group))) { (group.group) } }
                            td { (badge::state(group.state)) }
                            td { (ended(group.percent)) }
                            td { (counts(&group.counts)) }
                        }
                    }
                }
            }
        }
    }
}

/// How much of a group has ended.
pub(super) fn ended(percent: u8) -> Markup {
    html! {
        div.progress {
            (bar::meter("run", percent.into(), 100, &format!("{percent} percent ended")))
            span.percent { (percent) " %" }
        }
    }
}

/// How many tasks are in which state.
pub(super) fn counts(counts: &GroupCounts) -> String {
    let all = [
        (counts.waiting, "waiting"),
        (counts.running, "running"),
        (counts.succeeded, "succeeded"),
        (counts.failed, "failed"),
        (counts.cancelled, "cancelled"),
    ];
    let all = all.iter().filter(|(count, _)| *count > 0);
    let all: Vec<String> = all
        .map(|(count, state)| format!("{} {state}", grouped(*count)))
        .collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::sample::viewer;
    use serde_json::json;

    #[test]
    fn a_group_shows_how_far_it_is() {
        let groups = json!({"items": [{"group": 7, "state": "running", "percent": 40,
            "counts": {"waiting": 2000, "running": 1, "succeeded": 2, "failed": 0, "cancelled": 0}}]});
        let groups = serde_json::from_value(groups).expect("groups");
        let drawn = draw(&viewer(), &groups, true).into_string();
        assert!(drawn.contains(r#"href="/groups/7""#), "{drawn}");
        assert!(drawn.contains("2,000 waiting, 1 running, 2 succeeded"));
        assert!(drawn.contains("40 percent ended"));
    }

    #[test]
    fn where_there_is_none_it_says_how_to_make_one() {
        let none = Listed::new(Vec::new(), None);
        assert!(
            draw(&viewer(), &none, true)
                .into_string()
                .contains("interlock groups submit")
        );
    }
}
