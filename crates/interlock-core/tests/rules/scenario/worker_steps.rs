//! What workers do in a table.

use super::parse;
use super::span;
use super::words::Words;
use super::world::{Worker, World};
use interlock_core::command::{Beat, BeatRun, Finish, FinishHow, Register, Spend, Take};
use interlock_core::reply::{Taken, Wake};
use interlock_core::words::SessionId;
use interlock_core::{Command, Reply};

impl World {
    /// `register NAME [as ALIAS] KIND… [takeover]`
    pub(super) fn register(&mut self, mut words: Words<'_>) -> String {
        let takeover = words.flag("takeover");
        let name = words.need("the worker's name");
        let alias = if words.flag("as") {
            words.need("an alias")
        } else {
            name
        };
        let kinds = words.all(|_| true).into_iter().map(parse::name).collect();
        let register = Register {
            name: parse::name(name),
            kinds,
            takeover,
        };
        let outcome = self.decide(Command::Register(register));
        if let Reply::Registered { session } = outcome.reply {
            let worker = Worker {
                session,
                take_number: 0,
                runs: Vec::new(),
                loops: true,
            };
            self.workers.insert(alias.to_owned(), worker);
        }
        let said = self.show_reply(&outcome.reply, self.style());
        self.with_wakes(said, &outcome.wakes)
    }

    /// `take ALIAS [max=] [wait=] [number=] [ok|fail|release …]`: the last words finish every open
    /// run of the worker.
    pub(super) fn take(&mut self, mut words: Words<'_>) -> String {
        let alias = words.need("the worker").to_owned();
        let wait = words.option("wait").map(span::parse);
        let max = words
            .option("max")
            .map_or(1, |text| text.parse().expect("a number"));
        let number = words
            .option("number")
            .map(|text| text.parse().expect("a number"));
        let how = parse::finish_how(&mut words);
        words.done();
        let worker = self.worker(&alias);
        worker.loops = wait.is_none();
        let number = number.unwrap_or(worker.take_number + 1);
        worker.take_number = worker.take_number.max(number);
        let session = worker.session;
        let finishes = how.map_or(Vec::new(), |how| self.finish_open(&alias, &how));
        let wait_ms = wait.unwrap_or(60_000);
        let take = Take {
            session,
            number,
            max,
            wait_ms,
            finishes,
        };
        self.decide_take(take)
    }

    /// A take that is answered in the same breath was not parked, as far as its worker can see.
    pub(super) fn decide_take(&mut self, take: Take) -> String {
        let (session, number) = (take.session, take.number);
        let outcome = self.decide(Command::Take(take));
        let (mut own, others): (Vec<Wake>, Vec<Wake>) = outcome
            .wakes
            .into_iter()
            .partition(|wake| wake.session == session && wake.number == number);
        let reply = match (outcome.reply, own.pop()) {
            (Reply::Parked { finished }, Some(wake)) => Reply::Taken(Taken {
                finished,
                ..wake.taken
            }),
            (reply, None) => reply,
            (reply, Some(wake)) => panic!("both {reply:?} and {wake:?}"),
        };
        if let Reply::Taken(taken) = &reply {
            self.remember_taken(session, taken);
        }
        let said = self.show_reply(&reply, self.style());
        self.with_wakes(said, &others)
    }

    pub(super) fn finish_open(&mut self, alias: &str, how: &FinishHow) -> Vec<Finish> {
        let open = self.worker(alias).runs.iter_mut().filter(|run| run.open);
        let finishes = open.map(|run| {
            run.open = false;
            Finish {
                token: run.token,
                how: how.clone(),
                used: Vec::new(),
            }
        });
        finishes.collect()
    }

    /// `return ALIAS [number=]`
    pub(super) fn return_take(&mut self, mut words: Words<'_>) -> String {
        let alias = words.need("the worker");
        let number = words
            .option("number")
            .map(|text| text.parse().expect("a number"));
        words.done();
        let worker = self.worker(alias);
        let number = number.unwrap_or(worker.take_number);
        let session = worker.session;
        self.plain(Command::ReturnTake { session, number })
    }

    /// `beat ALIAS [TASK …|none] [progress=3/10] [used=q:3] [dropped=q:2]`
    pub(super) fn beat(&mut self, mut words: Words<'_>) -> String {
        let alias = words.need("the worker").to_owned();
        let progress = words.option("progress").map(parse::progress);
        let used: Vec<_> = words.option("used").map(parse::used).into_iter().collect();
        let dropped: Vec<_> = words
            .option("dropped")
            .map(parse::used)
            .into_iter()
            .collect();
        let none = words.flag("none");
        let named = words.all(|_| true);
        let runs = if named.is_empty() && !none {
            self.open_or_last(&alias)
        } else {
            named
                .iter()
                .map(|which| self.run(&alias, Some(which)))
                .collect()
        };
        let beat_run = |(index, owner): (usize, String)| BeatRun {
            token: self.workers[&owner].runs[index].token,
            progress: progress.clone(),
            used: used.clone(),
            dropped: dropped.clone(),
        };
        let runs = runs.into_iter().map(beat_run).collect();
        let session = self.worker(&alias).session;
        self.plain(Command::Beat(Beat { session, runs }))
    }

    pub(super) fn open_or_last(&self, alias: &str) -> Vec<(usize, String)> {
        let runs = &self.workers[alias].runs;
        let open: Vec<_> = (0..runs.len()).filter(|index| runs[*index].open).collect();
        let chosen = if open.is_empty() {
            runs.len().checked_sub(1).into_iter().collect()
        } else {
            open
        };
        chosen
            .into_iter()
            .map(|index| (index, alias.to_owned()))
            .collect()
    }

    /// `finish ALIAS [[owner/]TASK[#nth]] ok|fail|release … [used=q:3]`
    pub(super) fn finish(&mut self, mut words: Words<'_>) -> String {
        let alias = words.need("the worker").to_owned();
        let how = parse::finish_how(&mut words).expect("ok, fail or release");
        let used = words.option("used").map(parse::used).into_iter().collect();
        let named = words.next();
        words.done();
        let (index, owner) = self.run(&alias, named);
        let run = &mut self.worker(&owner).runs[index];
        run.open = false;
        let finish = Finish {
            token: run.token,
            how,
            used,
        };
        let session = self.worker(&alias).session;
        self.plain(Command::Finish {
            session,
            finishes: vec![finish],
        })
    }

    /// `spend ALIAS QUOTA UNITS [TASK]`
    pub(super) fn spend(&mut self, mut words: Words<'_>) -> String {
        let alias = words.need("the worker");
        let quota = parse::name(words.need("the quota"));
        let units = words.need("the units").parse().expect("units");
        let (index, owner) = self.run(alias, words.next());
        words.done();
        let token = self.workers[&owner].runs[index].token;
        let session = self.worker(alias).session;
        self.plain(Command::Spend(Spend {
            session,
            token,
            quota,
            units,
        }))
    }

    pub(super) fn goodbye(&mut self, mut words: Words<'_>) -> String {
        let session = self.session(words.need("the worker"));
        words.done();
        self.plain(Command::Goodbye { session })
    }

    pub(super) fn session(&mut self, alias: &str) -> SessionId {
        self.worker(alias).session
    }
}
