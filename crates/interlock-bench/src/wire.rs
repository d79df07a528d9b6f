//! HTTP as sparingly as can be, so that the load generator leaves the machine to the server:
//! requests are made beforehand, and of an answer only the status and the length are looked at.

use anyhow::{Context, bail};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request, ready to be sent.
pub(crate) fn post(path: &str, body: &str) -> Vec<u8> {
    post_in("default", path, body)
}

/// The same in another namespace.
pub(crate) fn post_in(namespace: &str, path: &str, body: &str) -> Vec<u8> {
    let named = match namespace {
        "default" => String::new(),
        other => format!("interlock-namespace: {other}\r\n"),
    };
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: bench\r\n{named}content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

/// A request without a body, ready to be sent.
pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: bench\r\n\r\n").into_bytes()
}

/// A connection that is kept.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(16 << 10),
        })
    }

    /// Sends a request and waits for its answer: status and body.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> anyhow::Result<(u16, &[u8])> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
            self.read().await?;
        };
        let text = std::str::from_utf8(&self.buffer[..head])?;
        let status = text.get(9..12).context("a status")?.parse()?;
        let length: usize = (text.lines())
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .map_or(Ok(0), |(_, value)| value.trim().parse())?;
        while self.buffer.len() < head + length {
            self.read().await?;
        }
        Ok((status, &self.buffer[head..head + length]))
    }

    async fn read(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}
