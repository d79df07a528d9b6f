//! Texts of strangers in addresses.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What is left as it is: all that has no meaning of its own in a segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b':');

/// A text as one segment of a path.
pub(crate) fn segment(text: &str) -> String {
    // These two would be taken for a way up.
    match text {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        text => utf8_percent_encode(text, SEGMENT).to_string(),
    }
}

/// `?a=b&c=d`, without what is empty; nothing if all is.
pub(crate) fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
        text.append_pair(name, value);
    }
    match text.finish() {
        text if text.is_empty() => text,
        text => format!("?{text}"),
    }
}

/// A path of this server and nothing else, whatever a stranger made of it.
pub(crate) fn local(text: &str) -> Option<&str> {
    let is_local = text.starts_with('/')
        && !text.starts_with("//")
        && !text.contains('\\')
        && text.bytes().all(|byte| byte.is_ascii_graphic());
    is_local.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_stays_one() {
        assert_eq!(segment("repository:f16"), "repository:f16");
        assert_eq!(segment("a/b?c#d e%"), "a%2Fb%3Fc%23d%20e%25");
        assert_eq!(segment(".."), "%2E%2E");
    }

    #[test]
    fn only_paths_of_this_server_are_gone_back_to() {
        assert_eq!(local("/tasks?kind=a"), Some("/tasks?kind=a"));
        for foreign in ["", "https://x.test/", "//x.test", "/\\x.test", "/a\nb"] {
            assert_eq!(local(foreign), None, "{foreign:?}");
        }
    }

    #[test]
    fn what_is_empty_is_left_out_of_a_query() {
        assert_eq!(query([("a", ""), ("b", "x y&")]), "?b=x+y%26");
        assert_eq!(query([("a", "")]), "");
    }
}
