//! No task in two places: what the core shows of tasks, resources and workers is one and the same story.

use super::Checker;
use crate::oracle::{Findings, Ledger, ResourceRow};
use interlock_core::Core;
use interlock_core::event::Stage;
use interlock_core::view::{ResourceState, ResourceView, WorkerView};
use interlock_core::words::{ResourceName, TaskId};

/// Compares views.
pub struct Places;

impl Checker for Places {
    fn name(&self) -> &'static str {
        "places"
    }

    fn scan(&mut self, ledger: &Ledger, core: &Core, _: u64, found: &mut Findings) {
        let live = core.live_tasks();
        found.expect(live.iter().eq(ledger.tasks.keys()), || {
            format!(
                "live tasks are {live:?}, the log says {:?}",
                ledger.tasks.keys()
            )
        });
        let counts = core.counts();
        let running = ledger.deadlines.len() as u64;
        let waiting = ledger.tasks.len() as u64 - running;
        found.expect(
            counts.running == running && counts.waiting == waiting,
            || format!("{counts:?}, the log says {waiting} waiting and {running} running"),
        );
        for (name, row) in &ledger.resources {
            same_resource(ledger, name, row, &core.resource(name), found);
        }
        for worker in core.workers() {
            same_worker(ledger, &worker, found);
        }
    }
}

fn same_resource(
    ledger: &Ledger,
    name: &ResourceName,
    row: &ResourceRow,
    view: &ResourceView,
    found: &mut Findings,
) {
    let mut holders: Vec<TaskId> = row.holders.iter().map(|(id, _)| *id).collect();
    let mut shown = view.holders.clone();
    holders.sort();
    shown.sort();
    found.expect(holders == shown, || {
        format!("{name} is held by {holders:?}, shown is {shown:?}")
    });
    let line: Vec<TaskId> = row.line.values().map(|(id, _)| *id).collect();
    found.expect(
        line.starts_with(&view.line) && view.line.len() >= line.len().min(20),
        || format!("the line of {name} is {line:?}, shown is {:?}", view.line),
    );
    found.expect(row.chain == view.barriers, || {
        format!(
            "the chain of {name} is {:?}, shown is {:?}",
            row.chain, view.barriers
        )
    });
    let waiting = row.tasks.len() - row.holders.len();
    found.expect(waiting as u64 == view.waiting, || {
        format!("{waiting} tasks wait on {name}, shown are {}", view.waiting)
    });
    let outside = |id: &TaskId| {
        ledger
            .tasks
            .get(id)
            .is_some_and(|task| matches!(task.stage, Stage::Outside(_)))
    };
    found.expect(view.outside.iter().all(outside), || {
        format!("outside of {name} are shown {:?}", view.outside)
    });
    let busy = !holders.is_empty() && !view.held;
    found.expect(busy == (view.state == ResourceState::Busy), || {
        format!("{name} is shown as {:?}, held by {holders:?}", view.state)
    });
}

fn same_worker(ledger: &Ledger, view: &WorkerView, found: &mut Findings) {
    let Some(row) = ledger.sessions.get(&view.session) else {
        return found.add(format!(
            "worker {} is shown with an unknown session",
            view.name
        ));
    };
    let mut running: Vec<TaskId> = row
        .runs
        .iter()
        .map(|token| ledger.runs[token].task)
        .collect();
    let mut shown = view.running.clone();
    running.sort();
    shown.sort();
    found.expect(row.name == view.name && running == shown, || {
        format!("worker {} runs {running:?}, shown is {view:?}", row.name)
    });
    found.expect(
        row.drained == view.draining && row.lost == view.lost,
        || format!("worker {} is {row:?}, shown is {view:?}", row.name),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::resource;
    use interlock_core::words::Op;

    #[test]
    fn a_line_shown_in_another_order_is_noticed() {
        let mut story = Story::new(Places);
        story
            .admit(1, &[("a:1", Op::Update)])
            .admit(2, &[("a:1", Op::Update)]);
        let ledger = &story.oracle.ledger;
        let name = resource("a:1");
        let view = |line: &[u64]| ResourceView {
            resource: name.clone(),
            state: ResourceState::Queued,
            held: false,
            holders: Vec::new(),
            line: line.iter().map(|id| TaskId(*id)).collect(),
            barriers: Vec::new(),
            outside: Vec::new(),
            waiting: 2,
            quotas: Vec::new(),
        };
        let judged = |line: &[u64]| {
            let mut found = Findings::default();
            same_resource(
                ledger,
                &name,
                &ledger.resources[&name],
                &view(line),
                &mut found,
            );
            found.all().len()
        };
        assert_eq!(judged(&[1, 2]), 0);
        assert_eq!(judged(&[2, 1]), 1);
    }
}
