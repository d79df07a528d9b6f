//! The same to many tasks: first a page that says how many, then the deed.

use super::filter;
use super::list::table;
use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::part::number::counted;
use crate::part::{button, empty};
use crate::viewer::Viewer;
use axum::Router;
use futures_util::{StreamExt, stream};
use interlock_api::page::Page as Listed;
use interlock_api::task::{Cancel, Nothing, State, Task, TaskQuery};
use interlock_api::{Code, Problem};
use maud::{Markup, html};

/// At most so many at once.
const MOST: usize = 500;
/// How many the list is asked for at a time.
const LOOK_AT: u32 = 500;
/// How many pages of the list are looked at for them.
const PAGES: usize = 20;
/// How many of them are shown before.
const SHOWN: usize = 20;
/// How many are under way at the same time, so that they share commits.
const AT_ONCE: usize = 32;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/tasks/confirm", page(confirm))
        .route("/tasks/bulk", action(act))
}

/// What can be done to many tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Cancel,
    Retry,
    Hold,
    Release,
}

const VERBS: [(&str, Verb); 4] = [
    ("cancel", Verb::Cancel),
    ("retry", Verb::Retry),
    ("hold", Verb::Hold),
    ("release", Verb::Release),
];

impl Verb {
    fn read(text: &str) -> Result<Self, Problem> {
        let found = VERBS.iter().find(|(name, _)| *name == text);
        let unknown = || Problem::new(Code::BadValue, "choose what to do").at("verb");
        found.map(|(_, verb)| *verb).ok_or_else(unknown)
    }

    fn word(self) -> &'static str {
        let found = VERBS.iter().find(|(_, verb)| *verb == self);
        found.map_or("", |(name, _)| name)
    }

    fn label(self) -> &'static str {
        match self {
            Verb::Cancel => "Cancel",
            Verb::Retry => "Retry",
            Verb::Hold => "Hold",
            Verb::Release => "Release",
        }
    }

    fn done(self) -> &'static str {
        match self {
            Verb::Cancel => "cancelled, or told to stop",
            Verb::Retry => "submitted again",
            Verb::Hold => "held",
            Verb::Release => "released",
        }
    }

    /// Which states it makes sense for.
    fn fits(self, state: State) -> bool {
        match self {
            Verb::Cancel => matches!(state, State::Waiting | State::Running),
            Verb::Retry => !matches!(state, State::Waiting | State::Running),
            Verb::Hold | Verb::Release => state == State::Waiting,
        }
    }
}

/// The bar below a list with boxes.
pub(crate) fn bar(filtered: bool) -> Markup {
    html! {
        div.bulk {
            label for="verb" { "With those that are chosen" }
            select #verb name="verb" {
                @for (name, verb) in VERBS { option value=(name) { (verb.label()) } }
            }
            button type="submit" name="which" value="chosen" { "Chosen" span data-count="" {} "…" }
            button type="submit" name="which" value="all" {
                @if filtered { "All that fit the filters…" } @else { "All…" }
            }
        }
    }
}

/// Those that are meant, and whether there are more than can be taken at once.
struct Meant {
    tasks: Vec<Task>,
    more: bool,
}

async fn confirm(ask: Ask) -> Result<Page, Problem> {
    let verb = Verb::read(ask.query.get("verb"))?;
    let meant = match ask.query.get("which") {
        "all" => matching(&ask, verb).await?,
        _ => chosen(&ask, verb).await?,
    };
    let title = format!("{} {}?", verb.label(), count(&meant));
    let main = draw(&ask, verb, &meant);
    Ok(Page::still(title, main))
}

fn count(meant: &Meant) -> String {
    counted(meant.tasks.len() as u64, "task", "tasks")
}

/// Those whose boxes are ticked, as far as the verb makes sense for them.
async fn chosen(ask: &Ask, verb: Verb) -> Result<Meant, Problem> {
    let ids: Vec<u64> = ask
        .query
        .all("task")
        .filter_map(|id| id.parse().ok())
        .collect();
    let looks = ids.iter().copied().take(MOST).map(|id| {
        let path = format!("/v1/tasks/{id}");
        async move { ask.api.get::<Task>(&path).await }
    });
    let found: Vec<_> = stream::iter(looks).buffered(AT_ONCE).collect().await;
    let mut tasks = Vec::new();
    for task in found {
        match task {
            Ok(task) if verb.fits(task.state) => tasks.push(task),
            Ok(_) => {}
            // It may have gone from the history since the box was ticked.
            Err(problem) if problem.code == Code::UnknownTask => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(Meant {
        tasks,
        more: ids.len() > MOST,
    })
}

/// Those that fit the filters, as far as the verb makes sense for them.
async fn matching(ask: &Ask, verb: Verb) -> Result<Meant, Problem> {
    let mut query = filter::read(&ask.query, ask.viewer.now, LOOK_AT)?;
    let wanted = query.state.clone().unwrap_or_default();
    let states: Vec<&str> = (filter::STATES.iter())
        .filter(|(_, state)| verb.fits(*state))
        .map(|(name, _)| *name)
        .filter(|name| wanted.is_empty() || wanted.split(',').any(|one| one == *name))
        .collect();
    let mut meant = Meant {
        tasks: Vec::new(),
        more: false,
    };
    if states.is_empty() {
        return Ok(meant);
    }
    query.state = Some(states.join(","));
    for _ in 0..PAGES {
        let listed: Listed<Task> = ask.api.list("/v1/tasks", &query).await?;
        meant.tasks.extend(listed.items);
        meant.more = listed.next.is_some() || meant.tasks.len() > MOST;
        if listed.next.is_none() || meant.tasks.len() >= MOST {
            break;
        }
        query = TaskQuery {
            cursor: listed.next,
            ..query
        };
    }
    meant.tasks.truncate(MOST);
    Ok(meant)
}

fn draw(ask: &Ask, verb: Verb, meant: &Meant) -> Markup {
    let viewer = &ask.viewer;
    let back = back(ask);
    if meant.tasks.is_empty() {
        let title = format!("There is nothing to {}", verb.word());
        let text = "None was chosen, or none of them is in a state where this makes sense.";
        return html! {
            h1 { (title) }
            (empty::empty(viewer, "No task is meant", text, &[]))
            p { a.button href=(back) { "Back to the list" } }
        };
    }
    let ids: Vec<String> = (meant.tasks.iter())
        .map(|task| task.task.to_string())
        .collect();
    let several = meant
        .tasks
        .iter()
        .any(|task| task.stands_for.unwrap_or(1) > 1);
    html! {
        h1 { (verb.label()) " " (count(meant)) "?" }
        @if meant.more {
            p.notice.info { "More fit than can be taken at once. These are the newest; do it again for the rest." }
        }
        form.stack method="post" action=(viewer.to("/tasks/bulk")) {
            input type="hidden" name="back" value=(back);
            input type="hidden" name="verb" value=(verb.word());
            input type="hidden" name="tasks" value=(ids.join(" "));
            @if verb == Verb::Cancel && several {
                label.chip { input type="checkbox" name="all" value="yes"; "Also those that stand for several submissions" }
            }
            div.actions {
                button.(tone(verb)) type="submit" { (verb.label()) " " (count(meant)) }
                a.button href=(back) { "Back" }
            }
        }
        (sample(viewer, &meant.tasks))
    }
}

fn tone(verb: Verb) -> &'static str {
    match verb {
        Verb::Cancel => "danger",
        _ => "primary",
    }
}

fn sample(viewer: &Viewer, tasks: &[Task]) -> Markup {
    html! {
        (table(viewer, &tasks[..tasks.len().min(SHOWN)], false))
        @if tasks.len() > SHOWN {
            p.muted { "And " (counted((tasks.len() - SHOWN) as u64, "other", "others")) "." }
        }
    }
}

/// The list that it came from.
fn back(ask: &Ask) -> String {
    let filters = filter::pairs(&ask.query);
    let pairs = filters.iter().map(|(name, value)| (*name, value.as_str()));
    ask.viewer.to("/tasks") + &crate::url::query(pairs)
}

async fn act(ask: Ask, form: Form) -> Result<Acted, Problem> {
    let verb = Verb::read(form.get("verb"))?;
    let all = form.get("all") == "yes";
    let ids: Vec<u64> = (form.get("tasks").split_whitespace())
        .filter_map(|id| id.parse().ok())
        .take(MOST)
        .collect();
    let api = &ask.api;
    let deeds = ids.iter().copied().map(|id| async move {
        let path = format!("/v1/tasks/{id}/{}", verb.word());
        match verb {
            Verb::Cancel => api.post::<serde_json::Value>(&path, &Cancel { all }).await,
            _ => api.post::<serde_json::Value>(&path, &Nothing {}).await,
        }
    });
    let results: Vec<_> = stream::iter(deeds).buffered(AT_ONCE).collect().await;
    let faults: Vec<&Problem> = results
        .iter()
        .filter_map(|one| one.as_ref().err())
        .collect();
    let done = results.len() - faults.len();
    let text = format!("{} {}.", counted(done as u64, "task", "tasks"), verb.done());
    match faults.first() {
        None => Ok(Acted::done(text)),
        Some(fault) if done == 0 => Err((*fault).clone()),
        Some(fault) => {
            let others = counted(faults.len() as u64, "was", "were");
            Ok(Acted::done(format!("{text} {others} not: {fault}.")))
        }
    }
}

/// The button of one verb for one task, on a page of its own.
pub(crate) fn one(viewer: &Viewer, task: u64, verb: &str, label: &str, tone: &str) -> Markup {
    button::button(viewer, &format!("/tasks/{task}/{verb}"), label, tone, &[])
}
