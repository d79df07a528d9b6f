//! When a task may start: a time, or a delay.

use crate::span::{Span, span_text};
use crate::text::echo;
use crate::time::Time;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{KnownFormat, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// When a task may start at the earliest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// At this time.
    At(Time),
    /// So long after it was submitted.
    In(Span),
}

impl FromStr for Due {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Only a time has a colon, and only a duration has a unit at its end.
        if text.contains(':') {
            return text
                .parse()
                .map(Due::At)
                .map_err(|error: crate::time::TimeError| error.to_string());
        }
        match text.parse() {
            Ok(span) => Ok(Due::In(span)),
            Err(error @ crate::span::SpanError::TooLong(_)) => Err(error.to_string()),
            Err(_) => Err(format!(
                "{} is neither a duration such as \"10m\" nor a time such as \"2026-11-15T10:30:00Z\"",
                echo(text)
            )),
        }
    }
}

impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Due::At(time) => time.fmt(f),
            Due::In(span) => span.fmt(f),
        }
    }
}

impl Serialize for Due {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Due {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Due;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"10m\" or a time such as \"2026-11-15T10:30:00Z\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Due, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

impl PartialSchema for Due {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .description(Some(
                "The earliest start: a duration from now, or a time. Within ten years.",
            ))
            .item(span_text())
            .item(
                ObjectBuilder::new()
                    .schema_type(SchemaType::Type(Type::String))
                    .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
                    // A format may be ignored, and then a duration would be both.
                    .pattern(Some("^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]"))
                    .max_length(Some(35)),
            )
            .examples(["10m", "2026-11-15T10:30:00Z"])
            .into()
    }
}

impl ToSchema for Due {
    fn name() -> std::borrow::Cow<'static, str> {
        "Due".into()
    }
}
