//! Between the wire and the core: one file for each noun. Requests become commands, with the path of
//! the field at fault if they can't; views, replies and refusals become answers.

pub mod event;
pub mod explain;
pub mod group;
pub mod kind;
pub mod namespace;
pub mod overview;
pub mod payload;
pub mod query;
pub mod quota;
pub mod reason;
pub mod refusal;
pub mod resource;
pub mod run;
pub mod schedule;
pub mod status;
pub mod submission;
pub mod task;
pub mod token;
pub mod verdict;
pub mod worker;

pub mod claim;
mod name;

pub use name::{name, resource_name};
