//! What a worker thinks of trying again: `"never"`, or a duration.

use crate::span::{Span, SpanError, span_text};
use crate::text::echo;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What a worker thinks of trying again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// Not at all.
    Never,
    /// After this long.
    In(Span),
}

impl Serialize for Again {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Again::Never => serializer.serialize_str("never"),
            Again::In(span) => span.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Again {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Again;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"never\" or a duration such as \"90s\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Again, E> {
                if text == "never" {
                    return Ok(Again::Never);
                }
                text.parse().map(Again::In).map_err(|error| match error {
                    SpanError::TooLong(_) => E::custom(error),
                    _ => E::custom(format_args!(
                        "{} is neither \"never\" nor a duration such as \"90s\"",
                        echo(text)
                    )),
                })
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

impl PartialSchema for Again {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(SchemaType::Type(Type::String));
        OneOfBuilder::new()
            .description(Some("`never`, or after how long to try again."))
            .item(text.enum_values(Some(["never"])))
            .item(span_text())
            .examples(["never", "90s"])
            .into()
    }
}

impl ToSchema for Again {
    fn name() -> std::borrow::Cow<'static, str> {
        "Again".into()
    }
}
