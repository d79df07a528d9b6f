//! The HTTP edge, by real HTTP: bodies as snapshots, the document, who may do what, and what is
//! refused.

mod activity;
mod client;
mod dashboard;
mod document;
mod events;
mod matrix;
mod poison;
mod refusals;
mod routes;
mod sample;
mod shown;
mod slow;
mod stopping;
mod strangers;
mod talk;
mod tokens;
