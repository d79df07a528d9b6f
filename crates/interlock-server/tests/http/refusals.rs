//! What can't be read gets a precise problem.

use crate::client::Running;

/// Method, path and body; then status, code and the field at fault.
type Row<'a> = (&'a str, &'a str, Option<&'a str>, u16, &'a str, &'a str);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_can_not_be_read_is_refused_precisely() {
    let running = Running::start().await;
    let caller = &running.caller;
    caller.call("PUT", "/v1/kinds/sync", Some("{}")).await;
    let long = "n".repeat(201);
    let long_name = format!("/v1/kinds/{long}");
    let long_kind = format!(r#"{{"kind": "{long}"}}"#);
    let table: &[Row<'_>] = &[
        (
            "POST",
            "/v1/tasks",
            Some(r#"{"kind": "sync", "colour": 1}"#),
            400,
            "unknown_field",
            "colour",
        ),
        (
            "POST",
            "/v1/tasks",
            Some(r#"{"kind": "snyc"}"#),
            404,
            "unknown_kind",
            "kind",
        ),
        (
            "POST",
            "/v1/tasks",
            Some(&long_kind),
            422,
            "bad_name",
            "kind",
        ),
        (
            "POST",
            "/v1/tasks",
            Some(r#"{"kind": "sync", "due": "soon"}"#),
            400,
            "bad_request",
            "due",
        ),
        (
            "POST",
            "/v1/tasks",
            Some(r#"{"kind": "sync", "due": "2026-13-01T00:00:00Z"}"#),
            400,
            "bad_request",
            "due",
        ),
        (
            "POST",
            "/v1/tasks",
            Some(r#"{"kind": "#),
            400,
            "bad_json",
            "",
        ),
        ("POST", "/v1/tasks", Some("[]"), 400, "bad_request", ""),
        (
            "POST",
            "/v1/tasks/1/hold",
            Some(r#"{"x": 1}"#),
            400,
            "unknown_field",
            "x",
        ),
        (
            "POST",
            "/v1/groups",
            Some(r#"{"things": []}"#),
            400,
            "unknown_field",
            "things",
        ),
        (
            "GET",
            "/v1/tasks?state=done",
            None,
            400,
            "bad_request",
            "state",
        ),
        (
            "GET",
            "/v1/tasks?colour=red",
            None,
            400,
            "unknown_field",
            "colour",
        ),
        (
            "GET",
            "/v1/tasks?since=yesterday",
            None,
            400,
            "bad_request",
            "since",
        ),
        (
            "GET",
            "/v1/tasks?limit=0",
            None,
            400,
            "bad_request",
            "limit",
        ),
        ("GET", "/v1/tasks/one", None, 422, "bad_value", "id"),
        ("GET", "/v1/tasks/1?wait=1h", None, 422, "bad_value", "wait"),
        (
            "GET",
            "/v1/resources?state=lazy",
            None,
            400,
            "bad_request",
            "state",
        ),
        (
            "GET",
            "/v1/resources?cursor=n-a",
            None,
            400,
            "bad_request",
            "cursor",
        ),
        (
            "GET",
            "/v1/resources/shop",
            None,
            422,
            "bad_name",
            "resource",
        ),
        (
            "GET",
            "/v1/kinds?cursor=i-1",
            None,
            400,
            "bad_request",
            "cursor",
        ),
        ("PUT", &long_name, Some("{}"), 422, "bad_name", "name"),
        (
            "PUT",
            "/v1/kinds/sync",
            Some(r#"{"lease": "fast"}"#),
            400,
            "bad_request",
            "lease",
        ),
        (
            "PUT",
            "/v1/quotas/q",
            Some(r#"{"limits": ["ten"]}"#),
            400,
            "bad_request",
            "limits[0]",
        ),
        (
            "PUT",
            "/v1/schedules/s",
            Some(r#"{"submission": {"kind": "sync"}}"#),
            422,
            "bad_value",
            "cron",
        ),
        (
            "PUT",
            "/v1/namespaces/n",
            Some(r#"{"step": "8w"}"#),
            422,
            "bad_value",
            "step",
        ),
        (
            "POST",
            "/v1/tokens",
            Some(r#"{"name": "t", "scopes": ["all"]}"#),
            400,
            "bad_request",
            "scopes[0]",
        ),
        (
            "POST",
            "/v1/work/take",
            Some(r#"{"session": 1, "number": 1, "max": 0}"#),
            422,
            "bad_value",
            "max",
        ),
        (
            "POST",
            "/v1/work/take",
            Some(r#"{"session": 1, "number": 1}"#),
            409,
            "stale_session",
            "",
        ),
        (
            "POST",
            "/v1/work/register",
            Some(r#"{"name": "w", "kinds": ["none"]}"#),
            404,
            "unknown_kind",
            "",
        ),
        (
            "GET",
            "/v1/events?from=first",
            None,
            400,
            "bad_request",
            "from",
        ),
        (
            "GET",
            "/v1/events?resource=shop",
            None,
            422,
            "bad_name",
            "resource",
        ),
        ("GET", "/v1/nothing", None, 404, "not_found", ""),
        ("PATCH", "/v1/tasks", None, 405, "method_not_allowed", ""),
    ];
    for (method, path, body, status, code, field) in table {
        let answer = caller.call(method, path, *body).await;
        let what = format!("{method} {path} {}: {}", body.unwrap_or(""), answer.text);
        assert_eq!(answer.media, "application/problem+json", "{what}");
        let problem = answer.json();
        assert_eq!(answer.status, *status, "{what}");
        assert_eq!(problem["code"], *code, "{what}");
        assert_eq!(problem["field"].as_str().unwrap_or(""), *field, "{what}");
    }
    running.stop().await;
}
