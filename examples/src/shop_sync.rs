//! Shops that are synchronised through an interface which allows each of them so many calls a second
//! and so many a day (the story of Vela).
//!
//! [`api`] plays the shops: it counts every call that comes too often, and every two workers that meet
//! in one shop. There are none, although no worker knows of any other: a task claims its shop, and
//! the quota of the shop is handed out with it ([`kinds`]).

pub mod api;
pub mod kinds;
pub mod traffic;
pub mod worker;
