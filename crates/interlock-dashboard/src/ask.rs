//! One request of a person: the way to `/v1`, who they are, and what they ask for. Pages and actions
//! are made of it.

use crate::Shared;
use crate::api::Api;
use crate::form::Form;
use crate::layout;
use crate::url;
use crate::viewer::{DEFAULT_NAMESPACE, Notice, Viewer, in_namespace};
use crate::{cookie, sign_in};
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use interlock_api::me::Me;
use interlock_api::{Code, Problem, Time};
use maud::Markup;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Asks for the inner part of a page only.
pub(crate) const INNER: &str = "interlock-inner";

/// One request of a person.
pub(crate) struct Ask {
    /// The way to `/v1`.
    pub(crate) api: Api,
    /// Whoever looks.
    pub(crate) viewer: Arc<Viewer>,
    /// The query string, or nothing.
    pub(crate) query: Form,
    params: Vec<(String, String)>,
}

/// A page, without what all pages have.
pub(crate) struct Page {
    /// What it is about.
    pub(crate) title: String,
    /// What it shows.
    pub(crate) main: Markup,
    /// Which events make it stale: the query of `/v1/events`. None if it does not change.
    pub(crate) live: Option<String>,
}

impl Page {
    /// A page that stays as it is.
    pub(crate) fn still(title: impl Into<String>, main: Markup) -> Self {
        Self {
            title: title.into(),
            main,
            live: None,
        }
    }

    /// A page that every event of the namespace may change.
    pub(crate) fn live(title: impl Into<String>, main: Markup) -> Self {
        Self {
            live: Some(String::new()),
            ..Self::still(title, main)
        }
    }

    /// A page that only events of this task or resource may change: `task=7`, `resource=a%3Ab`.
    pub(crate) fn live_of(title: impl Into<String>, main: Markup, events: String) -> Self {
        Self {
            live: Some(events),
            ..Self::still(title, main)
        }
    }
}

/// What an action did.
pub(crate) struct Acted {
    /// What is said of it.
    pub(crate) text: String,
    /// Where to go; back to where the form was if none.
    pub(crate) to: Option<String>,
}

impl Acted {
    /// It was done; back to the form's page.
    pub(crate) fn done(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            to: None,
        }
    }

    /// It was done; on to this page.
    pub(crate) fn then(text: impl Into<String>, to: String) -> Self {
        Self {
            text: text.into(),
            to: Some(to),
        }
    }
}

impl Ask {
    /// A part of the path.
    pub(crate) fn param(&self, name: &str) -> &str {
        let mut found = self.params.iter().filter(|(found, _)| found == name);
        found.next().map_or("", |(_, value)| value)
    }

    /// The number in the path.
    pub(crate) fn id(&self) -> Result<u64, Problem> {
        let id = self.param("id").parse();
        id.map_err(|_| Problem::new(Code::NotFound, "there is nothing at this path"))
    }
}

/// The route of a page.
pub(crate) fn page<F, Made>(make: F) -> MethodRouter<Shared>
where
    F: Fn(Ask) -> Made + Clone + Send + Sync + 'static,
    Made: Future<Output = Result<Page, Problem>> + Send + 'static,
{
    get(move |ask: Ask| async move {
        let viewer = ask.viewer.clone();
        match make(ask).await {
            Ok(page) => layout::page(&viewer, StatusCode::OK, page),
            Err(problem) => layout::problem(&viewer, &problem),
        }
    })
}

/// The route of an action. It ends with a page in any case: that of the form, or another.
pub(crate) fn action<F, Did>(act: F) -> MethodRouter<Shared>
where
    F: Fn(Ask, Form) -> Did + Clone + Send + Sync + 'static,
    Did: Future<Output = Result<Acted, Problem>> + Send + 'static,
{
    post(move |ask: Ask, form: Form| async move {
        let viewer = ask.viewer.clone();
        let back = url::local(form.get("back")).map(ToOwned::to_owned);
        let back = back.unwrap_or_else(|| viewer.to("/"));
        let (done, text, to) = match act(ask, form).await {
            Ok(acted) => (true, acted.text, acted.to.unwrap_or(back)),
            Err(problem) => (false, layout::capital(&problem.to_string()), back),
        };
        go(&to, Some(&Notice { done, text }))
    })
}

/// The longest notice: a cookie must stay well below what browsers keep.
const NOTICE_BYTES_MAX: usize = 600;

/// Sends them to another page of this server, which says this first.
pub(crate) fn go(to: &str, notice: Option<&Notice>) -> Response {
    let to = url::local(to).unwrap_or("/").to_owned();
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    if let Some(notice) = notice {
        let mut notice = notice.clone();
        notice
            .text
            .truncate(notice.text.floor_char_boundary(NOTICE_BYTES_MAX));
        let text = serde_json::to_string(&notice).expect("a notice is plain data");
        let cookie = cookie::set(cookie::NOTICE, &text, false);
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Whether a stream of events is wanted.
fn is_stream(parts: &Parts) -> bool {
    let accepts = parts.headers.get(header::ACCEPT);
    accepts.is_some_and(|accepts| accepts == "text/event-stream")
}

impl FromRequestParts<Shared> for Ask {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Response> {
        let params = params(parts).await;
        let named = params.iter().find(|(name, _)| name == "namespace");
        let named = named.map(|(_, value)| value.clone());
        let query = parts.uri.query().unwrap_or("").to_owned();
        // The prefix of the namespace is already gone.
        let path = parts.uri.path().to_owned();
        let inner_only = parts.headers.contains_key(INNER);
        let (api, me) = match who(shared, &parts.headers).await {
            Ok(found) => found,
            // A script asks: what would it do with the page where people sign in?
            Err(problem)
                if problem.code == Code::Unauthorized && (inner_only || is_stream(parts)) =>
            {
                return Err(StatusCode::UNAUTHORIZED.into_response());
            }
            Err(problem) if problem.code == Code::Unauthorized => {
                let namespace = named.as_deref().unwrap_or(DEFAULT_NAMESPACE);
                let next = in_namespace(namespace, &path) + &question(&query);
                let next = (parts.method == Method::GET).then_some(next);
                return Err(sign_in::ask_to(next.as_deref()));
            }
            Err(problem) => return Err(layout::trouble(&problem)),
        };
        // Without a prefix it is the default namespace, which not every token may look at.
        if let (None, Some(own)) = (&named, &me.namespace)
            && own != DEFAULT_NAMESPACE
            && parts.method == Method::GET
        {
            return Err(go(&(in_namespace(own, &path) + &question(&query)), None));
        }
        let namespace = named.unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned());
        let viewer = Viewer {
            signed_in: api.token.is_some(),
            path,
            notice: notice(&parts.headers),
            now: now(),
            query: query.clone(),
            namespace: namespace.clone(),
            inner_only,
            me,
        };
        Ok(Self {
            api: Api {
                namespace: Some(namespace),
                ..api
            },
            viewer: Arc::new(viewer),
            query: Form::parse(query.as_bytes()),
            params,
        })
    }
}

/// The parts of the path that have a name.
async fn params(parts: &mut Parts) -> Vec<(String, String)> {
    let params = RawPathParams::from_request_parts(parts, &()).await;
    let params = params.iter().flatten();
    params
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn question(query: &str) -> String {
    match query {
        "" => String::new(),
        query => format!("?{query}"),
    }
}

/// Whoever asks, by their cookie.
pub(crate) async fn who(shared: &Shared, headers: &HeaderMap) -> Result<(Api, Me), Problem> {
    let token = cookie::read(headers, cookie::TOKEN);
    let api = Api {
        router: shared.0.api.clone(),
        token,
        host: headers.get(header::HOST).cloned(),
        namespace: None,
    };
    match api.get("/v1/me").await {
        // The token may be one of another time or server, and this one may need none.
        Err(problem) if problem.code == Code::Unauthorized && api.token.is_some() => {
            let api = Api { token: None, ..api };
            let me = api.get("/v1/me").await?;
            Ok((api, me))
        }
        found => Ok((api, found?)),
    }
}

fn notice(headers: &HeaderMap) -> Option<Notice> {
    serde_json::from_str(&cookie::read(headers, cookie::NOTICE)?).ok()
}

fn now() -> Time {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Time::from_ms(now.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0)))
}
