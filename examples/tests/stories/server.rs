//! A server with its door open, on a directory, so that it can be started again.

use interlock_client::Client;
use interlock_server::door::{Door, DoorConfig};
use interlock_server::server::Server;
use interlock_store::SqliteStore;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server, and the directory of a story.
pub(crate) struct Running {
    pub(crate) dir: TempDir,
    pub(crate) client: Client,
    open: Open,
}

struct Open {
    server: Arc<Server>,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start() -> Self {
        let dir = TempDir::new().unwrap();
        let open = Open::at(dir.path(), SocketAddr::from(([127, 0, 0, 1], 0))).await;
        let client = Client::new(&format!("http://{}", open.address)).unwrap();
        Self { dir, client, open }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.open.address)
    }

    /// Stops it and starts it again where it was.
    pub(crate) async fn restart(self) -> Self {
        let Self { dir, client, open } = self;
        let address = open.address;
        open.stop().await;
        let open = Open::at(dir.path(), address).await;
        Self { dir, client, open }
    }

    pub(crate) async fn stop(self) {
        drop(self.client);
        self.open.stop().await;
    }
}

impl Open {
    async fn at(dir: &Path, address: SocketAddr) -> Self {
        let store = SqliteStore::open(dir.join("server")).unwrap();
        let server = Server::start(Box::new(store), "test", |error| panic!("{error}")).unwrap();
        let config = DoorConfig::at(address);
        let door = Door::open(server.clone(), &config).await.unwrap();
        let address = door.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(door.serve(async {
            let _stop = stopped.await;
        }));
        Self {
            server,
            address,
            stop,
            serving,
        }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.serving.await.unwrap();
        self.server.stop().await.unwrap();
    }
}
