//! Payloads are bytes; only `append` looks inside, and what it joins must be JSON again.

use crate::check;
use interlock_core::words::Payload;
use proptest::prelude::*;
use serde_json::Value;

/// Any JSON value, nested a little.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[\\[\\],\" ]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{0,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// An array as a client may write it: compact or pretty, with blanks around it.
fn array() -> impl Strategy<Value = (Vec<Value>, String)> {
    let blanks = "[ \t\r\n]{0,3}";
    (
        prop::collection::vec(json(), 0..4),
        any::<bool>(),
        blanks,
        blanks,
    )
        .prop_map(|(items, pretty, before, after)| {
            let value = Value::from(items.clone());
            let text = if pretty {
                format!("{value:#}")
            } else {
                value.to_string()
            };
            (items, format!("{before}{text}{after}"))
        })
}

/// The items of a payload that must be an array.
fn items(payload: &Payload) -> Result<Vec<Value>, String> {
    serde_json::from_slice(payload.bytes())
        .map_err(|error| format!("{:?}: {error}", String::from_utf8_lossy(payload.bytes())))
}

#[test]
fn joining_two_arrays_gives_the_items_of_both_in_order() {
    check(
        1_000,
        &(array(), array()),
        |((first, left), (second, right))| {
            let joined = Payload::from(left.as_str()).joined(&Payload::from(right.as_str()));
            let expected = [first, second].concat();
            let got = items(&joined)?;
            (got == expected && joined.is_json_array())
                .then_some(())
                .ok_or(format!("{left:?} and {right:?} became {got:?}"))
        },
    );
}

#[test]
fn joining_is_associative_in_what_it_says() {
    check(
        500,
        &(array(), array(), array()),
        |((_, a), (_, b), (_, c))| {
            let [a, b, c] = [a, b, c].map(|text| Payload::from(text.as_str()));
            let (left, right) = (
                items(&a.joined(&b).joined(&c))?,
                items(&a.joined(&b.joined(&c)))?,
            );
            (left == right)
                .then_some(())
                .ok_or(format!("{left:?} is not {right:?}"))
        },
    );
}

#[test]
fn an_empty_payload_adds_nothing() {
    check(500, &array(), |(expected, text)| {
        let (payload, empty) = (Payload::from(text.as_str()), Payload::default());
        let joined = [payload.joined(&empty), empty.joined(&payload)];
        (items(&joined[0])? == expected && items(&joined[1])? == expected)
            .then_some(())
            .ok_or(format!("{text:?} became {joined:?}"))
    });
}

#[test]
fn what_a_json_parser_reads_as_an_array_is_an_array() {
    let text = prop_oneof![
        array().prop_map(|(_, text)| text),
        json().prop_map(|value| value.to_string()),
        "[\\[\\]{}:,0-9\"ntrue ]{0,8}",
        any::<String>(),
    ];
    check(2_000, &text, |text| {
        let parsed = serde_json::from_str::<Value>(&text);
        let expected = parsed.is_ok_and(|value| value.is_array());
        (Payload::from(text.as_str()).is_json_array() == expected)
            .then_some(())
            .ok_or(format!("{text:?} is an array: {expected}"))
    });
}

#[test]
fn no_bytes_make_a_payload_panic() {
    let bytes = || prop::collection::vec(prop_oneof![any::<u8>(), Just(b'['), Just(b']')], 0..6);
    check(2_000, &(bytes(), bytes()), |(left, right)| {
        let (first, second) = (Payload::from(left.clone()), Payload::from(right));
        let _ = (first.is_json_array(), first.joined(&second));
        (first.bytes() == left && first.len() == left.len() && first.is_empty() == left.is_empty())
            .then_some(())
            .ok_or(format!("{left:?} became {first:?}"))
    });
}

#[test]
fn a_deeply_nested_array_is_judged_without_overflow() {
    for depth in [1, 100, 200_000] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Payload::from(text.as_str()).is_json_array(), "{depth} deep");
        assert!(
            !Payload::from(&text[..text.len() - 1]).is_json_array(),
            "{depth} deep, cut"
        );
    }
}
