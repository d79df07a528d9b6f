//! The documentation that the binary serves: the OpenAPI document, a page made from it, and a page
//! for each error code. None of it needs a token, a script or the internet.

mod errors;
mod markdown;
mod reference;

use super::App;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, header};
use axum::response::IntoResponse;
use std::sync::LazyLock;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(openapi))
        .routes(routes!(docs))
        .routes(routes!(errors::list))
        .routes(routes!(errors::show))
}

/// The document and the page made from it: the same for every server of this version.
struct Served {
    document: Bytes,
    page: String,
}

static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let document = super::document();
    let document = serde_json::to_value(&document).expect("a document is plain data");
    Served {
        page: page("Interlock", &reference::html(&document)),
        document: serde_json::to_vec(&document)
            .expect("a document is plain data")
            .into(),
    }
});

/// Makes them now, so that nobody waits for it later.
pub(super) fn prepare() {
    LazyLock::force(&SERVED);
}

/// The OpenAPI document of this server. Needs no token.
#[utoipa::path(get, path = "/v1/openapi.json", tag = "server",
    responses((status = 200, description = "The document", body = serde_json::Value)))]
async fn openapi() -> Response<Body> {
    let mut response = Response::new(Body::from(SERVED.document.clone()));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// The reference of all routes, for people. Needs no token.
#[utoipa::path(get, path = "/docs", tag = "server",
    responses((status = 200, description = "A page", body = String, content_type = "text/html")))]
async fn docs() -> Html {
    Html(SERVED.page.clone())
}

/// A page. It may load nothing from anywhere.
struct Html(String);

impl IntoResponse for Html {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.0));
        let headers = response.headers_mut();
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        headers.insert(header::CONTENT_TYPE, html);
        let policy = "default-src 'none'; style-src 'unsafe-inline'";
        let policy = HeaderValue::from_static(policy);
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        response
    }
}

const STYLE: &str = include_str!("docs/style.css");

/// A whole page around what it says.
fn page(title: &str, body: &str) -> String {
    let title = markdown::escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n\
         <nav><a href=\"/docs\">Reference</a> <a href=\"/docs/errors\">Error codes</a> \
         <a href=\"/v1/openapi.json\">OpenAPI</a></nav>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}
