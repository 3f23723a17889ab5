//! `/login` and `/logout`: what they ask, and what they say. The work is done in [`crate::logins`].

use std::sync::Arc;

use tau_ai::{VendorLogin, key_advice, key_advice_beside_login, vendor_login};
use tau_hooks::dialogs::{DialogKind, DialogRequest, NotifyLevel};
use tau_hooks::payload::ModelSelectSource;

use super::Answer;
use super::outcome::{BuiltinOutcome, Choice, ChoiceOption};
use crate::logins::{CredentialState, LoginError, StoredKind};
use crate::pipeline::PromptError;
use crate::pipeline::credentials::auth_file;
use crate::session::AgentSession;

const LEFT: &str = "Login cancelled.";

/// `/login [PROVIDER]`
pub(super) async fn login(session: &Arc<AgentSession>, wanted: &str) -> Answer {
    let failed = |why: String| PromptError::Command(why);
    if !wanted.is_empty() && session.login_providers(wanted).is_empty() {
        return Err(failed(format!("There is no provider \"{wanted}\". {}", known(session))));
    }
    if !session.hooks().dialogs.has_back_end() {
        return Err(without_user(session, wanted).await.map_or_else(|error| failed(error.to_string()), failed));
    }
    let Some(provider) = provider(session, wanted).await else { return Ok(LEFT.into()) };
    if tau_ai::names_local_server(&provider) && !session.models().is_in_models_json(&provider) {
        let why = "is a server on this machine and needs no key, so there is nothing to log in to";
        return Err(failed(format!("{provider} {why}")));
    }
    let oauth = session.models().oauth(&provider);
    let by_account = match &oauth {
        Some(oauth) => {
            let (account, key) = (format!("Sign in with {}", oauth.name()), "Use an API key".to_owned());
            match select(session, format!("How to log in to {provider}"), vec![account.clone(), key]).await {
                Some(chosen) => chosen == account,
                None => return Ok(LEFT.into()),
            }
        }
        None => false,
    };
    if by_account {
        let cancel = session.exit_requested().child_token();
        session.login(&provider, cancel).await.map_err(|error| failed(error.to_string()))?;
    } else {
        let replaces = session.keeps_login_of_others(&provider).await.map_err(|error| failed(error.to_string()))?;
        if replaces && !may_replace(session, &provider).await {
            return Ok(LEFT.into());
        }
        if let Some(login) = vendor_login(&provider).filter(|_| oauth.is_none()) {
            session.hooks().dialogs.notify(Arc::from("tau"), VendorLogin::advice(login), NotifyLevel::Info);
        }
        let title = format!("API key for {provider}");
        let Some(key) = ask(session, DialogKind::Input { title, placeholder: None }).await else {
            return Ok(LEFT.into());
        };
        session.store_key(&provider, key.trim()).await.map_err(|error| failed(error.to_string()))?;
    }
    let done =
        if by_account { format!("Logged in to {provider}.") } else { format!("The API key for {provider} is stored.") };
    let file = auth_file(session.parts());
    Ok(format!("{done} It is kept in {}.{}", file.display(), first_model(session, &provider).await?).into())
}

/// `/logout [PROVIDER]`
pub(super) async fn logout(session: &Arc<AgentSession>, wanted: &str) -> Answer {
    let failed = |why: String| PromptError::Command(why);
    let stored = session.stored_logins().await.map_err(|error| failed(error.to_string()))?;
    let line = |(provider, kind): &(String, StoredKind)| format!("{provider} ({kind})");
    let lines: Vec<String> = stored.iter().map(line).collect();
    const OTHERS: &str = "Environment variables and models.json stay as they are.";
    let chosen = match wanted {
        "" if stored.is_empty() => return Ok(format!("Nothing is stored. {OTHERS}").into()),
        "" if session.hooks().dialogs.has_back_end() => {
            let Some(chosen) = select(session, "Log out of".to_owned(), lines.clone()).await else {
                return Ok("Logout cancelled.".into());
            };
            lines.iter().position(|line| *line == chosen)
        }
        "" => {
            let option = |((provider, _), line): (&(String, StoredKind), &String)| ChoiceOption {
                value: provider.clone(),
                label: line.clone(),
                current: false,
            };
            let options = stored.iter().zip(&lines).map(option).collect();
            let text = format!("Stored: {}\nUse /logout PROVIDER to remove one. {OTHERS}", lines.join(", "));
            return Ok(BuiltinOutcome::Choice(Choice { command: "logout", options, text }));
        }
        wanted => stored.iter().position(|(provider, _)| provider.eq_ignore_ascii_case(wanted)),
    };
    let Some((provider, kind)) = chosen.and_then(|at| stored.get(at)) else {
        // As `tau auth logout` answers.
        if session.login_providers(wanted).iter().any(|known| known.eq_ignore_ascii_case(wanted)) {
            return Ok(format!("Nothing is stored for {wanted}. {OTHERS}").into());
        }
        let stored = if lines.is_empty() { "nothing".to_owned() } else { lines.join(", ") };
        return Err(failed(format!("Unknown provider \"{wanted}\". Stored: {stored}")));
    };
    session.logout(provider).await.map_err(|error| failed(error.to_string()))?;
    let text = match kind {
        StoredKind::Account => format!("Logged out of {provider}."),
        StoredKind::Key | StoredKind::Other => format!("Removed the stored credential for {provider}. {OTHERS}"),
    };
    Ok(text.into())
}

/// Whether a key may take the place of a login that no extension takes care of.
async fn may_replace(session: &Arc<AgentSession>, provider: &str) -> bool {
    let title = format!("Replace the stored login for {provider}?");
    let message = format!(
        "{} keeps a login for {provider} that tau does not manage. An API key replaces it, and the program that made it \
         has to log in again.",
        auth_file(session.parts()).display()
    );
    let request = DialogRequest::new(Arc::from("tau"), DialogKind::Confirm { title, message });
    session.hooks().dialogs.ask(request, session.exit_requested(), || ()).await.is_yes()
}

/// What to do where nobody can be asked.
async fn without_user(session: &AgentSession, wanted: &str) -> Result<String, LoginError> {
    const NOBODY: &str = "Logging in asks questions, and there is nobody to answer.";
    let file = auth_file(session.parts());
    let provider = session.login_providers(wanted).into_iter().next().filter(|_| !wanted.is_empty());
    if let Some(provider) = &provider
        && session.keeps_login_of_others(provider).await?
    {
        return Ok(format!("{NOBODY} {}", key_advice_beside_login(provider)));
    }
    let (advice, provider) = match provider {
        Some(provider) => (key_advice(&provider), provider),
        None => (key_advice("anthropic"), "anthropic".to_owned()),
    };
    let entry = serde_json::json!({ provider: { "type": "api_key", "key": "…" } });
    let example = if wanted.is_empty() { "For example: " } else { "" };
    Ok(format!("{NOBODY} {example}{advice} An entry in {}: {entry}", file.display()))
}

fn known(session: &AgentSession) -> String {
    format!("Those that are known: {}", session.login_providers("").join(", "))
}

async fn provider(session: &Arc<AgentSession>, wanted: &str) -> Option<String> {
    let mut found = session.login_providers(wanted);
    match found.len() {
        1 => found.pop(),
        _ => {
            let label = |provider: &String| match CredentialState::of(session.models(), provider) {
                CredentialState::Missing => provider.clone(),
                state => format!("{provider} ({state})"),
            };
            let labels: Vec<String> = found.iter().map(label).collect();
            let chosen = select(session, "Log in to".to_owned(), labels.clone()).await?;
            labels.iter().position(|label| *label == chosen).map(|at| found.swap_remove(at))
        }
    }
}

async fn select(session: &Arc<AgentSession>, title: String, options: Vec<String>) -> Option<String> {
    let known = options.clone();
    ask(session, DialogKind::Select { title, options }).await.filter(|answer| known.contains(answer))
}

/// Asks the user; nothing when they leave, or when the program ends.
async fn ask(session: &Arc<AgentSession>, kind: DialogKind) -> Option<String> {
    let request = DialogRequest::new(Arc::from("tau"), kind);
    session.hooks().dialogs.ask(request, session.exit_requested(), || ()).await.into_value()
}

/// Somebody who has no model yet gets the usual one of the provider.
async fn first_model(session: &Arc<AgentSession>, provider: &str) -> Result<String, PromptError> {
    let model = session.models().default_model(provider).filter(|_| session.model().is_none());
    let Some(model) = model else { return Ok(String::new()) };
    let text = format!(" Model: {}/{}", model.provider, model.id);
    session.choose_model(model, ModelSelectSource::Set).await?;
    Ok(text)
}
