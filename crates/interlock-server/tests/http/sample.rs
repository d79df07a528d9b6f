//! Bodies made from the schemas of the document, with everything in them, and poison in one place.

use serde_json::{Map, Value, json};

/// Deep enough for every schema; those that contain themselves end here.
const DEPTH_MAX: usize = 8;

pub(crate) struct Sampler<'a> {
    document: &'a Value,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(document: &'a Value) -> Self {
        Self { document }
    }

    /// A value that fits a schema, with all of its fields.
    pub(crate) fn sample(&self, schema: &Value) -> Value {
        self.at(schema, 0)
    }

    fn at(&self, schema: &Value, depth: usize) -> Value {
        if depth > DEPTH_MAX {
            return Value::Null;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let pointer = reference.trim_start_matches('#');
            let found = self.document.pointer(pointer).expect("it leads somewhere");
            return self.at(found, depth + 1);
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(choices) = schema[choice].as_array() {
                let some = choices.iter().find(|one| one["type"] != "null");
                return some.map_or(Value::Null, |some| self.at(some, depth + 1));
            }
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let mut whole = Map::new();
            for part in parts {
                if let Value::Object(fields) = self.at(part, depth + 1) {
                    whole.extend(fields);
                }
            }
            return Value::Object(whole);
        }
        if let Some(fields) = schema["properties"].as_object() {
            let mut whole = Map::new();
            for (name, schema) in fields {
                whole.insert(name.clone(), self.field(name, schema, depth));
            }
            return Value::Object(whole);
        }
        plain(schema, |items| self.at(items, depth + 1))
    }

    /// Nobody waits for long here.
    fn field(&self, name: &str, schema: &Value, depth: usize) -> Value {
        match name {
            "wait" => json!("1ms"),
            // What makes sense on a server with hardly anything in it.
            "kind" => json!("sync"),
            "due" => json!("1h"),
            "after" => json!([]),
            "parent" => Value::Null,
            _ => self.at(schema, depth + 1),
        }
    }
}

/// A value without fields.
fn plain(schema: &Value, items: impl Fn(&Value) -> Value) -> Value {
    let example = [
        &schema["example"],
        &schema["examples"][0],
        &schema["enum"][0],
    ];
    if let Some(example) = example.into_iter().find(|one| !one.is_null()) {
        return example.clone();
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().find(|one| *one != "null"),
        one => Some(one),
    };
    match types.and_then(Value::as_str) {
        Some("string") => json!("shop:1"),
        Some("integer" | "number") => schema["minimum"].as_u64().unwrap_or(1).max(1).into(),
        Some("boolean") => json!(true),
        Some("array") => json!([items(&schema["items"])]),
        Some("object") => json!({}),
        _ => json!([1]),
    }
}

/// Every place in a value, the value itself too, as pointers.
pub(crate) fn places(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let below: Vec<(String, &Value)> = match value {
        Value::Object(fields) => (fields.iter())
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(items) => (items.iter().enumerate())
            .map(|(index, value)| (index.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (name, value) in below {
        all.extend(places(value).iter().map(|place| format!("/{name}{place}")));
    }
    all
}

/// The text of a value with a text that need not be JSON in one place.
pub(crate) fn with_poison(value: &Value, place: &str, poison: &str) -> String {
    const MARK: &str = "in the place of this";
    let mut value = value.clone();
    *value.pointer_mut(place).expect("a place") = MARK.into();
    value.to_string().replace(&format!("\"{MARK}\""), poison)
}
