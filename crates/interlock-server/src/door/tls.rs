//! TLS from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

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

fn wrong(path: &Path, why: impl ToString) -> TlsError {
    TlsError {
        path: path.to_path_buf(),
        why: why.to_string(),
    }
}
