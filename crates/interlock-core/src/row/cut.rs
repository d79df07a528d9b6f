//! Gives out the rows that changed, exactly as of one position, while decisions go on: a row that is
//! about to change, or to go, is first given out as it was.

use super::export::task_is_gone;
use super::{Change, EndedTask};
use crate::Core;
use crate::state::State;
use crate::state::touched::Since;
use crate::words::TaskId;
use std::vec::IntoIter;

/// Rows that are being given out.
pub(crate) struct Cut {
    /// What its tasks are marked with.
    since: Since,
    /// Rows that were made already.
    made: Vec<Change>,
    gone: IntoIter<TaskId>,
    tasks: IntoIter<TaskId>,
}

impl Core {
    /// From now on it is noted which rows change. Before the first event of an empty namespace, or
    /// right after a restore, which begins it by itself.
    pub fn track_rows(&mut self) {
        self.state.touched.on = true;
        self.state.touched.since = Since::Even;
    }

    /// About how many rows have changed since the last cut.
    pub fn changed(&self) -> usize {
        self.state.touched.len()
    }

    /// About how many of these replace a row, or delete one.
    pub fn replaced(&self) -> usize {
        let touched = &self.state.touched;
        touched.replaced + touched.gone.len() + touched.others.len()
    }

    /// The tasks that ended since this was last asked.
    pub fn take_ended(&mut self) -> Vec<EndedTask> {
        std::mem::take(&mut self.state.touched.ended)
    }

    /// The rows that changed since the last cut, exactly as of [`Core::position`]. What was given out
    /// counts as stored.
    pub fn changes(&mut self) -> Vec<Change> {
        self.cut();
        self.next_changes(usize::MAX)
    }

    /// Begins to give out the rows that changed since the last cut, exactly as of
    /// [`Core::position`], whatever is decided before [`Core::next_changes`] has given out the last
    /// of them.
    ///
    /// # Panics
    /// If the last cut is not all given out.
    pub fn cut(&mut self) {
        let state = &mut self.state;
        assert!(state.touched.cut.is_none(), "one cut after the other");
        let mut tasks = std::mem::take(&mut state.touched.tasks);
        let mut gone = std::mem::take(&mut state.touched.gone);
        let others = std::mem::take(&mut state.touched.others);
        state.touched.replaced = 0;
        tasks.sort();
        gone.sort();
        let mut made = vec![state.namespace_change()];
        made.extend(others.iter().map(|key| state.change(key)));
        let since = state.touched.since;
        state.touched.since = since.next();
        state.touched.cut = Some(Cut {
            since,
            made,
            gone: gone.into_iter(),
            tasks: tasks.into_iter(),
        });
    }

    /// The next rows of the cut, so many or a few more; none if there is none, or no more of it.
    pub fn next_changes(&mut self, limit: usize) -> Vec<Change> {
        let state = &mut self.state;
        let Some(mut cut) = state.touched.cut.take() else {
            return Vec::new();
        };
        let mut changes = std::mem::take(&mut cut.made);
        let room = limit.saturating_sub(changes.len());
        let left = cut.gone.as_slice().len() + cut.tasks.as_slice().len();
        changes.reserve_exact(room.min(left));
        changes.extend(cut.gone.by_ref().take(room).map(task_is_gone));
        while changes.len() < limit
            && let Some(id) = cut.tasks.next()
        {
            // Otherwise it has ended, or was given out before it changed.
            if (state.tasks.get(id)).is_some_and(|task| task.touched == cut.since) {
                changes.push(state.task_change(id));
            }
        }
        if !cut.gone.as_slice().is_empty() || !cut.tasks.as_slice().is_empty() {
            state.touched.cut = Some(cut);
        }
        changes
    }

    /// Whether there is more of the cut to be given out.
    pub fn is_cutting(&self) -> bool {
        self.state.touched.cut.is_some()
    }
}

impl State {
    /// A task is about to change, or to go: its row is made now if the cut is still to give it out.
    pub(crate) fn keep_for_cut(&mut self, id: TaskId) {
        let Some(mut cut) = self.touched.cut.take() else {
            return;
        };
        if self.task(id).touched == cut.since {
            cut.made.push(self.task_change(id));
        }
        self.touched.cut = Some(cut);
    }
}
