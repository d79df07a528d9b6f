//! Links to tasks and resources.

use crate::url;
use crate::viewer::Viewer;
use interlock_api::claim::{Claim, Op};
use maud::{Markup, html};

/// A task by its number.
pub(crate) fn task(viewer: &Viewer, task: u64) -> Markup {
    html! { a.id href=(viewer.to_task(task)) { "#" (task) } }
}

/// A resource by its name.
pub(crate) fn resource(viewer: &Viewer, resource: &str) -> Markup {
    html! { a.resource href=(viewer.to_resource(resource)) { (resource) } }
}

/// A kind by its name.
pub(crate) fn kind(viewer: &Viewer, kind: Option<&str>) -> Markup {
    html! {
        @match kind {
            Some(kind) => { a.kind href=(viewer.to(&format!("/kinds/{}", url::segment(kind)))) { (kind) } },
            None => { span.muted { "not kept" } },
        }
    }
}

/// A worker by its name: the tasks that it runs or ran last.
pub(crate) fn worker(viewer: &Viewer, worker: &str) -> Markup {
    html! { a href=(viewer.to("/tasks") + &url::query([("worker", worker)])) { (worker) } }
}

/// What a task touches: the first two, and how many more.
pub(crate) fn claims(viewer: &Viewer, claims: &[Claim]) -> Markup {
    const SHOWN: usize = 2;
    html! {
        @for claim in claims.iter().take(SHOWN) {
            span.claim {
                @if let Some(op) = claim.op { span.op { (op_word(op)) " " } }
                (resource(viewer, &claim.resource))
            } " "
        }
        @if claims.len() > SHOWN { span.muted { "and " (claims.len() - SHOWN) " more" } }
    }
}

/// What a task does to a resource.
pub(crate) fn op_word(op: Op) -> &'static str {
    match op {
        Op::Read => "read",
        Op::Update => "update",
        Op::Create => "create",
        Op::Delete => "delete",
    }
}
