//! How many the door lets in at the same time, and how long it waits for those who are slow.

use crate::limits;
use std::time::Duration;

/// How many the door lets in at the same time, and how long it waits for those who are slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoorLimits {
    /// Connections at the same time; the next one waits outside until another has gone.
    pub connections_max: usize,
    /// How soon the headers of a request must have come, and how long a connection may idle.
    pub headers_within: Duration,
    /// How soon a body must have come.
    pub body_within: Duration,
    /// How soon a client must have agreed on TLS.
    pub handshake_within: Duration,
}

impl Default for DoorLimits {
    fn default() -> Self {
        Self {
            connections_max: limits::CONNECTIONS_MAX,
            headers_within: limits::HEADERS_WITHIN,
            body_within: limits::BODY_WITHIN,
            handshake_within: limits::HANDSHAKE_WITHIN,
        }
    }
}
