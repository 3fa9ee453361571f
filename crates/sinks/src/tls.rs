//! Whom a client trusts, and who it says it is.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use thiserror::Error as ThisError;

/// The files of a client that speaks TLS, all PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    /// Whom to trust; the public authorities when there is none.
    pub ca_cert: Option<PathBuf>,
    /// Own certificate and its PKCS#8 key, for servers that ask for one.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// The server's certificate must carry the name it was reached by. Riemann's clients do not
    /// look at the name.
    pub check_name: bool,
}

impl Default for TlsSettings {
    fn default() -> TlsSettings {
        TlsSettings {
            ca_cert: None,
            identity: None,
            check_name: true,
        }
    }
}

/// A TLS setting that cannot work.
#[derive(Debug, ThisError)]
pub enum TlsError {
    #[error("{path}: {error}")]
    File {
        path: PathBuf,
        error: rustls::pki_types::pem::Error,
    },
    #[error("{0}: no certificate in it")]
    NoCertificate(PathBuf),
    #[error(transparent)]
    Rustls(#[from] Error),
    #[error("the trusted certificates: {0}")]
    Verifier(#[from] rustls::client::VerifierBuilderError),
}

/// Reads the files; connects to nothing.
///
/// # Errors
/// When a file cannot be read, is not PEM, or key and certificate do not fit.
pub fn client_config(settings: &TlsSettings) -> Result<Arc<ClientConfig>, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = Arc::new(roots(settings)?);
    let webpki = WebPkiServerVerifier::builder_with_provider(roots, provider.clone()).build()?;
    let verifier: Arc<dyn ServerCertVerifier> = if settings.check_name {
        webpki
    } else {
        Arc::new(AnyName(webpki))
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let config = match &settings.identity {
        Some((cert, key)) => {
            let file = |error| TlsError::File {
                path: key.clone(),
                error,
            };
            let key = PrivateKeyDer::from_pem_file(key).map_err(file)?;
            builder.with_client_auth_cert(certificates(cert)?, key)?
        }
        None => builder.with_no_client_auth(),
    };
    Ok(Arc::new(config))
}

fn roots(settings: &TlsSettings) -> Result<RootCertStore, TlsError> {
    let Some(path) = &settings.ca_cert else {
        return Ok(webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect());
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate)?;
    }
    Ok(roots)
}

fn certificates(path: &PathBuf) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let file = |error| TlsError::File {
        path: path.clone(),
        error,
    };
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(file)?;
    if certificates.is_empty() {
        return Err(TlsError::NoCertificate(path.clone()));
    }
    Ok(certificates)
}

/// Trusts the same certificates, under any name.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self
            .0
            .verify_server_cert(end_entity, intermediates, name, ocsp, now)
        {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
