//! Logging in and out, and the credentials of requests.

use std::path::PathBuf;
use std::sync::Arc;

use tau_ai::{AuthError, Model, RequestAuth};
use tau_hooks::Report;
use tokio_util::sync::CancellationToken;

use super::dialogs::Dialogs;
use super::file::{AuthFile, AuthFileError};
use super::renew::checked;
use super::{Ready, project, ready};
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
    /// The credentials could not be stored or removed.
    #[error(transparent)]
    File(#[from] AuthFileError),
}

impl AgentSession {
    fn auth_file(&self) -> PathBuf {
        self.env().agent_dir().join("auth.json")
    }

    /// The credentials for a model. A command of the user may have to be run for them, or a login renewed, so this
    /// leaves the thread alone.
    pub(crate) async fn auth(&self, model: &Arc<Model>) -> Result<RequestAuth, AuthError> {
        let done = ready(self.models(), &self.auth_file(), &model.provider).await?;
        self.after(&model.provider, done).await;
        let (models, model) = (Arc::clone(self.models()), Arc::clone(model));
        match tokio::task::spawn_blocking(move || models.auth(&model)).await {
            Ok(auth) => auth,
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
        if !broker.has_back_end() {
            return Err(LoginError::NoUser { provider: name() });
        }
        let failed =
            |reason: String| LoginError::Failed { provider: name(), extension: oauth.extension().to_owned(), reason };
        // Fires at the end too: a question that is still open then is nobody's.
        let over = cancel.child_token();
        let _guard = over.clone().drop_guard();
        let ui = Arc::new(Dialogs { broker, owner: Arc::from(oauth.extension()), over: over.clone() });
        let credential = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(LoginError::Cancelled { provider: name() }),
            done = oauth.login(ui, over) => done.map_err(failed)?,
        };
        let credential = checked(credential).map_err(|reason| failed(reason.to_owned()))?;
        AuthFile::open(&self.auth_file()).await?.put(provider, Some(credential.clone()))?;
        self.models().set_stored(provider, Some(credential));
        self.project_login(provider).await;
        Ok(())
    }

    /// Removes what is stored for a provider, logins and keys. Tells whether there was something.
    ///
    /// # Errors
    /// When the file cannot be changed.
    pub async fn logout(&self, provider: &str) -> Result<bool, LoginError> {
        let had = AuthFile::open(&self.auth_file()).await?.put(provider, None)?;
        self.models().set_stored(provider, None);
        self.project_login(provider).await;
        Ok(had)
    }
}
