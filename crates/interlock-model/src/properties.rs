//! What must hold in every state, and what must be reached in some.

use crate::model::Checked;
use crate::state::{At, Cell, Epoch, Node, Row, Stage, State, Write};
use stateright::Property;

/// Nothing that was acknowledged is missing in the log.
pub const KEPT: &str = "what was acknowledged is in the log";
/// The log has no gap.
pub const GAPLESS: &str = "the log has no gap";
/// Nothing is in the log twice.
pub const ONCE: &str = "nothing is written twice";
/// The owner's memory is the log.
pub const LOADED: &str = "whoever serves under the epoch in force knows all of the log";
/// A zombie changes nothing.
pub const FENCED: &str = "nothing is written under an epoch that is not in force";
/// An answer counts.
pub const FRESH: &str = "no answer leaves out what was acknowledged before it was asked for";
/// One node answers.
pub const ALONE: &str = "at most one node may answer";
/// P1, as far as nodes are concerned.
pub const EXCLUSIVE: &str = "no run is released while its worker may go on";

/// What must hold in every state.
pub fn always<const N: usize>() -> Vec<Property<Checked<N>>> {
    vec![
        Property::always(KEPT, |_, state: &State<N>| {
            state.acknowledged & !state.log.set() == 0
        }),
        Property::always(GAPLESS, |_, state: &State<N>| {
            let end = usize::from(state.log.end());
            state.log.0[..end].iter().all(Option::is_some)
        }),
        Property::always(ONCE, |_, state: &State<N>| {
            let records = state.log.0.iter().flatten();
            records.count() == state.log.set().count_ones() as usize
        }),
        Property::always(LOADED, |_, state: &State<N>| knows_the_log(state)),
        Property::always(FENCED, |_, state: &State<N>| !state.flaws.zombie_wrote),
        Property::always(FRESH, |_, state: &State<N>| !state.flaws.stale_answer),
        Property::always(ALONE, |_, state: &State<N>| {
            let may = |node: &&Node| node.is_serving() && node.may_answer();
            state.nodes.iter().filter(may).count() <= 1
        }),
        Property::always(EXCLUSIVE, |_, state: &State<N>| {
            state.worker == 0 || !state.log.has(Write::RELEASE)
        }),
    ]
}

/// What a node serves is the log, but for what it has written itself and not heard of yet.
fn knows_the_log<const N: usize>(state: &State<N>) -> bool {
    state.nodes.iter().enumerate().all(|(index, node)| {
        let Cell::Serving {
            epoch: Epoch::Current,
            memory,
            ..
        } = node.cell
        else {
            return true;
        };
        let under_way = state.append_of(index as u8);
        let own = under_way.and_then(|at| state.appends[at]);
        let own = own.filter(|append| append.stage == Stage::Done);
        (0..memory.0.len()).all(|at| {
            let unheard = own.filter(|append| usize::from(append.position) == at);
            state.log.0[at] == memory.0[at] || unheard.map(|one| one.write) == state.log.0[at]
        })
    })
}

/// What must be reached in some state, so that the rest says something.
pub fn sometimes<const N: usize>() -> Vec<Property<Checked<N>>> {
    vec![
        Property::sometimes(
            "a node serves what a dead one had",
            |_, state: &State<N>| server(state).is_some() && state.rows.contains(&Row::Ended),
        ),
        Property::sometimes("a zombie thinks that it serves", |_, state: &State<N>| {
            server(state).is_some() && zombie(state).is_some()
        }),
        Property::sometimes(
            "a node stops before its lease is over",
            |_, state: &State<N>| {
                let stopped = |at: usize| state.nodes[at].joined && !state.nodes[at].may_answer();
                (0..N).any(|at| stopped(at) && state.rows[at].is_alive())
            },
        ),
        Property::sometimes("nobody is alive", |_, state: &State<N>| {
            !state.rows.iter().any(|row| row.is_alive())
        }),
    ]
}

/// The same where there is a run.
pub fn sometimes_with_run<const N: usize>() -> Vec<Property<Checked<N>>> {
    vec![
        Property::sometimes("the run is released", |_, state: &State<N>| {
            state.log.has(Write::RELEASE)
        }),
        Property::sometimes(
            "a lease ends between look and answer",
            |_, state: &State<N>| {
                let over = |node: u8| !state.nodes[node as usize].may_answer();
                let at = state.beat.map(|beat| beat.at);
                matches!(at, Some(At::Checked(node)) if over(node))
            },
        ),
    ]
}

/// The same where there are writes.
pub fn sometimes_with_writes<const N: usize>() -> Vec<Property<Checked<N>>> {
    vec![
        Property::sometimes(
            "a claim waits for an append of a dead node",
            |_, state: &State<N>| {
                let dead = |owner: u8| !state.rows[owner as usize].is_alive();
                state.is_locked() && state.owner.is_some_and(dead)
            },
        ),
        Property::sometimes("a zombie has sent an append", |_, state: &State<N>| {
            let zombie = zombie(state);
            zombie.is_some_and(|zombie| state.append_of(zombie).is_some())
        }),
        Property::sometimes(
            "a loader finds what nobody heard of",
            |_, state: &State<N>| {
                let found = server(state).map(|node| node.cell);
                let Some(Cell::Serving { memory, .. }) = found else {
                    return false;
                };
                memory.set() & !(state.acknowledged | Write::RELEASE.bit()) != 0
            },
        ),
        Property::sometimes(
            "everything is acknowledged",
            |model: &Checked<N>, state: &State<N>| {
                let all = (1 << (model.protocol.bounds.writes + 1)) - 2;
                state.acknowledged == all
            },
        ),
    ]
}

/// The node that serves the namespace and may answer.
pub fn server<const N: usize>(state: &State<N>) -> Option<&Node> {
    let serves = |node: &&Node| {
        let epoch = match node.cell {
            Cell::Serving { epoch, .. } => Some(epoch),
            _ => None,
        };
        epoch == Some(Epoch::Current) && node.may_answer()
    };
    state.nodes.iter().find(serves)
}

/// A node that serves under an epoch that is not in force.
fn zombie<const N: usize>(state: &State<N>) -> Option<u8> {
    let is_old = |node: &Node| {
        let epoch = match node.cell {
            Cell::Serving { epoch, .. } => Some(epoch),
            _ => None,
        };
        epoch == Some(Epoch::Old)
    };
    state.nodes.iter().position(is_old).map(|at| at as u8)
}
