//! One connection: its prepared statements, its transactions, and whether a commit is in doubt.

use std::collections::HashMap;
use std::future::poll_fn;

use tokio::sync::mpsc;
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Notification, Row, RowStream, Statement};

use super::fault::{Fault, Tried};
use super::target::Target;
use crate::limits::CONNECT_WITHIN;

/// Parameters of a statement.
pub(super) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Plans that depend on indexes alone, and not on what the statistics happen to say: no call may
/// scan. And nothing that would make a commit wait for less than the database's owner wants.
///
/// That is not enough where a statement names many keys: of a table without statistics the planner
/// believes that it is small, and would rather read all of a namespace than look each of them up.
/// Such statements look them up in a `LATERAL (… OFFSET 0)`, which it takes as it is.
const SETTINGS: &str = "
    SET search_path = pg_catalog, pg_temp;
    SET statement_timeout = 0;
    SET lock_timeout = 0;
    SET idle_in_transaction_session_timeout = '2s';
    SET default_transaction_isolation = 'read committed';
    SET client_min_messages = error;
    SET bytea_output = hex;
    SET jit = off;
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;
    SET enable_material = off;
    SET enable_bitmapscan = off;
    SET enable_sort = off;";

/// A connection.
pub(super) struct Session {
    client: Client,
    prepared: HashMap<&'static str, Statement>,
    /// Something was sent that may have been committed, and no answer has come.
    in_doubt: bool,
    /// Notifications that arrived.
    pub(super) notified: mpsc::UnboundedReceiver<Notification>,
    /// It was asked for some.
    pub(super) listens: bool,
}

impl Session {
    /// Connects. Runs on the store's runtime, which then drives the connection.
    pub(super) async fn connect(target: Target) -> Tried<Self> {
        let connecting = target.config.connect(target.tls.clone());
        let (client, mut connection) = tokio::time::timeout(CONNECT_WITHIN * 2, connecting)
            .await
            .map_err(|_| Fault::Late)??;
        let (notify, notified) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            // An error is told to whoever uses the connection next.
            while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                if let AsyncMessage::Notification(notification) = message {
                    let _nobody_listens = notify.send(notification);
                }
            }
        });
        let session = Self {
            client,
            prepared: HashMap::new(),
            in_doubt: false,
            notified,
            listens: false,
        };
        Ok(session)
    }

    /// Makes the session ours; to be done before anything else but looking at the ground.
    pub(super) async fn settle(&mut self) -> Tried<()> {
        Ok(self.client.batch_execute(SETTINGS).await?)
    }

    /// Was a commit in doubt? It is no more, since whoever asks deals with that.
    pub(super) fn end_doubt(&mut self) -> bool {
        std::mem::take(&mut self.in_doubt)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// The driver, for statements that go out together. Prepare them first.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) async fn statement(&mut self, sql: &'static str) -> Tried<Statement> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.prepared.insert(sql, statement.clone());
        Ok(statement)
    }

    pub(super) async fn query(&mut self, sql: &'static str, with: Params<'_>) -> Tried<Vec<Row>> {
        let statement = self.statement(sql).await?;
        Ok(self.client.query(&statement, with).await?)
    }

    pub(super) async fn query_opt(
        &mut self,
        sql: &'static str,
        with: Params<'_>,
    ) -> Tried<Option<Row>> {
        let statement = self.statement(sql).await?;
        Ok(self.client.query_opt(&statement, with).await?)
    }

    pub(super) async fn execute(&mut self, sql: &'static str, with: Params<'_>) -> Tried<u64> {
        let statement = self.statement(sql).await?;
        Ok(self.client.execute(&statement, with).await?)
    }

    /// Rows one after another, without holding them all.
    pub(super) async fn stream(&mut self, sql: &'static str, with: Params<'_>) -> Tried<RowStream> {
        let statement = self.statement(sql).await?;
        Ok(self
            .client
            .query_raw(&statement, with.iter().copied())
            .await?)
    }

    pub(super) async fn batch(&self, sql: &str) -> Tried<()> {
        Ok(self.client.batch_execute(sql).await?)
    }

    /// A statement that is a transaction by itself, and returns one row.
    pub(super) async fn commit_one(&mut self, sql: &'static str, with: Params<'_>) -> Tried<Row> {
        let statement = self.statement(sql).await?;
        self.in_doubt = true;
        let row = self.client.query_one(&statement, with).await?;
        self.in_doubt = false;
        Ok(row)
    }

    /// Begins a transaction, does the work and commits, or takes all of it back.
    pub(super) async fn transaction<T>(
        &mut self,
        begin: &str,
        work: impl AsyncFnOnce(&mut Self) -> Tried<T>,
    ) -> Tried<T> {
        self.client.batch_execute(begin).await?;
        match work(self).await {
            Ok(value) => {
                self.in_doubt = true;
                self.client.batch_execute("COMMIT").await?;
                self.in_doubt = false;
                Ok(value)
            }
            Err(fault) => {
                // If even that fails, the connection is not used again: see `Link`.
                if !fault.is_lost()
                    && let Err(error) = self.client.batch_execute("ROLLBACK").await
                {
                    return Err(error.into());
                }
                Err(fault)
            }
        }
    }
}
