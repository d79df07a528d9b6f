//! Instants: RFC 3339 on the wire, shown in UTC with milliseconds, so that they sort as text.

use crate::text::echo;
use interlock_core::words::{Elapsed, Now, Wall};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::schema::{ObjectBuilder, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{KnownFormat, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// An instant from 1970 to 9999, to the millisecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// The last instant of the calendar: 9999-12-30T22:00:00Z, so that it has a date at any offset.
const MS_MAX: u64 = 253_402_207_200_000;

impl Time {
    /// The last instant there is, in the last days of the year 9999.
    pub const MAX: Time = Time(MS_MAX);

    /// So many milliseconds after the epoch; the last instant if it is later than that.
    pub fn from_ms(ms: u64) -> Self {
        Self(ms.min(MS_MAX))
    }

    /// Milliseconds since the Unix epoch.
    pub fn ms(self) -> u64 {
        self.0
    }
}

impl From<Wall> for Time {
    fn from(wall: Wall) -> Self {
        Self::from_ms(wall.0)
    }
}

impl From<Time> for Wall {
    fn from(time: Time) -> Self {
        Wall(time.0)
    }
}

/// The two clocks at one moment, to show an instant of the boot-time clock as a time of day.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The calendar clock now.
    pub wall_now: Wall,
    /// The boot-time clock now.
    pub elapsed_now: Elapsed,
}

impl Clock {
    /// The time of day now.
    pub fn now(&self) -> Time {
        self.wall_now.into()
    }

    /// The time of day at which the boot-time clock shows this.
    pub fn time(&self, elapsed: Elapsed) -> Time {
        let ahead = elapsed.since(self.elapsed_now);
        let behind = self.elapsed_now.since(elapsed);
        Time::from_ms(self.wall_now.plus(ahead).0.saturating_sub(behind))
    }

    /// The time of day so long ago.
    pub fn ago(&self, ms: u64) -> Time {
        Time::from_ms(self.wall_now.0.saturating_sub(ms))
    }
}

impl From<Now> for Clock {
    fn from(now: Now) -> Self {
        Self {
            wall_now: now.wall,
            elapsed_now: now.elapsed,
        }
    }
}

/// Why a text is not a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// It has another form, or names a day or an hour that does not exist.
    #[error("{0} is not a time: RFC 3339 is, such as \"2026-11-15T10:30:00Z\"")]
    Form(String),
    /// It is before 1970 or after 9999.
    #[error("{0} is not between the years 1970 and 9999")]
    OutOfRange(String),
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        // The calendar reads more than RFC 3339 allows, so the form is looked at first.
        if !is_rfc_3339(text) {
            return Err(TimeError::Form(echo(text)));
        }
        let upper = text.to_ascii_uppercase();
        // The calendar ends a day before the year does, and leaves that unsaid.
        let found: Timestamp = upper.parse().map_err(|_| match &text[..9] {
            "9999-12-3" => TimeError::OutOfRange(echo(text)),
            _ => TimeError::Form(echo(text)),
        })?;
        u64::try_from(found.as_millisecond())
            .ok()
            .filter(|ms| *ms <= MS_MAX && found >= Timestamp::UNIX_EPOCH)
            .map(Self)
            .ok_or_else(|| TimeError::OutOfRange(echo(text)))
    }
}

/// `2026-11-15T10:30:00`, up to nine digits of a second, and `Z` or an offset.
fn is_rfc_3339(text: &str) -> bool {
    let shape = |text: &str, shape: &str| {
        text.len() == shape.len()
            && (text.bytes().zip(shape.bytes())).all(|(byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                b'T' => byte.eq_ignore_ascii_case(&b'T'),
                b'+' => matches!(byte, b'+' | b'-'),
                _ => byte == wanted,
            })
    };
    let Some((date, rest)) = text.split_at_checked(19) else {
        return false;
    };
    let digits = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
    let offset = match rest.strip_prefix('.') {
        Some(rest) if (1..=9).contains(&digits(rest)) => &rest[digits(rest)..],
        Some(_) => return false,
        None => rest,
    };
    let zone = offset.eq_ignore_ascii_case("Z") || shape(offset, "+00:00");
    shape(date, "0000-00-00T00:00:00") && zone
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
        let ms = i64::try_from(self.0).expect("a time is before the year 10000");
        let timestamp = Timestamp::from_millisecond(ms).expect("the calendar knows every time");
        f.write_str(&PRINTER.timestamp_to_string(&timestamp))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Time;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time such as \"2026-11-15T10:30:00Z\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

impl PartialSchema for Time {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some(
                "An instant as RFC 3339 writes it, from 1970 to 9999. Any offset is read; answers are \
                 in UTC with milliseconds.",
            ))
            .max_length(Some(35))
            .examples(["2026-11-15T10:30:00.000Z"])
            .into()
    }
}

impl ToSchema for Time {
    fn name() -> std::borrow::Cow<'static, str> {
        "Time".into()
    }
}

#[cfg(test)]
mod tests;
