//! Events as they happen (SSE), gone on with after every interruption.

mod lines;

use crate::call::{built, is_away, read, with_query};
use crate::client::Client;
use crate::error::Error;
use crate::retry::Backoff;
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http::{Method, header};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use interlock_api::event::{Event, EventQuery};
use lines::Lines;
use std::time::Duration;

/// The server says every 15 seconds that it is still there.
const SILENT_MAX: Duration = Duration::from_secs(45);
/// The longest wait before a connection is made again.
const AGAIN_MOST: Duration = Duration::from_secs(5);

/// What happens in the namespace, to one task or to one resource. An interruption is bridged: it goes
/// on after the last event that was read, and only errors that asking again can't help come out.
#[derive(Debug)]
pub struct Events {
    client: Client,
    query: EventQuery,
    /// The position after which to go on.
    last: Option<u64>,
    open: Option<Open>,
    backoff: Backoff,
}

#[derive(Debug)]
struct Open {
    server: String,
    body: Incoming,
    lines: Lines,
}

impl Client {
    /// Follows events, from `query.from` on, or from now.
    pub fn events(&self, query: EventQuery) -> Events {
        Events {
            client: self.clone(),
            last: query.from,
            query,
            open: None,
            backoff: fresh(),
        }
    }
}

impl Events {
    /// The next event. It may be dropped while it waits without missing anything.
    pub async fn next(&mut self) -> Result<Event, Error> {
        loop {
            match self.read().await {
                Ok(event) => {
                    self.backoff = fresh();
                    return Ok(event);
                }
                Err(error) if error.is_retryable() => {
                    self.open = None;
                    if is_away(&error) {
                        let servers = &self.client.servers;
                        servers.turn_from(servers.at());
                    }
                    tokio::time::sleep(self.backoff.next()).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// By which a later call goes on: the position of the last event, if one was read.
    pub fn position(&self) -> Option<u64> {
        self.last
    }

    /// The same as a stream. It ends after an error.
    pub fn into_stream(self) -> impl Stream<Item = Result<Event, Error>> {
        stream::unfold(Some(self), |events| async {
            let mut events = events?;
            match events.next().await {
                Ok(event) => Some((Ok(event), Some(events))),
                Err(error) => Some((Err(error), None)),
            }
        })
    }

    async fn read(&mut self) -> Result<Event, Error> {
        if self.open.is_none() {
            self.open = Some(self.connect().await?);
        }
        let Some(open) = &mut self.open else {
            unreachable!("it was just opened")
        };
        loop {
            if let Some(message) = open.lines.next() {
                self.last = message.id.or(self.last);
                let event = serde_json::from_str(&message.data);
                return event.map_err(|error| Error::Foreign {
                    server: open.server.clone(),
                    status: 200,
                    what: error.to_string(),
                });
            }
            open.more().await?;
        }
    }

    async fn connect(&self) -> Result<Open, Error> {
        let server = self.client.server().to_owned();
        let query = EventQuery {
            from: None,
            ..self.query.clone()
        };
        let uri = format!("{server}{}", with_query("/v1/events", &query));
        let mut request = self.client.request_to(Method::GET, &uri);
        request = request.header(header::ACCEPT, "text/event-stream");
        if let Some(last) = self.last {
            request = request.header("last-event-id", last);
        }
        let request = built(&server, request, Bytes::new())?;
        let opening = async {
            let response = self.client.open(&server, request).await?;
            if response.status().is_success() {
                return Ok(response.into_body());
            }
            let raw = self.client.receive(&server, response).await?;
            Err(match read::<serde_json::Value>(&raw) {
                Err(error) => error,
                Ok(_) => unreachable!("it is no success"),
            })
        };
        let after = self.client.answer_within;
        let opened = tokio::time::timeout(after, opening).await;
        let body = opened.unwrap_or_else(|_| {
            let server = server.clone();
            Err(Error::Timeout { server, after })
        })?;
        Ok(Open {
            server,
            body,
            lines: Lines::default(),
        })
    }
}

impl Open {
    /// Reads what has come.
    async fn more(&mut self) -> Result<(), Error> {
        let server = || self.server.clone();
        let frame = tokio::time::timeout(SILENT_MAX, self.body.frame()).await;
        let frame = frame.map_err(|_| Error::Timeout {
            server: server(),
            after: SILENT_MAX,
        })?;
        let broken = |source| Error::Broken {
            server: server(),
            source,
        };
        let frame = frame.ok_or_else(|| broken("the stream ended".into()))?;
        let frame = frame.map_err(|error| broken(error.into()))?;
        if let Some(data) = frame.data_ref() {
            self.lines.push(data);
        }
        Ok(())
    }
}

fn fresh() -> Backoff {
    Backoff::new(Duration::from_millis(50), AGAIN_MOST)
}
