//! Two cookies: one with the token, one with what the last action has to say.

use axum::http::{HeaderMap, HeaderValue, header};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Holds the token of whoever signed in.
pub(crate) const TOKEN: &str = "interlock_token";
/// Holds what the last action has to say, until the next page says it.
pub(crate) const NOTICE: &str = "interlock_notice";

/// The value of a cookie.
pub(crate) fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).into_iter();
    let all = all.filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';'));
    let value = pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))?;
    let text = percent_decode_str(value).decode_utf8().ok()?;
    (!text.is_empty()).then(|| text.into_owned())
}

/// Sets a cookie that no script sees and that no other site's request carries.
pub(crate) fn set(name: &str, value: &str, secure: bool) -> HeaderValue {
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    let secure = if secure { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::try_from(text).expect("what is escaped is plain ASCII")
}

/// Takes a cookie away.
pub(crate) fn forget(name: &str) -> HeaderValue {
    let text = format!("{name}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    HeaderValue::try_from(text).expect("a cookie's name is plain ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(text: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_static(text));
        headers
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let found = headers("x_interlock_token=1; interlock_token2=2; interlock_token=ilk%5Fa");
        assert_eq!(read(&found, TOKEN).as_deref(), Some("ilk_a"));
        assert_eq!(read(&headers("interlock_token="), TOKEN), None);
        assert_eq!(read(&HeaderMap::new(), TOKEN), None);
    }

    #[test]
    fn a_value_can_break_out_of_nothing() {
        let value = set(NOTICE, "a; Path=/x\r\nset-cookie: b", true);
        let text = value.to_str().expect("ASCII");
        assert_eq!(text.matches(';').count(), 4, "{text}");
        assert!(text.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"));
    }
}
