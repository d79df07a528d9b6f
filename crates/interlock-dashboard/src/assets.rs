//! The files that pages load, compiled in. Their address changes with what is in them, so that a
//! browser may keep them for ever.

use crate::Shared;
use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

const STYLE: &str = concat!(
    include_str!("../assets/base.css"),
    include_str!("../assets/parts.css"),
    include_str!("../assets/pages.css"),
    include_str!("../assets/more.css"),
);
const SCRIPT: &str = include_str!("../assets/live.js");
const ICON: &str = include_str!("../assets/icon.svg");

/// Tells one version of the files from another.
const VERSION: u64 = hash(ICON, hash(SCRIPT, hash(STYLE, 0xcbf2_9ce4_8422_2325)));

/// FNV-1a: it need not be hard to forge, only to change with the text.
const fn hash(text: &str, seed: u64) -> u64 {
    let (bytes, mut hash, mut at) = (text.as_bytes(), seed, 0);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

/// The address of a file.
pub(crate) fn at(name: &str) -> String {
    format!("/assets/{name}?{VERSION:016x}")
}

pub(crate) fn routes() -> Router<Shared> {
    let file = |media: &'static str, text: &'static str| {
        get(move || async move {
            let kept = "public, max-age=31536000, immutable";
            let headers = [(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, kept)];
            (headers, text).into_response()
        })
    };
    Router::new()
        .route("/assets/style.css", file("text/css; charset=utf-8", STYLE))
        .route(
            "/assets/live.js",
            file("text/javascript; charset=utf-8", SCRIPT),
        )
        .route("/assets/icon.svg", file("image/svg+xml", ICON))
}
