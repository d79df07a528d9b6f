//! The core's own invariants, by its own full scans. Kept apart from the other checkers: a seeded bug
//! must be caught from outside.

use super::Checker;
use crate::oracle::{Findings, Ledger};
use interlock_core::Core;

/// Has the core check itself.
pub struct SelfCheck;

/// The name it reports under.
pub const NAME: &str = "self-check";

/// One of so many scans.
const EVERY: u64 = 6;

impl Checker for SelfCheck {
    fn name(&self) -> &'static str {
        NAME
    }

    fn scan(&mut self, _: &Ledger, core: &Core, draw: u64, found: &mut Findings) {
        if draw.is_multiple_of(EVERY) {
            report(core.check(), found);
        }
    }
}

fn report(checked: Result<(), String>, found: &mut Findings) {
    if let Err(message) = checked {
        found.add(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_core_says_is_passed_on() {
        let mut found = Findings::default();
        report(Ok(()), &mut found);
        assert_eq!(found.first(), None);
        report(Err("task 1 is in two places".to_owned()), &mut found);
        assert!(found.first().is_some());
    }

    #[test]
    fn an_empty_core_is_fine() {
        let mut found = Findings::default();
        let core = Core::new(1);
        SelfCheck.scan(&Ledger::default(), &core, 0, &mut found);
        assert_eq!(found.first(), None);
    }
}
