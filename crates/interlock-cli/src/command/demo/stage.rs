//! The server of the demo: a real one, on a store of its own.

use crate::exit::Failure;
use interlock_api::overview::{OverviewQuery, Totals};
use interlock_client::Client;
use interlock_server::door::{Door, DoorConfig};
use interlock_server::server::Server;
use interlock_store::SqliteStore;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// A server that listens.
pub struct Stage {
    server: Arc<Server>,
    client: Client,
    close: oneshot::Sender<()>,
    door: JoinHandle<()>,
    alarm: mpsc::UnboundedReceiver<String>,
}

impl Stage {
    /// Starts it.
    pub async fn build(listen: SocketAddr, data: &Path) -> Result<Self, Failure> {
        let store = SqliteStore::open(data)?;
        let (alarm, lost) = mpsc::unbounded_channel();
        let server = Server::start(Box::new(store), "sqlite", move |error| {
            let _gone = alarm.send(error.to_string());
        })?;
        let door = match Door::open(server.clone(), &DoorConfig::at(listen)).await {
            Ok(door) => door,
            Err(error) => {
                server.stop().await?;
                return Err(super::super::serve::cannot_listen(error));
            }
        };
        let client = Client::new(&format!("http://{}", door.address()))?;
        let (close, closed) = oneshot::channel();
        let door = tokio::spawn(door.serve(async {
            let _told = closed.await;
        }));
        Ok(Self {
            server,
            client,
            close,
            door,
            alarm: lost,
        })
    }

    /// Talks to it.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Waits until its store fails, and says why.
    pub async fn lost(&mut self) -> String {
        match self.alarm.recv().await {
            Some(why) => why,
            None => std::future::pending().await,
        }
    }

    /// What it has counted.
    pub async fn totals(&self) -> Result<Totals, Failure> {
        let query = OverviewQuery::default();
        Ok(self.client.overview(&query).await?.totals)
    }

    /// Stops it in order.
    pub async fn strike(self) -> Result<(), Failure> {
        let _gone = self.close.send(());
        self.door.await?;
        Ok(self.server.stop().await?)
    }
}
