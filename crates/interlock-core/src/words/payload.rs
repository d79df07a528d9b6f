//! Payloads are bytes: the core never looks inside, except to join JSON arrays for `append`.

mod as_bytes;

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Opaque bytes that travel from the submitter to the run, or back as a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Payload(#[serde(with = "as_bytes")] Option<Arc<[u8]>>);

impl Payload {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_deref().unwrap_or(&[])
    }

    /// How many bytes.
    pub fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the bytes are one JSON array.
    pub fn is_json_array(&self) -> bool {
        let trimmed = self.bytes().trim_ascii();
        trimmed.first() == Some(&b'[')
            && serde_json::from_slice::<serde::de::IgnoredAny>(trimmed).is_ok()
    }

    /// What stands between the brackets of a JSON array.
    pub(crate) fn items(&self) -> &[u8] {
        array_inner(self.bytes())
    }

    /// The elements of two JSON arrays in one array, `self` first.
    pub fn joined(&self, other: &Payload) -> Payload {
        let first = self.items();
        let second = other.items();
        let mut bytes = Vec::with_capacity(first.len() + second.len() + 3);
        bytes.push(b'[');
        bytes.extend_from_slice(first);
        if !first.is_empty() && !second.is_empty() {
            bytes.push(b',');
        }
        bytes.extend_from_slice(second);
        bytes.push(b']');
        Payload::from(bytes)
    }
}

/// What stands between the brackets; nothing for an empty payload or an empty array.
fn array_inner(bytes: &[u8]) -> &[u8] {
    let trimmed = bytes.trim_ascii();
    if trimmed.len() < 2 {
        return &[];
    }
    trimmed[1..trimmed.len() - 1].trim_ascii()
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self((!bytes.is_empty()).then(|| Arc::from(bytes)))
    }
}

impl From<&str> for Payload {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Logs and rows of before hold payloads as sequences of numbers.
    #[test]
    fn a_payload_is_kept_as_it_always_was() {
        for bytes in [&b""[..], b"1", &[0, 255, 128, 7], &[b'x'; 300]] {
            let payload = Payload::from(bytes.to_vec());
            let sequence = (!bytes.is_empty()).then(|| bytes.to_vec());
            let kept = postcard::to_allocvec(&payload).expect("it is plain data");
            assert_eq!(kept, postcard::to_allocvec(&sequence).expect("so is this"));
            assert_eq!(postcard::from_bytes::<Payload>(&kept), Ok(payload.clone()));
            let text = serde_json::to_string(&payload).expect("it is plain data");
            let read: Payload = serde_json::from_str(&text).expect("it is a sequence");
            assert_eq!(read, payload);
        }
    }
}
