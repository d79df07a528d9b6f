//! The filters of the list of tasks: those of the API, as they stand in the address.

use crate::form::Form;
use crate::part::badge;
use crate::viewer::Viewer;
use interlock_api::task::{State, TaskQuery};
use interlock_api::{Code, Problem, Span, Time};
use maud::{Markup, html};

/// All states, as the address names them.
pub(crate) const STATES: [(&str, State); 5] = [
    ("waiting", State::Waiting),
    ("running", State::Running),
    ("succeeded", State::Succeeded),
    ("failed", State::Failed),
    ("cancelled", State::Cancelled),
];

/// The names of the filters, in the order in which they are shown.
const NAMES: [(&str, &str); 8] = [
    ("kind", "Kind"),
    ("resource", "Resource"),
    ("worker", "Worker"),
    ("tag", "Tag"),
    ("schedule", "Schedule"),
    ("group", "Group"),
    ("since", "Since"),
    ("until", "Until"),
];

/// Filters that are seldom wanted, and folded away unless they are set.
const SELDOM: usize = 2;

/// The filters as they stand in the address, without the cursor.
pub(crate) fn pairs(form: &Form) -> Vec<(&'static str, String)> {
    let states = form.all("state").flat_map(|text| text.split(','));
    let states: Vec<&str> = states.filter(|text| !text.is_empty()).collect();
    let mut pairs = vec![("state", states.join(","))];
    pairs.extend(
        NAMES
            .iter()
            .map(|(name, _)| (*name, form.get(name).to_owned())),
    );
    pairs.push(("parent", form.get("parent").to_owned()));
    pairs.retain(|(_, value)| !value.is_empty());
    pairs
}

/// The filters as the API has them. What is empty is no filter.
pub(crate) fn read(form: &Form, now: Time, limit: u32) -> Result<TaskQuery, Problem> {
    let pairs = pairs(form);
    let find = |wanted: &str| -> Option<String> {
        let found = pairs.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| value.clone())
    };
    let number = |name: &'static str| -> Result<Option<u64>, Problem> {
        let number = find(name).map(|text| text.parse()).transpose();
        number.map_err(|_| Problem::new(Code::BadValue, "it must be a whole number").at(name))
    };
    Ok(TaskQuery {
        state: find("state"),
        kind: find("kind"),
        resource: find("resource"),
        worker: find("worker"),
        tag: find("tag"),
        schedule: find("schedule"),
        group: number("group")?,
        parent: number("parent")?,
        since: time(find("since"), "since", now)?,
        until: time(find("until"), "until", now)?,
        cursor: form.some("cursor"),
        limit: Some(limit),
    })
}

/// A time as RFC 3339 has it, or so long ago: `1h`.
fn time(text: Option<String>, name: &str, now: Time) -> Result<Option<Time>, Problem> {
    let Some(text) = text else { return Ok(None) };
    if let Ok(span) = text.parse::<Span>() {
        return Ok(Some(Time::from_ms(now.ms().saturating_sub(span.ms()))));
    }
    let wrong = "it must be a time such as 2026-11-15T10:30:00Z, or how long ago, such as 1h";
    let time = text.parse();
    time.map(Some)
        .map_err(|_| Problem::new(Code::BadValue, wrong).at(name))
}

/// The form above the list.
pub(crate) fn draw(viewer: &Viewer, form: &Form) -> Markup {
    let pairs = pairs(form);
    let value = |wanted: &str| {
        let found = pairs.iter().find(|(name, _)| *name == wanted);
        found.map_or("", |(_, value)| value)
    };
    let seldom = &NAMES[SELDOM..];
    let any_seldom = seldom.iter().any(|(name, _)| !value(name).is_empty());
    let field = |name: &str, label: &str| {
        html! {
            div.field {
                label for={ "by-" (name) } { (label) }
                input id={ "by-" (name) } name=(name) value=(value(name)) placeholder=[example(name)] spellcheck="false" autocomplete="off";
            }
        }
    };
    html! {
        form.filters.card method="get" action=(viewer.to("/tasks")) role="search" aria-label="Filter tasks" {
            fieldset {
                legend { "State" }
                @for (name, state) in STATES {
                    label.chip {
                        input type="checkbox" name="state" value=(name) checked[value("state").split(',').any(|on| on == name)];
                        (badge::state(state))
                    }
                }
            }
            @for (name, label) in &NAMES[..SELDOM] { (field(name, label)) }
            @if !value("parent").is_empty() { (field("parent", "Parent")) }
            div.actions {
                button.primary type="submit" { "Filter" }
                @if !pairs.is_empty() { a.button href=(viewer.to("/tasks")) { "Clear" } }
            }
            details.seldom #more-filters open[any_seldom] {
                summary { "More filters" }
                div.filters { @for (name, label) in seldom { (field(name, label)) } }
            }
        }
    }
}

fn example(name: &str) -> Option<&'static str> {
    match name {
        "resource" => Some("repository:f16"),
        "since" | "until" => Some("1h, or a time"),
        _ => None,
    }
}
