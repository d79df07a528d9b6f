//! What workers do: register, take, beat, finish, leave.

use super::{Past, Worker, World, register_command};
use crate::reference::{Index, Over, Take as Taking};
use crate::steps::How;
use interlock_core::Refusal;
use interlock_core::command::{Again, Beat, BeatRun, Command, Finish, FinishHow, RunError, Take};
use interlock_core::reply::{Beaten, Finished, Order, Reply, Taken};
use interlock_core::words::{Payload, Token};

impl World {
    /// A worker that has a session.
    pub(super) fn worker(&self, worker: usize) -> Option<Worker> {
        let worker = self.workers[worker];
        (!self.model.session(worker.session).is_gone).then_some(worker)
    }

    fn heard(&mut self, worker: Worker) {
        let session = self
            .model
            .sessions
            .iter()
            .position(|s| s.id == worker.session);
        self.model
            .note_worker(session.expect("it registered"), true);
        self.model.settle();
    }

    /// A worker starts, or starts again under its name.
    pub(super) fn register_again(&mut self, worker: usize, takeover: bool) -> Result<(), String> {
        let old = self.workers[worker].session;
        let handles = self.setup.handles[worker].clone();
        let name = format!("w{worker}");
        let decided = self.decide(register_command(&name, &handles, takeover))?;
        let runs = self.model.runs_of(old);
        if let Some(longest) = runs.iter().filter_map(|&run| self.lease_left(run)).max()
            && !takeover
        {
            let name = interlock_core::words::Name::new(&name).expect("a good name");
            let expected = Reply::Refused(Refusal::NameInUse {
                name,
                wait_ms: longest,
            });
            return expect(&decided.reply, &expected);
        }
        let Reply::Registered { session } = decided.reply else {
            return Err(format!("not registered: {:?}", decided.reply));
        };
        for run in runs {
            self.model.end_run(run, Over::Lost);
        }
        self.depart(old);
        self.workers[worker] = Worker { session, take: 0 };
        self.welcome(session, handles);
        self.hand_out(decided.hand_outs)
    }

    fn lease_left(&self, run: Index) -> Option<u64> {
        let run = self.model.tasks[run].run()?;
        Some(run.lease_ends.saturating_sub(self.model.now.elapsed.0))
    }

    fn depart(&mut self, id: interlock_core::words::SessionId) {
        for session in &mut self.model.sessions {
            session.is_gone |= session.id == id;
        }
        self.model.takes.retain(|take| take.session != id);
        self.model.settle();
    }

    /// A worker asks for tasks; perhaps it reports the end of its first run as well.
    pub(super) fn take(
        &mut self,
        worker: usize,
        max: usize,
        wait_ms: u64,
        finish: Option<How>,
    ) -> Result<(), String> {
        let Some(me) = self.worker(worker) else {
            return Ok(());
        };
        let is_lost = self.model.session(me.session).is_lost;
        let ending = self
            .model
            .runs_of(me.session)
            .first()
            .copied()
            .filter(|_| !is_lost);
        let ending = finish.and_then(|how| ending.map(|run| (run, how)));
        let finishes: Vec<_> = ending
            .iter()
            .map(|&(run, how)| self.finish_of(run, how))
            .collect();
        let number = me.take + 1;
        let take = Take {
            session: me.session,
            number,
            max,
            wait_ms,
            finishes: finishes.clone(),
        };
        let decided = self.decide(Command::Take(take))?;
        self.heard(me);
        if is_lost {
            return expect(&decided.reply, &Reply::Refused(Refusal::SessionLost));
        }
        self.workers[worker].take = number;
        self.model.takes.retain(|take| take.session != me.session);
        let finished: Vec<_> = ending
            .iter()
            .zip(finishes)
            .map(|(&(run, how), finish)| Ok(self.end(run, how, finish)))
            .collect();
        self.answer_take(me, number, max, wait_ms, finished, decided)
    }

    fn answer_take(
        &mut self,
        me: Worker,
        number: u64,
        max: usize,
        wait_ms: u64,
        finished: Vec<Result<Finished, Refusal>>,
        decided: super::Decided,
    ) -> Result<(), String> {
        let until = self.model.now.elapsed.0 + wait_ms.max(1);
        let taking = Taking {
            session: me.session,
            number,
            room: max,
            until,
        };
        self.model.takes.push(taking);
        let mut hand_outs = decided.hand_outs;
        let mine = match decided.reply {
            Reply::Taken(ref taken) => taken.hand_outs.clone(),
            _ => Vec::new(),
        };
        let expected = match decided.reply {
            Reply::Parked { .. } if wait_ms > 0 => Reply::Parked { finished },
            _ => Reply::Taken(Taken {
                hand_outs: mine.clone(),
                finished,
                draining: false,
            }),
        };
        expect(&decided.reply, &expected)?;
        let is_over = wait_ms == 0 || !mine.is_empty();
        hand_outs.extend(
            mine.into_iter()
                .map(|hand_out| (me.session, number, hand_out)),
        );
        self.hand_out(hand_outs)?;
        if is_over {
            self.model.takes.retain(|take| take.session != me.session);
        } else if matches!(decided.reply, Reply::Taken(_)) {
            return Err("a take that may wait was answered with nothing".to_owned());
        }
        Ok(())
    }

    /// The answer to a take was lost, and the worker repeats it: the same runs, as far as they live.
    pub(super) fn repeat_take(&mut self, worker: usize) -> Result<(), String> {
        let Some(me) = self.worker(worker).filter(|me| me.take > 0) else {
            return Ok(());
        };
        let mut runs = self.model.runs_of(me.session);
        runs.retain(|&run| {
            self.model.tasks[run]
                .run()
                .is_some_and(|run| run.take == me.take)
        });
        let (session, number) = (me.session, me.take);
        let take = Take {
            session,
            number,
            max: 1,
            wait_ms: 0,
            finishes: Vec::new(),
        };
        let decided = self.decide(Command::Take(take))?;
        self.heard(me);
        if self.model.session(me.session).is_lost {
            return expect(&decided.reply, &Reply::Refused(Refusal::SessionLost));
        }
        self.model.takes.retain(|take| take.session != me.session);
        if runs.is_empty() {
            return self.answer_take(me, me.take, 1, 0, Vec::new(), decided);
        }
        let Reply::Taken(taken) = decided.reply else {
            return Err(format!("a repeated take is answered {:?}", decided.reply));
        };
        let mut got: Vec<_> = taken
            .hand_outs
            .iter()
            .map(|hand_out| hand_out.token)
            .collect();
        let mut expected: Vec<_> = runs.iter().map(|&run| self.token(run)).collect();
        got.sort();
        expected.sort();
        if got != expected {
            return Err(format!(
                "a repeated take gives {got:?} instead of {expected:?}"
            ));
        }
        self.hand_out(decided.hand_outs)
    }

    fn token(&self, run: Index) -> Token {
        self.model.tasks[run].run().expect("it runs").token
    }

    /// The answer to a take could not be delivered.
    pub(super) fn return_take(&mut self, worker: usize) -> Result<(), String> {
        let Some(me) = self.worker(worker).filter(|me| me.take > 0) else {
            return Ok(());
        };
        let is_called_off = |run: Index| {
            let task = &self.model.tasks[run];
            task.last_run || task.run().is_some_and(|run| run.stop.is_some())
        };
        if self
            .model
            .runs_of(me.session)
            .into_iter()
            .any(is_called_off)
        {
            // What a worker would hear that finishes a run which was called off and then returned is
            // left open, since it never heard of that run. The simulator has such stories.
            return Ok(());
        }
        let (session, number) = (me.session, me.take);
        let decided = self.decide(Command::ReturnTake { session, number })?;
        for run in self.model.runs_of(me.session) {
            let is_meant = |run: &crate::reference::Run| run.take == me.take && !run.has_beaten;
            if self.model.tasks[run].run().is_some_and(is_meant) {
                self.model.end_run(run, Over::Returned);
            }
        }
        self.model
            .takes
            .retain(|take| (take.session, take.number) != (me.session, me.take));
        expect(&decided.reply, &Reply::Done)?;
        self.hand_out(decided.hand_outs)
    }

    /// A worker goes on with its runs, perhaps all but one; a run that ended is not its own any more.
    pub(super) fn beat(&mut self, worker: usize, but: Option<usize>) -> Result<(), String> {
        let Some(me) = self.worker(worker) else {
            return Ok(());
        };
        let mut runs = self.model.runs_of(me.session);
        if let Some(but) = but.filter(|_| !runs.is_empty()) {
            runs.remove(but % runs.len());
        }
        let live = runs.iter().map(|&run| self.token(run));
        let dead = self
            .runs
            .iter()
            .rfind(|past| past.session == me.session && self.model.run_with(past.token).is_none());
        let tokens: Vec<_> = live.chain(dead.map(|past| past.token)).collect();
        let beats = tokens.iter().map(|&token| BeatRun {
            token,
            progress: None,
            used: Vec::new(),
            dropped: Vec::new(),
        });
        let beat = Beat {
            session: me.session,
            runs: beats.collect(),
        };
        let decided = self.decide(Command::Beat(beat))?;
        self.heard(me);
        let orders = tokens.iter().map(|&token| {
            let order = self
                .model
                .run_with(token)
                .map_or(Order::Gone, |run| self.model.beat(run));
            Beaten {
                token,
                order,
                budgets: Vec::new(),
            }
        });
        let expected = Reply::Beaten(orders.collect());
        expect(&decided.reply, &expected)?;
        self.hand_out(decided.hand_outs)
    }

    /// A worker reports how a run ended.
    pub(super) fn finish(&mut self, run: usize, how: How) -> Result<(), String> {
        let runs = self.model.all(|task| task.run().is_some());
        if runs.is_empty() {
            return Ok(());
        }
        let run = runs[run % runs.len()];
        let session = self.model.tasks[run].run().expect("it runs").session;
        let finish = self.finish_of(run, how);
        let finishes = vec![finish.clone()];
        let decided = self.decide(Command::Finish { session, finishes })?;
        if let Some(worker) = self.workers.iter().copied().find(|w| w.session == session) {
            self.heard(worker);
        }
        let finished = self.end(run, how, finish);
        expect(&decided.reply, &Reply::Finished(vec![Ok(finished)]))?;
        self.hand_out(decided.hand_outs)
    }

    /// A worker reports the end of a run that has ended: the first answer if that was its own doing.
    pub(super) fn finish_again(&mut self, run: usize) -> Result<(), String> {
        let dead: Vec<_> = self.runs.iter().filter(|past| self.is_dead(past)).collect();
        if dead.is_empty() {
            return Ok(());
        }
        let past = dead[run % dead.len()];
        let (session, token) = (past.session, past.token);
        let (finish, answer) = match &past.finished {
            Some((finish, answer)) => (finish.clone(), Ok(*answer)),
            None => (finish_with(token, How::Succeed), Err(Refusal::StaleToken)),
        };
        let finishes = vec![finish];
        let decided = self.decide(Command::Finish { session, finishes })?;
        if let Some(worker) = self.workers.iter().copied().find(|w| w.session == session) {
            self.heard(worker);
        }
        expect(&decided.reply, &Reply::Finished(vec![answer]))?;
        self.hand_out(decided.hand_outs)
    }

    fn is_dead(&self, past: &Past) -> bool {
        let is_gone = self.model.session(past.session).is_gone;
        !is_gone && self.model.run_with(past.token).is_none()
    }

    fn finish_of(&self, run: Index, how: How) -> Finish {
        finish_with(self.token(run), how)
    }

    /// The model's end of a run.
    fn end(&mut self, run: Index, how: How, finish: Finish) -> Finished {
        let token = self.token(run);
        let finished = self.model.end_run(
            run,
            match how {
                How::Succeed => Over::Succeeded,
                How::Fail => Over::Failed(Again::AsKindSays),
                How::FailAgainIn(wait) => Over::Failed(Again::In(wait)),
                How::FailForGood => Over::Failed(Again::Never),
                How::Release => Over::Released,
            },
        );
        let past = self
            .runs
            .iter_mut()
            .find(|past| past.token == token)
            .expect("handed out");
        past.finished = Some((finish, finished));
        finished
    }

    /// A worker leaves; what it still runs is released.
    pub(super) fn goodbye(&mut self, worker: usize) -> Result<(), String> {
        let Some(me) = self.worker(worker) else {
            return Ok(());
        };
        let decided = self.decide(Command::Goodbye {
            session: me.session,
        })?;
        for run in self.model.runs_of(me.session) {
            self.model.end_run(run, Over::Released);
        }
        self.depart(me.session);
        expect(&decided.reply, &Reply::Done)?;
        self.hand_out(decided.hand_outs)
    }
}

fn finish_with(token: Token, how: How) -> Finish {
    let fail = |again| FinishHow::Fail {
        error: RunError {
            message: "no luck".into(),
            detail: "".into(),
        },
        again,
    };
    let how = match how {
        How::Succeed => FinishHow::Succeed {
            result: Payload::default(),
        },
        How::Fail => fail(Again::AsKindSays),
        How::FailAgainIn(wait) => fail(Again::In(wait)),
        How::FailForGood => fail(Again::Never),
        How::Release => FinishHow::Release,
    };
    Finish {
        token,
        how,
        used: Vec::new(),
    }
}

pub(super) fn expect(got: &Reply, expected: &Reply) -> Result<(), String> {
    if got == expected {
        return Ok(());
    }
    Err(format!("the reply is {got:?}\ninstead of {expected:?}"))
}
