//! The rules of Interlock.
//!
//! Synchronous and pure: no I/O, no clock, no randomness, no async, nothing iterated in hash order.
//! [`Core::decide`] takes a time and a command and answers with events, a reply and wake-ups;
//! hard state is exactly the fold of the events, so recovery is [`Core::replay`] of the log.
//! One `Core` is one namespace.

pub mod command;
pub mod event;
pub mod limits;
pub mod reply;
pub mod row;
pub mod view;
pub mod words;

mod apply;
mod bugs;
mod core;
mod decide;
mod refusal;
mod soft;
mod state;

pub use bugs::Bug;
pub use command::Command;
pub use core::{Core, NextTimer};
pub use event::{Event, Record};
pub use refusal::Refusal;
pub use reply::{Decision, Reply};
