//! A wire between a store and its database that can be cut, also between a commit and its answer.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Passes bytes on, until it is told otherwise.
pub(crate) struct Proxy {
    port: u16,
    state: Arc<State>,
}

struct State {
    /// Answers of the database are swallowed, and the connection is cut at the first.
    swallow: AtomicBool,
    /// Connections are refused.
    refuse: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub(crate) fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            swallow: AtomicBool::new(false),
            refuse: AtomicBool::new(false),
            open: Mutex::new(Vec::new()),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if !shared.refuse.load(Ordering::SeqCst)
                    && let Ok(server) = TcpStream::connect(("127.0.0.1", port))
                {
                    join(client, server, &shared);
                }
            }
        });
        Self { port: own, state }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// From now on whatever is sent arrives, and no answer does: the connection is cut instead.
    pub(crate) fn swallow_answers(&self, swallow: bool) {
        self.state.swallow.store(swallow, Ordering::SeqCst);
    }

    /// Refuses new connections.
    pub(crate) fn refuse(&self, refuse: bool) {
        self.state.refuse.store(refuse, Ordering::SeqCst);
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) {
        for stream in self.state.open.lock().unwrap().drain(..) {
            let _gone = stream.shutdown(Shutdown::Both);
        }
    }
}

fn join(client: TcpStream, server: TcpStream, state: &Arc<State>) {
    let _no_delay = (client.set_nodelay(true), server.set_nodelay(true));
    let copies = [&client, &server].map(|stream| stream.try_clone().unwrap());
    state.open.lock().unwrap().extend(copies);
    let (from_client, to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || pass(from_client, to_server, || true));
    let state = Arc::clone(state);
    thread::spawn(move || pass(server, client, || !state.swallow.load(Ordering::SeqCst)));
}

/// Passes on what comes, as long as it is wanted; then cuts both sides.
fn pass(mut from: TcpStream, mut to: TcpStream, wanted: impl Fn() -> bool) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !wanted() || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _gone = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
