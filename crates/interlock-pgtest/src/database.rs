//! One database of a server, which a test has for itself.

use crate::server::{ROLE, Server};

/// A database. It stays until the server ends.
pub struct Database<'a> {
    server: &'a Server,
    name: String,
}

impl<'a> Database<'a> {
    pub(crate) fn new(server: &'a Server, name: String) -> Self {
        Self { server, name }
    }

    /// Its URL, as its owner.
    pub fn url(&self) -> String {
        self.url_by(self.server.port())
    }

    /// Its URL by way of another port of this machine.
    pub fn url_by(&self, port: u16) -> String {
        format!("postgres://{ROLE}@127.0.0.1:{port}/{}", self.name)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The server that it is on.
    pub fn server(&self) -> &'a Server {
        self.server
    }

    /// Runs statements in it as the superuser, and returns what they print.
    pub fn sql(&self, sql: &str) -> String {
        self.server.sql(&self.name, sql)
    }
}
