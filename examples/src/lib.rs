//! Three stories that Interlock was made for, as programs that run.
//!
//! Each story is a module with its kinds and their policies, the worker, and some traffic, and a
//! program of the same name in `src/bin` that shows it: it works and submits in one process, against
//! a server that runs. With `--work NAME` it only works, so that there can be several of them.
//!
//! What they share is small: [`args`] reads the command line, [`ask`] shortens the calls of a client,
//! [`journal`] is where workers note what they do, for a witness that is not the server.

pub mod args;
pub mod ask;
pub mod host_events;
pub mod journal;
pub mod repository_sync;
pub mod shop_sync;

use interlock_client::worker::Worker;

/// Works while a story is told, and leaves when it is over.
pub async fn show(
    worker: Worker,
    story: impl Future<Output = ask::Outcome<()>>,
) -> ask::Outcome<()> {
    let stop = worker.stop();
    let working = tokio::spawn(worker.run());
    let told = story.await;
    stop.drain();
    working.await??;
    told
}
