//! Who may come in, and to which namespace. Every route of a namespace takes an [`Access`], whose
//! type says what the caller must be allowed to do; there is no other way to a cell.

use super::answer::Json;
use super::{Answer, App, Failed, check_query, origin};
use crate::cell::CellError;
use crate::cluster::Whereabouts;
use crate::server::{Caller, DEFAULT_NAMESPACE, Hosted, Server, scopes_text};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use interlock_api::task::Done;
use interlock_api::token::Scope;
use interlock_api::{Code, Problem};
use interlock_core::words::Name;
use interlock_core::{Command, Reply};
use interlock_store::NamespaceId;
use std::marker::PhantomData;
use std::sync::Arc;

/// What a route demands.
pub trait Demand: Send + Sync + 'static {
    /// The scopes, any one of which is enough.
    const SCOPES: &'static [Scope];
}

macro_rules! demands {
    ($($(#[$doc:meta])* $name:ident: $($scope:ident)|+),+) => {
        $($(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl Demand for $name {
            const SCOPES: &'static [Scope] = &[$(Scope::$scope),+];
        })+
    };
}

demands!(
    /// To submit tasks.
    Submit: Submit,
    /// To be a worker.
    Work: Work,
    /// To look.
    Read: Read,
    /// To steer.
    Operate: Operate,
    /// To change settings.
    Admin: Admin,
    /// What both a worker and an operator may do.
    OperateOrWork: Operate | Work,
    /// What any token may do.
    Anyone: Submit | Work | Read | Operate | Admin
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
        let caller = let_in(app, parts, D::SCOPES)?;
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
pub(super) struct Whole<D> {
    /// The server.
    pub server: Arc<Server>,
    /// Who is calling.
    pub caller: Arc<Caller>,
    /// Whether a caller needs a token even if there are none.
    pub tokens_needed: bool,
    demand: PhantomData<D>,
}

impl<D> Whole<D> {
    /// The namespaces that the caller may see, by name.
    pub(super) fn namespaces(&self) -> Vec<Arc<Hosted>> {
        let mut all = self.server.namespaces.all();
        all.retain(|hosted| self.may_use(hosted.id));
        all
    }

    /// The namespace of this name.
    pub(super) fn namespace(&self, name: &str) -> Answer<Arc<Hosted>> {
        find_namespace(&self.server, &self.caller, name)
    }

    /// Whether the caller may use this namespace.
    pub(super) fn may_use(&self, namespace: NamespaceId) -> bool {
        self.caller.namespace.is_none_or(|own| own == namespace)
    }

    /// Who is calling, for the record.
    pub(super) fn by(&self) -> Option<Name> {
        Name::new(self.caller.name.as_deref()?).ok()
    }
}

impl<D: Demand> FromRequestParts<App> for Whole<D> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failed> {
        let caller = let_in(app, parts, D::SCOPES)?;
        Ok(Self {
            server: app.server.clone(),
            caller,
            tokens_needed: app.tokens_needed,
            demand: PhantomData,
        })
    }
}

/// A caller who may do what the route demands in a namespace that may be another node's. Of such a
/// one only the history can be read here.
pub(super) struct Anywhere<D> {
    /// The server.
    pub server: Arc<Server>,
    /// The namespace's number.
    pub id: NamespaceId,
    /// The namespace, if it is served here.
    pub here: Option<Arc<Hosted>>,
    demand: PhantomData<D>,
}

impl<D: Demand> FromRequestParts<App> for Anywhere<D> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failed> {
        let caller = let_in(app, parts, D::SCOPES)?;
        let (id, here) = match namespace_of(app, &caller, &parts.headers) {
            Ok(hosted) => (hosted.id, Some(hosted)),
            Err(failed) => {
                let elsewhere = elsewhere(app, &caller, &parts.headers);
                (elsewhere.ok_or(failed)?, None)
            }
        };
        Ok(Self {
            server: app.server.clone(),
            id,
            here,
            demand: PhantomData,
        })
    }
}

/// The number of the namespace that the caller named, if it is another node's and the caller may use
/// it.
fn elsewhere(app: &App, caller: &Caller, headers: &HeaderMap) -> Option<NamespaceId> {
    let directory = app.server.cluster.as_ref()?.directory();
    let named = headers.get("interlock-namespace");
    let id = match (named, caller.namespace) {
        (Some(name), _) => directory.id_of(name.to_str().ok()?)?,
        (None, Some(own)) => directory.claim(own)?.namespace,
        (None, None) => directory.id_of(DEFAULT_NAMESPACE)?,
    };
    caller.namespace.is_none_or(|own| own == id).then_some(id)
}

/// Who is calling, if they may do what the route demands.
fn let_in(app: &App, parts: &Parts, scopes: &'static [Scope]) -> Result<Arc<Caller>, Failed> {
    let caller = authenticate(app, &parts.headers)?;
    origin::check(app, parts)?;
    allow(&caller, scopes)?;
    check_query(parts)?;
    Ok(caller)
}

pub(super) fn authenticate(app: &App, headers: &HeaderMap) -> Result<Arc<Caller>, Failed> {
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

fn allow(caller: &Caller, scopes: &[Scope]) -> Result<(), Failed> {
    if scopes.iter().any(|scope| caller.may(*scope)) {
        return Ok(());
    }
    let words = scopes.iter().map(|scope| scopes_text(&[*scope]));
    let words = words.collect::<Vec<_>>().join(" or ");
    let detail = format!("this needs the scope {words}");
    Err(Problem::new(Code::Forbidden, detail).into())
}

/// The namespace that the caller named, or its own, or the default one.
fn namespace_of(app: &App, caller: &Caller, headers: &HeaderMap) -> Result<Arc<Hosted>, Failed> {
    let wanted = headers
        .get("interlock-namespace")
        .map(|value| value.to_str().unwrap_or(""));
    match (wanted, caller.namespace) {
        (Some(name), _) => find_namespace(&app.server, caller, name),
        (None, Some(own)) => {
            let all = app.server.namespaces.all();
            let found = all.into_iter().find(|hosted| hosted.id == own);
            found.ok_or_else(|| match is_elsewhere_by_id(&app.server, own) {
                true => CellError::Moved.into(),
                false => foreign(),
            })
        }
        (None, None) => find_namespace(&app.server, caller, DEFAULT_NAMESPACE),
    }
}

/// A namespace by name, if the caller may use it.
fn find_namespace(server: &Server, caller: &Caller, name: &str) -> Result<Arc<Hosted>, Failed> {
    let namespaces = &server.namespaces;
    match (namespaces.find(name), caller.namespace) {
        (Some(hosted), Some(own)) if hosted.id != own => Err(foreign()),
        (Some(hosted), _) => Ok(hosted),
        // It was here a moment ago, or will be.
        (None, None) if is_elsewhere(server, name) => Err(CellError::Moved.into()),
        (None, Some(own)) if is_named(server, own, name) => Err(CellError::Moved.into()),
        // Whether a namespace exists is nobody's business who may not use it.
        (None, Some(_)) => Err(foreign()),
        (None, None) => {
            let known = namespaces.all();
            let known = known.iter().map(|hosted| hosted.name.clone());
            let mut shown = name.to_owned();
            shown.truncate(shown.floor_char_boundary(64));
            let detail = format!("there is no namespace {shown:?}");
            let problem = Problem::new(Code::UnknownNamespace, detail);
            Err(problem.knowing(known).into())
        }
    }
}

/// Whether there is such a namespace, with another node or on its way.
fn is_elsewhere(server: &Server, name: &str) -> bool {
    let found = server
        .cluster
        .as_ref()
        .map(|cluster| cluster.directory().find(name));
    found.is_some_and(|found| found != Whereabouts::Unknown)
}

/// Whether the namespace of this number, with another node or on its way, is named so.
fn is_named(server: &Server, id: NamespaceId, name: &str) -> bool {
    let cluster = server.cluster.as_ref();
    cluster.is_some_and(|cluster| cluster.directory().name_of(id) == Some(name))
}

/// The same for the namespace of this number.
fn is_elsewhere_by_id(server: &Server, id: NamespaceId) -> bool {
    let cluster = server.cluster.as_ref();
    cluster.is_some_and(|cluster| cluster.directory().name_of(id).is_some())
}

/// The refusal of a namespace that is not the caller's.
pub(super) fn foreign() -> Failed {
    Failed(Problem::new(
        Code::Forbidden,
        "the token is for another namespace",
    ))
}

fn trace_of(headers: &HeaderMap) -> Option<Box<str>> {
    let value = headers.get("traceparent")?.to_str().ok()?;
    (value.len() <= interlock_core::limits::TRACE_BYTES_MAX).then(|| value.into())
}
