//! What only the store in PostgreSQL does: refusing bad ground, fencing owners, surviving lost
//! connections, the inbox. What all stores do is in `conformance`.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod damage;
mod fence;
mod generation;
mod ground;
mod inbox;
mod material;
mod migrations;
mod outages;
mod ownership;
mod plans;
mod tls;
mod unsure;
