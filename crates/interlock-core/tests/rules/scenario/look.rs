//! Looking at the core in a table: every view, as one line.

use super::parse;
use super::render::{self, Style};
use super::words::Words;
use super::world::World;
use interlock_core::Command;
use interlock_core::view::{Found, TaskState, TaskView};

impl World {
    /// The views, as of now.
    pub(super) fn look(&mut self, verb: &str, mut words: Words<'_>) -> String {
        if self.up {
            self.decide(Command::Tick);
        }
        match verb {
            "show" => self.show(words),
            "explain" => {
                let task = parse::task(words.need("the task"));
                let style = Style {
                    long: words.flag("long"),
                    ..self.style()
                };
                let explanation = self.core.explain(task);
                explanation.map_or("not live".to_owned(), |e| render::explanation(&e, style))
            }
            "places" => self.places(words),
            "resource" => {
                let resource = parse::resource(words.need("the resource"));
                render::resource(&self.core.resource(&resource))
            }
            "usage" => self.usage(words),
            "workers" => {
                let shown = self
                    .core
                    .workers()
                    .iter()
                    .map(render::worker)
                    .collect::<Vec<_>>();
                shown.join("; ")
            }
            "schedules" => {
                let style = self.style();
                let views = self.core.schedules();
                let shown = views.iter().map(|view| render::schedule(view, style));
                shown.collect::<Vec<_>>().join("; ")
            }
            "members" => self.members(words),
            "live" => {
                let live = render::ids(&self.core.live_tasks());
                if live.is_empty() {
                    "none".to_owned()
                } else {
                    live
                }
            }
            "counts" => {
                let counts = self.core.counts();
                format!("waiting {}, running {}", counts.waiting, counts.running)
            }
            "handed" => self.show_handed(words),
            _ => panic!("unknown verb {verb}"),
        }
    }

    /// `show TASK [long|count|claims|parent|priority]`
    pub(super) fn show(&mut self, mut words: Words<'_>) -> String {
        let task = parse::task(words.need("the task"));
        let long = words.flag("long");
        let field = words.next();
        match self.core.task(task) {
            Found::Unknown => "unknown".to_owned(),
            Found::Ended(outcome) => {
                let end = self.oracle.end(task);
                let told = end.is_none_or(|end| end.outcome == outcome);
                assert!(
                    told,
                    "{task} is shown as {outcome:?}, but the log has {end:?}"
                );
                let why = end
                    .map(|end| render::end_why(&end.why))
                    .filter(|why| !why.is_empty())
                    .map(|why| format!(": {why}"));
                render::outcome(outcome).to_owned() + &why.unwrap_or_default()
            }
            Found::Live(view) => {
                let prefix = match view.task == task {
                    true => String::new(),
                    false => format!("as {}, ", view.task),
                };
                let style = Style {
                    resources: view.claims.len() > 1,
                    long,
                    epoch: self.epoch,
                };
                prefix
                    + &field.map_or_else(|| state(&view, style), |field| view_field(&view, field))
            }
        }
    }

    /// `places TASK`: how many go first, by line.
    pub(super) fn places(&mut self, mut words: Words<'_>) -> String {
        let task = parse::task(words.need("the task"));
        let explanation = self.core.explain(task).expect("a live task");
        let shown = explanation.places.iter().map(|place| {
            let at_least = if place.at_least { "at least " } else { "" };
            format!("{at_least}{} ahead in {}", place.ahead, place.resource)
        });
        let shown = shown.collect::<Vec<_>>().join(", ");
        if shown.is_empty() {
            "in no line".to_owned()
        } else {
            shown
        }
    }

    /// `usage QUOTA[@RESOURCE]`
    pub(super) fn usage(&mut self, mut words: Words<'_>) -> String {
        let name = words.need("the quota");
        let (quota, resource) = name
            .split_once('@')
            .map_or((name, None), |(q, r)| (q, Some(r)));
        let resource = resource.map(parse::resource);
        let view = self.core.quota(&parse::name(quota), resource.as_ref());
        view.map_or("unknown".to_owned(), |view| render::quota(&view))
    }

    /// `members gN`
    pub(super) fn members(&mut self, mut words: Words<'_>) -> String {
        let group = self.group_id(words.need("the group"));
        let Some(view) = self.core.group(group) else {
            return "over".to_owned();
        };
        let shown = view
            .tasks
            .iter()
            .map(|(task, outcome)| format!("{task} {}", outcome.map_or("live", render::outcome)));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// `handed TASK FIELD…`: what the worker was last handed.
    pub(super) fn show_handed(&mut self, mut words: Words<'_>) -> String {
        let task = parse::task(words.need("the task"));
        let hand_out = self
            .handed
            .get(&task)
            .unwrap_or_else(|| panic!("{task} never ran"));
        let fields = words.all(|_| true);
        let shown = fields.iter().map(|field| render::hand_out(hand_out, field));
        shown.collect::<Vec<_>>().join(", ")
    }
}

fn state(view: &TaskView, style: Style) -> String {
    match &view.state {
        TaskState::Waiting => format!("waiting: {}", render::reasons(&view.reasons, style)),
        TaskState::Running {
            worker,
            stopping,
            progress,
            ..
        } => {
            let stopping = if *stopping { ", stopping" } else { "" };
            let far = progress.as_ref().filter(|_| style.long);
            let far = far.map_or(String::new(), |far| format!(", {}", render::progress(far)));
            format!("running on {worker}{stopping}{far}")
        }
    }
}

fn view_field(view: &TaskView, field: &str) -> String {
    match field {
        "count" => format!("x{}", view.stands_for),
        "claims" => render::claims(&view.claims),
        "priority" => format!("priority {}", view.priority),
        "tries" => format!("tries {}, losses {}", view.tries, view.losses),
        "parent" => view
            .parent
            .map_or("no parent".to_owned(), |task| format!("under {task}")),
        "schedule" => view
            .schedule
            .as_ref()
            .map_or("none".to_owned(), ToString::to_string),
        "tags" => view
            .tags
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" "),
        _ => panic!("a task has no field {field}"),
    }
}
