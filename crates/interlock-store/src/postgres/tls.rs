//! TLS to the database, as `sslmode` asks for it.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{self, CryptoProvider};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::StoreError;
use crate::store::Result;

/// Makes connections.
pub(super) type Connector = MakeRustlsConnect;

/// Whom to take for the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// Whoever answers: the network is trusted, and only listening is prevented.
    Anybody,
    /// Whoever has a certificate from an authority that is known.
    Chain,
    /// The same, and it must be for the name that was asked for.
    ChainAndName,
}

/// A connector that trusts the authorities in a file, or those of the system.
pub(super) fn connector(trust: Trust, roots: Option<&Path>) -> Result<Connector> {
    let provider = Arc::new(crypto::ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match trust {
        Trust::Anybody => Arc::new(Unverified(Arc::clone(&provider))),
        Trust::Chain => Arc::new(AnyName(web_pki(roots, &provider)?)),
        Trust::ChainAndName => web_pki(roots, &provider)?,
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(Connector::new(config))
}

fn web_pki(
    roots: Option<&Path>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>> {
    let roots = Arc::new(match roots {
        Some(file) => from_file(file)?,
        None => of_the_system()?,
    });
    WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(provider))
        .build()
        .map_err(|error| bad(error.to_string()))
}

fn from_file(file: &Path) -> Result<RootCertStore> {
    let unreadable = |error: &dyn std::fmt::Display| {
        bad(format!(
            "sslrootcert {} can't be read: {error}",
            file.display()
        ))
    };
    let mut roots = RootCertStore::empty();
    let found = CertificateDer::pem_file_iter(file).map_err(|error| unreadable(&error))?;
    for root in found {
        let root = root.map_err(|error| unreadable(&error))?;
        roots.add(root).map_err(|error| unreadable(&error))?;
    }
    if roots.is_empty() {
        return Err(unreadable(&"there is no certificate in it"));
    }
    Ok(roots)
}

fn of_the_system() -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        let why = "the system has no certificate authorities; give a file with sslrootcert=";
        return Err(bad(why.to_owned()));
    }
    Ok(roots)
}

fn bad(why: String) -> StoreError {
    StoreError::BadTarget { why }
}

/// Accepts every certificate, as `require` does.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, cert, dss, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, cert, dss, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Accepts a certificate of any name, as `verify-ca` does.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified =
            self.0
                .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // The name is what is looked at last.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
