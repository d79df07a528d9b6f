//! A witness between a worker and the server: when each lease was asked for and when it was granted,
//! known to neither of them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// How long an answer may take that nobody waits for any more.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// The last call that granted a lease: sent at the first time, answered at the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Granted {
    pub(crate) sent_ms: u64,
    pub(crate) answered_ms: u64,
}

/// A way to the server that is watched.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    granted: Arc<Mutex<Vec<Granted>>>,
    serving: AbortHandle,
}

impl Proxy {
    pub(crate) async fn to(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let granted: Arc<Mutex<Vec<Granted>>> = Arc::default();
        let notes = granted.clone();
        let serving = tokio::spawn(async move {
            while let Ok((worker, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                let _no_delay = worker.set_nodelay(true);
                tokio::spawn(carry(worker, server, notes.clone()));
            }
        });
        Self {
            address,
            granted,
            serving: serving.abort_handle(),
        }
    }

    /// Every lease that was granted so far.
    pub(crate) fn granted(&self) -> Vec<Granted> {
        self.granted.lock().unwrap().clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// One request after the other, as the client sends them.
async fn carry(mut worker: TcpStream, mut server: TcpStream, notes: Arc<Mutex<Vec<Granted>>>) {
    let _no_delay = server.set_nodelay(true);
    let (mut up, mut down) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    let mut pending: Option<(u64, Vec<u8>)> = None;
    let mut gone = false;
    loop {
        tokio::select! {
            read = worker.read(&mut up), if !gone => match read {
                Ok(0) | Err(_) if pending.is_none() => return,
                // The server may have heard what it said last, so the answer is waited for.
                Ok(0) | Err(_) => gone = true,
                Ok(length) => {
                    if grants(&up[..length]) {
                        pending = Some((now_ms(), Vec::new()));
                    }
                    if server.write_all(&up[..length]).await.is_err() {
                        return;
                    }
                }
            },
            read = tokio::time::timeout(ANSWER_WITHIN, server.read(&mut down)) => {
                let length = match read {
                    Ok(Ok(length)) if length > 0 => length,
                    Err(_) if !gone => continue,
                    _ => return,
                };
                if let Some((sent_ms, answer)) = &mut pending {
                    answer.extend_from_slice(&down[..length]);
                    if find(answer, b"\"token\"") {
                        let (sent_ms, answered_ms) = (*sent_ms, now_ms());
                        notes.lock().unwrap().push(Granted { sent_ms, answered_ms });
                        pending = None;
                    }
                }
                if gone && pending.is_none() {
                    return;
                }
                if !gone && worker.write_all(&down[..length]).await.is_err() {
                    gone = true;
                }
            }
        }
    }
}

/// Whether a request begins here whose answer may grant a lease.
fn grants(sent: &[u8]) -> bool {
    let calls: [&[u8]; 2] = [b"POST /v1/work/beat", b"POST /v1/work/take"];
    calls.iter().any(|call| sent.starts_with(call))
}

fn find(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

/// The time, in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}
