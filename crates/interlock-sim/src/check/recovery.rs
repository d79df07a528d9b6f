//! Recovery is the fold of the log: what comes back is row by row what was there at the commit.

use super::Checker;
use crate::oracle::{Findings, Ledger};
use interlock_core::Core;

/// Compares cores before and after.
pub struct Recovery;

impl Checker for Recovery {
    fn name(&self) -> &'static str {
        "recovery"
    }

    fn recovered(&mut self, _: &Ledger, core: &Core, before: Option<&Core>, found: &mut Findings) {
        if let Some(Err(difference)) = before.map(|before| before.same_hard_state(core)) {
            found.add(format!(
                "recovery made something else of the log: {difference}"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::name;
    use interlock_core::Command;
    use interlock_core::words::{Kind, Now};

    #[test]
    fn a_core_that_missed_a_record_is_noticed() {
        let mut story = Story::new(Recovery);
        let now = Now::default();
        let mut whole = Core::new(1);
        let mut half = Core::new(1);
        for record in [
            whole.open(now, 1).record,
            whole
                .decide(now, Command::SetKind(Box::new(Kind::new(name("plain")))))
                .record,
        ]
        .into_iter()
        .flatten()
        .take(1)
        {
            half.replay(&record);
        }
        story.oracle.recovered(&half, Some(&whole));
        story.caught("something else");
    }
}
