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
    /// Submissions of the inbox that are consumed by the same commit. Only a store that has an inbox
    /// takes any. A record that only consumes (rejections cause no events) has no bytes, and ends
    /// where it begins.
    pub consumed: &'a [Consumed],
}

/// A submission of the inbox that has become what its outcome says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumed {
    /// Which one.
    pub id: u64,
    /// What its submitter can read: JSON.
    pub outcome: String,
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
