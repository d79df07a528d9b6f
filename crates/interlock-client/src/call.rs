//! One call: a method, a path, perhaps a query and a body; and an answer, or an error.

use crate::client::Client;
use crate::error::Error;
use crate::retry::{self, Backoff, Retry};
use bytes::Bytes;
use http::{Method, Request, Response, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use interlock_api::Problem;
use interlock_api::problem::PROBLEM_JSON;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::{Duration, Instant};

/// How often a server that has not answered yet is asked for a sign of life, if there are others.
const PULSE: Duration = Duration::from_secs(3);
/// The same for calls that may well take long.
const PULSE_LONG_CALLS: Duration = Duration::from_secs(10);
/// How soon it must give one.
const PULSE_WITHIN: Duration = Duration::from_secs(2);

/// No answer is larger: a page of a thousand tasks, or a take of the largest payloads.
const ANSWER_BYTES_MAX: usize = 1 << 30;

/// An answer as it came, and from where.
pub(crate) struct Raw {
    server: String,
    status: u16,
    is_problem: bool,
    body: Bytes,
}

/// One call, as it can be sent more than once.
pub(crate) struct Call {
    method: Method,
    path: String,
    body: Bytes,
    /// Doing it twice is the same as doing it once.
    repeatable: bool,
    within: Option<Duration>,
    /// Try again at all.
    patient: bool,
}

impl Call {
    fn new(method: Method, path: &str, body: Bytes) -> Self {
        Self {
            repeatable: matches!(method, Method::GET | Method::PUT),
            method,
            path: path.to_owned(),
            body,
            within: None,
            patient: true,
        }
    }

    /// A post.
    pub(crate) fn post<B: Serialize>(path: &str, body: &B) -> Self {
        Self::new(Method::POST, path, json(body))
    }

    /// The same, which may be repeated if it is not known whether it was carried out.
    pub(crate) fn repeatable(mut self, repeatable: bool) -> Self {
        self.repeatable = repeatable;
        self
    }

    /// The same, once, with an answer within this time.
    pub(crate) fn once_within(mut self, within: Duration) -> Self {
        (self.within, self.patient) = (Some(within), false);
        self
    }
}

impl Client {
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.ask(&Call::new(Method::GET, path, Bytes::new())).await
    }

    pub(crate) async fn get_by<Q: Serialize, T: DeserializeOwned>(
        &self,
        path: &str,
        query: &Q,
    ) -> Result<T, Error> {
        self.get(&with_query(path, query)).await
    }

    pub(crate) async fn post<B: Serialize, T: DeserializeOwned>(
        &self,
        path: &str,
        body: &B,
    ) -> Result<T, Error> {
        self.ask(&Call::post(path, body)).await
    }

    pub(crate) async fn put<B: Serialize, T: DeserializeOwned>(
        &self,
        path: &str,
        body: &B,
    ) -> Result<T, Error> {
        self.ask(&Call::new(Method::PUT, path, json(body))).await
    }

    pub(crate) async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.ask(&Call::new(Method::DELETE, path, Bytes::new()))
            .await
    }

    /// The answer to a post whose body is of one type whatever the status.
    pub(crate) async fn post_any<B: Serialize, T: DeserializeOwned>(
        &self,
        path: &str,
        body: &B,
    ) -> Result<T, Error> {
        let read = |raw: &Raw| match raw.is_problem {
            true => read(raw),
            false => parse(raw),
        };
        self.ask_for(&Call::post(path, body), read).await
    }

    /// Asks until there is an answer, or an error that is not worth asking again.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, call: &Call) -> Result<T, Error> {
        self.ask_for(call, read).await
    }

    async fn ask_for<T>(
        &self,
        call: &Call,
        read: impl Fn(&Raw) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let retry = if call.patient {
            self.retry
        } else {
            Retry::NONE
        };
        let mut backoff = Backoff::new(retry.first, retry.most);
        let (mut tried, mut asked) = (0, 0);
        loop {
            let at = self.servers.at();
            let answer = self.send(self.servers.name(at), call).await;
            let error = match answer.and_then(|raw| read(&raw)) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if is_away(&error) {
                self.servers.turn_from(at);
            }
            asked += 1;
            // The next one of the list may well be there.
            let others = asked % self.servers.count() != 0;
            if others && call.patient && matches!(error, Error::Unreachable { .. }) {
                continue;
            }
            tried += 1;
            match retry::wait(&error, call.repeatable, tried, (&retry, &mut backoff)) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(error),
            }
        }
    }

    async fn send(&self, server: &str, call: &Call) -> Result<Raw, Error> {
        let request = self.request(server, call)?;
        let answer = async {
            self.receive(server, self.open(server, request).await?)
                .await
        };
        let after = call.within.unwrap_or(self.answer_within);
        let begun = Instant::now();
        let late = |after| Error::Timeout {
            server: server.to_owned(),
            after,
        };
        tokio::select! {
            answer = tokio::time::timeout(after, answer) => answer.unwrap_or_else(|_| Err(late(after))),
            () = self.stands_still(server, call) => Err(late(begun.elapsed())),
        }
    }

    /// Returns if a server gives no sign of life any more: one that was stopped or cut off keeps its
    /// connections. Only if there are others to turn to.
    async fn stands_still(&self, server: &str, call: &Call) {
        let every = match call.within {
            Some(within) if within > PULSE_LONG_CALLS => PULSE_LONG_CALLS,
            _ => PULSE,
        };
        let alive = Call::new(Method::GET, "/healthz", Bytes::new());
        loop {
            tokio::time::sleep(every).await;
            if self.servers.count() < 2 {
                continue;
            }
            let Ok(request) = self.request(server, &alive) else {
                continue;
            };
            let pulse = self.http.request(request);
            match tokio::time::timeout(PULSE_WITHIN, pulse).await {
                Ok(Ok(_)) => {}
                _ => return,
            }
        }
    }

    /// Sends a request; the body of the answer is yet to come.
    pub(crate) async fn open(
        &self,
        server: &str,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, Error> {
        self.http.request(request).await.map_err(|error| {
            let (server, connecting) = (server.to_owned(), error.is_connect());
            let source = Box::new(error);
            match connecting {
                true => Error::Unreachable { server, source },
                false => Error::Broken { server, source },
            }
        })
    }

    /// Reads an answer to its end.
    pub(crate) async fn receive(
        &self,
        server: &str,
        response: Response<Incoming>,
    ) -> Result<Raw, Error> {
        let status = response.status().as_u16();
        let media = response.headers().get(header::CONTENT_TYPE);
        let is_problem = media.is_some_and(|media| media.as_bytes() == PROBLEM_JSON.as_bytes());
        let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX);
        let body = body.collect().await.map_err(|source| Error::Broken {
            server: server.to_owned(),
            source,
        })?;
        Ok(Raw {
            server: server.to_owned(),
            status,
            is_problem,
            body: body.to_bytes(),
        })
    }

    fn request(&self, server: &str, call: &Call) -> Result<Request<Full<Bytes>>, Error> {
        let mut request = self.request_to(call.method.clone(), &format!("{server}{}", call.path));
        request = request.header(header::ACCEPT, "application/json");
        if !call.body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        built(server, request, call.body.clone())
    }

    /// A request that says who asks.
    pub(crate) fn request_to(&self, method: Method, uri: &str) -> http::request::Builder {
        let mut request = Request::builder().method(method).uri(uri);
        let named = [
            ("interlock-namespace", &self.namespace),
            ("authorization", &self.authorization),
            ("traceparent", &self.trace),
        ];
        for (name, value) in named {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        request
    }
}

/// A request with its body. Only a path too long for any server does not make one.
pub(crate) fn built(
    server: &str,
    request: http::request::Builder,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, Error> {
    request
        .body(Full::new(body))
        .map_err(|source| Error::Unreachable {
            server: server.to_owned(),
            source: Box::new(source),
        })
}

/// Another server of the list may be better off.
pub(crate) fn is_away(error: &Error) -> bool {
    match error {
        Error::Problem(problem) => problem.status() == 503,
        error => error.is_retryable(),
    }
}

pub(crate) fn read<T: DeserializeOwned>(raw: &Raw) -> Result<T, Error> {
    if (200..300).contains(&raw.status) {
        return parse(raw);
    }
    match parse::<Problem>(raw) {
        Ok(problem) => Err(Error::Problem(problem)),
        Err(error) => Err(error),
    }
}

fn parse<T: DeserializeOwned>(raw: &Raw) -> Result<T, Error> {
    // An answer with nothing in it says what an empty object says.
    let body: &[u8] = if raw.body.is_empty() {
        b"{}"
    } else {
        &raw.body
    };
    serde_json::from_slice(body).map_err(|error| Error::Foreign {
        server: raw.server.clone(),
        status: raw.status,
        what: error.to_string(),
    })
}

fn json(body: &impl Serialize) -> Bytes {
    serde_json::to_vec(body)
        .expect("wire types are plain data")
        .into()
}

pub(crate) fn with_query(path: &str, query: &impl Serialize) -> String {
    let query = serde_urlencoded::to_string(query).expect("queries are flat and plain");
    match query.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{query}"),
    }
}
