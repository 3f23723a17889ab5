//! Logins of Google Cloud: the Application Default Credentials of a user, those of a service account, and what the machine
//! itself is given.
//!
//! Nothing is read or asked before the first request. A token is kept until shortly before it expires; requests that need
//! one at the same time wait for the same.

mod file;
mod service_account;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::Secret;
use crate::wire::error::WireError;
use crate::wire::http::HttpClient;
use file::Login;

/// The variable that names a file of credentials.
pub(super) const FILE_VARIABLE: &str = "GOOGLE_APPLICATION_CREDENTIALS";
/// The variable that names the project whose quota is used.
pub(super) const QUOTA_VARIABLE: &str = "GOOGLE_CLOUD_QUOTA_PROJECT";
/// The variable that names the host of the metadata server.
pub(super) const METADATA_VARIABLE: &str = "GCE_METADATA_HOST";

/// Where `gcloud auth application-default login` keeps its login, below the home folder.
const GCLOUD_FILE: &str = ".config/gcloud/application_default_credentials.json";
const METADATA_HOST: &str = "metadata.google.internal";
/// What a token is for.
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_ADDRESS: &str = "https://oauth2.googleapis.com/token";
/// How long a token is asked for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the metadata server may take.
const METADATA_PATIENCE: Duration = Duration::from_secs(5);
/// A token is renewed so long before it expires, in milliseconds.
const MARGIN: i64 = 300_000;
/// How long a token lives that does not say it, in seconds.
const LIFETIME: i64 = 3600;
/// What to do when there is no login.
const ADVICE: &str = "Set GOOGLE_CLOUD_API_KEY, log in with `gcloud auth application-default login`, or name the file of a \
                      service account in GOOGLE_APPLICATION_CREDENTIALS.";

/// What a request authenticates with.
#[derive(Clone)]
pub(super) struct Access {
    pub token: Secret,
    /// The project that pays, where it is not that of the request.
    pub quota_project: Option<String>,
}

/// The tokens of logins.
#[derive(Default)]
pub(super) struct Logins(Mutex<Option<Known>>);

struct Known {
    source: Source,
    access: Access,
    /// In milliseconds since the epoch.
    expires: i64,
}

/// Where a login is. A file that was written anew holds another one.
#[derive(PartialEq)]
enum Source {
    File(PathBuf, Option<SystemTime>),
    Metadata(String),
}

/// A token as servers give it.
#[derive(Deserialize)]
struct Token {
    access_token: String,
    expires_in: Option<i64>,
}

/// A variable of the request, if it is set to something.
pub(super) fn variable<'e>(env: &'e BTreeMap<String, String>, name: &str) -> Option<&'e str> {
    env.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
}

/// The file of credentials that requests with these variables use, whether it is there or not.
pub(super) fn credentials_file(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let home = || variable("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    match variable(FILE_VARIABLE).filter(|path| !path.is_empty()) {
        Some(path) => Some(match path.strip_prefix("~/") {
            Some(rest) => home()?.join(rest),
            None => PathBuf::from(path),
        }),
        None => Some(home()?.join(GCLOUD_FILE)),
    }
}

impl Logins {
    /// A token for a request with these variables, at this time in milliseconds since the epoch.
    ///
    /// # Errors
    /// When there is no login, or no token for it.
    pub async fn access(
        &self,
        http: &HttpClient,
        env: &BTreeMap<String, String>,
        now: i64,
    ) -> Result<Access, WireError> {
        let source = source(env).await;
        let mut known = self.0.lock().await;
        if let Some(known) = known.as_ref().filter(|known| known.source == source && known.expires - MARGIN > now) {
            return Ok(known.access.clone());
        }
        let (token, quota_project) = match &source {
            Source::File(path, _) => from_file(http, path, now).await?,
            Source::Metadata(host) => (from_metadata(http, host).await?, None),
        };
        let quota_project = variable(env, QUOTA_VARIABLE).map(str::to_owned).or(quota_project);
        let access = Access { token: Secret::new(token.access_token), quota_project };
        let expires = now.saturating_add(token.expires_in.unwrap_or(LIFETIME).saturating_mul(1000));
        *known = Some(Known { source, access: access.clone(), expires });
        Ok(access)
    }

    /// Forgets a token that was refused.
    pub async fn forget(&self) {
        *self.0.lock().await = None;
    }
}

/// A file that is named must be there; that of gcloud may be missing, and then the machine is asked.
async fn source(env: &BTreeMap<String, String>) -> Source {
    let file = credentials_file(|name| variable(env, name).map(str::to_owned));
    if let Some(path) = file {
        let found = tokio::fs::metadata(&path).await.ok();
        if found.is_some() || variable(env, FILE_VARIABLE).is_some() {
            return Source::File(path, found.and_then(|found| found.modified().ok()));
        }
    }
    Source::Metadata(variable(env, METADATA_VARIABLE).unwrap_or(METADATA_HOST).to_owned())
}

async fn from_file(http: &HttpClient, path: &Path, now: i64) -> Result<(Token, Option<String>), WireError> {
    let unusable = |why: String| {
        WireError::Config(format!("The Google Cloud credentials in {} cannot be used: {why}", path.display()))
    };
    let text = tokio::fs::read(path).await.map_err(|error| unusable(error.to_string()))?;
    let (address, form, quota_project) = match file::parse(&text).map_err(unusable)? {
        Login::User { client_id, client_secret, refresh_token, quota_project_id, token_uri } => {
            let form = vec![
                ("grant_type", "refresh_token".to_owned()),
                ("client_id", client_id),
                ("client_secret", client_secret),
                ("refresh_token", refresh_token),
            ];
            (token_uri, form, quota_project_id)
        }
        Login::ServiceAccount(account) => {
            let address = account.token_uri.clone();
            let audience = address.as_deref().unwrap_or(TOKEN_ADDRESS);
            let assertion = service_account::assertion(&account, audience, now / 1000).map_err(unusable)?;
            let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer".to_owned();
            (address, vec![("grant_type", grant), ("assertion", assertion)], None)
        }
    };
    let address = address.unwrap_or_else(|| TOKEN_ADDRESS.to_owned());
    let url = reqwest::Url::parse(&address).map_err(|_| unusable("token_uri is not a valid URL".to_owned()))?;
    let request = http
        .for_url(&url)
        .await?
        .post(url.clone())
        .timeout(PATIENCE)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form_text(&form));
    let token = ask(request, &url, |why| {
        unusable(format!("{why}. Log in again with `gcloud auth application-default login`, or take another file"))
    })
    .await?;
    Ok((token, quota_project))
}

async fn from_metadata(http: &HttpClient, host: &str) -> Result<Token, WireError> {
    let none = |why: String| WireError::Config(format!("No Google Cloud credentials: {why}. {ADVICE}"));
    let address = format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token?scopes={SCOPE}");
    let url = reqwest::Url::parse(&address).map_err(|_| none(format!("{METADATA_VARIABLE} is not a host name")))?;
    let request =
        http.for_url(&url).await?.get(url.clone()).timeout(METADATA_PATIENCE).header("metadata-flavor", "Google");
    match ask(request, &url, &none).await {
        // Off Google's machines there is no such server.
        Err(WireError::Unreachable { .. }) => {
            Err(none("there is no file of credentials, and this machine is not one of Google Cloud".to_owned()))
        }
        answer => answer,
    }
}

/// Asks for a token. A refusal is final, so that nobody asks again; a server that is busy is not.
async fn ask(
    request: reqwest::RequestBuilder,
    url: &reqwest::Url,
    refused: impl Fn(String) -> WireError,
) -> Result<Token, WireError> {
    let host = url.host_str().unwrap_or_default().to_owned();
    let unreachable = |error| WireError::unreachable("Google Cloud login", &host, error, None, None);
    let response = request.send().await.map_err(unreachable)?;
    let status = response.status();
    let body = response.bytes().await.map_err(unreachable)?;
    if status.is_success() {
        return serde_json::from_slice(&body).map_err(|_| refused(format!("{host} gave no token")));
    }
    let said: Value = serde_json::from_slice(&body).unwrap_or_default();
    let words = ["error", "error_description"].into_iter().filter_map(|key| said[key].as_str()).collect::<Vec<_>>();
    if status.is_server_error() {
        let text = format!("{} {host} gave no token: {}", status.as_u16(), words.join(": "));
        return Err(WireError::Refused { status: status.as_u16(), text, retry_after: None, headers: BTreeMap::new() });
    }
    let words = if words.is_empty() { format!("it answered {}", status.as_u16()) } else { words.join(": ") };
    Err(refused(format!("{host} refused: {words}")))
}

fn form_text(form: &[(&str, String)]) -> String {
    let mut text = url::form_urlencoded::Serializer::new(String::new());
    text.extend_pairs(form);
    text.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_the_named_one_or_that_of_gcloud() {
        let file = |pairs: &[(&str, &str)]| {
            let get = |name: &str| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            credentials_file(get)
        };
        let home = ("HOME", "/home/a");
        assert_eq!(file(&[]), None);
        assert_eq!(file(&[home]), Some("/home/a/.config/gcloud/application_default_credentials.json".into()));
        assert_eq!(file(&[home, (FILE_VARIABLE, "~/key.json")]), Some("/home/a/key.json".into()));
        assert_eq!(file(&[(FILE_VARIABLE, "/k.json")]), Some("/k.json".into()));
    }
}
