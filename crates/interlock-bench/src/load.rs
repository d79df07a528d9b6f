//! A load: so many clients, each with a connection of its own, one request after the other.

use crate::tasks::ask;
use crate::wire::Connection;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many requests are answered with success if this goes on for so long, and how long it took.
pub(crate) async fn rate(
    address: SocketAddr,
    clients: usize,
    time: Duration,
    make: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static,
) -> anyhow::Result<(u64, Duration)> {
    let next = Arc::new(AtomicU64::new(0));
    let make = Arc::new(make);
    let begun = Instant::now();
    let clients: Vec<_> = (0..clients)
        .map(|_| {
            let (next, make) = (next.clone(), make.clone());
            tokio::spawn(async move {
                let mut connection = Connection::open(address).await?;
                let mut answered = 0u64;
                while begun.elapsed() < time {
                    let request = make(next.fetch_add(1, Ordering::Relaxed));
                    ask(&mut connection, &request).await?;
                    answered += 1;
                }
                anyhow::Ok(answered)
            })
        })
        .collect();
    let mut answered = 0;
    for client in clients {
        answered += client.await??;
    }
    Ok((answered, begun.elapsed()))
}
