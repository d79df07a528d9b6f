//! Several nodes on one database, as processes.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod inbox;
mod nodes;
mod standby;
mod steering;
mod tls;
mod zombie;
