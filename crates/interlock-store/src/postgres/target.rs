//! Which database, as whom, and how carefully: a `postgres://` URL.
//!
//! The driver knows the usual parameters; what it does not know of TLS (`verify-ca`, `verify-full`,
//! `sslrootcert`) is read here.

use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use super::tls::{self, Trust};
use crate::error::StoreError;
use crate::limits::{CONNECT_WITHIN, SILENCE_MAX};
use crate::store::Result;

/// A database that can be connected to.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) config: Config,
    pub(super) tls: tls::Connector,
}

impl Target {
    pub(super) fn parse(url: &str) -> Result<Self> {
        let is_url = url.starts_with("postgres://") || url.starts_with("postgresql://");
        if !is_url {
            return Err(bad("it must begin with postgres://".to_owned()));
        }
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let mut trust = Trust::Anybody;
        let mut roots = None;
        let mut others = Vec::new();
        let mut mode = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", "system")) => {}
                Some(("sslrootcert", file)) => roots = Some(PathBuf::from(decode(file)?)),
                _ => others.push(pair),
            }
        }
        let ssl_mode = match mode {
            Some("disable") => SslMode::Disable,
            None | Some("prefer") => SslMode::Prefer,
            Some("require") => {
                // As everywhere: whoever gives roots wants them to be looked at.
                if roots.is_some() {
                    trust = Trust::Chain;
                }
                SslMode::Require
            }
            Some("verify-ca") => {
                trust = Trust::Chain;
                SslMode::Require
            }
            Some("verify-full") => {
                trust = Trust::ChainAndName;
                SslMode::Require
            }
            Some(other) => return Err(bad(format!("there is no sslmode {other:?}"))),
        };
        let url = format!("{place}?{}", others.join("&"));
        let mut config: Config = url
            .parse()
            .map_err(|error: tokio_postgres::Error| bad(super::fault::Fault::from(error).why()))?;
        config.ssl_mode(ssl_mode);
        settle(&mut config);
        let tls = tls::connector(trust, roots.as_deref())?;
        Ok(Self { config, tls })
    }

    /// Where it is, without the password.
    pub(super) fn shown(&self) -> String {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        });
        let hosts: Vec<String> = hosts.collect();
        let database = self.config.get_dbname().unwrap_or("(default)");
        format!("database {database} at {}", hosts.join(", "))
    }
}

/// What a connection needs so that a cut cable is noticed, unless the URL says otherwise.
fn settle(config: &mut Config) {
    if config.get_application_name().is_none() {
        config.application_name("interlock");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_WITHIN);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE_MAX);
    }
    config.keepalives_idle(SILENCE_MAX / 3);
    config.keepalives_interval(Duration::from_secs(1).max(SILENCE_MAX / 6));
    config.keepalives_retries(3);
    // Of several servers the one that takes writes; of one, whatever it is, so that it can be said.
    if config.get_hosts().len() > 1 {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
}

fn bad(why: String) -> StoreError {
    StoreError::BadTarget { why }
}

/// Undoes percent-encoding.
fn decode(text: &str) -> Result<String> {
    let broken = || bad(format!("{text:?} is not percent-encoded text"));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [
            rest.next().ok_or_else(broken)?,
            rest.next().ok_or_else(broken)?,
        ];
        let digits = std::str::from_utf8(&digits).map_err(|_| broken())?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| broken())?);
    }
    String::from_utf8(bytes).map_err(|_| broken())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> String {
        match Target::parse(url) {
            Ok(target) => panic!("{} was accepted", target.shown()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_url_is_read_and_its_password_never_shown() {
        let target = Target::parse("postgres://me:secret@db1,db2:5433/work?sslmode=verify-full");
        let shown = target.expect("it is right").shown();
        assert_eq!(shown, "database work at db1, db2");
    }

    #[test]
    fn bad_urls_are_refused_with_the_reason() {
        assert!(refused("mysql://x").contains("postgres://"));
        assert!(refused("postgres://h/d?sslmode=maybe").contains("maybe"));
        assert!(refused("postgres://h/d?colour=red").contains("colour"));
        let file = "postgres://h/d?sslmode=verify-ca&sslrootcert=%2Fno%2Fsuch";
        assert!(refused(file).contains("/no/such"));
    }
}
