//! Workers and a real server, over real connections.

mod server;
mod stopping;
mod work;
