//! `bump`: raises the priority of a waiting task. Only upwards, since a task that lost rank could
//! fall behind a barrier that came after it.

use super::prepare::bad;
use crate::Core;
use crate::event::Event;
use crate::limits;
use crate::refusal::Refusal;
use crate::words::{Name, TaskId};

impl Core {
    pub(crate) fn bump(
        &mut self,
        task: TaskId,
        priority: u8,
        by: Option<Name>,
    ) -> Result<(), Refusal> {
        let id = self.find_live(task)?;
        let found = self.state.task(id);
        if found.is_running() {
            return Err(Refusal::Running(id));
        }
        if priority > limits::PRIORITY_MAX || priority <= found.priority {
            return Err(bad(
                "priority",
                "it must be higher than the task's, and at most 9",
            ));
        }
        // A lifecycle task that has stood in line keeps its spot: others are ordered by it.
        let rank = if found.is_at_work() {
            found.spot.rank
        } else {
            found.spot.rank.min(self.rank(found.spot.since, priority))
        };
        self.emit(Event::Bumped {
            task: id,
            priority,
            rank,
            by,
        });
        Ok(())
    }
}
