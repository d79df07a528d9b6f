//! What is shown: the last look, where the user is in it, and what is in front of it. Pure: what
//! happens comes in, and what shall be done goes out.

use super::act::Said;
use super::fetch::{Seen, Wanted};
use super::filter::Filter;
use super::rates::Rates;
use super::rows::{self, Pane};
use interlock_client::Error;

/// For how many looks a message stays.
const MESSAGE_STAYS: u32 = 6;

/// Everything that a frame is made of.
#[derive(Debug)]
pub struct State {
    /// Where the server is.
    pub server: String,
    /// The last look.
    pub seen: Option<Seen>,
    /// What was counted at each look.
    pub rates: Rates,
    /// What the user wants to see.
    pub filter: Filter,
    /// Where the user is.
    pub pane: Pane,
    /// The chosen row of each pane.
    pub chosen: [Chosen; Pane::ALL.len()],
    /// What is in front.
    pub front: Front,
    /// Whether the view stands still.
    pub paused: bool,
    /// Why the last look failed.
    pub lost: Option<String>,
    /// What came of the last action, and for how many looks it stays.
    pub message: Option<Message>,
    /// How often a look was tried, to show that something is alive.
    pub ticks: u64,
}

/// A row of a pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Which one, counted from the top.
    pub row: usize,
    /// What makes it the same one at the next look.
    pub name: String,
}

/// What is in front of the view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// Nothing.
    #[default]
    Nothing,
    /// The user types a filter.
    Typing(String),
    /// The user is asked whether a task shall be cancelled.
    Asking {
        /// The task.
        task: u64,
        /// What it is.
        what: String,
        /// It stands for several submissions, and all of them are meant.
        all: bool,
    },
    /// An explanation.
    Explained {
        /// The task.
        task: u64,
        /// The sentence, and the tree.
        lines: Vec<String>,
        /// How far it is scrolled.
        scroll: u16,
    },
    /// What the keys do.
    Help,
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// In a sentence.
    pub text: String,
    /// Whether it went well.
    pub good: bool,
    stays: u32,
}

impl State {
    /// Nothing is seen yet.
    pub fn new(server: &str, filter: &str) -> Self {
        Self {
            server: server.to_owned(),
            seen: None,
            rates: Rates::default(),
            filter: Filter::read(filter, |_| false),
            pane: Pane::default(),
            chosen: Default::default(),
            front: Front::default(),
            paused: false,
            lost: None,
            message: None,
            ticks: 0,
        }
    }

    /// What the next look asks for.
    pub fn wanted(&self) -> Wanted {
        self.filter.wanted()
    }

    /// The time has come for another look.
    pub fn tick(&mut self) {
        self.ticks += 1;
        if let Some(message) = &mut self.message {
            message.stays = message.stays.saturating_sub(1);
            if message.stays == 0 {
                self.message = None;
            }
        }
    }

    /// A look succeeded. While the view stands still it is counted, and not shown.
    pub fn see(&mut self, seen: Seen) {
        self.lost = None;
        self.rates.add(seen.overview.now, seen.overview.totals);
        if self.paused && self.seen.is_some() {
            return;
        }
        self.seen = Some(seen);
        // A kind can be told from any other word only once it is known.
        let text = self.filter.text().to_owned();
        self.set_filter(&text);
    }

    /// A look failed; what was seen last stays.
    pub fn lose(&mut self, error: &Error) {
        self.lost = Some(error.to_string());
    }

    /// Something came of an action.
    pub fn hear(&mut self, said: Said) {
        match said {
            Said::Explained { task, lines } => {
                self.front = Front::Explained {
                    task,
                    lines,
                    scroll: 0,
                };
            }
            Said::Several { task, text } => {
                self.front = Front::Asking {
                    task,
                    what: text,
                    all: true,
                };
            }
            Said::Done(text) => self.say(text, true),
            Said::Failed(text) => self.say(text, false),
        }
    }

    /// Shows a message for a while.
    pub fn say(&mut self, text: impl Into<String>, good: bool) {
        self.message = Some(Message {
            text: text.into(),
            good,
            stays: MESSAGE_STAYS,
        });
    }

    /// Takes another filter.
    pub fn set_filter(&mut self, text: &str) {
        let kinds = self.seen.iter().flat_map(|seen| &seen.overview.kinds);
        let kinds: Vec<&str> = kinds.map(|kind| kind.kind.as_str()).collect();
        self.filter = Filter::read(text, |word| kinds.contains(&word));
        for pane in Pane::ALL {
            self.find_again(pane);
        }
    }

    /// The chosen row of a pane.
    pub fn chosen(&self, pane: Pane) -> &Chosen {
        &self.chosen[pane as usize]
    }

    /// Chooses a row, as near to it as there is one.
    pub fn choose(&mut self, pane: Pane, row: usize) {
        let names = self.names(pane);
        let row = row.min(names.len().saturating_sub(1));
        let name = names.into_iter().nth(row).unwrap_or_default();
        self.chosen[pane as usize] = Chosen { row, name };
    }

    /// Keeps the choice on what was chosen, wherever it is now; or where it was.
    fn find_again(&mut self, pane: Pane) {
        let names = self.names(pane);
        let chosen = self.chosen(pane);
        // Who has not moved wants the first row, whatever it is.
        let found = match chosen.row {
            0 => None,
            _ => names.iter().position(|name| *name == chosen.name),
        };
        let row = found.unwrap_or(chosen.row);
        self.choose(pane, row);
    }

    fn names(&self, pane: Pane) -> Vec<String> {
        let seen = self.seen.as_ref();
        seen.map_or_else(Vec::new, |seen| rows::names(seen, &self.filter, pane))
    }
}
