//! `tau auth check`: whether a request could be authenticated.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Map, Value};
use tau_ai::{AuthError, AuthSource, AuthStatus, ModelProblem, PatternError, RequestAuth};

use super::{Asked, Open};
use crate::diagnostics;
use crate::output::say;

/// The exit code of a question that makes no sense, and of a credential that is there and cannot be used.
pub(super) const INVALID: u8 = 2;

/// Which kind of credential a request would be made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    ApiKey,
    Login,
    /// It needs none.
    Nothing,
}

impl Kind {
    /// A word for programs.
    fn word(self) -> &'static str {
        match self {
            Self::ApiKey => "api_key",
            Self::Login => "oauth",
            Self::Nothing => "none",
        }
    }
}

/// What is said of a server on this machine.
pub(super) fn no_key(provider: &str) -> String {
    format!("{provider} is a server on this machine and needs no key")
}

/// What there is for a provider.
pub(super) enum Found {
    Ready(Kind, Option<String>),
    /// A word for programs and, where it needs more, a sentence for people.
    NotReady(&'static str, Option<String>),
    Invalid(String),
}

pub(super) async fn check(asked: &Asked<'_>) -> ExitCode {
    let mut open = asked.open();
    asked.look_for_local(&open, None).await;
    let (provider, found) = match provider(asked, &mut open).await {
        Ok(provider) => {
            let refresh = (!asked.has("--no-refresh")).then_some(Duration::ZERO);
            let found = look(asked, &mut open, &provider, refresh).await;
            let found = with_model(asked, &mut open, &provider, found).await;
            (provider, found)
        }
        Err(unknown) => (asked.value("--model").unwrap_or_default().to_owned(), unknown),
    };
    open.close().await;
    tell(asked, &provider, &found)
}

/// A credential is of use only with a model to ask. What extensions bring is known when nothing else fits.
async fn with_model(asked: &Asked<'_>, open: &mut Open, provider: &str, found: Found) -> Found {
    let Found::Ready(..) = found else { return found };
    if without_model(open, provider).is_none() {
        return found;
    }
    match open.load_extensions(asked.context).await {
        Ok(()) => without_model(open, provider).unwrap_or(found),
        Err(error) => Found::Invalid(error),
    }
}

/// Why no model of a provider can be asked, whatever its credential.
fn without_model(open: &Open, provider: &str) -> Option<Found> {
    if open.registry.of_provider(provider).is_empty() {
        let why = format!("tau knows no model of {provider}; define one in models.json");
        return Some(Found::NotReady(MODEL_NOT_FOUND, Some(why)));
    }
    let problem = open.registry.diagnose_provider(provider)?;
    matches!(problem, ModelProblem::UnknownApi { .. } | ModelProblem::MissingApi { .. })
        .then(|| Found::NotReady("unknown_api", Some(format!("{provider}: {problem}"))))
}

/// The provider that is asked about. Models of extensions are known when nothing else fits.
pub(super) async fn provider(asked: &Asked<'_>, open: &mut Open) -> Result<String, Found> {
    if let Ok(provider) = asked.provider(open) {
        return Ok(provider);
    }
    open.load_extensions(asked.context).await.map_err(Found::Invalid)?;
    asked.provider(open).map_err(|error| {
        let unknown = Found::NotReady(MODEL_NOT_FOUND, Some(error.to_string()));
        if matches!(error, PatternError::LeftOut { .. }) { damaged(open).unwrap_or(unknown) } else { unknown }
    })
}

const MODEL_NOT_FOUND: &str = "model_not_found";

/// What there is; a login is renewed for `refresh` unless nobody wants it.
pub(super) async fn look(asked: &Asked<'_>, open: &mut Open, provider: &str, refresh: Option<Duration>) -> Found {
    let needs_extensions = !open.registry.knows_provider(provider) || open.registry.uses_login(provider);
    if needs_extensions && let Err(error) = open.load_extensions(asked.context).await {
        return Found::Invalid(error);
    }
    if !open.registry.knows_provider(provider) {
        return match open.registry.local_problem(provider) {
            Some(why) => Found::NotReady(MODEL_NOT_FOUND, Some(why)),
            None => damaged(open)
                .unwrap_or(Found::NotReady("provider_not_found", Some(format!("there is no provider {provider}")))),
        };
    }
    if let Some(least) = refresh {
        match open.logins.renew(provider, least).await {
            Ok(warning) => warning.iter().for_each(diagnostics::warning),
            Err(error) => return Found::Invalid(error.to_string()),
        }
    }
    match open.registry.provider_auth(provider) {
        Ok(auth) => {
            let stored = auth.source == AuthSource::Stored && open.registry.uses_login(provider);
            let login = stored || auth.source == AuthSource::Workload;
            match login {
                true => Found::Ready(Kind::Login, secret(&auth)),
                false if open.registry.is_local_server(provider) => Found::Ready(Kind::Nothing, None),
                false => Found::Ready(Kind::ApiKey, secret(&auth)),
            }
        }
        // It is there; whether it is still good was not asked.
        Err(AuthError::Expired { .. }) if refresh.is_none() => Found::Ready(Kind::Login, None),
        Err(AuthError::Missing { .. })
            if refresh.is_none() && open.registry.auth_status(provider) == AuthStatus::Workload =>
        {
            Found::Ready(Kind::Login, None)
        }
        Err(error @ (AuthError::Missing { .. } | AuthError::Environment { .. })) => {
            let why = matches!(error, AuthError::Environment { .. }).then(|| format!("{error}."));
            damaged(open).unwrap_or(Found::NotReady("credentials_not_configured", why))
        }
        Err(error) => Found::Invalid(error.to_string()),
    }
}

/// What a damaged file says is unknown, also that there is nothing for a provider.
fn damaged(open: &Open) -> Option<Found> {
    let mut problems = open.registry.diagnose().into_iter().map(|found| found.problem);
    let broken = problems.find(|problem| matches!(problem, ModelProblem::BrokenFile { .. }))?;
    Some(Found::Invalid(broken.to_string()))
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
        Found::NotReady(..) => ("not_ready", ExitCode::FAILURE),
        Found::Invalid(_) => ("invalid", INVALID.into()),
    };
    if let Found::Invalid(why) | Found::NotReady(_, Some(why)) = found {
        diagnostics::line(why);
    }
    if let Found::Ready(Kind::Nothing, _) = found {
        diagnostics::line(&no_key(provider));
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
            put("authType", kind.word());
            if let Some(secret) = secret.as_ref().filter(|_| with_secret) {
                put("credentials", secret);
            }
        }
        Found::NotReady(reason, _) => drop(put("reason", reason)),
        Found::Invalid(_) => drop(put("reason", "invalid_state")),
    }
    say(&format!("{}\n", Value::Object(object)));
    code
}
