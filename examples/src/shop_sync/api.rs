//! The shops, as they are seen from outside: a line of JSON asks, a line answers.
//!
//! They keep no secret of what they think of their callers: every call beyond a limit, and every
//! worker that calls while another one is at work in the shop, is counted.

use super::kinds::{PER_DAY, PER_SECOND, day};
use crate::args::Speed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// One call of a shop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// The shop.
    pub shop: String,
    /// Who calls.
    pub worker: String,
    /// For which kind of task.
    pub kind: String,
    /// The fencing number of the run.
    pub fence: (u32, u64),
}

/// What a shop answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Here you are.
    Fine,
    /// Not so fast.
    TooMany,
    /// A newer run has called.
    Stale,
    /// Something is broken here.
    Down,
}

/// What the shops have seen.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Every call, in order.
    pub calls: Vec<(Instant, Call)>,
    /// Calls beyond a limit.
    pub too_many: u64,
    /// Calls of a run after a newer one had called.
    pub stale: u64,
    /// Calls while one of another run was being answered.
    pub overlaps: u64,
    shops: BTreeMap<String, Shop>,
}

#[derive(Clone, Debug, Default)]
struct Shop {
    calls: Vec<Instant>,
    fence: (u32, u64),
    answering: Vec<(u32, u64)>,
    down: u32,
}

/// The shops.
#[derive(Clone, Debug)]
pub struct Shops {
    seen: Arc<Mutex<Seen>>,
    count: watch::Sender<usize>,
    day: Duration,
}

impl Shops {
    /// Opens the shops; gives back where they are, too.
    pub async fn open(address: &str, speed: Speed) -> io::Result<(Self, SocketAddr)> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shops = Self {
            seen: Arc::default(),
            count: watch::Sender::new(0),
            day: Duration::from_millis(day(speed).ms()),
        };
        let open = shops.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shops = open.clone();
                tokio::spawn(async move { shops.serve(stream).await });
            }
        });
        Ok((shops, address))
    }

    /// What they have seen so far.
    pub fn seen(&self) -> Seen {
        self.lock().clone()
    }

    /// Waits until there have been so many calls.
    pub async fn called(&self, times: usize) {
        let mut count = self.count.subscribe();
        let enough = count.wait_for(|count| *count >= times).await;
        drop(enough.expect("the sender is a part of this"));
    }

    /// Lets a shop fail so many times.
    pub fn break_down(&self, shop: &str, times: u32) {
        self.lock().shops.entry(shop.to_owned()).or_default().down = times;
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let call: Call = serde_json::from_str(&line)?;
        let answer = self.begin(&call);
        tokio::time::sleep(Duration::from_millis(5)).await; // a shop has work of its own
        self.end(&call);
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        stream.write_all(&line).await
    }

    fn begin(&self, call: &Call) -> Answer {
        let (seen, now) = (&mut *self.lock(), Instant::now());
        seen.calls.push((now, call.clone()));
        self.count.send_replace(seen.calls.len());
        let shop = seen.shops.entry(call.shop.clone()).or_default();
        let others = shop.answering.iter().any(|fence| *fence != call.fence);
        shop.answering.push(call.fence);
        seen.overlaps += u64::from(others);
        if call.fence < shop.fence {
            seen.stale += 1;
            return Answer::Stale;
        }
        shop.fence = call.fence;
        let within = |span| shop.calls.iter().filter(|at| now - **at < span).count() as u64;
        if within(Duration::from_secs(1)) >= PER_SECOND || within(self.day) >= PER_DAY {
            seen.too_many += 1;
            return Answer::TooMany;
        }
        shop.calls.push(now);
        match shop.down.checked_sub(1) {
            Some(left) => {
                shop.down = left;
                Answer::Down
            }
            None => Answer::Fine,
        }
    }

    fn end(&self, call: &Call) {
        if let Some(shop) = self.lock().shops.get_mut(&call.shop) {
            let at = shop.answering.iter().position(|fence| *fence == call.fence);
            at.map(|at| shop.answering.swap_remove(at));
        }
    }
}

/// Calls a shop.
pub async fn call(address: &str, call: &Call) -> io::Result<Answer> {
    let mut stream = BufReader::new(TcpStream::connect(address).await?);
    let mut line = serde_json::to_vec(call)?;
    line.push(b'\n');
    stream.write_all(&line).await?;
    let mut answer = String::new();
    stream.read_line(&mut answer).await?;
    Ok(serde_json::from_str(&answer)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(worker: &str, position: u64) -> Call {
        Call {
            shop: "shop:1".to_owned(),
            worker: worker.to_owned(),
            kind: "regular".to_owned(),
            fence: (1, position),
        }
    }

    #[tokio::test]
    async fn whatever_should_not_be_is_counted() {
        let (shops, address) = Shops::open("127.0.0.1:0", 1.into()).await.unwrap();
        let address = address.to_string();
        for _ in 0..PER_SECOND {
            assert_eq!(shops.begin(&by("w1", 7)), Answer::Fine);
            shops.end(&by("w1", 7));
        }
        assert_eq!(call(&address, &by("w1", 7)).await.unwrap(), Answer::TooMany);
        assert_eq!(call(&address, &by("w2", 6)).await.unwrap(), Answer::Stale);
        shops.begin(&by("w1", 7));
        shops.begin(&by("w2", 8));
        let seen = shops.seen();
        assert_eq!((seen.too_many, seen.stale, seen.overlaps), (3, 1, 1));
    }
}
