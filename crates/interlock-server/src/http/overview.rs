//! A namespace in one look, for whoever looks again and again.

use super::answer::{Json, Problems};
use super::body::Query;
use super::{Access, Answer, App, Read, clock_of};
use crate::cell::View;
use interlock_api::convert;
use interlock_api::overview::{Overview, OverviewQuery, StageCount, Totals};
use interlock_api::time::Time;
use interlock_core::view::{Found, KindView, TaskView};
use interlock_core::words::TaskId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(overview))
}

/// Shows a namespace in one look: what was counted, where tasks are, the busiest lines and why they
/// wait, and the quotas that matter now.
///
/// Its cost does not depend on how many tasks there are.
#[utoipa::path(get, path = "/v1/overview", tag = "overview",
    security(("token" = ["read"])),
    params(OverviewQuery),
    responses(
        (status = 200, description = "The namespace", body = Overview),
        Problems,
    ))]
async fn overview(
    access: Access<Read>,
    Query(query): Query<OverviewQuery>,
) -> Answer<Json<Overview>> {
    let limit = query.limit()?;
    let namespace = access.namespace.name.clone();
    let totals = access.server.metrics.decisions(&namespace).totals();
    let cell = &access.namespace.cell;
    let seen = cell.read(move |view| seen(view, namespace, totals, limit));
    Ok(Json(seen.await?))
}

fn seen(view: &View<'_>, namespace: String, totals: Totals, limit: usize) -> Overview {
    let (core, clock) = (&view.core, clock_of(view.now));
    let task = |id: TaskId| -> Option<TaskView> {
        match core.task(id) {
            Found::Live(task) => Some(*task),
            Found::Ended(_) | Found::Unknown => None,
        }
    };
    let stages = core.stages().map(|(stage, tasks)| StageCount {
        stage: stage.to_owned(),
        tasks,
    });
    Overview {
        namespace,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        now: Time::from(view.now.wall),
        held: core.namespace().1,
        counts: convert::status::counts(&core.counts()),
        totals,
        stages: stages.collect(),
        kinds: (busy_kinds(view, limit).iter())
            .map(convert::overview::kind)
            .collect(),
        lines: (core.busiest(limit).iter())
            .map(|line| convert::overview::line(line, task, &clock))
            .collect(),
        quotas: (core.counts_in_use(limit).iter())
            .map(|count| convert::quota::count(count, &clock))
            .collect(),
    }
}

fn busy_kinds(view: &View<'_>, limit: usize) -> Vec<KindView> {
    let mut kinds = view.core.kinds();
    kinds.retain(|kind| kind.running + kind.waiting > 0);
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.running + kind.waiting));
    kinds.truncate(limit);
    kinds
}
