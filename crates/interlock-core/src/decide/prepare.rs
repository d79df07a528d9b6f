//! Checks the form of a submission: everything that can be said without looking at what else is
//! waiting. Nothing here changes anything.

use super::gates::Candidate;
use crate::Core;
use crate::bugs::Bug;
use crate::refusal::Refusal;
use crate::state::task::{FoundClaim, ResourceIx};
use crate::words::{
    After, Due, IfBusy, KindId, Op, Outcome, PayloadRule, ResourceName, Scope, Submission, TaskId,
    Token, Wall,
};
use crate::{limits, words};
use smallvec::SmallVec;

/// A submission in good form.
pub(crate) struct Prepared {
    pub(crate) submission: Submission,
    pub(crate) kind: KindId,
    /// Sorted by name of the resource.
    pub(crate) claims: SmallVec<[PreparedClaim; 1]>,
    pub(crate) priority: u8,
    pub(crate) coalesces: bool,
    /// A due time that is still to come.
    pub(crate) due: Option<Wall>,
    pub(crate) start_by: Option<Wall>,
    /// Tasks it waits for that have not ended yet.
    pub(crate) after: Vec<TaskId>,
    /// Items of the group that it waits for.
    pub(crate) after_items: Vec<usize>,
    /// A task it waits for that ended without success.
    pub(crate) failed_dependency: Option<TaskId>,
    pub(crate) parent: Option<TaskId>,
}

/// A claim with its operation settled and its resource looked up.
#[derive(Clone)]
pub(crate) struct PreparedClaim {
    pub(crate) name: ResourceName,
    pub(crate) op: Op,
    /// `None` if nobody claims it yet.
    pub(crate) index: Option<ResourceIx>,
    /// The last lifecycle operation of an earlier item of its group: index and operation.
    pub(crate) earlier: Option<(usize, Op)>,
}

impl PreparedClaim {
    pub(crate) fn found(&self) -> Option<FoundClaim> {
        Some(FoundClaim {
            resource: self.index?,
            op: self.op,
        })
    }
}

impl Prepared {
    /// It could run as soon as it is admitted, but for others.
    pub(crate) fn is_immediate(&self) -> bool {
        self.due.is_none() && self.after.is_empty() && self.after_items.is_empty()
    }

    pub(crate) fn candidate(&self) -> Candidate {
        Candidate {
            id: None,
            kind: self.kind,
            claims: self
                .claims
                .iter()
                .map(|claim| (claim.index, claim.op))
                .collect(),
            unclaimed: (self.claims.iter())
                .filter(|claim| claim.index.is_none())
                .map(|claim| claim.name.clone())
                .collect(),
            hold: self.submission.hold,
            accepted: None,
            arrival: 0,
            let_out_of: SmallVec::new(),
        }
    }
}

impl Core {
    /// Checks a submission. `items` is the number of items in its group, 0 outside of groups.
    pub(crate) fn prepare(
        &self,
        submission: Submission,
        items: usize,
    ) -> Result<Prepared, Refusal> {
        let Some(kind_id) = self.state.kinds.find(&submission.kind) else {
            return Err(Refusal::UnknownKind {
                kind: submission.kind,
                known: self.state.kinds.names(),
            });
        };
        let kind = self.state.kinds.get(kind_id).kind.clone();
        check_sizes(&submission)?;
        let claims = self.prepare_claims(&submission, kind.op)?;
        self.check_quota_claims(&kind, &claims)?;
        let priority = submission.priority.unwrap_or(kind.priority);
        if priority > limits::PRIORITY_MAX {
            return Err(bad("priority", "it must be from 0 to 9"));
        }
        let now = self.state.now.wall;
        let due = match submission.due {
            Some(Due::At(at)) => Some(at),
            Some(Due::In(ms)) => Some(now.plus(checked_ms("due", ms)?)),
            None => None,
        };
        let due = due.filter(|due| *due > now && !self.bug(Bug::DueIgnored));
        if due.is_some_and(|due| due.since(now) > limits::DURATION_MS_MAX) {
            return Err(bad("due", "it must be within ten years"));
        }
        let start_by = match submission.start_within_ms {
            Some(ms) => Some(due.unwrap_or(now).plus(checked_ms("start_within", ms)?)),
            None => None,
        };
        if submission.if_busy == IfBusy::Reject && (due.is_some() || !submission.after.is_empty()) {
            return Err(bad(
                "if_busy",
                "only a task that is due at once can be rejected if busy",
            ));
        }
        let append = (kind.coalesce.as_ref()).is_some_and(|c| c.payload == PayloadRule::Append);
        if append && !submission.payload.is_empty() && !submission.payload.is_json_array() {
            return Err(bad(
                "payload",
                "its kind appends payloads, so it must be a JSON array",
            ));
        }
        let coalesces = kind.coalesce.is_some()
            && submission.after.is_empty()
            && start_by.is_none()
            && !submission.hold;
        let parent = match submission.parent {
            Some(token) => Some(self.prepare_parent(token, &claims)?),
            None => None,
        };
        let mut prepared = Prepared {
            submission,
            kind: kind_id,
            claims,
            priority,
            coalesces,
            due,
            start_by,
            after: Vec::new(),
            after_items: Vec::new(),
            failed_dependency: None,
            parent,
        };
        self.prepare_after(&mut prepared, items)?;
        Ok(prepared)
    }

    fn prepare_claims(
        &self,
        submission: &Submission,
        kind_op: Op,
    ) -> Result<SmallVec<[PreparedClaim; 1]>, Refusal> {
        let mut claims: SmallVec<[PreparedClaim; 1]> = (submission.claims.iter())
            .map(|claim| PreparedClaim {
                name: claim.resource.clone(),
                op: claim.op.unwrap_or(kind_op),
                index: self.state.resources.find(&claim.resource),
                earlier: None,
            })
            .collect();
        claims.sort_by(|one, other| one.name.cmp(&other.name));
        match claims.windows(2).find(|pair| pair[0].name == pair[1].name) {
            Some(pair) => Err(Refusal::DuplicateResource {
                resource: pair[0].name.clone(),
            }),
            None => Ok(claims),
        }
    }

    /// A quota per resource of a type needs exactly one such resource.
    fn check_quota_claims(
        &self,
        kind: &words::Kind,
        claims: &[PreparedClaim],
    ) -> Result<(), Refusal> {
        for used in &kind.quotas {
            let Some(quota) =
                (self.state.quotas.find(&used.quota)).and_then(|id| self.state.quotas.get(id))
            else {
                continue;
            };
            if let Scope::Per(resource_type) = &quota.scope {
                let of_type =
                    |claim: &&PreparedClaim| claim.name.resource_type() == resource_type.as_str();
                if claims.iter().filter(of_type).count() != 1 {
                    return Err(Refusal::QuotaNeedsOneResource {
                        quota: used.quota.clone(),
                        resource_type: resource_type.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// A child may not claim what a live ancestor holds: it would wait for its own parent.
    fn prepare_parent(&self, token: Token, claims: &[PreparedClaim]) -> Result<TaskId, Refusal> {
        let parent = self.state.runs.get(&token).ok_or(Refusal::StaleToken)?.task;
        if self.bug(Bug::ChildNotChecked) {
            return Ok(parent);
        }
        let mut above = Some(parent);
        for depth in 0.. {
            let Some(task) = above.and_then(|id| self.state.find_task(id)) else {
                break;
            };
            if depth == limits::ANCESTORS_MAX {
                return Err(too_many("ancestors", limits::ANCESTORS_MAX));
            }
            for held in task.claims.iter().filter(|_| task.is_running()) {
                let clash = |claim: &&PreparedClaim| {
                    claim.index == Some(held.resource) && claim.op.conflicts(held.op)
                };
                if let Some(claim) = claims.iter().find(clash) {
                    return Err(Refusal::ConflictsWithAncestor {
                        ancestor: task.id,
                        resource: claim.name.clone(),
                    });
                }
            }
            above = task.extra().parent;
        }
        Ok(parent)
    }

    fn prepare_after(&self, prepared: &mut Prepared, items: usize) -> Result<(), Refusal> {
        for after in &prepared.submission.after {
            match *after {
                After::Item(item) if item < items => prepared.after_items.push(item),
                After::Item(_) => return Err(bad("after", "there is no such item in the group")),
                After::Task(id) => match self.state.find_task(id) {
                    Some(task) => prepared.after.push(task.id),
                    None => match self.state.tasks.outcome(id) {
                        Some(Outcome::Succeeded) => {}
                        Some(_) => prepared.failed_dependency = Some(id),
                        None => return Err(Refusal::UnknownTask(id)),
                    },
                },
            }
        }
        prepared.after.sort();
        prepared.after.dedup();
        if self.bug(Bug::DependencyNotAwaited) {
            prepared.after.clear();
        }
        Ok(())
    }
}

fn check_sizes(submission: &Submission) -> Result<(), Refusal> {
    if submission.claims.len() > limits::CLAIMS_MAX {
        return Err(too_many("claims", limits::CLAIMS_MAX));
    }
    if submission.after.len() > limits::AFTER_MAX {
        return Err(too_many("tasks in after", limits::AFTER_MAX));
    }
    if submission.tags.len() > limits::TAGS_MAX {
        return Err(too_many("tags", limits::TAGS_MAX));
    }
    if submission.payload.len() > limits::PAYLOAD_BYTES_MAX {
        return Err(too_many("bytes of payload", limits::PAYLOAD_BYTES_MAX));
    }
    let trace_bytes = submission.trace.as_ref().map_or(0, |trace| trace.len());
    if trace_bytes > limits::TRACE_BYTES_MAX {
        return Err(too_many("bytes of trace", limits::TRACE_BYTES_MAX));
    }
    Ok(())
}

pub(crate) fn bad(field: &'static str, why: &'static str) -> Refusal {
    Refusal::BadValue { field, why }
}

pub(crate) fn too_many(what: &'static str, max: usize) -> Refusal {
    Refusal::TooMany {
        what,
        max: max as u64,
    }
}

/// A length of time within the limit.
pub(crate) fn checked_ms(field: &'static str, ms: u64) -> Result<u64, Refusal> {
    if ms > limits::DURATION_MS_MAX {
        return Err(bad(field, "it must be at most ten years"));
    }
    Ok(ms)
}

/// Cuts a text that is too long, between two characters.
pub(crate) fn shorten(text: &mut Box<str>, bytes_max: usize) {
    if text.len() > bytes_max {
        let end = text.floor_char_boundary(bytes_max);
        *text = text[..end].into();
    }
}
