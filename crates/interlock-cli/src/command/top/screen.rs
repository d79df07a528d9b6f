//! The terminal: its other screen while the view is shown, its keys as they come, and its old self
//! again whatever happens.

use crate::exit::Failure;
use anyhow::{Context as _, anyhow};
use ratatui::crossterm::event::{self, Event};
use ratatui::{DefaultTerminal, Frame};
use std::time::Duration;
use tokio::sync::mpsc;

/// How soon the thread that reads keys notices that nobody wants them any more.
const NOTICED_WITHIN: Duration = Duration::from_millis(200);

/// The terminal while the view is shown.
pub struct Screen {
    terminal: DefaultTerminal,
    events: mpsc::UnboundedReceiver<std::io::Result<Event>>,
}

impl Screen {
    /// Takes the terminal over. A panic gives it back first.
    pub fn enter() -> Result<Self, Failure> {
        let terminal = ratatui::try_init().context("cannot use the terminal")?;
        let (found, events) = mpsc::unbounded_channel();
        let screen = Self { terminal, events };
        std::thread::Builder::new()
            .name("keys".to_owned())
            .spawn(move || read(&found))?;
        Ok(screen)
    }

    /// Draws a frame.
    pub fn draw(&mut self, frame: impl FnOnce(&mut Frame<'_>)) -> Result<(), Failure> {
        self.terminal.draw(frame)?;
        Ok(())
    }

    /// The next key, or another size.
    pub async fn next(&mut self) -> Result<Event, Failure> {
        let event = self.events.recv().await;
        let event = event.ok_or_else(|| anyhow!("the terminal is gone"))?;
        Ok(event.context("cannot read from the terminal")?)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn read(found: &mpsc::UnboundedSender<std::io::Result<Event>>) {
    while !found.is_closed() {
        let event = match event::poll(NOTICED_WITHIN) {
            Ok(false) => continue,
            Ok(true) => event::read(),
            Err(error) => Err(error),
        };
        let failed = event.is_err();
        if found.send(event).is_err() || failed {
            return;
        }
    }
}
