//! What can be done to resources.

use crate::Shared;
use crate::ask::{Acted, Ask, action};
use crate::form::Form;
use crate::part::number::counted;
use crate::url;
use axum::Router;
use interlock_api::task::{Done, Nothing};
use interlock_api::{Code, Problem};

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/resources/{resource}/hold", action(hold))
        .route("/resources/{resource}/release", action(release))
        .route("/resources/bulk", action(bulk))
}

async fn hold(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = ask.param("resource");
    steer(&ask, name, "hold").await?;
    Ok(Acted::done(format!(
        "{name} is held: no task on it starts."
    )))
}

async fn release(ask: Ask, _: Form) -> Result<Acted, Problem> {
    let name = ask.param("resource");
    steer(&ask, name, "release").await?;
    Ok(Acted::done(format!("{name} is released.")))
}

async fn steer(ask: &Ask, name: &str, verb: &str) -> Result<Done, Problem> {
    let path = format!("/v1/resources/{}/{verb}", url::segment(name));
    ask.api.post(&path, &Nothing {}).await
}

/// The same to several, after they were confirmed.
async fn bulk(ask: Ask, form: Form) -> Result<Acted, Problem> {
    let verb = match form.get("verb") {
        verb @ ("hold" | "release") => verb,
        _ => return Err(Problem::new(Code::BadValue, "choose what to do").at("verb")),
    };
    let names: Vec<&str> = form.all("resource").collect();
    for name in &names {
        steer(&ask, name, verb).await?;
    }
    let done = if verb == "hold" { "held" } else { "released" };
    let many = counted(names.len() as u64, "resource", "resources");
    Ok(Acted::done(format!("{many} {done}.")))
}
