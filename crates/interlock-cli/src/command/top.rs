//! `interlock top`: a live view of a namespace in the terminal.
//!
//! `fetch` asks the server, `state` and `keys` know what is shown and what a key means, `draw` makes
//! a frame of that, `act` does what was asked for. Only this file knows of time and the terminal.

mod act;
mod draw;
mod fetch;
mod filter;
mod keys;
mod once;
mod rates;
mod rows;
mod screen;
mod state;
#[cfg(test)]
mod tests;

use crate::exit::{Failure, Outcome};
use crate::global::Context;
use act::Action;
use anyhow::anyhow;
use clap::Args;
use fetch::Seen;
use interlock_api::Span;
use interlock_client::{Client, Error, Retry};
use ratatui::crossterm::event::{Event, KeyEventKind};
use screen::Screen;
use state::State;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

const EXAMPLES: &str = "\
Examples:
  interlock top
      Rates, running tasks, the busiest lines and why they wait, workers, quotas.
  interlock --server http://10.0.0.7:7420 --namespace shops top --interval 5s
  interlock top --once
      Prints one frame and ends; for pipes, and for those who want no live view.

Keys: Tab and arrows move, / filters, Enter or e explains, c cancels, h holds or releases,
p pauses the view, ? shows all of them, q quits.";

/// The shortest interval that makes sense, and the longest answer that is waited for.
const INTERVAL_MS_MIN: u64 = 100;
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Shows what goes on, live.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Top {
    /// How often to look
    #[arg(long, value_name = "DURATION", default_value = "1s")]
    interval: Span,
    /// Print one frame as text, and end
    #[arg(long)]
    once: bool,
    /// Begin with this filter: states, a kind, a resource, or a part of any of them
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    filter: String,
}

/// What happened besides keys.
enum News {
    Seen(Result<Box<Seen>, Error>),
    Done(act::Said),
}

impl Top {
    /// Shows it until the user has seen enough.
    pub async fn run(self, context: &Context) -> Outcome {
        if self.interval.ms() < INTERVAL_MS_MIN {
            let error = anyhow!("--interval must be at least {INTERVAL_MS_MIN}ms");
            return Err(Failure::usage(error));
        }
        let interval = Duration::from_millis(self.interval.ms());
        // What is lost shall be seen at once, and is asked for again soon.
        let client = context.client.clone().retrying(Retry::NONE);
        let mut state = State::new(client.server(), &self.filter);
        state.see(look(&client, &state).await?);
        if self.once {
            tokio::time::sleep(interval.min(once::BETWEEN_LOOKS)).await;
            state.see(look(&client, &state).await?);
            once::print(&state, context.json);
            return Ok(ExitCode::SUCCESS);
        }
        if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
            let error = anyhow!("the live view needs a terminal");
            return Err(Failure::usage(error).hint("`interlock top --once` prints one frame"));
        }
        live(client, state, interval).await?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The loop: whatever happens changes the state, and then it is drawn.
async fn live(client: Client, mut state: State, interval: Duration) -> Result<(), Failure> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut screen = Screen::enter()?;
    let mut tick = tokio::time::interval(interval);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut under_way: JoinSet<News> = JoinSet::new();
    let mut looking = false;
    loop {
        screen.draw(|frame| draw::frame(frame, &state))?;
        tokio::select! {
            event = screen.next() => match event? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match state.key(key) {
                    Some(Action::Quit) => return Ok(()),
                    Some(Action::Look) => tick.reset_immediately(),
                    Some(action) => _ = under_way.spawn(done(client.clone(), action)),
                    None => {}
                },
                _ => {}
            },
            _ = tick.tick(), if !looking => {
                looking = true;
                state.tick();
                under_way.spawn(seen(client.clone(), state.wanted()));
            }
            Some(news) = under_way.join_next() => match news? {
                News::Seen(seen) => {
                    looking = false;
                    match seen {
                        Ok(seen) => state.see(*seen),
                        Err(error) => state.lose(&error),
                    }
                }
                News::Done(said) => {
                    state.hear(said);
                    tick.reset_immediately();
                }
            },
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
        }
    }
}

async fn look(client: &Client, state: &State) -> Result<Seen, Error> {
    fetch::look(client, &state.wanted()).await
}

async fn seen(client: Client, wanted: fetch::Wanted) -> News {
    let seen = tokio::time::timeout(ANSWER_WITHIN, fetch::look(&client, &wanted)).await;
    let seen = seen.unwrap_or_else(|_| {
        let (server, after) = (client.server().to_owned(), ANSWER_WITHIN);
        Err(Error::Timeout { server, after })
    });
    News::Seen(seen.map(Box::new))
}

async fn done(client: Client, action: Action) -> News {
    News::Done(act::act(&client, action).await)
}
