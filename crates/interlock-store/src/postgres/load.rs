//! Reading everything that a start needs, and making sure that it is everything.

use std::ops::ControlFlow;

use super::fault::Tried;
use super::ledger::Space;
use super::session::Session;
use super::{log, rows};
use crate::error::StoreError;
use crate::types::Loaded;

/// Hands out rows, position and records, within a transaction that sees one moment. Returns where the
/// log ends.
pub(super) async fn load(
    session: &mut Session,
    space: &Space,
    visit: &mut dyn FnMut(Loaded) -> ControlFlow<()>,
) -> Tried<u64> {
    let end = log::end(session, space).await?;
    let of = space.row.id;
    let mut go_on = |loaded| visit(loaded).is_continue();
    let Some(set) = rows::visit(session, of, space.tasks_before, &mut go_on).await? else {
        return Ok(end);
    };
    if set != space.rows {
        let place = format!("the tables of namespace {of}");
        let what = format!("{} rows, {} expected", set.count, space.rows.count);
        return Err(StoreError::damaged(place, what).into());
    }
    if !go_on(Loaded::Position(space.position)) {
        return Ok(end);
    }
    let mut reached = space.position;
    let mut stopped = false;
    log::visit(session, space, space.position, usize::MAX, |record| {
        reached = record.next;
        stopped = !go_on(Loaded::Record(record));
        !stopped
    })
    .await?;
    if !stopped && reached != end {
        let place = format!("the log of namespace {of}, position {reached}");
        let what = format!("it ends there, and should go on to {end}");
        return Err(StoreError::damaged(place, what).into());
    }
    Ok(end)
}
