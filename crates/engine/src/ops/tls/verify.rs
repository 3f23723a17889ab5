//! Checking the other side's certificate, with Node's names for what is wrong with it.

use std::sync::Arc;

use parking_lot::Mutex;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use x509_cert::Certificate;
use x509_cert::der::Decode;

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
    /// Trusted as they are, although they vouch for themselves: what people make for their own machines.
    pinned: Vec<CertificateDer<'static>>,
    lenient: bool,
    verdict: Arc<Verdict>,
}

impl Lenient {
    pub(super) fn new(
        inner: Arc<dyn ServerCertVerifier>,
        pinned: Vec<CertificateDer<'static>>,
        lenient: bool,
        verdict: Arc<Verdict>,
    ) -> Self {
        Self { inner, pinned, lenient, verdict }
    }

    /// The verdict on a certificate that the program itself named as trusted.
    fn check_pinned(&self, leaf: &CertificateDer<'_>, name: &ServerName<'_>, now: UnixTime) -> Result<(), Error> {
        let bad = |_| Error::InvalidCertificate(CertificateError::BadEncoding);
        let certificate = Certificate::from_der(leaf).map_err(bad)?;
        let validity = certificate.tbs_certificate().validity();
        if now.as_secs() < validity.not_before.to_unix_duration().as_secs() {
            return Err(CertificateError::NotValidYet.into());
        }
        if now.as_secs() > validity.not_after.to_unix_duration().as_secs() {
            return Err(CertificateError::Expired.into());
        }
        verify_server_name(&ParsedCertificate::try_from(leaf)?, name)
    }
}

/// Whether a certificate's issuer is its subject.
fn vouches_for_itself(leaf: &CertificateDer<'_>) -> bool {
    let certificate = Certificate::from_der(leaf);
    certificate
        .is_ok_and(|certificate| certificate.tbs_certificate().issuer() == certificate.tbs_certificate().subject())
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
            let message =
                format!("Hostname/IP does not match certificate's altnames: {} is not in the list", name.to_str());
            return ("ERR_TLS_CERT_ALTNAME_INVALID", message);
        }
        CertificateError::UnknownIssuer | CertificateError::Other(_) if alone => {
            ("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate")
        }
        CertificateError::UnknownIssuer => {
            ("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate")
        }
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
        let checked = if self.pinned.iter().any(|pinned| pinned == leaf) {
            self.check_pinned(leaf, name, now).map(|()| ServerCertVerified::assertion())
        } else {
            self.inner.verify_server_cert(leaf, others, name, ocsp, now)
        };
        match checked {
            Ok(verified) => Ok(verified),
            Err(error) => {
                *self.verdict.0.lock() = Some(describe(&error, name, vouches_for_itself(leaf)));
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
