//! `submit`: one answer per item; a bad item never harms its neighbours, unless they form a group.

use super::admit::{Judged, Path};
use super::prepare::{Prepared, bad, too_many};
use crate::Core;
use crate::command::Submit;
use crate::limits;
use crate::reply::{Answer, Reply};
use crate::words::{Submission, TaskId};

impl Core {
    pub(crate) fn submit(&mut self, submit: Submit) -> Reply {
        if submit.items.len() > limits::BATCH_MAX {
            return Reply::Refused(too_many("items", limits::BATCH_MAX));
        }
        if submit.group {
            if submit.dry_run {
                return Reply::Refused(bad("dry_run", "a group can't be tried"));
            }
            return self.submit_group(submit.items);
        }
        let answers = (submit.items.into_iter())
            .map(|item| self.submit_item(item, submit.dry_run))
            .collect();
        Reply::Submitted {
            answers,
            group: None,
        }
    }

    fn submit_item(&mut self, item: Submission, dry_run: bool) -> Answer {
        if dry_run {
            return self.try_one(item);
        }
        let to_keep = match self.recall(std::slice::from_ref(&item)) {
            Ok(to_keep) => to_keep,
            Err(Err(refusal)) => return Answer::Refused(refusal),
            Err(Ok(recalled)) => return only(recalled.answers),
        };
        let answer = self.submit_one(item, &Path::default());
        self.remember(to_keep, std::slice::from_ref(&answer), None);
        answer
    }

    /// Only the verdict; nothing changes.
    fn try_one(&self, item: Submission) -> Answer {
        let prepared = match self.prepare(item, 0) {
            Ok(prepared) => prepared,
            Err(refusal) => return Answer::Refused(refusal),
        };
        if let Some(into) = self.merge_target(&prepared) {
            let mut report = self.report_joined(into);
            report.stands_for += 1;
            return Answer::Coalesced(report);
        }
        match self.judge(&prepared) {
            Ok(judged) => Answer::Admitted(self.report_judged(&prepared, judged)),
            Err(answer) => answer,
        }
    }

    /// One submission, by whatever path.
    pub(crate) fn submit_one(&mut self, item: Submission, path: &Path) -> Answer {
        let prepared = match self.prepare(item, 0) {
            Ok(prepared) => prepared,
            Err(refusal) => return Answer::Refused(refusal),
        };
        self.submit_prepared(prepared, None, path)
    }

    /// One submission in good form: it joins another task, or is judged and admitted. One that has
    /// its verdict already, as part of a group, is admitted whatever has become of its resources
    /// since.
    pub(crate) fn submit_prepared(
        &mut self,
        mut prepared: Prepared,
        verdict: Option<Judged>,
        path: &Path,
    ) -> Answer {
        let id = TaskId(self.state.next_task);
        let before = path.before.unwrap_or(id);
        if let Some(into) = self.merge_target(&prepared) {
            self.merge(into, &prepared);
            self.cancel_earlier(&prepared, into, before);
            return Answer::Coalesced(self.report_joined(into));
        }
        let judged = match (self.judge(&prepared), verdict) {
            (Ok(judged), _) => judged,
            (Err(answer), None) => return answer,
            (Err(_), Some(verdict)) => {
                self.cancel_earlier(&prepared, id, before);
                return self.admit_to_test(prepared, verdict, path);
            }
        };
        if !self.cancel_earlier(&prepared, id, before) {
            return Answer::Admitted(self.admit(prepared, judged, path));
        }
        self.find_again(&mut prepared);
        match self.judge(&prepared) {
            Ok(judged) => Answer::Admitted(self.admit(prepared, judged, path)),
            Err(_) => self.admit_to_test(prepared, judged, path),
        }
    }

    /// What a submission, or an item of its group, called off has made it impossible: it is let
    /// in, and tested on arrival.
    fn admit_to_test(&mut self, prepared: Prepared, judged: Judged, path: &Path) -> Answer {
        let id = TaskId(self.state.next_task);
        let judged = judged.put_off(self.state.now.wall);
        let report = self.admit(prepared, judged, path);
        if self.state.tasks.get(id).is_some() {
            self.arrive(id, None, &[]);
        }
        Answer::Admitted(report)
    }

    /// Resources may have come and gone since the claims were looked up.
    pub(crate) fn find_again(&self, prepared: &mut Prepared) {
        for claim in &mut prepared.claims {
            claim.index = self.state.resources.find(&claim.name);
        }
    }
}

/// The answer to a request of one item. A group's key names another request.
fn only(answers: Vec<Answer>) -> Answer {
    let mut answers = answers.into_iter();
    let first = answers.next();
    first.expect("the answer to a request of one item has one answer")
}
