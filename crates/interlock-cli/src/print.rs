//! What goes to standard output: lines, JSON, tables, and lists of fields.

use crate::{plain, style};
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;
use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// Prints a line. Much of what is printed comes from strangers, so nothing in it steers the terminal
/// or makes another line of it.
pub fn line(text: impl Display) {
    own(plain::line(&text.to_string()));
}

/// Prints text as it is, with colours and line ends: for what is our own, or was made `plain`.
/// Whoever stops reading, as `head` does, has seen enough.
pub fn own(text: impl Display) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = writeln!(out, "{text}") {
        let code = i32::from(error.kind() != std::io::ErrorKind::BrokenPipe);
        std::process::exit(code);
    }
}

/// Prints JSON as the API has it.
pub fn json(value: &impl Serialize) {
    let text = serde_json::to_string_pretty(value);
    own(text.expect("wire types are plain data"));
}

/// Prints a table that fits the terminal; anywhere else it is as wide as it needs to be.
pub fn table<const N: usize>(heads: [&str; N], rows: impl IntoIterator<Item = [String; N]>) {
    let mut table = filled(heads, rows);
    if std::io::stdout().is_terminal() {
        let (_, width) = console::Term::stdout().size();
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width);
    } else {
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for (at, text) in table.lines().enumerate() {
        let text = text.trim_end();
        match at {
            0 => own(style::heading(text)),
            _ => own(text),
        }
    }
}

fn filled<const N: usize>(heads: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(heads);
    let shown = |row: [String; N]| row.map(|text| plain::cell(&text));
    table.add_rows(rows.into_iter().map(shown));
    table
}

/// Prints fields under one another; those without a value are left out.
pub fn fields(fields: &[(&str, Option<String>)]) {
    let known = || {
        fields
            .iter()
            .filter_map(|(name, value)| Some((name, value.as_ref()?)))
    };
    let width = known().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in known() {
        let mut lines = value.lines();
        line(format_args!(
            "{name:width$}  {}",
            lines.next().unwrap_or("")
        ));
        for more in lines {
            line(format_args!("{:width$}  {more}", ""));
        }
    }
}

/// Prints a heading over what follows, after an empty line.
pub fn heading(text: &str) {
    line("");
    own(style::heading(text));
}

/// Says that there is more than was shown.
pub fn more(next: Option<&str>) {
    if let Some(cursor) = next {
        eprintln!("there is more: --cursor {cursor}");
    }
}

/// `3 tasks`, `1 task`.
pub fn count(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Prints a policy as the API has it, one field under another.
pub fn policy(policy: &impl Serialize) {
    let Ok(serde_json::Value::Object(object)) = serde_json::to_value(policy) else {
        return;
    };
    let said = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Array(items) if items.is_empty() => None,
        value => Some(value.to_string()),
    };
    let shown: Vec<(&str, Option<String>)> = (object.iter())
        .filter(|(name, _)| *name != "name")
        .map(|(name, value)| (name.as_str(), said(value)))
        .collect();
    fields(&shown);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_one_line_whatever_strangers_write() {
        let row = ["1", "red \u{1b}[31m\nand \u{202e}turned\tround"].map(str::to_owned);
        let shown: Vec<String> = filled(["ID", "MORE"], [row]).lines().collect();
        assert_eq!(shown.len(), 2, "{shown:?}");
        let expected = "red \u{fffd}[31m and \u{fffd}turned round";
        assert!(shown[1].contains(expected), "{shown:?}");
    }
}
