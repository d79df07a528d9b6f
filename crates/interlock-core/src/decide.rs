//! Decides commands: one file per verb, and one per rule that several verbs share.

mod admit;
mod barrier;
mod beat;
mod bump;
mod cancel;
mod clock;
mod coalesce;
mod end;
mod finish;
mod gates;
mod group;
mod hand_out;
mod hold;
mod idempotency;
mod kind;
mod line;
mod lose;
mod prepare;
mod quota;
mod reasons;
mod register;
mod retry;
mod schedule;
mod set_quota;
mod settle;
mod spend;
mod submit;
mod sweep;
mod take;

use crate::Core;
use crate::command::Command;
use crate::event::Event;
use crate::reply::Reply;
use crate::{Refusal, limits};

impl Core {
    pub(crate) fn dispatch(&mut self, command: Command) -> Reply {
        match command {
            Command::Tick => Reply::Done,
            Command::Submit(submit) => self.submit(submit),
            Command::Register(register) => or_refused(self.register(register)),
            Command::Take(take) => or_refused(self.take(take)),
            Command::ReturnTake { session, number } => self.return_take(session, number),
            Command::Beat(beat) => or_refused(self.beat(beat)),
            Command::Finish { session, finishes } => or_refused(self.finish(session, finishes)),
            Command::Spend(spend) => or_refused(self.spend(spend)),
            Command::PauseQuota {
                quota,
                resource,
                for_ms,
            } => done_or_refused(self.pause_quota(&quota, resource, for_ms)),
            Command::Goodbye { session } => done_or_refused(self.goodbye(session)),
            Command::Cancel { task, all, by } => or_refused(self.cancel(task, all, by)),
            Command::CancelGroup { group, by } => done_or_refused(self.cancel_group(group, by)),
            Command::Bump { task, priority, by } => done_or_refused(self.bump(task, priority, by)),
            Command::Hold { what, by } => done_or_refused(self.set_hold(what, true, by)),
            Command::Release { what, by } => done_or_refused(self.set_hold(what, false, by)),
            Command::Drain { worker, by } => done_or_refused(self.drain(&worker, by)),
            Command::SetKind(kind) => done_or_refused(self.set_kind(*kind)),
            Command::RemoveKind(name) => done_or_refused(self.remove_kind(&name)),
            Command::SetQuota(quota) => done_or_refused(self.set_quota(*quota)),
            Command::RemoveQuota(name) => done_or_refused(self.remove_quota(&name)),
            Command::SetSchedule(schedule) => done_or_refused(self.set_schedule(*schedule)),
            Command::RemoveSchedule(name) => done_or_refused(self.remove_schedule(name)),
            Command::PauseSchedule { name, paused } => {
                done_or_refused(self.pause_schedule(name, paused))
            }
            Command::SetNamespace(namespace) => {
                if !(1..=limits::STEP_MS_MAX).contains(&namespace.step_ms) {
                    return Reply::Refused(Refusal::BadValue {
                        field: "step",
                        why: "it must be from 1 ms to 7 days",
                    });
                }
                self.emit(Event::NamespaceSet(namespace));
                Reply::Done
            }
        }
    }
}

fn or_refused(result: Result<Reply, Refusal>) -> Reply {
    result.unwrap_or_else(Reply::Refused)
}

fn done_or_refused(result: Result<(), Refusal>) -> Reply {
    result.map_or_else(Reply::Refused, |()| Reply::Done)
}
