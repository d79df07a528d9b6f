//! The HTTP edge, by real HTTP: bodies as snapshots, the document, who may do what, and what is
//! refused.

mod client;
mod document;
mod events;
mod matrix;
mod refusals;
mod routes;
mod slow;
mod talk;
