//! People who look, for tests of views.

use super::{DEFAULT_NAMESPACE, Viewer};
use interlock_api::Time;
use interlock_api::me::Me;
use interlock_api::token::Scope;

/// Somebody who may do everything, on 2026-11-16 at 10:00 UTC.
pub(crate) fn viewer() -> Viewer {
    let all = [
        Scope::Submit,
        Scope::Work,
        Scope::Read,
        Scope::Operate,
        Scope::Admin,
    ];
    with(&all)
}

/// Somebody who may only look.
pub(crate) fn reader() -> Viewer {
    with(&[Scope::Read])
}

/// Somebody who may do just this.
pub(crate) fn with(scopes: &[Scope]) -> Viewer {
    Viewer {
        me: Me {
            name: None,
            namespace: None,
            scopes: scopes.to_vec(),
            namespaces: vec![DEFAULT_NAMESPACE.to_owned()],
            version: "0.1.0".to_owned(),
        },
        signed_in: false,
        namespace: DEFAULT_NAMESPACE.to_owned(),
        path: "/".to_owned(),
        query: String::new(),
        now: Time::from_ms(1_794_823_200_000),
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
