//! `interlock config check`.

use crate::config::Config;
use crate::exit::{self, Outcome};
use crate::{print, style};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock config check interlock.toml

A configuration file:
  [server]
  listen = \"127.0.0.1:7420\"
  data = \"/var/lib/interlock\"

  [client]
  server = \"https://interlock.example.org:7420\"
  ca = \"/etc/interlock/ca.pem\"

  [[namespaces]]
  name = \"shops\"

  [[quotas]]
  namespace = \"shops\"
  name = \"shop-calls\"
  per = \"shop\"
  limits = [\"10/1s\", \"100000/24h\"]

  [[kinds]]
  namespace = \"shops\"
  name = \"sync\"
  coalesce = { gather = \"3s\" }
  retry = { waits = [\"3m\", \"20m\", \"3h\", \"24h\"], for = \"3d\" }
  quotas = [{ quota = \"shop-calls\" }]

  [[schedules]]
  namespace = \"shops\"
  name = \"nightly\"
  cron = \"30 3 * * *\"
  zone = \"Europe/Prague\"
  submission = { kind = \"sync\", resources = [\"shop:42\"] }";

/// Looks at configuration files.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ConfigCommand {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Check(Check),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  interlock config check interlock.toml

Exit codes: 0 nothing is wrong (there may be warnings), 1 something is, 2 it can't be read.";

/// Names every mistake in a configuration file, with its place.
#[derive(Args)]
#[command(after_help = CHECK_EXAMPLES)]
struct Check {
    /// The file
    file: PathBuf,
}

impl ConfigCommand {
    /// Does it.
    pub fn run(self) -> Outcome {
        match self.verb {
            Verb::Check(check) => check.run(),
        }
    }
}

impl Check {
    fn run(self) -> Outcome {
        let config = Config::read(&self.file)?;
        let file = self.file.display();
        for mistake in &config.mistakes {
            eprintln!("{} {file}:{mistake}", style::error("error:"));
        }
        for warning in &config.warnings {
            eprintln!("{} {file}:{warning}", style::warning("warning:"));
        }
        let wrong = config.mistakes.len() as u64;
        if wrong > 0 {
            print::line(format_args!("{file}: {}.", print::count(wrong, "mistake")));
            return Ok(ExitCode::from(exit::ERROR));
        }
        let count = |what: &str| {
            let found = config.declared.iter().filter(|item| item.what == what);
            print::count(found.count() as u64, what)
        };
        let namespaces = print::count(config.namespaces.len() as u64, "namespace");
        print::line(format_args!(
            "{file} is fine: {namespaces}, {}, {}, {}.",
            count("quota"),
            count("kind"),
            count("schedule")
        ));
        Ok(ExitCode::SUCCESS)
    }
}
