//! Payloads and results: any JSON, kept byte for byte as it was sent. Nothing here looks inside,
//! except to see how deep it nests.

use crate::limits::JSON_DEPTH_MAX;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Any JSON, as it was written.
///
/// Can't be read inside of `#[serde(flatten)]` or an untagged enum: those forget the bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Takes a text that is JSON.
    pub fn new(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self)
    }

    /// Any value as JSON.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// The text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Reads it as a value of some type.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Whether it nests deeper than a reader can be expected to follow.
    pub(crate) fn is_too_deep(&self) -> bool {
        // Nearly all JSON has not even as many brackets, wherever they stand.
        let opening = self
            .get()
            .bytes()
            .filter(|byte| matches!(byte, b'[' | b'{'));
        if opening.count() <= JSON_DEPTH_MAX {
            return false;
        }
        let mut depth = 0_usize;
        let mut in_string = false;
        let mut bytes = self.get().bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' if in_string => {
                    bytes.next();
                }
                b'"' => in_string = !in_string,
                b'[' | b'{' if !in_string => depth += 1,
                b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > JSON_DEPTH_MAX {
                return true;
            }
        }
        false
    }

    /// The text as bytes of its own.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        Box::<str>::from(self.0).into_string().into_bytes()
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl PartialSchema for Json {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::AnyValue)
            .description(Some(
                "Any JSON, kept byte for byte as it was sent: at most 1 MiB, at most 100 levels deep.",
            ))
            .into()
    }
}

impl ToSchema for Json {
    fn name() -> std::borrow::Cow<'static, str> {
        "Json".into()
    }
}
