//! Where Interlock keeps what it must not lose: a log of events per namespace, tables that the log
//! is folded into, and the history of ended tasks.
//!
//! A store is dumb on purpose. It holds no rule, looks into no payload and decides nothing; it keeps
//! bytes, in order, and says so when they are not what was put in. [`Store`] is owned by one thread
//! and writes; a [`Reader`] is independent of it and reads history and log.

pub mod limits;
pub mod memory;
pub mod postgres;
pub mod sqlite;

mod check;
mod checksum;
mod error;
mod list_text;
mod store;
mod sums;
mod types;

pub use error::StoreError;
pub use memory::MemoryStore;
pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;
pub use store::{Loader, Reader, Store};
pub use types::*;
