//! What workers say: register, take, beat, progress, finish, spend, goodbye.

mod take;

use super::answer::{Json, Problems};
use super::body::Body1;
use super::{Access, Answer, App, Work};
use interlock_api::id::RunToken;
use interlock_api::problem::Problem;
use interlock_api::run::{
    Beat, BeatRun, Beaten, Finished, Finishes, Goodbye, Register, Registered, ReportProgress,
    RunOrder, Spend, Spending,
};
use interlock_api::task::Done;
use interlock_api::{Code, convert};
use interlock_core::limits::KINDS_PER_SESSION_MAX;
use interlock_core::reply::{self, Order};
use interlock_core::words::{Kind, SessionId};
use interlock_core::{Command, Refusal, Reply};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(register))
        .routes(routes!(take::take))
        .routes(routes!(beat))
        .routes(routes!(progress))
        .routes(routes!(finish))
        .routes(routes!(spend))
        .routes(routes!(goodbye))
}

/// Begins a session of a worker.
///
/// It may bring the policies of the kinds that it handles; those that are new or different are set
/// first.
#[utoipa::path(post, path = "/v1/work/register", tag = "work",
    security(("token" = ["work"])),
    request_body = Register,
    responses(
        (status = 200, description = "Welcome", body = Registered),
        Problems,
    ))]
async fn register(access: Access<Work>, Body1(wire): Body1<Register>) -> Answer<Json<Registered>> {
    if wire.policies.len() > KINDS_PER_SESSION_MAX {
        let detail = format!("at most {KINDS_PER_SESSION_MAX} are allowed");
        return Err(Problem::new(Code::TooMany, detail).at("policies").into());
    }
    let (kinds, register) = convert::run::register(wire)?;
    for (at, kind) in kinds.into_iter().enumerate() {
        set_kind(&access, at, kind).await?;
    }
    let command = Command::Register(register);
    match access.namespace.cell.decide(command).await?.reply {
        Reply::Registered { session } => Ok(Json(Registered { session: session.0 })),
        Reply::Refused(refusal) => Err(refusal.into()),
        other => unreachable!("a registration is not answered by {other:?}"),
    }
}

/// One that is the same already changes nothing.
async fn set_kind(access: &Access<Work>, at: usize, kind: Kind) -> Answer<()> {
    let command = Command::SetKind(Box::new(kind));
    match access.namespace.cell.decide(command).await?.reply {
        Reply::Refused(refusal) => {
            let problem = convert::refusal::refusal(&refusal);
            Err(problem.in_item("policies", at).into())
        }
        _ => Ok(()),
    }
}

/// Renews the leases of the runs that it names.
///
/// A run that is not named runs out. The answer says of each what to do with it.
#[utoipa::path(post, path = "/v1/work/beat", tag = "work",
    security(("token" = ["work"])),
    request_body = Beat,
    responses(
        (status = 200, description = "What to do with each run", body = Beaten),
        Problems,
    ))]
async fn beat(access: Access<Work>, Body1(wire): Body1<Beat>) -> Answer<Json<Beaten>> {
    let beaten = beaten(&access, wire).await?;
    Ok(Json(convert::run::beaten(&beaten)))
}

/// Tells how far a run is: a beat of that run alone.
#[utoipa::path(post, path = "/v1/work/progress", tag = "work",
    security(("token" = ["work"])),
    request_body = ReportProgress,
    responses(
        (status = 200, description = "What to do with the run", body = RunOrder),
        Problems,
    ))]
async fn progress(
    access: Access<Work>,
    Body1(wire): Body1<ReportProgress>,
) -> Answer<Json<RunOrder>> {
    let beat = Beat {
        session: wire.session,
        runs: vec![BeatRun {
            token: wire.token,
            progress: Some(wire.progress),
            used: Vec::new(),
            dropped: Vec::new(),
        }],
    };
    let beaten = beaten(&access, beat).await?;
    if beaten.iter().any(|run| run.order == Order::Gone) {
        return Err(Refusal::StaleToken.into());
    }
    let mut shown = convert::run::beaten(&beaten).runs;
    let order = shown.pop().ok_or(Refusal::StaleToken)?;
    Ok(Json(order))
}

async fn beaten(access: &Access<Work>, wire: Beat) -> Answer<Vec<reply::Beaten>> {
    let command = Command::Beat(convert::run::beat(wire)?);
    match access.namespace.cell.decide(command).await?.reply {
        Reply::Beaten(beaten) => Ok(beaten),
        Reply::Refused(refusal) => Err(refusal.into()),
        other => unreachable!("a beat is not answered by {other:?}"),
    }
}

/// Reports how runs ended.
///
/// Each has an answer of its own; repeating a finish gets the same one.
#[utoipa::path(post, path = "/v1/work/finish", tag = "work",
    security(("token" = ["work"])),
    request_body = Finishes,
    responses(
        (status = 200, description = "What became of each", body = Finished),
        Problems,
    ))]
async fn finish(access: Access<Work>, Body1(wire): Body1<Finishes>) -> Answer<Json<Finished>> {
    let tokens: Vec<RunToken> = wire.finishes.iter().map(|finish| finish.token).collect();
    let command = Command::Finish {
        session: SessionId(wire.session),
        finishes: convert::run::finishes(wire.finishes)?,
    };
    match access.namespace.cell.decide(command).await?.reply {
        Reply::Finished(answers) => Ok(Json(Finished {
            finished: convert::run::finished(&answers, &tokens),
        })),
        Reply::Refused(refusal) => Err(refusal.into()),
        other => unreachable!("a finish is not answered by {other:?}"),
    }
}

/// Asks for units of a quota that the run does not spend by itself.
#[utoipa::path(post, path = "/v1/work/spend", tag = "work",
    security(("token" = ["work"])),
    request_body = Spend,
    responses(
        (status = 200, description = "They are granted, or when to ask again", body = Spending),
        Problems,
    ))]
async fn spend(access: Access<Work>, Body1(wire): Body1<Spend>) -> Answer<Json<Spending>> {
    let command = Command::Spend(convert::run::spend(&wire)?);
    match access.namespace.cell.decide(command).await?.reply {
        Reply::Spent(spending) => Ok(Json(convert::run::spending(spending))),
        Reply::Refused(refusal) => Err(refusal.into()),
        other => unreachable!("a spend is not answered by {other:?}"),
    }
}

/// Ends a session; what it still runs is released.
#[utoipa::path(post, path = "/v1/work/goodbye", tag = "work",
    security(("token" = ["work"])),
    request_body = Goodbye,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn goodbye(access: Access<Work>, Body1(wire): Body1<Goodbye>) -> Answer<Json<Done>> {
    let session = SessionId(wire.session);
    access.done(Command::Goodbye { session }).await
}
