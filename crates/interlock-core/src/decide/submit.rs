//! `submit`: one answer per item; a bad item never harms its neighbours, unless they form a group.

use super::admit::Path;
use super::prepare::{bad, too_many};
use crate::Core;
use crate::command::Submit;
use crate::limits;
use crate::reply::{Answer, Reply};
use crate::words::Submission;

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
        match self.recall(&item) {
            Some(answer) => answer,
            None => {
                let digest = self.digest_to_keep(&item);
                let answer = self.submit_one(item, &Path::default());
                self.remember(digest, &answer);
                answer
            }
        }
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
            Ok(judged) => Answer::Admitted(self.report_judged(judged)),
            Err(answer) => answer,
        }
    }

    /// One submission, by whatever path.
    pub(crate) fn submit_one(&mut self, item: Submission, path: &Path) -> Answer {
        let prepared = match self.prepare(item, 0) {
            Ok(prepared) => prepared,
            Err(refusal) => return Answer::Refused(refusal),
        };
        self.submit_prepared(prepared, path)
    }

    /// One submission in good form: it joins another task, or is judged and admitted.
    pub(crate) fn submit_prepared(
        &mut self,
        prepared: super::prepare::Prepared,
        path: &Path,
    ) -> Answer {
        if let Some(into) = self.merge_target(&prepared) {
            let seq = crate::words::TaskId(self.state.next_task);
            self.merge(into, &prepared);
            let cancels = self.cancelled_kinds(prepared.kind);
            self.cancel_earlier(into, seq, cancels);
            return Answer::Coalesced(self.report_joined(into));
        }
        match self.judge(&prepared) {
            Ok(judged) => Answer::Admitted(self.admit(prepared, judged, path)),
            Err(answer) => answer,
        }
    }
}
