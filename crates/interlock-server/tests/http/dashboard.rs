//! The dashboard through the real routes: who gets in, what is offered, what is refused, and what
//! strangers' texts can do (nothing).

use crate::client::{Answer, Caller, Running};
use http_body_util::BodyExt;

/// What a browser says of a form of our own.
const OWN: (&str, &str) = ("sec-fetch-site", "same-origin");
const HTML: (&str, &str) = ("accept", "text/html");

/// A page, with what a browser would send along.
async fn page(caller: &Caller, path: &str, cookie: &str) -> Answer {
    let headers = [HTML, ("cookie", cookie)];
    Answer::read(caller.open("GET", path, None, &headers).await).await
}

/// Sends a form, and tells status, place to go to, and cookies.
async fn post(
    caller: &Caller,
    path: &str,
    form: &str,
    headers: &[(&str, &str)],
) -> (u16, String, Vec<String>) {
    let response = caller.open("POST", path, Some(form), headers).await;
    let text = |value: &axum::http::HeaderValue| value.to_str().expect("text").to_owned();
    let to = response.headers().get("location").map(text);
    let cookies = response.headers().get_all("set-cookie").iter().map(text);
    let cookies = cookies.collect();
    (response.status().as_u16(), to.unwrap_or_default(), cookies)
}

async fn api(caller: &Caller, method: &str, path: &str, body: &str) -> serde_json::Value {
    let answer = caller.call(method, path, Some(body)).await;
    assert!(answer.status < 300, "{method} {path}: {}", answer.text);
    answer.json()
}

async fn token(caller: &Caller, name: &str, scopes: &[&str], namespace: Option<&str>) -> String {
    let mut body = serde_json::json!({"name": name, "scopes": scopes});
    if let Some(namespace) = namespace {
        body["namespace"] = namespace.into();
    }
    let made = api(caller, "POST", "/v1/tokens", &body.to_string()).await;
    made["secret"].as_str().expect("a secret").to_owned()
}

fn cookie(secret: &str) -> String {
    format!("interlock_token={secret}")
}

const PAGES: [&str; 12] = [
    "/",
    "/tasks",
    "/resources",
    "/failures",
    "/workers",
    "/kinds",
    "/schedules",
    "/quotas",
    "/groups",
    "/nodes",
    "/submit",
    "/resources/a:b",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_answers_on_an_empty_server_and_may_run_nothing_but_our_own_files() {
    let running = Running::start().await;
    for path in PAGES
        .iter()
        .chain(&["/nowhere", "/tasks/999", "/sign-in?again=1"])
    {
        let response = running.caller.open("GET", path, None, &[HTML]).await;
        let policy = response.headers().get("content-security-policy").cloned();
        let policy = policy.unwrap_or_else(|| panic!("{path} has no policy"));
        let policy = policy.to_str().expect("text");
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        let sniff = response.headers().get("x-content-type-options");
        assert_eq!(sniff.expect("a header"), "nosniff", "{path}");
        assert_eq!(response.headers()["cache-control"], "no-store", "{path}");
        let answer = Answer::read(response).await;
        let wanted = if path.contains("999") || *path == "/nowhere" {
            404
        } else {
            200
        };
        assert_eq!(answer.status, wanted, "{path}: {}", answer.text);
        assert!(answer.media.starts_with("text/html"), "{path}");
        assert!(
            !answer.text.contains(" style="),
            "{path} has a style of its own"
        );
        assert_eq!(answer.text.matches("<script").count(), 1, "{path}");
        assert_eq!(answer.text.matches("<h1").count(), 1, "{path}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_speaks_json_gets_problems_and_not_pages() {
    let running = Running::start().await;
    let lost = running.caller.call("GET", "/nowhere", None).await;
    assert_eq!(
        (lost.status, lost.media.as_str()),
        (404, "application/problem+json")
    );
    let lost = page(&running.caller, "/v1/nowhere", "").await;
    assert_eq!(
        (lost.status, lost.media.as_str()),
        (404, "application/problem+json")
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_token_is_in_a_cookie_that_no_script_and_no_other_site_sees() {
    let running = Running::start().await;
    let caller = &running.caller;
    let secret = token(caller, "all", &["admin", "read"], None).await;
    let response = caller.open("GET", "/tasks?kind=a", None, &[HTML]).await;
    assert_eq!(response.status(), 303);
    assert_eq!(
        response.headers()["location"],
        "/sign-in?next=%2Ftasks%3Fkind%3Da"
    );
    assert_eq!(page(caller, "/sign-in", "").await.status, 200);
    // A script would not know what to do with that page.
    for (path, header) in [
        ("/tasks", ("interlock-inner", "1")),
        ("/live", ("accept", "text/event-stream")),
    ] {
        let response = caller.open("GET", path, None, &[header]).await;
        assert_eq!(response.status(), 401, "{path}");
    }

    let (status, _, cookies) = post(caller, "/sign-in", "token=ilk_guess", &[OWN]).await;
    assert_eq!((status, cookies.len()), (401, 0));

    let form = format!("token={secret}&next=%2Ftasks%3Fkind%3Da");
    let (status, to, cookies) = post(caller, "/sign-in", &form, &[OWN]).await;
    assert_eq!((status, to.as_str()), (303, "/tasks?kind=a"));
    assert!(
        cookies[0].ends_with("; Path=/; HttpOnly; SameSite=Strict"),
        "{cookies:?}"
    );
    let https = [
        OWN,
        ("origin", "https://interlock.test"),
        ("host", "interlock.test"),
    ];
    let (_, _, cookies) = post(caller, "/sign-in", &form, &https).await;
    assert!(cookies[0].ends_with("; Secure"), "{cookies:?}");
    let form = format!("token={secret}&next=%2F%2Felsewhere.test");
    let (_, to, _) = post(caller, "/sign-in", &form, &[OWN]).await;
    assert_eq!(to, "/", "it leads to another server");

    let sent = cookies[0].split(';').next().expect("a pair");
    let seen = page(caller, "/tasks", sent).await;
    assert_eq!(seen.status, 200);
    assert!(!seen.text.contains(&secret), "the token is on the page");
    let (status, to, cookies) = post(caller, "/sign-out", "", &[OWN]).await;
    assert_eq!((status, to.as_str()), (303, "/sign-in"));
    assert!(cookies[0].contains("Max-Age=0"), "{cookies:?}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_from_other_sites_change_nothing() {
    let running = Running::start().await;
    let caller = &running.caller;
    api(caller, "PUT", "/v1/kinds/sync", "{}").await;
    let body = r#"{"kind": "sync", "resources": ["a:b"]}"#;
    let task = api(caller, "POST", "/v1/tasks", body).await["task"].clone();
    let path = format!("/tasks/{task}/cancel");
    let foreign: [&[(&str, &str)]; 4] = [
        &[],
        &[("sec-fetch-site", "cross-site")],
        &[("origin", "https://elsewhere.test")],
        &[("origin", "null"), ("sec-fetch-site", "same-site")],
    ];
    for headers in foreign {
        let (status, _, _) = post(caller, &path, "", headers).await;
        assert_eq!(status, 403, "{headers:?}");
        let (status, _, _) = post(caller, "/sign-out", "", headers).await;
        assert_eq!(status, 403, "{headers:?}");
    }
    // Nothing is changed by looking either.
    let seen = page(caller, &path, "").await;
    assert_eq!(seen.status, 405, "{}", seen.text);
    let shown = caller.call("GET", &format!("/v1/tasks/{task}"), None).await;
    assert_eq!(shown.json()["state"], "waiting");

    let origin = format!("http://{}", caller.address());
    let own = [("origin", origin.as_str())];
    let (status, to, cookies) = post(caller, &path, "back=%2Ftasks%3Fa%3D1", &own).await;
    assert_eq!((status, to.as_str()), (303, "/tasks?a=1"));
    assert!(cookies[0].starts_with("interlock_notice="), "{cookies:?}");
    let notice = cookies[0].split(';').next().expect("a pair");
    let told = page(caller, "/tasks", notice).await;
    assert!(
        told.text.contains(&format!("Task {task} is cancelled.")),
        "{}",
        told.text
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_token_may_not_do_is_not_offered() {
    let running = Running::start().await;
    let all = token(
        &running.caller,
        "all",
        &["admin", "read", "operate", "submit", "work"],
        None,
    )
    .await;
    let admin = running.caller.with(Some(&all), None);
    api(&admin, "PUT", "/v1/kinds/sync", "{}").await;
    let body = r#"{"kind": "sync", "resources": ["a:b"]}"#;
    let task = api(&admin, "POST", "/v1/tasks", body).await["task"].clone();
    let anyone = &running.caller;
    let read = cookie(&token(&admin, "looks", &["read"], None).await);
    let operate = cookie(&token(&admin, "steers", &["read", "operate"], None).await);
    let submit = cookie(&token(&admin, "submits", &["submit"], None).await);
    let work = cookie(&token(&admin, "works", &["work"], None).await);
    for path in [
        format!("/tasks/{task}"),
        "/resources/a:b".to_owned(),
        "/tasks".to_owned(),
    ] {
        let seen = page(anyone, &path, &read).await;
        assert_eq!(seen.status, 200, "{path}");
        // The only form with effect is the one to sign out.
        assert_eq!(
            seen.text.matches(r#"method="post""#).count(),
            1,
            "{path}: {}",
            seen.text
        );
        assert!(!seen.text.contains("/tasks/confirm"), "{path}");
        let seen = page(anyone, &path, &operate).await;
        let offered = seen.text.contains("/cancel\"") || seen.text.contains("/hold\"");
        assert!(
            offered || seen.text.contains("/tasks/confirm"),
            "{path}: {}",
            seen.text
        );
        assert!(!seen.text.contains("Submit a task"), "{path}");
    }
    let (_, to, cookies) = post(
        anyone,
        &format!("/tasks/{task}/cancel"),
        "back=%2Ftasks",
        &[OWN, ("cookie", read.as_str())],
    )
    .await;
    assert_eq!(to, "/tasks");
    assert!(
        cookies[0].contains("scope"),
        "it was not refused: {cookies:?}"
    );

    let refused = page(anyone, "/", &submit).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains("may submit"), "{}", refused.text);
    assert_eq!(page(anyone, "/submit", &submit).await.status, 200);
    assert_eq!(page(anyone, "/submit", &work).await.status, 403);
    let form = "kind=sync&resources=a%3Ac&back=%2Fsubmit";
    let headers = [OWN, ("cookie", submit.as_str())];
    let (status, to, _) = post(anyone, "/submit/now", form, &headers).await;
    assert_eq!((status, to.as_str()), (303, "/submit"));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_names_its_namespace() {
    let running = Running::start().await;
    let caller = &running.caller;
    api(caller, "PUT", "/v1/namespaces/shops", "{}").await;
    let shops = caller.with(None, Some("shops"));
    api(&shops, "PUT", "/v1/kinds/sync", "{}").await;
    let body = r#"{"kind": "sync", "resources": ["shop:42"]}"#;
    let task = api(&shops, "POST", "/v1/tasks", body).await["task"].clone();
    let seen = page(caller, &format!("/in/shops/tasks/{task}"), "").await;
    assert_eq!(seen.status, 200);
    assert!(
        seen.text.contains(r#"href="/in/shops/resources/shop:42""#),
        "{}",
        seen.text
    );
    assert!(
        seen.text
            .contains(&format!(r#"action="/in/shops/tasks/{task}/cancel""#))
    );
    assert_eq!(
        page(caller, &format!("/tasks/{task}"), "").await.status,
        404
    );
    assert_eq!(page(caller, "/in/nothing", "").await.status, 404);

    let all = token(caller, "all", &["admin", "read"], None).await;
    let admin = caller.with(Some(&all), None);
    let bound = cookie(&token(&admin, "shops", &["read"], Some("shops")).await);
    let headers = [HTML, ("cookie", bound.as_str())];
    let sent = caller
        .open("GET", "/tasks?state=waiting", None, &headers)
        .await;
    assert_eq!(sent.headers()["location"], "/in/shops/tasks?state=waiting");
    assert_eq!(page(caller, "/in/default/tasks", &bound).await.status, 403);
    running.stop().await;
}

/// Breaks out of text, attributes and addresses, if anything lets it.
const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&amp;javascript:";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_of_strangers_stay_texts() {
    let running = Running::start().await;
    let caller = &running.caller;
    let quote = |text: &str| serde_json::Value::from(text).to_string();
    let segment = |text: &str| -> String {
        let bytes = text.bytes();
        bytes.map(|byte| format!("%{byte:02X}")).collect()
    };
    let kind = format!("/v1/kinds/{}", segment(HOSTILE));
    api(caller, "PUT", &kind, "{}").await;
    let resource = format!("shop:{HOSTILE}");
    let body = format!(
        r#"{{"kind": {0}, "resources": [{1}], "tags": [{0}], "payload": {{"a": {0}}}}}"#,
        quote(HOSTILE),
        quote(&resource)
    );
    let task = api(caller, "POST", "/v1/tasks", &body).await["task"].clone();
    api(caller, "POST", "/v1/tasks", &body).await;
    let register = format!(r#"{{"name": {0}, "kinds": [{0}]}}"#, quote(HOSTILE));
    let session = api(caller, "POST", "/v1/work/register", &register).await["session"].clone();
    let take = format!(r#"{{"session": {session}, "number": 1}}"#);
    let taken = api(caller, "POST", "/v1/work/take", &take).await;
    let token = &taken["hand_outs"][0]["token"];
    let progress = format!(
        r#"{{"session": {session}, "token": {token}, "progress": {{"done": 1, "unit": {0}, "message": {0}}}}}"#,
        quote(HOSTILE)
    );
    api(caller, "POST", "/v1/work/progress", &progress).await;
    let mut paths: Vec<String> = PAGES.iter().map(|path| (*path).to_owned()).collect();
    paths.push(format!("/tasks/{task}"));
    paths.push(format!("/resources/{}", segment(&resource)));
    paths.push(format!(
        "/tasks?kind={0}&resource={0}&tag={0}&cursor={0}",
        segment(HOSTILE)
    ));
    paths.push(format!("/resources?prefix={}", segment(HOSTILE)));
    paths.push(format!("/tasks/{}", segment(HOSTILE)));
    paths.push(format!("/in/{}/tasks", segment(HOSTILE)));
    paths.push(format!("/sign-in?again=1&next={}", segment(HOSTILE)));
    paths.push(format!("/submit?kind={0}&resource={0}", segment(HOSTILE)));
    paths.push(format!(
        "/tasks/confirm?verb=cancel&which=all&kind={}",
        segment(HOSTILE)
    ));
    paths.push(format!(
        "/resources-confirm?verb=hold&resource={}",
        segment(HOSTILE)
    ));
    for path in paths {
        let seen = page(caller, &path, "").await;
        assert!(seen.status < 500, "{path}: {}", seen.text);
        let text = &seen.text;
        assert!(!text.contains("<script>alert"), "{path}: {text}");
        assert!(!text.contains("<img"), "{path}: {text}");
        assert!(!text.contains(r#"="javascript:"#), "{path}: {text}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_are_cancelled_after_a_page_that_says_how_many() {
    let running = Running::start().await;
    let caller = &running.caller;
    api(caller, "PUT", "/v1/kinds/sync", "{}").await;
    for shop in 0..3 {
        let body = format!(r#"{{"kind": "sync", "resources": ["shop:{shop}"]}}"#);
        api(caller, "POST", "/v1/tasks", &body).await;
    }
    let asked = page(caller, "/tasks/confirm?verb=cancel&which=all&kind=sync", "").await;
    assert_eq!(asked.status, 200);
    assert!(asked.text.contains("Cancel 3 tasks?"), "{}", asked.text);
    let waiting = caller.call("GET", "/v1/tasks?state=waiting", None).await;
    assert_eq!(waiting.json()["items"].as_array().map(Vec::len), Some(3));
    let ids = asked
        .text
        .split(r#"name="tasks" value=""#)
        .nth(1)
        .expect("ids");
    let ids = ids.split('"').next().expect("an end").replace(' ', "+");
    let form = format!("verb=cancel&tasks={ids}&back=%2Ftasks");
    let (status, to, cookies) = post(caller, "/tasks/bulk", &form, &[OWN]).await;
    assert_eq!((status, to.as_str()), (303, "/tasks"));
    assert!(cookies[0].contains("3%20tasks"), "{cookies:?}");
    let waiting = caller.call("GET", "/v1/tasks?state=waiting", None).await;
    assert_eq!(waiting.json()["items"].as_array().map(Vec::len), Some(0));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_told_that_it_is_stale_and_fetches_its_inner_part() {
    let running = Running::start().await;
    let caller = &running.caller;
    api(caller, "PUT", "/v1/kinds/sync", "{}").await;
    let mut told = caller.open("GET", "/live", None, &[]).await;
    assert_eq!(told.status(), 200);
    assert_eq!(told.headers()["content-type"], "text/event-stream");
    let body = r#"{"kind": "sync", "resources": ["a:b"]}"#;
    api(caller, "POST", "/v1/tasks", body).await;
    let within = std::time::Duration::from_secs(20);
    let heard = tokio::time::timeout(within, told.body_mut().frame()).await;
    let heard = heard
        .expect("it says so in time")
        .expect("a frame")
        .expect("a frame");
    let heard = heard.into_data().expect("data");
    assert_eq!(&heard[..], b"data: stale\n\n");
    let inner = caller
        .open("GET", "/tasks", None, &[("interlock-inner", "1")])
        .await;
    let inner = Answer::read(inner).await;
    assert!(
        inner.text.starts_with("<main id=\"main\""),
        "{}",
        inner.text
    );
    drop(told);
    running.stop().await;
}
