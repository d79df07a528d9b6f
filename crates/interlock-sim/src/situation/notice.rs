//! Notices situations in what the observer sees.

use super::{Situation, Situations};
use crate::oracle::{Ledger, Step, TaskRow};
use interlock_core::event::{Admitted, EndWhy, Event, Fired, RunEnd, RunEnded, Stage, Then};
use interlock_core::reply::{Answer, Finished, Order, Reason, Spending, StopWhy, Taken};
use interlock_core::words::{Limit, Op, Outcome, Timing, Token};
use interlock_core::{Command, Refusal, Reply};

impl Situations {
    /// Before an event is folded.
    pub fn event(&mut self, ledger: &Ledger, step: &Step, event: &Event) {
        match event {
            Event::Admitted(admitted) => self.admitted(ledger, admitted),
            Event::Merged { into, .. } => match ledger.tasks.get(into).map(|task| &task.stage) {
                Some(Stage::Retrying { .. }) => self.reach(Situation::MergedIntoRetry),
                Some(Stage::Gathering { .. }) => self.reach(Situation::MergedWhileGathering),
                _ => {}
            },
            Event::Folded { from, into, .. } => {
                let stage = |id| ledger.tasks.get(id).map(|task: &TaskRow| &task.stage);
                if matches!(stage(from), Some(Stage::Scheduled { .. })) {
                    self.reach(Situation::ScheduledFolded);
                } else if matches!(stage(into), Some(Stage::Retrying { .. })) {
                    self.reach(Situation::RetryMeetsFollowUp);
                }
            }
            Event::Moved { task, to, .. } => self.moved(ledger, ledger.tasks.get(task), to),
            Event::SetAside { .. } => self.reach(Situation::SetAside),
            Event::LastRun { .. } => self.reach(Situation::LastRun),
            Event::StopAsked { why, .. } => self.reach(match why {
                StopWhy::TooLong => Situation::RanTooLong,
                StopWhy::Cancelled => Situation::CancelRunning,
            }),
            Event::Ended { task, why, .. } => self.ended(ledger.tasks.get(task), why),
            Event::RunEnded(ended) => self.run_ended(ledger, step, ended),
            Event::QuotaPaused { until, .. } if *until > step.at.elapsed => {
                self.reach(Situation::QuotaPause);
            }
            Event::QuotaSet { id, quota } => self.quota_set(ledger, *id, &quota.limits),
            Event::KindSet { id, .. } if ledger.tasks.values().any(|task| task.kind == *id) => {
                self.reach(Situation::PolicyChanged);
            }
            Event::Opened { .. } => {
                let twice = |token: &Token| ledger.runs[token].granted_at_open.is_some();
                if ledger.deadlines.iter().any(|(_, token)| twice(token)) {
                    self.reach(Situation::SecondOpen);
                }
            }
            Event::ScheduleFired { name, fired, .. } => self.fired(ledger, step, name, fired),
            Event::Drained { .. } => self.reach(Situation::Drained),
            Event::HoldSet { held: false, .. } => self.reach(Situation::HoldReleased),
            _ => {}
        }
    }

    fn admitted(&mut self, ledger: &Ledger, admitted: &Admitted) {
        let Some((resource, _)) = admitted.claims.first() else {
            return;
        };
        for (resource, op) in &admitted.claims {
            let chain = ledger
                .resources
                .get(resource)
                .map_or(0, |row| row.chain.len());
            if op.is_lifecycle() && chain > 0 {
                self.reach(Situation::ChainOfTwo);
            }
        }
        let Some(row) = ledger
            .resources
            .get(resource)
            .filter(|_| admitted.coalesces)
        else {
            return;
        };
        for id in &row.tasks {
            let task = &ledger.tasks[id];
            let same = task.coalesces
                && task.kind == admitted.kind
                && task.key == admitted.key
                && task.claims[..] == admitted.claims[..];
            if same && task.is_running() {
                self.reach(Situation::FollowUp);
            } else if same && !matches!(task.stage, Stage::Scheduled { .. }) {
                self.reach(Situation::MergeRefusedAcrossBarrier);
            }
        }
    }

    fn moved(&mut self, ledger: &Ledger, task: Option<&TaskRow>, to: &Stage) {
        let Some(task) = task else {
            return;
        };
        let creates = task.claims.iter().any(|(_, op)| *op == Op::Create);
        match (&task.stage, to) {
            (Stage::NoWorker, _) => self.reach(Situation::NoWorkerLeft),
            (_, Stage::NoWorker) => self.reach(Situation::NoWorkerReached),
            (_, Stage::Throttled { .. }) if creates => self.reach(Situation::ParkedCreate),
            (Stage::Outside(behind), Stage::InLine) if behind.iter().any(|b| b.doomed) => {
                self.reach(Situation::DoomedJoins);
            }
            _ => {}
        }
        if matches!(to, Stage::Retrying { .. }) && self.has_behind(ledger, task) {
            self.reach(Situation::LifecycleRetries);
        }
    }

    fn has_behind(&self, ledger: &Ledger, task: &TaskRow) -> bool {
        task.claims
            .iter()
            .filter(|(_, op)| op.is_lifecycle())
            .any(|(resource, _)| {
                ledger.resources.get(resource).is_some_and(|row| {
                    row.tasks
                        .iter()
                        .any(|id| matches!(ledger.tasks[id].stage, Stage::Outside(_)))
                })
            })
    }

    fn ended(&mut self, task: Option<&TaskRow>, why: &EndWhy) {
        if task.is_some_and(|task| task.set_aside) {
            self.reach(Situation::SetAsideCancelled);
        }
        match why {
            EndWhy::ResourceDeleted { .. } => {
                self.reach(Situation::DeleteCancels);
                if let Some(Stage::Outside(behind)) = task.map(|task| &task.stage)
                    && behind.iter().any(|b| b.doomed)
                {
                    self.reach(Situation::DoomedCancelled);
                }
            }
            EndWhy::ResourceNotCreated { .. } => self.reach(Situation::CreateCancels),
            EndWhy::DependencyFailed { .. } => self.reach(Situation::DependencyFailed),
            EndWhy::FutureDecided { .. } => self.reach(Situation::FutureDecided),
            EndWhy::CancelledBy { .. } => self.reach(Situation::CancelledByKind),
            EndWhy::NotStartedInTime => self.reach(Situation::NotStartedInTime),
            _ => {}
        }
    }

    fn run_ended(&mut self, ledger: &Ledger, step: &Step, ended: &RunEnded) {
        let Some(run) = ledger.run(ended.token) else {
            return;
        };
        let Some(task) = ledger.tasks.get(&run.task) else {
            return;
        };
        match &ended.how {
            RunEnd::Succeeded { .. } if run.stop.is_some_and(|(w, _)| w == StopWhy::Cancelled) => {
                self.reach(Situation::CancelButSuccess);
            }
            RunEnd::Returned => self.reach(Situation::HandOutReturned),
            RunEnd::Released if matches!(step.command, Some(Command::Goodbye { .. })) => {
                self.reach(Situation::GoodbyeReleases);
            }
            RunEnd::Lost => {
                if matches!(&step.command, Some(Command::Register(register)) if register.takeover) {
                    self.reach(Situation::Takeover);
                }
                if run.slices.values().any(|units| *units > 0) {
                    self.reach(Situation::SliceLost);
                }
            }
            _ => {}
        }
        let deletes = task.claims.iter().any(|(_, op)| *op == Op::Delete);
        match &ended.then {
            Then::Done { outcome, .. }
                if deletes && *outcome != Outcome::Succeeded && self.has_behind(ledger, task) =>
            {
                self.reach(Situation::DeleteFails);
            }
            Then::Done {
                why: EndWhy::WorkerLost,
                outcome: Outcome::Failed,
                ..
            } => self.reach(Situation::LossesCapped),
            Then::Done {
                why: EndWhy::Failure { .. },
                ..
            } if task.tries > 0 => self.reach(Situation::WindowEnded),
            Then::Wait {
                to: Stage::Retrying { .. },
                ..
            } if self.has_behind(ledger, task) => self.reach(Situation::LifecycleRetries),
            _ => {}
        }
    }

    fn quota_set(&mut self, ledger: &Ledger, id: interlock_core::words::QuotaId, limits: &[Limit]) {
        let most = limits.iter().find_map(|limit| match limit {
            Limit::AtOnce(units) => Some(*units),
            Limit::Window { .. } => None,
        });
        let live = ledger
            .deadlines
            .iter()
            .map(|(_, token)| &ledger.runs[token]);
        let held: u64 = live
            .flat_map(|run| {
                let charges = run
                    .charges
                    .iter()
                    .map(|(name, units)| (name, u64::from(*units)));
                charges.chain(run.permits.iter().map(|(name, units)| (name, *units)))
            })
            .filter(|(instance, _)| instance.quota == id)
            .map(|(_, units)| units)
            .sum();
        if most.is_some_and(|most| held > most) {
            self.reach(Situation::LimitLowered);
        }
    }

    fn fired(
        &mut self,
        ledger: &Ledger,
        step: &Step,
        name: &interlock_core::words::Name,
        fired: &Fired,
    ) {
        if matches!(fired, Fired::StillLive { .. }) {
            self.reach(Situation::ScheduleStillLive);
        }
        let Some(row) = ledger.schedules.get(name) else {
            return;
        };
        if let (Timing::Every { every_ms, .. }, Some(next)) = (&row.schedule.timing, row.next)
            && step.at.wall.since(next) > *every_ms
        {
            self.reach(Situation::ScheduleLate);
        }
    }

    /// After a decision is folded.
    pub fn step(&mut self, ledger: &Ledger, step: &Step) {
        match &step.reply {
            Reply::Beaten(answers) if answers.iter().any(|a| a.order == Order::Gone) => {
                self.reach(Situation::ZombieBeats);
            }
            Reply::Finished(answers) => self.finished(ledger, step, answers),
            Reply::Taken(taken) => self.taken(ledger, step, taken),
            Reply::Submitted { answers, .. } => self.submitted(step, answers),
            Reply::Spent(Spending::Wait { .. }) => self.reach(Situation::PermitWaits),
            Reply::Refused(refusal) => self.refused(step, refusal),
            Reply::Done if matches!(step.command, Some(Command::CancelGroup { .. })) => {
                self.reach(Situation::GroupCancelled);
            }
            _ => {}
        }
    }

    fn finished(&mut self, ledger: &Ledger, step: &Step, answers: &[Result<Finished, Refusal>]) {
        let Some(Command::Finish { finishes, .. }) = &step.command else {
            return;
        };
        for (finish, answer) in finishes.iter().zip(answers) {
            let ended_now = step.events().iter().any(
                |event| matches!(event, Event::RunEnded(ended) if ended.token == finish.token),
            );
            match answer {
                Ok(_) if !ended_now && ledger.run(finish.token).is_none() => {
                    self.reach(Situation::FinishRepeated);
                }
                Err(Refusal::StaleToken) => self.reach(Situation::ZombieFinishes),
                _ => {}
            }
        }
    }

    fn taken(&mut self, ledger: &Ledger, step: &Step, taken: &Taken) {
        let earlier = |token: Token| token.position < step.position() || step.record.is_none();
        if taken
            .hand_outs
            .iter()
            .any(|h| earlier(h.token) && ledger.run(h.token).is_some())
        {
            self.reach(Situation::TakeRepeated);
        }
    }

    fn submitted(&mut self, step: &Step, answers: &[Answer]) {
        let group = matches!(&step.command, Some(Command::Submit(submit)) if submit.group);
        for answer in answers {
            match answer {
                Answer::Admitted(report) | Answer::Coalesced(report) if report.repeated => {
                    self.reach(Situation::IdempotentRepeat);
                }
                Answer::Refused(Refusal::IdempotencyMismatch { .. }) => {
                    self.reach(Situation::IdempotencyMismatch);
                }
                Answer::Refused(Refusal::ConflictsWithAncestor { .. }) => {
                    self.reach(Situation::ChildRefused);
                }
                Answer::Refused(_) | Answer::Rejected { .. } if group => {
                    self.reach(Situation::GroupRefused);
                }
                Answer::Rejected { reasons }
                    if reasons
                        .iter()
                        .any(|r| matches!(r, Reason::FutureDecided { .. })) =>
                {
                    self.reach(Situation::FutureRejected);
                }
                _ => {}
            }
        }
    }

    fn refused(&mut self, step: &Step, refusal: &Refusal) {
        match refusal {
            Refusal::NameInUse { .. } => self.reach(Situation::NameInUse),
            Refusal::SessionLost => self.reach(Situation::SessionLost),
            Refusal::StaleTake { .. } => self.reach(Situation::StaleTake),
            Refusal::StandsForSeveral { .. } => self.reach(Situation::StandsForSeveral),
            Refusal::StaleToken if matches!(step.command, Some(Command::Spend(_))) => {
                self.reach(Situation::ZombieSpends);
            }
            _ => {}
        }
    }
}
