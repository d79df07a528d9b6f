//! Bytes as bytes: copied as a whole, where a sequence would be written and read number by number.
//! The format of the log has the same for both.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

pub(super) fn serialize<S: Serializer>(
    bytes: &Option<Arc<[u8]>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    bytes.as_deref().map(Lent).serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Arc<[u8]>>, D::Error> {
    let bytes = Option::<Owned>::deserialize(deserializer)?;
    Ok(bytes.map(|Owned(bytes)| bytes))
}

struct Lent<'a>(&'a [u8]);

impl Serialize for Lent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

struct Owned(Arc<[u8]>);

impl<'de> Deserialize<'de> for Owned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes).map(Self)
    }
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Arc<[u8]>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Arc::from(bytes))
    }

    /// Formats that have no bytes have sequences.
    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Self::Value, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = numbers.next_element::<u8>()? {
            bytes.push(byte);
        }
        Ok(Arc::from(bytes))
    }
}
