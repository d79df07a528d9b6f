//! `interlock verify`: checks a whole store.

use crate::exit::{self, Failure, Outcome};
use crate::print;
use clap::Args;
use interlock_store::StoreError;
use interlock_store::sqlite::{self, Report};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock verify interlock-data
  interlock verify /backups/2026-11-15 --json

The store must not be in use; check a backup of one that is. Nothing is changed.
Exit codes: 0 it is whole, 1 it is damaged or can't be checked.";

/// Checks a store: every row, record and ended task, and that none is missing.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Verify {
    /// The data directory
    #[arg(value_name = "DATA_DIR")]
    data: PathBuf,
}

impl Verify {
    /// Checks.
    pub fn run(self, as_json: bool) -> Outcome {
        let report = sqlite::verify(&self.data).map_err(|error| match &error {
            StoreError::Busy { .. } => Failure::from(error).hint(
                "make a copy with `interlock backup` while the server runs, and verify that one",
            ),
            _ => error.into(),
        })?;
        match as_json {
            true => print::json(&as_value(&report)),
            false => tell(&report),
        }
        match report.is_whole() {
            true => Ok(ExitCode::SUCCESS),
            false => Ok(ExitCode::from(exit::ERROR)),
        }
    }
}

fn tell(report: &Report) {
    let rows = report.namespaces.iter().map(|found| {
        [
            found.namespace.name.clone(),
            found.rows.to_string(),
            found.history.to_string(),
            format!("{} to {}", found.log_from, found.end),
        ]
    });
    print::table(["NAMESPACE", "ROWS", "HISTORY", "LOG"], rows);
    for damage in &report.damages {
        print::line(format_args!("damaged: {}: {}", damage.place, damage.what));
    }
    print::line(match report.is_whole() {
        true => "The store is whole.".to_owned(),
        false => {
            let places = print::count(report.damages.len() as u64, "place");
            format!("The store is damaged in {places}; restore a backup.")
        }
    });
}

fn as_value(report: &Report) -> serde_json::Value {
    let namespaces = report.namespaces.iter().map(|found| {
        json!({
            "namespace": found.namespace.name,
            "rows": found.rows,
            "history": found.history,
            "log_from": found.log_from,
            "position": found.position,
            "end": found.end,
        })
    });
    let damages = report.damages.iter();
    let damages = damages.map(|damage| json!({"place": damage.place, "what": damage.what}));
    json!({
        "whole": report.is_whole(),
        "generation": report.generation,
        "namespaces": namespaces.collect::<Vec<_>>(),
        "damages": damages.collect::<Vec<_>>(),
    })
}
