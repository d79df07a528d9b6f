//! Options of every command that talks to a server.

use crate::config::{ClientConfig, Config};
use crate::exit::Failure;
use crate::when;
use anyhow::Context as _;
use clap::Args;
use interlock_api::Time;
use interlock_client::Client;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Where the server is if nobody says.
pub const DEFAULT_SERVER: &str = "http://127.0.0.1:7420";

/// Options of every command that talks to a server.
#[derive(Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Where the server is; several with commas between them are tried in turn [default:
    /// http://127.0.0.1:7420]
    #[arg(long, global = true, value_name = "URL", env = "INTERLOCK_SERVER")]
    server: Option<String>,
    /// The certificates that vouch for an https:// server, PEM [default: those this machine trusts]
    #[arg(long, global = true, value_name = "FILE", env = "INTERLOCK_CA")]
    ca: Option<PathBuf>,
    /// The namespace; the token's own, or `default`, if none
    #[arg(long, global = true, value_name = "NAME", env = "INTERLOCK_NAMESPACE")]
    namespace: Option<String>,
    /// The token, if the server needs one. Others on this machine may see it; better use the
    /// environment or a file
    #[arg(
        long,
        global = true,
        value_name = "SECRET",
        env = "INTERLOCK_TOKEN",
        hide_env_values = true
    )]
    token: Option<String>,
    /// A file with the token
    #[arg(long, global = true, value_name = "FILE", env = "INTERLOCK_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Print the API's JSON
    #[arg(long, global = true)]
    json: bool,
}

/// What every command that talks to a server needs.
pub struct Context {
    /// Talks to the server.
    pub client: Client,
    /// Whether to print JSON.
    pub json: bool,
    /// The time now.
    pub now: Time,
}

impl Global {
    /// Whether to print JSON.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Ready to talk to the server.
    pub fn context(&self) -> Result<Context, Failure> {
        let config = config()?;
        let server = self.server.as_deref().or(config.server.as_deref());
        let mut client = Client::new(server.unwrap_or(DEFAULT_SERVER)).map_err(Failure::usage)?;
        if let Some(file) = self.ca.as_ref().or(config.ca.as_ref()) {
            let pem = std::fs::read(file);
            let pem = pem.with_context(|| format!("cannot read {}", file.display()))?;
            client = client.trusting(&pem).map_err(|error| {
                let named = anyhow::Error::new(error).context(format!("{}", file.display()));
                Failure::usage(named)
            })?;
        }
        if let Some(namespace) = self.namespace.as_ref().or(config.namespace.as_ref()) {
            client = client.in_namespace(namespace).map_err(Failure::usage)?;
        }
        if let Some(token) = self.secret(config.token_file)? {
            client = client.with_token(&token).map_err(Failure::usage)?;
        }
        Ok(Context {
            client,
            json: self.json,
            now: when::now(),
        })
    }

    fn secret(&self, configured: Option<PathBuf>) -> Result<Option<String>, Failure> {
        match (
            &self.token,
            self.token_file.as_ref().or(configured.as_ref()),
        ) {
            (Some(token), _) => Ok(Some(token.clone())),
            (None, Some(file)) => {
                let text = std::fs::read_to_string(file);
                let text = text.with_context(|| format!("cannot read {}", file.display()))?;
                Ok(Some(text.trim().to_owned()))
            }
            (None, None) => Ok(None),
        }
    }
}

/// What the configuration file says, if the environment names one.
fn config() -> Result<ClientConfig, Failure> {
    match std::env::var_os("INTERLOCK_CONFIG") {
        Some(file) if !file.is_empty() => Ok(Config::good(Path::new(&file))?.client),
        _ => Ok(ClientConfig::default()),
    }
}

impl Context {
    /// Prints an answer: as JSON if that is wanted, else for people.
    pub fn show<T: Serialize>(&self, answer: &T, for_people: impl FnOnce(&T)) {
        match self.json {
            true => crate::print::json(answer),
            false => for_people(answer),
        }
    }

    /// `3 min ago`.
    pub fn ago(&self, time: Time) -> String {
        when::relative(time, self.now)
    }
}
