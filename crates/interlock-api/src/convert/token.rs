//! Tokens: checked in form only; who may create which is the server's business.

use super::name::{maybe, name};
use crate::code::Code;
use crate::problem::Problem;
use crate::token::{CreateToken, Scope};
use interlock_core::words::Name;

/// A token to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedToken {
    /// What it is for.
    pub name: Name,
    /// The namespace it is good for; all of them if none.
    pub namespace: Option<Name>,
    /// What it allows, each once and in order.
    pub scopes: Vec<Scope>,
}

/// A token to be created, from the wire.
pub fn create_token(wire: &CreateToken) -> Result<WantedToken, Problem> {
    let mut scopes = wire.scopes.clone();
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() {
        return Err(
            Problem::new(Code::BadValue, "a token without scopes allows nothing").at("scopes"),
        );
    }
    Ok(WantedToken {
        name: name(&wire.name, "name")?,
        namespace: maybe(wire.namespace.as_deref(), "namespace")?,
        scopes,
    })
}
