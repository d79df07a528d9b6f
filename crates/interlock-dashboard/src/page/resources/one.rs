//! One resource: its line, its quotas, what ran on it, and what to do with it.

use super::{history, line};
use crate::Shared;
use crate::ask::{Ask, Page, page};
use crate::part::{badge, button, empty, link, quota, time};
use crate::url;
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::Problem;
use interlock_api::page::Page as Listed;
use interlock_api::resource::{InLine, Resource, ResourceState};
use interlock_api::task::{Task, TaskQuery};
use interlock_api::token::Scope;
use maud::{Markup, html};

/// Runs on the timeline.
const RUNS: u32 = 60;
/// Scheduled tasks that are shown.
const SCHEDULED: usize = 10;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/resources/{resource}", page(show))
}

/// What the page is made of.
pub(crate) struct Data {
    pub(crate) resource: Resource,
    pub(crate) ended: Vec<Task>,
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let data = fetch(&ask).await?;
    let events = url::query([("resource", data.resource.resource.as_str())]);
    let events = events.trim_start_matches('?').to_owned();
    let title = data.resource.resource.clone();
    Ok(Page::live_of(title, draw(&ask.viewer, &data), events))
}

async fn fetch(ask: &Ask) -> Result<Data, Problem> {
    let name = ask.param("resource");
    let path = format!("/v1/resources/{}", url::segment(name));
    let resource: Resource = ask.api.get(&path).await?;
    let ended = TaskQuery {
        resource: Some(resource.resource.clone()),
        state: Some("succeeded,failed,cancelled".to_owned()),
        limit: Some(RUNS),
        ..TaskQuery::default()
    };
    let ended: Listed<Task> = ask.api.list("/v1/tasks", &ended).await?;
    Ok(Data {
        resource,
        ended: ended.items,
    })
}

pub(crate) fn draw(viewer: &Viewer, data: &Data) -> Markup {
    let resource = &data.resource;
    html! {
        div.head {
            h1.mono { (resource.resource) }
            (badge::resource(resource.state))
            div.actions { (actions(viewer, resource)) }
        }
        @if is_unknown(data) {
            (empty::empty(
                viewer,
                "Nothing is known of it yet",
                "A resource needs no declaration: it is there as soon as a task names it.",
                &[&format!("interlock submit sync {}", crate::part::command::quoted(&resource.resource))],
            ))
        } @else {
            (line::draw(viewer, resource))
            @if !resource.quotas.is_empty() {
                section.card aria-labelledby="quotas" {
                    h2 #quotas { "Quotas" }
                    @for count in &resource.quotas { (quota::count(viewer, count)) }
                }
            }
            (scheduled(viewer, &resource.scheduled))
            (history::timeline(viewer, &data.ended))
            (history::last(viewer, &resource.last))
        }
    }
}

fn is_unknown(data: &Data) -> bool {
    let resource = &data.resource;
    resource.state == ResourceState::Idle
        && resource.last.is_empty()
        && data.ended.is_empty()
        && resource.scheduled.is_empty()
        && resource.quotas.is_empty()
}

fn actions(viewer: &Viewer, resource: &Resource) -> Markup {
    let at = format!("/resources/{}", url::segment(&resource.resource));
    let submit = url::query([("resource", resource.resource.as_str())]);
    html! {
        @if viewer.may(Scope::Submit) {
            a.button href=(viewer.to("/submit") + &submit) { "Submit on it" }
        }
        @if viewer.may(Scope::Operate) {
            @if resource.held { (button::button(viewer, &format!("{at}/release"), "Release", "primary", &[])) }
            @else { (button::button(viewer, &format!("{at}/hold"), "Hold", "", &[])) }
        }
    }
}

fn scheduled(viewer: &Viewer, tasks: &[InLine]) -> Markup {
    html! {
        @if !tasks.is_empty() {
            section.card aria-labelledby="scheduled" {
                h2 #scheduled { "Not due yet" }
                ul.plain {
                    @for task in tasks.iter().take(SCHEDULED) {
                        li data-key={ "due-" (task.task) } {
                            (link::task(viewer, task.task)) " " strong { (task.kind) } " "
                            @for reason in task.reasons.iter().take(1) {
                                @match &reason.why {
                                    interlock_api::reason::Why::Scheduled { until } => { (time::until(*until, viewer.now)) },
                                    _ => { span.muted { (reason.sentence) } },
                                }
                            }
                        }
                    }
                    @if tasks.len() > SCHEDULED { li.muted { "and " (tasks.len() - SCHEDULED) " more" } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
