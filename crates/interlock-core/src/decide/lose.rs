//! A run is lost: its lease ended, or another process took over. Not a failure, and no try burnt.

use crate::Core;
use crate::bugs::Bug;
use crate::event::{EndWhy, RunEnd, Spot, Then};
use crate::reply::StopWhy;
use crate::words::{OnLoss, Outcome, Token};

impl Core {
    pub(crate) fn lose(&mut self, token: Token) {
        let session = self.state.runs[&token].session;
        let (how, then) = self.lost(token);
        self.end_run(token, how, then);
        // A lost worker gets no new work until it registers again.
        self.answer_parked(session, Vec::new());
    }

    fn lost(&self, token: Token) -> (RunEnd, Then) {
        if let Some(called_off) = self.called_off(token, true) {
            return called_off;
        }
        let run = &self.state.runs[&token];
        if matches!(&run.stop, Some(stop) if stop.why == StopWhy::TooLong) {
            return self.too_long(token, true);
        }
        let task = self.state.task(run.task);
        let then = match self.state.kinds.get(task.kind).kind.on_loss {
            OnLoss::Cancel => self.done(run.task, Outcome::Cancelled, EndWhy::WorkerLost),
            OnLoss::Retry { losses_max } if task.losses >= losses_max => {
                self.done(run.task, Outcome::Failed, EndWhy::WorkerLost)
            }
            OnLoss::Retry { .. } => {
                let (to, spot) = self.old_place(run.task);
                let spot = if self.bug(Bug::LossLosesPlace) {
                    Spot {
                        rank: self.rank(self.state.now.elapsed, task.priority),
                        place: self.state.next_place,
                        ..spot
                    }
                } else {
                    spot
                };
                Then::Wait { to, spot }
            }
        };
        (RunEnd::Lost, then)
    }
}
