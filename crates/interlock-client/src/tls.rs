//! Connections: plain, or over TLS with the certificates that this machine trusts, or with those of
//! an authority of one's own.

use crate::client::BadSetting;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// Who vouches for a server.
#[derive(Clone, Copy)]
pub(crate) enum Trust<'a> {
    /// Nobody: no server is spoken to over TLS.
    Nobody,
    /// Those that this machine trusts.
    Machine,
    /// Only these, as PEM.
    These(&'a [u8]),
}

/// Makes connections to servers that are vouched for like this.
pub(crate) fn connector(trust: Trust<'_>) -> Result<HttpsConnector<HttpConnector>, BadSetting> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| BadSetting::Authority(error.to_string()))?
        .with_root_certificates(roots(trust)?)
        .with_no_client_auth();
    let mut http = HttpConnector::new();
    http.set_connect_timeout(Some(CONNECT_WITHIN));
    http.set_nodelay(true);
    http.enforce_http(false);
    Ok(HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_or_http()
        .enable_http1()
        .wrap_connector(http))
}

fn roots(trust: Trust<'_>) -> Result<RootCertStore, BadSetting> {
    let mut roots = RootCertStore::empty();
    match trust {
        Trust::Nobody => {}
        Trust::Machine => {
            // One that can't be read is one that vouches for nobody.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        Trust::These(pem) => {
            let bad = |why: String| BadSetting::Authority(why);
            for cert in CertificateDer::pem_slice_iter(pem) {
                let cert = cert.map_err(|error| bad(error.to_string()))?;
                roots.add(cert).map_err(|error| bad(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(bad("there is no certificate in it".to_owned()));
            }
        }
    }
    Ok(roots)
}
