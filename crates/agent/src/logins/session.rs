//! Logging in and out, and the credentials of requests.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tau_ai::{AuthError, AuthSource, Model, RequestAuth};
use tau_hooks::Report;
use tokio_util::sync::CancellationToken;

use super::dialogs::Dialogs;
use super::file::{AuthFileError, StoredKind};
use super::{Logins, Ready, project, ready};
use crate::AgentSession;

/// Why somebody is not logged in or out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// No extension knows how to log in there.
    #[error("No extension offers a login for {provider}.")]
    Unknown {
        /// The provider.
        provider: String,
    },
    /// There is nobody to be asked.
    #[error("Logging in to {provider} needs somebody to answer.")]
    NoUser {
        /// The provider.
        provider: String,
    },
    /// The login was ended from outside.
    #[error("The login to {provider} was cancelled.")]
    Cancelled {
        /// The provider.
        provider: String,
    },
    /// The extension failed, or the user left.
    #[error("The login to {provider} failed: {extension}: {reason}")]
    Failed {
        /// The provider.
        provider: String,
        /// The extension whose login it is.
        extension: String,
        /// What it said.
        reason: String,
    },
    /// There is nothing to store.
    #[error("An API key for {provider} cannot be empty.")]
    NoKey {
        /// The provider.
        provider: String,
    },
    /// The credentials could not be stored or removed.
    #[error(transparent)]
    File(#[from] AuthFileError),
}

impl AgentSession {
    /// Where logins are kept.
    pub(crate) fn auth_file(&self) -> PathBuf {
        self.env().agent_dir().join("auth.json")
    }

    fn logins(&self) -> Logins {
        Logins::new(Arc::clone(self.models()), self.auth_file())
    }

    /// The credentials for a model. A command of the user may have to be run for them, or a login renewed, so this
    /// leaves the thread alone.
    pub(crate) async fn auth(&self, model: &Arc<Model>) -> Result<RequestAuth, AuthError> {
        self.ready_to_ask(model).await.map(|(_, auth)| auth)
    }

    /// As [`AgentSession::auth`], with the model as it is for whoever is logged in now: a login that is renewed may have
    /// changed it.
    pub(crate) async fn ready_to_ask(&self, model: &Arc<Model>) -> Result<(Arc<Model>, RequestAuth), AuthError> {
        if model.is_virtual() {
            // The model that a request is routed to authenticates.
            let auth = RequestAuth { api_key: None, headers: BTreeMap::new(), source: AuthSource::Keyless };
            return Ok((Arc::clone(model), auth));
        }
        let done = ready(self.models(), &self.auth_file(), &model.provider, (&self.renewals, self.runtime())).await?;
        let renewed = done.changed;
        self.after(&model.provider, done).await;
        let fresh = if renewed { self.models().find(&model.provider, &model.id) } else { None };
        let (models, model) = (Arc::clone(self.models()), fresh.unwrap_or_else(|| Arc::clone(model)));
        match tokio::task::spawn_blocking(move || models.auth(&model).map(|auth| (model, auth))).await {
            Ok(ready) => ready,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    async fn after(&self, provider: &str, done: Ready) {
        if let Some(warning) = done.warning {
            self.hooks().dispatcher.reports.send(&Report::diagnostic("session", "login", warning));
        }
        if done.changed {
            self.project_login(provider).await;
        }
    }

    async fn project_login(&self, provider: &str) {
        if let Err(error) = project(self.models(), provider).await {
            let extension = self.models().oauth(provider).map(|oauth| oauth.extension().to_owned()).unwrap_or_default();
            self.hooks().dispatcher.reports.send(&Report::diagnostic(extension, "modifyModels", error));
        }
        self.refresh_model();
    }

    /// Logs in to a provider by the extension that offers it, with dialogs, and stores the credentials. Blocks no
    /// prompt meanwhile.
    ///
    /// # Errors
    /// When nobody offers a login, nobody is there to be asked, it fails, `cancel` fires, or the credentials cannot be
    /// stored. What was stored before stays then.
    pub async fn login(&self, provider: &str, cancel: CancellationToken) -> Result<(), LoginError> {
        let name = || provider.to_owned();
        let oauth = self.models().oauth(provider).ok_or_else(|| LoginError::Unknown { provider: name() })?;
        let broker = self.hooks().dialogs.clone();
        if !broker.can_ask(None) {
            return Err(LoginError::NoUser { provider: name() });
        }
        // Fires at the end too: a question that is still open then is nobody's.
        let over = cancel.child_token();
        let _guard = over.clone().drop_guard();
        let ui = Arc::new(Dialogs { broker, owner: Arc::from(oauth.extension()), over });
        self.logins().login(provider, ui, cancel).await?;
        self.project_login(provider).await;
        Ok(())
    }

    /// Stores an API key for a provider, in place of what is stored there.
    ///
    /// # Errors
    /// When it is empty, and when the file cannot be changed.
    pub async fn store_key(&self, provider: &str, key: &str) -> Result<(), LoginError> {
        self.logins().store_key(provider, key).await?;
        self.project_login(provider).await;
        Ok(())
    }

    /// What is stored, by provider.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn stored_logins(&self) -> Result<Vec<(String, StoredKind)>, LoginError> {
        Ok(self.logins().stored().await?)
    }

    /// Whether storing a key for a provider would cost another program its login there.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) async fn keeps_login_of_others(&self, provider: &str) -> Result<bool, LoginError> {
        Ok(self.logins().keeps_login_of_others(provider).await?)
    }

    /// The providers that a text means: the one of that name or id, or all of them for an empty text.
    pub(crate) fn login_providers(&self, text: &str) -> Vec<String> {
        let models = self.models();
        let logins = models.logins();
        let mut all: Vec<String> = models.all().iter().map(|model| model.provider.clone()).collect();
        all.extend(logins.iter().map(|(provider, _)| provider.clone()));
        all.sort();
        all.dedup();
        let name = |provider: &str| {
            logins.iter().find(|(known, _)| known == provider).map(|(_, oauth)| oauth.name().to_lowercase())
        };
        let text = text.to_lowercase();
        all.retain(|provider| {
            text.is_empty() || provider.to_lowercase() == text || name(provider).as_ref() == Some(&text)
        });
        all
    }

    /// Removes what is stored for a provider, logins and keys. Tells whether there was something.
    ///
    /// # Errors
    /// When the file cannot be changed.
    pub async fn logout(&self, provider: &str) -> Result<bool, LoginError> {
        let had = self.logins().logout(provider).await?;
        self.project_login(provider).await;
        Ok(had.is_some())
    }
}
