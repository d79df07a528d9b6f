//! Groups: tasks that are admitted together, all or none.

use super::answer::{Json, Problems, WithStatus};
use super::body::{Body1, Id, Query};
use super::{Access, Answer, App, Operate, Read, Submit, clock_of};
use crate::cell::{CellError, View};
use crate::limits;
use interlock_api::convert;
use interlock_api::group::{Group, GroupReport, GroupRow, GroupTask};
use interlock_api::page::{self, Cursor, Page, PageQuery};
use interlock_api::problem::Problem;
use interlock_api::submission::Submissions;
use interlock_api::task::{Done, Nothing, State};
use interlock_core::command::Submit as SubmitCommand;
use interlock_core::view::{GroupView, Standing};
use interlock_core::words::{GroupId, Outcome, TaskId};
use interlock_core::{Command, Refusal, Reply};
use interlock_store::HistoryFilter;
use std::collections::BTreeMap;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(submit, list))
        .routes(routes!(show))
        .routes(routes!(cancel))
}

/// Submits tasks that are admitted together, all or none.
///
/// Its items may wait for one another with `after: [{"item": 0}]`. If one of them is refused or
/// rejected, the status is that of the first one at fault, and nothing was changed.
#[utoipa::path(post, path = "/v1/groups", tag = "groups",
    security(("token" = ["submit"])),
    request_body = Submissions,
    responses(
        (status = 202, description = "All of them became tasks", body = GroupReport),
        (status = 200, description = "It repeats an earlier request", body = GroupReport),
        (status = "4XX", description = "None was admitted, and the outcomes say why; or the request as a whole was refused",
            content((GroupReport = "application/json"), (Problem = "application/problem+json"))),
        (status = "5XX", description = "It could not be decided", body = Problem,
            content_type = "application/problem+json"),
    ))]
async fn submit(
    access: Access<Submit>,
    Body1(wire): Body1<Submissions>,
) -> Answer<WithStatus<GroupReport>> {
    let mut items = match convert::submission::batch(wire)?.into_group() {
        Ok(items) => items,
        Err(report) => return Ok(WithStatus(report.status(), report)),
    };
    for item in &mut items {
        item.trace.clone_from(&access.trace);
    }
    let command = Command::Submit(SubmitCommand {
        items,
        group: true,
        dry_run: false,
    });
    let answered = access.namespace.cell.decide(command).await?;
    match &answered.reply {
        Reply::Submitted { answers, group } => {
            let clock = clock_of(answered.now);
            let report = convert::submission::group_report(*group, answers, &clock);
            Ok(WithStatus(report.status(), report))
        }
        Reply::Refused(refusal) => Err(refusal.clone().into()),
        other => unreachable!("a submission is not answered by {other:?}"),
    }
}

/// Lists groups that have live tasks, newest first.
#[utoipa::path(get, path = "/v1/groups", tag = "groups",
    security(("token" = ["read"])),
    params(PageQuery),
    responses(
        (status = 200, description = "A page; it may be short and have a cursor", body = Page<GroupRow>),
        Problems,
    ))]
async fn list(
    access: Access<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Json<Page<GroupRow>>> {
    let before = page::after_id(query.cursor.as_deref())?.map(GroupId);
    let limit = page::limit(query.limit)? as usize;
    let page = access
        .namespace
        .cell
        .read(move |view| rows(view, before, limit));
    Ok(Json(page.await?))
}

/// Groups until the page is full, or their tasks are too many to look at.
fn rows(view: &View<'_>, before: Option<GroupId>, limit: usize) -> Page<GroupRow> {
    let mut rows = Vec::new();
    let mut looks = 0;
    let mut more = false;
    for id in view.core.list_groups(before, limit + 1) {
        more = rows.len() == limit || looks > limits::LIST_LOOKS;
        if more {
            break;
        }
        if let Some(group) = view.core.group(id) {
            looks += group.tasks.len();
            rows.push(GroupRow::from(shown(view, &group)));
        }
    }
    let last = rows.last().filter(|_| more);
    let next = last.map(|last| Cursor::Id(last.group));
    Page::new(rows, next)
}

fn shown(view: &View<'_>, group: &GroupView) -> Group {
    let live = |task| match view.core.standing(task) {
        Standing::Running => State::Running,
        Standing::Waiting | Standing::Unknown => State::Waiting,
        Standing::Ended(outcome) => convert::task::outcome(outcome).into(),
    };
    convert::group::group(group, live, |task| after(view, group.group, task))
}

/// What a task of a group came after: what is remembered of its admission, or what it still waits
/// for.
fn after(view: &View<'_>, group: GroupId, task: TaskId) -> Vec<u64> {
    let remembered = view.orders.after(group, task);
    let after = if remembered.is_empty() {
        view.core.after(task)
    } else {
        remembered
    };
    after.iter().map(|task| task.0).collect()
}

/// Shows a group, also when all of its tasks have ended, as long as the history has them.
#[utoipa::path(get, path = "/v1/groups/{id}", tag = "groups",
    security(("token" = ["read"])),
    params(("id" = u64, Path, description = "The group")),
    responses(
        (status = 200, description = "The group", body = Group),
        Problems,
    ))]
async fn show(access: Access<Read>, Id(id): Id) -> Answer<Json<Group>> {
    let group = GroupId(id);
    let seen = access.namespace.cell.read(move |view| {
        let live = view.core.group(group).map(|found| shown(view, &found));
        let recent = view.pending.before(TaskId(u64::MAX));
        let recent = recent.filter(|ended| ended.groups.contains(&group));
        let recent = recent.map(|ended| (ended.task.0, ended.outcome));
        let recent = recent.collect::<BTreeMap<u64, Outcome>>();
        (live, recent, view.orders.of(group))
    });
    let (live, recent, order) = seen.await?;
    if let Some(live) = live {
        return Ok(Json(live));
    }
    let mut tasks = ended(&access, id).await?;
    tasks.extend(
        recent
            .into_iter()
            .map(|(task, outcome)| (task, convert::task::outcome(outcome).into())),
    );
    if tasks.is_empty() {
        return Err(Refusal::UnknownGroup(id).into());
    }
    let after = |task: u64| {
        let found = order.iter().find(|(of, _)| of.0 == task);
        found.map_or_else(Vec::new, |(_, after)| after.iter().map(|on| on.0).collect())
    };
    let tasks = tasks.into_iter().map(|(task, state)| GroupTask {
        task,
        state,
        after: after(task),
    });
    Ok(Json(convert::group::of_tasks(id, tasks.collect())))
}

/// Its tasks in the history.
async fn ended(access: &Access<Read>, group: u64) -> Answer<BTreeMap<u64, State>> {
    let id = access.namespace.id;
    let found = access.server.readers.read(move |reader| {
        let filter = HistoryFilter {
            group: Some(group),
            ..HistoryFilter::default()
        };
        let (mut tasks, mut before) = (BTreeMap::new(), None);
        loop {
            let limit = interlock_core::limits::BATCH_MAX;
            let page = reader.list(id, &filter, before, limit)?;
            tasks.extend(
                page.rows
                    .into_iter()
                    .map(|row| (row.task, state(&row.outcome))),
            );
            before = page.next;
            if before.is_none() {
                return Ok(tasks);
            }
        }
    });
    Ok(found.await.ok_or(CellError::Stopping)??)
}

fn state(outcome: &str) -> State {
    match outcome {
        "succeeded" => State::Succeeded,
        "failed" => State::Failed,
        _ => State::Cancelled,
    }
}

/// Calls off every task of a group.
///
/// Those that wait are cancelled at once; of those that run the workers are told.
#[utoipa::path(post, path = "/v1/groups/{id}/cancel", tag = "groups",
    security(("token" = ["operate"])),
    params(("id" = u64, Path, description = "The group")),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn cancel(
    access: Access<Operate>,
    Id(id): Id,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    let (group, by) = (GroupId(id), access.by());
    access.done(Command::CancelGroup { group, by }).await
}
