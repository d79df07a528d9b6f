//! Names are checked at the door: whatever a stranger sends is taken or refused, never a panic.

use crate::check;
use interlock_core::Refusal;
use interlock_core::limits::{NAME_BYTES_MAX, RESOURCE_BYTES_MAX};
use interlock_core::words::{Name, ResourceName};
use proptest::prelude::*;

/// Texts of every sort: any characters, hostile ones, and lengths around the limits.
fn text() -> impl Strategy<Value = String> {
    let hostile = proptest::sample::select(vec![
        "",
        " ",
        ":",
        "::",
        "a:",
        ":b",
        "a:b",
        " a:b",
        "a:b ",
        "a\u{0}:b",
        "a:\u{7f}",
        "\u{85}a:b",
        "a:b\u{2028}",
        "\u{a0}a:b",
        "a:b\t",
        "shop:42",
        "shop:42:7",
        "日:本",
        "\u{1f682}:\u{1f6e4}",
        "شحن:مستودع",
        "a:\u{202e}b",
        "\u{200f}a:b",
        "a:b\u{2069}",
    ]);
    let long = (
        prop::sample::select(vec!["a", "ä", "日", "\u{1f682}", " "]),
        0..450_usize,
    )
        .prop_map(|(unit, count)| format!("t:{}", unit.repeat(count)));
    let joined = (any::<String>(), "[:a-z\u{0}-\u{20}\u{80}-\u{a0}]{0,8}")
        .prop_map(|(left, right)| format!("{left}{right}"));
    prop_oneof![
        any::<String>(),
        hostile.prop_map(str::to_owned),
        long,
        joined
    ]
}

/// The rule in the words of its documentation.
fn is_good(text: &str, bytes_max: usize) -> bool {
    let has_blank_end =
        text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    (1..=bytes_max).contains(&text.len())
        && !text.contains(char::is_control)
        && !text.contains(DIRECTION)
        && !has_blank_end
}

/// Marks, embeddings, overrides and isolates: invisible, and they turn around what stands beside.
const DIRECTION: [char; 12] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// A refusal is about the name, and does not carry all of a huge one around.
fn refused_as_bad(refusal: &Refusal) -> Result<(), String> {
    match refusal {
        Refusal::BadName { name, .. } if name.len() <= RESOURCE_BYTES_MAX => Ok(()),
        other => Err(format!("refused as {other:?}")),
    }
}

#[test]
fn a_name_is_taken_as_it_is_or_refused_as_bad() {
    check(2_000, &text(), |text| match Name::new(&text) {
        Ok(name) if name.as_str() != text => Err(format!("{text:?} became {name}")),
        Ok(_) if !is_good(&text, NAME_BYTES_MAX) => Err(format!("{text:?} was taken")),
        Ok(_) => Ok(()),
        Err(_) if is_good(&text, NAME_BYTES_MAX) => Err(format!("{text:?} was refused")),
        Err(refusal) => refused_as_bad(&refusal),
    });
}

#[test]
fn text_from_right_to_left_is_a_name_and_characters_that_turn_text_around_are_not() {
    for good in ["مستودع", "מחסן", "a\u{200d}b", "\u{2065}x"] {
        assert!(Name::new(good).is_ok(), "{good:?}");
    }
    for turning in DIRECTION {
        for text in [
            format!("{turning}a"),
            format!("a{turning}b"),
            format!("a{turning}"),
        ] {
            match Name::new(&text) {
                Err(Refusal::BadName { name, why }) => {
                    assert_eq!(why, "it has a character that changes the direction of text");
                    assert_eq!(&*name, text);
                }
                other => panic!("{text:?}: {other:?}"),
            }
            let resource = ResourceName::new(&format!("shop:{text}"));
            assert!(matches!(resource, Err(Refusal::BadName { .. })), "{text:?}");
        }
    }
}

#[test]
fn a_resource_is_a_name_with_something_on_both_sides_of_its_first_colon() {
    check(2_000, &text(), |text| {
        let split = text.find(':').map(|at| (&text[..at], &text[at + 1..]));
        let sides = split.filter(|(kind, id)| !kind.is_empty() && !id.is_empty());
        let good = is_good(&text, RESOURCE_BYTES_MAX);
        match (ResourceName::new(&text), sides) {
            (Ok(name), Some((kind, _)))
                if good && name.as_str() == text && name.resource_type() == kind =>
            {
                Ok(())
            }
            (Ok(name), _) => Err(format!("{text:?} was taken as {name:?}")),
            (Err(_), Some(_)) if good => Err(format!("{text:?} was refused")),
            (Err(refusal), _) => refused_as_bad(&refusal),
        }
    });
}

#[test]
fn a_name_prints_as_it_was_written_and_sorts_as_its_text() {
    check(500, &("[a-z:]{1,6}", "[a-z:]{1,6}"), |(left, right)| {
        let names = [&left, &right].map(|text| Name::new(text).expect("made of good characters"));
        if names[0].to_string() != left || names[0].cmp(&names[1]) != left.cmp(&right) {
            return Err(format!("{left:?} and {right:?} became {names:?}"));
        }
        Ok(())
    });
}
