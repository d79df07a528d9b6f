//! Workers come and go: `register`, `goodbye`, `drain`, and which kinds have a worker.

use super::prepare::too_many;
use crate::Core;
use crate::bugs::Bug;
use crate::command::{HoldTarget, Register};
use crate::event::{Event, Sweep};
use crate::limits;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::soft::SoftTimer;
use crate::words::{KindId, Name, SessionId};

impl Core {
    pub(crate) fn register(&mut self, register: Register) -> Result<Reply, Refusal> {
        if register.kinds.len() > limits::KINDS_PER_SESSION_MAX {
            return Err(too_many("kinds", limits::KINDS_PER_SESSION_MAX));
        }
        let mut kinds = Vec::with_capacity(register.kinds.len());
        for kind in register.kinds {
            let Some(id) = self.state.kinds.find(&kind) else {
                return Err(Refusal::UnknownKind {
                    kind,
                    known: self.state.kinds.names(),
                });
            };
            kinds.push(id);
        }
        kinds.sort();
        kinds.dedup();
        let old = self.state.session_names.get(&register.name).copied();
        if old.is_none() && self.state.sessions.len() >= limits::SESSIONS_MAX {
            return Err(too_many("sessions", limits::SESSIONS_MAX));
        }
        if let Some(old) = old {
            self.replace(old, &register.name, register.takeover)?;
        }
        let session = SessionId(self.state.position);
        self.emit(Event::Registered {
            name: register.name,
            kinds,
        });
        self.hear(session);
        self.watch_session(session);
        Ok(Reply::Registered { session })
    }

    /// A new process takes the name of an old one, if that has no live runs or is vouched dead.
    fn replace(&mut self, old: SessionId, name: &Name, takeover: bool) -> Result<(), Refusal> {
        let runs: Vec<_> = self.state.sessions[&old].runs.iter().copied().collect();
        if !runs.is_empty() && !takeover {
            let now = self.state.now.elapsed;
            let ends = runs
                .iter()
                .filter_map(|token| self.soft.lease_ends(*token))
                .max();
            return Err(Refusal::NameInUse {
                name: name.clone(),
                wait_ms: ends.map_or(0, |ends| ends.since(now)),
            });
        }
        if !self.bug(Bug::TakeoverKeepsRuns) {
            for token in runs {
                self.lose(token);
            }
        }
        self.depart(old);
        Ok(())
    }

    pub(crate) fn goodbye(&mut self, session: SessionId) -> Result<(), Refusal> {
        let Some(found) = self.state.sessions.get(&session) else {
            return Err(Refusal::StaleSession);
        };
        let runs: Vec<_> = found.runs.iter().copied().collect();
        for token in runs {
            self.use_up(token);
            let (how, then) = self.given_back(token);
            self.end_run(token, how, then);
        }
        self.depart(session);
        Ok(())
    }

    fn depart(&mut self, session: SessionId) {
        self.answer_parked(session, Vec::new());
        self.emit(Event::Departed { session });
        self.soft.heard.remove(&session);
        self.soft.lease_ms_max.remove(&session);
    }

    pub(crate) fn drain(&mut self, worker: &Name, by: Option<Name>) -> Result<(), Refusal> {
        let found = self.state.session_names.get(worker).copied();
        let session = found.ok_or_else(|| Refusal::UnknownWorker(worker.clone()))?;
        self.emit(Event::Drained { session, by });
        self.answer_parked(session, Vec::new());
        Ok(())
    }

    /// A session was heard of: its kinds have a worker.
    pub(crate) fn hear(&mut self, session: SessionId) {
        let now = self.state.now.elapsed;
        self.soft.heard.insert(session, now);
        let found = &self.state.sessions[&session];
        if found.lost || found.draining {
            return;
        }
        for kind in found.kinds.clone().iter() {
            let Some(state) = self.state.kinds.try_get(*kind) else {
                continue;
            };
            if !state.staffed {
                self.set_staffed(*kind, true);
            }
        }
        self.cover(session);
    }

    /// The kinds of a session have a worker for a lease from now; while it runs something, for as
    /// long as its beats may be apart.
    pub(crate) fn cover(&mut self, session: SessionId) {
        let now = self.state.now.elapsed;
        let found = &self.state.sessions[&session];
        let longest_ms = match found.runs.is_empty() {
            true => 0,
            false => self.soft.lease_ms_max.get(&session).copied().unwrap_or(0),
        };
        for kind in found.kinds.iter() {
            let Some(state) = self.state.kinds.try_get(*kind) else {
                continue;
            };
            let until = now.plus(state.kind.lease_ms.max(longest_ms));
            self.soft.cover(*kind, until);
        }
    }

    fn set_staffed(&mut self, kind: KindId, staffed: bool) {
        let name = self.state.kinds.get(kind).kind.name.clone();
        self.emit(Event::KindStaffed { kind, staffed });
        let what = HoldTarget::Kind(name);
        self.begin_sweep(Sweep::Reroute { what });
        if staffed {
            self.watch_kind(kind);
        }
    }

    /// From now on the kind is watched for having no worker.
    pub(crate) fn watch_kind(&mut self, kind: KindId) {
        let lease_ms = self.state.kinds.get(kind).kind.lease_ms;
        let until = self.state.now.elapsed.plus(lease_ms);
        self.soft.cover(kind, until);
        self.soft.timers.insert((until, SoftTimer::Kind(kind)));
    }

    /// Has any live worker handled the kind within a lease?
    pub(crate) fn kind_timer(&mut self, kind: KindId) {
        let Some(state) = self.state.kinds.try_get(kind) else {
            return;
        };
        if !state.staffed {
            return;
        }
        let now = self.state.now.elapsed;
        if self.soft.parked_by_kind.contains_key(&kind) {
            let until = now.plus(state.kind.lease_ms);
            self.soft.cover(kind, until);
        }
        let until = self.soft.covered_until.get(&kind).copied();
        match until.filter(|until| *until > now) {
            Some(until) => {
                self.soft.timers.insert((until, SoftTimer::Kind(kind)));
            }
            None => self.set_staffed(kind, false),
        }
    }

    pub(crate) fn watch_session(&mut self, session: SessionId) {
        let at = self.state.now.elapsed.plus(limits::SESSION_SILENT_MS);
        self.soft.timers.insert((at, SoftTimer::Session(session)));
    }

    /// A session that was silent for long and runs nothing is forgotten.
    pub(crate) fn session_timer(&mut self, session: SessionId) {
        let Some(found) = self.state.sessions.get(&session) else {
            return;
        };
        let now = self.state.now.elapsed;
        let busy = !found.runs.is_empty() || self.soft.parked.contains_key(&session);
        let heard = self.soft.heard.get(&session).copied().unwrap_or(now);
        if !busy && heard.plus(limits::SESSION_SILENT_MS) <= now {
            return self.depart(session);
        }
        let from = if busy { now } else { heard };
        let at = from.plus(limits::SESSION_SILENT_MS);
        self.soft.timers.insert((at, SoftTimer::Session(session)));
    }
}
