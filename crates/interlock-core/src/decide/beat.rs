//! `beat`: a worker is alive and goes on with the runs that it names.

use super::prepare::{shorten, too_many};
use crate::Core;
use crate::command::{Beat, BeatRun, Progress};
use crate::event::Event;
use crate::limits;
use crate::refusal::Refusal;
use crate::reply::{Beaten, Order, Reply};
use crate::state::worker::Run;
use crate::words::{SessionId, Token};

impl Core {
    pub(crate) fn beat(&mut self, beat: Beat) -> Result<Reply, Refusal> {
        if !self.state.sessions.contains_key(&beat.session) {
            return Err(Refusal::StaleSession);
        }
        if beat.runs.len() > limits::RUNS_PER_CALL_MAX {
            return Err(too_many("runs", limits::RUNS_PER_CALL_MAX));
        }
        self.hear(beat.session);
        let session = beat.session;
        let beaten = (beat.runs.into_iter())
            .map(|run| self.beat_run(session, run))
            .collect();
        Ok(Reply::Beaten(beaten))
    }

    fn beat_run(&mut self, session: SessionId, beat: BeatRun) -> Beaten {
        let token = beat.token;
        if self.live_run(session, token).is_err() {
            return Beaten {
                token,
                order: Order::Gone,
                budgets: Vec::new(),
            };
        }
        if self.state.runs[&token].granted_afresh.is_some() {
            self.emit(Event::Beaten { token });
        }
        if let Some(run) = self.soft.runs.get_mut(&token) {
            run.beaten = true;
            let progress = beat.progress.map(shortened);
            run.progress = progress.or(run.progress.take());
        }
        self.report_use(token, beat.used);
        self.drop_permits(token, beat.dropped);
        let order = self.renew(token);
        let budgets = self.budget_news(token);
        Beaten {
            token,
            order,
            budgets,
        }
    }

    /// Renews a lease, unless the run was asked to stop and its grace is over.
    fn renew(&mut self, token: Token) -> Order {
        let run = &self.state.runs[&token];
        let now = self.state.now.elapsed;
        let grace_ms = self
            .state
            .kinds
            .get(self.state.task(run.task).kind)
            .kind
            .grace_ms;
        let order = match &run.stop {
            None => Order::GoOn,
            Some(stop) if now < stop.at.plus(grace_ms) => Order::Stop(stop.why),
            Some(stop) => return Order::Ending(stop.why),
        };
        let ends = now.plus(run.lease_ms);
        if let Some(run) = self.soft.runs.get_mut(&token) {
            run.lease_ends = ends;
        }
        order
    }

    /// The run of this session that a token names, if it is live.
    pub(crate) fn live_run(&self, session: SessionId, token: Token) -> Result<&Run, Refusal> {
        let run = self.state.runs.get(&token);
        run.filter(|run| run.session == session)
            .ok_or(Refusal::StaleToken)
    }
}

/// A progress report within the limit.
fn shortened(mut progress: Progress) -> Progress {
    for text in [&mut progress.unit, &mut progress.message] {
        shorten(text, limits::PROGRESS_BYTES_MAX);
    }
    progress
}
