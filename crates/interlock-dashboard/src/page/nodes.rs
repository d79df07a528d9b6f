//! The page of nodes: the servers on one database, and what each of them serves.

use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::part::confirm::{Confirm, confirm};
use crate::part::{badge, button, empty, time};
use crate::url;
use crate::viewer::{Viewer, in_namespace};
use axum::Router;
use interlock_api::Problem;
use interlock_api::node::{Node, NodeState, Nodes};
use interlock_api::sentence::length;
use interlock_api::task::{Done, Nothing};
use interlock_api::token::Scope;
use maud::{Markup, html};

/// Namespaces of one node that are named.
const NAMESPACES_SHOWN: usize = 12;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/nodes", page(show))
        .route("/nodes/{name}/drain", action(drain))
        .route("/nodes/{name}/undrain", action(undrain))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let nodes: Nodes = ask.api.get("/v1/nodes").await?;
    Ok(Page::live("Nodes", draw(&ask.viewer, &nodes.nodes)))
}

async fn drain(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = steer(&ask, "drain").await?;
    Ok(Acted::done(format!(
        "Node {name} gives its namespaces away."
    )))
}

async fn undrain(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = steer(&ask, "undrain").await?;
    Ok(Acted::done(format!("Node {name} takes namespaces again.")))
}

async fn steer<'a>(ask: &'a Ask, verb: &str) -> Result<&'a str, Problem> {
    let name = ask.param("name");
    let path = format!("/v1/nodes/{}/{verb}", url::segment(name));
    let Done {} = ask.api.post(&path, &Nothing {}).await?;
    Ok(name)
}

fn draw(viewer: &Viewer, nodes: &[Node]) -> Markup {
    html! {
        h1 { "Nodes" }
        @if nodes.is_empty() {
            (empty::empty(viewer, "This server is alone",
                "It keeps its data by itself. Several servers on one PostgreSQL database are equal nodes, and the loss of any is survived:",
                &["interlock serve --store postgres://interlock@db.example.org/interlock"]))
        } @else {
            (table(viewer, nodes))
        }
    }
}

fn table(viewer: &Viewer, nodes: &[Node]) -> Markup {
    let operates = viewer.may(Scope::Operate);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Nodes" {
            table {
                thead {
                    tr {
                        th scope="col" { "Node" }
                        th scope="col" { "State" }
                        th scope="col" { "Namespaces" }
                        th scope="col" { "Address" }
                        th scope="col" { "Joined" }
                        th.wide scope="col" { "Lease" }
                        th.wide scope="col" { "Version" }
                        @if operates { th scope="col" { span.hidden { "Actions" } } }
                    }
                }
                tbody {
                    @for node in nodes {
                        tr data-key={ "node-" (node.id) } {
                            th scope="row" {
                                (node.name)
                                @if node.here { " " span.muted { "answers you" } }
                            }
                            td { (state(node.state)) }
                            td { (namespaces(node)) }
                            td.mono { (node.address) }
                            td { (time::relative(node.started, viewer.now)) }
                            td.wide { @if let Some(left) = node.lease_left { (length(left.ms())) " left" } }
                            td.wide { (node.version) }
                            @if operates { td { (steer_button(viewer, node)) } }
                        }
                    }
                }
            }
        }
    }
}

fn state(state: NodeState) -> Markup {
    match state {
        NodeState::Alive => badge::badge("good", "alive"),
        NodeState::Draining => badge::badge("hold", "draining"),
        NodeState::Dead => badge::badge("bad", "dead"),
    }
}

fn namespaces(node: &Node) -> Markup {
    let all = node.namespaces.len();
    html! {
        @if all == 0 { span.muted { "none" } }
        @for (at, served) in node.namespaces.iter().take(NAMESPACES_SHOWN).enumerate() {
            @if at > 0 { ", " }
            a href=(in_namespace(&served.name, "/")) title={ "Epoch " (served.epoch) } { (served.name) }
        }
        @if all > NAMESPACES_SHOWN { span.muted { " and " (all - NAMESPACES_SHOWN) " more" } }
    }
}

fn steer_button(viewer: &Viewer, node: &Node) -> Markup {
    let path = format!("/nodes/{}", url::segment(&node.name));
    match node.state {
        NodeState::Alive => confirm(
            viewer,
            &Confirm {
                label: "Drain",
                question: "It gives its namespaces to the other nodes, and gets none until it is undrained.",
                yes: "Drain it",
                action: &format!("{path}/drain"),
                fields: &[],
            },
        ),
        NodeState::Draining => {
            button::button(viewer, &format!("{path}/undrain"), "Undrain", "", &[])
        }
        NodeState::Dead => html! {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::sample::{reader, viewer};
    use serde_json::json;

    fn nodes() -> Vec<Node> {
        let node = |name: &str, state: &str, here: bool| {
            json!({"name": name, "id": 7, "state": state, "here": here,
                   "address": "http://10.0.0.1:7420", "version": "0.1.0",
                   "started": "2026-11-16T09:00:00Z", "lease_left": "4s",
                   "namespaces": [{"name": "a b", "epoch": 3}]})
        };
        let nodes = json!([
            node("n1", "alive", true),
            node("n2", "draining", false),
            node("n3", "dead", false),
        ]);
        serde_json::from_value(nodes).expect("nodes")
    }

    #[test]
    fn a_node_shows_what_it_serves_and_what_can_be_done() {
        let drawn = draw(&viewer(), &nodes()).into_string();
        assert!(drawn.contains("answers you"), "{drawn}");
        assert!(drawn.contains(r#"href="/in/a%20b""#));
        assert!(drawn.contains(r#"action="/nodes/n1/drain""#));
        assert!(drawn.contains(r#"action="/nodes/n2/undrain""#));
        assert!(!drawn.contains(r#"action="/nodes/n3"#));
        assert!(!draw(&reader(), &nodes()).into_string().contains("<form"));
    }

    #[test]
    fn a_server_that_is_alone_says_so() {
        let drawn = draw(&viewer(), &[]).into_string();
        assert!(drawn.contains("This server is alone"));
    }
}
