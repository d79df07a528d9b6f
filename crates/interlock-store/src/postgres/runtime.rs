//! The runtime that drives the connections: one thread of the store's own, whoever calls.
//!
//! A caller waits on its own thread, so that the store can be called from anywhere, also from within
//! another runtime. (Whoever does so blocks a thread of that one, as with every store.)

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Ends when it is dropped.
pub(super) struct Runtime {
    pub(super) handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl Runtime {
    pub(super) fn start() -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        thread::Builder::new()
            .name("postgres".into())
            .spawn(move || {
                let _dropped = runtime.block_on(stopped);
            })?;
        Ok(Self {
            handle,
            _stop: stop,
        })
    }

    /// Waits for a future on this thread. Its timers are those of the runtime.
    pub(super) fn wait<F: Future>(&self, future: F) -> F::Output {
        let _timers = self.handle.enter();
        let mut future = pin!(future);
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(value) => return value,
                Poll::Pending => thread::park(),
            }
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
