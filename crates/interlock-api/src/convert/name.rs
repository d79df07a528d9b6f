//! Names: checked by the core, with the field at fault.

use super::refusal::refusal;
use crate::code::Code;
use crate::problem::Problem;
use crate::text::echo;
use interlock_core::words::{Name, ResourceName};

/// A name from this field.
pub fn name(text: &str, field: &str) -> Result<Name, Problem> {
    Name::new(text).map_err(|bad| refusal(&bad).at(field))
}

/// A resource's name from this field.
pub fn resource_name(text: &str, field: &str) -> Result<ResourceName, Problem> {
    ResourceName::new(text).map_err(|bad| refusal(&bad).at(field))
}

/// A name that may be left out.
pub(crate) fn maybe(text: Option<&str>, field: &str) -> Result<Option<Name>, Problem> {
    text.map(|text| name(text, field)).transpose()
}

/// Names from a list.
pub(crate) fn names(texts: &[String], field: &str) -> Result<Vec<Name>, Problem> {
    let each = texts.iter().enumerate();
    each.map(|(at, text)| Name::new(text).map_err(|bad| refusal(&bad).at(format!("{field}[{at}]"))))
        .collect()
}

/// The name of something whose path names it, and whose body may.
pub(crate) fn named(path: Option<&str>, body: Option<&str>) -> Result<Name, Problem> {
    match (path, body) {
        (Some(path), Some(body)) if path != body => Err(Problem::new(
            Code::BadRequest,
            format!("the path names {}, the body {}", echo(path), echo(body)),
        )
        .at("name")),
        (Some(text), _) | (None, Some(text)) => name(text, "name"),
        (None, None) => Err(Problem::new(Code::BadRequest, "it is missing").at("name")),
    }
}

/// Names as texts.
pub(crate) fn texts(names: &[Name]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}
