//! Requests that a browser makes for a page of somebody else's. Where no token is asked for, reaching
//! the server is all that it takes: any page could steer it through the browser of whoever looks at
//! that page. A token in a header is never sent by a browser of its own accord.

use super::{App, Failed};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use interlock_api::{Code, Problem};
use std::net::{IpAddr, Ipv6Addr};

/// Refuses a request without a token that changes something for a page of another site, or that was
/// led here by a name which is not this machine's.
pub(super) fn check(app: &App, parts: &Parts) -> Result<(), Failed> {
    let headers = &parts.headers;
    if headers.contains_key(header::AUTHORIZATION) {
        return Ok(());
    }
    if app.is_private && !host(headers).is_none_or(is_own_name) {
        return Err(forbidden(
            "without a token this server is called by the machine's own name or address, such as \
             localhost; start it with --no-tokens if a proxy calls it by another one",
        ));
    }
    let reads = matches!(parts.method, Method::GET | Method::HEAD);
    match reads || is_own_site(headers) {
        true => Ok(()),
        false => Err(forbidden(
            "a page of another site sent this, so nothing was changed; use a token",
        )),
    }
}

fn forbidden(detail: &str) -> Failed {
    Failed(Problem::new(Code::Forbidden, detail))
}

/// Whether no browser says that a page of another site sent it. Other clients say nothing.
fn is_own_site(headers: &HeaderMap) -> bool {
    let site = text(headers, "sec-fetch-site");
    let own_site = site.is_none_or(|site| matches!(site, "same-origin" | "none"));
    let own_origin = text(headers, "origin").is_none_or(|origin| {
        let from = origin.split_once("://").map(|(_, host)| host);
        from.is_some_and(|from| Some(from) == host(headers))
    });
    own_site && own_origin
}

/// Whether a name may be that of this machine: an address, `localhost`, or one without a dot, which
/// nobody from outside can have lead here.
fn is_own_name(host: &str) -> bool {
    if let Some((address, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    let name = host.split(':').next().unwrap_or("");
    !name.contains('.') || name.ends_with(".localhost") || name.parse::<IpAddr>().is_ok()
}

fn host(headers: &HeaderMap) -> Option<&str> {
    text(headers, "host")
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get(name)
        .map(|value| value.to_str().unwrap_or("unreadable."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    #[test]
    fn names_that_only_this_machine_can_have() {
        let own = [
            "localhost",
            "localhost:7420",
            "a.localhost:7420",
            "127.0.0.1:7420",
            "[::1]:7420",
            "build7:7420",
        ];
        let foreign = [
            "evil.example",
            "127.0.0.1.evil.example:7420",
            "[evil]",
            "unreadable.",
        ];
        assert!(own.into_iter().all(is_own_name));
        assert!(!foreign.into_iter().any(is_own_name));
    }

    #[test]
    fn pages_of_other_sites_are_told_apart() {
        let cases: [(&[(&str, &str)], bool); 8] = [
            (&[], true),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("origin", "http://localhost:7420")], true),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("origin", "http://evil.example")], false),
            (&[("origin", "null")], false),
        ];
        for (given, own) in cases {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static("localhost:7420"));
            for (name, value) in given {
                let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
                headers.insert(name, HeaderValue::from_str(value).expect("a value"));
            }
            assert_eq!(is_own_site(&headers), own, "{given:?}");
        }
    }
}
