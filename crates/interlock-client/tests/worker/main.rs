//! Workers and a real server, over real connections.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod client;
mod fencing;
mod quotas;
mod server;
mod stopping;
mod work;
