//! Reads bodies and query strings, and says precisely what is wrong with them and where.

use crate::code::Code;
use crate::problem::Problem;
use crate::text::{echo, tame};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};

/// Reads a body. An empty one is read as `{}`, so that a request with only options needs none.
pub fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if bytes.trim_ascii().is_empty() {
        object(b"{}")
    } else {
        object(bytes)
    }
}

/// Reads an object.
pub(crate) fn object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // A list would be read as a struct, field by field.
    let is_list = bytes.trim_ascii_start().first() == Some(&b'[');
    if is_list && serde_json::from_slice::<&RawValue>(bytes).is_ok() {
        let why = "it must be a JSON object, not a list";
        return Err(Problem::new(Code::BadRequest, why));
    }
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Ok(value);
    }
    // Keeping track of the place costs time, so only what can't be read is read that way.
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer);
    let value = value.map_err(|error| {
        let path = path_of(error.path());
        of_json(error.into_inner(), path)
    })?;
    deserializer.end().map_err(not_json)?;
    Ok(value)
}

/// Reads a query string.
pub fn query<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    let pairs = form_urlencoded::parse(text.as_bytes());
    let deserializer = serde_urlencoded::Deserializer::new(pairs);
    serde_path_to_error::deserialize(deserializer)
        .map_err(|error| of_data(&error.inner().to_string(), path_of(error.path())))
}

fn of_json(error: serde_json::Error, path: String) -> Problem {
    match error.classify() {
        Category::Data => {
            let text = error.to_string();
            // The path says where, and the place in an item of a batch would mislead.
            let place = format!(" at line {} column {}", error.line(), error.column());
            of_data(text.strip_suffix(&place).unwrap_or(&text), path)
        }
        _ => not_json(error),
    }
}

fn not_json(error: serde_json::Error) -> Problem {
    Problem::new(Code::BadJson, format!("the body is not JSON: {error}"))
}

/// The message of a value that does not fit, made a problem.
fn of_data(message: &str, path: String) -> Problem {
    let name_after = |start: &str| message.strip_prefix(start)?.split_once('`');
    let (problem, name) = if let Some((name, rest)) = name_after("unknown field `") {
        let known = rest.split('`').skip(1).step_by(2);
        let detail = format!("there is no field {}", echo(name));
        (
            Problem::new(Code::UnknownField, detail).knowing(known),
            None,
        )
    } else if let Some((name, _)) = name_after("missing field `") {
        (Problem::new(Code::BadRequest, "it is missing"), Some(name))
    } else if let Some((name, _)) = name_after("duplicate field `") {
        let detail = "it is given more than once";
        (Problem::new(Code::BadRequest, detail), Some(name))
    } else {
        (Problem::new(Code::BadRequest, tame(message)), None)
    };
    // The path ends at what has the field, unless the field is there and unknown.
    match (path.is_empty(), name) {
        (true, None) => problem,
        (true, Some(name)) => problem.at(name),
        (false, None) => problem.at(path),
        (false, Some(name)) => problem.at(name).under(&path),
    }
}

/// `items[3].resources[0]`; empty for the whole. A key of a stranger is cut short.
fn path_of(path: &Path) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => text += &format!("[{index}]"),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                if !text.is_empty() {
                    text.push('.');
                }
                let end = key.floor_char_boundary(crate::limits::ECHO_BYTES_MAX);
                text.extend(key[..end].escape_debug());
            }
            Segment::Unknown => {}
        }
    }
    text
}

#[cfg(test)]
mod tests;
