//! What goes in and out of a store. Plain data.

mod history;
mod log;
mod namespace;
mod row;
mod sliced;
mod token;

pub use history::{FailureGroup, HistoryFilter, HistoryPage, HistoryRow, LastEnded, Purge, Purged};
pub use log::{Append, Consumed, LogPage, LogRecord};
pub use namespace::{Namespace, NamespaceId};
pub use row::{Checkpoint, Loaded, RowChange, Shown, Table};
pub use sliced::Sliced;
pub(crate) use sliced::When;
pub use token::{NewToken, Token};
