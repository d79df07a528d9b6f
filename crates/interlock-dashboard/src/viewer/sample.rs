//! Somebody who looks, for tests of what they see.

use super::Viewer;
use interlock_api::Time;
use interlock_api::me::Me;
use interlock_api::token::Scope;

/// Somebody who may do this, at a fixed time: 2026-11-16T10:00:00Z.
pub(crate) fn viewer(scopes: &[Scope]) -> Viewer {
    Viewer {
        me: Me {
            name: None,
            namespace: None,
            scopes: scopes.to_vec(),
            namespaces: vec!["default".to_owned()],
            version: "0.0.0".to_owned(),
        },
        signed_in: false,
        namespace: "default".to_owned(),
        path: "/".to_owned(),
        query: String::new(),
        now: "2026-11-16T10:00:00Z".parse::<Time>().expect("a time"),
        inner_only: false,
        notice: None,
    }
}

/// Breaks out of text, attributes and addresses, if anything lets it.
pub(crate) const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x>&";

/// Markup with a line for each element, so that a difference can be read.
pub(crate) fn lines(markup: &maud::Markup) -> String {
    markup.0.replace("><", ">\n<")
}
