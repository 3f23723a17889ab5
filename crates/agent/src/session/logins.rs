//! Logging in and out.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::AgentSession;
use crate::logins::{Dialogs, LoginError, Logins, StoredKind};
use crate::pipeline::credentials::{auth_file, project_login};

fn logins(session: &AgentSession) -> Logins {
    Logins::new(Arc::clone(session.models()), auth_file(&session.parts))
}

impl AgentSession {
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
        logins(self).login(provider, ui, cancel).await?;
        project_login(&self.parts, provider).await;
        Ok(())
    }

    /// Stores an API key for a provider, in place of what is stored there.
    ///
    /// # Errors
    /// When it is empty, and when the file cannot be changed.
    pub async fn store_key(&self, provider: &str, key: &str) -> Result<(), LoginError> {
        logins(self).store_key(provider, key).await?;
        project_login(&self.parts, provider).await;
        Ok(())
    }

    /// What is stored, by provider.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) async fn stored_logins(&self) -> Result<Vec<(String, StoredKind)>, LoginError> {
        Ok(logins(self).stored().await?)
    }

    /// Whether storing a key for a provider would cost another program its login there.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) async fn keeps_login_of_others(&self, provider: &str) -> Result<bool, LoginError> {
        Ok(logins(self).keeps_login_of_others(provider).await?)
    }

    /// The providers that a text means: the one of that name or id, or all of them for an empty text.
    pub(crate) fn login_providers(&self, text: &str) -> Vec<String> {
        let models = self.models();
        let logins = models.logins();
        let mut all = models.providers();
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
        let had = logins(self).logout(provider).await?;
        project_login(&self.parts, provider).await;
        Ok(had.is_some())
    }
}
