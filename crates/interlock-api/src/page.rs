//! Pages of lists, and the cursors between them.

use crate::code::Code;
use crate::limits::{CURSOR_BYTES_MAX, PAGE_DEFAULT, PAGE_MAX};
use crate::problem::Problem;
use crate::text::echo;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use utoipa::{IntoParams, ToSchema};

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next page begins; none if this is the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Whatever happened up to this time is considered, if that is not everything: so for a list of
    /// ended tasks from a node that does not serve their namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Time>,
}

impl<T> Page<T> {
    /// A page, and where the next one begins.
    pub fn new(items: Vec<T>, next: Option<Cursor>) -> Self {
        let next = next.map(|cursor| cursor.to_string());
        Self {
            items,
            next,
            as_of: None,
        }
    }
}

/// Which page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Where the last page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(max_length = 402)]
    pub cursor: Option<String>,
    /// At most so many; 100 if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
}

/// Where a page ended: opaque to clients, but readable to us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// After this number, in lists of tasks and events.
    Id(u64),
    /// After this name, in lists by name.
    Name(String),
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cursor::Id(id) => write!(f, "i-{id}"),
            Cursor::Name(name) => write!(f, "n-{name}"),
        }
    }
}

impl FromStr for Cursor {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let found = match text.split_at_checked(2) {
            _ if text.len() > CURSOR_BYTES_MAX => None,
            Some(("i-", id)) => id.parse().ok().map(Cursor::Id),
            Some(("n-", name)) => Some(Cursor::Name(name.to_owned())),
            _ => None,
        };
        let bad = || format!("{} is not a cursor that a list has given", echo(text));
        found.ok_or_else(|| Problem::new(Code::BadRequest, bad()).at("cursor"))
    }
}

/// The number after which a list by number goes on.
pub fn after_id(cursor: Option<&str>) -> Result<Option<u64>, Problem> {
    match cursor.map(Cursor::from_str).transpose()? {
        None => Ok(None),
        Some(Cursor::Id(id)) => Ok(Some(id)),
        Some(Cursor::Name(_)) => Err(other_list()),
    }
}

/// The name after which a list by name goes on.
pub fn after_name(cursor: Option<&str>) -> Result<Option<String>, Problem> {
    match cursor.map(Cursor::from_str).transpose()? {
        None => Ok(None),
        Some(Cursor::Name(name)) => Ok(Some(name)),
        Some(Cursor::Id(_)) => Err(other_list()),
    }
}

fn other_list() -> Problem {
    Problem::new(Code::BadRequest, "the cursor belongs to another list").at("cursor")
}

/// How many items a page may have.
pub fn limit(wanted: Option<u32>) -> Result<u32, Problem> {
    match wanted.unwrap_or(PAGE_DEFAULT) {
        limit if (1..=PAGE_MAX).contains(&limit) => Ok(limit),
        _ => Err(
            Problem::new(Code::BadRequest, format!("it must be from 1 to {PAGE_MAX}")).at("limit"),
        ),
    }
}
