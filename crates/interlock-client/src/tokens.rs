//! Calls about tokens.

use crate::client::Client;
use crate::error::Error;
use interlock_api::page::Page;
use interlock_api::path::segment;
use interlock_api::task::Done;
use interlock_api::token::{CreateToken, Token, TokenCreated};

/// Calls about tokens.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'a>(pub(crate) &'a Client);

impl Tokens<'_> {
    /// All of them, without their secrets.
    pub async fn list(&self) -> Result<Page<Token>, Error> {
        self.0.get("/v1/tokens").await
    }

    /// Creates one. The answer is the only place where its secret is ever shown.
    pub async fn create(&self, create: &CreateToken) -> Result<TokenCreated, Error> {
        self.0.post("/v1/tokens", create).await
    }

    /// Revokes one at once; by force also the last one that can create others.
    pub async fn revoke(&self, id: &str, force: bool) -> Result<Done, Error> {
        let force = if force { "?force=true" } else { "" };
        let path = format!("/v1/tokens/{}{force}", segment(id));
        self.0.delete(&path).await
    }
}
