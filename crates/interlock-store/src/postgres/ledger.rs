//! What the store knows about itself: its own row and those of its namespaces.
//!
//! The row of a namespace is changed by its owner alone, who keeps it in memory. The store's own row is
//! shared by all nodes: whoever changes it locks it first.

use tokio_postgres::Row;

use super::fault::{Tried, column, number};
use super::session::Session;
use super::{place, settings_table, text, tokens};
use crate::check::FIRST_POSITION;
use crate::checksum::{Fields, SetSum};
use crate::error::StoreError;
use crate::sums;
use crate::types::{Namespace, NamespaceId};

/// The store's own row.
#[derive(Clone, Debug)]
pub(super) struct Card {
    /// Drawn at random when the store was made.
    pub(super) id: u64,
    pub(super) generation: u32,
    pub(super) place: String,
    pub(super) namespaces_made: u32,
    pub(super) tokens_made: u64,
    /// Covers tokens and settings.
    pub(super) small: SetSum,
}

impl Card {
    /// Writes the row of a new store.
    pub(super) async fn create(session: &mut Session) -> Tried<()> {
        let drawn = "SELECT ('x' || translate(left(gen_random_uuid()::text, 18), '-', ''))::bit(64)::bigint";
        let row = session.client().query_one(drawn, &[]).await?;
        let card = Self {
            id: row.try_get::<_, i64>(0)?.cast_unsigned(),
            generation: 1,
            place: place::here(session).await?,
            namespaces_made: 0,
            tokens_made: 0,
            small: SetSum::default(),
        };
        let make = "INSERT INTO interlock.store VALUES (true, 0, 0, '', 0, 0, 0, 0, 0)";
        session.batch(make).await?;
        card.write(session).await
    }

    /// Reads it, for a change within the transaction that is open.
    pub(super) async fn lock(session: &mut Session) -> Tried<Self> {
        let sql = "SELECT * FROM interlock.store WHERE one FOR UPDATE";
        Self::from_row(session.query_opt(sql, &[]).await?)
    }

    /// Reads it and everything that it covers, with every checksum.
    pub(super) async fn verify(session: &mut Session) -> Tried<()> {
        let card = Self::from_row(
            session
                .query_opt("SELECT * FROM interlock.store WHERE one", &[])
                .await?,
        )?;
        let mut small = SetSum::default();
        for token in tokens::read(session).await? {
            small.add(sums::token(&token));
        }
        for sum in settings_table::sums(session).await? {
            small.add(sum);
        }
        if small != card.small {
            let what = "a token or setting is missing or has come back";
            return Err(StoreError::damaged("the tables of the store", what).into());
        }
        Ok(())
    }

    fn from_row(row: Option<Row>) -> Tried<Self> {
        let damaged = |what: &str| StoreError::damaged("the store's own row", what);
        let row = row.ok_or_else(|| damaged("it is missing"))?;
        let number_of = |found: i64| u32::try_from(found).map_err(|_| damaged("a number is wrong"));
        let card = Self {
            id: row.try_get::<_, i64>("id")?.cast_unsigned(),
            generation: number_of(row.try_get("generation")?)?,
            place: row.try_get("place")?,
            namespaces_made: number_of(row.try_get::<_, i32>("namespaces_made")?.into())?,
            tokens_made: number(row.try_get("tokens_made")?)?,
            small: set_sum(&row, "small_count", "small_sum")?,
        };
        if card.sum() != row.try_get::<_, i64>("sum")?.cast_unsigned() {
            return Err(damaged("its checksum is wrong").into());
        }
        Ok(card)
    }

    fn sum(&self) -> u64 {
        Fields::of("store")
            .number(self.id)
            .number(self.generation.into())
            .text(&self.place)
            .number(self.namespaces_made.into())
            .number(self.tokens_made)
            .number(self.small.count)
            .number(self.small.sum)
            .sum()
    }

    pub(super) async fn write(&self, session: &mut Session) -> Tried<()> {
        let sql = "UPDATE interlock.store SET id = $1, generation = $2, place = $3,
            namespaces_made = $4, tokens_made = $5, small_count = $6, small_sum = $7, sum = $8
            WHERE one";
        session
            .execute(
                sql,
                &[
                    &self.id.cast_signed(),
                    &i64::from(self.generation),
                    &self.place,
                    &id_column(NamespaceId(self.namespaces_made)),
                    &column(self.tokens_made),
                    &self.small.count.cast_signed(),
                    &self.small.sum.cast_signed(),
                    &self.sum().cast_signed(),
                ],
            )
            .await?;
        Ok(())
    }
}

/// A namespace's row.
#[derive(Clone, Debug)]
pub(super) struct Space {
    pub(super) row: Namespace,
    /// Gone for everybody, but not yet swept.
    pub(super) removed: bool,
    pub(super) position: u64,
    pub(super) log_from: u64,
    /// Rows of tasks from this id on belong to a checkpoint that is not complete.
    pub(super) tasks_before: u64,
    /// Covers the rows of `tasks` and `rows`.
    pub(super) rows: SetSum,
    pub(super) history: SetSum,
}

impl Space {
    pub(super) fn new(row: Namespace) -> Self {
        Self {
            row,
            removed: false,
            position: FIRST_POSITION,
            log_from: FIRST_POSITION,
            tasks_before: 0,
            rows: SetSum::default(),
            history: SetSum::default(),
        }
    }

    /// A namespace that exists.
    pub(super) async fn read(session: &mut Session, id: NamespaceId) -> Tried<Self> {
        let sql = "SELECT * FROM interlock.namespaces WHERE id = $1";
        let row = session.query_opt(sql, &[&id_column(id)]).await?;
        let space = row.map(|row| Self::from_row(&row)).transpose()?;
        let space = space.filter(|space| !space.removed);
        space.ok_or_else(|| StoreError::UnknownNamespace(id).into())
    }

    /// All namespaces that exist, by id.
    pub(super) async fn read_all(session: &mut Session) -> Tried<Vec<Self>> {
        let sql = "SELECT * FROM interlock.namespaces WHERE NOT removed ORDER BY id";
        let rows = session.query(sql, &[]).await?;
        rows.iter().map(Self::from_row).collect()
    }

    fn from_row(row: &Row) -> Tried<Self> {
        let id = id_of(row.try_get("id")?)?;
        let space = Self {
            row: Namespace {
                id,
                name: text::give(row.try_get("name")?),
                created_ms: number(row.try_get("created_ms")?)?,
            },
            removed: row.try_get("removed")?,
            position: number(row.try_get("position")?)?,
            log_from: number(row.try_get("log_from")?)?,
            tasks_before: number(row.try_get("tasks_before")?)?,
            rows: set_sum(row, "rows_count", "rows_sum")?,
            history: set_sum(row, "history_count", "history_sum")?,
        };
        if space.sum() != row.try_get::<_, i64>("sum")?.cast_unsigned() {
            let place = format!("the row of namespace {id}");
            return Err(StoreError::damaged(place, "its checksum is wrong").into());
        }
        Ok(space)
    }

    fn sum(&self) -> u64 {
        Fields::of("namespaces")
            .number(self.row.id.0.into())
            .text(&self.row.name)
            .number(self.row.created_ms)
            .number(self.removed.into())
            .number(self.position)
            .number(self.log_from)
            .number(self.tasks_before)
            .number(self.rows.count)
            .number(self.rows.sum)
            .number(self.history.count)
            .number(self.history.sum)
            .sum()
    }

    pub(super) async fn write(&self, session: &mut Session) -> Tried<()> {
        let sql = "INSERT INTO interlock.namespaces
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, removed = excluded.removed,
                position = excluded.position, log_from = excluded.log_from,
                tasks_before = excluded.tasks_before,
                rows_count = excluded.rows_count, rows_sum = excluded.rows_sum,
                history_count = excluded.history_count, history_sum = excluded.history_sum,
                sum = excluded.sum";
        session
            .execute(
                sql,
                &[
                    &id_column(self.row.id),
                    &text::keep(&self.row.name),
                    &column(self.row.created_ms),
                    &self.removed,
                    &column(self.position),
                    &column(self.log_from),
                    &column(self.tasks_before),
                    &self.rows.count.cast_signed(),
                    &self.rows.sum.cast_signed(),
                    &self.history.count.cast_signed(),
                    &self.history.sum.cast_signed(),
                    &self.sum().cast_signed(),
                ],
            )
            .await?;
        Ok(())
    }
}

/// An id for its column. Ids are counted from 1.
pub(super) fn id_column(id: NamespaceId) -> i32 {
    i32::try_from(id.0).unwrap_or(i32::MAX)
}

/// An id from its column.
pub(super) fn id_of(column: i32) -> Result<NamespaceId, StoreError> {
    let damaged = |_| StoreError::damaged("the id of a namespace", "it is negative");
    u32::try_from(column).map(NamespaceId).map_err(damaged)
}

fn set_sum(row: &Row, count: &str, sum: &str) -> Tried<SetSum> {
    Ok(SetSum {
        count: row.try_get::<_, i64>(count)?.cast_unsigned(),
        sum: row.try_get::<_, i64>(sum)?.cast_unsigned(),
    })
}
