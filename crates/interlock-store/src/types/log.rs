//! Records of the log.

use super::NamespaceId;

/// One record to append. The bytes are the caller's: one decision or many, packed.
#[derive(Clone, Copy, Debug)]
pub struct Append<'a> {
    /// To whose log.
    pub namespace: NamespaceId,
    /// Position of its first event: where the log ends now.
    pub position: u64,
    /// Position after its last event.
    pub next: u64,
    /// Wall-clock time, for people who read the table.
    pub at_ms: u64,
    /// The events.
    pub bytes: &'a [u8],
}

/// One record of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// Position of its first event.
    pub position: u64,
    /// Position after its last event.
    pub next: u64,
    /// Wall-clock time of the append.
    pub at_ms: u64,
    /// The events.
    pub bytes: Vec<u8>,
}

/// A stretch of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogPage {
    /// Records in order; the first one may begin before the position asked for. Empty at the end.
    Records(Vec<LogRecord>),
    /// That far back the log has been folded into the tables.
    TooOld {
        /// The first position that is still there.
        oldest: u64,
    },
}
