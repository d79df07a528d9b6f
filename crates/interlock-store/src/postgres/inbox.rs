//! Submissions from within other people's transactions.
//!
//! Rows are found because they exist, never by counting ids: a transaction that drew its id early may
//! commit late. A notification wakes whoever waits; a look now and then makes up for those that got
//! lost.

use std::sync::Arc;
use std::time::Duration;

use super::fault::{Fault, Tried, column, number};
use super::ledger::{id_column, id_of};
use super::link::{Link, Shared};
use super::session::Session;
use super::text;
use crate::error::StoreError;
use crate::store::Result;
use crate::types::NamespaceId;

/// A submission that is pending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// What it is consumed by: see [`Consumed`](crate::Consumed).
    pub id: u64,
    /// By this its submitter reads the outcome.
    pub key: String,
    /// The body of a submission of the HTTP API: JSON, not looked into.
    pub submission: String,
    /// When it was submitted, by the database's clock.
    pub submitted_ms: u64,
    /// The database role that submitted it.
    pub submitted_by: String,
}

/// The inbox, on a connection of its own.
pub struct Inbox {
    link: Link,
    is_listening: bool,
}

/// Namespaces with something pending, found by leaping from one to the next.
const WAITING: &str = "WITH RECURSIVE found AS (
        (SELECT namespace FROM interlock.inbox ORDER BY namespace, id LIMIT 1)
        UNION ALL
        SELECT next.namespace FROM found f CROSS JOIN LATERAL (
            SELECT i.namespace FROM interlock.inbox i WHERE i.namespace > f.namespace
            ORDER BY i.namespace, i.id LIMIT 1) next
    )
    SELECT namespace FROM found";

impl Inbox {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            link: Link::new(shared),
            is_listening: false,
        }
    }

    /// Returns the namespaces that have something pending: at once if the connection is new, otherwise
    /// when a notification comes, or after a while without one. Whoever consumes slowly should not
    /// wait for what it knows of.
    pub fn wait(&mut self, at_most: Duration) -> Result<Vec<NamespaceId>> {
        let doing = "waiting for submissions";
        let wait = async |session: &mut Session| wait(session, at_most).await;
        let found = match self.link.read_at_length(doing, wait) {
            // The connection that was listening is gone: there is another one to be had.
            Err(StoreError::Unreachable { .. }) => self.link.read_at_length(doing, wait),
            found => found,
        };
        self.is_listening = found.is_ok();
        found
    }

    /// Is a notification heard at once, as far as is known?
    pub fn is_listening(&self) -> bool {
        self.is_listening
    }

    /// Submissions of a namespace that are pending, oldest first, without those that the caller is at
    /// already.
    pub fn pending(
        &mut self,
        namespace: NamespaceId,
        except: &[u64],
        limit: usize,
    ) -> Result<Vec<Pending>> {
        let except: Vec<i64> = except.iter().map(|&id| column(id)).collect();
        let limit = column(limit as u64);
        let sql = "SELECT id, key, submission::text, submitted_by::text,
                (extract(epoch FROM submitted) * 1000)::bigint
            FROM interlock.inbox WHERE namespace = $1 AND id <> ALL($2)
            ORDER BY namespace, id LIMIT $3";
        let rows = self.link.read("reading the inbox", async |session| {
            session
                .query(sql, &[&id_column(namespace), &except, &limit])
                .await
        })?;
        let pending = |row: &tokio_postgres::Row| -> Tried<Pending> {
            Ok(Pending {
                id: number(row.try_get(0)?)?,
                key: text::give(row.try_get(1)?),
                submission: row.try_get(2)?,
                submitted_by: row.try_get(3)?,
                submitted_ms: number(row.try_get(4)?)?,
            })
        };
        let read: Tried<Vec<Pending>> = rows.iter().map(pending).collect();
        read.map_err(|fault| fault.harmless("reading the inbox"))
    }

    /// Forgets up to so many outcomes that are older than this. Returns how many.
    pub fn forget_outcomes(&mut self, older_than: Duration, limit: usize) -> Result<u64> {
        let age = i64::try_from(older_than.as_millis());
        let (field, why) = ("older_than", "it is too long");
        let age = age.map_err(|_| StoreError::BadValue { field, why })?;
        let limit = column(limit as u64);
        let sql = "WITH old AS MATERIALIZED (
                SELECT namespace, key FROM interlock.outcomes
                WHERE at < clock_timestamp() - $1::bigint * interval '1 ms' ORDER BY at LIMIT $2
            ), gone AS (
                DELETE FROM interlock.outcomes o USING old
                WHERE o.namespace = old.namespace AND o.key = old.key RETURNING 1
            )
            SELECT count(*) FROM gone";
        self.link
            .write("forgetting outcomes", &[], async |session| {
                let row = session.commit_one(sql, &[&age, &limit]).await?;
                Ok(number(row.try_get(0)?)?)
            })
    }
}

/// Looks at once on a connection that did not listen yet, and otherwise waits first.
async fn wait(session: &mut Session, at_most: Duration) -> Tried<Vec<NamespaceId>> {
    if session.listens {
        match tokio::time::timeout(at_most, session.notified.recv()).await {
            Ok(None) => return Err(Fault::Gone),
            // Whether or not one came in time: look.
            Ok(Some(_)) | Err(_) => while session.notified.try_recv().is_ok() {},
        }
    } else {
        session.batch("LISTEN interlock_inbox").await?;
        session.listens = true;
    }
    waiting_now(session).await
}

async fn waiting_now(session: &mut Session) -> Tried<Vec<NamespaceId>> {
    let rows = session.query(WAITING, &[]).await?;
    rows.iter().map(|row| Ok(id_of(row.try_get(0)?)?)).collect()
}
