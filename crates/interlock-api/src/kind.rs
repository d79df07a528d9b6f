//! Kinds: registered types of task, with their whole policy.

use crate::claim::Op;
use crate::span::Span;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, ObjectBuilder, OneOfBuilder};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The policy of a kind. Everything has a default; what is left out goes back to it. When read, all
/// of it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "priority": 4,
    "op": "update",
    "coalesce": {"payload": "latest", "gather": "3s"},
    "retry": {"waits": ["3m", "20m", "3h", "24h"], "for": "3d"},
    "quotas": [{"quota": "shop-calls", "cost": 1}],
    "on_loss": {"retry": 3},
    "lease": "15s",
}))]
pub struct KindPolicy {
    /// Its name. Not needed where the path has it; if given, it must be the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, example = "sync")]
    pub name: Option<String>,
    /// 0 to 9, 4 by default; each level is a head start of one `step` of the namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 9)]
    pub priority: Option<u8>,
    /// What its tasks do to a resource when the claim does not say; `update` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<Op>,
    /// How submissions of the same thing become one task; not at all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coalesce: Option<Coalesce>,
    /// Kinds whose earlier tasks on the same resources each submission of this one cancels.
    #[serde(default)]
    #[schema(max_items = 256)]
    pub cancels: Vec<String>,
    /// What happens after a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// Quotas that each start takes units from.
    #[serde(default)]
    #[schema(max_items = 16)]
    pub quotas: Vec<QuotaUse>,
    /// What happens when a worker is lost; `{"retry": 3}` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_loss: Option<OnLoss>,
    /// The length of a run's lease, from 1 s to 5 min; `15s` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<Span>,
    /// How long a run may take before its worker is told to stop; for ever by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_within: Option<Span>,
    /// How long a worker that was told to stop keeps its lease; `10s` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace: Option<Span>,
    /// At most so many waiting tasks of this kind; no cap of its own by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_max: Option<u64>,
    /// How long ended tasks stay readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<Retention>,
}

/// How submissions of the same thing become one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Coalesce {
    /// Which payload the task carries; `latest` by default.
    #[serde(default)]
    pub payload: PayloadRule,
    /// How long the first of a flurry waits so that more can join it; `0s` by default.
    #[serde(default)]
    pub gather: Span,
}

/// Which payload a task carries that stands for several submissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayloadRule {
    /// The last one submitted.
    #[default]
    Latest,
    /// The first one submitted.
    First,
    /// All of them: JSON arrays joined into one.
    Append,
}

/// What happens after a failed run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// How long to wait before each next try; `["3m", "20m", "3h", "1d"]` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Waits>,
    /// No try begins later than this after the first run began; `3d` by default.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Span>,
    /// At most so many failed runs; no limit within `for` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub tries: Option<u32>,
}

/// The waits between tries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waits {
    /// One after the other; the last one repeats. None means no retry.
    Ladder(Vec<Span>),
    /// Doubling from the first to the longest.
    Exponential(Exponential),
}

/// Waits that double, shortened by up to a quarter so that they spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Exponential {
    /// The first wait.
    pub first: Span,
    /// The longest wait.
    pub most: Span,
}

impl Serialize for Waits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Waits::Ladder(rungs) => rungs.serialize(serializer),
            Waits::Exponential(waits) => waits.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Waits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Waits;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a list such as [\"3m\", \"20m\"], or {\"first\": \"1s\", \"most\": \"1h\"}",
                )
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Waits, A::Error> {
                let mut rungs = Vec::new();
                while let Some(rung) = seq.next_element()? {
                    rungs.push(rung);
                }
                Ok(Waits::Ladder(rungs))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Waits, A::Error> {
                let map = de::value::MapAccessDeserializer::new(map);
                Exponential::deserialize(map).map(Waits::Exponential)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl PartialSchema for Waits {
    fn schema() -> RefOr<Schema> {
        let span = || Ref::from_schema_name("Duration");
        let exponential = ObjectBuilder::new()
            .property("first", span())
            .property("most", span())
            .required("first")
            .required("most")
            .additional_properties(Some(AdditionalProperties::FreeForm(false)));
        OneOfBuilder::new()
            .description(Some(
                "How long to wait before each next try: a list, whose last wait repeats and which \
                 may be empty for no retry; or a first wait that doubles up to a longest one, \
                 shortened by up to a quarter so that retries spread.",
            ))
            .item(ArrayBuilder::new().items(span()).max_items(Some(32)))
            .item(exponential)
            .examples([
                serde_json::json!(["3m", "20m", "3h", "24h"]),
                serde_json::json!({"first": "1s", "most": "1h"}),
            ])
            .into()
    }
}

impl ToSchema for Waits {
    fn name() -> std::borrow::Cow<'static, str> {
        "Waits".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Span::name().into_owned(), Span::schema()));
    }
}

/// A quota that each start of a kind takes units from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuotaUse {
    /// The quota's name.
    #[schema(min_length = 1, max_length = 200)]
    pub quota: String,
    /// Units per start; 1 by default, 0 if only the run itself spends.
    #[serde(default = "one")]
    #[schema(default = 1)]
    pub cost: u32,
}

fn one() -> u32 {
    1
}

/// What follows the loss of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnLoss {
    /// Back to its place in line, at most so many times; then it has failed.
    Retry(u32),
    /// The task is cancelled.
    Cancel,
}

/// How long ended tasks stay readable, by outcome; `0s` deletes them at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    /// After success; `1d` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub succeeded: Option<Span>,
    /// After failure for good; `30d` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Span>,
    /// After cancellation; `1w` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<Span>,
}

/// A kind as it is now: its whole policy, and what there is of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Kind {
    /// Its name.
    #[schema(example = "sync")]
    pub name: String,
    /// Its policy, in full; it can be sent back as it is.
    pub policy: KindPolicy,
    /// Whether an operator holds it.
    pub held: bool,
    /// Whether a live worker handles it, or did a lease ago.
    pub staffed: bool,
    /// Its tasks that wait.
    pub waiting: u64,
    /// Its tasks that run.
    pub running: u64,
}
