//! The client: where the server is, and who is asking.

use crate::retry::Retry;
use crate::servers::Servers;
use crate::tls::{self, Trust};
use crate::{
    Failures, Groups, Kinds, Namespaces, Nodes, Quotas, Resources, Schedules, Tasks, Tokens, Work,
    Workers,
};
use bytes::Bytes;
use http::HeaderValue;
use http_body_util::Full;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long an answer may take: the server waits up to a minute if it is asked to.
const ANSWER_WITHIN: Duration = Duration::from_secs(90);

/// Speaks to a server, or to the first of several that answers. Cheap to clone; clones share their
/// connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) http: Hyper<HttpsConnector<HttpConnector>, Full<Bytes>>,
    pub(crate) servers: Arc<Servers>,
    pub(crate) namespace: Option<HeaderValue>,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) trace: Option<HeaderValue>,
    pub(crate) answer_within: Duration,
    pub(crate) retry: Retry,
}

/// A client can't be set up like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    /// The address is not one of a server.
    #[error("{0:?} is not the address of a server: it must look like http://127.0.0.1:7420")]
    Url(String),
    /// The certificates that shall be trusted are of no use.
    #[error("the certificates to trust can't be used: {0}")]
    Authority(String),
    /// A header can't carry the text.
    #[error("the {0} has characters that a header can't carry")]
    Header(&'static str),
}

impl Client {
    /// A client of the server at this address, such as `http://127.0.0.1:7420` or
    /// `https://interlock.example.org`; or of several, with commas between them, which are tried in
    /// turn.
    pub fn new(addresses: &str) -> Result<Self, BadSetting> {
        let servers = Servers::read(addresses)?;
        let trust = match servers.any_https() {
            true => Trust::Machine,
            false => Trust::Nobody,
        };
        Ok(Self {
            http: Hyper::builder(TokioExecutor::new()).build(tls::connector(trust)?),
            servers: Arc::new(servers),
            namespace: None,
            authorization: None,
            trace: None,
            answer_within: ANSWER_WITHIN,
            retry: Retry::default(),
        })
    }

    /// The same, trusting the servers that these certificates vouch for, as PEM, instead of those
    /// that this machine trusts.
    pub fn trusting(mut self, pem: &[u8]) -> Result<Self, BadSetting> {
        let connector = tls::connector(Trust::These(pem))?;
        self.http = Hyper::builder(TokioExecutor::new()).build(connector);
        Ok(self)
    }

    /// The same, with this patience.
    pub fn retrying(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// The same within this trace, a W3C `traceparent`: what is submitted belongs to it.
    pub fn in_trace(mut self, traceparent: &str) -> Result<Self, BadSetting> {
        let value = HeaderValue::from_str(traceparent);
        self.trace = Some(value.map_err(|_| BadSetting::Header("trace context"))?);
        Ok(self)
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

    /// Where the server is; of several, the one that is spoken to.
    pub fn server(&self) -> &str {
        self.servers.current()
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

    /// Calls about nodes.
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes(self)
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
            .field("server", &self.server())
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}
