//! Claims on the wire: `"repository:f16"`, or an object if the operation is not the kind's.

use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What a task does to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Shared: readers run side by side.
    Read,
    /// Exclusive.
    Update,
    /// Exclusive, and begins the resource's life.
    Create,
    /// Exclusive, and ends the resource's life.
    Delete,
}

/// A resource, and what the task does to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The resource, `type:id`.
    pub resource: String,
    /// The operation; the kind's if none.
    pub op: Option<Op>,
}

/// A claim that says all.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Full {
    resource: String,
    #[serde(default)]
    op: Option<Op>,
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.op {
            None => serializer.serialize_str(&self.resource),
            op => Full {
                resource: self.resource.clone(),
                op,
            }
            .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Claim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Claim;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a resource such as \"repository:f16\", or an object with resource and op",
                )
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Claim, E> {
                Ok(Claim {
                    resource: text.to_owned(),
                    op: None,
                })
            }

            fn visit_string<E: de::Error>(self, resource: String) -> Result<Claim, E> {
                Ok(Claim { resource, op: None })
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Claim, A::Error> {
                let full = Full::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Claim {
                    resource: full.resource,
                    op: full.op,
                })
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A resource's name in a schema.
pub(crate) fn resource_schema() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .description(Some("A resource, `type:id`. It needs no declaration."))
        .pattern(Some("^[^:]+:.+$"))
        .min_length(Some(3))
        .max_length(Some(interlock_core::limits::RESOURCE_BYTES_MAX))
        .examples(["repository:f16"])
}

impl PartialSchema for Claim {
    fn schema() -> RefOr<Schema> {
        let full = ObjectBuilder::new()
            .property("resource", resource_schema())
            .property("op", Ref::from_schema_name("Op"))
            .required("resource")
            .additional_properties(Some(
                utoipa::openapi::schema::AdditionalProperties::FreeForm(false),
            ));
        OneOfBuilder::new()
            .description(Some(
                "A resource that the task touches: its name, or an object if the operation is not \
                 the kind's own.",
            ))
            .item(resource_schema())
            .item(full)
            .examples([
                serde_json::json!("repository:f16"),
                serde_json::json!({"resource": "repository:f17", "op": "read"}),
            ])
            .into()
    }
}

impl ToSchema for Claim {
    fn name() -> std::borrow::Cow<'static, str> {
        "Claim".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Op::name().into_owned(), Op::schema()));
    }
}
