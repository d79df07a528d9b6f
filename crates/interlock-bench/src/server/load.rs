//! A load: so many clients, each with a connection of its own, one request after the other.

use super::wire::Connection;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many requests per second are answered with a status below 300, for this long.
pub(crate) async fn rate(
    address: SocketAddr,
    clients: usize,
    time: Duration,
    make: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static,
) -> anyhow::Result<f64> {
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
                    let (status, body) = connection.ask(&request).await?;
                    anyhow::ensure!(status < 300, "{status}: {}", String::from_utf8_lossy(body));
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
    Ok(answered as f64 / begun.elapsed().as_secs_f64())
}
