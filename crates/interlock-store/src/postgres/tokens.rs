//! The table of access tokens.

use tokio_postgres::Row;

use super::fault::{Tried, column, number};
use super::ledger::{Card, id_column, id_of};
use super::session::Session;
use super::text;
use crate::error::StoreError;
use crate::sums;
use crate::types::{NewToken, Token};

/// Every token, its checksum verified.
pub(super) async fn read(session: &mut Session) -> Tried<Vec<Token>> {
    let sql = "SELECT * FROM interlock.tokens ORDER BY id";
    let rows = session.query(sql, &[]).await?;
    rows.iter().map(from_row).collect()
}

/// Keeps one, within the transaction that is open.
pub(super) async fn put(session: &mut Session, made: &NewToken) -> Tried<Token> {
    let mut card = Card::lock(session).await?;
    card.tokens_made += 1;
    let token = Token {
        id: card.tokens_made,
        made: made.clone(),
        revoked_ms: None,
    };
    card.small.add(sums::token(&token));
    write(session, &token).await?;
    card.write(session).await?;
    Ok(token)
}

/// Revokes one, within the transaction that is open.
pub(super) async fn revoke(session: &mut Session, id: u64, now_ms: u64) -> Tried<bool> {
    let mut card = Card::lock(session).await?;
    let mut tokens = read(session).await?.into_iter();
    let Some(mut token) = tokens.find(|token| token.id == id && token.revoked_ms.is_none()) else {
        return Ok(false);
    };
    card.small.remove(sums::token(&token));
    token.revoked_ms = Some(now_ms);
    card.small.add(sums::token(&token));
    write(session, &token).await?;
    card.write(session).await?;
    Ok(true)
}

fn from_row(row: &Row) -> Tried<Token> {
    let id = number(row.try_get("id")?)?;
    let wrong = |what| StoreError::damaged(format!("token {id}"), what);
    let hash: Vec<u8> = row.try_get("hash")?;
    let namespace: Option<i32> = row.try_get("namespace")?;
    let revoked: Option<i64> = row.try_get("revoked_ms")?;
    let token = Token {
        id,
        made: NewToken {
            name: text::give(row.try_get("name")?),
            hash: (hash.try_into()).map_err(|_| wrong("its hash has another length"))?,
            hint: text::give(row.try_get("hint")?),
            namespace: namespace.map(id_of).transpose()?,
            scopes: text::give(row.try_get("scopes")?),
            created_ms: number(row.try_get("created_ms")?)?,
        },
        revoked_ms: revoked.map(number).transpose()?,
    };
    if sums::token(&token) != row.try_get::<_, i64>("sum")?.cast_unsigned() {
        return Err(wrong("its checksum is wrong").into());
    }
    Ok(token)
}

async fn write(session: &mut Session, token: &Token) -> Tried<()> {
    let sql = "INSERT INTO interlock.tokens VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (id) DO UPDATE SET revoked_ms = excluded.revoked_ms, sum = excluded.sum";
    let made = &token.made;
    session
        .execute(
            sql,
            &[
                &column(token.id),
                &text::keep(&made.name),
                &&made.hash[..],
                &text::keep(&made.hint),
                &made.namespace.map(id_column),
                &text::keep(&made.scopes),
                &column(made.created_ms),
                &token.revoked_ms.map(column),
                &sums::token(token).cast_signed(),
            ],
        )
        .await?;
    Ok(())
}
