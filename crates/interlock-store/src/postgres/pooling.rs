//! Is there a pooler in front that gives each transaction another connection to the server? Then what
//! belongs to a session (settings, prepared statements, LISTEN) is somebody else's the next moment.
//!
//! Two connections tell: the first one marks its session, the second one keeps a transaction open. If
//! the second sees the mark, or the first has lost it meanwhile, they don't have a session each.

use super::fault::Tried;
use super::ground;
use super::session::Session;

const MARK: &str = "SELECT set_config('interlock.mark', pg_backend_pid()::text, false)";
const LOOK: &str = "SELECT pg_backend_pid()::text, current_setting('interlock.mark', true)";

/// Refuses a pooler in transaction mode.
pub(super) async fn check(first: &mut Session, second: &mut Session) -> Tried<()> {
    let mark: String = (first.client().query_one(MARK, &[]).await?).try_get(0)?;
    second.batch("BEGIN").await?;
    let seen = look(second).await?;
    let mut shared = seen.1.as_deref().is_some_and(|seen| seen == mark);
    // While the second keeps one busy, the first has to come back to its own each time.
    for _ in 0..4 {
        let kept = look(first).await?;
        shared |= kept.0 != mark || kept.1.as_deref() != Some(&mark);
    }
    second.batch("COMMIT").await?;
    if shared {
        let cause = "something between here and PostgreSQL, such as PgBouncer in transaction mode, \
            gives each transaction another session";
        let remedy = "connect to PostgreSQL directly, or set pool_mode = session; a node needs few \
            connections, and always the same";
        return Err(ground::bad(cause, remedy).into());
    }
    Ok(())
}

async fn look(session: &mut Session) -> Tried<(String, Option<String>)> {
    let row = session.client().query_one(LOOK, &[]).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}
