//! Appending to the log: one statement, the one thing that every answer waits for.

use super::fault::{Tried, column};
use super::ledger::{id_column, id_of};
use super::owned;
use super::session::Session;
use crate::error::StoreError;
use crate::sums;
use crate::types::{Append, NamespaceId};
use std::collections::HashSet;

/// Inserts all records or none: the count of rows that were locked decides. `$1` and `$2` are the
/// namespaces with their epochs.
const APPEND: &str = "
    WITH owned AS MATERIALIZED (
        SELECT o.namespace FROM interlock.owners o
        WHERE (o.namespace, o.epoch) IN (SELECT * FROM unnest($1::integer[], $2::bigint[]))
        FOR SHARE OF o
    ), written AS (
        INSERT INTO interlock.log (namespace, position, next, at_ms, bytes, sum)
        SELECT * FROM unnest($3::integer[], $4::bigint[], $5::bigint[], $6::bigint[],
            $7::bytea[], $8::bigint[])
        WHERE (SELECT count(*) FROM owned) = cardinality($1)
    )
    SELECT array(SELECT namespace FROM owned)";

/// The same with submissions of the inbox: each must be there still. `$9` are their ids, `$10` their
/// namespaces, `$11` their outcomes.
const CONSUME: &str = "
    WITH owned AS MATERIALIZED (
        SELECT o.namespace FROM interlock.owners o
        WHERE (o.namespace, o.epoch) IN (SELECT * FROM unnest($1::integer[], $2::bigint[]))
        FOR SHARE OF o
    ), pending AS MATERIALIZED (
        SELECT i.id, i.namespace, i.key, i.submission, u.outcome
        FROM unnest($9::bigint[], $10::integer[], $11::text[]) u (id, namespace, outcome)
        JOIN interlock.inbox i ON i.id = u.id AND i.namespace = u.namespace
        FOR UPDATE OF i
    ), fine AS MATERIALIZED (
        SELECT (SELECT count(*) FROM owned) = cardinality($1)
            AND (SELECT count(*) FROM pending) = cardinality($9) AS yes
    ), written AS (
        INSERT INTO interlock.log (namespace, position, next, at_ms, bytes, sum)
        SELECT * FROM unnest($3::integer[], $4::bigint[], $5::bigint[], $6::bigint[],
            $7::bytea[], $8::bigint[])
        WHERE (SELECT yes FROM fine)
    ), taken AS (
        DELETE FROM interlock.inbox i USING pending p WHERE i.id = p.id AND (SELECT yes FROM fine)
    ), told AS (
        INSERT INTO interlock.outcomes (namespace, key, id, submission, outcome)
        SELECT p.namespace, p.key, p.id, p.submission, p.outcome::jsonb FROM pending p
        WHERE (SELECT yes FROM fine)
        ON CONFLICT (namespace, key) DO UPDATE SET id = excluded.id, outcome = excluded.outcome,
            submission = excluded.submission, at = excluded.at
    )
    SELECT array(SELECT namespace FROM owned), array(SELECT id FROM pending)";

/// Writes records that were checked to be gapless, as one commit, if each namespace has this epoch.
pub(super) async fn append(
    session: &mut Session,
    records: &[Append<'_>],
    epochs: &[(NamespaceId, u64)],
) -> Tried<()> {
    let namespaces: Vec<i32> = epochs.iter().map(|(of, _)| id_column(*of)).collect();
    let asserted: Vec<i64> = epochs
        .iter()
        .map(|(_, epoch)| epoch.cast_signed())
        .collect();
    let with_events = || {
        let all = records.iter();
        all.filter(|record| record.next > record.position)
    };
    let of: Vec<i32> = with_events().map(|one| id_column(one.namespace)).collect();
    let position: Vec<i64> = with_events().map(|one| column(one.position)).collect();
    let next: Vec<i64> = with_events().map(|one| column(one.next)).collect();
    let at_ms: Vec<i64> = with_events().map(|one| column(one.at_ms)).collect();
    let bytes: Vec<&[u8]> = with_events().map(|one| one.bytes).collect();
    let sums: Vec<i64> = with_events().map(sum).collect();
    let consumed = Consuming::of(records);
    let row = if consumed.ids.is_empty() {
        session
            .commit_one(
                APPEND,
                &[
                    &namespaces,
                    &asserted,
                    &of,
                    &position,
                    &next,
                    &at_ms,
                    &bytes,
                    &sums,
                ],
            )
            .await?
    } else {
        session
            .commit_one(
                CONSUME,
                &[
                    &namespaces,
                    &asserted,
                    &of,
                    &position,
                    &next,
                    &at_ms,
                    &bytes,
                    &sums,
                    &consumed.ids,
                    &consumed.namespaces,
                    &consumed.outcomes,
                ],
            )
            .await?
    };
    let owned: Vec<i32> = row.try_get(0)?;
    if let Some((lost, _)) = epochs
        .iter()
        .find(|(of, _)| !owned.contains(&id_column(*of)))
    {
        return Err(owned::lost(*lost));
    }
    if !consumed.ids.is_empty() {
        let pending: Vec<i64> = row.try_get(1)?;
        if let Some(namespace) = consumed.without(&pending) {
            return Err(StoreError::NotPending { namespace }.into());
        }
    }
    Ok(())
}

fn sum(record: &Append<'_>) -> i64 {
    sums::record(
        record.namespace,
        record.position,
        record.next,
        record.at_ms,
        record.bytes,
    )
    .cast_signed()
}

/// What is taken from the inbox, by column.
#[derive(Default)]
struct Consuming<'a> {
    ids: Vec<i64>,
    namespaces: Vec<i32>,
    outcomes: Vec<&'a str>,
}

impl<'a> Consuming<'a> {
    fn of(records: &[Append<'a>]) -> Self {
        let mut all = Self::default();
        for record in records {
            for consumed in record.consumed {
                all.ids.push(column(consumed.id));
                all.namespaces.push(id_column(record.namespace));
                all.outcomes.push(&consumed.outcome);
            }
        }
        all
    }

    /// A namespace for which something was to be consumed that is not among these.
    fn without(&self, pending: &[i64]) -> Option<NamespaceId> {
        let pending: HashSet<i64> = pending.iter().copied().collect();
        let mut seen = HashSet::with_capacity(self.ids.len());
        let missing = |id: &i64| !pending.contains(id) || !seen.insert(*id);
        let at = self.ids.iter().position(missing)?;
        id_of(self.namespaces[at]).ok()
    }
}
