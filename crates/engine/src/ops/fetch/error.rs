//! What went wrong with a request, in Node's words.

use std::error::Error;
use std::io;

use crate::ops::OpError;

type Cause<'a> = &'a (dyn Error + 'static);

/// Every cause of an error, the outermost first.
fn chain(error: Cause<'_>) -> impl Iterator<Item = Cause<'_>> {
    fn inner<'a>(error: &Cause<'a>) -> Option<Cause<'a>> {
        let error: Cause<'a> = *error;
        // An I/O error that only wraps another does not name it as its source.
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        }
    }
    std::iter::successors(Some(error), inner)
}

/// The number of the system error behind it all.
fn system(error: Cause<'_>) -> Option<i32> {
    chain(error).find_map(|cause| cause.downcast_ref::<io::Error>()?.raw_os_error())
}

fn certificate(error: Cause<'_>, host: &str) -> Option<OpError> {
    use rustls::CertificateError as Problem;
    let cause = chain(error).find_map(|cause| cause.downcast_ref::<rustls::Error>())?;
    let problem = match cause {
        rustls::Error::InvalidCertificate(problem) => problem,
        rustls::Error::InvalidMessage(_) => {
            return Some(OpError::new("ERR_SSL_WRONG_VERSION_NUMBER", cause.to_string()));
        }
        other => return Some(OpError::new("ERR_SSL_PROTOCOL_ERROR", other.to_string())),
    };
    let (code, message) = match problem {
        Problem::Expired | Problem::ExpiredContext { .. } => ("CERT_HAS_EXPIRED", "certificate has expired".to_owned()),
        Problem::NotValidYet | Problem::NotValidYetContext { .. } => {
            ("CERT_NOT_YET_VALID", "certificate is not yet valid".to_owned())
        }
        Problem::Revoked => ("CERT_REVOKED", "certificate revoked".to_owned()),
        Problem::NotValidForName | Problem::NotValidForNameContext { .. } => {
            let message = format!(
                "Hostname/IP does not match certificate's altnames: Host: {host}. is not in the cert's altnames"
            );
            ("ERR_TLS_CERT_ALTNAME_INVALID", message)
        }
        Problem::UnknownIssuer => {
            ("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate".to_owned())
        }
        other => ("CERT_UNTRUSTED", format!("certificate not trusted: {other}")),
    };
    Some(OpError::new(code, message))
}

/// The error of a request that got no answer.
pub(super) fn describe(error: &reqwest::Error, url: &reqwest::Url) -> OpError {
    let host = url.host_str().unwrap_or_default();
    let text: Vec<String> = chain(error).map(ToString::to_string).collect();
    if text.iter().any(|cause| cause.contains("dns error")) {
        // The resolver's own codes are only in the text.
        let again = text.iter().any(|cause| cause.contains("emporary failure"));
        let (code, errno) = if again { ("EAI_AGAIN", -3_001) } else { ("ENOTFOUND", -3_008) };
        let error = OpError::new(code, format!("getaddrinfo {code} {host}"));
        return OpError { errno: Some(errno), syscall: Some("getaddrinfo".to_owned()), ..error };
    }
    if let Some(problem) = certificate(error, host) {
        return problem;
    }
    if error.is_timeout() {
        return if error.is_connect() {
            OpError::new("UND_ERR_CONNECT_TIMEOUT", "Connect Timeout Error")
        } else {
            OpError::new("UND_ERR_HEADERS_TIMEOUT", "Headers Timeout Error")
        };
    }
    if let Some(number) = system(error) {
        let syscall = if error.is_connect() { "connect" } else { "read" };
        let system = io::Error::from_raw_os_error(number);
        let mut described = OpError::io(&system, syscall, None);
        let code = described.code.clone().unwrap_or_default();
        described.message = if error.is_connect() {
            format!("connect {code} {host}:{}", url.port_or_known_default().unwrap_or_default())
        } else {
            format!("{syscall} {code}")
        };
        return described;
    }
    if text.iter().any(|cause| cause.contains("before message completed") || cause.contains("connection closed")) {
        return OpError::new("UND_ERR_SOCKET", "other side closed");
    }
    OpError::new("UND_ERR", text.last().cloned().unwrap_or_default())
}

/// The error of an answer whose body broke off.
pub(super) fn broken_body(error: &reqwest::Error) -> io::Error {
    if let Some(number) = system(error) {
        return io::Error::from_raw_os_error(number);
    }
    if error.is_timeout() {
        return io::Error::new(io::ErrorKind::TimedOut, "Body Timeout Error");
    }
    io::Error::other(chain(error).last().map(ToString::to_string).unwrap_or_default())
}
