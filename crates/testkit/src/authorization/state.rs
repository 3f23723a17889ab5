//! What the server gave out.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Fields;

/// Codes and tokens. Each is good once.
#[derive(Default)]
pub(super) struct Known {
    life: Duration,
    count: usize,
    /// The challenge and the address of each code.
    codes: BTreeMap<String, (String, Option<String>)>,
    refresh: Vec<String>,
    /// Device codes, each with the code of its user and whether that was typed.
    devices: BTreeMap<String, (String, bool)>,
}

type Done = Result<Value, &'static str>;

impl Known {
    pub(super) fn new(life: Duration) -> Self {
        Self { life, ..Self::default() }
    }

    fn next(&mut self, what: &str) -> String {
        self.count += 1;
        format!("{what}-{}", self.count)
    }

    pub(super) fn refresh_token(&mut self) -> String {
        let token = self.next("token-refresh");
        self.refresh.push(token.clone());
        token
    }

    pub(super) fn last_token(&self) -> String {
        format!("token-access-{}", self.count)
    }

    /// The user signs in: where the browser goes.
    pub(super) fn authorize(&mut self, given: &Fields) -> Result<String, &'static str> {
        let get = |name: &str| given.get(name).map(String::as_str);
        if get("code_challenge_method") != Some("S256") {
            return Err("no PKCE");
        }
        let challenge = get("code_challenge").ok_or("no challenge")?.to_owned();
        let code = self.next("code");
        if let Some(to) = get("callback_url") {
            self.codes.insert(code.clone(), (challenge, None));
            return Ok(format!("{to}?code={code}"));
        }
        let is_right = get("response_type") == Some("code") && get("client_id") == Some("tau-test");
        let (to, state) = (get("redirect_uri").ok_or("no address")?, get("state").ok_or("no state")?);
        if !is_right {
            return Err("not for tau");
        }
        self.codes.insert(code.clone(), (challenge, Some(to.to_owned())));
        Ok(format!("{to}?code={code}&state={state}"))
    }

    pub(super) fn token(&mut self, given: &Fields) -> Done {
        if given.get("client_id").map(String::as_str) != Some("tau-test") {
            return Err("invalid_client");
        }
        match given.get("grant_type").map(String::as_str) {
            Some("authorization_code") => self.redeem(given)?,
            Some("refresh_token") => {
                let token = given.get("refresh_token").ok_or("invalid_request")?;
                let at = self.refresh.iter().position(|known| known == token).ok_or("invalid_grant")?;
                self.refresh.remove(at);
            }
            Some("urn:ietf:params:oauth:grant-type:device_code") => {
                let code = given.get("device_code").ok_or("invalid_request")?;
                let (_, entered) = self.devices.get(code).ok_or("expired_token")?;
                if !entered {
                    return Err("authorization_pending");
                }
                self.devices.remove(code);
            }
            _ => return Err("unsupported_grant_type"),
        }
        let refresh = self.refresh_token();
        let access = self.next("token-access");
        Ok(json!({
            "access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": self.life.as_secs(),
        }))
    }

    fn redeem(&mut self, given: &Fields) -> Result<(), &'static str> {
        let (challenge, address) = given.get("code").and_then(|code| self.codes.remove(code)).ok_or("invalid_grant")?;
        let verifier = given.get("code_verifier").ok_or("invalid_request")?;
        let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        let is_right = proof == challenge && address.as_ref().is_none_or(|to| given.get("redirect_uri") == Some(to));
        is_right.then_some(()).ok_or("invalid_grant")
    }

    pub(super) fn key(&mut self, given: &Fields) -> Done {
        self.redeem(given)?;
        Ok(json!({"key": self.next("token-access")}))
    }

    pub(super) fn exchange(&mut self, given: &Fields) -> Done {
        let is = |name: &str, value: &str| given.get(name).is_some_and(|given| given == value);
        let is_right = is("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
            && is("assertion", "token-of-the-platform")
            && is("federation_rule_id", "rule")
            && is("organization_id", "org");
        if !is_right {
            return Err("invalid_grant");
        }
        Ok(
            json!({"access_token": self.next("token-access"), "token_type": "Bearer", "expires_in": self.life.as_secs()}),
        )
    }

    pub(super) fn device(&mut self, page: &str) -> Value {
        let (device, user) = (self.next("device"), self.next("USER"));
        self.devices.insert(device.clone(), (user.clone(), false));
        json!({"device_code": device, "user_code": user, "verification_uri": page, "expires_in": 600, "interval": 0})
    }

    pub(super) fn enter(&mut self, user_code: &str) {
        for (user, entered) in self.devices.values_mut() {
            *entered |= user == user_code;
        }
    }
}
