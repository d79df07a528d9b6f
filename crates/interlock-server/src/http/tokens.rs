//! Tokens: who may do what. The secret is shown once, and a revocation counts at once.

use super::access::{Whole, foreign};
use super::answer::{Json, Problems, WithStatus};
use super::body::{Body1, Named, Query};
use super::{Admin, Answer, App, Failed};
use crate::server::{Server, hash, parse_scopes, scopes_text};
use interlock_api::Code;
use interlock_api::convert;
use interlock_api::convert::token::WantedToken;
use interlock_api::page::Page;
use interlock_api::problem::Problem;
use interlock_api::task::Done;
use interlock_api::time::Time;
use interlock_api::token::{CreateToken, RevokeQuery, Scope, Token, TokenCreated};
use interlock_store::{NewToken, Store, StoreError, Token as Row};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Random bytes of a secret: more than anybody can guess.
const SECRET_BYTES: usize = 32;
/// Letters of the secret that are kept so that people can tell tokens apart.
const HINT_LETTERS: usize = 4;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(revoke))
}

/// Lists tokens without their secrets, revoked ones too.
#[utoipa::path(get, path = "/v1/tokens", tag = "tokens",
    security(("token" = ["admin"])),
    responses(
        (status = 200, description = "All that the caller may see; there is only one page", body = Page<Token>),
        Problems,
    ))]
async fn list(whole: Whole<Admin>) -> Answer<Json<Page<Token>>> {
    let rows = whole.server.committer().look(|store| store.tokens());
    let mut rows = rows.await??;
    rows.retain(|row| may_see(&whole, row));
    let items = rows.iter().map(|row| shown(&whole.server, row)).collect();
    Ok(Json(Page::new(items, None)))
}

/// A caller that is bound to a namespace sees the tokens of that namespace only.
fn may_see(whole: &Whole<Admin>, row: &Row) -> bool {
    let own = whole.caller.namespace;
    own.is_none() || row.made.namespace == own
}

fn shown(server: &Server, row: &Row) -> Token {
    let all = server.namespaces.all();
    let name = row.made.namespace.map(|id| {
        let found = all.iter().find(|hosted| hosted.id == id);
        found.map_or_else(|| format!("{id} (removed)"), |hosted| hosted.name.clone())
    });
    Token {
        id: row.id.to_string(),
        name: row.made.name.clone(),
        namespace: name,
        scopes: parse_scopes(&row.made.scopes),
        created: Time::from_ms(row.made.created_ms),
        revoked: row.revoked_ms.map(Time::from_ms),
    }
}

/// Creates a token. Its secret is shown this once.
///
/// Nobody can hand out more than they have: not other scopes, nor another namespace. The first token
/// must be for all namespaces and allow `admin`, since from then on nobody comes in without one.
#[utoipa::path(post, path = "/v1/tokens", tag = "tokens",
    security(("token" = ["admin"])),
    request_body = CreateToken,
    responses(
        (status = 201, description = "The token, with its secret", body = TokenCreated),
        Problems,
    ))]
async fn create(
    whole: Whole<Admin>,
    Body1(wire): Body1<CreateToken>,
) -> Answer<WithStatus<TokenCreated>> {
    let wanted = convert::token::create_token(&wire)?;
    let namespace = allowed(&whole, &wanted)?;
    let secret = secret()?;
    let made = NewToken {
        name: wanted.name.to_string(),
        hash: hash(&secret),
        hint: secret[secret.len() - HINT_LETTERS..].to_owned(),
        namespace,
        scopes: scopes_text(&wanted.scopes),
        created_ms: crate::clock::wall().0,
    };
    let row = change(&whole.server, move |store| store.put_token(&made)).await?;
    let token = shown(&whole.server, &row);
    Ok(WithStatus(201, TokenCreated { token, secret }))
}

/// The namespace of a token that the caller may create.
fn allowed(
    whole: &Whole<Admin>,
    wanted: &WantedToken,
) -> Answer<Option<interlock_store::NamespaceId>> {
    let namespace = match &wanted.namespace {
        Some(name) => Some(whole.namespace(name.as_str())?.id),
        None if whole.caller.namespace.is_some() => return Err(foreign()),
        None => None,
    };
    let more = wanted
        .scopes
        .iter()
        .find(|scope| !whole.caller.may(**scope));
    if let Some(more) = more {
        let word = scopes_text(&[*more]);
        let detail = format!("the caller's own token does not have the scope {word}");
        return Err(Problem::new(Code::Forbidden, detail).at("scopes").into());
    }
    let lasting = namespace.is_none() && wanted.scopes.contains(&Scope::Admin);
    if !whole.server.tokens.any() && !lasting {
        let detail = "the first token must be for all namespaces and have the scope admin: from \
                      then on nobody comes in without a token, nor could create another";
        return Err(Problem::new(Code::BadValue, detail).at("scopes").into());
    }
    Ok(namespace)
}

/// Revokes a token, at once.
///
/// The last one that can create others is not revoked without `force`, unless it is the last of all
/// and nobody needs a token then.
#[utoipa::path(delete, path = "/v1/tokens/{id}", tag = "tokens",
    security(("token" = ["admin"])),
    params(("id" = String, Path, description = "The token", max_length = 20), RevokeQuery),
    responses(
        (status = 200, description = "Done, or it was revoked before", body = Done),
        Problems,
    ))]
async fn revoke(
    whole: Whole<Admin>,
    Named(id): Named,
    Query(query): Query<RevokeQuery>,
) -> Answer<Json<Done>> {
    let rows = whole.server.committer().look(|store| store.tokens());
    let rows = rows.await??;
    let found = rows.iter().find(|row| row.id.to_string() == id);
    let Some(row) = found.filter(|row| may_see(&whole, row)) else {
        return Err(Problem::new(Code::UnknownToken, "there is no such token").into());
    };
    let (id, now, needed) = (row.id, crate::clock::wall().0, whole.tokens_needed);
    let revoked = change(&whole.server, move |store| {
        // Looked at here, so that of two who revoke each other's tokens only one can.
        if !query.force && locks_out(&store.tokens()?, id, needed) {
            return Ok(false);
        }
        store.revoke_token(id, now)?;
        Ok(true)
    });
    if !revoked.await? {
        let detail = "without it nobody can create or revoke tokens; create another with the scope \
                      admin for all namespaces first, or say force";
        return Err(Problem::new(Code::LastAdmin, detail).into());
    }
    Ok(Json(Done {}))
}

/// Whether nobody could create tokens any more without this one, and somebody would need to: tokens
/// are needed in any case, or there are others.
fn locks_out(rows: &[Row], id: u64, needed: bool) -> bool {
    let live = |row: &&Row| row.revoked_ms.is_none();
    let lasting = |row: &Row| {
        row.made.namespace.is_none() && parse_scopes(&row.made.scopes).contains(&Scope::Admin)
    };
    let (own, others): (Vec<&Row>, Vec<&Row>) =
        (rows.iter().filter(live)).partition(|row| row.id == id);
    own.into_iter().any(lasting)
        && !others.iter().any(|row| lasting(row))
        && (needed || !others.is_empty())
}

/// Changes tokens, and lets the change count before anything else is done with the store: no later
/// change can be overtaken by an earlier one.
async fn change<T: Send + 'static>(
    server: &Arc<Server>,
    change: impl FnOnce(&mut dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Answer<T> {
    let known = server.clone();
    let done = server.committer().call_async(move |store| {
        let changed = change(store)?;
        known.tokens.set(store.tokens()?);
        Ok::<T, StoreError>(changed)
    });
    Ok(done.await??)
}

/// `ilk_` and letters that nobody can guess.
fn secret() -> Answer<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "there is no randomness");
        Failed(Problem::new(Code::Internal, "no token can be made"))
    })?;
    Ok(format!("ilk_{}", base64url(&bytes)))
}

/// Base64 for URLs, without padding.
fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let group = at(0) << 16 | at(1) << 8 | at(2);
        let letters = (0..=chunk.len()).map(|letter| group >> (18 - 6 * letter) & 63);
        text.extend(letters.map(|index| LETTERS[index as usize] as char));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_base64() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"\xfb\xff", "-_8"),
        ] {
            assert_eq!(base64url(bytes), text);
        }
    }

    #[test]
    fn no_two_secrets_are_the_same() {
        let (first, second) = (secret().expect("random"), secret().expect("random"));
        assert_ne!(first, second);
        assert_eq!(first.len(), 4 + 43);
    }
}
