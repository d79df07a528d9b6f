//! One group: how far it is, as a graph and as a table.

use super::graph::{self, Node};
use super::list::{counts, ended};
use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::part::confirm::{Confirm, confirm};
use crate::part::{badge, link};
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::Problem;
use interlock_api::group::{Group, GroupTask};
use interlock_api::page::Page as Listed;
use interlock_api::task::{Done, Nothing, State, Task, TaskQuery};
use interlock_api::token::Scope;
use maud::{Markup, html};
use std::collections::HashMap;

/// Tasks that are drawn and listed; of a larger group the first ones.
const SHOWN: usize = 200;

pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/groups/{id}", page(show))
        .route("/groups/{id}/cancel", action(cancel))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let id = ask.id()?;
    let mut group: Group = ask.api.get(&format!("/v1/groups/{id}")).await?;
    let all = group.tasks.len();
    group.tasks.truncate(SHOWN);
    let query = TaskQuery {
        group: Some(id),
        // The newest come first, so those of the beginning are found from the end.
        cursor: group
            .tasks
            .last()
            .map(|last| format!("i-{}", last.task + 1)),
        limit: u32::try_from(SHOWN).ok(),
        ..TaskQuery::default()
    };
    let tasks: Listed<Task> = ask.api.list("/v1/tasks", &query).await?;
    let tasks = tasks.items.into_iter().map(|task| (task.task, task));
    let main = draw(&ask.viewer, &group, &tasks.collect(), all);
    Ok(Page::live(format!("Group {id}"), main))
}

async fn cancel(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let id = ask.id()?;
    let Done {} = (ask.api)
        .post(&format!("/v1/groups/{id}/cancel"), &Nothing {})
        .await?;
    Ok(Acted::done(format!(
        "Group {id} is called off: what waits is cancelled, and the workers of what runs are told."
    )))
}

fn draw(viewer: &Viewer, group: &Group, tasks: &HashMap<u64, Task>, all: usize) -> Markup {
    let id = group.group;
    let live = matches!(group.state, State::Waiting | State::Running);
    html! {
        div.head {
            h1 { "Group " (id) }
            (badge::state(group.state))
            @if live && viewer.may(Scope::Operate) {
                div.actions {
                    (confirm(viewer, &Confirm {
                        label: "Cancel",
                        question: "What waits is cancelled, and the workers of what runs are told to stop.",
                        yes: "Cancel the group",
                        action: &format!("/groups/{id}/cancel"),
                        fields: &[],
                    }))
                }
            }
        }
        p { (counts(&group.counts)) }
        (ended(group.percent))
        @if all > group.tasks.len() {
            p.muted { "The first " (group.tasks.len()) " of " (all) " tasks." }
        }
        section.card {
            h2 { "What waits for what" }
            (graph::draw(&nodes(viewer, group, tasks)))
        }
        section.card {
            h2 { "Tasks" }
            (table(viewer, group, tasks))
        }
    }
}

fn nodes(viewer: &Viewer, group: &Group, tasks: &HashMap<u64, Task>) -> Vec<Node> {
    let node = |item: &GroupTask| {
        let task = tasks.get(&item.task);
        let claim = task.and_then(|task| task.resources.first());
        Node {
            task: item.task,
            state: item.state,
            kind: task.and_then(|task| task.kind.clone()).unwrap_or_default(),
            resource: claim.map_or_else(String::new, |claim| claim.resource.clone()),
            after: item.after.clone(),
            link: viewer.to_task(item.task),
        }
    };
    group.tasks.iter().map(node).collect()
}

fn table(viewer: &Viewer, group: &Group, tasks: &HashMap<u64, Task>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Tasks" {
            table {
                thead {
                    tr {
                        th scope="col" { "Task" }
                        th scope="col" { "State" }
                        th scope="col" { "Kind" }
                        th scope="col" { "Resources" }
                        th scope="col" { "After" }
                    }
                }
                tbody {
                    @for item in &group.tasks {
                        @let task = tasks.get(&item.task);
                        tr data-key={ "task-" (item.task) } {
                            th scope="row" { (link::task(viewer, item.task)) }
                            td { (badge::state(item.state)) }
                            td { @if let Some(task) = task { (link::kind(viewer, task.kind.as_deref())) } }
                            td { @if let Some(task) = task { (link::claims(viewer, &task.resources)) } }
                            td { @for on in &item.after { (link::task(viewer, *on)) " " } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::sample::{reader, viewer};
    use serde_json::json;

    fn group() -> Group {
        let group = json!({"group": 3, "state": "running", "percent": 33,
            "counts": {"waiting": 1, "running": 1, "succeeded": 1, "failed": 0, "cancelled": 0},
            "tasks": [{"task": 1, "state": "succeeded"},
                      {"task": 2, "state": "running", "after": [1]},
                      {"task": 4, "state": "waiting", "after": [1, 2]}]});
        serde_json::from_value(group).expect("a group")
    }

    fn tasks() -> HashMap<u64, Task> {
        let task = json!({"task": 2, "state": "running", "kind": "sync<b>",
            "resources": [{"resource": "repository:f16", "op": "update"}]});
        HashMap::from([(2, serde_json::from_value(task).expect("a task"))])
    }

    #[test]
    fn a_group_is_a_graph_and_a_table() {
        let drawn = draw(&viewer(), &group(), &tasks(), 3).into_string();
        assert_eq!(drawn.matches("class=\"edge\"").count(), 3, "{drawn}");
        assert!(drawn.contains("sync&lt;b&gt;") && !drawn.contains("sync<b>"));
        assert!(drawn.contains("repository:f16"));
        assert!(drawn.contains("Cancel the group"));
        assert!(
            !draw(&reader(), &group(), &tasks(), 3)
                .into_string()
                .contains("<form")
        );
    }

    #[test]
    fn of_a_large_group_it_says_that_there_is_more() {
        let drawn = draw(&viewer(), &group(), &tasks(), 1_000).into_string();
        assert!(drawn.contains("The first 3 of 1000 tasks."));
    }
}
