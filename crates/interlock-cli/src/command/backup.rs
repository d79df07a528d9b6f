//! `interlock backup`: a consistent copy, also while the server runs.

use crate::exit::Outcome;
use crate::print;
use clap::Args;
use interlock_store::sqlite;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock backup /backups/2026-11-15
  interlock backup --data /var/lib/interlock /backups/2026-11-15
  interlock serve --data /backups/2026-11-15
      Restores it: runs that were handed out after the backup are refused from then on.

The server may run meanwhile; the copy is of one moment. Check it with `interlock verify`.";

/// Copies a store, as of one moment, also while a server uses it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Backup {
    /// The data directory to copy
    #[arg(
        long,
        value_name = "DIR",
        env = "INTERLOCK_DATA",
        default_value = "interlock-data"
    )]
    data: PathBuf,
    /// A directory that does not exist yet
    #[arg(value_name = "TO")]
    to: PathBuf,
}

impl Backup {
    /// Copies.
    pub fn run(self) -> Outcome {
        sqlite::backup_of(&self.data, &self.to)?;
        let (data, to) = (self.data.display(), self.to.display());
        print::line(format_args!("Copied {data} to {to}."));
        Ok(ExitCode::SUCCESS)
    }
}
