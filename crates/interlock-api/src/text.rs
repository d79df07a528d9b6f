//! Texts of strangers in our own sentences: quoted, escaped and short.

use crate::limits::ECHO_BYTES_MAX;

/// A text as a message repeats it: in quotes, with control and direction characters escaped, and
/// cut if it is long.
pub(crate) fn echo(text: &str) -> String {
    let end = text.floor_char_boundary(ECHO_BYTES_MAX);
    let more = if end < text.len() { "…" } else { "" };
    format!("{:?}", format_args!("{}{more}", &text[..end]).to_string())
}

/// A message that repeats a stranger's text somewhere in it: control and direction characters are
/// escaped, and what is long is cut out of its middle.
pub(crate) fn tame(message: &str) -> String {
    const ENDS_MAX: usize = 200;
    let is_unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut text = String::new();
    let cut = message.len() > 2 * ENDS_MAX;
    let head = message.floor_char_boundary(if cut { ENDS_MAX } else { message.len() });
    let tail = message.ceil_char_boundary(if cut {
        message.len() - ENDS_MAX
    } else {
        message.len()
    });
    for part in [
        &message[..head],
        if cut { "…" } else { "" },
        &message[tail..],
    ] {
        for c in part.chars() {
            if is_unseen(c) {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
    }
    text
}

/// For fields that are left out while they are false.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}
