//! One call: a method, a path, perhaps a query and a body; and an answer, or an error.

use crate::client::Client;
use crate::error::Error;
use bytes::Bytes;
use http::{Method, Request, Response, header};
use http_body_util::{BodyExt, Full, Limited};
use interlock_api::Problem;
use interlock_api::problem::PROBLEM_JSON;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// No answer is larger: a page of a thousand tasks, or a take of the largest payloads.
const ANSWER_BYTES_MAX: usize = 1 << 30;

/// What stays as it is in a segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':');

/// A name or an id as a segment of a path.
pub(crate) fn segment(text: &str) -> String {
    match text {
        // These would be taken for steps.
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        text => utf8_percent_encode(text, SEGMENT).to_string(),
    }
}

/// An answer as it came.
pub(crate) struct Raw {
    status: u16,
    is_problem: bool,
    body: Bytes,
}

impl Client {
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        let raw = self.send(Method::GET, path, Bytes::new()).await?;
        self.read(&raw)
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
        let raw = self.send(Method::POST, path, json(body)).await?;
        self.read(&raw)
    }

    pub(crate) async fn put<B: Serialize, T: DeserializeOwned>(
        &self,
        path: &str,
        body: &B,
    ) -> Result<T, Error> {
        let raw = self.send(Method::PUT, path, json(body)).await?;
        self.read(&raw)
    }

    pub(crate) async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        let raw = self.send(Method::DELETE, path, Bytes::new()).await?;
        self.read(&raw)
    }

    /// The answer to a post whose body is of one type whatever the status.
    pub(crate) async fn post_any<B: Serialize, T: DeserializeOwned>(
        &self,
        path: &str,
        body: &B,
    ) -> Result<T, Error> {
        let raw = self.send(Method::POST, path, json(body)).await?;
        match raw.is_problem {
            true => self.read(&raw),
            false => self.parse(&raw),
        }
    }

    fn read<T: DeserializeOwned>(&self, raw: &Raw) -> Result<T, Error> {
        if (200..300).contains(&raw.status) {
            return self.parse(raw);
        }
        match self.parse::<Problem>(raw) {
            Ok(problem) => Err(Error::Problem(problem)),
            Err(error) => Err(error),
        }
    }

    fn parse<T: DeserializeOwned>(&self, raw: &Raw) -> Result<T, Error> {
        // An answer with nothing in it says what an empty object says.
        let body: &[u8] = if raw.body.is_empty() {
            b"{}"
        } else {
            &raw.body
        };
        serde_json::from_slice(body).map_err(|error| Error::Foreign {
            server: self.base.clone(),
            status: raw.status,
            what: error.to_string(),
        })
    }

    async fn send(&self, method: Method, path: &str, body: Bytes) -> Result<Raw, Error> {
        let request = self.request(method, path, body)?;
        let answer = async {
            let response = self.http.request(request).await.map_err(|error| {
                let (server, connecting) = (self.base.clone(), error.is_connect());
                let source = Box::new(error);
                match connecting {
                    true => Error::Unreachable { server, source },
                    false => Error::Broken { server, source },
                }
            })?;
            self.receive(response).await
        };
        let after = self.answer_within;
        match tokio::time::timeout(after, answer).await {
            Ok(answer) => answer,
            Err(_) => Err(Error::Timeout {
                server: self.base.clone(),
                after,
            }),
        }
    }

    async fn receive<B>(&self, response: Response<B>) -> Result<Raw, Error>
    where
        B: http_body::Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let status = response.status().as_u16();
        let media = response.headers().get(header::CONTENT_TYPE);
        let is_problem = media.is_some_and(|media| media.as_bytes() == PROBLEM_JSON.as_bytes());
        let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX);
        let body = body.collect().await.map_err(|source| Error::Broken {
            server: self.base.clone(),
            source,
        })?;
        Ok(Raw {
            status,
            is_problem,
            body: body.to_bytes(),
        })
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<Request<Full<Bytes>>, Error> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(header::ACCEPT, "application/json");
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        if let Some(namespace) = &self.namespace {
            request = request.header("interlock-namespace", namespace);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        // Only a path too long for any server does not make a request.
        request
            .body(Full::new(body))
            .map_err(|source| Error::Unreachable {
                server: self.base.clone(),
                source: Box::new(source),
            })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_strange_characters_stays_one_segment() {
        assert_eq!(segment("repository:f16"), "repository:f16");
        assert_eq!(segment("a/b?c d"), "a%2Fb%3Fc%20d");
        assert_eq!(segment(".."), "%2E%2E");
    }
}
