//! `google-vertex`: the interface at Vertex AI, with a key or with a login of Google Cloud.

use super::login::{self, Access, Logins, variable};
use super::{KEY_HEADER, RULES, events, outgoing};
use crate::wire::driver::Emitter;
use crate::wire::error::WireError;
use crate::wire::format;
use crate::wire::http::{self, Answer, Credential, HttpClient, Outgoing};
use crate::wire::rules::Rules;
use crate::{StopReason, StreamRequest};

/// The version of the interface.
const VERSION: &str = "v1";
/// The variables that name the project, the best first.
const PROJECTS: [&str; 2] = ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"];
/// The variable that names the location.
const LOCATION: &str = "GOOGLE_CLOUD_LOCATION";
/// The variables that the format reads.
pub(crate) const VARIABLES: &[&str] = &[
    PROJECTS[0],
    PROJECTS[1],
    LOCATION,
    login::FILE_VARIABLE,
    login::QUOTA_VARIABLE,
    login::METADATA_VARIABLE,
    "HOME",
];
/// Stands in the place of a key where a login of Google Cloud is meant, as `<…>` does.
const NO_KEY: &str = "gcp-vertex-credentials";
/// Locations of several regions, which have other hosts.
const MULTI_REGIONS: [&str; 2] = ["us", "eu"];

/// The `google-vertex` wire format.
#[derive(Default)]
pub(in crate::wire) struct Vertex {
    logins: Logins,
}

impl format::Format for Vertex {
    const API: &'static str = "google-vertex";
    const RULES: Rules = RULES;

    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError> {
        let key = key(request);
        let credential: Credential = key.map(|key| (KEY_HEADER, key.to_owned())).into();
        outgoing(request, endpoint(request, key.is_some())?, credential)
    }

    async fn read(&self, answer: Answer, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
        events::read(answer, &request.model, emitter, "Google Vertex stream ended without a finish reason").await
    }

    async fn run(
        &self,
        http: &HttpClient,
        request: &StreamRequest,
        emitter: &Emitter,
    ) -> Result<StopReason, WireError> {
        let mut out = self.prepare(request)?;
        let logs_in = key(request).is_none() && !has_own_credential(request);
        if logs_in {
            let now = request.options.sources.clock.now_ms();
            let Access { token, quota_project } = self.logins.access(http, &request.options.env, now).await?;
            out.credential = Credential::Header("authorization", format!("Bearer {}", token.expose()));
            if let Some(project) = quota_project {
                out.headers.insert("x-goog-user-project".to_owned(), project);
            }
        }
        let answer = match http::send(http, request, out, Self::RULES).await {
            Err(error @ WireError::Refused { status: 401, .. }) if logs_in => {
                self.logins.forget().await;
                return Err(error);
            }
            answer => answer?,
        };
        self.read(answer, request, emitter).await
    }
}

/// Whether there is a login of Google Cloud that these variables name, and what else it needs. On machines of Google Cloud
/// that have no such file, `gcp-vertex-credentials` in the place of a key says that the machine itself is meant.
pub(crate) fn has_login(variable: impl Fn(&str) -> Option<String>, is_file: impl Fn(&str) -> bool) -> bool {
    PROJECTS.iter().any(|name| variable(name).is_some())
        && variable(LOCATION).is_some()
        && login::credentials_file(&variable).is_some_and(|path| is_file(&path.to_string_lossy()))
}

/// The key of a request, if it has a real one.
fn key(request: &StreamRequest) -> Option<&str> {
    let key = request.options.api_key.as_ref()?.expose().trim();
    let inner = key.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let stands_in = key == NO_KEY || inner.is_some_and(|inner| !inner.is_empty() && !inner.contains('>'));
    (!key.is_empty() && !stands_in).then_some(key)
}

fn has_own_credential(request: &StreamRequest) -> bool {
    let mut configured = request.model.headers.iter().flatten().chain(&request.options.headers);
    configured.any(|(name, _)| RULES.key_headers.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

fn endpoint(request: &StreamRequest, has_key: bool) -> Result<String, WireError> {
    let id = &request.model.id;
    let model = match id.split_once('/') {
        Some(("publishers" | "projects" | "models", _)) => id.clone(),
        Some((publisher, model)) => format!("publishers/{publisher}/models/{model}"),
        None => format!("publishers/google/models/{id}"),
    };
    let place = place(request, has_key)?;
    Ok(format!("{place}/{model}:streamGenerateContent?alt=sse"))
}

/// The address of the interface: that of the configuration, else that of all projects for a key, and that of the project
/// otherwise.
fn place(request: &StreamRequest, has_key: bool) -> Result<String, WireError> {
    let base = request.model.base_url.trim().trim_end_matches('/');
    // The catalogue leaves the location open.
    if !base.is_empty() && !base.contains("{location}") {
        let version = if has_version(base) { String::new() } else { format!("/{VERSION}") };
        return Ok(format!("{base}{version}"));
    }
    if has_key {
        return Ok(format!("https://aiplatform.googleapis.com/{VERSION}"));
    }
    let env = &request.options.env;
    let missing = |what: &str, name: &str| WireError::Config(format!("Vertex AI needs {what}: set {name}"));
    let project =
        PROJECTS.iter().find_map(|name| variable(env, name)).ok_or_else(|| missing("a project", PROJECTS[0]))?;
    let location = variable(env, LOCATION).ok_or_else(|| missing("a location", LOCATION))?;
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
    if !is_name(project) || !is_name(location) {
        let text =
            format!("Vertex AI has no project {project:?} at {location:?}: check {} and {LOCATION}", PROJECTS[0]);
        return Err(WireError::Config(text));
    }
    let host = match location {
        "global" => "aiplatform.googleapis.com".to_owned(),
        multi if MULTI_REGIONS.contains(&multi) => format!("aiplatform.{multi}.rep.googleapis.com"),
        region => format!("{region}-aiplatform.googleapis.com"),
    };
    Ok(format!("https://{host}/{VERSION}/projects/{project}/locations/{location}"))
}

/// Whether a part of the path is a version: `v1`, `v1beta1`.
fn has_version(base: &str) -> bool {
    let path = base.split_once("://").map_or(base, |(_, rest)| rest);
    path.split('/').skip(1).any(|part| {
        let Some(number) = part.strip_prefix('v') else { return false };
        let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
        let beta = rest.strip_prefix("beta").map(|rest| rest.chars().all(|c| c.is_ascii_digit()));
        rest.len() < number.len() && (rest.is_empty() || beta == Some(true))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Secret, StreamOptions};
    use serde_json::json;
    use std::sync::Arc;

    fn request(id: &str, base: &str, env: &[(&str, &str)]) -> StreamRequest {
        let model = json!({"id": id, "provider": "google-vertex", "baseUrl": base});
        StreamRequest {
            model: Arc::new(serde_json::from_value(model).expect("a model")),
            system: None,
            messages: Vec::new(),
            tools: Arc::from([]),
            options: StreamOptions {
                env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
                ..StreamOptions::default()
            },
            hooks: None,
            cancel: tokio_util::sync::CancellationToken::new(),
        }
    }

    #[test]
    fn the_address_depends_on_the_credential_and_the_location() {
        let catalogue = "https://{location}-aiplatform.googleapis.com";
        let google = "publishers/google/models/m:streamGenerateContent?alt=sse";
        let at = |location| [("GCLOUD_PROJECT", "p-1"), ("GOOGLE_CLOUD_LOCATION", location)];
        let url = |base: &str, env: &[(&str, &str)], key| endpoint(&request("m", base, env), key).expect("an address");
        assert_eq!(url(catalogue, &[], true), format!("https://aiplatform.googleapis.com/v1/{google}"));
        for (location, host) in [
            ("global", "aiplatform.googleapis.com"),
            ("eu", "aiplatform.eu.rep.googleapis.com"),
            ("us-central1", "us-central1-aiplatform.googleapis.com"),
        ] {
            let expected = format!("https://{host}/v1/projects/p-1/locations/{location}/{google}");
            assert_eq!(url("", &at(location), false), expected);
        }
        for (base, place) in [
            ("http://x", "http://x/v1"),
            ("http://x/v1beta1/", "http://x/v1beta1"),
            ("http://v1/y/vertex", "http://v1/y/vertex/v1"),
        ] {
            assert_eq!(url(base, &[], false), format!("{place}/{google}"));
        }
        let of = |id| endpoint(&request(id, "http://x", &[]), true).expect("an address");
        let rest = ":streamGenerateContent?alt=sse";
        assert_eq!(of("anthropic/claude"), format!("http://x/v1/publishers/anthropic/models/claude{rest}"));
        assert_eq!(of("publishers/a/models/b"), format!("http://x/v1/publishers/a/models/b{rest}"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |env: &[(&str, &str)]| endpoint(&request("m", "", env), false).expect_err("no address").to_string();
        assert_eq!(error(&[]), "Vertex AI needs a project: set GOOGLE_CLOUD_PROJECT");
        let project = ("GOOGLE_CLOUD_PROJECT", "p");
        assert_eq!(error(&[project]), "Vertex AI needs a location: set GOOGLE_CLOUD_LOCATION");
        let text = "Vertex AI has no project \"p\" at \"x/y\": check GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION";
        assert_eq!(error(&[project, ("GOOGLE_CLOUD_LOCATION", "x/y")]), text);
    }

    #[test]
    fn some_keys_stand_for_a_login() {
        for (given, real) in [
            ("AIza", Some("AIza")),
            (" k ", Some("k")),
            ("", None),
            ("gcp-vertex-credentials", None),
            ("<authenticated>", None),
            ("<>", Some("<>")),
            ("<a>b>", Some("<a>b>")),
        ] {
            let mut request = request("m", "", &[]);
            request.options.api_key = Some(Secret::new(given));
            assert_eq!(key(&request), real, "{given:?}");
        }
    }
}
