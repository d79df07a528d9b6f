//! Telling a worker to stop: in order, then at once.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing::info;

/// What a worker was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Told {
    GoOn,
    Drain,
    AtOnce,
}

/// Tells a worker to stop. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<Told>);

impl Stop {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(Told::GoOn))
    }

    /// In order: it takes nothing new, finishes what runs, and leaves. What SIGTERM does.
    pub fn drain(&self) {
        self.raise(Told::Drain);
    }

    /// At once: what runs is cancelled and given back. What a second SIGTERM does.
    pub fn at_once(&self) {
        self.raise(Told::AtOnce);
    }

    pub(super) fn listen(&self) -> watch::Receiver<Told> {
        self.0.subscribe()
    }

    fn raise(&self, to: Told) {
        self.0.send_if_modified(|told| {
            let more = to > *told;
            *told = (*told).max(to);
            more
        });
    }

    /// Each SIGTERM or SIGINT goes one step further.
    pub(super) fn on_signals(&self) -> std::io::Result<tokio::task::AbortHandle> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let stop = self.clone();
        let listening = tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                let told = *stop.0.borrow();
                if told == Told::GoOn {
                    info!("finishing what runs; a second signal stops at once");
                    stop.drain();
                } else {
                    info!("stopping at once");
                    stop.at_once();
                }
            }
        });
        Ok(listening.abort_handle())
    }
}
