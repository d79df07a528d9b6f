//! Events of many hosts, most of which say the same thing again and again (the story of Katello).
//!
//! A flurry of events about one host becomes one run, a moment later; an event that arrives during
//! that run causes one more. The queue of a host that went away is removed in ten minutes, unless it
//! registers again before. An event that can't be handled is tried again, with the wait and within
//! the window of its kind ([`kinds`]).

pub mod kinds;
pub mod traffic;
pub mod worker;
