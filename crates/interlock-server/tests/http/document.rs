//! The OpenAPI document is kept as a file: whoever changes the interface sees it in the diff.

use crate::client::Running;
use std::path::Path;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_document_is_the_one_that_is_kept() {
    let running = Running::start().await;
    let answer = running.caller.call("GET", "/v1/openapi.json", None).await;
    running.stop().await;
    assert_eq!(answer.status, 200);
    let document = answer.json();
    assert_eq!(document["openapi"], "3.1.0");
    let text = serde_json::to_string_pretty(&document).expect("JSON") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "docs/openapi.json differs from what the server says; run the test with UPDATE=1"
    );
}

#[test]
fn every_operation_has_a_name_of_its_own_and_says_what_it_needs() {
    let document = serde_json::to_value(interlock_server::http::document()).expect("JSON");
    let mut names = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let name = operation["operationId"].as_str().expect("a name");
            assert!(!names.contains(&name), "two operations are {name}");
            names.push(name);
            let open = ["/healthz", "/readyz", "/v1/openapi.json", "/docs"];
            let open = open.contains(&&**path) || path.starts_with("/docs/errors");
            assert_eq!(operation["security"].is_null(), open, "{method} {path}");
            assert!(operation["summary"].is_string(), "{method} {path}");
        }
    }
}

/// Every reference leads somewhere.
#[test]
fn nothing_refers_to_what_is_not_there() {
    let document = serde_json::to_value(interlock_server::http::document()).expect("JSON");
    let text = document.to_string();
    for part in text.split("\"$ref\":\"#").skip(1) {
        let pointer = part.split('"').next().expect("an end");
        assert!(document.pointer(pointer).is_some(), "{pointer} is missing");
    }
}
