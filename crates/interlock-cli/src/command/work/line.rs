//! Lines of a command's output that are understood.

use interlock_api::Span;
use interlock_api::json::Json;
use interlock_api::progress::Progress;

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Progress(Progress),
    Result(Json),
    Error(String),
    RetryIn(Span),
    /// Anything else: it goes into the log.
    Other,
}

/// Reads a line. What is not quite right is not understood, and stays in the log.
pub(super) fn read(line: &str) -> Line {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    let read = match word {
        "progress" => progress(rest).map(Line::Progress),
        "result" => Json::new(rest.to_owned()).ok().map(Line::Result),
        "error" if !rest.is_empty() => Some(Line::Error(rest.to_owned())),
        "retry-in" => rest.parse().ok().map(Line::RetryIn),
        _ => None,
    };
    read.unwrap_or(Line::Other)
}

/// `3/10 message`, `3 message`, `3/10`.
fn progress(text: &str) -> Option<Progress> {
    let (count, message) = text.split_once(' ').unwrap_or((text, ""));
    let (done, total) = match count.split_once('/') {
        Some((done, total)) => (done, Some(total.parse().ok()?)),
        None => (count, None),
    };
    Some(Progress {
        done: done.parse().ok()?,
        total,
        unit: String::new(),
        message: message.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far(done: u64, total: Option<u64>, message: &str) -> Line {
        Line::Progress(Progress {
            done,
            total,
            unit: String::new(),
            message: message.to_owned(),
        })
    }

    #[test]
    fn lines_that_are_understood() {
        for (text, line) in [
            ("progress 3/10 fetching it", far(3, Some(10), "fetching it")),
            ("progress 3/10", far(3, Some(10), "")),
            ("progress 3 so far", far(3, None, "so far")),
            (
                "result {\"a\": 1}",
                Line::Result(Json::new("{\"a\": 1}".to_owned()).unwrap()),
            ),
            (
                "error the mirror is gone",
                Line::Error("the mirror is gone".to_owned()),
            ),
            ("retry-in 30s", Line::RetryIn(Span::from_ms(30_000))),
        ] {
            assert_eq!(read(text), line, "{text}");
        }
    }

    #[test]
    fn everything_else_is_output() {
        for text in [
            "",
            "hello",
            "progress",
            "progress x",
            "progress 3/x",
            "progress -1/2",
            "result {",
            "retry-in soon",
            "error",
            " progress 1/2",
            "progressing 1/2",
        ] {
            assert_eq!(read(text), Line::Other, "{text:?}");
        }
    }
}
