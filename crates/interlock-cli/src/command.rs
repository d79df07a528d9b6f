//! The commands, one file each.

pub mod backup;
pub mod completions;
pub mod config;
pub mod demo;
pub mod failures;
pub mod groups;
pub mod kinds;
pub mod man;
pub mod namespaces;
pub mod nodes;
pub mod quotas;
pub mod resources;
pub mod schedules;
pub mod serve;
pub mod status;
pub mod submit;
pub mod supervise;
pub mod tasks;
pub mod tokens;
pub mod top;
pub mod verify;
pub mod work;
pub mod workers;

mod page;
mod policy;
mod wait;
