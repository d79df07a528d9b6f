//! The one admission function: every submission passes here, whatever path it came by.

use super::barrier::is_possible_behind;
use super::gates::Candidate;
use super::prepare::Prepared;
use crate::Core;
use crate::event::{Admitted, EndWhy, Event, Stage, Sweep};
use crate::refusal::Refusal;
use crate::reply::{Answer, LineLength, Reason, Report, Verdict};
use crate::state::task::{Key, Task};
use crate::words::{GroupId, IfBusy, KindId, Name, Outcome, TaskId, Wall};

/// Where a submission would go, and why it could not start at once.
pub(crate) struct Judged {
    to: Stage,
    spot: crate::event::Spot,
    reasons: Vec<Reason>,
}

impl Judged {
    /// It would come to its resources at once, and so decide their future if it is a lifecycle
    /// task.
    pub(crate) fn comes_at_once(&self) -> bool {
        matches!(self.to, Stage::InLine | Stage::Outside(_))
    }

    /// The same, but not to come to its resources yet.
    pub(crate) fn put_off(self, until: Wall) -> Self {
        Self {
            to: Stage::Scheduled { until },
            ..self
        }
    }
}

/// By what path a submission came.
#[derive(Clone, Default)]
pub(crate) struct Path {
    pub(crate) group: Option<GroupId>,
    pub(crate) schedule: Option<Name>,
    /// The first number that the items of the group drew: they cancel only what came before.
    pub(crate) before: Option<TaskId>,
}

impl Core {
    /// Judges a submission that joins no other. Changes nothing.
    pub(crate) fn judge(&self, prepared: &Prepared) -> Result<Judged, Answer> {
        self.check_caps(prepared, 1).map_err(Answer::Refused)?;
        if let Some(on) = prepared.failed_dependency {
            let reasons = vec![Reason::DependencyFailed { on }];
            return Err(Answer::Rejected { reasons });
        }
        let candidate = prepared.candidate();
        if let Some(reason) = self.decided_against(prepared, &candidate) {
            let reasons = vec![reason];
            return Err(Answer::Rejected { reasons });
        }
        let to = self.first_stage(prepared, &candidate);
        let now = self.state.now.elapsed;
        let rank = self.rank(now, prepared.priority);
        let spot = self.spot(&candidate, now, rank, &to);
        let key = Key {
            rank: spot.rank,
            place: spot.place,
            task: TaskId(self.state.next_task),
        };
        let reasons = match &to {
            Stage::Dependent => self.dependent_reasons(prepared),
            stage => self.reasons(&candidate, stage, &key),
        };
        let busy = reasons.iter().any(is_busy);
        if prepared.submission.if_busy == IfBusy::Reject && busy {
            return Err(Answer::Rejected { reasons });
        }
        Ok(Judged { to, spot, reasons })
    }

    /// Why the future of a resource makes a submission impossible.
    fn decided_against(&self, prepared: &Prepared, candidate: &Candidate) -> Option<Reason> {
        if !prepared.is_immediate() {
            return None;
        }
        let by_item = prepared.claims.iter().find_map(|claim| {
            let (item, op) = claim.earlier?;
            let resource = claim.name.clone();
            (!is_possible_behind(claim.op, op)).then_some(Reason::EarlierItem {
                resource,
                item,
                op,
            })
        });
        // Where an item of the group comes last, it alone decides.
        let claims = (candidate.claims.iter().zip(&prepared.claims))
            .filter(|(_, claim)| claim.earlier.is_none())
            .map(|(found, _)| *found)
            .collect();
        let candidate = Candidate {
            claims,
            ..prepared.candidate()
        };
        by_item.or_else(|| {
            let (resource, by, op) = self.future_against(&candidate)?;
            let by = self.brief(by);
            Some(Reason::FutureDecided { resource, by, op })
        })
    }

    fn first_stage(&self, prepared: &Prepared, candidate: &Candidate) -> Stage {
        if !prepared.after.is_empty() {
            return Stage::Dependent;
        }
        if let Some(until) = prepared.due {
            return Stage::Scheduled { until };
        }
        let coalesce = &self.state.kinds.get(prepared.kind).kind.coalesce;
        let gather_ms = coalesce.as_ref().map_or(0, |coalesce| coalesce.gather_ms);
        if prepared.coalesces && gather_ms > 0 {
            let until = self.state.now.elapsed.plus(gather_ms);
            return Stage::Gathering { until };
        }
        self.gate(candidate, self.state.next_place)
    }

    fn dependent_reasons(&self, prepared: &Prepared) -> Vec<Reason> {
        (prepared.after.iter())
            .take(crate::limits::REASONS_MAX)
            .map(|on| match self.state.tasks.get(*on) {
                Some(_) => Reason::Dependent {
                    on: self.brief(*on),
                },
                None => Reason::DependencyFailed { on: *on },
            })
            .collect()
    }

    /// Back-pressure: `more` is how many tasks would be added.
    pub(crate) fn check_caps(&self, prepared: &Prepared, more: u64) -> Result<(), Refusal> {
        let state = &self.state;
        let max = state.namespace.waiting_max;
        if state.waiting() + more > max {
            return Err(Refusal::NamespaceFull { max });
        }
        let kind = state.kinds.get(prepared.kind);
        let waiting = kind.tasks.len() as u64 - kind.running;
        if let Some(max) = kind.kind.waiting_max
            && waiting + more > max
        {
            let kind = kind.kind.name.clone();
            return Err(Refusal::KindFull { kind, max });
        }
        let max = state.namespace.waiting_per_resource_max;
        for claim in &prepared.claims {
            let Some(index) = claim.index else { continue };
            let resource = state.resources.get(index);
            let waiting = (resource.tasks.len() - resource.holders.len()) as u64;
            if waiting + more > max {
                let resource = claim.name.clone();
                return Err(Refusal::ResourceFull { resource, max });
            }
        }
        Ok(())
    }

    /// The report of a submission that was judged but not admitted.
    pub(crate) fn report_judged(&self, prepared: &Prepared, judged: Judged) -> Report {
        // What the lines would be with it.
        let one = u64::from(judged.comes_at_once());
        let lines = prepared.claims.iter().map(|claim| {
            let resource = claim.index.map(|index| self.state.resources.get(index));
            LineLength {
                resource: claim.name.clone(),
                waiting: resource.map_or(0, |resource| resource.line_length()) + one,
            }
        });
        report(None, judged.reasons, lines.collect(), 1)
    }

    /// Makes a task of a submission that was judged.
    pub(crate) fn admit(&mut self, prepared: Prepared, judged: Judged, path: &Path) -> Report {
        let id = TaskId(self.state.next_task);
        let Prepared {
            submission,
            kind,
            claims,
            priority,
            coalesces,
            due,
            start_by,
            after,
            parent,
            ..
        } = prepared;
        let report = report(Some(id), judged.reasons, Vec::new(), 1);
        let verdict = report.verdict;
        self.emit(Event::Admitted(Box::new(Admitted {
            task: id,
            kind,
            claims: claims
                .into_iter()
                .map(|claim| (claim.name, claim.op))
                .collect(),
            payload: submission.payload,
            priority,
            key: submission.key,
            coalesces,
            due,
            start_by,
            after,
            hold: submission.hold,
            tags: submission.tags,
            group: path.group,
            parent,
            schedule: path.schedule.clone(),
            retry_of: submission.retry_of,
            trace: submission.trace,
            verdict,
            to: judged.to,
            spot: judged.spot,
        })));
        let lines = self.line_lengths(self.state.task(id));
        self.check_dependencies(id);
        Report { lines, ..report }
    }

    /// A task that was cancelled by the very submission that depends on it can't succeed any more.
    fn check_dependencies(&mut self, id: TaskId) {
        let after = &self.state.task(id).extra().after;
        let gone = after.iter().find(|on| self.state.tasks.get(**on).is_none());
        if let Some(&on) = gone {
            let why = EndWhy::DependencyFailed { on };
            self.end_waiting(id, Outcome::Cancelled, why);
        }
    }

    /// The report of a submission that joined a task.
    pub(crate) fn report_joined(&self, into: TaskId) -> Report {
        let task = self.state.task(into);
        let lines = self.line_lengths(task);
        let mut reasons = self.reasons_of(into);
        reasons.retain(|reason| *reason != Reason::Ready);
        report(Some(into), reasons, lines, u64::from(task.stands_for))
    }

    /// Every submission of a kind with `cancels` calls off earlier tasks of those kinds on the
    /// same resources, before it is told what stands in its way. Returns whether there were any.
    pub(crate) fn cancel_earlier(
        &mut self,
        prepared: &Prepared,
        by: TaskId,
        before: TaskId,
    ) -> bool {
        let cancels = &self.state.kinds.get(prepared.kind).kind.cancels;
        let named = cancels
            .iter()
            .filter_map(|name| self.state.kinds.find(name));
        let kinds: Vec<KindId> = named.collect();
        if kinds.is_empty() {
            return false;
        }
        let sweeps = self.state.next_sweep;
        for claim in &prepared.claims {
            self.begin_sweep(Sweep::CancelOnResource {
                resource: claim.name.clone(),
                kinds: kinds.clone(),
                after: TaskId(0),
                before,
                spare_creates: false,
                why: EndWhy::CancelledBy { by },
            });
        }
        let any = self.state.next_sweep > sweeps;
        if any {
            self.settle_tasks();
        }
        any
    }

    fn line_lengths(&self, task: &Task) -> Vec<LineLength> {
        let resources = (task.claims.iter()).map(|claim| self.state.resources.get(claim.resource));
        resources
            .map(|resource| LineLength {
                resource: resource.name.clone(),
                waiting: resource.line_length(),
            })
            .collect()
    }
}

fn report(
    task: Option<TaskId>,
    reasons: Vec<Reason>,
    lines: Vec<LineLength>,
    stands_for: u64,
) -> Report {
    Report {
        task,
        verdict: if reasons.is_empty() {
            Verdict::Accepted
        } else {
            Verdict::Postponed
        },
        reasons,
        lines,
        stands_for,
        repeated: false,
    }
}

/// Something conflicting is running or ahead.
fn is_busy(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::HeldBy { .. }
            | Reason::Ahead { .. }
            | Reason::Behind { .. }
            | Reason::Doomed { .. }
    )
}
