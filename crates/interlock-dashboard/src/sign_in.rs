//! Coming in with a token, and leaving. The token is kept in a cookie that no script sees.

use crate::Shared;
use crate::api::Api;
use crate::ask::{go, who};
use crate::form::Form;
use crate::{cookie, layout, url};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::{get, post};
use interlock_api::Problem;
use interlock_api::me::Me;
use maud::{Markup, html};

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/sign-in", get(show).post(sign_in))
        .route("/sign-out", post(sign_out))
}

/// Sends somebody without a token to the page where they give one.
pub(crate) fn ask_to(next: Option<&str>) -> Response {
    let next = next.filter(|next| *next != "/").unwrap_or("");
    go(&format!("/sign-in{}", url::query([("next", next)])), None)
}

async fn show(State(shared): State<Shared>, uri: Uri, headers: HeaderMap) -> Response {
    let query = Form::parse(uri.query().unwrap_or("").as_bytes());
    // Whoever is in already, or needs no token, has nothing to do here.
    if query.get("again").is_empty() && who(&shared, &headers).await.is_ok() {
        return go(url::local(query.get("next")).unwrap_or("/"), None);
    }
    page(StatusCode::OK, query.get("next"), None)
}

async fn sign_in(State(shared): State<Shared>, headers: HeaderMap, form: Form) -> Response {
    let next = url::local(form.get("next")).unwrap_or("/").to_owned();
    let token = form.get("token").to_owned();
    if token.is_empty() {
        return page(StatusCode::BAD_REQUEST, &next, Some("Enter a token."));
    }
    let api = Api {
        router: shared.0.api.clone(),
        token: Some(token.clone()),
        host: None,
        namespace: None,
    };
    let found: Result<Me, Problem> = api.get("/v1/me").await;
    if let Err(problem) = found {
        let status = StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::FORBIDDEN);
        let text = layout::capital(&problem.to_string());
        return page(status, &next, Some(&text));
    }
    let mut response = go(&next, None);
    let cookie = cookie::set(cookie::TOKEN, &token, is_secure(&shared, &headers));
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}

/// Whether the browser came over TLS: to this door, or to a proxy before it.
fn is_secure(shared: &Shared, headers: &HeaderMap) -> bool {
    let origin = headers.get(header::ORIGIN);
    let origin = origin.and_then(|value| value.to_str().ok());
    shared.0.tls || origin.is_some_and(|origin| origin.starts_with("https://"))
}

async fn sign_out() -> Response {
    let mut response = go("/sign-in", None);
    let forget = cookie::forget(cookie::TOKEN);
    response.headers_mut().append(header::SET_COOKIE, forget);
    response
}

fn page(status: StatusCode, next: &str, fault: Option<&str>) -> Response {
    layout::bare(status, "Sign in", &draw(next, fault))
}

fn draw(next: &str, fault: Option<&str>) -> Markup {
    html! {
        h1 { "Sign in" }
        p.muted { "This server needs a token. It is kept in a cookie of this browser until you sign out or close it." }
        @if let Some(fault) = fault { p.notice.bad role="alert" { (fault) } }
        form.stack method="post" action="/sign-in" {
            input type="hidden" name="next" value=(next);
            label for="token" { "Token" }
            input #token type="password" name="token" autocomplete="current-password" required autofocus spellcheck="false";
            button.primary type="submit" { "Sign in" }
        }
        details {
            summary { "Where do I get a token?" }
            p { "Somebody whose token may administer creates one. To look and to steer:" }
            pre.command tabindex="0" aria-label="Command to type" { code { "interlock tokens create my-browser --scope read,operate,submit" } }
        }
    }
}
