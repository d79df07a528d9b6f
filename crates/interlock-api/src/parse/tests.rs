//! What is said about bodies and query strings that can't be read: the code, the place, the words.

use super::*;
use crate::kind::KindPolicy;
use crate::quota::QuotaPolicy;
use crate::run::{Finishes, Take};
use crate::submission::{Submission, SubmitOptions};
use crate::task::{TaskQuery, WaitQuery};
use std::fmt::Debug;

fn refused<T: DeserializeOwned + Debug>(text: &str) -> String {
    let problem = body::<T>(text.as_bytes()).expect_err(text);
    format!("{} {problem}", problem.code)
}

#[test]
fn submissions_that_cannot_be_read() {
    let table = [
        ("", "bad_request kind: it is missing"),
        ("  ", "bad_request kind: it is missing"),
        (
            "nonsense",
            "bad_json the body is not JSON: expected ident at line 1 column 2",
        ),
        (
            "{\"kind\": \"sync\"",
            "bad_json the body is not JSON: EOF while parsing an object at line 1 column 15",
        ),
        (
            "{\"kind\": \"sync\"} {}",
            "bad_json the body is not JSON: trailing characters at line 1 column 18",
        ),
        (
            "[\"sync\"]",
            "bad_request it must be a JSON object, not a list",
        ),
        (
            "[\"sync\"",
            "bad_json the body is not JSON: EOF while parsing a list at line 1 column 7",
        ),
        (
            "\"sync\"",
            "bad_request invalid type: string \"sync\", expected struct Submission",
        ),
        (
            "null",
            "bad_request invalid type: null, expected struct Submission",
        ),
        (
            "{\"kind\": 5}",
            "bad_request kind: invalid type: integer `5`, expected a string",
        ),
        (
            "{\"kind\": \"a\", \"kind\": \"b\"}",
            "bad_request kind: it is given more than once",
        ),
        (
            "{\"kind\": \"a\", \"ressources\": []}",
            "unknown_field ressources: there is no field \"ressources\"",
        ),
        (
            "{\"kind\": \"a\", \"resources\": [\"a:1\", {\"resource\": \"a:2\", \"operation\": \"read\"}]}",
            "unknown_field resources[1].operation: there is no field \"operation\"",
        ),
        (
            "{\"kind\": \"a\", \"resources\": [\"a:1\", 7]}",
            "bad_request resources[1]: invalid type: integer `7`, expected a resource such as \
             \"repository:f16\", or an object with resource and op",
        ),
        (
            "{\"kind\": \"a\", \"resources\": [{\"resource\": \"a:1\", \"op\": \"write\"}]}",
            "bad_request resources[0].op: unknown variant `write`, expected one of `read`, `update`, \
             `create`, `delete`",
        ),
        (
            "{\"kind\": \"a\", \"priority\": 300}",
            "bad_request priority: invalid value: integer `300`, expected u8",
        ),
        (
            "{\"kind\": \"a\", \"priority\": -1}",
            "bad_request priority: invalid value: integer `-1`, expected u8",
        ),
        (
            "{\"kind\": \"a\", \"priority\": 1e400}",
            "bad_json the body is not JSON: number out of range at line 1 column 31",
        ),
        (
            "{\"kind\": \"a\", \"due\": 600}",
            "bad_request due: invalid type: integer `600`, expected a duration such as \"10m\" or a \
             time such as \"2026-11-15T10:30:00Z\"",
        ),
        (
            "{\"kind\": \"a\", \"due\": \"tomorrow\"}",
            "bad_request due: \"tomorrow\" is neither a duration such as \"10m\" nor a time such as \
             \"2026-11-15T10:30:00Z\"",
        ),
        (
            "{\"kind\": \"a\", \"due\": \"2026-11-15T10:30\"}",
            "bad_request due: \"2026-11-15T10:30\" is not a time: RFC 3339 is, such as \
             \"2026-11-15T10:30:00Z\"",
        ),
        (
            "{\"kind\": \"a\", \"start_within\": \"90\"}",
            "bad_request start_within: \"90\" has no unit: a duration is written like \"90s\", \
             \"500ms\" or \"1h30m\"",
        ),
        (
            "{\"kind\": \"a\", \"after\": [17, \"18\"]}",
            "bad_request after[1]: invalid type: string \"18\", expected a task's id, or \
             {\"item\": n} for an item of the same group",
        ),
        (
            "{\"kind\": \"a\", \"after\": [{\"item\": -1}]}",
            "bad_request after[0].item: invalid value: integer `-1`, expected u64",
        ),
        (
            "{\"kind\": \"a\", \"if_busy\": \"retry\"}",
            "bad_request if_busy: unknown variant `retry`, expected `wait` or `reject`",
        ),
        (
            "{\"kind\": \"a\", \"parent\": \"4711\"}",
            "bad_request parent: \"4711\" is not a run's token: two numbers with a point between \
             them, such as \"1.4711\"",
        ),
        (
            "{\"kind\": \"\\ud800\"}",
            "bad_json the body is not JSON: unexpected end of hex escape at line 1 column 17",
        ),
    ];
    for (text, message) in table {
        assert_eq!(refused::<Submission>(text), message, "{text}");
    }
}

#[test]
fn other_bodies_that_cannot_be_read() {
    let table = [
        (
            refused::<KindPolicy>("{\"retry\": {\"waits\": [\"3m\", \"soon\"]}}"),
            "bad_request retry.waits[1]: \"soon\" is not a duration: whole numbers with the units w, \
             d, h, m, s, ms in this order, such as \"1h30m\"",
        ),
        (
            refused::<KindPolicy>("{\"retry\": {\"waits\": \"3m\"}}"),
            "bad_request retry.waits: invalid type: string \"3m\", expected a list such as \
             [\"3m\", \"20m\"], or {\"first\": \"1s\", \"most\": \"1h\"}",
        ),
        (
            refused::<KindPolicy>("{\"retry\": {\"window\": \"3d\"}}"),
            "unknown_field retry.window: there is no field \"window\"",
        ),
        (
            refused::<KindPolicy>("{\"on_loss\": \"forget\"}"),
            "bad_request on_loss: unknown variant `forget`, expected `retry` or `cancel`",
        ),
        (
            refused::<QuotaPolicy>("{\"limits\": [\"10/s\"]}"),
            "bad_request limits[0]: \"s\" is not a duration: whole numbers with the units w, d, h, \
             m, s, ms in this order, such as \"1h30m\"",
        ),
        (
            refused::<QuotaPolicy>("{\"limits\": [\"ten/1s\"]}"),
            "bad_request limits[0]: \"ten/1s\" is not a limit: units and a duration are, such as \
             \"10/1s\"",
        ),
        (
            refused::<QuotaPolicy>("{\"limits\": [\"10/1s\", {\"at_once\": -4}]}"),
            "bad_request limits[1].at_once: invalid value: integer `-4`, expected u64",
        ),
        (
            refused::<KindPolicy>("{\"quotas\": [{\"cost\": 1}]}"),
            "bad_request quotas[0].quota: it is missing",
        ),
        (
            refused::<Take>("{\"session\": 1}"),
            "bad_request number: it is missing",
        ),
        (
            refused::<Finishes>(
                "{\"session\": 1, \"finishes\": [{\"token\": \"1.2\", \"how\": \"fail\", \"again\": \"soon\"}]}",
            ),
            "bad_request finishes[0].again: \"soon\" is neither \"never\" nor a duration such as \"90s\"",
        ),
    ];
    for (message, expected) in table {
        assert_eq!(message, expected);
    }
}

#[test]
fn a_message_repeats_no_more_of_a_stranger_than_it_must() {
    let long = "x".repeat(100_000);
    let texts = [
        format!("{{\"kind\": \"a\", \"if_busy\": \"{long}\"}}"),
        format!("{{\"kind\": \"a\", \"{long}\": 1}}"),
        format!("{{\"kind\": \"a\", \"due\": \"{long}\"}}"),
        format!("{{\"kind\": \"a\", \"priority\": \"{long}\"}}"),
    ];
    for text in texts {
        let message = refused::<Submission>(&text);
        assert!(message.len() < 600, "{message}");
    }
    let message = refused::<Submission>("{\"kind\": \"a\", \"if_busy\": \"\\u001b[2J\\u202e\"}");
    let expected =
        "bad_request if_busy: unknown variant `\\u{1b}[2J\\u{202e}`, expected `wait` or `reject`";
    assert_eq!(message, expected);
}

#[test]
fn an_unknown_field_comes_with_the_known_ones() {
    let problem = body::<Submission>(b"{\"kind\": \"a\", \"x\": 1}").expect_err("an unknown field");
    assert_eq!(problem.more.known[..3], ["kind", "resources", "payload"]);
}

#[test]
fn query_strings() {
    let read: TaskQuery = query("state=waiting%2Crunning&kind=sync&limit=5").expect("a query");
    assert_eq!(read.state.as_deref(), Some("waiting,running"));
    assert_eq!(read.limit, Some(5));
    let table = [
        (
            query::<TaskQuery>("limit=many").expect_err("no number"),
            "bad_request limit: invalid digit found in string",
        ),
        (
            query::<TaskQuery>("stat=waiting").expect_err("no field"),
            "unknown_field stat: there is no field \"stat\"",
        ),
        (
            query::<TaskQuery>("since=yesterday").expect_err("no time"),
            "bad_request since: \"yesterday\" is not a time: RFC 3339 is, such as \"2026-11-15T10:30:00Z\"",
        ),
        (
            query::<TaskQuery>("kind=a&kind=b").expect_err("twice"),
            "bad_request kind: it is given more than once",
        ),
        (
            query::<WaitQuery>("wait=30").expect_err("no unit"),
            "bad_request wait: \"30\" has no unit: a duration is written like \"90s\", \"500ms\" or \"1h30m\"",
        ),
        (
            query::<WaitQuery>("until=over").expect_err("no state"),
            "bad_request until: unknown variant `over`, expected `ended` or `started`",
        ),
        (
            query::<SubmitOptions>("dry_run=yes").expect_err("no boolean"),
            "bad_request dry_run: provided string was not `true` or `false`",
        ),
    ];
    for (problem, message) in table {
        assert_eq!(format!("{} {problem}", problem.code), message);
    }
}

#[test]
fn a_payload_is_kept_byte_for_byte() {
    let payloads = [
        "{ \"b\" :1,\"a\":  [1.0, 1e5, 12345678901234567890123] }",
        "\"\\u0000 \\ud800 é\"",
        "1E400",
        "[]",
        "false",
    ];
    for payload in payloads {
        let text = format!("{{\"kind\": \"a\", \"payload\":  {payload} }}");
        let read: Submission = body(text.as_bytes()).expect(payload);
        assert_eq!(read.payload.expect("a payload").get(), payload);
    }
    for nothing in ["{\"kind\": \"a\"}", "{\"kind\": \"a\", \"payload\": null}"] {
        let read: Submission = body(nothing.as_bytes()).expect(nothing);
        assert_eq!(read.payload, None);
    }
}
