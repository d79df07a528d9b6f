//! Texts of strangers in addresses.

pub(crate) use interlock_api::path::segment;

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
