//! Every operation of the document by every kind of token: it is let in exactly if the document says
//! that its scope is enough, and never into another namespace.

use crate::client::{Caller, Running};
use serde_json::Value;

const SCOPES: [&str; 5] = ["submit", "work", "read", "operate", "admin"];

struct Operation {
    method: String,
    path: String,
    /// The scopes, any of which is enough; none if it needs no token.
    scopes: Vec<String>,
    /// Whether it takes the namespace from the header.
    of_namespace: bool,
}

fn operations(document: &Value) -> Vec<Operation> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let demands = operation["security"].as_array().into_iter().flatten();
            let scopes = demands.map(|demand| demand["token"][0].as_str().expect("a scope"));
            let mut parameters = operation["parameters"].as_array().into_iter().flatten();
            all.push(Operation {
                method: method.to_uppercase(),
                path: filled(path),
                scopes: scopes.map(ToOwned::to_owned).collect(),
                of_namespace: parameters.any(|one| one["name"] == "Interlock-Namespace"),
            });
        }
    }
    all
}

/// A path of something that is not there, so that nothing is changed on the way.
fn filled(path: &str) -> String {
    path.replace("{id}", "999999")
        .replace("{name}", "nobody")
        .replace("{resource}", "nothing:0")
        .replace("{code}", "gone")
}

async fn create(admin: &Caller, namespace: Option<&str>, scopes: &[&str]) -> String {
    let mut body = serde_json::json!({"name": scopes.join(" "), "scopes": scopes});
    if let Some(namespace) = namespace {
        body["namespace"] = namespace.into();
    }
    let made = admin
        .call("POST", "/v1/tokens", Some(&body.to_string()))
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.json()["secret"].as_str().expect("a secret").to_owned()
}

/// The status alone; a stream of events is not read to its end.
async fn status(caller: &Caller, operation: &Operation) -> u16 {
    let body = (operation.method != "GET" && operation.method != "DELETE").then_some("[]");
    let answer = caller
        .open(&operation.method, &operation.path, body, &[])
        .await;
    answer.status().as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_lets_in_whom_the_document_says() {
    let running = Running::start().await;
    let caller = &running.caller;
    let made = caller.call("PUT", "/v1/namespaces/other", Some("{}")).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let document = caller.call("GET", "/v1/openapi.json", None).await.json();
    let operations = operations(&document);
    assert!(operations.len() > 60, "only {}", operations.len());
    let all = create(caller, None, &SCOPES).await;
    let admin = caller.with(Some(&all), None);
    for operation in &operations {
        let what = format!("{} {}", operation.method, operation.path);
        let open = operation.scopes.is_empty();
        let wanted = |status: u16, refused: u16, let_in: bool, who: &str| {
            assert_eq!(status != refused, let_in, "{what} by {who}: {status}");
            assert!(status < 500, "{what} by {who}: {status}");
        };
        wanted(status(caller, operation).await, 401, open, "nobody");
        let stranger = caller.with(Some("ilk_guess"), None);
        wanted(status(&stranger, operation).await, 401, open, "a stranger");
        let all = status(&admin, operation).await;
        wanted(all, 403, true, "everybody's friend");
        assert_ne!(all, 401, "{what}");
    }
    for scope in SCOPES {
        let token = create(&admin, None, &[scope]).await;
        let one = caller.with(Some(&token), None);
        let token = create(&admin, Some("other"), &[scope]).await;
        let foreign = caller.with(Some(&token), Some("default"));
        for operation in &operations {
            let what = format!("{} {} with {scope}", operation.method, operation.path);
            let open = operation.scopes.is_empty();
            let enough = open || operation.scopes.iter().any(|wanted| wanted == scope);
            let status_of_one = status(&one, operation).await;
            assert_eq!(status_of_one != 403, enough, "{what}: {status_of_one}");
            let status_of_foreign = status(&foreign, operation).await;
            if !enough || operation.of_namespace {
                assert_eq!(status_of_foreign, 403, "{what}, of another namespace");
            }
        }
    }
    running.stop().await;
}
