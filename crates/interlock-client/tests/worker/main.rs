//! Workers and a real server, over real connections.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod client;
#[path = "../../examples/worker.rs"]
#[allow(dead_code, reason = "its main is not needed here")]
mod example;
mod fencing;
mod quotas;
mod server;
mod stopping;
mod work;
