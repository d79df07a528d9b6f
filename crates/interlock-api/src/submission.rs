//! Submissions: what a client asks for. One, many, or a group of them.

use crate::claim::Claim;
use crate::due::Due;
use crate::id::RunToken;
use crate::json::Json;
use crate::span::Span;
use crate::text::is_false;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use utoipa::openapi::schema::{
    AdditionalProperties, ObjectBuilder, OneOfBuilder, SchemaType, Type,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// What a client asks for. Only the kind is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "kind": "sync",
    "resources": ["repository:f16", {"resource": "repository:f17", "op": "read"}],
    "payload": {"full": true},
    "priority": 7,
    "due": "10m",
}))]
pub struct Submission {
    /// The kind of task; it must be registered.
    #[schema(min_length = 1, max_length = 200, example = "sync")]
    pub kind: String,
    /// The resources that the task touches, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 64)]
    pub resources: Vec<Claim>,
    /// Handed to the run as it is. None is the same as `null`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json)]
    pub payload: Option<Json>,
    /// 0 to 9; higher goes first. The kind's if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 9)]
    pub priority: Option<u8>,
    /// The earliest start; at once if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Due>,
    /// Keeps apart submissions that would otherwise be the same thing to a kind that coalesces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200)]
    pub key: Option<String>,
    /// What to do if something conflicting is running or ahead in line.
    #[serde(default, skip_serializing_if = "IfBusy::is_wait")]
    pub if_busy: IfBusy,
    /// Cancel the task if it has not started so long after its submission or, if later, its due time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_within: Option<Span>,
    /// Tasks that must succeed first; if one of them ends otherwise, this one is cancelled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 1000)]
    pub after: Vec<After>,
    /// Words to find the task by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16, example = json!(["nightly"]))]
    pub tags: Vec<String>,
    /// Admit the task, but keep it from starting until it is released.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hold: bool,
    /// Repeating the request with the same key within 24 hours returns the first answer and submits
    /// nothing. Of a group only the first item may carry one: it is the group's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200)]
    pub idempotency_key: Option<String>,
    /// The run that submits this task as its child.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RunToken>,
}

impl Submission {
    /// A submission of this kind on these resources, the rest by default.
    pub fn new(kind: impl Into<String>, resources: impl IntoIterator<Item = Claim>) -> Self {
        Self {
            kind: kind.into(),
            resources: resources.into_iter().collect(),
            payload: None,
            priority: None,
            due: None,
            key: None,
            if_busy: IfBusy::Wait,
            start_within: None,
            after: Vec::new(),
            tags: Vec::new(),
            hold: false,
            idempotency_key: None,
            parent: None,
        }
    }
}

/// What to do if something conflicting is running or ahead in line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IfBusy {
    /// Wait in line.
    #[default]
    Wait,
    /// Reject the submission.
    Reject,
}

impl IfBusy {
    fn is_wait(&self) -> bool {
        *self == IfBusy::Wait
    }
}

/// A task that must succeed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// An earlier task.
    Task(u64),
    /// An item of the same group, counted from 0.
    Item(u64),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    item: u64,
}

impl Serialize for After {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            After::Task(task) => serializer.serialize_u64(task),
            After::Item(item) => Item { item }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for After {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = After;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a task's id, or {\"item\": n} for an item of the same group")
            }

            fn visit_u64<E: de::Error>(self, task: u64) -> Result<After, E> {
                Ok(After::Task(task))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<After, A::Error> {
                let item = Item::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(After::Item(item.item))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl PartialSchema for After {
    fn schema() -> RefOr<Schema> {
        let integer = || {
            ObjectBuilder::new()
                .schema_type(SchemaType::Type(Type::Integer))
                .minimum(Some(0))
        };
        let item = ObjectBuilder::new()
            .property("item", integer().maximum(Some(999)))
            .required("item")
            .additional_properties(Some(AdditionalProperties::FreeForm(false)));
        OneOfBuilder::new()
            .description(Some(
                "A task that must succeed first: its id, or the index of an item of the same group.",
            ))
            .item(integer().maximum(Some(crate::limits::INTEGER_MAX as f64)))
            .item(item)
            .examples([serde_json::json!(17), serde_json::json!({"item": 0})])
            .into()
    }
}

impl ToSchema for After {
    fn name() -> std::borrow::Cow<'static, str> {
        "After".into()
    }
}

/// Several submissions, each with its own outcome, or a group of them, all or none.
///
/// The items are kept as they were sent: one that can't be read gets a problem of its own and harms
/// no other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Submissions {
    /// The submissions.
    #[schema(value_type = Vec<Submission>, min_items = 1, max_items = 1000)]
    pub items: Vec<Json>,
}

/// Options of `POST /v1/tasks` and `POST /v1/tasks/batch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SubmitOptions {
    /// Only tell the verdict; nothing is changed.
    #[serde(default, skip_serializing_if = "is_false")]
    #[param(required = false)]
    pub dry_run: bool,
}
