//! Logs: to standard error, as text or JSON. No payload and no token ever gets that far.

use crate::exit::Failure;
use anyhow::Context;
use clap::ValueEnum;
use serde::Deserialize;
use std::io::IsTerminal;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// What is logged unless somebody says otherwise.
pub const DEFAULT: &str = "info";

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Reads a filter such as `info,interlock_server=debug`.
pub fn filter(text: &str) -> Result<Targets, Failure> {
    text.parse()
        .with_context(|| format!("{text:?} is not a log filter"))
        .map_err(|error| {
            Failure::from(error).hint("a filter looks like `info` or `warn,interlock_server=debug`")
        })
}

/// Begins to log.
pub fn start(filter: Targets, format: Format) {
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        // A log that nobody reads any more is no reason to panic.
        .log_internal_errors(false);
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let layer = match format {
        Format::Text => layer.with_ansi(colour).boxed(),
        Format::Json => layer.json().boxed(),
    };
    tracing_subscriber::registry()
        .with(layer.with_filter(filter))
        .init();
}
