//! Quotas: how much may be started or spent, and what is left.

use crate::span::{Span, SpanError};
use crate::text::echo;
use crate::time::Time;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::schema::{
    AdditionalProperties, ObjectBuilder, OneOfBuilder, SchemaType, Type,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// What a quota is: any number of limits that hold at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"per": "shop", "limits": ["10/1s", "10000/24h", {"at_once": 4}]}))]
pub struct QuotaPolicy {
    /// Its name. Not needed where the path has it; if given, it must be the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, example = "shop-calls")]
    pub name: Option<String>,
    /// One count for each resource of this type; one for the whole namespace if none. Can't be
    /// changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, example = "shop")]
    pub per: Option<String>,
    /// The limits.
    #[schema(min_items = 1, max_items = 8)]
    pub limits: Vec<Limit>,
}

/// One limit of a quota: `"10/1s"` or `{"at_once": 4}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most so many units in any span of this length.
    Window {
        /// Units.
        units: u64,
        /// The span.
        per: Span,
    },
    /// At most so many units held by live runs.
    AtOnce(u64),
}

/// Why a text is not a limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// It has another form.
    #[error("{0} is not a limit: units and a duration are, such as \"10/1s\"")]
    Form(String),
    /// What stands after the slash is not a duration.
    #[error(transparent)]
    Span(#[from] SpanError),
}

/// Reads `units/duration`.
impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let parts = text.split_once('/');
        let plain = |units: &str| units.bytes().all(|byte| byte.is_ascii_digit());
        let found = parts.filter(|(units, _)| plain(units));
        let found = found.and_then(|(units, per)| Some((units.parse().ok()?, per)));
        let (units, per) = found.ok_or_else(|| LimitError::Form(echo(text)))?;
        let per = per.parse()?;
        Ok(Limit::Window { units, per })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Window { units, per } => write!(f, "{units}/{per}"),
            Limit::AtOnce(units) => write!(f, "{units} at once"),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AtOnce {
    at_once: u64,
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Limit::Window { .. } => serializer.collect_str(self),
            Limit::AtOnce(at_once) => AtOnce { at_once }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Limit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a limit such as \"10/1s\" or {\"at_once\": 4}")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Limit, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Limit, A::Error> {
                let map = de::value::MapAccessDeserializer::new(map);
                Ok(Limit::AtOnce(AtOnce::deserialize(map)?.at_once))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl PartialSchema for Limit {
    fn schema() -> RefOr<Schema> {
        let window = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .pattern(Some(r"^\d{1,13}/[0-9wdhms]+$"))
            .max_length(Some(80))
            .description(Some("So many units in any span of this length."));
        let units = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::Integer))
            .minimum(Some(0))
            .maximum(Some(interlock_core::limits::QUOTA_UNITS_MAX as f64));
        let at_once = ObjectBuilder::new()
            .property("at_once", units)
            .required("at_once")
            .additional_properties(Some(AdditionalProperties::FreeForm(false)))
            .description(Some("So many units held by live runs."));
        OneOfBuilder::new()
            .description(Some("One limit of a quota, at most 10^12 units."))
            .item(window)
            .item(at_once)
            .examples([
                serde_json::json!("10/1s"),
                serde_json::json!({"at_once": 4}),
            ])
            .into()
    }
}

impl ToSchema for Limit {
    fn name() -> std::borrow::Cow<'static, str> {
        "Limit".into()
    }
}

/// A quota as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quota {
    /// Its name.
    #[schema(example = "shop-calls")]
    pub name: String,
    /// What it is; it can be sent back as it is.
    pub policy: QuotaPolicy,
    /// The count of the namespace, or of the resource asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<QuotaCount>,
}

/// One count of a quota.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuotaCount {
    /// The quota.
    pub quota: String,
    /// The resource, for a quota per resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Each limit, with what is used of it and what is left.
    pub limits: Vec<LimitCount>,
    /// Units of the above that live runs have been given to spend by themselves, and that they have
    /// not reported as used.
    #[serde(default)]
    pub lent: u64,
    /// Tasks that wait for units.
    pub waiting: u64,
    /// When the first of them goes on, if only time stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Time>,
    /// Nothing is granted until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_until: Option<Time>,
}

/// One limit, with what is used of it and what is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LimitCount {
    /// The limit.
    pub limit: Limit,
    /// Units in use.
    pub used: u64,
    /// Units that are left.
    pub left: u64,
    /// When all of it is free again if nothing more is used. None if all of it is free now, or if it
    /// takes the end of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets: Option<Time>,
    /// When the oldest of those in use come free, for a window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frees: Option<Time>,
}

/// Which count of a quota to show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct QuotaQuery {
    /// The count of this resource, for a quota per resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 3, max_length = 400, example = "shop:42")]
    pub resource: Option<String>,
}

/// Somebody outside said "too many requests": the quota pauses for everyone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"for": "30s", "resource": "shop:42"}))]
pub struct PauseQuota {
    /// For how long from now, at most a week; `0s` ends a pause.
    #[serde(rename = "for")]
    pub length: Span,
    /// The resource, for a quota per resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 3, max_length = 400)]
    pub resource: Option<String>,
}
