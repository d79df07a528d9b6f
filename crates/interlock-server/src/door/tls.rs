//! TLS from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};

/// Where certificate and key are, both as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The certificate and those that vouch for it.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// What is wrong with a certificate or key.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct TlsError {
    path: PathBuf,
    why: String,
}

impl Tls {
    /// Reads the files.
    pub(super) fn acceptor(&self) -> Result<TlsAcceptor, TlsError> {
        let certs: Result<Vec<_>, _> = CertificateDer::pem_file_iter(&self.cert)
            .map_err(|error| wrong(&self.cert, error))?
            .collect();
        let certs = certs.map_err(|error| wrong(&self.cert, error))?;
        let key =
            PrivateKeyDer::from_pem_file(&self.key).map_err(|error| wrong(&self.key, error))?;
        let provider = Arc::new(ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(certs, key))
            .map_err(|error| wrong(&self.cert, error))?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// Who vouches for servers that this one speaks to.
#[derive(Clone, Debug)]
pub struct Authorities(RootCertStore);

impl Authorities {
    /// Nobody: no server is spoken to over TLS.
    pub fn nobody() -> Self {
        Self(RootCertStore::empty())
    }

    /// Those that this machine trusts.
    pub fn of_machine() -> Self {
        let mut roots = RootCertStore::empty();
        // One that can't be read is one that vouches for nobody.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Self(roots)
    }

    /// Only those of a file, PEM.
    pub fn from_file(path: &Path) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        for cert in CertificateDer::pem_file_iter(path).map_err(|error| wrong(path, error))? {
            let cert = cert.map_err(|error| wrong(path, error))?;
            roots.add(cert).map_err(|error| wrong(path, error))?;
        }
        match roots.is_empty() {
            true => Err(wrong(path, "there is no certificate in it")),
            false => Ok(Self(roots)),
        }
    }

    /// How a connection to a server is made that they vouch for.
    pub(crate) fn config(self) -> ClientConfig {
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has all of them")
            .with_root_certificates(self.0)
            .with_no_client_auth()
    }
}

fn wrong(path: &Path, why: impl ToString) -> TlsError {
    TlsError {
        path: path.to_path_buf(),
        why: why.to_string(),
    }
}
