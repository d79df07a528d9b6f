//! Who may come in, and to which namespace. Every route of a namespace takes an [`Access`], whose
//! type says what the caller must be allowed to do; there is no other way to a cell.

use super::answer::Json;
use super::{Answer, App, Failed};
use crate::server::{Caller, DEFAULT_NAMESPACE, Hosted, Server};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use interlock_api::task::Done;
use interlock_api::token::Scope;
use interlock_api::{Code, Problem};
use interlock_core::words::Name;
use interlock_core::{Command, Reply};
use std::marker::PhantomData;
use std::sync::Arc;

/// What a route demands.
pub trait Demand: Send + Sync + 'static {
    /// The scope.
    const SCOPE: Scope;
}

macro_rules! demands {
    ($($(#[$doc:meta])* $name:ident),+) => {
        $($(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl Demand for $name {
            const SCOPE: Scope = Scope::$name;
        })+
    };
}

demands!(
    /// To submit tasks.
    Submit,
    /// To be a worker.
    Work,
    /// To look.
    Read,
    /// To steer.
    Operate,
    /// To change settings.
    Admin
);

/// A caller who may do what the route demands, in the namespace it named.
pub struct Access<D> {
    /// The server.
    pub server: Arc<Server>,
    /// The namespace.
    pub namespace: Arc<Hosted>,
    /// Who is calling.
    pub caller: Arc<Caller>,
    /// The caller's trace context.
    pub trace: Option<Box<str>>,
    demand: PhantomData<D>,
}

impl<D> Access<D> {
    /// Who is calling, for the record.
    pub fn by(&self) -> Option<Name> {
        Name::new(self.caller.name.as_deref()?).ok()
    }

    /// Decides a command that has nothing to say but that it is done.
    pub(super) async fn done(&self, command: Command) -> Answer<Json<Done>> {
        match self.namespace.cell.decide(command).await?.reply {
            Reply::Refused(refusal) => Err(refusal.into()),
            _ => Ok(Json(Done {})),
        }
    }

    /// Whether the caller may do this besides.
    pub fn may(&self, scope: Scope) -> bool {
        self.caller.may(scope)
    }
}

impl<D: Demand> FromRequestParts<App> for Access<D> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failed> {
        let caller = authenticate(app, &parts.headers)?;
        allow(&caller, D::SCOPE)?;
        let namespace = namespace_of(app, &caller, &parts.headers)?;
        Ok(Self {
            server: app.server.clone(),
            namespace,
            caller,
            trace: trace_of(&parts.headers),
            demand: PhantomData,
        })
    }
}

/// A caller of the whole server, whatever the namespace.
pub struct Whole<D> {
    /// The server.
    pub server: Arc<Server>,
    /// Who is calling.
    pub caller: Arc<Caller>,
    demand: PhantomData<D>,
}

impl<D: Demand> FromRequestParts<App> for Whole<D> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failed> {
        let caller = authenticate(app, &parts.headers)?;
        allow(&caller, D::SCOPE)?;
        Ok(Self {
            server: app.server.clone(),
            caller,
            demand: PhantomData,
        })
    }
}

fn authenticate(app: &App, headers: &HeaderMap) -> Result<Arc<Caller>, Failed> {
    let tokens = &app.server.tokens;
    let unauthorized = |detail: &str| Failed(Problem::new(Code::Unauthorized, detail));
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        if app.tokens_needed || tokens.any() {
            return Err(unauthorized("send a token as authorization: Bearer …"));
        }
        return Ok(Arc::new(Caller::anyone()));
    };
    let value = value.to_str().unwrap_or("");
    let secret = value
        .split_once(' ')
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let (_, secret) = secret.ok_or_else(|| unauthorized("the authorization must be Bearer"))?;
    tokens
        .find(secret.trim())
        .ok_or_else(|| unauthorized("there is no such token, or it was revoked"))
}

fn allow(caller: &Caller, scope: Scope) -> Result<(), Failed> {
    if caller.may(scope) {
        return Ok(());
    }
    let scope = serde_json::to_string(&scope).unwrap_or_default();
    let detail = format!("this needs the scope {}", scope.trim_matches('"'));
    Err(Problem::new(Code::Forbidden, detail).into())
}

/// The namespace that the caller named, or its own, or the default one.
fn namespace_of(app: &App, caller: &Caller, headers: &HeaderMap) -> Result<Arc<Hosted>, Failed> {
    let wanted = headers
        .get("interlock-namespace")
        .map(|value| value.to_str().unwrap_or(""));
    let namespaces = &app.server.namespaces;
    let found = match (wanted, caller.namespace) {
        (Some(name), _) => namespaces.find(name),
        (None, Some(own)) => namespaces.all().into_iter().find(|hosted| hosted.id == own),
        (None, None) => namespaces.find(DEFAULT_NAMESPACE),
    };
    let foreign = || Problem::new(Code::Forbidden, "the token is for another namespace");
    match (found, caller.namespace) {
        (Some(hosted), Some(own)) if hosted.id != own => Err(foreign().into()),
        (Some(hosted), _) => Ok(hosted),
        // Whether a namespace exists is nobody's business who may not use it.
        (None, Some(_)) => Err(foreign().into()),
        (None, None) => {
            let wanted = wanted.unwrap_or(DEFAULT_NAMESPACE);
            let known = namespaces
                .all()
                .into_iter()
                .map(|hosted| hosted.name.clone());
            let mut shown = wanted.to_owned();
            shown.truncate(shown.floor_char_boundary(64));
            let detail = format!("there is no namespace {shown:?}");
            Err(Problem::new(Code::UnknownNamespace, detail)
                .knowing(known)
                .into())
        }
    }
}

fn trace_of(headers: &HeaderMap) -> Option<Box<str>> {
    let value = headers.get("traceparent")?.to_str().ok()?;
    (value.len() <= interlock_core::limits::TRACE_BYTES_MAX).then(|| value.into())
}
