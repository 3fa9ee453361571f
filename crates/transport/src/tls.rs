//! TLS: which keys, which certificates, who may connect.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ServerConfig, WebPkiClientVerifier};

/// The PEM files of a TLS server, with Riemann's option names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// `:key`, a PKCS#8, PKCS#1 or SEC1 private key.
    pub key: PathBuf,
    /// `:cert`, our certificate and those between it and its authority.
    pub cert: PathBuf,
    /// `:ca-cert`, the authorities of our clients; with it, a client without a certificate of one
    /// of them is refused.
    pub ca_cert: Option<PathBuf>,
}

/// Why the files of a TLS server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("tcp-server: cannot read {option} {}: {source}", path.display())]
    Unreadable {
        option: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("tcp-server: {option} {} is not PEM: {reason}", path.display())]
    NotPem {
        option: &'static str,
        path: PathBuf,
        reason: String,
    },
    #[error("tcp-server: {option} {} holds no {wanted}", path.display())]
    Empty {
        option: &'static str,
        path: PathBuf,
        wanted: &'static str,
    },
    #[error("tcp-server: cannot use :key {} with :cert {}: {source}", key.display(), cert.display())]
    Mismatch {
        key: PathBuf,
        cert: PathBuf,
        source: rustls::Error,
    },
    #[error("tcp-server: cannot use :ca-cert {}: {reason}", path.display())]
    BadAuthority { path: PathBuf, reason: String },
}

/// Reads the files.
pub(crate) fn server_config(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates(":cert", &files.cert)?;
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| explain(":key", &files.key, "private key", error))?;
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("ring has the suites of TLS 1.2 and 1.3");
    let builder = match &files.ca_cert {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let roots = Arc::new(authorities(path)?);
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| TlsError::BadAuthority {
                path: path.clone(),
                reason: error.to_string(),
            })?)
        }
    };
    let config = builder
        .with_single_cert(chain, key)
        .map_err(|source| TlsError::Mismatch {
            key: files.key.clone(),
            cert: files.cert.clone(),
            source,
        })?;
    Ok(Arc::new(config))
}

fn authorities(path: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(":ca-cert", path)? {
        roots
            .add(certificate)
            .map_err(|error| TlsError::BadAuthority {
                path: path.into(),
                reason: error.to_string(),
            })?;
    }
    Ok(roots)
}

fn certificates(
    option: &'static str,
    path: &Path,
) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let wanted = "certificate";
    let chain = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| explain(option, path, wanted, error))?;
    if chain.is_empty() {
        return Err(TlsError::Empty {
            option,
            path: path.into(),
            wanted,
        });
    }
    Ok(chain)
}

fn explain(option: &'static str, path: &Path, wanted: &'static str, error: pem::Error) -> TlsError {
    let path = path.to_owned();
    match error {
        pem::Error::Io(source) => TlsError::Unreadable {
            option,
            path,
            source,
        },
        pem::Error::NoItemsFound => TlsError::Empty {
            option,
            path,
            wanted,
        },
        error => TlsError::NotPem {
            option,
            path,
            reason: error.to_string(),
        },
    }
}
