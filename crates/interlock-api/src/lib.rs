//! The wire of Interlock: types of `/v1`, error codes, and their conversion from and to the core.
//!
//! Every request refuses unknown fields; every answer may gain some, so readers ignore them. Types of
//! the core never serialise to the wire: [`convert`] is the only way between the two. Nothing here
//! does I/O or knows of HTTP beyond status codes; routes and authentication are the server's.

pub mod activity;
pub mod claim;
pub mod code;
pub mod convert;
pub mod due;
pub mod event;
pub mod explain;
pub mod failure;
pub mod group;
pub mod id;
pub mod json;
pub mod kind;
pub mod limits;
pub mod me;
pub mod namespace;
pub mod node;
pub mod overview;
pub mod page;
pub mod parse;
pub mod path;
pub mod problem;
pub mod progress;
pub mod quota;
pub mod reason;
pub mod resource;
pub mod run;
pub mod schedule;
pub mod schemas;
pub mod sentence;
pub mod span;
pub mod status;
pub mod submission;
pub mod task;
pub mod time;
pub mod token;
pub mod verdict;
pub mod worker;

mod text;

pub use code::Code;
pub use problem::Problem;
pub use span::Span;
pub use time::{Clock, Time};
