//! The lines of an event stream, put together to messages.

/// A message: its data, and by what a reader goes on after it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) id: Option<u64>,
    pub(super) data: String,
}

/// What has come of a stream and is not a whole message yet.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    id: Option<u64>,
    data: Option<String>,
}

impl Lines {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message that is complete.
    pub(super) fn next(&mut self) -> Option<Message> {
        let mut read = 0;
        let mut message = None;
        while let Some(length) = (self.bytes[read..].iter()).position(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(&self.bytes[read..read + length]).into_owned();
            read += length + 1;
            message = self.line(line.trim_end_matches('\r'));
            if message.is_some() {
                break;
            }
        }
        self.bytes.drain(..read);
        message
    }

    fn line(&mut self, line: &str) -> Option<Message> {
        if line.is_empty() {
            let (id, data) = (self.id.take(), self.data.take()?);
            return Some(Message { id, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.id = value.parse().ok(),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            // Comments keep the connection alive.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_whole_however_they_are_cut() {
        let text = ": hello\n\nid: 7\ndata: {\"a\":1}\n\ndata: x\ndata: y\r\n\r\n";
        let expected = [(Some(7), "{\"a\":1}"), (None, "x\ny")];
        for cut in 0..text.len() {
            let mut lines = Lines::default();
            let mut found = Vec::new();
            for part in [&text[..cut], &text[cut..]] {
                lines.push(part.as_bytes());
                while let Some(message) = lines.next() {
                    found.push(message);
                }
            }
            let found: Vec<_> = (found.iter()).map(|m| (m.id, m.data.as_str())).collect();
            assert_eq!(found, expected, "cut at {cut}");
        }
    }
}
