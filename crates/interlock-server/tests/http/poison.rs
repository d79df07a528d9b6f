//! Poison in every field of every request, by real HTTP: taken from the document, so that no field is
//! forgotten. Each is granted or refused with a precise problem; the server goes on answering, and
//! what it lists afterwards is sound.

use crate::client::{Answer, Caller, Running};
use crate::sample::{Sampler, places, with_poison};
use serde_json::Value;

/// Invisible, and they turn around what stands beside.
const DIRECTION: [char; 12] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];
/// No payload may be larger.
const MEBIBYTE: usize = 1 << 20;

/// JSON texts in the place of a value.
fn poisons() -> Vec<String> {
    let text = |text: &str| serde_json::to_string(text).expect("a text");
    let mut all = vec![
        text(""),
        text("\0"),
        text("a:\0b"),
        text("\u{1b}[2J"),
        text("שלום:עולם"),
        text("مرحبا"),
        text(&"x".repeat(201)),
        text(&"x".repeat(MEBIBYTE + 1)),
        format!("{}{}", "[".repeat(200), "]".repeat(200)),
        format!("{}1{}", "{\"a\":".repeat(20_000), "}".repeat(20_000)),
        "[".repeat(20_000),
        "9".repeat(400),
    ];
    all.extend(DIRECTION.map(|turning| text(&format!("a:{turning}b"))));
    let raw = [
        r#""\ud800""#,
        r#""a:\udfff""#,
        "1e400",
        "-1e400",
        "-1",
        "0.5",
        "18446744073709551616",
        "9007199254740993",
        "null",
        "{}",
        "[]",
        "NaN",
        "\u{0}",
    ];
    all.extend(raw.map(str::to_owned));
    all
}

/// The same for a path or a query string, written for a URL.
fn url_poisons() -> Vec<String> {
    let encoded = |text: &str| -> String {
        let bytes = text.bytes().map(|byte| format!("%{byte:02X}"));
        bytes.collect()
    };
    let mut all: Vec<String> = [
        "a:\0b",
        "\u{1b}[2J",
        "שלום:עולם",
        "../../etc/passwd",
        "-1",
        "1e400",
        "18446744073709551616",
        "[]",
        "?&=#",
    ]
    .map(encoded)
    .into();
    all.extend(DIRECTION.map(|turning| encoded(&format!("a:{turning}b"))));
    // Half a surrogate pair and other bytes that are no text; half an escape.
    all.extend(["%ED%A0%80", "%FF%FE", "%C0%80", "%", "%zz"].map(str::to_owned));
    all.push("x".repeat(8_000));
    all
}

/// What came of everything.
#[derive(Debug, Default)]
struct Tally {
    granted: u32,
    refused: u32,
}

/// Asks, and judges the answer.
async fn ask(caller: &Caller, tally: &mut Tally, method: &str, path: &str, body: Option<&str>) {
    let what = || {
        let body: String = body.unwrap_or("").chars().take(300).collect();
        format!("{method} {path} {body}")
    };
    let response = caller.open(method, path, body, &[]).await;
    let (status, media) = (response.status().as_u16(), media_of(&response));
    if status == 200 && media == "text/event-stream" {
        tally.granted += 1;
        return;
    }
    let answer = Answer::read(response).await;
    assert!(status < 500, "{}: {status} {}", what(), answer.text);
    if status < 300 {
        let known = ["application/json", "text/html; charset=utf-8"];
        assert!(known.contains(&&*media), "{}: {media}", what());
        tally.granted += 1;
        return;
    }
    let problem = answer.json();
    if media == "application/json" {
        // A group that was not admitted: each of its items says why.
        let outcomes = problem["outcomes"].as_array().expect("outcomes");
        let told = |outcome: &Value| {
            outcome["status"].as_u64() < Some(300) || outcome["problem"]["code"].is_string()
        };
        assert!(outcomes.iter().all(told), "{}: {}", what(), answer.text);
    } else {
        assert_eq!(media, "application/problem+json", "{}: {status}", what());
        assert!(problem["code"].is_string(), "{}: {}", what(), answer.text);
        assert_eq!(problem["status"], status, "{}: {}", what(), answer.text);
    }
    let turned = answer.text.contains(DIRECTION);
    assert!(!turned, "{} comes back raw: {}", what(), answer.text);
    tally.refused += 1;
}

fn media_of<T>(response: &axum::http::Response<T>) -> String {
    let media = response.headers().get("content-type");
    media.map_or_else(String::new, |media| {
        media.to_str().expect("text").to_owned()
    })
}

/// A path with something in each of its places: what is there, or what can be removed.
fn filled(method: &str, path: &str) -> String {
    let name = if method == "DELETE" { "nobody" } else { "sync" };
    path.replace("{id}", "3")
        .replace("{name}", name)
        .replace("{resource}", "shop:1")
        .replace("{code}", "gone")
}

async fn furnished() -> (Running, Caller) {
    let running = Running::start().await;
    let all = r#"{"name": "all", "scopes": ["submit", "work", "read", "operate", "admin"]}"#;
    let made = running.caller.call("POST", "/v1/tokens", Some(all)).await;
    let secret = made.json()["secret"].as_str().expect("one").to_owned();
    // From here on tokens are needed, since some of the requests create some.
    let caller = running.caller.with(Some(&secret), None);
    let submission = r#"{"kind": "sync", "resources": ["shop:1"], "payload": [1]}"#;
    for (method, path, body) in [
        ("PUT", "/v1/quotas/sync", r#"{"limits": ["10/1s"]}"#),
        ("PUT", "/v1/kinds/sync", "{}"),
        ("POST", "/v1/tasks", submission),
        (
            "POST",
            "/v1/work/register",
            r#"{"name": "sync", "kinds": ["sync"]}"#,
        ),
    ] {
        let made = caller.call(method, path, Some(body)).await;
        assert!(made.status < 300, "{path}: {}", made.text);
    }
    (running, caller)
}

/// Everything can be listed, and nothing in it turns text around.
async fn sound(caller: &Caller) {
    for noun in [
        "tasks",
        "resources",
        "kinds",
        "schedules",
        "quotas",
        "workers",
        "groups",
        "failures",
        "namespaces",
        "tokens",
    ] {
        let mut path = format!("/v1/{noun}");
        loop {
            let page = caller.call("GET", &path, None).await;
            assert_eq!(page.status, 200, "{path}: {}", page.text);
            let turned = page.text.contains(DIRECTION) || page.text.contains('\0');
            assert!(!turned, "{path}: {}", page.text);
            let page = page.json();
            assert!(page["items"].is_array(), "{path}");
            match page["next"].as_str() {
                Some(next) => path = format!("/v1/{noun}?cursor={next}"),
                None => break,
            }
        }
    }
    let health = caller.call("GET", "/healthz", None).await;
    assert_eq!(health.status, 200);
}

/// The operations of the document: method, path, and what it says of them.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            all.push((method.to_uppercase(), path.clone(), operation.clone()));
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_in_every_field_of_every_body_is_granted_or_refused_precisely() {
    let (running, caller) = furnished().await;
    let document = caller.call("GET", "/v1/openapi.json", None).await.json();
    let sampler = Sampler::new(&document);
    let poisons = poisons();
    let (mut tally, mut fields) = (Tally::default(), 0);
    for (method, path, operation) in operations(&document) {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        if schema.is_null() {
            continue;
        }
        let path = filled(&method, &path);
        let sample = sampler.sample(schema);
        let places = places(&sample);
        fields += places.len();
        ask(
            &caller,
            &mut tally,
            &method,
            &path,
            Some(&sample.to_string()),
        )
        .await;
        for place in &places {
            for poison in &poisons {
                let body = with_poison(&sample, place, poison);
                ask(&caller, &mut tally, &method, &path, Some(&body)).await;
            }
        }
    }
    println!("{fields} fields, {tally:?}");
    assert!(fields > 150 && tally.granted > 300 && tally.refused > 3_000);
    sound(&caller).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_in_every_parameter_is_granted_or_refused_precisely() {
    let (running, caller) = furnished().await;
    let document = caller.call("GET", "/v1/openapi.json", None).await.json();
    let mut tally = Tally::default();
    for (method, path, operation) in operations(&document) {
        let body = (!operation["requestBody"].is_null()).then_some("{}");
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for parameter in parameters {
            let name = parameter["name"].as_str().expect("a name");
            for poison in url_poisons() {
                let path = match parameter["in"].as_str() {
                    Some("path") => path.replace(&format!("{{{name}}}"), &poison),
                    Some("query") => format!("{}?{name}={poison}", filled(&method, &path)),
                    _ => continue,
                };
                // What no client would take for a path at all is not sent.
                if path.parse::<axum::http::Uri>().is_ok() {
                    ask(&caller, &mut tally, &method, &path, body).await;
                }
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.granted > 20 && tally.refused > 1_000);
    sound(&caller).await;
    running.stop().await;
}
