//! Signatures over requests: AWS Signature Version 4.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{PayloadChecksumKind, SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};

use super::keys::{Chosen, Keys};
use super::target::Target;
use super::{refusal, skips_auth, variable};
use crate::wire::error::WireError;
use crate::wire::http::{Sign, Unsigned};
use crate::{Clock, ResponseHead, StreamRequest};

/// What AWS calls the service.
const SERVICE: &str = "bedrock";
/// Exceptions that a clock which is wrong leads to.
const CLOCK: [&str; 5] = [
    "RequestTimeTooSkewed",
    "RequestExpired",
    "RequestInTheFuture",
    "InvalidSignatureException",
    "SignatureDoesNotMatch",
];
/// A clock that is less wrong than this is no reason to refuse a signature, in milliseconds.
const TOLERANCE_MS: i64 = 60_000;
/// Exceptions that say that credentials are no longer good.
const EXPIRED: [&str; 2] = ["ExpiredTokenException", "UnrecognizedClientException"];

/// Signs one request.
pub(super) struct Signer {
    keys: Arc<Keys>,
    chosen: Chosen,
    region: String,
    clock: Clock,
    /// A proxy that authenticates by itself takes any signature, and may have its own use for the header.
    skips: bool,
}

impl Signer {
    pub fn new(keys: Arc<Keys>, target: &Target, request: &StreamRequest) -> Self {
        let skips = skips_auth(request);
        let value = |name| variable(request, name).map(str::to_owned);
        let chosen = match (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")) {
            _ if skips => Chosen::Fixed(fixed("dummy-access-key", "dummy-secret-key", None)),
            (Some(id), Some(secret)) => Chosen::Fixed(fixed(&id, &secret, value("AWS_SESSION_TOKEN"))),
            _ => Chosen::Chain { profile: value("AWS_PROFILE"), region: target.region.clone() },
        };
        Self { keys, chosen, region: target.region.clone(), clock: request.options.sources.clock.clone(), skips }
    }

    fn now(&self) -> SystemTime {
        let now = i128::from(self.clock.now_ms()) + i128::from(self.keys.clock_offset());
        let since = std::time::Duration::from_millis(u64::try_from(now).unwrap_or(0));
        SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

fn fixed(id: &str, secret: &str, session: Option<String>) -> Credentials {
    Credentials::new(id, secret, session, None, "environment")
}

#[async_trait]
impl Sign for Signer {
    async fn sign(&self, request: Unsigned<'_>) -> Result<HeaderMap, WireError> {
        if self.skips && request.headers.contains_key(reqwest::header::AUTHORIZATION) {
            return Ok(HeaderMap::new());
        }
        let credentials = match &self.chosen {
            Chosen::Fixed(credentials) => credentials.clone(),
            Chosen::Chain { profile, region } => self.keys.find(profile.as_deref(), region).await?,
        };
        signature(&credentials, &self.region, self.now(), &request)
    }

    fn learns(&self, refusal: &ResponseHead) -> bool {
        let Some(kind) = refusal::kind(&refusal.headers) else { return false };
        if EXPIRED.contains(&kind) {
            self.keys.forget();
        }
        let date = refusal.headers.get("date").and_then(|date| http_date_ms(date));
        let Some(date) = date.filter(|_| CLOCK.contains(&kind)) else { return false };
        let offset = date.saturating_sub(self.clock.now_ms());
        let is_news = offset.abs_diff(self.keys.clock_offset()) >= TOLERANCE_MS.unsigned_abs();
        if is_news {
            self.keys.set_clock_offset(offset);
        }
        is_news
    }
}

fn http_date_ms(date: &str) -> Option<i64> {
    Some(jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(date).ok()?.as_millisecond())
}

/// Headers that something between here and the server may change, and those that the signature brings itself.
fn is_signed(name: &HeaderName) -> bool {
    !["user-agent", "authorization", "accept-encoding", "connection", "x-amz-date", "x-amz-security-token"]
        .contains(&name.as_str())
}

fn signature(
    credentials: &Credentials,
    region: &str,
    time: SystemTime,
    request: &Unsigned<'_>,
) -> Result<HeaderMap, WireError> {
    // Nothing that a key could be part of is passed on.
    let failed = |what: &str| WireError::Config(format!("The request could not be signed for AWS: {what}"));
    let mut settings = SigningSettings::default();
    settings.payload_checksum_kind = PayloadChecksumKind::XAmzSha256;
    let identity = credentials.clone().into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(SERVICE)
        .time(time)
        .settings(settings)
        .build()
        .map_err(|error| failed(&error.to_string()))?
        .into();
    let headers: BTreeMap<&str, &str> = request
        .headers
        .iter()
        .filter(|(name, _)| is_signed(name))
        .map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
        .collect::<Option<_>>()
        .ok_or_else(|| failed("a header is not plain text"))?;
    let body = SignableBody::Precomputed(digest(request.body));
    let signable = SignableRequest::new("POST", request.url.as_str(), headers.into_iter(), body)
        .map_err(|_| failed("its address or a header is not one"))?;
    let (instructions, _) =
        sign(signable, &params).map_err(|_| failed("its address or a header is not one"))?.into_parts();
    let mut signed = HeaderMap::new();
    for (name, value) in instructions.headers() {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| failed("a header has no valid name"))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| failed("the session token is not plain text"))?;
        value.set_sensitive(true);
        signed.insert(name, value);
    }
    Ok(signed)
}

fn digest(pieces: &[Bytes]) -> String {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(piece);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_one_that_other_clients_make() {
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_440_938_160);
        let credentials = fixed("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", Some("token".to_owned()));
        let url =
            reqwest::Url::parse("https://bedrock-runtime.us-east-1.amazonaws.com/model/a.b-v1%3A0/converse-stream");
        let headers = HeaderMap::from_iter([
            (HeaderName::from_static("content-type"), HeaderValue::from_static("application/json")),
            (HeaderName::from_static("user-agent"), HeaderValue::from_static("tau")),
        ]);
        let whole = [Bytes::from_static(b"{\"messages\":[]}")];
        let pieces = [Bytes::from_static(b"{\"messages\":"), Bytes::from_static(b"[]}")];
        let url = url.expect("an address");
        let sign = |body: &[Bytes]| {
            let request = Unsigned { url: &url, headers: &headers, body };
            signature(&credentials, "us-east-1", time, &request).expect("a signature")
        };
        let signed = sign(&whole);
        assert_eq!(signed, sign(&pieces));
        let mut shown: Vec<String> =
            signed.iter().map(|(name, value)| format!("{name}: {}", value.to_str().expect("text"))).collect();
        shown.sort();
        let hash = "5e4ce7b36ba37b78a5d5f9fd08e6b7b54ba6879d651aa46ec9e1d6fa24ebe30a";
        let names = "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token";
        // Computed by hand with another program, after AWS's description of the algorithm.
        let signature = "c76914620f22d413d19cc208b6f85d441172cfd4ffa9963b1ddae5aa0f5d1207";
        let expected = [
            format!(
                "authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/bedrock/aws4_request, \
                 SignedHeaders={names}, Signature={signature}"
            ),
            format!("x-amz-content-sha256: {hash}"),
            "x-amz-date: 20150830T123600Z".to_owned(),
            "x-amz-security-token: token".to_owned(),
        ];
        assert_eq!(shown, expected);
    }
}
