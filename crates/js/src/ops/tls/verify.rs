//! Checking the other side's certificate, with Node's names for what is wrong with it.

use std::sync::Arc;

use parking_lot::Mutex;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

/// What was found about the certificate of one connection.
#[derive(Debug, Default)]
pub(super) struct Verdict(Mutex<Option<(&'static str, String)>>);

impl Verdict {
    /// Node's code and message for what is wrong; none when nothing is.
    pub(super) fn problem(&self) -> Option<(&'static str, String)> {
        self.0.lock().clone()
    }
}

/// Notes what is wrong with a certificate, and lets it pass where the program asked for that.
#[derive(Debug)]
pub(super) struct Lenient {
    inner: Arc<dyn ServerCertVerifier>,
    lenient: bool,
    verdict: Arc<Verdict>,
}

impl Lenient {
    pub(super) fn new(inner: Arc<dyn ServerCertVerifier>, lenient: bool, verdict: Arc<Verdict>) -> Self {
        Self { inner, lenient, verdict }
    }
}

fn describe(error: &Error, name: &ServerName<'_>, alone: bool) -> (&'static str, String) {
    let Error::InvalidCertificate(problem) = error else {
        return ("UNABLE_TO_VERIFY_LEAF_SIGNATURE", error.to_string());
    };
    let (code, text) = match problem {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            ("CERT_HAS_EXPIRED", "certificate has expired")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("CERT_NOT_YET_VALID", "certificate is not yet valid")
        }
        CertificateError::Revoked => ("CERT_REVOKED", "certificate revoked"),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            let message = format!("Hostname/IP does not match certificate's altnames: {} is not in the list", name.to_str());
            return ("ERR_TLS_CERT_ALTNAME_INVALID", message);
        }
        CertificateError::UnknownIssuer if alone => ("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate"),
        CertificateError::UnknownIssuer => ("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate"),
        other => return ("CERT_UNTRUSTED", format!("certificate not trusted: {other}")),
    };
    (code, text.to_owned())
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.inner.verify_server_cert(leaf, others, name, ocsp, now) {
            Ok(verified) => Ok(verified),
            Err(error) => {
                *self.verdict.0.lock() = Some(describe(&error, name, others.is_empty()));
                if self.lenient { Ok(ServerCertVerified::assertion()) } else { Err(error) }
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}
