//! Commands to type.

use crate::viewer::{DEFAULT_NAMESPACE, Viewer};
use maud::{Markup, html};

/// Lines to type, for the namespace that is looked at.
pub(crate) fn lines(viewer: &Viewer, commands: &[&str]) -> Markup {
    let namespace = match viewer.namespace.as_str() {
        DEFAULT_NAMESPACE => String::new(),
        other => format!(" --namespace {}", quoted(other)),
    };
    html! {
        pre.command tabindex="0" aria-label="Commands to type" {
            @for command in commands {
                code { (in_namespace(command, &namespace)) } "\n"
            }
        }
    }
}

fn in_namespace(command: &str, namespace: &str) -> String {
    match command.strip_prefix("interlock ") {
        Some(rest) => format!("interlock{namespace} {rest}"),
        None => command.to_owned(),
    }
}

/// A word as a shell reads it.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/@%+,=".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_one_word() {
        assert_eq!(quoted("repository:f16"), "repository:f16");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }
}
