//! Runs begin, and come back.

use super::{Engine, Entry, EntryState};
use crate::worker::clock::boot_ms;
use crate::worker::error::Error;
use crate::worker::live::{AtWork, Live, StopReason};
use crate::worker::run::Run;
use futures_util::FutureExt;
use interlock_api::id::RunToken;
use interlock_api::json::Json;
use interlock_api::run::{Finish, HandOut, How};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use tokio::sync::mpsc;

/// A handler has come back, or is gone.
pub(super) struct Done {
    token: RunToken,
    how: How1,
}

enum How1 {
    Returned(Result<Option<Json>, Error>),
    Dropped,
}

impl Engine {
    /// A task was handed out; its lease counts from the sending of the take.
    pub(super) fn begin(&mut self, mut hand_out: HandOut, sent_ms: u64) {
        let token = hand_out.token;
        if self.runs.contains_key(&token) {
            return;
        }
        let Some(session) = self.session else { return };
        self.lease_ms_min = self.lease_ms_min.min(hand_out.lease.ms());
        let payload = hand_out.payload.take();
        let (client, wishes) = (self.settings.client.clone(), self.wishes.clone());
        let live = Live::new(hand_out, (client, session), sent_ms, wishes);
        let live = Arc::new(live);
        self.beat_due_ms = self.beat_due_ms.min(live.lease.beat_at());
        let entry = Entry {
            at_work: Weak::new(),
            state: EntryState::Late(payload),
            gone: false,
            live,
        };
        let late = boot_ms() >= entry.live.lease.late_at();
        self.runs.insert(token, entry);
        self.busy += 1;
        match (self.draining, late) {
            (true, _) => self.give_back(token),
            (false, true) => self.wishes.beat_now(),
            (false, false) => self.start(token),
        }
    }

    /// Its handler begins.
    pub(super) fn start(&mut self, token: RunToken) {
        let Some(entry) = self.runs.get_mut(&token) else {
            return;
        };
        let EntryState::Late(payload) = std::mem::replace(&mut entry.state, EntryState::AtWork)
        else {
            return;
        };
        let live = entry.live.clone();
        let Some(handler) = self.settings.handlers.get(&live.facts.kind).cloned() else {
            return self.give_back(token);
        };
        let at_work = Arc::new(AtWork);
        entry.at_work = Arc::downgrade(&at_work);
        self.fence.watch(&live, entry.at_work.clone());
        let run = Run {
            live: live.clone(),
            _at_work: at_work.clone(),
        };
        let guard = Guard {
            token,
            at_work: Some(at_work),
            tell: self.tell.clone(),
            how: How1::Dropped,
        };
        let task = tokio::spawn(async move {
            let mut guard = guard;
            let handled = async { handler(run, payload).await };
            let result = AssertUnwindSafe(handled).catch_unwind().await;
            guard.how = How1::Returned(result.unwrap_or_else(|panic| Err(panicked(&*panic))));
        });
        let _once = live.handler.set(task.abort_handle());
    }

    /// A handler has come back, or is gone.
    pub(super) fn ended(&mut self, done: Done) {
        let Done { token, how } = done;
        let Some(entry) = self.runs.get_mut(&token) else {
            return;
        };
        let result = match how {
            How1::Returned(result) if !entry.live.is_lost() => result,
            _ if entry.at_work.strong_count() > 0 => {
                entry.state = EntryState::Stopping;
                self.stopping += 1;
                return;
            }
            // A result that comes too late counts no more.
            _ => return self.give_back(token),
        };
        let finish = match result {
            Ok(result) => Finish {
                token,
                how: How::Succeed,
                result,
                error: None,
                again: None,
                used: Vec::new(),
            },
            Err(error) => error.into_finish(token),
        };
        self.tell_end(token, finish);
    }

    /// The server has ended the run: its handler stops, and nothing more is said of it.
    pub(super) fn run_gone(&mut self, token: RunToken) {
        let Some(entry) = self.runs.get_mut(&token) else {
            return;
        };
        // Of one that has ended, the answer to its finish may be on its way.
        if !entry.is_busy() {
            return;
        }
        entry.gone = true;
        entry.live.cancel(StopReason::Lost);
        entry.live.abort();
        if matches!(entry.state, EntryState::Late(_)) {
            self.give_back(token);
        }
    }
}

/// Tells that a handler has come back or is gone, whatever became of it.
struct Guard {
    token: RunToken,
    at_work: Option<Arc<AtWork>>,
    tell: mpsc::UnboundedSender<Done>,
    how: How1,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.at_work = None;
        let how = std::mem::replace(&mut self.how, How1::Dropped);
        let token = self.token;
        let _worker_is_gone = self.tell.send(Done { token, how });
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    Error::new("the handler panicked").with_detail(text.unwrap_or_default())
}
