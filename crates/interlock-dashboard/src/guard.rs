//! What holds for every page: writes come from our own pages only, and a page may load and run
//! nothing but our own files.

use crate::layout;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Refuses what changes something and does not come from a page of this server.
pub(crate) async fn own_origin(request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads || is_own(request.headers()) {
        return next.run(request).await;
    }
    layout::plain(
        StatusCode::FORBIDDEN,
        "Refused",
        "This request does not come from a page of this server, so nothing was changed.",
    )
}

/// Whether the browser says that a page of this server sent it. One that says nothing is not
/// believed: every browser that we know says one of the two.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let (site, origin) = (text("sec-fetch-site"), text("origin"));
    let own_site = site.is_none_or(|site| site == "same-origin");
    let own_origin = origin.is_none_or(|origin| {
        let host = origin.split_once("://").map(|(_, host)| host);
        host.is_some_and(|host| !host.is_empty() && Some(host) == text("host"))
    });
    (site.is_some() || origin.is_some()) && own_site && own_origin
}

/// Says to the browser what a page may do.
pub(crate) async fn headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let all = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // With no referrer at all a form would not say where it comes from either.
        (header::REFERRER_POLICY, "same-origin"),
    ];
    for (name, value) in all {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Pages are for the one who asked; files say for themselves how long they last.
    let cache = headers.entry(header::CACHE_CONTROL);
    cache.or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_of_our_own_pages_may_change_something() {
        let cases: [(&[(&str, &str)], bool); 9] = [
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("origin", "http://a.test:7420")], true),
            (
                &[
                    ("origin", "https://a.test:7420"),
                    ("sec-fetch-site", "same-origin"),
                ],
                true,
            ),
            (&[], false),
            (&[("sec-fetch-site", "same-site")], false),
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "http://a.test:7420"),
                ],
                false,
            ),
            (&[("origin", "http://b.test:7420")], false),
            (&[("origin", "http://a.test:7421")], false),
            (
                &[("origin", "null"), ("sec-fetch-site", "same-origin")],
                false,
            ),
        ];
        for (given, own) in cases {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static("a.test:7420"));
            for (name, value) in given {
                headers.insert(
                    header::HeaderName::from_bytes(name.as_bytes()).expect("a name"),
                    HeaderValue::from_str(value).expect("a value"),
                );
            }
            assert_eq!(is_own(&headers), own, "{given:?}");
        }
    }
}
