//! Limits of the wire, each with the reason for its size. Those of the rules are the core's
//! ([`interlock_core::limits`]); the schemas repeat both, and a test holds them together.

/// How deep a payload or a result may nest. Below the 128 at which many JSON readers give up, so
/// that a reader who gets it wrapped in a task, in a list, can still read it.
pub const JSON_DEPTH_MAX: usize = 100;
/// Items on one page of a list.
pub const PAGE_MAX: u32 = 1_000;
/// Items on one page of a list if the request does not say.
pub const PAGE_DEFAULT: u32 = 100;
/// Lines, kinds and counts of quotas that an overview shows.
pub const OVERVIEW_MAX: u32 = 100;
/// The same if the request does not say.
pub const OVERVIEW_DEFAULT: u32 = 20;
/// Firings of a schedule that are told ahead.
pub const UPCOMING_SHOWN: usize = 5;
/// The longest a request for one task waits for it: proxies cut connections at a minute or so.
pub const WAIT_MS_MAX: u64 = 60_000;
/// Bytes of a cursor: the longest name and a mark.
pub const CURSOR_BYTES_MAX: usize = 2 + interlock_core::limits::RESOURCE_BYTES_MAX;
/// Bytes of a user's text that an error message repeats.
pub const ECHO_BYTES_MAX: usize = 64;
/// The largest number that every JSON reader gets right: 2^53 − 1. Ids stay below it.
pub const INTEGER_MAX: u64 = (1 << 53) - 1;
