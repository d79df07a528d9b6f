//! The configuration file: TOML with `[server]`, `[client]`, `[[namespaces]]`, `[[quotas]]`, `[[kinds]]` and
//! `[[schedules]]`. The last four are the types of the wire, with their names, and perhaps
//! `namespace`, which is `default` if it is left out.

mod apply;
mod check;
mod read;
mod tree;

pub use apply::apply;

use crate::command::serve::StoreKind;
use crate::exit::Failure;
use crate::{logs, print};
use anyhow::{Context, anyhow};
use interlock_core::Command;
use interlock_core::words::Namespace;
use serde::Deserialize;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// What a configuration file says, as far as it makes sense.
#[derive(Debug, Default)]
pub struct Config {
    /// How the server is set.
    pub server: ServerConfig,
    /// How the commands reach a server.
    pub client: ClientConfig,
    /// Namespaces and their settings, in the order of the file.
    pub namespaces: Vec<(String, Namespace)>,
    /// Quotas, kinds and schedules, in an order in which each finds what it names.
    pub declared: Vec<Declared>,
    /// What is wrong.
    pub mistakes: Vec<Note>,
    /// What is likely not meant like this.
    pub warnings: Vec<Note>,
}

/// How the server is set. Flags and environment win over it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// Where everything is kept.
    pub data: Option<PathBuf>,
    /// Where to listen.
    pub listen: Option<SocketAddr>,
    /// With PostgreSQL: what this node is called.
    pub node: Option<String>,
    /// With PostgreSQL: where other nodes reach this one.
    pub advertise: Option<String>,
    /// With PostgreSQL and TLS: who vouches for the other nodes.
    pub node_ca: Option<PathBuf>,
    /// Let everybody in without a token.
    #[serde(default)]
    pub no_tokens: bool,
    /// Where to keep things.
    pub store: Option<StoreKind>,
    /// What to log.
    pub log: Option<String>,
    /// How log lines look.
    pub log_format: Option<logs::Format>,
    /// The certificate chain for TLS.
    pub tls_cert: Option<PathBuf>,
    /// The private key for TLS.
    pub tls_key: Option<PathBuf>,
}

/// How commands that talk to a server reach it. Flags and environment win over it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientConfig {
    /// Where it is.
    pub server: Option<String>,
    /// The certificates that vouch for it.
    pub ca: Option<PathBuf>,
    /// The namespace.
    pub namespace: Option<String>,
    /// A file with the token.
    pub token_file: Option<PathBuf>,
}

/// A quota, a kind or a schedule.
#[derive(Clone, Debug)]
pub struct Declared {
    /// `kind`, `quota` or `schedule`.
    pub what: &'static str,
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// What declares it.
    pub command: Command,
    /// Where it stands in the file, in bytes.
    start: usize,
    /// Where its fields stand.
    fields: Vec<(String, usize)>,
    /// Fields that were at fault and left out.
    left_out: Vec<String>,
}

impl Declared {
    /// Where a field stands, or else the whole.
    fn start_of(&self, field: Option<&str>) -> usize {
        let found = self
            .fields
            .iter()
            .find(|(name, _)| Some(name.as_str()) == field);
        found.map_or(self.start, |(_, start)| *start)
    }
}

/// Something about a place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What it is about.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.text)
    }
}

impl Config {
    /// Reads and checks a text.
    pub fn parse(text: &str) -> Self {
        let mut config = read::read(text);
        check::check(&mut config, text);
        config.mistakes.sort_by_key(|note| (note.line, note.column));
        config.warnings.sort_by_key(|note| (note.line, note.column));
        config
    }

    /// Reads and checks a file; whether it makes sense is for the caller to look at.
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file);
        let text = text
            .with_context(|| format!("cannot read the configuration {}", file.display()))
            .map_err(Failure::usage)?;
        Ok(Self::parse(&text))
    }

    /// Reads a file that is to be put into force: one without mistakes.
    pub fn good(file: &Path) -> Result<Self, Failure> {
        let config = Self::read(file)?;
        let Some(mistake) = config.mistakes.first() else {
            return Ok(config);
        };
        let (file, count) = (file.display(), config.mistakes.len() as u64);
        let mistakes = print::count(count, "mistake");
        let what = anyhow!("{file} has {mistakes}; the first: {mistake}");
        let hint = format!("`interlock config check {file}` names them all");
        Err(Failure::usage(what).hint(hint))
    }
}
