//! Where no token is asked for, a page of another site must not steer the server through the browser
//! of whoever looks at it; and what is not understood in an address is refused.

use crate::client::{Answer, Caller, Running};

async fn ask(caller: &Caller, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    Answer::read(caller.open(method, path, None, headers).await).await
}

const HOLD: &str = "/v1/namespaces/default/hold";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_another_site_changes_nothing() {
    let running = Running::start().await;
    let caller = &running.caller;
    let own = format!("http://{}", caller.address());
    let refused: [&[(&str, &str)]; 4] = [
        &[("origin", "http://evil.example")],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site")],
        &[("origin", &own), ("sec-fetch-site", "same-site")],
    ];
    for headers in refused {
        let answer = ask(caller, "POST", HOLD, headers).await;
        assert_eq!(answer.status, 403, "{headers:?}: {}", answer.text);
        assert_eq!(answer.json()["code"], "forbidden", "{headers:?}");
    }
    let namespace = ask(caller, "GET", "/v1/namespaces/default", &[]).await;
    assert_eq!(namespace.json()["held"], false, "{}", namespace.text);
    let welcome: [&[(&str, &str)]; 3] = [
        &[],
        &[("origin", &own)],
        &[("sec-fetch-site", "same-origin")],
    ];
    for headers in welcome {
        let answer = ask(caller, "POST", HOLD, headers).await;
        assert_eq!(answer.status, 200, "{headers:?}: {}", answer.text);
    }
    let looking = [("sec-fetch-site", "cross-site")];
    assert_eq!(ask(caller, "GET", "/v1/status", &looking).await.status, 200);
    running.stop().await;
}

/// A name of somebody else's may be made to lead here, so that their page counts as one of ours.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_of_another_machine_leads_nowhere_without_a_token() {
    let running = Running::start().await;
    let caller = &running.caller;
    let foreign = [("host", "evil.example:7420")];
    for path in ["/v1/tasks", "/"] {
        let answer = ask(caller, "GET", path, &foreign).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.text);
    }
    let own = [("host", "localhost:7420")];
    assert_eq!(ask(caller, "GET", "/v1/tasks", &own).await.status, 200);
    let token = r#"{"name": "a", "scopes": ["admin", "read"]}"#;
    let made = caller.call("POST", "/v1/tokens", Some(token)).await;
    let secret = made.json()["secret"].as_str().expect("a text").to_owned();
    let known = caller.with(Some(&secret), None);
    assert_eq!(ask(&known, "GET", "/v1/tasks", &foreign).await.status, 200);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_is_refused_where_none_is_taken() {
    let running = Running::start().await;
    let caller = &running.caller;
    let group = r#"{"items": [{"kind": "sync", "resources": ["shop:1"]}]}"#;
    let kind = caller.call("PUT", "/v1/kinds/sync", Some("{}")).await;
    assert_eq!(kind.status, 200, "{}", kind.text);
    let tried = caller
        .call("POST", "/v1/groups?dry_run=true", Some(group))
        .await;
    assert_eq!(tried.status, 400, "{}", tried.text);
    assert_eq!(tried.json()["code"], "unknown_field", "{}", tried.text);
    let tasks = caller.call("GET", "/v1/tasks", None).await;
    assert_eq!(tasks.json()["items"], serde_json::json!([]));
    for (method, path) in [
        ("GET", "/v1/me?bogus=1"),
        ("GET", "/v1/resources/shop:1?bogus=1"),
        ("POST", "/v1/namespaces/default/hold?bogus=1"),
    ] {
        let answer = caller.call(method, path, None).await;
        assert_eq!(answer.status, 400, "{method} {path}: {}", answer.text);
    }
    assert_eq!(caller.call("GET", "/v1/me?", None).await.status, 200);
    running.stop().await;
}
