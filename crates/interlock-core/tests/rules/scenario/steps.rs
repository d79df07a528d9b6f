//! What each row of a table does: one verb, one function. Here are the rows of submitters and
//! operators; those of workers, of the server and the views have files of their own.

use super::parse;
use super::render::Style;
use super::span;
use super::words::Words;
use super::world::World;
use interlock_core::Command;
use interlock_core::command::Submit;
use interlock_core::words::{GroupId, Namespace};

impl World {
    /// Runs one row without its last column, and returns what the last column should say.
    pub(crate) fn step(&mut self, row: &str) -> String {
        let mut words = Words::new(row);
        let mut parts = Vec::new();
        let mut verb = words.need("a verb");
        if verb == "at" {
            let at = span::parse(words.need("a time"));
            let woken = self.advance(at);
            for (when, wake) in woken {
                let early = when != at;
                let when = if early {
                    format!("[{}] ", span::show(when))
                } else {
                    String::new()
                };
                parts.push(when + &self.show_wake(&wake));
            }
            verb = words.need("a verb");
        }
        let said = self.verb(verb, words);
        if !said.is_empty() {
            parts.push(said);
        }
        if parts.is_empty() {
            "-".to_owned()
        } else {
            parts.join("; ")
        }
    }

    pub(super) fn verb(&mut self, verb: &str, words: Words<'_>) -> String {
        match verb {
            "kind" => self.plain(Command::SetKind(Box::new(parse::kind(words)))),
            "quota" => self.plain(Command::SetQuota(Box::new(parse::quota(words)))),
            "schedule" => {
                let schedule = parse::schedule(words, self.epoch);
                self.plain(Command::SetSchedule(Box::new(schedule)))
            }
            "namespace" => self.namespace(words),
            "remove" => self.remove(words),
            "submit" => self.submit(words, false),
            "group" => self.submit(words, true),
            "register" => self.register(words),
            "take" => self.take(words),
            "return" => self.return_take(words),
            "beat" => self.beat(words),
            "finish" => self.finish(words),
            "spend" => self.spend(words),
            "goodbye" => self.goodbye(words),
            "drain" => self.drain(words),
            "cancel" => self.cancel(words),
            "bump" => self.bump(words),
            "hold" => self.hold(words, true),
            "release" => self.hold(words, false),
            "pause" => self.pause(words),
            "resume" => self.resume(words),
            "tick" => {
                let wakes = self.decide(Command::Tick).wakes;
                self.with_wakes(String::new(), &wakes)
            }
            _ => self.outside_verb(verb, words),
        }
    }

    pub(super) fn style(&self) -> Style {
        Style {
            epoch: self.epoch,
            ..Style::default()
        }
    }

    /// Decides a command and renders reply and wakes.
    pub(super) fn plain(&mut self, command: Command) -> String {
        let outcome = self.decide(command);
        let said = self.show_reply(&outcome.reply, self.style());
        self.with_wakes(said, &outcome.wakes)
    }

    pub(super) fn namespace(&mut self, mut words: Words<'_>) -> String {
        let mut namespace = Namespace::default();
        if let Some(text) = words.option("step") {
            namespace.step_ms = span::parse(text);
        }
        if let Some(text) = words.option("waiting") {
            namespace.waiting_max = text.parse().expect("a cap");
        }
        if let Some(text) = words.option("per_resource") {
            namespace.waiting_per_resource_max = text.parse().expect("a cap");
        }
        words.done();
        self.plain(Command::SetNamespace(namespace))
    }

    /// `remove kind|quota|schedule NAME`
    pub(super) fn remove(&mut self, mut words: Words<'_>) -> String {
        let what = words.need("what to remove");
        let name = parse::name(words.need("its name"));
        self.plain(match what {
            "kind" => Command::RemoveKind(name),
            "quota" => Command::RemoveQuota(name),
            "schedule" => Command::RemoveSchedule(name),
            _ => panic!("{what} can't be removed"),
        })
    }

    /// `submit SUBMISSION [; SUBMISSION …] [dry] [long] [parent=[alias/]task]`
    pub(super) fn submit(&mut self, mut words: Words<'_>, group: bool) -> String {
        let dry_run = words.flag("dry");
        let long = words.flag("long");
        let parent = words.option("parent").map(|text| {
            let (alias, which) = text
                .split_once('/')
                .map_or((text, None), |(a, t)| (a, Some(t)));
            let (index, owner) = self.run(alias, which);
            self.workers[&owner].runs[index].token
        });
        let pieces = words.pieces(";").into_iter();
        let mut items: Vec<_> = pieces
            .map(|piece| parse::submission(piece, self.epoch))
            .collect();
        for item in &mut items {
            item.parent = parent;
        }
        let resources = items.iter().any(|item| item.claims.len() > 1);
        let style = Style {
            resources,
            long,
            epoch: self.epoch,
        };
        let outcome = self.decide(Command::Submit(Submit {
            items,
            group,
            dry_run,
        }));
        let said = self.show_reply(&outcome.reply, style);
        self.with_wakes(said, &outcome.wakes)
    }

    /// `cancel TASK|gN [all] [by=]`
    pub(super) fn cancel(&mut self, mut words: Words<'_>) -> String {
        let all = words.flag("all");
        let by = words.option("by").map(parse::name);
        let what = words.need("what to cancel");
        words.done();
        match what.strip_prefix('g') {
            Some(_) => {
                let group = self.group_id(what);
                self.plain(Command::CancelGroup { group, by })
            }
            None => self.plain(Command::Cancel {
                task: parse::task(what),
                all,
                by,
            }),
        }
    }

    pub(super) fn group_id(&self, name: &str) -> GroupId {
        let nth: usize = name.trim_start_matches('g').parse().expect("gN");
        self.groups
            .get(nth - 1)
            .copied()
            .unwrap_or(GroupId(u64::MAX))
    }

    /// `bump TASK PRIORITY`
    pub(super) fn bump(&mut self, mut words: Words<'_>) -> String {
        let task = parse::task(words.need("the task"));
        let priority = words.need("the priority").parse().expect("a priority");
        words.done();
        self.plain(Command::Bump {
            task,
            priority,
            by: None,
        })
    }

    /// `hold|release task N|resource R|kind K|namespace`
    pub(super) fn hold(&mut self, mut words: Words<'_>, hold: bool) -> String {
        let what = parse::hold_target(&mut words);
        words.done();
        self.plain(match hold {
            true => Command::Hold { what, by: None },
            false => Command::Release { what, by: None },
        })
    }

    /// `pause quota NAME[@RESOURCE] SPAN` or `pause schedule NAME`
    pub(super) fn pause(&mut self, mut words: Words<'_>) -> String {
        let what = words.need("what to pause");
        let name = words.need("its name");
        if what == "schedule" {
            let name = parse::name(name);
            return self.plain(Command::PauseSchedule { name, paused: true });
        }
        let (quota, resource) = name
            .split_once('@')
            .map_or((name, None), |(q, r)| (q, Some(r)));
        let for_ms = span::parse(words.need("how long"));
        self.plain(Command::PauseQuota {
            quota: parse::name(quota),
            resource: resource.map(parse::resource),
            for_ms,
        })
    }

    /// `resume schedule NAME`
    pub(super) fn resume(&mut self, mut words: Words<'_>) -> String {
        assert_eq!(words.need("what to resume"), "schedule");
        let name = parse::name(words.need("its name"));
        self.plain(Command::PauseSchedule {
            name,
            paused: false,
        })
    }

    pub(super) fn drain(&mut self, mut words: Words<'_>) -> String {
        let worker = parse::name(words.need("the worker"));
        words.done();
        self.plain(Command::Drain { worker, by: None })
    }
}
