//! What is asked, and what is answered once it is committed.

use super::super::ask::{Ask, AskTake, Intake};
use super::super::batch::Release;
use super::super::follow::{Followed, ProgressNote};
use super::super::parked::deliver;
use super::super::watch::Until;
use super::super::{Answered, CellError, Delivery, View, encode};
use super::{Life, Over};
use crate::limits;
use interlock_core::command::Beat;
use interlock_core::reply::{Decision, Wake};
use interlock_core::view::Found;
use interlock_core::words::{Now, TaskId};
use interlock_core::{Command, Reply};
use std::sync::Arc;

impl Life<'_> {
    pub(super) fn answer(&mut self, ask: Ask) -> Result<(), Over> {
        // Asked after the request has arrived: whoever took over gives each run a full lease after
        // this one has ended.
        if !self.may_answer() && !matches!(ask, Ask::Stop { .. }) {
            ask.refuse(CellError::Moved);
            return Ok(());
        }
        let now = self.clock.now();
        match ask {
            Ask::Decide { command, to } => {
                self.note_progress(&command);
                let decision = self.decide(now, command);
                self.take_in(decision, move |life, reply| {
                    life.releases.push(Box::new(move |result| {
                        let _gone = to.send(result.map(|()| Answered { reply, now }));
                    }));
                });
            }
            Ask::Consume(intake) => self.consume(now, intake),
            Ask::Take(ask) => self.take(now, ask),
            Ask::Read(read) => {
                self.note_ended();
                let view = View {
                    core: &self.core,
                    now,
                    pending: &self.pending,
                    unfolded: self.core.position() - self.folded,
                    orders: &self.cell.orders.borrow(),
                    verdicts: &self.cell.verdicts.borrow(),
                    activity: &self.cell.activity.borrow(),
                };
                let release = read(Ok(&view));
                self.releases.extend(release);
            }
            Ask::Watch { task, until, to } => {
                let release: Release = Box::new(move |result| {
                    let _gone = to.send(result);
                });
                if self.is_over(task, until) || self.watchers.len() >= limits::WATCHERS_MAX {
                    self.releases.push(release);
                } else {
                    self.watchers.add(task, until, release);
                }
            }
            Ask::Settle { to } => self.settling.push(to),
            Ask::Stop { to } => {
                self.stop();
                let _gone = to.send(());
                return Err(Over::Stopped);
            }
        }
        Ok(())
    }

    fn is_over(&self, task: TaskId, until: Until) -> bool {
        match self.core.task(task) {
            Found::Live(view) => until == Until::Started && view.reasons.is_empty(),
            Found::Ended(_) | Found::Unknown => true,
        }
    }

    fn consume(&mut self, now: Now, intake: Intake) {
        let Intake {
            command,
            consumed,
            then,
        } = intake;
        let note = move |life: &mut Self, reply| {
            life.consumed.extend(consumed(reply, now));
            life.releases.push(then);
        };
        match command {
            Some(command) => {
                let decision = self.decide(now, command);
                self.take_in(decision, |life, reply| note(life, Some(reply)));
            }
            None => note(self, None),
        }
    }

    fn take(&mut self, now: Now, ask: AskTake) {
        let AskTake { take, to, cell } = ask;
        let (session, number) = (take.session, take.number);
        let decision = self.decide(now, Command::Take(take));
        // A wake for the same take without hand-outs was for an earlier request of it.
        let parks = matches!(decision.reply, Reply::Parked { .. });
        let (earlier, wakes): (Vec<Wake>, Vec<Wake>) =
            (decision.wakes.into_iter()).partition(|wake| {
                parks
                    && (wake.session, wake.number) == (session, number)
                    && wake.taken.hand_outs.is_empty()
            });
        earlier.into_iter().for_each(|wake| self.wake(wake));
        let decision = Decision { wakes, ..decision };
        self.take_in(decision, move |life, reply| {
            let old = match reply {
                Reply::Parked { finished } => {
                    life.parked.park((session, number), finished, (to, cell))
                }
                Reply::Taken(taken) => {
                    let old = life.parked.let_go(session);
                    let delivery = Delivery::new(cell, session, number, taken);
                    life.releases.push(deliver(to, delivery));
                    old
                }
                Reply::Refused(refusal) => {
                    life.releases.push(Box::new(move |result| {
                        let _gone = to.send(result.map(|()| Err(refusal)));
                    }));
                    None
                }
                other => unreachable!("a take is not answered by {other:?}"),
            };
            life.releases.extend(old);
        });
    }

    pub(super) fn decide(&mut self, now: Now, command: Command) -> Decision {
        self.cell.metrics.command(&command);
        self.core.decide(now, command)
    }

    /// Takes in a decision: its events, its answer, and what it means for others.
    pub(super) fn take_in(&mut self, decision: Decision, answer: impl FnOnce(&mut Self, Reply)) {
        let Decision {
            record,
            reply,
            wakes,
            more,
        } = decision;
        self.more = more;
        self.cell.metrics.decided(&reply, record.as_ref());
        let mut activity = self.cell.activity.borrow_mut();
        activity.decided(&self.core, &reply, record.as_ref());
        drop(activity);
        if let Some(record) = record {
            self.cell.orders.borrow_mut().notice(&record);
            let mut verdicts = self.cell.verdicts.borrow_mut();
            verdicts.notice(&reply, record.at);
            drop(verdicts);
            encode::encode_record(&mut self.bytes, &record);
            if !self.watchers.is_empty() {
                for event in &record.events {
                    self.watchers.notice(event, &mut self.releases);
                }
            }
            if self.cell.shared.feed.receiver_count() > 0 {
                self.records.push(Arc::new(record));
            }
        }
        answer(self, reply);
        wakes.into_iter().for_each(|wake| self.wake(wake));
    }

    fn wake(&mut self, wake: Wake) {
        let Wake {
            session,
            number,
            taken,
        } = wake;
        if self.parked.has(session, number) {
            let release = self.parked.answer(session, number, taken);
            self.releases.extend(release);
        } else if !taken.hand_outs.is_empty() {
            // Nobody is there to take them: they go back at once.
            let command = Command::ReturnTake { session, number };
            let decision = self.decide(self.clock.now(), command);
            self.take_in(decision, |_, _| {});
        }
    }

    /// Progress is not logged; those who follow are told as it comes.
    fn note_progress(&self, command: &Command) {
        let Command::Beat(Beat { runs, .. }) = command else {
            return;
        };
        if self.cell.shared.feed.receiver_count() == 0 {
            return;
        }
        for run in runs {
            if let (Some(progress), Some(task)) = (&run.progress, self.core.task_of(run.token)) {
                let note = ProgressNote {
                    task,
                    progress: progress.clone(),
                };
                let _nobody = (self.cell.shared.feed).send(Followed::Progress(Arc::new(note)));
            }
        }
    }
}
