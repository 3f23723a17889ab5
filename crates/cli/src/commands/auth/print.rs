//! `tau auth print-api-key` and `print-bearer-token`: the credential itself, for programs that ask a provider themselves.

use std::process::ExitCode;
use std::time::Duration;

use super::check::{Found, Kind, look, no_key, provider};
use super::{Asked, Open};
use crate::diagnostics;
use crate::output::say;

pub(super) async fn api_key(asked: &Asked<'_>) -> ExitCode {
    let mut open = asked.open();
    let printed = secret(asked, &mut open, Kind::ApiKey, Duration::ZERO).await;
    open.close().await;
    tell(printed)
}

pub(super) async fn bearer_token(asked: &Asked<'_>) -> ExitCode {
    let least = match asked.value("--min-expiry").map(duration) {
        None => Duration::ZERO,
        Some(Some(least)) => least,
        Some(None) => {
            return diagnostics::fail("--min-expiry takes a number with ms, s, m or h behind it, such as 30m");
        }
    };
    let mut open = asked.open();
    let printed = secret(asked, &mut open, Kind::Login, least).await;
    open.close().await;
    tell(printed)
}

/// The credential of that kind, good for at least so long.
async fn secret(asked: &Asked<'_>, open: &mut Open, wanted: Kind, least: Duration) -> Result<String, String> {
    asked.look_for_local(open, None).await;
    let provider = provider(asked, open).await.map_err(|unknown| match unknown {
        Found::Invalid(why) | Found::NotReady(_, Some(why)) => why,
        Found::NotReady(..) | Found::Ready(..) => "there is no such model".to_owned(),
    })?;
    match look(asked, open, &provider, Some(least)).await {
        Found::Ready(Kind::Nothing, _) => Err(no_key(&provider)),
        Found::Ready(kind, _) if kind != wanted => Err(other_kind(&provider, kind)),
        Found::Ready(Kind::Login, Some(secret)) => match open.registry.login_expires(&provider) {
            Some(expires) if is_before(expires, least) => {
                let why = match open.registry.oauth(&provider) {
                    Some(_) => "although it was renewed just now",
                    None => "and no extension can renew it",
                };
                Err(format!("The login for {provider} expires in less than {}, {why}.", shown(least)))
            }
            _ => Ok(secret),
        },
        Found::Ready(Kind::ApiKey, Some(secret)) => Ok(secret),
        Found::NotReady("provider_not_found", _) => {
            Err(format!("Unknown provider \"{provider}\". Use --list-models to see available providers and models."))
        }
        Found::NotReady(_, Some(why)) => Err(why),
        Found::NotReady(..) if wanted == Kind::Login => Err(other_kind(&provider, Kind::ApiKey)),
        Found::Ready(..) | Found::NotReady(..) => {
            Err(format!("No usable API key is configured. {}", tau_ai::stored_key_advice(&provider)))
        }
        Found::Invalid(why) => Err(why),
    }
}

fn other_kind(provider: &str, kind: Kind) -> String {
    match kind {
        Kind::Login => format!("Provider \"{provider}\" is configured with a login, not an API key."),
        Kind::ApiKey | Kind::Nothing => format!("Provider \"{provider}\" has no login to print a token of."),
    }
}

fn is_before(expires: i64, least: Duration) -> bool {
    expires < tau_ai::now_ms().saturating_add(i64::try_from(least.as_millis()).unwrap_or(i64::MAX))
}

/// `500ms`, `90s`, `30m` or `1h`.
fn duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.checked_mul(unit).map(Duration::from_millis)
}

/// A time as people write it for `--min-expiry`.
fn shown(time: Duration) -> String {
    let ms = time.as_millis();
    let unit =
        [(3_600_000, "h"), (60_000, "m"), (1000, "s")].into_iter().find(|(unit, _)| ms > 0 && ms.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{ms}ms"), |(unit, name)| format!("{}{name}", ms / unit))
}

fn tell(printed: Result<String, String>) -> ExitCode {
    match printed {
        Ok(secret) => say(&format!("{secret}\n")),
        Err(error) => diagnostics::fail(&error),
    }
}
