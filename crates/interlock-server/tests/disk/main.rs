//! The whole server on a disk that has no room left.
//!
//! The disk is a small file system of its own, which only root can mount: where that is not allowed
//! the test fails, since nothing else shows what it is about.

#[path = "../http/client.rs"]
#[allow(dead_code, reason = "the tests of the routes use more of it")]
mod client;
mod full;
mod small_disk;
