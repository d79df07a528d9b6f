//! A progress bar on a terminal; nothing anywhere else.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Shows which figure is being measured.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar over so many figures.
    pub(crate) fn new(figures: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new(figures as u64);
        let style = ProgressStyle::with_template("{spinner} {pos}/{len} {elapsed} {msg}");
        bar.set_style(style.expect("the template is well formed"));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self(Some(bar))
    }

    /// This figure is next.
    pub(crate) fn begin(&self, figure: &'static str) {
        if let Some(bar) = &self.0 {
            bar.set_message(figure);
        }
    }

    /// That figure is done.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
