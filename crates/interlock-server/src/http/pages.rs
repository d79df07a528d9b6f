//! Pages of lists by name.

use super::Answer;
use interlock_api::convert;
use interlock_api::page::{self, Cursor, Page, PageQuery};
use interlock_core::words::Name;

/// Where a page of a list by name begins, and how long it is.
#[derive(Clone)]
pub(super) struct ByName {
    /// After this name.
    pub(super) after: Option<Name>,
    /// At most so many.
    pub(super) limit: usize,
}

impl ByName {
    /// From a query string.
    pub(super) fn read(query: &PageQuery) -> Answer<Self> {
        let after = page::after_name(query.cursor.as_deref())?;
        let after = after.map(|text| convert::name(&text, "cursor"));
        Ok(Self {
            after: after.transpose()?,
            limit: page::limit(query.limit)? as usize,
        })
    }

    /// Whether something of this name comes after the last page.
    pub(super) fn follows(&self, name: &Name) -> bool {
        self.after.as_ref().is_none_or(|after| name > after)
    }

    /// How many to look for: one more than fit tells whether there are more.
    pub(super) fn wanted(&self) -> usize {
        self.limit + 1
    }

    /// The page, of up to one more item than fit.
    pub(super) fn page<T>(&self, mut items: Vec<T>, name: impl Fn(&T) -> &str) -> Page<T> {
        let more = items.len() > self.limit;
        items.truncate(self.limit);
        let last = items.last().filter(|_| more);
        let next = last.map(|last| Cursor::Name(name(last).to_owned()));
        Page::new(items, next)
    }
}
