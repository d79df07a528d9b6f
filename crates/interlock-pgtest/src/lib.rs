//! A private PostgreSQL server for tests and benchmarks: on a free loopback port, in a directory of
//! its own, with the durability that it has by default. It ends with the process that started it,
//! however that one ends. And what else it takes to see several nodes fail: wires that can be cut,
//! and the nodes themselves, as processes.
//!
//! Nothing here is skipped: without PostgreSQL it panics, and says what to do.

mod binaries;
mod database;
mod nodes;
mod server;
mod supervisor;
mod wire;

pub use database::Database;
pub use nodes::{Nodes, Wires, quiet_port};
pub use server::Server;
pub use wire::{Proxy, Wire};
