//! Repositories of packages, which are synchronised, updated, published, copied and deleted by many
//! clients at once (the story of Pulp).
//!
//! A repository is a directory with a file for each package. Nothing in [`files`] or [`worker`] locks
//! anything: that no two of them meet in one directory is what Interlock is for. Each kind says what
//! it does to a repository ([`kinds`]), and that is all.

pub mod files;
pub mod kinds;
pub mod traffic;
pub mod worker;
