//! The list of servers: any of them will do, and one that is away is turned from.

use crate::client::BadSetting;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Servers that are tried in turn. All clones of a client turn together.
#[derive(Debug)]
pub(crate) struct Servers {
    names: Vec<String>,
    current: AtomicUsize,
}

impl Servers {
    /// One address, or several with commas between them.
    pub(crate) fn read(addresses: &str) -> Result<Self, BadSetting> {
        let names = addresses.split(',').map(|address| checked(address.trim()));
        Ok(Self {
            names: names.collect::<Result<_, _>>()?,
            current: AtomicUsize::new(0),
        })
    }

    pub(crate) fn any_https(&self) -> bool {
        self.names.iter().any(|name| name.starts_with("https:"))
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// Which one is spoken to.
    pub(crate) fn at(&self) -> usize {
        self.current.load(Ordering::Relaxed) % self.names.len()
    }

    pub(crate) fn name(&self, at: usize) -> &str {
        &self.names[at]
    }

    pub(crate) fn current(&self) -> &str {
        self.name(self.at())
    }

    /// That one is away: the next one is spoken to, unless somebody else has turned already.
    pub(crate) fn turn_from(&self, at: usize) {
        let next = (at + 1) % self.names.len();
        let _turned =
            (self.current).compare_exchange(at, next, Ordering::Relaxed, Ordering::Relaxed);
    }
}

fn checked(address: &str) -> Result<String, BadSetting> {
    let bad = || BadSetting::Url(address.to_owned());
    let uri: http::Uri = address.parse().map_err(|_| bad())?;
    let spoken = matches!(uri.scheme_str(), Some("http" | "https"));
    if !spoken || uri.host().is_none_or(str::is_empty) || uri.query().is_some() {
        return Err(bad());
    }
    Ok(address.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_and_each_address_is_looked_at() {
        let servers = Servers::read("http://a:1/, https://b").expect("two servers");
        assert_eq!(servers.current(), "http://a:1");
        assert!(servers.any_https());
        for bad in ["", "a:1", "ftp://a", "http://", "http://a,", "http://a?b=c"] {
            assert!(Servers::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_server_that_is_away_is_turned_from_once() {
        let servers = Servers::read("http://a,http://b,http://c").expect("three servers");
        servers.turn_from(0);
        servers.turn_from(0);
        assert_eq!(servers.current(), "http://b");
        servers.turn_from(1);
        servers.turn_from(2);
        assert_eq!(servers.current(), "http://a");
    }
}
