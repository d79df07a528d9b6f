//! `cancel`: a waiting task ends at once; a running one when its worker has stopped.

use crate::Core;
use crate::bugs::Bug;
use crate::event::{EndWhy, Event, Stage, Sweep};
use crate::refusal::Refusal;
use crate::reply::{Reply, StopWhy};
use crate::words::{GroupId, Name, Outcome, TaskId};

impl Core {
    pub(crate) fn cancel(
        &mut self,
        task: TaskId,
        all: bool,
        by: Option<Name>,
    ) -> Result<Reply, Refusal> {
        let id = self.find_live(task)?;
        let found = self.state.task(id);
        if found.stands_for > 1 && !all {
            return Err(Refusal::StandsForSeveral {
                task: id,
                count: u64::from(found.stands_for),
            });
        }
        let running = found.is_running();
        self.cancel_found(id, by);
        Ok(Reply::Cancelling { running })
    }

    /// Cancels a live task.
    pub(crate) fn cancel_found(&mut self, id: TaskId, by: Option<Name>) {
        let Stage::Running { token } = self.state.task(id).stage else {
            return self.end_waiting(id, Outcome::Cancelled, EndWhy::Asked { by });
        };
        let why = StopWhy::Cancelled;
        let stop = self.state.runs[&token].stop.as_ref();
        if stop.is_some_and(|stop| stop.why == why) {
            return;
        }
        self.emit(Event::StopAsked {
            token,
            task: id,
            why,
            by,
        });
        if self.bug(Bug::CancelFreesAtOnce)
            && let Some((how, then)) = self.called_off(token, false)
        {
            self.end_run(token, how, then);
        }
    }

    pub(crate) fn cancel_group(&mut self, group: GroupId, by: Option<Name>) -> Result<(), Refusal> {
        if !self.state.groups.contains_key(&group) {
            return Err(Refusal::UnknownGroup(group.0));
        }
        self.begin_sweep(Sweep::CancelGroup { group, by });
        Ok(())
    }

    /// The live task that an id leads to.
    pub(crate) fn find_live(&self, task: TaskId) -> Result<TaskId, Refusal> {
        if let Some(found) = self.state.find_task(task) {
            return Ok(found.id);
        }
        Err(match self.state.tasks.outcome(task) {
            Some(outcome) => Refusal::Ended { task, outcome },
            None => Refusal::UnknownTask(task),
        })
    }
}
