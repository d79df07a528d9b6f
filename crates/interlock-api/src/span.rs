//! Lengths of time as people write them: `500ms`, `90s`, `1h30m`, `2d`, `1w`.
//!
//! Strict on purpose: a bare number is refused, since nobody can tell its unit.

use crate::text::echo;
use interlock_core::limits::DURATION_MS_MAX;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A length of time, in milliseconds, at most ten years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

/// Units from the longest to the shortest: a span names them in this order.
const UNITS: [(&str, u64); 6] = [
    ("w", 7 * 86_400_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// What the schema says of a span: as many digits as ten years need.
const PATTERN: &str =
    "^([0-9]{1,3}w)?([0-9]{1,4}d)?([0-9]{1,5}h)?([0-9]{1,7}m)?([0-9]{1,9}s)?([0-9]{1,12}ms)?$";

impl Span {
    /// The longest span there is: ten years.
    pub const MAX: Span = Span(DURATION_MS_MAX);

    /// So many milliseconds; the longest span if they are more than ten years.
    pub fn from_ms(ms: u64) -> Self {
        Self(ms.min(DURATION_MS_MAX))
    }

    /// In milliseconds.
    pub fn ms(self) -> u64 {
        self.0
    }
}

/// Why a text is not a span.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpanError {
    /// There is nothing.
    #[error("a duration is written like \"90s\" or \"1h30m\", this one is empty")]
    Empty,
    /// A number without a unit.
    #[error("{0} has no unit: a duration is written like \"90s\", \"500ms\" or \"1h30m\"")]
    NoUnit(String),
    /// Something else than numbers and units in order.
    #[error(
        "{0} is not a duration: whole numbers with the units w, d, h, m, s, ms in this order, such as \"1h30m\""
    )]
    Form(String),
    /// Longer than ten years.
    #[error("{0} is longer than ten years")]
    TooLong(String),
}

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, SpanError> {
        if text.is_empty() {
            return Err(SpanError::Empty);
        }
        let mut rest = text;
        let mut units = UNITS.iter();
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, tail) = rest.split_at(digits);
            let letters = tail.bytes().take_while(u8::is_ascii_lowercase).count();
            let (unit, tail) = tail.split_at(letters);
            if number.is_empty() {
                return Err(SpanError::Form(echo(text)));
            }
            if unit.is_empty() && tail.is_empty() {
                return Err(SpanError::NoUnit(echo(text)));
            }
            // Only units that are shorter than the last one are left.
            let Some((_, unit_ms)) = units.find(|(name, _)| *name == unit) else {
                return Err(SpanError::Form(echo(text)));
            };
            let part = (number.parse::<u64>().ok()).and_then(|number| number.checked_mul(*unit_ms));
            total = part
                .and_then(|part| total.checked_add(part))
                .filter(|total| *total <= DURATION_MS_MAX)
                .ok_or_else(|| SpanError::TooLong(echo(text)))?;
            rest = tail;
        }
        Ok(Self(total))
    }
}

/// The shortest text that says exactly this; of two, the one with fewer units.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, unit_ms) = (UNITS.into_iter())
            .find(|(_, unit_ms)| self.0.is_multiple_of(*unit_ms))
            .filter(|_| self.0 > 0)
            .unwrap_or(("s", 1_000));
        let whole = self.0 / unit_ms;
        // Nothing of two units is shorter than four characters.
        if whole < 1_000 {
            return write!(f, "{whole}{unit}");
        }
        let texts = (1_u8..1 << UNITS.len()).filter_map(|chosen| in_units(self.0, chosen));
        let shortest = texts.min_by_key(|(units, text)| (text.len(), *units));
        let (_, text) = shortest.expect("milliseconds alone can say any span");
        f.write_str(&text)
    }
}

/// A span in exactly these units, one bit for each, and how many they are; `None` if some unit is
/// not needed or a rest remains.
fn in_units(ms: u64, chosen: u8) -> Option<(u32, String)> {
    let mut rest = ms;
    let mut text = String::new();
    for (at, (unit, unit_ms)) in UNITS.iter().enumerate() {
        if chosen & (1 << at) == 0 {
            continue;
        }
        let number = rest / unit_ms;
        if number == 0 {
            return None;
        }
        rest %= unit_ms;
        text += &format!("{number}{unit}");
    }
    (rest == 0).then_some((chosen.count_ones(), text))
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Span;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"90s\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Span, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

/// A span in a schema.
pub(crate) fn span_text() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .pattern(Some(PATTERN))
        .min_length(Some(2))
        .max_length(Some(64))
}

impl PartialSchema for Span {
    fn schema() -> RefOr<Schema> {
        span_text()
            .description(Some(
                "A length of time: whole numbers with units, the longest first. Weeks `w`, days `d`, \
                 hours `h`, minutes `m`, seconds `s`, milliseconds `ms`; at most ten years. A number \
                 without a unit is refused.",
            ))
            .examples(["90s", "1h30m", "500ms"])
            .into()
    }
}

impl ToSchema for Span {
    fn name() -> std::borrow::Cow<'static, str> {
        "Duration".into()
    }
}

#[cfg(test)]
mod tests;
