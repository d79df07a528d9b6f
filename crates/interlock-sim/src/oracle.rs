//! What an outside observer knows: every committed event, every acknowledged answer, everything that
//! workers really did. The ledger is the observer's own reading of it; checkers look over its shoulder.

mod fold;
mod ledger;
mod lines;
mod rows;
mod soft;
mod step;

pub use ledger::Ledger;
pub use lines::ResourceRow;
pub use rows::{KindRow, RunRow, ScheduleRow, SessionRow, TaskRow};
pub use step::{Deed, Findings, Kept, Step, Violation};

use crate::check::{self, Checker};
use crate::situation::Situations;
use interlock_core::Core;

/// The observer with all its checkers.
pub struct Oracle {
    /// What it knows.
    pub ledger: Ledger,
    /// What it saw happen that is worth counting.
    pub situations: Situations,
    /// What it found wrong.
    pub findings: Findings,
    checkers: Vec<Box<dyn Checker>>,
}

impl Default for Oracle {
    fn default() -> Self {
        Self::with(check::all())
    }
}

impl Oracle {
    /// An observer with these checkers.
    pub fn with(checkers: Vec<Box<dyn Checker>>) -> Self {
        Self {
            ledger: Ledger::default(),
            situations: Situations::default(),
            findings: Findings::default(),
            checkers,
        }
    }

    /// Takes in one committed decision.
    pub fn observe(&mut self, step: &Step) {
        self.ledger.begin(step);
        for (index, event) in step.events().iter().enumerate() {
            let position = step.position() + index as u64;
            self.situations.event(&self.ledger, step, event);
            for checker in &mut self.checkers {
                self.findings.name(checker.name());
                checker.event(&self.ledger, step, position, event, &mut self.findings);
            }
            self.findings.name("ledger");
            self.ledger.fold(step, position, event, &mut self.findings);
        }
        self.ledger.note(step);
        self.situations.step(&self.ledger, step);
        for checker in &mut self.checkers {
            self.findings.name(checker.name());
            checker.step(&self.ledger, step, &mut self.findings);
        }
    }

    /// Takes in something that a worker really did.
    pub fn deed(&mut self, time: u64, deed: &Deed) {
        for checker in &mut self.checkers {
            self.findings.name(checker.name());
            checker.deed(&self.ledger, time, deed, &mut self.findings);
        }
    }

    /// Compares what the core shows with the ledger. The core has decided nothing that is not committed.
    pub fn scan(&mut self, core: &Core, draw: u64) {
        for checker in &mut self.checkers {
            self.findings.name(checker.name());
            checker.scan(&self.ledger, core, draw, &mut self.findings);
        }
    }

    /// Compares a core that was just recovered from the log, and not opened yet, with the ledger.
    pub fn recovered(&mut self, core: &Core, before: Option<&Core>) {
        for checker in &mut self.checkers {
            self.findings.name(checker.name());
            checker.recovered(&self.ledger, core, before, &mut self.findings);
        }
    }

    /// Takes in the tasks that a checkpoint keeps.
    pub fn checkpointed(&mut self, kept: &Kept) {
        for checker in &mut self.checkers {
            self.findings.name(checker.name());
            checker.checkpointed(&self.ledger, kept, &mut self.findings);
        }
    }

    /// Records something that the world itself noticed.
    pub fn report(&mut self, checker: &'static str, message: String) {
        self.findings.name(checker);
        self.findings.add(message);
    }
}
