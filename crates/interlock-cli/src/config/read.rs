//! Reads a document item by item, so that one mistake hides no other.

use super::tree::{self, Node};
use super::{ClientConfig, Config, Declared, ServerConfig};
use crate::global::DEFAULT_SERVER;
use interlock_api::convert;
use interlock_api::kind::KindPolicy;
use interlock_api::namespace::NamespacePolicy;
use interlock_api::quota::QuotaPolicy;
use interlock_api::schedule::SchedulePolicy;
use interlock_api::{Code, Problem, parse};
use interlock_client::{BadSetting, Client};
use interlock_core::Command;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;
use toml::de::{DeTable, DeValue};

/// Mistakes of one item that are looked for.
const MISTAKES_MAX: usize = 20;

/// What the document may have.
const SECTIONS: [&str; 6] = [
    "server",
    "client",
    "namespaces",
    "quotas",
    "kinds",
    "schedules",
];

pub(super) fn read(text: &str) -> Config {
    let mut reading = Reading {
        text,
        config: Config::default(),
        names: BTreeSet::new(),
        left_out: Vec::new(),
    };
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let start = error.span().map_or(0, |span| span.start);
        reading.mistake(start, format!("it is not TOML: {}", error.message().trim()));
    }
    if reading.config.mistakes.is_empty() {
        reading.document(document.get_ref());
    }
    reading.config
}

struct Reading<'a> {
    text: &'a str,
    config: Config,
    /// What was declared so far.
    names: BTreeSet<(&'static str, String, String)>,
    /// Fields of the last item that were at fault.
    left_out: Vec<String>,
}

impl Reading<'_> {
    fn mistake(&mut self, start: usize, what: impl Into<String>) {
        let note = tree::note(self.text, start, what);
        self.config.mistakes.push(note);
    }

    fn document(&mut self, document: &DeTable<'_>) {
        for (key, _) in document.iter() {
            if !SECTIONS.contains(&key.get_ref().as_ref()) {
                let known = SECTIONS.join(", ");
                let what = format!(
                    "there is no section {:?}; known are: {known}",
                    key.get_ref()
                );
                self.mistake(key.span().start, what);
            }
        }
        if let Some(node) = document.get("server")
            && let Some(server) = self.item::<ServerConfig, _>(node, "server", None, Ok)
        {
            self.config.server = server;
        }
        if let Some(node) = document.get("client")
            && let Some(client) = self.item(node, "client", None, client)
        {
            self.config.client = client;
        }
        self.each(document, "namespaces", Self::namespace);
        // In this order each finds what it names.
        self.each(document, "quotas", Self::quota);
        self.each(document, "kinds", Self::kind);
        self.each(document, "schedules", Self::schedule);
    }

    fn each(&mut self, document: &DeTable<'_>, section: &str, read: fn(&mut Self, &Node<'_>)) {
        let Some(node) = document.get(section) else {
            return;
        };
        let items = node.get_ref().as_array();
        let Some(items) = items.filter(|items| items.iter().all(|item| item.get_ref().is_table()))
        else {
            let what = format!("{section} must be a list of tables: [[{section}]]");
            return self.mistake(node.span().start, what);
        };
        for item in items.iter() {
            read(self, item);
        }
    }

    fn namespace(&mut self, node: &Node<'_>) {
        let read = self.item(node, "namespaces", None, |policy: NamespacePolicy| {
            convert::namespace::namespace(None, &policy)
        });
        if let Some((name, settings)) = read
            && self.is_new("namespace", &name.to_string(), "", node)
        {
            self.config.namespaces.push((name.to_string(), settings));
        }
    }

    fn quota(&mut self, node: &Node<'_>) {
        self.declared(node, "quota", "quotas", |policy: QuotaPolicy| {
            let quota = convert::quota::quota(None, &policy)?;
            Ok((quota.name.to_string(), Command::SetQuota(Box::new(quota))))
        });
    }

    fn kind(&mut self, node: &Node<'_>) {
        self.declared(node, "kind", "kinds", |policy: KindPolicy| {
            let kind = convert::kind::kind(None, policy)?;
            Ok((kind.name.to_string(), Command::SetKind(Box::new(kind))))
        });
    }

    fn schedule(&mut self, node: &Node<'_>) {
        self.declared(node, "schedule", "schedules", |policy: SchedulePolicy| {
            let schedule = convert::schedule::schedule(None, policy)?;
            let name = schedule.name.to_string();
            Ok((name, Command::SetSchedule(Box::new(schedule))))
        });
    }

    fn declared<W: DeserializeOwned>(
        &mut self,
        node: &Node<'_>,
        what: &'static str,
        section: &str,
        convert: impl Fn(W) -> Result<(String, Command), Problem>,
    ) {
        let namespace = match node.get_ref().get("namespace").map(|found| found.get_ref()) {
            Some(DeValue::String(name)) => name.to_string(),
            Some(_) => {
                let start = tree::find(node, "namespace");
                return self.mistake(start, format!("{section}: namespace must be a text"));
            }
            None => interlock_server::server::DEFAULT_NAMESPACE.to_owned(),
        };
        let read = self.item(node, section, Some("namespace"), convert);
        if let Some((name, command)) = read
            && self.is_new(what, &name, &namespace, node)
        {
            self.config.declared.push(Declared {
                what,
                name,
                namespace,
                command,
                start: node.span().start,
                fields: tree::fields(node),
                left_out: std::mem::take(&mut self.left_out),
            });
        }
    }

    fn is_new(&mut self, what: &'static str, name: &str, namespace: &str, node: &Node<'_>) -> bool {
        let key = (what, namespace.to_owned(), name.to_owned());
        let is_new = self.names.insert(key);
        if !is_new {
            let start = tree::find(node, "name");
            self.mistake(start, format!("the {what} {name:?} is declared twice"));
        }
        is_new
    }

    /// One item of a type of the wire. After a mistake the value that is at fault is left out, and
    /// the rest is read all the same, so that every mistake is found. A file with a mistake is not
    /// put into force, so what is left may go on to the next check.
    fn item<W: DeserializeOwned, T>(
        &mut self,
        node: &Node<'_>,
        section: &str,
        ours: Option<&str>,
        convert: impl Fn(W) -> Result<T, Problem>,
    ) -> Option<T> {
        let mut value = match tree::json(node.get_ref()) {
            Ok(value) => value,
            Err(why) => {
                self.mistake(node.span().start, format!("{section}: {why}"));
                return None;
            }
        };
        if let Some(ours) = ours {
            tree::remove(&mut value, ours);
        }
        self.left_out.clear();
        for tried in 0..MISTAKES_MAX {
            let problem = match parsed(&value).and_then(&convert) {
                Ok(item) => return Some(item),
                Err(problem) => problem,
            };
            let field = problem.more.field.clone().unwrap_or_default();
            let is_there = tree::remove(&mut value, &field);
            if tried > 0 && !is_there {
                // It is missed only because it was taken away.
                break;
            }
            let root = field.split(['.', '[']).next().unwrap_or_default();
            self.left_out.push(root.to_owned());
            let mut text = match field.is_empty() {
                true => format!("{section}: {}", problem.detail),
                false => format!("{section}: {field}: {}", problem.detail),
            };
            if !problem.more.known.is_empty() {
                text += &format!("; known are: {}", problem.more.known.join(", "));
            }
            self.mistake(tree::find(node, &field), text);
            if !is_there {
                break;
            }
        }
        None
    }
}

/// Settings that a client can be made of.
fn client(client: ClientConfig) -> Result<ClientConfig, Problem> {
    let bad = |field, error: BadSetting| Problem::new(Code::BadValue, error.to_string()).at(field);
    let server = client.server.as_deref().unwrap_or(DEFAULT_SERVER);
    let made = Client::new(server).map_err(|error| bad("server", error))?;
    if let Some(namespace) = &client.namespace {
        (made.in_namespace(namespace)).map_err(|error| bad("namespace", error))?;
    }
    Ok(client)
}

fn parsed<W: DeserializeOwned>(value: &Value) -> Result<W, Problem> {
    parse::body(value.to_string().as_bytes())
}
