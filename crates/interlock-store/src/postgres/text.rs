//! Text as PostgreSQL can keep it: it has no U+0000, and an index has no long texts.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

/// Bytes of a text that are indexed as they are.
pub(super) const KEY_BYTES_MAX: usize = 500;
/// Bytes that are left of a longer one, for people to see.
const KEY_BYTES_LEFT: usize = 300;

/// Any text without U+0000: it becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002, so that the
/// order of texts stays what it was.
pub(super) fn keep(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', '\u{1}']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\0' => kept.push_str("\u{1}\u{1}"),
            '\u{1}' => kept.push_str("\u{1}\u{2}"),
            letter => kept.push(letter),
        }
    }
    Cow::Owned(kept)
}

/// What was kept.
pub(super) fn give(kept: String) -> String {
    if !kept.contains('\u{1}') {
        return kept;
    }
    let mut text = String::with_capacity(kept.len());
    let mut letters = kept.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1}' => text.push(match letters.next() {
                Some('\u{1}') => '\0',
                _ => '\u{1}',
            }),
            letter => text.push(letter),
        }
    }
    text
}

/// What stands for a text in an index: itself, or its beginning and its SHA-256, which no text that
/// is kept as it is can look like.
pub(super) fn key(text: &str) -> String {
    let kept = keep(text);
    if kept.len() <= KEY_BYTES_MAX {
        return kept.into_owned();
    }
    let mut key = kept[..kept.floor_char_boundary(KEY_BYTES_LEFT)].to_owned();
    key.push_str("\u{1}\u{3}");
    for byte in Sha256::digest(text.as_bytes()) {
        key.push_str(&format!("{byte:02x}"));
    }
    key
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_comes_back_and_keeps_its_order(
            a in "[\0\u{1}\u{2}ab]{0,4}",
            b in "[\0\u{1}\u{2}ab]{0,4}",
        ) {
            prop_assert_eq!(give(keep(&a).into_owned()), a.clone());
            prop_assert!(!keep(&a).contains('\0'));
            prop_assert_eq!(a.cmp(&b), keep(&a).cmp(&keep(&b)));
        }
    }

    #[test]
    fn keys_are_short_and_differ() {
        let long = "é".repeat(10_000);
        assert!(key(&long).len() <= KEY_BYTES_MAX);
        assert_ne!(key(&long), key(&format!("{long}x")));
        assert_ne!(key(&key(&long)), key(&long), "no short text looks like it");
        assert_eq!(key("short"), "short");
    }
}
