//! What the store knows about itself: its own row and those of its namespaces, kept in memory as of
//! the last commit. A transaction works on a copy, which takes the place of the ledger when the
//! commit has returned.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::{Tried, column, number};
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
    /// Made by a backup and not opened since.
    pub(super) is_copy: bool,
    /// Counts every transaction but appends.
    pub(super) changes: u64,
    pub(super) namespaces_made: u32,
    pub(super) tokens_made: u64,
    /// Covers the rows of namespaces, tokens and settings.
    pub(super) small: SetSum,
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

#[derive(Clone, Debug)]
pub(super) struct Ledger {
    pub(super) card: Card,
    spaces: BTreeMap<NamespaceId, Space>,
}

impl Ledger {
    /// Writes the rows of a new store.
    pub(super) fn create(conn: &Connection) -> Tried<()> {
        let id: i64 = conn.query_one("SELECT random()", [], |row| row.get(0))?;
        let card = Card {
            id: id.cast_unsigned(),
            generation: 1,
            is_copy: false,
            changes: 0,
            namespaces_made: 0,
            tokens_made: 0,
            small: SetSum::default(),
        };
        card.write(conn)
    }

    /// Reads it, with every checksum, those of tokens and settings too.
    pub(super) fn load(conn: &Connection) -> Tried<Self> {
        let card = Card::read(conn)?;
        let mut small = SetSum::default();
        let mut spaces = BTreeMap::new();
        let mut listed = conn.prepare("SELECT * FROM namespaces ORDER BY id")?;
        let mut rows = listed.query([])?;
        while let Some(row) = rows.next()? {
            let space = Space::from_row(row)?;
            small.add(space.sum());
            spaces.insert(space.row.id, space);
        }
        super::tokens::read(conn)?
            .iter()
            .for_each(|token| small.add(sums::token(token)));
        super::settings_table::sums(conn)?
            .into_iter()
            .for_each(|sum| small.add(sum));
        if small != card.small {
            let what = "a namespace, token or setting is missing or has come back";
            return Err(StoreError::damaged("the tables of the store", what).into());
        }
        Ok(Self { card, spaces })
    }

    /// A namespace that exists.
    pub(super) fn space(&self, id: NamespaceId) -> Result<&Space, StoreError> {
        let space = self.spaces.get(&id).filter(|space| !space.removed);
        space.ok_or(StoreError::UnknownNamespace(id))
    }

    /// The namespaces that exist, by id.
    pub(super) fn spaces(&self) -> impl Iterator<Item = &Space> {
        self.spaces.values().filter(|space| !space.removed)
    }

    /// The first namespace that is removed and not yet swept.
    pub(super) fn removed(&self) -> Option<NamespaceId> {
        let removed = self.spaces.values().find(|space| space.removed);
        removed.map(|space| space.row.id)
    }

    pub(super) fn add_space(
        &mut self,
        conn: &Connection,
        name: &str,
        now_ms: u64,
    ) -> Tried<Namespace> {
        self.card.namespaces_made += 1;
        let row = Namespace {
            id: NamespaceId(self.card.namespaces_made),
            name: name.to_owned(),
            created_ms: now_ms,
        };
        let space = Space {
            row: row.clone(),
            removed: false,
            position: FIRST_POSITION,
            log_from: FIRST_POSITION,
            tasks_before: 0,
            rows: SetSum::default(),
            history: SetSum::default(),
        };
        self.card.small.add(space.sum());
        space.write(conn)?;
        self.spaces.insert(row.id, space);
        Ok(row)
    }

    /// Changes the row of a namespace.
    pub(super) fn change_space<T>(
        &mut self,
        conn: &Connection,
        id: NamespaceId,
        change: impl FnOnce(&mut Space) -> Tried<T>,
    ) -> Tried<T> {
        self.space(id)?;
        let space = self.spaces.get_mut(&id).expect("found above");
        self.card.small.remove(space.sum());
        let changed = change(space)?;
        self.card.small.add(space.sum());
        space.write(conn)?;
        Ok(changed)
    }

    /// Forgets a removed namespace of which nothing is left.
    pub(super) fn forget_space(&mut self, conn: &Connection, id: NamespaceId) -> Tried<()> {
        if let Some(space) = self.spaces.remove(&id) {
            self.card.small.remove(space.sum());
            conn.execute("DELETE FROM namespaces WHERE id = ?", [id.0])?;
        }
        Ok(())
    }

    /// Writes the store's own row: the last thing in every transaction but appends.
    pub(super) fn write_card(&mut self, conn: &Connection) -> Tried<()> {
        self.card.changes += 1;
        self.card.write(conn)
    }
}

impl Card {
    fn read(conn: &Connection) -> Tried<Self> {
        let damaged = |what: &str| StoreError::damaged("the store's own row", what);
        let mut statement = conn.prepare("SELECT * FROM store WHERE one = 1")?;
        let read = statement.query_one([], |row| {
            Ok((
                Self {
                    id: row.get::<_, i64>("id")?.cast_unsigned(),
                    generation: row.get("generation")?,
                    is_copy: row.get("is_copy")?,
                    changes: row.get::<_, i64>("changes")?.cast_unsigned(),
                    namespaces_made: row.get("namespaces_made")?,
                    tokens_made: row.get::<_, i64>("tokens_made")?.cast_unsigned(),
                    small: set_sum(row, "small_count", "small_sum")?,
                },
                row.get::<_, i64>("sum")?.cast_unsigned(),
            ))
        });
        let (card, sum) = read.optional()?.ok_or_else(|| damaged("it is missing"))?;
        if card.sum() != sum {
            return Err(damaged("its checksum is wrong").into());
        }
        Ok(card)
    }

    fn sum(&self) -> u64 {
        Fields::of("store")
            .number(self.id)
            .number(self.generation.into())
            .number(self.is_copy.into())
            .number(self.changes)
            .number(self.namespaces_made.into())
            .number(self.tokens_made)
            .number(self.small.count)
            .number(self.small.sum)
            .sum()
    }

    fn write(&self, conn: &Connection) -> Tried<()> {
        let sql = "INSERT OR REPLACE INTO store VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        conn.prepare_cached(sql)?.execute(params![
            self.id.cast_signed(),
            self.generation,
            self.is_copy,
            self.changes.cast_signed(),
            self.namespaces_made,
            self.tokens_made.cast_signed(),
            self.small.count.cast_signed(),
            self.small.sum.cast_signed(),
            self.sum().cast_signed(),
        ])?;
        Ok(())
    }
}

impl Space {
    pub(super) fn from_row(row: &Row<'_>) -> Tried<Self> {
        let id = NamespaceId(row.get("id")?);
        let space = Self {
            row: Namespace {
                id,
                name: row.get("name")?,
                created_ms: number(row.get("created_ms")?)?,
            },
            removed: row.get("removed")?,
            position: number(row.get("position")?)?,
            log_from: number(row.get("log_from")?)?,
            tasks_before: number(row.get("tasks_before")?)?,
            rows: set_sum(row, "rows_count", "rows_sum")?,
            history: set_sum(row, "history_count", "history_sum")?,
        };
        if space.sum() != row.get::<_, i64>("sum")?.cast_unsigned() {
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

    fn write(&self, conn: &Connection) -> Tried<()> {
        let sql = "INSERT OR REPLACE INTO namespaces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        conn.prepare_cached(sql)?.execute(params![
            self.row.id.0,
            self.row.name,
            column(self.row.created_ms),
            self.removed,
            column(self.position),
            column(self.log_from),
            column(self.tasks_before),
            self.rows.count.cast_signed(),
            self.rows.sum.cast_signed(),
            self.history.count.cast_signed(),
            self.history.sum.cast_signed(),
            self.sum().cast_signed(),
        ])?;
        Ok(())
    }
}

fn set_sum(row: &Row<'_>, count: &str, sum: &str) -> rusqlite::Result<SetSum> {
    Ok(SetSum {
        count: row.get::<_, i64>(count)?.cast_unsigned(),
        sum: row.get::<_, i64>(sum)?.cast_unsigned(),
    })
}
