//! Why a task does not run, derived from where it is and who is around. The same function gives
//! the reasons of a verdict and of `explain`.

use super::gates::Candidate;
use crate::Core;
use crate::event::Stage;
use crate::limits;
use crate::reply::{Brief, Reason};
use crate::state::task::Key;
use crate::words::{ResourceName, TaskId};

impl Core {
    /// A task in a few words.
    pub(crate) fn brief(&self, id: TaskId) -> Brief {
        let task = self.state.task(id);
        let run = match task.stage {
            Stage::Running { token } => self.state.runs.get(&token),
            _ => None,
        };
        let session = run.and_then(|run| self.state.sessions.get(&run.session));
        let soft = run.and_then(|run| self.soft.runs.get(&run.token));
        Brief {
            task: id,
            kind: self.state.kinds.get(task.kind).kind.name.clone(),
            worker: session.map(|session| session.name.clone()),
            running_ms: run.map(|run| self.state.now.elapsed.since(run.started.elapsed)),
            progress: soft.and_then(|run| run.progress.clone()),
        }
    }

    /// Why a live task does not run; `Ready` if only a free worker is missing. At most
    /// [`limits::REASONS_MAX`], nearest first.
    pub(crate) fn reasons_of(&self, id: TaskId) -> Vec<Reason> {
        let task = self.state.task(id);
        if task.is_running() {
            return Vec::new();
        }
        let candidate = Candidate::of(task);
        let tries = task.tries;
        let reasons = match &task.stage {
            Stage::Dependent => (task.extra().after.iter())
                .take(limits::REASONS_MAX)
                .filter(|on| self.state.tasks.get(**on).is_some())
                .map(|on| Reason::Dependent {
                    on: self.brief(*on),
                })
                .collect(),
            Stage::Retrying { until } => vec![Reason::Retrying {
                until: *until,
                tries,
            }],
            Stage::Throttled { .. } => self.throttled(&candidate, &task.key()),
            stage => self.reasons(&candidate, stage, &task.key()),
        };
        if reasons.is_empty() {
            vec![Reason::Ready]
        } else {
            reasons
        }
    }

    /// Why a candidate would not run at once at this stage and spot.
    pub(crate) fn reasons(&self, candidate: &Candidate, stage: &Stage, key: &Key) -> Vec<Reason> {
        match stage {
            Stage::Scheduled { until } => vec![Reason::Scheduled { until: *until }],
            Stage::Gathering { until } => vec![Reason::Gathering { until: *until }],
            Stage::Held => (self.holds_on(candidate).into_iter())
                .take(limits::REASONS_MAX)
                .map(|what| Reason::Held { what })
                .collect(),
            Stage::NoWorker => vec![Reason::NoWorker {
                kind: self.state.kinds.get(candidate.kind).kind.name.clone(),
            }],
            Stage::Outside(behind) => (behind.iter())
                .take(limits::REASONS_MAX)
                .filter_map(|behind| self.behind_reason(candidate, behind))
                .collect(),
            Stage::InLine => {
                let mut reasons = self.line_reasons(candidate, key);
                if reasons.is_empty() {
                    reasons = self.throttled(candidate, key);
                }
                reasons
            }
            Stage::Dependent
            | Stage::Retrying { .. }
            | Stage::Throttled { .. }
            | Stage::Running { .. } => Vec::new(),
        }
    }

    fn behind_reason(
        &self,
        candidate: &Candidate,
        behind: &crate::event::Behind,
    ) -> Option<Reason> {
        let index = candidate.claims[behind.claim as usize].0?;
        let resource = self.state.resources.get(index);
        let barrier = resource.barrier.as_ref()?;
        let mut others = barrier.chain.range(..=behind.arrival);
        let other = others.rfind(|(_, (task, _))| Some(*task) != candidate.id);
        let Some((arrival, (task, _))) = other else {
            // The barrier has lifted, and those who came first are being let out.
            let mut first = barrier.room.iter().map(|key| key.task);
            let first = first.find(|task| Some(*task) != candidate.id)?;
            let (resource, by) = (resource.name.clone(), self.brief(first));
            return Some(Reason::Ahead { resource, by });
        };
        // Once the delete has ended otherwise, only those before it are in the way.
        let doomed = behind.doomed && *arrival == behind.arrival;
        let (resource, by) = (resource.name.clone(), self.brief(*task));
        Some(if doomed {
            Reason::Doomed { resource, by }
        } else {
            Reason::Behind { resource, by }
        })
    }

    /// Holders first, then the nearest conflicting tasks ahead.
    fn line_reasons(&self, candidate: &Candidate, key: &Key) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for (index, op) in &candidate.claims {
            let Some(index) = *index else { continue };
            let resource = self.state.resources.get(index);
            if resource.is_free_for(*op, key) {
                continue;
            }
            if !op.is_shared() || resource.held_exclusively {
                let room = limits::REASONS_MAX - reasons.len();
                reasons.extend(
                    (resource.holders.iter())
                        .take(room)
                        .map(|holder| Reason::HeldBy {
                            resource: resource.name.clone(),
                            by: self.brief(holder.task),
                        }),
                );
            }
            let room = limits::REASONS_MAX - reasons.len();
            let ahead = resource.ahead(*op, *key).take(room);
            reasons.extend(ahead.map(|ahead| Reason::Ahead {
                resource: resource.name.clone(),
                by: self.brief(ahead.task),
            }));
        }
        reasons
    }

    /// The names of a candidate's resources.
    pub(crate) fn resource_name(&self, index: crate::state::task::ResourceIx) -> ResourceName {
        self.state.resources.get(index).name.clone()
    }
}
