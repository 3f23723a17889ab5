//! `tau auth check`: whether a request could be authenticated.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Map, Value};
use tau_ai::{AuthError, AuthSource, ModelProblem, RequestAuth};

use super::{Asked, Open};
use crate::run::{diagnostics, say};

/// The exit code of a question that makes no sense, and of a credential that is there and cannot be used.
pub(super) const INVALID: u8 = 2;

/// Which kind of credential a request would be made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    ApiKey,
    Login,
}

/// What there is for a provider.
pub(super) enum Found {
    Ready(Kind, Option<String>),
    NotReady(&'static str),
    Invalid(String),
}

pub(super) async fn check(asked: &Asked<'_>) -> ExitCode {
    let mut open = asked.open();
    let (provider, found) = match provider(asked, &mut open).await {
        Ok(provider) => {
            let refresh = (!asked.has("--no-refresh")).then_some(Duration::ZERO);
            let found = look(asked, &mut open, &provider, refresh).await;
            (provider, found)
        }
        Err(error) => (asked.value("--model").unwrap_or_default().to_owned(), Found::Invalid(error)),
    };
    open.close().await;
    tell(asked, &provider, &found)
}

/// The provider that is asked about. Models of extensions are known when nothing else fits.
pub(super) async fn provider(asked: &Asked<'_>, open: &mut Open) -> Result<String, String> {
    match asked.provider(open) {
        Ok(provider) => Ok(provider),
        Err(_) => {
            open.load_extensions(asked.context).await?;
            asked.provider(open)
        }
    }
}

/// What there is; a login is renewed for `refresh` unless nobody wants it.
pub(super) async fn look(asked: &Asked<'_>, open: &mut Open, provider: &str, refresh: Option<Duration>) -> Found {
    let needs_extensions = !open.registry.knows_provider(provider) || open.registry.uses_login(provider);
    if needs_extensions && let Err(error) = open.load_extensions(asked.context).await {
        return Found::Invalid(error);
    }
    if !open.registry.knows_provider(provider) {
        return Found::NotReady("provider_not_found");
    }
    if let Some(least) = refresh {
        match open.logins.renew(provider, least).await {
            Ok(warning) => warning.iter().for_each(|warning| diagnostics::warning(warning)),
            Err(error) => return Found::Invalid(error.to_string()),
        }
    }
    // What a damaged file says is unknown, also that there is nothing for this provider.
    let damaged = || {
        let found = open.registry.diagnose().into_iter();
        found
            .map(|found| found.problem)
            .find(|problem| matches!(problem, ModelProblem::BrokenFile { file: "auth.json", .. }))
    };
    match open.registry.provider_auth(provider) {
        Ok(auth) => {
            let login = auth.source == AuthSource::Stored && open.registry.uses_login(provider);
            Found::Ready(if login { Kind::Login } else { Kind::ApiKey }, secret(&auth))
        }
        // It is there; whether it is still good was not asked.
        Err(AuthError::Expired { .. }) if refresh.is_none() => Found::Ready(Kind::Login, None),
        Err(AuthError::Missing { .. } | AuthError::Environment { .. }) => match damaged() {
            Some(problem) => Found::Invalid(problem.to_string()),
            None => Found::NotReady("credentials_not_configured"),
        },
        Err(error) => Found::Invalid(error.to_string()),
    }
}

/// The key or token of a request. A token may be a whole header.
fn secret(auth: &RequestAuth) -> Option<String> {
    let bearer = || auth.headers.get("Authorization")?.strip_prefix("Bearer ").map(str::to_owned);
    auth.api_key.as_ref().map(|key| key.expose().to_owned()).or_else(bearer)
}

fn tell(asked: &Asked<'_>, provider: &str, found: &Found) -> ExitCode {
    let with_secret = asked.has("--credentials");
    let (status, code) = match found {
        Found::Ready(..) => ("ready", ExitCode::SUCCESS),
        Found::NotReady(_) => ("not_ready", ExitCode::FAILURE),
        Found::Invalid(_) => ("invalid", INVALID.into()),
    };
    if let Found::Invalid(why) = found {
        diagnostics::line(why);
    }
    if !asked.has("--json") {
        let text = match found {
            Found::Ready(_, Some(secret)) if with_secret => secret,
            _ => status,
        };
        say(&format!("{text}\n"));
        return code;
    }
    let mut object = Map::new();
    let mut put = |key: &str, value: &str| object.insert(key.to_owned(), Value::from(value));
    put("status", status);
    put("provider", provider);
    match found {
        Found::Ready(kind, secret) => {
            put("authType", if *kind == Kind::Login { "oauth" } else { "api_key" });
            if let Some(secret) = secret.as_ref().filter(|_| with_secret) {
                put("credentials", secret);
            }
        }
        Found::NotReady(reason) => drop(put("reason", reason)),
        Found::Invalid(_) => drop(put("reason", "invalid_state")),
    }
    say(&format!("{}\n", Value::Object(object)));
    code
}
