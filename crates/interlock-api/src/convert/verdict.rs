//! Answers to submissions: a report, or a problem.

use super::reason::reasons;
use super::refusal::of_submission;
use crate::code::Code;
use crate::problem::Problem;
use crate::task::Told;
use crate::time::Clock;
use crate::verdict::{LineLength, Report, Verdict};
use interlock_core::reply::{self, Answer};

/// The answer to one submission.
pub fn answer(answer: &Answer, clock: &Clock) -> Result<Report, Problem> {
    match answer {
        Answer::Admitted(report) => Ok(shown(report, false, clock)),
        Answer::Coalesced(report) => Ok(shown(report, true, clock)),
        Answer::Refused(refusal) => Err(of_submission(refusal)),
        Answer::Rejected { reasons: why } => {
            let reasons = reasons(why, clock);
            let detail = match reasons.first() {
                Some(reason) => reason.sentence.clone(),
                None => "It can't run.".to_owned(),
            };
            let mut problem = Problem::new(Code::Rejected, detail);
            problem.more.reasons = reasons;
            Err(problem)
        }
    }
}

/// What a submitter was told; the clock is that of then.
pub fn told(verdict: reply::Verdict, why: &[reply::Reason], clock: &Clock) -> Told {
    Told {
        verdict: verdict.into(),
        reasons: reasons(why, clock),
    }
}

fn shown(report: &reply::Report, coalesced: bool, clock: &Clock) -> Report {
    Report {
        verdict: report.verdict.into(),
        task: report.task.map(|task| task.0),
        reasons: reasons(&report.reasons, clock),
        lines: (report.lines.iter())
            .map(|line| LineLength {
                resource: line.resource.to_string(),
                waiting: line.waiting,
            })
            .collect(),
        stands_for: report.stands_for,
        coalesced,
        repeated: report.repeated,
    }
}

impl From<reply::Verdict> for Verdict {
    fn from(verdict: reply::Verdict) -> Self {
        match verdict {
            reply::Verdict::Accepted => Verdict::Accepted,
            reply::Verdict::Postponed => Verdict::Postponed,
        }
    }
}
