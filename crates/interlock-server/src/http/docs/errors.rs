//! The pages about error codes, compiled in.

use super::{Html, markdown, page};
use crate::http::Answer;
use crate::http::body::Named;
use interlock_api::{Code, Problem};

macro_rules! pages {
    ($($code:literal)+) => {
        /// Each code with its page.
        const PAGES: &[(&str, &str)] = &[
            $(($code, include_str!(concat!("../../../../../docs/errors/", $code, ".md")))),+
        ];
    };
}

pages! {
    "bad_json"
    "bad_name"
    "bad_request"
    "bad_value"
    "conflicts_with_ancestor"
    "cycle"
    "duplicate_resource"
    "ended"
    "forbidden"
    "gone"
    "group_not_admitted"
    "idempotency_full"
    "idempotency_mismatch"
    "internal"
    "kind_full"
    "kind_in_use"
    "last_admin"
    "method_not_allowed"
    "name_in_use"
    "namespace_full"
    "namespace_in_use"
    "never_enough"
    "not_ended"
    "not_found"
    "outcome_unknown"
    "overloaded"
    "payload_too_large"
    "quota_in_use"
    "quota_needs_one_resource"
    "rejected"
    "resource_full"
    "running"
    "session_lost"
    "spent_locally"
    "stale_session"
    "stale_take"
    "stale_token"
    "stands_for_several"
    "storage_full"
    "timeout"
    "too_deep"
    "too_many"
    "unauthorized"
    "unavailable"
    "unknown_field"
    "unknown_group"
    "unknown_kind"
    "unknown_namespace"
    "unknown_node"
    "unknown_quota"
    "unknown_schedule"
    "unknown_task"
    "unknown_token"
    "unknown_worker"
    "unsupported_media_type"
}

/// The list of all of them.
const LIST: &str = include_str!("../../../../../docs/errors/README.md");

/// Lists the error codes, for people. Needs no token.
#[utoipa::path(get, path = "/docs/errors", tag = "server",
    responses((status = 200, description = "A page", body = String, content_type = "text/html")))]
pub(super) async fn list() -> Html {
    Html(page("Error codes", &markdown::html(LIST)))
}

/// Explains an error code, for people. Needs no token.
#[utoipa::path(get, path = "/docs/errors/{code}", tag = "server",
    params(("code" = String, Path, description = "The code", max_length = 64)),
    responses(
        (status = 200, description = "A page", body = String, content_type = "text/html"),
        (status = "4XX", description = "There is no such code", body = Problem,
            content_type = "application/problem+json"),
    ))]
pub(super) async fn show(Named(code): Named) -> Answer<Html> {
    let found = PAGES.iter().find(|(name, _)| *name == code);
    match found {
        Some((name, text)) => Ok(Html(page(name, &markdown::html(text)))),
        None => Err(Problem::new(Code::NotFound, "there is no such error code").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_page() {
        let pages: Vec<&str> = PAGES.iter().map(|(code, _)| *code).collect();
        let mut codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        codes.sort_unstable();
        assert_eq!(pages, codes);
    }
}
