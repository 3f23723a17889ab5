//! What a service account signs to get a token.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::json;

use super::file::ServiceAccount;
use super::{LIFETIME, SCOPE};

/// A signed request for a token, for the server at `audience`, made at this time in seconds since the epoch.
pub(super) fn assertion(account: &ServiceAccount, audience: &str, now: i64) -> Result<String, String> {
    let key = key(&account.private_key).ok_or("its private_key is not an RSA key in PKCS #8")?;
    let mut header = json!({"alg": "RS256", "typ": "JWT"});
    if let Some(id) = &account.private_key_id {
        header["kid"] = json!(id);
    }
    let claims = json!({
        "iss": account.client_email, "scope": SCOPE, "aud": audience, "iat": now, "exp": now.saturating_add(LIFETIME),
    });
    let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(header), part(claims));
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature)
        .map_err(|_| "its private_key cannot sign")?;
    Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

fn key(pem: &str) -> Option<RsaKeyPair> {
    let (_, rest) = pem.split_once("-----BEGIN PRIVATE KEY-----")?;
    let (inner, _) = rest.split_once("-----END PRIVATE KEY-----")?;
    let text: String = inner.split_whitespace().collect();
    RsaKeyPair::from_pkcs8(&STANDARD.decode(text).ok()?).ok()
}
