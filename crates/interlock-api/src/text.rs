//! Texts of strangers in our own sentences: quoted, escaped and short.

use crate::limits::ECHO_BYTES_MAX;

/// A text as a message repeats it: in quotes, with control and direction characters escaped, and
/// cut if it is long.
pub(crate) fn echo(text: &str) -> String {
    let end = text.floor_char_boundary(ECHO_BYTES_MAX);
    let more = if end < text.len() { "…" } else { "" };
    format!("{:?}", format_args!("{}{more}", &text[..end]).to_string())
}

/// For fields that are left out while they are false.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}
