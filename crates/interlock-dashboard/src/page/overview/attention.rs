//! What needs attention first.

use super::Data;
use crate::part::number::counted;
use crate::part::{command, icon, link, time};
use crate::url;
use crate::viewer::Viewer;
use interlock_api::Time;
use interlock_api::overview::Overview;
use interlock_api::quota::QuotaCount;
use interlock_api::resource::ResourceState;
use interlock_api::task::EndWhy;
use interlock_api::worker::WorkerState;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Older than this, a waiting task is worth a word.
const OLD_MS: u64 = 10 * 60_000;
/// Failures since then are news.
const NEWS_MS: u64 = 60 * 60_000;
/// Of each sort at most so many.
const EACH: usize = 3;

/// One thing that needs attention.
struct Item {
    key: String,
    tone: &'static str,
    said: Markup,
}

impl Item {
    fn new(key: String, tone: &'static str, said: Markup) -> Self {
        Self { key, tone, said }
    }
}

/// The list, the worst first; or that there is nothing.
pub(crate) fn draw(viewer: &Viewer, data: &Data) -> Markup {
    let items = items(viewer, data);
    html! {
        section.card.attention.calm[items.is_empty()] aria-labelledby="attention" {
            h2 #attention { "Needs attention" }
            @if items.is_empty() {
                p.muted { (icon::shape("good")) " Nothing does." }
            } @else {
                ul.plain {
                    @for item in &items {
                        li.(item.tone) data-key=(item.key) { (icon::shape(item.tone)) div { (item.said) } }
                    }
                }
            }
        }
    }
}

fn items(viewer: &Viewer, data: &Data) -> Vec<Item> {
    let mut items = Vec::new();
    items.extend(held(&data.overview));
    items.extend(unstaffed(viewer, &data.overview));
    items.extend(lost(viewer, data));
    items.extend(failing(viewer, &data.overview));
    items.extend(failures(viewer, data));
    items.extend(quotas(viewer, &data.overview));
    items.extend(oldest(viewer, &data.overview));
    items
}

fn held(overview: &Overview) -> Option<Item> {
    let said =
        html! { strong { "The namespace is held." } " No task starts until it is released." };
    overview
        .held
        .then(|| Item::new("held".to_owned(), "hold", said))
}

fn unstaffed(viewer: &Viewer, overview: &Overview) -> Vec<Item> {
    let kinds = overview.kinds.iter();
    let kinds = kinds.filter(|kind| !kind.staffed && kind.waiting > 0);
    let item = |kind: &interlock_api::overview::KindCount| {
        let work = format!(
            "interlock work --kind {} -- ./command",
            command::quoted(&kind.kind)
        );
        let said = html! {
            strong { "No worker handles " (link::kind(viewer, Some(&kind.kind))) "." }
            " " (counted(kind.waiting, "task waits", "tasks wait")) " for one. Start one: " code { (work) }
        };
        Item::new(format!("unstaffed-{}", kind.kind), "bad", said)
    };
    kinds.take(EACH).map(item).collect()
}

fn lost(viewer: &Viewer, data: &Data) -> Vec<Item> {
    let workers = data.workers.iter();
    let workers = workers.filter(|worker| worker.state == WorkerState::Lost);
    let item = |worker: &interlock_api::worker::Worker| {
        let said = html! {
            strong { "Worker " a href=(viewer.to("/workers")) { (worker.name) } " was lost." }
            @if let Some(heard) = worker.heard { " It was last heard of " (time::relative(heard, viewer.now)) "." }
            " It gets no work until it registers again."
        };
        Item::new(format!("lost-{}", worker.name), "bad", said)
    };
    workers.take(EACH).map(item).collect()
}

fn failing(viewer: &Viewer, overview: &Overview) -> Vec<Item> {
    let lines = overview.lines.iter();
    let lines = lines.filter(|line| line.state == ResourceState::Failing);
    let item = |line: &interlock_api::overview::Line| {
        let reason = line.first.as_ref().and_then(|first| first.reasons.first());
        let said = html! {
            strong { (link::resource(viewer, &line.resource)) " is failing." }
            @if let Some(reason) = reason { " " (reason.sentence) }
        };
        Item::new(format!("failing-{}", line.resource), "bad", said)
    };
    lines.take(EACH).map(item).collect()
}

/// Tasks of a kind that failed for good with the same error.
#[derive(Default)]
struct Group<'a> {
    tasks: u64,
    resources: BTreeSet<&'a str>,
    last: Time,
}

fn failures(viewer: &Viewer, data: &Data) -> Vec<Item> {
    let since = Time::from_ms(viewer.now.ms().saturating_sub(NEWS_MS));
    let mut groups = BTreeMap::<(&str, &str), Group<'_>>::new();
    for task in &data.failed.items {
        let (Some(kind), Some(end), Some(ended)) = (&task.kind, &task.end, task.ended) else {
            continue;
        };
        if ended < since {
            continue;
        }
        let error = match &end.why {
            EndWhy::Failure { message, .. } => message,
            _ => &end.sentence,
        };
        let group = groups.entry((kind, error)).or_default();
        group.tasks += 1;
        let resources = task.resources.iter();
        group
            .resources
            .extend(resources.map(|claim| claim.resource.as_str()));
        group.last = group.last.max(ended);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.tasks));
    let more = data.failed.next.is_some();
    let groups = groups.iter().take(EACH);
    groups
        .map(|((kind, error), group)| failure(viewer, kind, error, group, more))
        .collect()
}

fn failure(viewer: &Viewer, kind: &str, error: &str, group: &Group<'_>, more: bool) -> Item {
    let resources = counted(group.resources.len() as u64, "resource", "resources");
    let said = html! {
        strong {
            @if more { "At least " }
            (counted(group.tasks, "task", "tasks")) " of " (link::kind(viewer, Some(kind))) " failed for good"
        }
        " on " (resources) " in the last hour, the last " (time::relative(group.last, viewer.now)) ": "
        a.error href=(viewer.to("/failures")) { (error) }
    };
    Item::new(format!("failure-{kind}-{error}"), "bad", said)
}

fn quotas(viewer: &Viewer, overview: &Overview) -> Vec<Item> {
    let is_short = |count: &&QuotaCount| count.paused_until.is_some() || count.waiting > 0;
    let item = |count: &QuotaCount| {
        let to = viewer.to(&format!("/quotas/{}", url::segment(&count.quota)));
        let said = html! {
            strong {
                "Quota " a href=(to) { (count.quota) }
                @if let Some(resource) = &count.resource { " of " (link::resource(viewer, resource)) }
                @if count.paused_until.is_some() { " is paused." } @else { " has no units left." }
            }
            @if count.waiting > 0 { " " (counted(count.waiting, "task waits", "tasks wait")) "." }
            @if let Some(until) = count.paused_until.or(count.next) { " It goes on " (time::until(until, viewer.now)) "." }
        };
        let resource = count.resource.as_deref().unwrap_or("");
        Item::new(format!("quota-{}-{resource}", count.quota), "wait", said)
    };
    overview
        .quotas
        .iter()
        .filter(is_short)
        .take(EACH)
        .map(item)
        .collect()
}

fn oldest(viewer: &Viewer, overview: &Overview) -> Option<Item> {
    let kinds = overview.kinds.iter();
    let (since, kind) = kinds
        .filter_map(|kind| Some((kind.oldest?, &kind.kind)))
        .min()?;
    let is_old = viewer.now.ms().saturating_sub(since.ms()) >= OLD_MS;
    let tasks = url::query([("state", "waiting"), ("kind", kind.as_str())]);
    let said = html! {
        strong { "The oldest waiting task" } " is of kind "
        a href=(viewer.to("/tasks") + &tasks) { (kind) } " and was submitted " (time::relative(since, viewer.now)) "."
    };
    is_old.then(|| Item::new("oldest".to_owned(), "wait", said))
}
