//! Groups: all of it or none of it.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::event::Event;
use interlock_core::reply::Answer;
use interlock_core::words::TaskId;
use interlock_core::{Command, Reply};

/// Watches groups.
pub struct Groups;

impl Checker for Groups {
    fn name(&self) -> &'static str {
        "groups"
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        let Some(Command::Submit(submit)) = &step.command else {
            return;
        };
        if !submit.group {
            return;
        }
        // Whatever is admitted now comes from the group, but for what schedules submit.
        let own =
            |event: &&Event| matches!(event, Event::Admitted(task) if task.schedule.is_none());
        let admitted = step.events().iter().filter(own).count();
        let (let_in, group) = match &step.reply {
            Reply::Submitted { answers, group } => {
                let let_in: Vec<TaskId> = answers.iter().filter_map(id_of).collect();
                found.expect(
                    let_in.is_empty() || let_in.len() == submit.items.len(),
                    || format!("a group was let in by half: {answers:?}"),
                );
                (let_in, *group)
            }
            _ => (Vec::new(), None),
        };
        found.expect(let_in.is_empty() == group.is_none(), || {
            format!("a group of {} tasks has the id {group:?}", let_in.len())
        });
        found.expect(!let_in.is_empty() || admitted == 0, || {
            format!("a group was refused, but {admitted} of its tasks were admitted")
        });
        if let Some(tasks) = group.and_then(|group| ledger.groups.get(&group)) {
            found.expect(tasks.len() == submit.items.len(), || {
                format!(
                    "a group of {} items has the tasks {tasks:?}",
                    submit.items.len()
                )
            });
        }
    }
}

fn id_of(answer: &Answer) -> Option<TaskId> {
    match answer {
        Answer::Admitted(report) | Answer::Coalesced(report) => report.task,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, admitted};
    use crate::scenery::name;
    use interlock_core::Refusal;
    use interlock_core::command::Submit;
    use interlock_core::words::{GroupId, Submission};

    #[test]
    fn half_a_group_is_none() {
        let mut story = Story::new(Groups);
        let item = Submission::new(name("plain"), Vec::new());
        let submit = Command::Submit(Submit {
            items: vec![item.clone(), item],
            group: true,
            dry_run: false,
        });
        let mut task = admitted(1, &[]);
        task.group = Some(GroupId(1));
        let reply = Reply::Refused(Refusal::Cycle);
        story.decide(submit, reply, vec![Event::Admitted(Box::new(task))]);
        story.caught("1 of its tasks were admitted");
    }
}
