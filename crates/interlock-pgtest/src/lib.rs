//! A private PostgreSQL server for tests and benchmarks: on a free loopback port, in a directory of
//! its own, with the durability that it has by default. It ends with the process that started it,
//! however that one ends.
//!
//! Nothing here is skipped: without PostgreSQL it panics, and says what to do.

mod binaries;
mod database;
mod server;
mod supervisor;

pub use database::Database;
pub use server::Server;
