//! Names: short, printable, checked once at the door and cheap to share afterwards.

use crate::limits;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A name of a kind, quota, schedule, worker, tag or key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Name(Arc<str>);

impl Name {
    /// Checks and takes a name: 1 to 200 bytes, no control characters, nor any that
    /// change the direction of text, no blanks at the ends.
    pub fn new(text: &str) -> Result<Self, Refusal> {
        check(text, limits::NAME_BYTES_MAX)?;
        Ok(Self(Arc::from(text)))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, for somebody else who keeps it.
    pub fn into_shared(self) -> Arc<str> {
        self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `type:id`, such as `repository:f16`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ResourceName(Arc<str>);

impl ResourceName {
    /// Checks and takes `type:id`; both sides must be there.
    pub fn new(text: &str) -> Result<Self, Refusal> {
        check(text, limits::RESOURCE_BYTES_MAX)?;
        match text.split_once(':') {
            Some((kind, id)) if !kind.is_empty() && !id.is_empty() => Ok(Self(Arc::from(text))),
            _ => Err(Refusal::BadName {
                name: text.into(),
                why: "a resource is written type:id",
            }),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, for somebody else who keeps it.
    pub fn into_shared(self) -> Arc<str> {
        self.0
    }

    /// What stands before the first colon.
    pub fn resource_type(&self) -> &str {
        self.0.split_once(':').map_or(&*self.0, |(kind, _)| kind)
    }
}

impl fmt::Display for ResourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check(text: &str, bytes_max: usize) -> Result<(), Refusal> {
    let why = if text.is_empty() {
        "it is empty"
    } else if text.len() > bytes_max {
        "it is too long"
    } else if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        // Nearly every name: nothing of what follows can be in it.
        return Ok(());
    } else if text.chars().any(char::is_control) {
        "it has a control character"
    } else if text.chars().any(turns_text) {
        "it has a character that changes the direction of text"
    } else if text.trim() != text {
        "it begins or ends with a blank"
    } else {
        return Ok(());
    };
    let mut shown = text.to_owned();
    shown.truncate(shown.floor_char_boundary(64));
    Err(Refusal::BadName {
        name: shown.into(),
        why,
    })
}

/// Marks, embeddings, overrides and isolates of direction: nobody sees them, and what stands beside
/// them reads as something else. Text that goes from right to left by itself needs none.
fn turns_text(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}
