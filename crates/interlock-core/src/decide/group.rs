//! Groups: several tasks in one request, all admitted or none.

use super::admit::{Judged, Path};
use super::idempotency::Recalled;
use super::prepare::{Prepared, bad};
use crate::Core;
use crate::bugs::Bug;
use crate::event::Event;
use crate::refusal::Refusal;
use crate::reply::{Answer, Reason, Reply};
use crate::words::{GroupId, IfBusy, Op, ResourceName, Submission, TaskId};
use std::collections::BTreeMap;

/// The items of a group that is admitted, each with its verdict, and the order in which they come.
struct Whole {
    items: Vec<(Prepared, Judged)>,
    order: Vec<usize>,
}

/// What earlier items of a group will have done to a resource once they are admitted.
#[derive(Default)]
struct Earlier {
    /// The last lifecycle operation, and which item's.
    future: Option<(usize, Op)>,
    ops: Vec<(usize, Op)>,
}

impl Core {
    pub(crate) fn submit_group(&mut self, items: Vec<Submission>) -> Reply {
        let to_keep = match self.recall(&items) {
            Ok(to_keep) => to_keep,
            Err(Err(refusal)) => {
                let answers = vec![Answer::Refused(refusal); items.len()];
                let group = None;
                return Reply::Submitted { answers, group };
            }
            Err(Ok(Recalled { answers, group })) => return Reply::Submitted { answers, group },
        };
        let for_parts = self.bug(Bug::GroupInParts).then(|| items.clone());
        match self.prepare_group(items) {
            Err(answers) if for_parts.is_some() => {
                self.admit_in_parts(for_parts.unwrap_or_default(), answers)
            }
            Ok(whole) => {
                let (answers, group) = self.admit_group(whole);
                self.remember(to_keep, &answers, group);
                Reply::Submitted { answers, group }
            }
            Err(answers) => Reply::Submitted {
                answers,
                group: None,
            },
        }
    }

    /// All items in good form and an order in which none waits for a later one, or one answer per
    /// item that says why not.
    fn prepare_group(&self, items: Vec<Submission>) -> Result<Whole, Vec<Answer>> {
        let count = items.len();
        let mut prepared = Vec::with_capacity(count);
        let mut faults: BTreeMap<usize, Answer> = BTreeMap::new();
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 && item.idempotency_key.is_some() {
                let why = "a group has one, and its first item carries it";
                faults.insert(at, Answer::Refused(bad("idempotency_key", why)));
                continue;
            }
            match self.prepare(item, count) {
                Ok(item) => prepared.push(item),
                Err(refusal) => {
                    faults.insert(at, Answer::Refused(refusal));
                }
            }
        }
        if faults.is_empty() {
            let Some(order) = order_of(&prepared) else {
                return Err(vec![Answer::Refused(Refusal::Cycle); count]);
            };
            match self.judge_group(&mut prepared, &order) {
                Ok(judged) => {
                    let items = prepared.into_iter().zip(judged).collect();
                    return Ok(Whole { items, order });
                }
                Err(found) => faults = found,
            }
        }
        Err(not_admitted(count, faults))
    }

    /// Judges the items as if those before them were admitted. Changes nothing but the items.
    fn judge_group(
        &self,
        prepared: &mut [Prepared],
        order: &[usize],
    ) -> Result<Vec<Judged>, BTreeMap<usize, Answer>> {
        let mut faults = BTreeMap::new();
        let mut verdicts: BTreeMap<usize, Judged> = BTreeMap::new();
        let mut earlier: BTreeMap<ResourceName, Earlier> = BTreeMap::new();
        for (added, &at) in order.iter().enumerate() {
            let item = &mut prepared[at];
            for claim in &mut item.claims {
                claim.earlier = earlier.get(&claim.name).and_then(|earlier| earlier.future);
            }
            let comes = match self.judge(item) {
                Ok(judged) => {
                    let at_once = item.is_immediate() && judged.comes_at_once();
                    let barrier = item.claims.iter().any(|claim| claim.earlier.is_some());
                    verdicts.insert(at, judged);
                    at_once && (barrier || self.merge_target(item).is_none())
                }
                Err(answer) => {
                    faults.insert(at, answer);
                    continue;
                }
            };
            if let Err(refusal) = self.check_caps(item, added as u64 + 1) {
                faults.insert(at, Answer::Refused(refusal));
            } else if let Some(reason) = busy_with(item, &earlier) {
                let reasons = vec![reason];
                faults.insert(at, Answer::Rejected { reasons });
            }
            for claim in item.claims.iter().filter(|_| comes) {
                let entry = earlier.entry(claim.name.clone()).or_default();
                entry.ops.push((at, claim.op));
                if claim.op.is_lifecycle() {
                    entry.future = Some((at, claim.op));
                }
            }
        }
        if faults.is_empty() {
            return Ok(verdicts.into_values().collect());
        }
        Err(faults)
    }

    fn admit_group(&mut self, whole: Whole) -> (Vec<Answer>, Option<GroupId>) {
        let group = GroupId(self.state.position);
        let path = Path {
            group: Some(group),
            before: Some(TaskId(self.state.next_task)),
            ..Path::default()
        };
        let Whole { items, order } = whole;
        let count = items.len();
        let mut items: Vec<Option<(Prepared, Judged)>> = items.into_iter().map(Some).collect();
        let mut ids: Vec<Option<TaskId>> = vec![None; count];
        let mut answers: Vec<Option<Answer>> = vec![None; count];
        for at in order {
            let (mut item, judged) = items[at]
                .take()
                .expect("each item stands in the order once");
            item.after
                .extend(item.after_items.drain(..).filter_map(|item| ids[item]));
            item.after.sort();
            item.after.dedup();
            self.find_again(&mut item);
            for claim in &mut item.claims {
                claim.earlier = None;
            }
            let answer = self.submit_prepared(item, Some(judged), &path);
            if let Answer::Admitted(report) | Answer::Coalesced(report) = &answer {
                ids[at] = report.task;
            }
            answers[at] = Some(answer);
        }
        let tasks: Vec<TaskId> = ids.into_iter().flatten().collect();
        if !tasks.is_empty() {
            self.emit(Event::GroupFormed { id: group, tasks });
        }
        (answers.into_iter().flatten().collect(), Some(group))
    }

    /// The seeded bug that admits a group in parts.
    fn admit_in_parts(&mut self, items: Vec<Submission>, mut answers: Vec<Answer>) -> Reply {
        for (item, answer) in items.into_iter().zip(&mut answers) {
            if let Answer::Refused(Refusal::GroupNotAdmitted { .. }) = answer {
                *answer = self.submit_one(item, &Path::default());
            }
        }
        Reply::Submitted {
            answers,
            group: None,
        }
    }
}

/// An order in which no item waits for a later one; `None` if there is a circle.
fn order_of(prepared: &[Prepared]) -> Option<Vec<usize>> {
    let mut unmet: Vec<usize> = prepared.iter().map(|item| item.after_items.len()).collect();
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); prepared.len()];
    for (at, item) in prepared.iter().enumerate() {
        for &on in &item.after_items {
            waiting[on].push(at);
        }
    }
    let mut order = Vec::with_capacity(prepared.len());
    let mut next: std::collections::BTreeSet<usize> =
        (0..prepared.len()).filter(|at| unmet[*at] == 0).collect();
    while let Some(at) = next.pop_first() {
        order.push(at);
        for &other in &waiting[at] {
            unmet[other] -= 1;
            if unmet[other] == 0 {
                next.insert(other);
            }
        }
    }
    (order.len() == prepared.len()).then_some(order)
}

/// The earlier item of the group that makes a resource busy for one that must not wait.
fn busy_with(item: &Prepared, earlier: &BTreeMap<ResourceName, Earlier>) -> Option<Reason> {
    if !item.is_immediate() || item.submission.if_busy == IfBusy::Wait {
        return None;
    }
    item.claims.iter().find_map(|claim| {
        let ops = &earlier.get(&claim.name)?.ops;
        let (item, op) = *ops.iter().find(|(_, op)| op.conflicts(claim.op))?;
        let resource = claim.name.clone();
        Some(Reason::EarlierItem { resource, item, op })
    })
}

/// The answers to a group that was not admitted: its own to each item at fault, and to the others
/// which one that was.
fn not_admitted(count: usize, mut faults: BTreeMap<usize, Answer>) -> Vec<Answer> {
    let item = faults.keys().next().copied().unwrap_or(0);
    (0..count)
        .map(|at| {
            let own = faults.remove(&at);
            own.unwrap_or(Answer::Refused(Refusal::GroupNotAdmitted { item }))
        })
        .collect()
}
