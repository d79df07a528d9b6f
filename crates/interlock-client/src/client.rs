//! The client: where the server is, and who is asking.

use crate::{
    Failures, Groups, Kinds, Namespaces, Quotas, Resources, Schedules, Tasks, Tokens, Work, Workers,
};
use bytes::Bytes;
use http::HeaderValue;
use http_body_util::Full;
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::fmt;
use std::time::Duration;

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// How long an answer may take: the server waits up to a minute if it is asked to.
const ANSWER_WITHIN: Duration = Duration::from_secs(90);

/// Speaks to a server. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) http: Hyper<HttpConnector, Full<Bytes>>,
    pub(crate) base: String,
    pub(crate) namespace: Option<HeaderValue>,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) answer_within: Duration,
}

/// A client can't be set up like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    /// The address is not one of a server.
    #[error("{0:?} is not the address of a server: it must look like http://127.0.0.1:7420")]
    Url(String),
    /// This client speaks plain HTTP only.
    #[error("{0:?}: this client has no TLS; use http:// to a proxy on this machine")]
    Tls(String),
    /// A header can't carry the text.
    #[error("the {0} has characters that a header can't carry")]
    Header(&'static str),
}

impl Client {
    /// A client of the server at this address, such as `http://127.0.0.1:7420`.
    pub fn new(base: &str) -> Result<Self, BadSetting> {
        let bad = || BadSetting::Url(base.to_owned());
        let uri: http::Uri = base.parse().map_err(|_| bad())?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => return Err(BadSetting::Tls(base.to_owned())),
            _ => return Err(bad()),
        }
        if uri.host().is_none_or(str::is_empty) || uri.query().is_some() {
            return Err(bad());
        }
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECT_WITHIN));
        connector.set_nodelay(true);
        Ok(Self {
            http: Hyper::builder(TokioExecutor::new()).build(connector),
            base: base.trim_end_matches('/').to_owned(),
            namespace: None,
            authorization: None,
            answer_within: ANSWER_WITHIN,
        })
    }

    /// The same in this namespace; without it, the token's own or `default`.
    pub fn in_namespace(mut self, name: &str) -> Result<Self, BadSetting> {
        let value = HeaderValue::from_bytes(name.as_bytes());
        self.namespace = Some(value.map_err(|_| BadSetting::Header("namespace"))?);
        Ok(self)
    }

    /// The same with this token.
    pub fn with_token(mut self, secret: &str) -> Result<Self, BadSetting> {
        let value = HeaderValue::from_str(&format!("Bearer {secret}"));
        let mut value = value.map_err(|_| BadSetting::Header("token"))?;
        value.set_sensitive(true);
        self.authorization = Some(value);
        Ok(self)
    }

    /// The same, waiting so long for each answer.
    pub fn answer_within(mut self, within: Duration) -> Self {
        self.answer_within = within;
        self
    }

    /// Where the server is.
    pub fn server(&self) -> &str {
        &self.base
    }

    /// Calls about tasks.
    pub fn tasks(&self) -> Tasks<'_> {
        Tasks(self)
    }

    /// Calls about groups.
    pub fn groups(&self) -> Groups<'_> {
        Groups(self)
    }

    /// Calls about resources.
    pub fn resources(&self) -> Resources<'_> {
        Resources(self)
    }

    /// Calls about kinds.
    pub fn kinds(&self) -> Kinds<'_> {
        Kinds(self)
    }

    /// Calls about schedules.
    pub fn schedules(&self) -> Schedules<'_> {
        Schedules(self)
    }

    /// Calls about quotas.
    pub fn quotas(&self) -> Quotas<'_> {
        Quotas(self)
    }

    /// Calls about workers.
    pub fn workers(&self) -> Workers<'_> {
        Workers(self)
    }

    /// Calls about failures.
    pub fn failures(&self) -> Failures<'_> {
        Failures(self)
    }

    /// Calls about namespaces.
    pub fn namespaces(&self) -> Namespaces<'_> {
        Namespaces(self)
    }

    /// Calls about tokens.
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens(self)
    }

    /// Calls of workers.
    pub fn work(&self) -> Work<'_> {
        Work(self)
    }
}

/// Without the token.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.base)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}
