//! `tau auth status`: where credentials come from. No command is run, nobody is asked, and no secret is shown.

use std::process::ExitCode;

use serde_json::{Value, json};
use tau_agent::CredentialState;
use tau_launch::models;

use super::Asked;
use super::login::known;
use crate::diagnostics;
use crate::output::say;

pub(super) async fn status(asked: &Asked<'_>) -> ExitCode {
    let mut open = asked.open();
    let loaded = open.load_extensions(asked.context).await;
    models::add_local(&open.registry, &asked.context.env, &diagnostics::voice()).await;
    let stored = open.logins.stored().await;
    let mut providers = known(&open);
    providers.extend(stored.iter().flatten().map(|(provider, _)| tau_ai::provider_name(provider).to_owned()));
    providers.sort();
    providers.dedup();
    let row = |provider: String| {
        let (state, expires) = (CredentialState::of(&open.registry, &provider), open.registry.login_expires(&provider));
        (provider, state, expires)
    };
    let rows: Vec<_> = providers.into_iter().map(row).collect();
    open.close().await;
    if let Err(error) = loaded {
        diagnostics::warning(&error);
    }
    if let Err(error) = stored {
        return diagnostics::fail(&error.to_string());
    }
    say(&if asked.has("--json") { as_json(&rows) } else { as_text(&rows) })
}

type Row = (String, CredentialState, Option<i64>);

fn as_json(rows: &[Row]) -> String {
    let row = |(provider, state, expires): &Row| {
        let mut row = json!({"provider": provider, "status": state.word(), "source": state.to_string()});
        if let Some(expires) = expires {
            row["expires"] = Value::from(*expires);
        }
        row
    };
    format!("{}\n", json!({"providers": rows.iter().map(row).collect::<Vec<_>>()}))
}

fn as_text(rows: &[Row]) -> String {
    let with: Vec<&Row> = rows.iter().filter(|(_, state, _)| *state != CredentialState::Missing).collect();
    if with.is_empty() {
        return "No provider has a credential. Set the variable of a provider, such as ANTHROPIC_API_KEY, or store a key with `tau auth \
                login PROVIDER`.\n"
            .to_owned();
    }
    let width = with.iter().map(|(provider, ..)| provider.len()).max().unwrap_or_default();
    let line = |(provider, state, _): &&Row| format!("{provider:<width$}  {state}\n");
    with.iter().map(line).collect()
}
