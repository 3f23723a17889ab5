//! Logging in and out without a session: the registry of models and the file that keeps credentials.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tau_ai::{AuthError, JsonMap, LoginUi, ModelRegistry};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::error::LoginError;
use super::file::{AuthFile, AuthFileError, StoredKind};
use super::import::{FoundKey, literal};
use super::renew::{Ready, Renewals, checked, ready_for};
use crate::work::Work;

/// The credentials of `auth.json`, and the registry that uses them.
#[derive(Clone)]
pub struct Logins {
    models: Arc<ModelRegistry>,
    file: PathBuf,
    renewals: Work,
}

impl Logins {
    /// Keeps credentials in `file`; what changes there, `models` knows at once.
    pub fn new(models: Arc<ModelRegistry>, file: PathBuf) -> Self {
        Self { models, file, renewals: Work::default() }
    }

    /// Logs in to a provider in the way that it offers and stores the credentials. Fires the token that the
    /// extension gets when this is over.
    ///
    /// # Errors
    /// When nobody offers a login, it fails, `cancel` fires, or the credentials cannot be stored. What was stored before
    /// stays then.
    pub async fn login(
        &self,
        provider: &str,
        ui: Arc<dyn LoginUi>,
        cancel: CancellationToken,
    ) -> Result<(), LoginError> {
        let name = || provider.to_owned();
        let oauth = self.models.oauth(provider).ok_or_else(|| LoginError::Unknown { provider: name() })?;
        let failed =
            |reason: String| LoginError::Failed { provider: name(), extension: oauth.extension().to_owned(), reason };
        let over = cancel.child_token();
        let _guard = over.clone().drop_guard();
        let credential = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(LoginError::Cancelled { provider: name() }),
            done = oauth.login(ui, over) => done.map_err(failed)?,
        };
        let credential = checked(credential).map_err(|reason| failed(reason.to_owned()))?;
        self.keep(provider, credential).await?;
        Ok(())
    }

    /// Stores an API key for a provider, in place of what is stored there. The key is what was typed, whatever it begins
    /// with: nothing in it is a variable or a command.
    ///
    /// # Errors
    /// When it is empty, and when the file cannot be changed.
    pub async fn store_key(&self, provider: &str, key: &str) -> Result<(), LoginError> {
        if key.is_empty() {
            return Err(LoginError::NoKey { provider: provider.to_owned() });
        }
        let mut entry = JsonMap::new();
        entry.insert("type".to_owned(), "api_key".into());
        entry.insert("key".to_owned(), literal(key).into());
        self.keep(provider, entry).await?;
        Ok(())
    }

    /// Stores a key that was found elsewhere, in place of what is stored there.
    ///
    /// # Errors
    /// When the file cannot be changed.
    pub async fn take_over(&self, key: FoundKey) -> Result<(), AuthFileError> {
        self.keep(&key.provider, key.entry).await
    }

    async fn keep(&self, provider: &str, entry: JsonMap) -> Result<(), AuthFileError> {
        AuthFile::open(&self.file).await?.put(provider, Some(entry.clone()))?;
        self.models.set_stored(provider, Some(entry));
        Ok(())
    }

    /// What is stored, by provider, in the order of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn stored(&self) -> Result<Vec<(String, StoredKind)>, AuthFileError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        AuthFile::open(&self.file).await?.kinds()
    }

    /// Whether a login with an account is stored for a provider that no extension takes care of: another program made it
    /// and loses it when a key replaces it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn keeps_login_of_others(&self, provider: &str) -> Result<bool, AuthFileError> {
        if self.models.oauth(provider).is_some() || !self.file.exists() {
            return Ok(false);
        }
        Ok(AuthFile::open(&self.file).await?.kind(provider)? == Some(StoredKind::Account))
    }

    /// Removes what is stored for a provider, logins and keys. Gives what it was, if there was something.
    ///
    /// # Errors
    /// When the file cannot be changed.
    pub async fn logout(&self, provider: &str) -> Result<Option<StoredKind>, AuthFileError> {
        if !self.file.exists() {
            return Ok(None);
        }
        let file = AuthFile::open(&self.file).await?;
        let kind = file.kind(provider)?;
        if kind.is_some() {
            file.put(provider, None)?;
        }
        self.models.set_stored(provider, None);
        Ok(kind)
    }

    /// Makes the stored login of a provider good for at least `least`, if an extension takes care of it. Gives what the
    /// user should know.
    ///
    /// # Errors
    /// When it cannot be renewed, or gives no key.
    pub async fn renew(&self, provider: &str, least: Duration) -> Result<Option<String>, AuthError> {
        let renewals = Renewals { work: &self.renewals, runtime: &Handle::current() };
        let Ready { warning, .. } = ready_for(&self.models, &self.file, provider, least, renewals).await?;
        Ok(warning)
    }
}
