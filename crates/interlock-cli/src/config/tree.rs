//! A TOML document as a tree that knows the place of each value, and as JSON, which is what the
//! types of the wire are read from.

use super::Note;
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its place.
pub(super) type Node<'a> = Spanned<DeValue<'a>>;

/// A note about the place that begins at this byte.
pub(super) fn note(text: &str, start: usize, what: impl Into<String>) -> Note {
    let before = &text[..text.floor_char_boundary(start.min(text.len()))];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Note {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        text: what.into(),
    }
}

/// The same value in JSON. A time is the text that it is written as.
pub(super) fn json(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(yes) => Value::Bool(*yes),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Integer(integer) => {
            let number = i64::from_str_radix(integer.as_str(), integer.radix());
            Value::Number(number.map_err(|_| "the number is too large")?.into())
        }
        DeValue::Float(float) => {
            let number = float.as_str().parse().ok().and_then(Number::from_f64);
            Value::Number(number.ok_or("it must be a finite number")?)
        }
        DeValue::Array(array) => {
            let items = array.iter().map(|item| json(item.get_ref()));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => Value::Object(object(table)?),
    })
}

fn object(table: &DeTable<'_>) -> Result<Map<String, Value>, String> {
    let entries = table.iter();
    let entries =
        entries.map(|(key, value)| Ok((key.get_ref().to_string(), json(value.get_ref())?)));
    entries.collect()
}

/// One step of a path such as `submission.resources[0]`.
enum Step<'a> {
    Key(&'a str),
    At(usize),
}

fn steps(path: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let mut parts = part.split('[');
        match parts.next() {
            Some(key) if !key.is_empty() => steps.push(Step::Key(key)),
            _ => {}
        }
        let numbers = parts.filter_map(|at| at.strip_suffix(']')?.parse().ok());
        steps.extend(numbers.map(Step::At));
    }
    steps
}

/// Where the value at a path begins, or the nearest one around it.
pub(super) fn find(node: &Node<'_>, path: &str) -> usize {
    let mut at = node;
    let mut start = node.span().start;
    for step in steps(path) {
        let next = match (step, at.get_ref()) {
            (Step::Key(key), DeValue::Table(table)) => {
                let found = table.iter().find(|(name, _)| name.get_ref() == key);
                found.map(|(name, value)| (name.span().start, value))
            }
            (Step::At(index), DeValue::Array(array)) => {
                array.get(index).map(|value| (value.span().start, value))
            }
            _ => None,
        };
        let Some((found, value)) = next else { break };
        (start, at) = (found, value);
    }
    start
}

/// Where each field of a table begins.
pub(super) fn fields(node: &Node<'_>) -> Vec<(String, usize)> {
    let Some(table) = node.get_ref().as_table() else {
        return Vec::new();
    };
    let keys = table.keys();
    keys.map(|key| (key.get_ref().to_string(), key.span().start))
        .collect()
}

/// Takes the value at a path away, so that the rest can be looked at. Whether there was one.
pub(super) fn remove(value: &mut Value, path: &str) -> bool {
    let steps = steps(path);
    let Some((last, before)) = steps.split_last() else {
        return false;
    };
    let mut at = value;
    for step in before {
        let next = match step {
            Step::Key(key) => at.get_mut(key),
            Step::At(index) => at.get_mut(index),
        };
        let Some(next) = next else { return false };
        at = next;
    }
    match (last, at) {
        (Step::Key(key), Value::Object(object)) => object.remove(*key).is_some(),
        (Step::At(index), Value::Array(array)) if *index < array.len() => {
            array.remove(*index);
            true
        }
        _ => false,
    }
}
