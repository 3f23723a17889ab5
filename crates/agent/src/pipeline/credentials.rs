//! What the requests of a session authenticate with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tau_ai::{AuthError, AuthSource, Model, RequestAuth};

use crate::logins::{Ready, Renewals, project, ready, renew_refused};
use crate::parts::Parts;

/// Where logins are kept.
pub(crate) fn auth_file(parts: &Parts) -> PathBuf {
    parts.conversation.env().agent_dir().join("auth.json")
}

/// A model with its credentials, as it is for whoever is logged in now: a login that is renewed may have changed it. A
/// command of the user may have to be run for the credentials, or a login renewed, so this leaves the thread alone.
pub(crate) async fn ready_to_ask(parts: &Parts, model: &Arc<Model>) -> Result<(Arc<Model>, RequestAuth), AuthError> {
    if model.is_virtual() {
        // The model that a request is routed to authenticates.
        let auth =
            RequestAuth { api_key: None, headers: BTreeMap::new(), env: BTreeMap::new(), source: AuthSource::Keyless };
        return Ok((Arc::clone(model), auth));
    }
    let models = &parts.services.models;
    let renewals = Renewals { work: &parts.lifecycle.renewals, runtime: &parts.services.runtime };
    let done = ready(models, &auth_file(parts), &model.provider, renewals).await?;
    let renewed = done.changed;
    after(parts, &model.provider, done).await;
    let fresh = if renewed { models.find(&model.provider, &model.id) } else { None };
    let (models, model) = (Arc::clone(models), fresh.unwrap_or_else(|| Arc::clone(model)));
    match tokio::task::spawn_blocking(move || models.auth(&model).map(|auth| (model, auth))).await {
        Ok(ready) => ready,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Renews the login of a provider that did not take it, although it should be good still. Whether there is another now.
///
/// # Errors
/// When it cannot be renewed.
pub(crate) async fn renew_login(parts: &Parts, provider: &str) -> Result<bool, AuthError> {
    let renewals = Renewals { work: &parts.lifecycle.renewals, runtime: &parts.services.runtime };
    let done = renew_refused(&parts.services.models, &auth_file(parts), provider, renewals).await?;
    let Some(done) = done else { return Ok(false) };
    after(parts, provider, done).await;
    Ok(true)
}

async fn after(parts: &Parts, provider: &str, done: Ready) {
    if let Some(warning) = done.warning {
        parts.report("session", "login", warning);
    }
    if done.changed {
        project_login(parts, provider).await;
    }
}

/// Lets the extension of a provider change its models for whoever is logged in now.
pub(crate) async fn project_login(parts: &Parts, provider: &str) {
    let models = &parts.services.models;
    if let Err(error) = project(models, provider).await {
        let extension = models.oauth(provider).map(|oauth| oauth.extension().to_owned()).unwrap_or_default();
        parts.report(extension, "modifyModels", error);
    }
    parts.choices.refresh_model(models);
}
