//! What a SQLite store does when the machine fails it: torn writes, kills, flipped bits, cut files, a
//! full disk, writes and syncs that fail.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod child;
mod damage;
mod full_disk;
mod io_errors;
mod kill;
mod material;
mod room;
mod shim;
mod tear;
