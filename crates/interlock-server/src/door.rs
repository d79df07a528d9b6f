//! The door: listens, and lets connections in within limits.
//!
//! Loopback and no tokens by default; another address is refused unless there are tokens. Headers
//! and bodies have to come in time, connections are counted, and on a signal nobody is cut off in
//! the middle of an answer.

mod limits;
mod tls;

pub use limits::DoorLimits;
pub use tls::{Authorities, Tls, TlsError};

use crate::http::{App, routes};
use crate::limits::{ACCEPT_AGAIN, HEADER_BYTES_MAX, SHUTDOWN_WITHIN};
use crate::retention;
use crate::server::Server;
use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tracing::{debug, info, warn};

/// How the door is set.
#[derive(Clone, Debug)]
pub struct DoorConfig {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Let callers in without a token from other machines too.
    pub open: bool,
    /// Answer on routes that decide nothing, for the benchmark to compare with; one of them keeps what
    /// comes in this directory.
    pub echo: Option<PathBuf>,
    /// Speak TLS, with these files.
    pub tls: Option<Tls>,
    /// How many are let in, and how slow they may be.
    pub limits: DoorLimits,
}

impl DoorConfig {
    /// A door at this address, the rest as is usual.
    pub fn at(listen: SocketAddr) -> Self {
        Self {
            listen,
            open: false,
            echo: None,
            tls: None,
            limits: DoorLimits::default(),
        }
    }
}

/// Why nobody is let in.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    /// Everybody could come in.
    #[error(
        "{0} can be reached from other machines, and there are no tokens: create one first while \
         listening on a loopback address, or say --no-tokens to let everybody in"
    )]
    NoTokens(SocketAddr),
    /// The system says no.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The files for TLS are of no use.
    #[error("cannot speak TLS: {0}")]
    Tls(#[from] TlsError),
}

/// A door that is open.
pub struct Door {
    listener: TcpListener,
    router: Router,
    address: SocketAddr,
    server: Arc<Server>,
    tls: Option<TlsAcceptor>,
    limits: DoorLimits,
}

impl Door {
    /// Listens.
    pub async fn open(server: Arc<Server>, config: &DoorConfig) -> Result<Self, DoorError> {
        let address = config.listen;
        let public = !address.ip().is_loopback();
        if public && !config.open && !server.tokens.any() {
            return Err(DoorError::NoTokens(address));
        }
        let tls = config.tls.as_ref().map(Tls::acceptor).transpose()?;
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|source| DoorError::Listen { address, source })?;
        let address = listener.local_addr().unwrap_or(address);
        let tokens_needed = public && !config.open;
        let (router, _document) = routes(App {
            server: server.clone(),
            tokens_needed,
            is_private: !public && !config.open,
            echo: config.echo.clone(),
            body_within: config.limits.body_within,
            tls: tls.is_some(),
        });
        Ok(Self {
            listener,
            router,
            address,
            server,
            tls,
            limits: config.limits,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets connections in until told to stop; then waits for those who are being answered.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let graceful = GracefulShutdown::new();
        let purging = tokio::spawn(retention::keep_purging(self.server.clone()));
        let room = Arc::new(Semaphore::new(self.limits.connections_max));
        tokio::pin!(stop);
        loop {
            let permit = tokio::select! {
                permit = room.clone().acquire_owned() => permit,
                () = &mut stop => break,
            };
            let Ok(permit) = permit else { break };
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => self.let_in(stream, permit, &graceful),
                    Err(error) => {
                        warn!(%error, "a connection could not be accepted");
                        tokio::time::sleep(ACCEPT_AGAIN).await;
                    }
                },
                () = &mut stop => break,
            }
        }
        purging.abort();
        drop(self.listener);
        self.server.begin_stop();
        info!("no new connections; waiting for those under way");
        if tokio::time::timeout(SHUTDOWN_WITHIN, graceful.shutdown())
            .await
            .is_err()
        {
            warn!("some connections were cut off");
        }
    }

    fn let_in(&self, stream: TcpStream, permit: OwnedSemaphorePermit, graceful: &GracefulShutdown) {
        let _best_effort = stream.set_nodelay(true);
        let service = TowerToHyperService::new(self.router.clone());
        let mut builder = auto::Builder::new(TokioExecutor::new()).http1_only();
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.headers_within)
            .max_buf_size(HEADER_BYTES_MAX);
        let watcher = graceful.watcher();
        let Some(tls) = self.tls.clone() else {
            let connection = builder.serve_connection(TokioIo::new(stream), service);
            let connection = watcher.watch(connection.into_owned());
            tokio::spawn(hold_open(connection, permit));
            return;
        };
        let within = self.limits.handshake_within;
        tokio::spawn(async move {
            let shaken = tokio::time::timeout(within, tls.accept(stream)).await;
            let Ok(Ok(stream)) = shaken else {
                return debug!("a connection did not get as far as TLS");
            };
            let connection = builder.serve_connection(TokioIo::new(stream), service);
            hold_open(watcher.watch(connection.into_owned()), permit).await;
        });
    }
}

/// Serves a connection to its end.
async fn hold_open<E: std::fmt::Display>(
    connection: impl Future<Output = Result<(), E>>,
    _permit: OwnedSemaphorePermit,
) {
    if let Err(error) = connection.await {
        debug!(%error, "a connection ended");
    }
}
