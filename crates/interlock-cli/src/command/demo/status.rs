//! How the demo is getting on, once a second: one line that stays on a terminal, lines elsewhere,
//! nothing beside JSON.

use super::scene::Scene;
use crate::exit::Failure;
use crate::print;
use indicatif::{ProgressBar, ProgressStyle};
use interlock_api::overview::{Overview, OverviewQuery};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Tells how it is getting on.
pub struct Status {
    begun: Instant,
    shown: Shown,
}

enum Shown {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Status {
    /// Nothing is told yet.
    pub fn new(json: bool) -> Self {
        let shown = match (json, std::io::stderr().is_terminal()) {
            (true, _) => Shown::Nothing,
            (false, true) => Shown::Bar(spinner()),
            (false, false) => Shown::Lines,
        };
        Self {
            begun: Instant::now(),
            shown,
        }
    }

    /// Looks at the server, and tells.
    pub async fn tell(&mut self, scene: &Scene) -> Result<(), Failure> {
        if matches!(self.shown, Shown::Nothing) {
            return Ok(());
        }
        let seen = scene.client().overview(&OverviewQuery::default()).await?;
        let text = line(self.begun.elapsed(), &seen, scene.tally().retried());
        match &self.shown {
            Shown::Bar(bar) => bar.set_message(text),
            Shown::Lines => print::line(text),
            Shown::Nothing => {}
        }
        Ok(())
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(look) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(look);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn line(elapsed: Duration, seen: &Overview, retried: u64) -> String {
    let totals = &seen.totals;
    let ended = totals.succeeded + totals.failed;
    let rate = ended as f64 / elapsed.as_secs_f64().max(1.0);
    format!(
        "{:>3} s  running {:>2}  waiting {:>3}  ended {ended} ({rate:.1}/s)  coalesced {}  \
         rejected {}  retried {retried}",
        elapsed.as_secs(),
        seen.counts.running,
        seen.counts.waiting,
        totals.coalesced,
        totals.rejected,
    )
}
