//! What the tasks of groups came after. The core forgets a dependency when it is met; people who look
//! at a group want to see how it hangs together until its end. In memory only, and of a fixed size.

use interlock_core::Record;
use interlock_core::event::Event;
use interlock_core::words::{GroupId, TaskId};
use std::collections::BTreeMap;

/// Dependencies that are remembered; of more, those of the oldest groups are forgotten.
const DEPENDENCIES_MAX: usize = 100_000;

/// Of one group: tasks, each with those that it came after.
type Order = Vec<(TaskId, Vec<TaskId>)>;

/// What the tasks of groups came after, by group.
#[derive(Default)]
pub struct Orders {
    groups: BTreeMap<GroupId, Order>,
    dependencies: usize,
}

impl Orders {
    /// Something was decided.
    pub(super) fn notice(&mut self, record: &Record) {
        for event in &record.events {
            if let Event::Admitted(admitted) = event
                && let Some(group) = admitted.group
                && !admitted.after.is_empty()
            {
                self.add(group, admitted.task, &admitted.after);
            }
        }
    }

    fn add(&mut self, group: GroupId, task: TaskId, after: &[TaskId]) {
        self.dependencies += after.len();
        let order = self.groups.entry(group).or_default();
        order.push((task, after.to_vec()));
        while self.dependencies > DEPENDENCIES_MAX {
            let Some((_, oldest)) = self.groups.pop_first() else {
                return;
            };
            let gone = oldest.iter().map(|(_, after)| after.len());
            self.dependencies -= gone.sum::<usize>();
        }
    }

    /// What a task of a group came after, as far as is known.
    pub fn after(&self, group: GroupId, task: TaskId) -> &[TaskId] {
        let order = self.groups.get(&group).map_or(&[][..], Vec::as_slice);
        // A group draws the numbers of its tasks in order.
        match order.binary_search_by_key(&task, |(task, _)| *task) {
            Ok(at) => &order[at].1,
            Err(_) => &[],
        }
    }

    /// All that is known of a group.
    pub fn of(&self, group: GroupId) -> Vec<(TaskId, Vec<TaskId>)> {
        self.groups.get(&group).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_came_after_is_remembered() {
        let mut orders = Orders::default();
        orders.add(GroupId(1), TaskId(5), &[TaskId(3), TaskId(4)]);
        orders.add(GroupId(1), TaskId(6), &[TaskId(5)]);
        assert_eq!(orders.after(GroupId(1), TaskId(5)), [TaskId(3), TaskId(4)]);
        assert_eq!(orders.after(GroupId(1), TaskId(3)), []);
        assert_eq!(orders.after(GroupId(2), TaskId(5)), []);
        assert_eq!(orders.of(GroupId(1)).len(), 2);
    }

    #[test]
    fn of_too_many_the_oldest_groups_are_forgotten() {
        let mut orders = Orders::default();
        let after = vec![TaskId(1); DEPENDENCIES_MAX / 2];
        for group in 1..=3 {
            orders.add(GroupId(group), TaskId(group + 10), &after);
        }
        assert_eq!(orders.of(GroupId(1)), []);
        assert_eq!(orders.of(GroupId(3)).len(), 1);
        assert_eq!(orders.dependencies, DEPENDENCIES_MAX);
    }
}
