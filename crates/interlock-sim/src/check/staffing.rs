//! Whether a kind has a worker: it has while any session that handles it waits for work, runs something,
//! or was heard within a lease.

use super::Checker;
use crate::oracle::{Findings, Ledger, SessionRow, Step};
use interlock_core::Event;
use interlock_core::words::KindId;

/// Watches who handles what.
pub struct Staffing;

impl Checker for Staffing {
    fn name(&self) -> &'static str {
        "staffing"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        let Event::KindStaffed { kind, staffed } = event else {
            return;
        };
        let Some(row) = ledger.kind(*kind) else {
            return found.add(format!("{event:?} concerns a kind that is not there"));
        };
        if *staffed {
            return;
        }
        let lease = row.kind.lease_ms;
        let alive = |session: &SessionRow| {
            let heard = row.version == 0 && step.at.elapsed.since(session.heard) < lease;
            session
                .parked
                .is_some_and(|(_, until)| until > step.at.elapsed)
                || session
                    .runs
                    .iter()
                    .any(|token| ledger.runs[token].deadline > step.at.elapsed)
                || heard
        };
        let worker = handlers(ledger, *kind).find(|session| alive(session));
        found.expect(worker.is_none(), || {
            format!(
                "kind {} is said to have no worker, but has {worker:?}",
                row.kind.name
            )
        });
        found.expect(
            row.version > 0 || step.at.elapsed.since(ledger.opened) >= lease,
            || {
                format!(
                    "kind {} lost its workers within a lease of the opening",
                    row.kind.name
                )
            },
        );
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        if step.more {
            return;
        }
        for (id, row) in ledger.kinds.iter().filter(|(_, row)| !row.staffed) {
            let idle = handlers(ledger, *id).find(|session| {
                session
                    .parked
                    .is_some_and(|(_, until)| until > step.at.elapsed)
            });
            found.expect(idle.is_none(), || {
                format!(
                    "kind {} has no worker, but {idle:?} waits for work",
                    row.kind.name
                )
            });
        }
    }
}

fn handlers(ledger: &Ledger, kind: KindId) -> impl Iterator<Item = &SessionRow> {
    let sessions = ledger.sessions.values();
    sessions.filter(move |row| row.kinds.contains(&kind) && !row.lost && !row.drained)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;

    #[test]
    fn a_worker_heard_a_moment_ago_is_a_worker() {
        let mut story = Story::new(Staffing);
        story.at(2_000).events(vec![Event::KindStaffed {
            kind: KindId(0),
            staffed: false,
        }]);
        story.caught("but has");
    }
}
