//! A conversation with a server, written down for a snapshot. What varies is blotted out.

use crate::client::{Answer, Caller, is_on_postgres};
use serde_json::Value;
use std::fmt::Write;

pub(crate) struct Talk {
    caller: Caller,
    text: String,
}

impl Talk {
    pub(crate) fn new(caller: &Caller) -> Self {
        Self {
            caller: caller.clone(),
            text: String::new(),
        }
    }

    /// Asks without a body.
    pub(crate) async fn ask(&mut self, method: &str, path: &str) -> Value {
        self.say(method, path, None).await
    }

    /// Asks with a body.
    pub(crate) async fn send(&mut self, method: &str, path: &str, body: &str) -> Value {
        self.say(method, path, Some(body)).await
    }

    async fn say(&mut self, method: &str, path: &str, body: Option<&str>) -> Value {
        let answer = self.caller.call(method, path, body).await;
        let said = body.map(|body| format!(" {}", blotted_text(body)));
        self.note(
            &format!("{method} {path}{}", said.unwrap_or_default()),
            &answer,
        )
    }

    fn note(&mut self, said: &str, answer: &Answer) -> Value {
        let heard = answer.json();
        let mut shown = heard.clone();
        blot(&mut shown);
        let shown = serde_json::to_string_pretty(&shown).expect("JSON");
        let _infallible = writeln!(self.text, "> {said}\n< {} {shown}\n", answer.status);
        heard
    }

    /// Everything that was said.
    pub(crate) fn text(self) -> String {
        self.text
    }
}

/// Fields whose values are never the same twice.
const VARYING: [&str; 9] = [
    "session", "token", "running", "up", "position", "secret", "rate", "version", "unfolded",
];

/// Fields that only one of several nodes has.
const OF_NODES: [&str; 3] = ["nodes", "node", "epoch"];

/// Puts a blot over what varies.
pub(crate) fn blot(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let of_server = members.contains_key("store");
            if is_on_postgres() && (of_server || members.contains_key("unfolded")) {
                OF_NODES.iter().for_each(|name| drop(members.remove(*name)));
            }
            if is_on_postgres() && of_server {
                members.insert("store".to_owned(), Value::from("memory"));
            }
            for (name, member) in members {
                let scalar = !member.is_object() && !member.is_array();
                // How many run is always the same, for how long is not.
                let count = name == "running" && member.is_u64();
                if name == "trend" {
                    // The hour may turn at any time.
                    *member = Value::from("[trend]");
                } else if scalar && !count && VARYING.contains(&name.as_str()) {
                    *member = Value::from(format!("[{name}]"));
                } else {
                    blot(member);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blot),
        Value::String(text) => *text = blotted_text(text),
        _ => {}
    }
}

/// Times and tokens of runs within a text.
fn blotted_text(text: &str) -> String {
    let is_time = |word: &str| {
        let bytes = word.as_bytes();
        bytes.len() >= 20 && bytes[4] == b'-' && bytes[10] == b'T' && word.contains('Z')
    };
    if is_time(text) {
        return "[time]".to_owned();
    }
    // Sentences tell times and how long something has been going on.
    for mark in ["It is due at ", "it has been running on worker w1 for "] {
        if let Some((before, _)) = text.split_once(mark) {
            return format!("{before}{mark}[time]");
        }
    }
    match serde_json::from_str::<Value>(text) {
        Ok(mut value) if value.is_object() => {
            blot(&mut value);
            value.to_string()
        }
        _ => text.to_owned(),
    }
}
