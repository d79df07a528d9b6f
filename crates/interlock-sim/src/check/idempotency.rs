//! Idempotency keys: a repeated request gets the first acknowledged answer and changes nothing; the same
//! key with another body is refused; refusals are not remembered.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::limits::IDEMPOTENCY_MS;
use interlock_core::reply::{Answer, Report};
use interlock_core::words::{Name, Now, Submission};
use interlock_core::{Command, Refusal, Reply};
use std::collections::BTreeMap;

/// Around the end of a key's life either answer is fine.
const SLACK_MS: u64 = 60_000;

/// Watches requests with keys.
#[derive(Default)]
pub struct Idempotency {
    first: BTreeMap<Name, (Vec<Submission>, Vec<Answer>, Now)>,
}

impl Checker for Idempotency {
    fn name(&self) -> &'static str {
        "idempotency"
    }

    fn step(&mut self, _: &Ledger, step: &Step, found: &mut Findings) {
        let (Some(Command::Submit(submit)), Reply::Submitted { answers, .. }) =
            (&step.command, &step.reply)
        else {
            return;
        };
        if submit.dry_run || submit.items.len() != answers.len() {
            return;
        }
        // A group is one request; the key of its first item is the key of all.
        let size = if submit.group { submit.items.len() } else { 1 };
        let requests = submit
            .items
            .chunks(size.max(1))
            .zip(answers.chunks(size.max(1)));
        for (items, answers) in requests {
            if let Some(key) = &items[0].idempotency_key {
                self.judge(key, items, answers, step.at, found);
            } else {
                found.expect(!repeated(answers), || {
                    "an answer without a key is called repeated".to_owned()
                });
            }
        }
    }
}

impl Idempotency {
    fn judge(
        &mut self,
        key: &Name,
        items: &[Submission],
        answers: &[Answer],
        now: Now,
        found: &mut Findings,
    ) {
        let accepted = answers.iter().all(|answer| report(answer).is_some());
        if let Some((body, first, at)) = self.first.get(key) {
            // Of the two clocks the one that ran faster may have ended the key's life.
            let age = now.elapsed.since(at.elapsed).max(now.wall.since(at.wall));
            if age + SLACK_MS < IDEMPOTENCY_MS {
                return if body == items {
                    let alike = first.iter().zip(answers).all(|(a, b)| same(a, b));
                    found.expect(repeated(answers) && alike, || {
                        format!("key {key} was answered {first:?}, repeated {answers:?}")
                    });
                } else {
                    found.expect(answers.iter().any(is_mismatch), || {
                        format!("key {key} with another body: {answers:?}")
                    });
                };
            }
            if age < IDEMPOTENCY_MS + SLACK_MS && (repeated(answers) || !accepted) {
                return;
            }
        }
        found.expect(!repeated(answers), || {
            format!("key {key} is new, but answered {answers:?}")
        });
        if accepted {
            self.first
                .insert(key.clone(), (items.to_vec(), answers.to_vec(), now));
        }
    }
}

fn is_mismatch(answer: &Answer) -> bool {
    matches!(answer, Answer::Refused(Refusal::IdempotencyMismatch { .. }))
}

fn repeated(answers: &[Answer]) -> bool {
    answers
        .iter()
        .any(|answer| report(answer).is_some_and(|report| report.repeated))
}

fn report(answer: &Answer) -> Option<&Report> {
    match answer {
        Answer::Admitted(report) | Answer::Coalesced(report) => Some(report),
        Answer::Rejected { .. } | Answer::Refused(_) => None,
    }
}

fn same(first: &Answer, again: &Answer) -> bool {
    match (report(first), report(again)) {
        (Some(a), Some(b)) => {
            let b = Report {
                repeated: false,
                ..b.clone()
            };
            *a == b && std::mem::discriminant(first) == std::mem::discriminant(again)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::name;
    use interlock_core::command::Submit;
    use interlock_core::reply::Verdict;
    use interlock_core::words::TaskId;

    fn submit(story: &mut Story, item: &Submission, task: u64, repeated: bool) {
        let report = Report {
            task: Some(TaskId(task)),
            verdict: Verdict::Accepted,
            reasons: Vec::new(),
            lines: Vec::new(),
            stands_for: 1,
            repeated,
        };
        let submit = Command::Submit(Submit {
            items: vec![item.clone()],
            group: false,
            dry_run: false,
        });
        let reply = Reply::Submitted {
            answers: vec![Answer::Admitted(report)],
            group: None,
        };
        story.decide(submit, reply, Vec::new());
    }

    fn keyed() -> Submission {
        let mut item = Submission::new(name("plain"), Vec::new());
        item.idempotency_key = Some(name("k"));
        item
    }

    #[test]
    fn a_repeat_is_no_second_task() {
        let mut story = Story::new(Idempotency::default());
        submit(&mut story, &keyed(), 1, false);
        submit(&mut story, &keyed(), 1, true);
        story.fine();
        submit(&mut story, &keyed(), 2, false);
        story.caught("repeated [Admitted");
    }

    #[test]
    fn another_body_is_another_request() {
        let mut story = Story::new(Idempotency::default());
        submit(&mut story, &keyed(), 1, false);
        let mut other = keyed();
        other.hold = true;
        submit(&mut story, &other, 1, true);
        story.caught("with another body");
    }
}
