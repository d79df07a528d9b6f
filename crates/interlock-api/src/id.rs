//! Ids on the wire. Tasks, groups and sessions are plain numbers below 2^53; a run is named by its
//! token, a text, since it is made of two numbers.

use crate::text::echo;
use interlock_core::words::Token;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Names a run and fences it: `generation.position`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunToken(pub Token);

/// The text is not the token of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a run's token: two numbers with a point between them, such as \"1.4711\"")]
pub struct RunTokenError(String);

impl FromStr for RunToken {
    type Err = RunTokenError;

    fn from_str(text: &str) -> Result<Self, RunTokenError> {
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let parts = text.split_once('.');
        let parts = parts.filter(|(generation, position)| plain(generation) && plain(position));
        parts
            .and_then(|(generation, position)| {
                Some(Self(Token {
                    generation: generation.parse().ok()?,
                    position: position.parse().ok()?,
                }))
            })
            .ok_or_else(|| RunTokenError(echo(text)))
    }
}

impl fmt::Display for RunToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Token> for RunToken {
    fn from(token: Token) -> Self {
        Self(token)
    }
}

impl Serialize for RunToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = RunToken;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a run's token such as \"1.4711\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RunToken, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

impl PartialSchema for RunToken {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .description(Some(
                "Names a run and fences it: `generation.position`. Compared as two numbers it only \
                 ever grows within a namespace, so another system can refuse a stale writer by \
                 remembering the highest one it has seen.",
            ))
            .pattern(Some(r"^\d{1,10}\.\d{1,20}$"))
            .max_length(Some(31))
            .examples(["1.4711"])
            .into()
    }
}

impl ToSchema for RunToken {
    fn name() -> std::borrow::Cow<'static, str> {
        "RunToken".into()
    }
}
