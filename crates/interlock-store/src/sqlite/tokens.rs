//! The table of access tokens.

use rusqlite::{Connection, Row, params};

use super::fault::{Tried, column, number};
use super::ledger::Ledger;
use crate::error::StoreError;
use crate::sums;
use crate::types::{NamespaceId, NewToken, Token};

/// Every token, its checksum verified.
pub(super) fn read(conn: &Connection) -> Tried<Vec<Token>> {
    let mut listed = conn.prepare("SELECT * FROM tokens ORDER BY id")?;
    let mut rows = listed.query([])?;
    let mut tokens = Vec::new();
    while let Some(row) = rows.next()? {
        tokens.push(from_row(row)?);
    }
    Ok(tokens)
}

pub(super) fn put(conn: &Connection, ledger: &mut Ledger, made: &NewToken) -> Tried<Token> {
    ledger.card.tokens_made += 1;
    let token = Token {
        id: ledger.card.tokens_made,
        made: made.clone(),
        revoked_ms: None,
    };
    ledger.card.small.add(sums::token(&token));
    write(conn, &token)?;
    Ok(token)
}

pub(super) fn revoke(conn: &Connection, ledger: &mut Ledger, id: u64, now_ms: u64) -> Tried<bool> {
    let mut tokens = read(conn)?.into_iter();
    let Some(mut token) = tokens.find(|token| token.id == id && token.revoked_ms.is_none()) else {
        return Ok(false);
    };
    ledger.card.small.remove(sums::token(&token));
    token.revoked_ms = Some(now_ms);
    ledger.card.small.add(sums::token(&token));
    write(conn, &token)?;
    Ok(true)
}

fn from_row(row: &Row<'_>) -> Tried<Token> {
    let token = Token {
        id: number(row.get("id")?)?,
        made: NewToken {
            name: row.get("name")?,
            hash: row.get("hash")?,
            hint: row.get("hint")?,
            namespace: row.get::<_, Option<u32>>("namespace")?.map(NamespaceId),
            scopes: row.get("scopes")?,
            created_ms: number(row.get("created_ms")?)?,
        },
        revoked_ms: row
            .get::<_, Option<i64>>("revoked_ms")?
            .map(number)
            .transpose()?,
    };
    if sums::token(&token) != row.get::<_, i64>("sum")?.cast_unsigned() {
        let place = format!("token {}", token.id);
        return Err(StoreError::damaged(place, "its checksum is wrong").into());
    }
    Ok(token)
}

fn write(conn: &Connection, token: &Token) -> Tried<()> {
    let sql = "INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    conn.prepare_cached(sql)?.execute(params![
        column(token.id),
        token.made.name,
        token.made.hash,
        token.made.hint,
        token.made.namespace.map(|namespace| namespace.0),
        token.made.scopes,
        column(token.made.created_ms),
        token.revoked_ms.map(column),
        sums::token(token).cast_signed(),
    ])?;
    Ok(())
}
