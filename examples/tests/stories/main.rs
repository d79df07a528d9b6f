//! The stories end to end: a server on SQLite, and workers as processes of their own, which are
//! killed where the story says so.

#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod host_events;
mod repository_sync;
mod server;
mod shop_sync;
mod workers;
