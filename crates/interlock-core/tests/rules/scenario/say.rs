//! What the last column of a row says: the reply, and who was woken.

use super::render::{self, Style};
use super::world::World;
use interlock_core::Reply;
use interlock_core::reply::{Taken, Wake};
use interlock_core::words::GroupId;

impl World {
    pub(super) fn with_wakes(&self, said: String, wakes: &[Wake]) -> String {
        let mut parts = vec![said];
        parts.extend(wakes.iter().map(|wake| self.show_wake(wake)));
        parts.retain(|part| !part.is_empty());
        parts.join("; ")
    }

    pub(super) fn show_wake(&self, wake: &Wake) -> String {
        let alias = self
            .alias(wake.session)
            .expect("wakes go to workers of the table");
        // The answers to the finishes that the take carried were told when it was parked.
        let taken = Taken {
            finished: Vec::new(),
            ..wake.taken.clone()
        };
        format!("{alias} gets {}", self.show_taken(&taken))
    }

    pub(super) fn show_taken(&self, taken: &Taken) -> String {
        let finished = taken
            .finished
            .iter()
            .map(|one| render::finished(one, self.style()));
        let mut parts: Vec<String> = finished.collect();
        let tasks = render::ids(taken.hand_outs.iter().map(|hand_out| &hand_out.task));
        parts.push(if tasks.is_empty() {
            "nothing".to_owned()
        } else {
            tasks
        });
        if taken.draining {
            parts.push("draining".to_owned());
        }
        parts.join(", ")
    }

    pub(super) fn show_reply(&self, reply: &Reply, style: Style) -> String {
        match reply {
            Reply::Done => "done".to_owned(),
            Reply::Refused(refusal) => format!("refused: {}", render::refusal(refusal)),
            Reply::Submitted { answers, group } => {
                let shown = answers.iter().map(|answer| render::answer(answer, style));
                let shown = shown.collect::<Vec<_>>().join("; ");
                group.map_or(shown.clone(), |group| {
                    format!("{}: {shown}", self.group_name(group))
                })
            }
            Reply::Registered { .. } => "welcome".to_owned(),
            Reply::Taken(taken) => self.show_taken(taken),
            Reply::Parked { finished } => {
                let shown = finished.iter().map(|one| render::finished(one, style));
                shown
                    .chain(["parked".to_owned()])
                    .collect::<Vec<_>>()
                    .join(", ")
            }
            Reply::Beaten(beaten) => {
                let shown = beaten.iter().map(|one| {
                    let task = self
                        .oracle
                        .task_of(one.token)
                        .expect("a token of the table");
                    let news = render::budget_news(&one.budgets);
                    format!("{task} {}{news}", render::order(one.order))
                });
                let shown = shown.collect::<Vec<_>>().join(", ");
                if shown.is_empty() {
                    "done".to_owned()
                } else {
                    shown
                }
            }
            Reply::Finished(finished) => {
                let shown = finished.iter().map(|one| render::finished(one, style));
                shown.collect::<Vec<_>>().join(", ")
            }
            Reply::Spent(spending) => render::spending(*spending),
            Reply::Cancelling { running: true } => "stopping".to_owned(),
            Reply::Cancelling { running: false } => "cancelled".to_owned(),
        }
    }

    pub(super) fn group_name(&self, group: GroupId) -> String {
        let index = self.groups.iter().position(|known| *known == group);
        format!("g{}", index.expect("a group of the table") + 1)
    }
}
