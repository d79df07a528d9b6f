//! The server of Interlock.
//!
//! A *cell* is the only writer of one namespace: it decides with the core what has arrived, hands
//! the events to the *committer*, which writes them for all cells as one commit, and only then lets
//! the answers go. Around the cells stands the HTTP edge.

pub mod activity;
pub mod cell;
pub mod clock;
pub mod cluster;
pub mod committer;
pub mod door;
pub mod http;
pub mod limits;
pub mod metrics;
pub mod retention;
pub mod server;
