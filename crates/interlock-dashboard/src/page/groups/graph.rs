//! Tasks and what they come after, drawn from left to right: each stands one column behind the last
//! of those that it waits for.

use crate::part::icon;
use interlock_api::task::State;
use maud::{Markup, html};
use std::collections::HashMap;

/// A task to be drawn.
pub(super) struct Node {
    pub(super) task: u64,
    pub(super) state: State,
    pub(super) kind: String,
    pub(super) resource: String,
    pub(super) after: Vec<u64>,
    pub(super) link: String,
}

const BOX_WIDTH: usize = 168;
const BOX_HEIGHT: usize = 46;
const GAP_X: usize = 56;
const GAP_Y: usize = 14;
/// Letters of a line that fit into a box.
const LETTERS: usize = 20;

/// Where a box stands: column and row.
type Spot = (usize, usize);

/// The graph.
pub(super) fn draw(nodes: &[Node]) -> Markup {
    let spots = spots(nodes);
    let columns = spots
        .values()
        .map(|(column, _)| column + 1)
        .max()
        .unwrap_or(0);
    let rows = spots.values().map(|(_, row)| row + 1).max().unwrap_or(0);
    let width = columns * (BOX_WIDTH + GAP_X);
    let height = rows * (BOX_HEIGHT + GAP_Y);
    html! {
        div.graph tabindex="0" role="region" aria-label="Graph" {
            svg viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="group" aria-label="Graph of the tasks" {
                @for node in nodes {
                    @for on in &node.after {
                        @if let Some(from) = spots.get(on) {
                            path.edge data-key={ "edge-" (on) "-" (node.task) } d=(arrow(*from, spots[&node.task])) {}
                        }
                    }
                }
                @for node in nodes { (boxed(node, spots[&node.task])) }
            }
        }
    }
}

/// Each task one column behind the last of those that it comes after, in the order of the group
/// within its column.
fn spots(nodes: &[Node]) -> HashMap<u64, Spot> {
    let mut columns: HashMap<u64, usize> = HashMap::new();
    let mut rows: Vec<usize> = Vec::new();
    let mut spots = HashMap::new();
    // An item can only come after earlier ones, so those are known already.
    for node in nodes {
        let before = node.after.iter().filter_map(|on| columns.get(on));
        let column = before.map(|column| column + 1).max().unwrap_or(0);
        columns.insert(node.task, column);
        rows.resize(rows.len().max(column + 1), 0);
        spots.insert(node.task, (column, rows[column]));
        rows[column] += 1;
    }
    spots
}

fn corner((column, row): Spot) -> (usize, usize) {
    (
        column * (BOX_WIDTH + GAP_X) + 1,
        row * (BOX_HEIGHT + GAP_Y) + 1,
    )
}

/// From the right side of one box to the left side of another, with a head.
fn arrow(from: Spot, to: Spot) -> String {
    let ((x1, y1), (x2, y2)) = (corner(from), corner(to));
    let (x1, y1) = (x1 + BOX_WIDTH, y1 + BOX_HEIGHT / 2);
    let (x2, y2) = (x2 - 3, y2 + BOX_HEIGHT / 2);
    let bend = GAP_X / 2;
    let (b1, b2) = (x1 + bend, x2 - bend);
    let (h, up, down) = (x2 - 6, y2 - 4, y2 + 4);
    format!("M{x1} {y1}C{b1} {y1} {b2} {y2} {x2} {y2}M{h} {up}L{x2} {y2}L{h} {down}")
}

fn boxed(node: &Node, spot: Spot) -> Markup {
    let (x, y) = corner(spot);
    let (tone, word) = tone(node.state);
    html! {
        a.node.(tone) href=(node.link) data-key={ "node-" (node.task) } {
            title { "Task " (node.task) " (" (node.kind) "), " (word) }
            rect x=(x) y=(y) width=(BOX_WIDTH - 2) height=(BOX_HEIGHT - 2) rx="6" {}
            svg x=(x + 10) y=(y + 10) width="11" height="11" { (icon::shape(tone)) }
            text x=(x + 28) y=(y + 19) { (short(&format!("#{} {}", node.task, node.kind))) }
            text.node-more x=(x + 10) y=(y + 36) { (short(&node.resource)) }
        }
    }
}

fn tone(state: State) -> (&'static str, &'static str) {
    match state {
        State::Waiting => ("wait", "waiting"),
        State::Running => ("run", "running"),
        State::Succeeded => ("good", "succeeded"),
        State::Failed => ("bad", "failed"),
        State::Cancelled => ("off", "cancelled"),
    }
}

/// As much of a text as fits.
fn short(text: &str) -> String {
    match text.chars().count() > LETTERS {
        true => text.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(task: u64, after: &[u64]) -> Node {
        Node {
            task,
            state: State::Waiting,
            kind: "sync".to_owned(),
            resource: "repository:a-rather-long-name".to_owned(),
            after: after.to_vec(),
            link: format!("/tasks/{task}"),
        }
    }

    #[test]
    fn a_task_stands_behind_the_last_of_those_that_it_comes_after() {
        let nodes = [
            node(1, &[]),
            node(2, &[1]),
            node(3, &[]),
            node(4, &[2, 3]),
            node(5, &[9]),
        ];
        let spots = spots(&nodes);
        assert_eq!(spots[&1], (0, 0));
        assert_eq!(spots[&2], (1, 0));
        assert_eq!(spots[&3], (0, 1));
        assert_eq!(spots[&4], (2, 0));
        assert_eq!(spots[&5], (0, 2), "what is not of the group has no place");
    }

    #[test]
    fn arrows_go_from_left_to_right_and_long_names_are_cut() {
        let drawn = draw(&[node(1, &[]), node(2, &[1, 9])]).into_string();
        assert_eq!(drawn.matches("class=\"edge\"").count(), 1, "{drawn}");
        assert!(drawn.contains("repository:a-rather…"));
        assert!(drawn.contains(r#"width="448""#));
    }
}
