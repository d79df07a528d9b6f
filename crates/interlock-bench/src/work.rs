//! Workers that work off what was submitted: each takes 64 tasks and finishes 64 in one call.

use crate::tasks::Session;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const WORKERS: u64 = 16;
/// Tasks in one call of a worker.
pub(crate) const AT_ONCE: usize = 64;

/// Workers of this name that go on until so many tasks have been done.
pub(crate) async fn off(address: SocketAddr, name: &str, count: u64) -> anyhow::Result<()> {
    let done = Arc::new(AtomicU64::new(0));
    let workers = (0..WORKERS).map(|number| {
        let (done, name) = (done.clone(), format!("{name}-{number}"));
        tokio::spawn(async move {
            let mut session = Session::register(address, &name).await?;
            let mut running = Vec::new();
            let begun = Instant::now();
            while done.load(Ordering::Relaxed) < count {
                anyhow::ensure!(begun.elapsed() < Duration::from_secs(300), "it is stuck");
                let taken = session.take(AT_ONCE, "100ms", &running).await?;
                done.fetch_add(running.len() as u64, Ordering::Relaxed);
                running = taken;
            }
            session.leave(&running).await
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await??;
    }
    Ok(())
}
