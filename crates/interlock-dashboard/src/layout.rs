//! What all pages have around them: head, navigation, notice. And the pages that say that something
//! went wrong.

use crate::ask::{Ask, Page};
use crate::pages::ENTRIES;
use crate::part::icon;
use crate::viewer::{Viewer, in_namespace};
use crate::{assets, cookie};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use interlock_api::token::Scope;
use interlock_api::{Code, Problem};
use maud::{DOCTYPE, Markup, html};

/// A page with all that belongs around it, or only its inner part if that is what was asked for.
pub(crate) fn page(viewer: &Viewer, status: StatusCode, page: Page) -> Response {
    if viewer.inner_only {
        return answer(status, inner(&page, viewer));
    }
    let mut response = answer(status, whole(viewer, &page));
    if viewer.notice.is_some() {
        let said = cookie::forget(cookie::NOTICE);
        response.headers_mut().append(header::SET_COOKIE, said);
    }
    response
}

/// The page that says what went wrong.
pub(crate) fn problem(viewer: &Viewer, problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let title = match problem.code {
        Code::Forbidden => "Not allowed",
        Code::NotFound | Code::UnknownTask => "Not found",
        Code::UnknownNamespace => "No such namespace",
        _ if status.is_server_error() => "It did not work",
        _ => "Not understood",
    };
    let main = html! {
        h1 { (title) }
        p.lead { (capital(&problem.to_string())) "." }
        @if problem.code == Code::Forbidden { (allowed(viewer)) }
        @for known in problem.more.known.iter().take(20) {
            @if problem.code == Code::UnknownNamespace {
                p { a href=(in_namespace(known, "/")) { (known) } }
            } @else {
                p { code { (known) } }
            }
        }
        p { a href={ "/docs/errors/" (problem.code.as_str()) } { "What this means" } }
    };
    page(viewer, status, Page::still(title, main))
}

/// What a token is good for, for somebody who has just found out what it is not good for.
fn allowed(viewer: &Viewer) -> Markup {
    let scopes: Vec<&str> = viewer.me.scopes.iter().map(|scope| word(*scope)).collect();
    html! {
        p {
            @match &viewer.me.name {
                Some(name) => { "The token " strong { (name) } " may " },
                None => { "You may " },
            }
            (scopes.join(", ")) "."
        }
        @if viewer.may(Scope::Submit) {
            p { a.button href=(viewer.to("/submit")) { "Submit a task" } }
        }
    }
}

fn word(scope: Scope) -> &'static str {
    match scope {
        Scope::Submit => "submit",
        Scope::Work => "work",
        Scope::Read => "look (read)",
        Scope::Operate => "operate",
        Scope::Admin => "administer",
    }
}

/// The page for a path that leads nowhere.
pub(crate) async fn nowhere(ask: Ask) -> Response {
    let nothing = Problem::new(Code::NotFound, "there is no such page");
    problem(&ask.viewer, &nothing)
}

/// Says that something went wrong before it was known who asks.
pub(crate) fn trouble(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::BAD_REQUEST);
    plain(status, "It did not work", &capital(&problem.to_string()))
}

/// A page without navigation that says one thing.
pub(crate) fn plain(status: StatusCode, title: &str, text: &str) -> Response {
    let main = html! {
        h1 { (title) }
        p { (text) }
        p { a href="/" { "To the overview" } }
    };
    bare(status, title, &main)
}

/// A page without navigation.
pub(crate) fn bare(status: StatusCode, title: &str, main: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title))
            body.bare {
                main #main {
                    p.brand { (icon::logo()) "Interlock" }
                    (main)
                }
            }
        }
    };
    answer(status, page)
}

fn answer(status: StatusCode, page: Markup) -> Response {
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    (status, [(header::CONTENT_TYPE, html)], page.into_string()).into_response()
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · Interlock" }
            link rel="icon" type="image/svg+xml" href=(assets::at("icon.svg"));
            link rel="stylesheet" href=(assets::at("style.css"));
            script src=(assets::at("live.js")) defer {}
        }
    }
}

fn whole(viewer: &Viewer, page: &Page) -> Markup {
    let live = page.live.as_ref().map(|events| match events.as_str() {
        "" => viewer.to("/live"),
        events => format!("{}?{events}", viewer.to("/live")),
    });
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(&page.title))
            body data-live=[live] {
                a.skip href="#main" { "To the content" }
                (side(viewer))
                div.content {
                    div #notice role="status" aria-live="polite" {
                        @if let Some(notice) = &viewer.notice {
                            p.notice.(if notice.done { "good" } else { "bad" }) {
                                (icon::shape(if notice.done { "good" } else { "bad" }))
                                (notice.text)
                            }
                        }
                    }
                    (inner(page, viewer))
                }
            }
        }
    }
}

/// What is fetched again to keep a page fresh.
fn inner(page: &Page, viewer: &Viewer) -> Markup {
    html! {
        main #main tabindex="-1" data-now=(viewer.now.ms()) data-title={ (page.title) " · Interlock" } {
            (page.main)
        }
    }
}

fn side(viewer: &Viewer) -> Markup {
    html! {
        header.side {
            div.top {
                a.brand href=(viewer.to("/")) { (icon::logo()) "Interlock" }
                @if viewer.me.namespaces.len() > 1 { (namespaces(viewer)) }
                @else { span.namespace title="Namespace" { (viewer.namespace) } }
            }
            @if viewer.may(Scope::Read) {
                form.find role="search" method="get" action=(viewer.to("/find")) {
                    label.hidden for="find" { "Find a task or a resource" }
                    input #find type="search" name="for" placeholder="Task or resource" autocomplete="off" spellcheck="false" required;
                }
            }
            nav aria-label="Pages" {
                ul {
                    @for entry in &ENTRIES {
                        li {
                            a href=(viewer.to(entry.path)) aria-current=[is_here(viewer, entry.path).then_some("page")] {
                                (entry.name)
                            }
                        }
                    }
                }
            }
            div.foot {
                @if viewer.may(Scope::Submit) {
                    a.button.primary href=(viewer.to("/submit")) { "Submit a task" }
                }
                @if viewer.signed_in {
                    form.inline method="post" action="/sign-out" {
                        button.plain type="submit" { "Sign out" }
                    }
                    @if let Some(name) = &viewer.me.name { span.muted.who { (name) } }
                }
                span.muted.version { a href="/docs" { "API" } " · " (viewer.me.version) }
            }
        }
    }
}

/// Whether a page is this one, or one below it.
fn is_here(viewer: &Viewer, path: &str) -> bool {
    let here = viewer.path.as_str();
    match path {
        "/" => here == "/",
        path => here
            .strip_prefix(path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    }
}

/// The namespaces: links, so that each has an address that can be sent to somebody.
fn namespaces(viewer: &Viewer) -> Markup {
    html! {
        details.namespaces {
            summary aria-label={ "Namespace " (viewer.namespace) ", choose another" } { (viewer.namespace) }
            ul {
                @for name in &viewer.me.namespaces {
                    li {
                        a href=(in_namespace(name, "/")) aria-current=[(*name == viewer.namespace).then_some("true")] { (name) }
                    }
                }
            }
        }
    }
}

/// With a capital letter at its beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}
