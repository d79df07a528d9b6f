//! A server with its door open, on a directory, so that it can be started again.

use interlock_client::Client;
use interlock_server::cluster::NodeConfig;
use interlock_server::door::{Authorities, Door, DoorConfig};
use interlock_server::server::Server;
use interlock_store::{PostgresStore, SqliteStore};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server, and the directory of a story.
pub(crate) struct Running {
    pub(crate) dir: TempDir,
    pub(crate) client: Client,
    open: Open,
}

/// Where a server keeps everything.
#[derive(Clone)]
struct Place {
    dir: PathBuf,
    /// With `INTERLOCK_TEST_STORE=postgres`, as the only node on it.
    database: Option<String>,
}

struct Open {
    place: Place,
    server: Arc<Server>,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start() -> Self {
        let dir = TempDir::new().unwrap();
        let database = is_on_postgres().then(|| interlock_pgtest::Server::shared().database());
        let place = Place {
            dir: dir.path().join("server"),
            database: database.map(|database| database.url()),
        };
        let open = Open::at(place, SocketAddr::from(([127, 0, 0, 1], 0))).await;
        let client = Client::new(&format!("http://{}", open.address)).unwrap();
        Self { dir, client, open }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.open.address)
    }

    /// Stops it and starts it again where it was.
    pub(crate) async fn restart(self) -> Self {
        let Self { dir, client, open } = self;
        let (address, place) = (open.address, open.place.clone());
        open.stop().await;
        let open = Open::at(place, address).await;
        Self { dir, client, open }
    }

    pub(crate) async fn stop(self) {
        drop(self.client);
        self.open.stop().await;
    }
}

impl Open {
    async fn at(place: Place, address: SocketAddr) -> Self {
        let server = match &place.database {
            Some(url) => node(url).await,
            None => {
                let store = Box::new(SqliteStore::open(&place.dir).unwrap());
                Server::start(store, "test", |error| panic!("{error}")).unwrap()
            }
        };
        let config = DoorConfig::at(address);
        let door = Door::open(server.clone(), &config).await.unwrap();
        let address = door.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(door.serve(async {
            let _stop = stopped.await;
        }));
        Self {
            place,
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

/// Whether the stories are told on PostgreSQL.
fn is_on_postgres() -> bool {
    std::env::var("INTERLOCK_TEST_STORE").is_ok_and(|store| store == "postgres")
}

/// The only node on a database, once it serves.
async fn node(url: &str) -> Arc<Server> {
    let config = NodeConfig {
        name: "n1".to_owned(),
        // There is no other node that would ask it.
        address: "http://127.0.0.1:1".to_owned(),
        lease: Duration::from_secs(6),
        authorities: Authorities::nobody(),
    };
    let store = PostgresStore::open(url).unwrap();
    let server = Server::start_node(store, config, |error| panic!("{error}"));
    let server = server.await.unwrap();
    let is_ready = || (server.namespaces.find("default")).is_some_and(|one| one.cell.is_ready());
    while !is_ready() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server
}
