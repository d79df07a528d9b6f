//! What the submitters of the latest tasks were told. Why a task waits is derived whenever somebody
//! asks; why it was postponed can't be, once that has passed. In memory only, and of a fixed size.

use interlock_core::Reply;
use interlock_core::reply::{Answer, Reason, Report, Verdict};
use interlock_core::words::{Now, TaskId};
use std::collections::VecDeque;

/// Tasks that are remembered; of more, the oldest are forgotten.
const TASKS_MAX: usize = 4_096;

/// What a submitter was told.
#[derive(Clone)]
pub struct Told {
    /// When.
    pub at: Now,
    /// Whether anything stood in the way.
    pub verdict: Verdict,
    /// What.
    pub reasons: Vec<Reason>,
}

/// What the submitters of the latest tasks were told.
#[derive(Default)]
pub struct Verdicts {
    /// In the order of their ids, in which they are drawn.
    latest: VecDeque<(TaskId, Told)>,
}

impl Verdicts {
    /// Something was decided.
    pub(super) fn notice(&mut self, reply: &Reply, at: Now) {
        let Reply::Submitted { answers, .. } = reply else {
            return;
        };
        for answer in answers {
            if let Answer::Admitted(report) = answer
                && !report.repeated
            {
                self.add(report, at);
            }
        }
    }

    fn add(&mut self, report: &Report, at: Now) {
        // A dry run has no task.
        let Some(task) = report.task else { return };
        let told = Told {
            at,
            verdict: report.verdict,
            reasons: report.reasons.clone(),
        };
        // What was decided and not committed before the store failed never was.
        while self.latest.back().is_some_and(|(last, _)| *last >= task) {
            self.latest.pop_back();
        }
        if self.latest.len() >= TASKS_MAX {
            self.latest.pop_front();
        }
        self.latest.push_back((task, told));
    }

    /// What the submitter of a task was told, if it is remembered.
    pub fn of(&self, task: TaskId) -> Option<&Told> {
        let at = self
            .latest
            .binary_search_by_key(&task, |(id, _)| *id)
            .ok()?;
        self.latest.get(at).map(|(_, told)| told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlock_core::words::{Elapsed, Wall};

    const NOW: Now = Now {
        elapsed: Elapsed(0),
        wall: Wall(0),
    };

    fn submitted(task: Option<u64>, repeated: bool) -> Reply {
        let report = Report {
            task: task.map(TaskId),
            verdict: Verdict::Postponed,
            reasons: vec![Reason::Ready],
            lines: Vec::new(),
            stands_for: 1,
            repeated,
        };
        Reply::Submitted {
            answers: vec![Answer::Admitted(report)],
            group: None,
        }
    }

    #[test]
    fn what_was_told_first_is_remembered() {
        let mut verdicts = Verdicts::default();
        verdicts.notice(&submitted(Some(7), false), NOW);
        verdicts.notice(&submitted(Some(8), true), NOW);
        verdicts.notice(&submitted(None, false), NOW);
        let told = verdicts.of(TaskId(7)).expect("it is remembered");
        assert_eq!(told.reasons, [Reason::Ready]);
        assert!(
            verdicts.of(TaskId(8)).is_none(),
            "a repetition tells nothing new"
        );
        assert_eq!(verdicts.latest.len(), 1);
    }

    #[test]
    fn of_too_many_the_oldest_are_forgotten() {
        let mut verdicts = Verdicts::default();
        for task in 0..=TASKS_MAX as u64 {
            verdicts.notice(&submitted(Some(task), false), NOW);
        }
        assert!(verdicts.of(TaskId(0)).is_none());
        assert_eq!(verdicts.latest.len(), TASKS_MAX);
    }
}
