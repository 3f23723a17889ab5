//! Workload identity at Anthropic: the token that a platform gives a workload is exchanged for one that lives minutes.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::client::{Connections, host_of};
use super::failure::Failure;
use super::open_router::reason;
use super::server::is_private;
use super::tokens;
use crate::{Secret, now_ms};

const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const BETA: &str = "oauth-2025-04-20,oidc-federation-2026-04-01";
/// Most bytes of the token of the platform.
const MOST: usize = 16 * 1024;

/// What the environment says about a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkloadIdentity {
    /// The rule that says whom to trust.
    pub rule: String,
    /// The organization.
    pub organization: String,
    /// The file with the token of the platform, which renews it there.
    pub token_file: String,
    /// The account to act as.
    pub service_account: Option<String>,
    /// The workspace, where the rule is good for several.
    pub workspace: Option<String>,
}

/// A token that was exchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchanged {
    /// The token.
    pub token: Secret,
    /// When it expires, in milliseconds since the Unix epoch.
    pub expires: i64,
}

/// Why there is no token. The text holds no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WorkloadError(String);

impl WorkloadIdentity {
    /// What the variables say; nothing unless rule, organization and file are named.
    pub fn of(env: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let env = |name: &str| env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        Some(Self {
            rule: env("ANTHROPIC_FEDERATION_RULE_ID")?,
            organization: env("ANTHROPIC_ORGANIZATION_ID")?,
            token_file: env("ANTHROPIC_IDENTITY_TOKEN_FILE")?,
            service_account: env("ANTHROPIC_SERVICE_ACCOUNT_ID"),
            workspace: env("ANTHROPIC_WORKSPACE_ID"),
        })
    }

    /// Exchanges the token of the platform.
    ///
    /// # Errors
    /// When the address is open to others, the token is none, or the server refuses.
    pub async fn exchange(
        &self,
        assertion: &str,
        base_url: &str,
        connections: &Connections,
    ) -> Result<Exchanged, WorkloadError> {
        let failed = |text: String| WorkloadError(text);
        let assertion = assertion.trim();
        if assertion.is_empty() || assertion.len() > MOST {
            let wrong = if assertion.is_empty() { "is empty" } else { "holds more than a token" };
            return Err(failed(format!("{} {wrong}", self.token_file)));
        }
        let base = base_url.trim_end_matches('/');
        let base = base.strip_suffix("/v1").unwrap_or(base);
        let url = Url::parse(&format!("{base}/v1/oauth/token")).map_err(|error| failed(format!("{base}: {error}")))?;
        if !is_private(&url) {
            return Err(failed(format!("{base} does not begin with https://, so no token is sent there")));
        }
        let asked = json!({
            "grant_type": GRANT, "assertion": assertion,
            "federation_rule_id": self.rule, "organization_id": self.organization,
        });
        let mut asked = asked.as_object().cloned().unwrap_or_default();
        let optional = [("service_account_id", &self.service_account), ("workspace_id", &self.workspace)];
        for (name, value) in optional {
            if let Some(value) = value {
                asked.insert(name.to_owned(), value.as_str().into());
            }
        }
        let host = host_of(&url);
        let mut request = reqwest::Request::new(reqwest::Method::POST, url);
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.headers_mut().insert(HeaderName::from_static("anthropic-beta"), HeaderValue::from_static(BETA));
        *request.body_mut() = Some(Value::Object(asked).to_string().into());
        let answer = connections.send(request).await.map_err(|failure| failed(failure.to_string()))?;
        let said: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if !answer.status.is_success() {
            return Err(failed(self.refusal(host, answer.status.as_u16(), &answer.headers, &said)));
        }
        tokens::check(&said).map_err(|what| failed(Failure::Unusable { host: host.clone(), what }.to_string()))?;
        let token = said["access_token"].as_str().filter(|token| !token.is_empty());
        let seconds = said["expires_in"].as_f64().or_else(|| said["expires_in"].as_str()?.parse().ok());
        let (Some(token), Some(seconds)) = (token, seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0))
        else {
            let missing = if token.is_none() { "access token" } else { "time at which it expires" };
            return Err(failed(Failure::Incomplete { host, missing }.to_string()));
        };
        let life = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let expires = now_ms().saturating_add(i64::try_from(life.as_millis()).unwrap_or(i64::MAX));
        Ok(Exchanged { token: Secret::new(token.to_owned()), expires })
    }

    fn refusal(&self, host: String, status: u16, headers: &reqwest::header::HeaderMap, said: &Value) -> String {
        let id = headers.get("request-id").and_then(|id| id.to_str().ok());
        let id = id.map(|id| format!(", request {id}")).unwrap_or_default();
        let refused = Failure::Refused { host, code: format!("status {status}{id}"), description: reason(said) };
        let advice = match (status, &self.workspace) {
            (401, None) => {
                ". The rule must match the token; a rule for several workspaces needs ANTHROPIC_WORKSPACE_ID"
            }
            (401, Some(_)) => ". The rule must match the token",
            _ => "",
        };
        format!("{refused}{advice}")
    }
}
