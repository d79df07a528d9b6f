//! Removal of a namespace: only of one without tasks, and no task that was acknowledged in the last
//! moment is lost.

use crate::cell::load;
use crate::http::access::Whole;
use crate::http::answer::{Json, Problems};
use crate::http::body::Named;
use crate::http::{Admin, Answer, Failed};
use crate::limits;
use crate::server::{DEFAULT_NAMESPACE, Hosted, Server};
use interlock_api::Code;
use interlock_api::problem::Problem;
use interlock_api::task::Done;
use interlock_core::view::Counts;
use interlock_store::{Namespace, Store};
use std::sync::Arc;

/// Removes a namespace that has no live tasks, with its history.
#[utoipa::path(delete, path = "/v1/namespaces/{name}", tag = "namespaces",
    security(("token" = ["admin"])),
    params(("name" = String, Path, description = "The namespace", max_length = 200)),
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
pub(super) async fn remove(whole: Whole<Admin>, Named(name): Named) -> Answer<Json<Done>> {
    let hosted = whole.namespace(&name)?;
    if name == DEFAULT_NAMESPACE {
        let detail = "the default namespace can't be removed";
        return Err(Problem::new(Code::NamespaceInUse, detail).into());
    }
    let counts = hosted.cell.read(|view| view.core.counts()).await?;
    refuse_if_used(&counts)?;
    // From here on nothing new comes in; what came in since the look decides.
    whole.server.namespaces.drop(&name).await;
    let id = hosted.id;
    let outcome = (whole.server.committer())
        .call_async(move |store| remove_if_unused(store, id))
        .await?;
    if outcome.is_err() {
        serve_again(&whole.server, &hosted)?;
    }
    outcome?;
    tokio::spawn(sweep(whole.server.clone()));
    Ok(Json(Done {}))
}

fn refuse_if_used(counts: &Counts) -> Answer<()> {
    let tasks = counts.waiting + counts.running;
    if tasks == 0 {
        return Ok(());
    }
    let detail = match tasks {
        1 => "one of its tasks has not ended".to_owned(),
        tasks => format!("{tasks} of its tasks have not ended"),
    };
    let mut problem = Problem::new(Code::NamespaceInUse, detail);
    problem.more.count = Some(tasks);
    Err(problem.into())
}

/// Looks at what the store has, which is everything that was ever acknowledged.
fn remove_if_unused(store: &mut dyn Store, id: interlock_store::NamespaceId) -> Answer<()> {
    let core = load(store, id, 0).map_err(|error| {
        tracing::error!(%error, "the namespace can't be loaded");
        Failed(Problem::new(
            Code::Internal,
            "the namespace can't be read; the server's log says why",
        ))
    })?;
    refuse_if_used(&core.counts())?;
    Ok(store.remove_namespace(id)?)
}

fn serve_again(server: &Server, hosted: &Hosted) -> Answer<()> {
    let row = Namespace {
        id: hosted.id,
        name: hosted.name.clone(),
        created_ms: hosted.created_ms,
    };
    match server.namespaces.host(row) {
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::error!(%error, "a namespace can't be served again");
            let detail = "the namespace is not removed, and can't be served until a restart";
            Err(Problem::new(Code::Internal, detail).into())
        }
    }
}

/// Deletes what the namespace held, a little at a time.
async fn sweep(server: Arc<Server>) {
    loop {
        let slice = server
            .committer()
            .call_async(|store| store.sweep(limits::PURGE_SLICE));
        match slice.await {
            Ok(Ok(rows)) if rows > 0 => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "a removed namespace is not wholly deleted yet");
                return;
            }
            _ => return,
        }
    }
}
