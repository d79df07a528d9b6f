//! The worker: one handler for all three kinds, which differ only in their urgency.

use super::api::{Answer, Call, call};
use super::kinds::{QUOTA, all};
use crate::args::Args;
use crate::ask::Outcome;
use interlock_client::worker::{Error, Run, Worker};
use std::time::Duration;

/// A worker of this name for every kind of the story. The payload of a task is the number of calls
/// that it takes.
pub fn worker(args: &Args, shops: &str, name: &str) -> Outcome<Worker> {
    let mut worker = Worker::new(args.client()?)
        .name(name)
        .concurrency(args.concurrency);
    for (kind, policy) in all(args.speed) {
        let (shops, name) = (shops.to_owned(), name.to_owned());
        worker = worker.handler(kind, policy, move |run, calls| {
            sync(shops.clone(), name.clone(), run, calls)
        });
    }
    Ok(worker)
}

async fn sync(shops: String, worker: String, run: Run, calls: u64) -> Result<u64, Error> {
    let shop = run
        .resources()
        .first()
        .ok_or_else(|| Error::give_up("no shop"))?;
    let ask = Call {
        shop: shop.resource.clone(),
        worker,
        kind: run.kind().to_owned(),
        fence: run.fence(),
    };
    for page in 1..=calls {
        // Held until the shop has answered: its second begins at the latest then.
        let permit = run.spend(QUOTA, 1).await?;
        let answer = call(&shops, &ask).await?;
        drop(permit);
        match answer {
            Answer::Fine => run.progress(page, calls, format!("page {page} of {}", ask.shop)),
            Answer::TooMany => {
                let pause = Duration::from_secs(1);
                run.pause_quota(QUOTA, pause).await?; // for everyone
                return Err(Error::retry_in(pause, "too many calls"));
            }
            Answer::Stale => return Err(Error::give_up("another run is newer")),
            Answer::Down => return Err(Error::new("the shop is down")),
        }
    }
    Ok(calls)
}
