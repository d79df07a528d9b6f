//! A wire to a port of this machine that can be cut, stand still, or lose answers.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How often a wire that stands still is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What a wire does with what comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Wire {
    /// Passes everything on.
    Whole,
    /// Refuses new connections, and has cut all others.
    Cut,
    /// Connections are made and stay, and nothing comes through: as if packets were lost.
    Still,
    /// Whatever is sent arrives, and no answer does: the connection is cut instead.
    Mute,
}

/// A wire, whole at first.
pub struct Proxy {
    port: u16,
    state: Arc<State>,
}

struct State {
    wire: AtomicU8,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// A wire to a port of this machine.
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let own = listener.local_addr().expect("it is bound").port();
        let state = Arc::new(State {
            wire: AtomicU8::new(Wire::Whole as u8),
            open: Mutex::new(Vec::new()),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if !shared.is(Wire::Cut)
                    && let Ok(server) = TcpStream::connect(("127.0.0.1", port))
                {
                    join(client, server, &shared);
                }
            }
        });
        Self { port: own, state }
    }

    /// Its end that others connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// From now on it is like this.
    pub fn set(&self, wire: Wire) {
        self.state.wire.store(wire as u8, Ordering::SeqCst);
        if wire == Wire::Cut {
            self.cut();
        }
    }

    /// Cuts all connections; new ones are made.
    pub fn cut(&self) {
        for stream in self.state.open().drain(..) {
            let _gone = stream.shutdown(Shutdown::Both);
        }
    }
}

impl State {
    fn is(&self, wire: Wire) -> bool {
        self.wire.load(Ordering::SeqCst) == wire as u8
    }

    fn open(&self) -> MutexGuard<'_, Vec<TcpStream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn join(client: TcpStream, server: TcpStream, state: &Arc<State>) {
    let _no_delay = (client.set_nodelay(true), server.set_nodelay(true));
    let copy = |stream: &TcpStream| stream.try_clone().expect("a file descriptor");
    state.open().extend([copy(&client), copy(&server)]);
    let (from_client, to_server, of) = (copy(&client), copy(&server), Arc::clone(state));
    thread::spawn(move || pass(from_client, to_server, &of, || true));
    let of = Arc::clone(state);
    thread::spawn(move || pass(server, client, &of, || !of.is(Wire::Mute)));
}

/// Passes on what comes, as long as it is wanted; then cuts both sides.
fn pass(mut from: TcpStream, mut to: TcpStream, state: &State, wanted: impl Fn() -> bool) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        while state.is(Wire::Still) {
            thread::sleep(LOOK_AGAIN);
        }
        if !wanted() || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _gone = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
