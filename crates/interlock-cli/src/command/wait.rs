//! Waiting for a task to end, and showing how far it is meanwhile.

use crate::exit::{self, Failure, Outcome};
use crate::global::Context;
use crate::{plain, print, style};
use indicatif::{ProgressBar, ProgressStyle};
use interlock_api::progress::ShownProgress;
use interlock_api::reason::Why;
use interlock_api::task::{State, Task, Until, WaitQuery};
use interlock_api::{Span, sentence};
use interlock_client::Error;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

/// How often the progress of a run is looked at.
const LOOK_EVERY_MS: u64 = 1_000;
/// How many times in a row the server may be away: a restart takes some seconds.
const AWAY_MAX: u32 = 60;

/// Waits for a task to end; exits with its outcome.
pub async fn wait(context: &Context, task: u64) -> Outcome {
    let shown = Shown::new(context.json);
    let ended = follow(context, task, shown).await?;
    context.show(&ended, tell);
    Ok(match ended.state {
        State::Succeeded => ExitCode::SUCCESS,
        State::Cancelled => ExitCode::from(exit::CANCELLED),
        _ => ExitCode::from(exit::FAILED),
    })
}

async fn follow(context: &Context, task: u64, mut shown: Shown) -> Result<Task, Failure> {
    let query = WaitQuery {
        wait: Some(Span::from_ms(LOOK_EVERY_MS)),
        until: Until::Ended,
    };
    let mut now = context.client.tasks().show(task).await?;
    let mut away = 0;
    while matches!(now.state, State::Waiting | State::Running) {
        shown.update(&key(&now), &describe(&now), progress(&now));
        match context.client.tasks().wait(now.task, &query).await {
            Ok(task) => (now, away) = (task, 0),
            Err(error) if error.is_retryable() && away < AWAY_MAX => {
                away += 1;
                shown.update("away", &away_text(&error), None);
                tokio::time::sleep(Duration::from_millis(LOOK_EVERY_MS)).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
    shown.clear();
    Ok(now)
}

fn away_text(error: &Error) -> String {
    format!("{error}; trying again")
}

fn progress(task: &Task) -> Option<&ShownProgress> {
    task.run.as_ref()?.progress.as_ref()
}

/// Changes when there is news, not with every second that passes.
fn key(task: &Task) -> String {
    let reason = |why: &Why| match serde_json::to_value(why) {
        Ok(value) => value["reason"].to_string(),
        Err(_) => String::new(),
    };
    match &task.run {
        None => task
            .reasons
            .iter()
            .map(|found| reason(&found.why))
            .collect(),
        Some(_) => describe(task),
    }
}

/// What a task is doing, in a line.
fn describe(task: &Task) -> String {
    let Some(run) = &task.run else {
        let why = task.reasons.first().map(|reason| reason.sentence.as_str());
        return format!("task {} is waiting. {}", task.task, why.unwrap_or(""))
            .trim_end()
            .to_owned();
    };
    let mut text = format!("task {} is running on worker {}", task.task, run.worker);
    if let Some(progress) = progress(task) {
        match progress.total {
            Some(total) => text += &format!(", {} of {total}", progress.done),
            None => text += &format!(", {}", progress.done),
        }
        for part in [&progress.unit, &progress.message] {
            if !part.is_empty() {
                text += &format!(" {part}");
            }
        }
    }
    text
}

/// How it ended, in a line or two.
fn tell(task: &Task) {
    let state = style::state(task.state);
    let took = match (task.submitted, task.ended) {
        (Some(from), Some(to)) => {
            let ms = to.ms().saturating_sub(from.ms());
            format!(" {} after it was submitted", sentence::length(ms))
        }
        _ => String::new(),
    };
    print::own(format_args!("Task {} {state}{took}.", task.task));
    if let (Some(end), State::Failed | State::Cancelled) = (&task.end, task.state) {
        print::line(format_args!("  {}", end.sentence));
    }
    if let Some(result) = &task.result {
        result.get().lines().for_each(print::line);
    }
}

/// A bar on a terminal, lines elsewhere, nothing beside JSON.
enum Shown {
    Bar(ProgressBar),
    Lines { last: String },
    Nothing,
}

impl Shown {
    fn new(json: bool) -> Self {
        if json {
            return Shown::Nothing;
        }
        if !std::io::stderr().is_terminal() {
            let last = String::new();
            return Shown::Lines { last };
        }
        let bar = ProgressBar::new(100);
        bar.enable_steady_tick(Duration::from_millis(120));
        Shown::Bar(bar)
    }

    fn update(&mut self, key: &str, text: &str, progress: Option<&ShownProgress>) {
        let text = plain::line(text);
        match self {
            Shown::Bar(bar) => {
                let percent = progress.and_then(|progress| progress.percent);
                let template = match percent {
                    Some(_) => "{spinner} [{bar:30}] {percent}% {elapsed} {wide_msg}",
                    None => "{spinner} {elapsed} {wide_msg}",
                };
                if let Ok(look) = ProgressStyle::with_template(template) {
                    bar.set_style(look.progress_chars("=> "));
                }
                bar.set_position(u64::from(percent.unwrap_or(0)));
                bar.set_message(text);
            }
            Shown::Lines { last } if last != key => {
                eprintln!("{text}");
                key.clone_into(last);
            }
            Shown::Lines { .. } | Shown::Nothing => {}
        }
    }

    fn clear(&self) {
        if let Shown::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
