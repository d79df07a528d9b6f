//! Workers as processes of their own that are killed, stopped and hung, and races that need many
//! tries: what a worker does to others when it does not behave.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod child;
mod hanging;
mod lost;
mod names;
mod proxy;
mod races;
#[path = "../worker/server.rs"]
#[allow(dead_code, reason = "another test needs the rest")]
mod server;
mod vanished;
mod zombies;
