//! What the user wants to see: words, all of which must fit.
//!
//! A state (`waiting`, `failed` …) and a whole resource (`shop:42`) are asked of the server, a kind
//! that has tasks too; any other word is looked for in what is shown.

use super::fetch::Wanted;
use interlock_api::task::{State, Task};

const STATES: [(&str, State); 5] = [
    ("waiting", State::Waiting),
    ("running", State::Running),
    ("succeeded", State::Succeeded),
    ("failed", State::Failed),
    ("cancelled", State::Cancelled),
];

/// What the user wants to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    states: Vec<&'static str>,
    kind: Option<String>,
    resource: Option<String>,
    /// The words that are no states, in lower case.
    words: Vec<String>,
}

impl Filter {
    /// Reads what somebody typed.
    pub fn read(text: &str, is_kind: impl Fn(&str) -> bool) -> Self {
        let mut filter = Self {
            text: text.trim().to_owned(),
            ..Self::default()
        };
        for word in text.split_whitespace() {
            if let Some((state, _)) = STATES.iter().find(|(state, _)| *state == word) {
                filter.states.push(*state);
                continue;
            }
            filter.words.push(word.to_lowercase());
            if is_kind(word) {
                filter.kind = Some(word.to_owned());
            } else if is_resource(word) {
                filter.resource = Some(word.to_owned());
            }
        }
        filter
    }

    /// As it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether everything fits.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The states of tasks that are shown, for a title.
    pub fn states(&self) -> String {
        match self.states.is_empty() {
            true => "running".to_owned(),
            false => self.states.join(", "),
        }
    }

    /// What the server is asked for.
    pub fn wanted(&self) -> Wanted {
        Wanted {
            state: match self.states.is_empty() {
                true => "running".to_owned(),
                false => self.states.join(","),
            },
            kind: self.kind.clone(),
            resource: self.resource.clone(),
        }
    }

    /// Whether a task fits.
    pub fn fits_task(&self, task: &Task) -> bool {
        let wanted = |state: &State| match self.states.is_empty() {
            true => *state == State::Running,
            false => {
                (STATES.iter()).any(|(word, found)| found == state && self.states.contains(word))
            }
        };
        let texts = (task.resources.iter().map(|claim| claim.resource.as_str()))
            .chain(task.kind.as_deref())
            .chain(task.run.iter().map(|run| run.worker.as_str()))
            .chain(task.tags.iter().map(String::as_str));
        wanted(&task.state) && self.fits(texts)
    }

    /// Whether each word is in one of these texts.
    pub fn fits<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let texts: Vec<String> = texts.into_iter().map(str::to_lowercase).collect();
        let found = |word: &String| texts.iter().any(|text| text.contains(word));
        self.words.iter().all(found)
    }
}

/// A whole one: both the type and the id are there.
fn is_resource(word: &str) -> bool {
    matches!(word.split_once(':'), Some((kind, id)) if !kind.is_empty() && !id.is_empty())
}
