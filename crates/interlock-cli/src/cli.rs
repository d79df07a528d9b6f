//! The command line as a whole.

use crate::command::{
    backup, completions, config, demo, failures, groups, kinds, man, namespaces, nodes, quotas,
    resources, schedules, serve, status, submit, supervise, tasks, tokens, top, verify, work,
    workers,
};
use crate::exit::Outcome;
use crate::global::{Context, Global};
use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  interlock demo
      Shows all of it at work, with things to try; nothing is kept.
  interlock serve
      Starts a server; everything is kept in ./interlock-data.
  interlock kinds set sync
  interlock submit sync repository:f16
      Says whether the task was accepted, postponed or rejected, and why.
  interlock tasks list --resource repository:f16
  interlock tasks explain 17

Exit codes: 0 done, 1 an error, 2 a bad command line; `interlock submit --help` has more.";

/// Coordinates background work on shared resources: no two conflicting tasks ever run at once.
#[derive(Parser)]
#[command(name = "interlock", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Demo(demo::Demo),
    Top(top::Top),
    Submit(submit::Submit),
    Work(work::Work),
    Tasks(tasks::Tasks),
    Resources(resources::Resources),
    Kinds(kinds::Kinds),
    Schedules(schedules::Schedules),
    Quotas(quotas::Quotas),
    Groups(groups::Groups),
    Workers(workers::Workers),
    Failures(failures::Failures),
    Namespaces(namespaces::Namespaces),
    Nodes(nodes::Nodes),
    Tokens(tokens::Tokens),
    Status(status::Status),
    Verify(verify::Verify),
    Backup(backup::Backup),
    Config(config::ConfigCommand),
    Completions(completions::Completions),
    Man(man::Man),
    #[command(hide = true)]
    Supervise(supervise::Supervise),
}

impl Cli {
    /// Does what was asked for.
    pub fn run(self) -> Outcome {
        match self.command {
            Command::Serve(serve) => serve.run(),
            Command::Demo(demo) => demo.run(self.global.json()),
            Command::Verify(verify) => verify.run(self.global.json()),
            Command::Backup(backup) => backup.run(),
            Command::Config(config) => config.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
            Command::Supervise(supervise) => supervise.run(),
            Command::Work(work) => work.run(&self.global.context()?),
            command => {
                let context = self.global.context()?;
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()?;
                runtime.block_on(command.ask(&context))
            }
        }
    }
}

impl Command {
    /// Asks the server.
    async fn ask(self, context: &Context) -> Outcome {
        match self {
            Command::Submit(submit) => submit.run(context).await,
            Command::Tasks(tasks) => tasks.run(context).await,
            Command::Resources(resources) => resources.run(context).await,
            Command::Kinds(kinds) => kinds.run(context).await,
            Command::Schedules(schedules) => schedules.run(context).await,
            Command::Quotas(quotas) => quotas.run(context).await,
            Command::Groups(groups) => groups.run(context).await,
            Command::Workers(workers) => workers.run(context).await,
            Command::Failures(failures) => failures.run(context).await,
            Command::Namespaces(namespaces) => namespaces.run(context).await,
            Command::Nodes(nodes) => nodes.run(context).await,
            Command::Tokens(tokens) => tokens.run(context).await,
            Command::Status(status) => status.run(context).await,
            Command::Top(top) => top.run(context).await,
            Command::Serve(_)
            | Command::Demo(_)
            | Command::Work(_)
            | Command::Supervise(_)
            | Command::Verify(_)
            | Command::Backup(_)
            | Command::Config(_)
            | Command::Completions(_)
            | Command::Man(_) => unreachable!("these are run by themselves"),
        }
    }
}
