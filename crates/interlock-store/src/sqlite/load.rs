//! Reading everything that a start needs, and making sure that it is everything.

use std::ops::ControlFlow;

use rusqlite::Connection;

use super::fault::Tried;
use super::ledger::Space;
use super::{log, rows};
use crate::error::StoreError;
use crate::types::Loaded;

/// Hands out rows, position and records. `end` is where the log ended when the store was opened or
/// last appended to.
pub(super) fn load(
    conn: &Connection,
    space: &Space,
    end: u64,
    visit: &mut dyn FnMut(Loaded) -> ControlFlow<()>,
) -> Tried<()> {
    let mut go_on = |loaded| visit(loaded).is_continue();
    let Some(set) = rows::visit(conn, space.row.id, space.tasks_before, &mut go_on)? else {
        return Ok(());
    };
    if set != space.rows {
        let place = format!("the tables of namespace {}", space.row.id);
        let what = format!("{} rows, {} expected", set.count, space.rows.count);
        return Err(StoreError::damaged(place, what).into());
    }
    if !go_on(Loaded::Position(space.position)) {
        return Ok(());
    }
    let mut reached = space.position;
    let mut stopped = false;
    log::visit(conn, space, space.position, |record| {
        reached = record.next;
        stopped = !go_on(Loaded::Record(record));
        !stopped
    })?;
    if !stopped && reached != end {
        let place = format!("the log of namespace {}, position {reached}", space.row.id);
        let what = format!("it ends there, and should go on to {end}");
        return Err(StoreError::damaged(place, what).into());
    }
    Ok(())
}
