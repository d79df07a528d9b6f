//! What a command reads: JSON as an argument, from a file, or from standard input.

use crate::exit::Failure;
use anyhow::Context;
use interlock_api::Problem;
use interlock_api::json::Json;
use serde::de::DeserializeOwned;
use std::io::Read;

/// The text that an argument stands for: `@file`, `-` for standard input, or itself.
pub fn text(argument: &str) -> Result<String, Failure> {
    if argument == "-" {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.context("cannot read standard input")?;
        return Ok(text);
    }
    match argument.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {file}"))
            .map_err(Failure::usage),
        None => Ok(argument.to_owned()),
    }
}

/// Any JSON, kept as it is written.
pub fn json(argument: &str) -> Result<Json, Failure> {
    let text = text(argument)?;
    Json::new(text.trim().to_owned())
        .context("the payload is not JSON")
        .map_err(|error| {
            Failure::usage(error).hint(
                "a text is written with quotes: '\"text\"'; @file reads a file, - standard input",
            )
        })
}

/// A wire type, with the place of what is wrong in it.
pub fn body<T: DeserializeOwned>(argument: &str) -> Result<T, Failure> {
    let text = text(argument)?;
    interlock_api::parse::body(text.as_bytes()).map_err(|problem: Problem| {
        let known = problem.more.known.join(", ");
        let failure = Failure::usage(anyhow::anyhow!("{problem}"));
        match known.is_empty() {
            true => failure,
            false => failure.hint(format!("known are: {known}")),
        }
    })
}
