//! What can be done to one task.

use crate::Shared;
use crate::ask::{Acted, Ask, action};
use crate::form::Form;
use axum::Router;
use interlock_api::task::{Bump, Cancel, Cancelling, Done, Nothing};
use interlock_api::verdict::{Report, Verdict};
use interlock_api::{Code, Problem};

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/tasks/{id}/cancel", action(cancel))
        .route("/tasks/{id}/retry", action(retry))
        .route("/tasks/{id}/bump", action(bump))
        .route("/tasks/{id}/hold", action(hold))
        .route("/tasks/{id}/release", action(release))
}

async fn cancel(ask: Ask, form: Form) -> Result<Acted, Problem> {
    let id = ask.id()?;
    let cancel = Cancel {
        all: form.get("all") == "yes",
    };
    let path = format!("/v1/tasks/{id}/cancel");
    let answer: Cancelling = ask.api.post(&path, &cancel).await?;
    Ok(Acted::done(match answer.running {
        true => format!("The worker of task {id} is told to stop."),
        false => format!("Task {id} is cancelled."),
    }))
}

async fn retry(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let id = ask.id()?;
    let report: Report = ask
        .api
        .post(&format!("/v1/tasks/{id}/retry"), &Nothing {})
        .await?;
    Ok(reported(&ask, &report))
}

/// What became of a submission; on to its task.
pub(crate) fn reported(ask: &Ask, report: &Report) -> Acted {
    let why = report
        .reasons
        .first()
        .map(|reason| reason.sentence.as_str());
    let text = match (report.coalesced, report.verdict, why) {
        (true, ..) => "Joined a task that waits already.".to_owned(),
        (_, Verdict::Accepted, _) => "Accepted: the next free worker gets it.".to_owned(),
        (_, Verdict::Postponed, Some(why)) => format!("Postponed. {why}"),
        (_, Verdict::Postponed, None) => "Postponed.".to_owned(),
    };
    match report.task {
        Some(task) => Acted::then(text, ask.viewer.to_task(task)),
        None => Acted::done(text),
    }
}

async fn bump(ask: Ask, form: Form) -> Result<Acted, Problem> {
    let id = ask.id()?;
    let wrong = |_| Problem::new(Code::BadValue, "it must be from 0 to 9").at("priority");
    let priority = form.get("priority").parse().map_err(wrong)?;
    let path = format!("/v1/tasks/{id}/bump");
    let Done {} = ask.api.post(&path, &Bump { priority }).await?;
    Ok(Acted::done(format!(
        "Task {id} has priority {priority} now."
    )))
}

async fn hold(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let id = ask.id()?;
    let Done {} = ask
        .api
        .post(&format!("/v1/tasks/{id}/hold"), &Nothing {})
        .await?;
    Ok(Acted::done(format!("Task {id} is held.")))
}

async fn release(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let id = ask.id()?;
    let Done {} = ask
        .api
        .post(&format!("/v1/tasks/{id}/release"), &Nothing {})
        .await?;
    Ok(Acted::done(format!("Task {id} is released.")))
}
