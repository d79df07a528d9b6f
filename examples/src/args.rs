//! The command line, the same for every story.

use clap::Parser;
use interlock_api::Span;
use interlock_client::{BadSetting, Client};
use std::path::PathBuf;

/// What every story can be told.
#[derive(Clone, Debug, Parser)]
pub struct Args {
    /// Where the server is.
    #[arg(
        long,
        env = "INTERLOCK_SERVER",
        default_value = "http://127.0.0.1:7420"
    )]
    pub server: String,
    /// Only work, under this name; without it, the whole story is shown.
    #[arg(long, value_name = "NAME")]
    pub work: Option<String>,
    /// How many runs at once.
    #[arg(long, default_value_t = 4)]
    pub concurrency: usize,
    /// Where workers keep what they make; a directory that they share.
    #[arg(long, default_value = "interlock-story")]
    pub dir: PathBuf,
    /// So many times faster than life: ten minutes are ten seconds at 60.
    #[arg(long, default_value_t = Speed(60))]
    pub speed: Speed,
}

impl Args {
    /// A client of the server.
    pub fn client(&self) -> Result<Client, BadSetting> {
        Client::new(&self.server)
    }
}

/// So many times faster than life.
#[derive(Clone, Copy, Debug)]
pub struct Speed(u64);

impl Speed {
    /// A length of life at this speed.
    pub fn of_ms(self, ms: u64) -> Span {
        Span::from_ms((ms / self.0).max(1))
    }

    /// A length in seconds of life.
    pub fn of_seconds(self, seconds: u64) -> Span {
        self.of_ms(seconds * 1_000)
    }

    /// A length in minutes of life.
    pub fn of_minutes(self, minutes: u64) -> Span {
        self.of_seconds(minutes * 60)
    }

    /// The usual lease of 15 s, or three at least: a busy machine must be able to renew it.
    pub fn lease(self) -> Span {
        self.of_seconds(15).max(Span::from_ms(3_000))
    }
}

impl std::str::FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(times) if (1..=100_000).contains(&times) => Ok(Self(times)),
            _ => Err("a number from 1 to 100000 is needed".to_owned()),
        }
    }
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl From<u64> for Speed {
    fn from(times: u64) -> Self {
        Self(times.max(1))
    }
}
