//! The words of the wire (`read`, `postponed`, `succeeded` …) on the command line.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The word that the wire has for a value of an enum.
pub fn text(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// Reads one of these words as the wire does.
pub fn one_of<T: DeserializeOwned + Clone + Send + Sync + 'static>(
    words: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words).try_map(|word| serde_json::from_value::<T>(word.into()))
}
