//! Access tokens: who may do what. The secret is never kept, only its SHA-256; the look-up is by
//! that hash, so how long it takes tells nothing of the secret.

use interlock_api::token::Scope;
use interlock_store::{NamespaceId, Token};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

/// Who is calling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The name of the token; none if no token is needed.
    pub name: Option<String>,
    /// The only namespace that it may use; any if none.
    pub namespace: Option<NamespaceId>,
    /// What it may do.
    pub scopes: Vec<Scope>,
}

/// The tokens that are not revoked, by hash.
pub struct Tokens {
    by_hash: RwLock<BTreeMap<[u8; 32], Arc<Caller>>>,
}

impl Tokens {
    pub(super) fn new(rows: Vec<Token>) -> Self {
        let tokens = Self {
            by_hash: RwLock::default(),
        };
        tokens.set(rows);
        tokens
    }

    /// Replaces what is known by what the store has.
    pub fn set(&self, rows: Vec<Token>) {
        let live = rows.into_iter().filter(|row| row.revoked_ms.is_none());
        let by_hash = live.map(|row| {
            let caller = Caller {
                name: Some(row.made.name),
                namespace: row.made.namespace,
                scopes: parse_scopes(&row.made.scopes),
            };
            (row.made.hash, Arc::new(caller))
        });
        let by_hash = by_hash.collect();
        *self
            .by_hash
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) = by_hash;
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        !self
            .by_hash
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .is_empty()
    }

    /// Who has this secret.
    pub fn find(&self, secret: &str) -> Option<Arc<Caller>> {
        let by_hash = self
            .by_hash
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        by_hash.get(&hash(secret)).cloned()
    }
}

impl Caller {
    /// Whoever comes where no token is needed: may do everything.
    pub fn anyone() -> Self {
        Self {
            name: None,
            namespace: None,
            scopes: SCOPES.iter().map(|(scope, _)| *scope).collect(),
        }
    }

    /// Whether it may do this. Admin is not everything: it changes settings, and needs the other
    /// scopes for the rest.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// What is kept of a secret.
pub fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

const SCOPES: [(Scope, &str); 5] = [
    (Scope::Submit, "submit"),
    (Scope::Work, "work"),
    (Scope::Read, "read"),
    (Scope::Operate, "operate"),
    (Scope::Admin, "admin"),
];

/// Scopes as the store keeps them.
pub fn scopes_text(scopes: &[Scope]) -> String {
    let words = SCOPES.iter().filter(|(scope, _)| scopes.contains(scope));
    words.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

/// Scopes as the store keeps them, read.
pub fn parse_scopes(text: &str) -> Vec<Scope> {
    let found = SCOPES
        .iter()
        .filter(|(_, word)| text.split(' ').any(|part| part == *word));
    found.map(|(scope, _)| *scope).collect()
}
