//! The last token that can create others is not revoked by mistake.

use crate::client::{Caller, Running};

async fn create(caller: &Caller, body: &str) -> (String, String) {
    let made = caller.call("POST", "/v1/tokens", Some(body)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    (text(&made["token"]["id"]), text(&made["secret"]))
}

const ADMIN: &str = r#"{"name": "a", "scopes": ["admin", "read"]}"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_admin_token_is_revoked_only_by_force() {
    let running = Running::start().await;
    let (first, secret) = create(&running.caller, ADMIN).await;
    let caller = running.caller.with(Some(&secret), None);
    let (second, _) = create(&caller, ADMIN).await;
    let (reader, _) = create(&caller, r#"{"name": "r", "scopes": ["read"]}"#).await;
    let of_one = r#"{"name": "n", "scopes": ["admin"], "namespace": "default"}"#;
    create(&caller, of_one).await;
    let revoke = async |id: &str, query: &str| {
        let path = format!("/v1/tokens/{id}{query}");
        caller.call("DELETE", &path, None).await
    };
    assert_eq!(revoke(&second, "").await.status, 200);
    // Neither one for a single namespace nor one that only reads could create others.
    let refused = revoke(&first, "").await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(refused.json()["code"], "last_admin", "{}", refused.text);
    let still = caller.call("GET", "/v1/tokens", None).await;
    assert_eq!(still.status, 200, "it changed something: {}", still.text);
    assert_eq!(revoke(&first, "?force=perhaps").await.status, 400);
    assert_eq!(revoke(&reader, "").await.status, 200);
    assert_eq!(
        revoke(&second, "").await.status,
        200,
        "it was revoked before"
    );
    assert_eq!(revoke(&first, "?force=true").await.status, 200);
    let locked_out = caller.call("GET", "/v1/tokens", None).await;
    assert_eq!(locked_out.status, 401, "{}", locked_out.text);
    running.stop().await;
}

/// On a loopback address nobody needs a token when there are none: nobody is locked out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_only_token_of_all_can_be_revoked_where_none_is_needed_then() {
    let running = Running::start().await;
    let (only, secret) = create(&running.caller, ADMIN).await;
    let caller = running.caller.with(Some(&secret), None);
    let path = format!("/v1/tokens/{only}");
    let revoked = caller.call("DELETE", &path, None).await;
    assert_eq!(revoked.status, 200, "{}", revoked.text);
    let listed = running.caller.call("GET", "/v1/tokens", None).await;
    assert_eq!(listed.status, 200, "{}", listed.text);
    running.stop().await;
}
