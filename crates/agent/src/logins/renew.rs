//! Makes stored logins usable: renews them in time and has their extension make keys of them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tau_ai::{AuthError, JsonMap, ModelRegistry, OAuth, Secret, StoredLogin, now_ms, without_secrets};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::file::AuthFile;
use crate::work::Work;

/// How long before it expires a login is renewed: a request takes its time.
const MARGIN: Duration = Duration::from_secs(5 * 60);
/// How long a provider may take to renew one.
const LIMIT: Duration = Duration::from_secs(15);
/// How long the end of a session waits for a renewal: what the provider may take, and the file.
pub(crate) const RENEWAL_PATIENCE: Duration = Duration::from_secs(20);

/// What was done for a login.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    /// Another login is stored now than before.
    pub(crate) changed: bool,
    /// Something the user should know.
    pub(crate) warning: Option<String>,
}

/// Where logins are renewed.
#[derive(Clone, Copy)]
pub(crate) struct Renewals<'a> {
    /// A renewal is one of these until it is stored, even when nobody waits for it any longer.
    pub(crate) work: &'a Work,
    /// Where it is done: an extension may ask from a thread that ends before the session does.
    pub(crate) runtime: &'a Handle,
}

/// What a login has to be so that it need not be renewed.
#[derive(Clone, Copy)]
enum Need {
    /// Good for at least this long.
    GoodFor(Duration),
    /// Another one than was known: the provider does not take that one, whatever it says of itself.
    Another,
}

/// Makes the stored login of a provider usable, if it has one that somebody takes care of; without a credential of any
/// kind, the identity of this workload.
pub(crate) async fn ready(
    models: &Arc<ModelRegistry>,
    file: &Path,
    provider: &str,
    renewals: Renewals<'_>,
) -> Result<Ready, AuthError> {
    ready_for(models, file, provider, MARGIN, renewals).await
}

/// As [`ready`], for at least this long.
pub(super) async fn ready_for(
    models: &Arc<ModelRegistry>,
    file: &Path,
    provider: &str,
    least: Duration,
    renewals: Renewals<'_>,
) -> Result<Ready, AuthError> {
    let Some(login) = models.stored_login(provider) else {
        models.ready_workload(provider).await?;
        return Ok(Ready::default());
    };
    let mut done = Ready::default();
    if is_due(login.expires, least) {
        done = renewed(models, file, provider, login, Need::GoodFor(least), renewals).await?;
    }
    // By now it may have been logged out elsewhere.
    let Some(login) = models.stored_login(provider) else { return Ok(done) };
    if !login.has_key {
        make_key(models, provider, &login).await?;
    }
    Ok(done)
}

/// Renews the stored login of a provider that did not take it. `None` where there is none that somebody takes care of.
pub(crate) async fn renew_refused(
    models: &Arc<ModelRegistry>,
    file: &Path,
    provider: &str,
    renewals: Renewals<'_>,
) -> Result<Option<Ready>, AuthError> {
    let Some(login) = models.stored_login(provider) else { return Ok(None) };
    renewed(models, file, provider, login, Need::Another, renewals).await.map(Some)
}

async fn renewed(
    models: &Arc<ModelRegistry>,
    file: &Path,
    provider: &str,
    login: StoredLogin,
    need: Need,
    renewals: Renewals<'_>,
) -> Result<Ready, AuthError> {
    let (models, file, provider) = (Arc::clone(models), file.to_owned(), provider.to_owned());
    // On a task of its own: a token that was renewed and not stored, because nobody waits any more, would be lost.
    let item = renewals.work.begin();
    let renewed = renewals.runtime.spawn(async move {
        let _item = item;
        renew(&models, &file, &provider, &login.oauth, need).await
    });
    match renewed.await {
        Ok(renewed) => renewed,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

async fn make_key(models: &ModelRegistry, provider: &str, login: &StoredLogin) -> Result<(), AuthError> {
    let key = login.oauth.api_key(&login.credential).await;
    let key = key.map_err(|error| failed(provider, &*login.oauth, &without_secrets(&error, &login.credential)))?;
    models.keep_login_key(provider, &login.credential, Secret::new(key));
    Ok(())
}

async fn renew(
    models: &ModelRegistry,
    file: &Path,
    provider: &str,
    oauth: &Arc<dyn OAuth>,
    need: Need,
) -> Result<Ready, AuthError> {
    let failed = |reason: &str| failed(provider, &**oauth, reason);
    let mut file = AuthFile::open(file).await.map_err(|error| failed(&error.to_string()))?;
    let Some(known) = models.stored_login(provider) else { return Ok(Ready::default()) };
    // Another session or program may have been faster, or logged out.
    let current = file.entry(provider).map_err(|error| failed(&error.to_string()))?;
    let is_another = current.as_ref() != Some(&known.credential);
    if is_another {
        models.set_stored(provider, current);
    }
    let Some(login) = models.stored_login(provider) else { return Ok(Ready { changed: true, warning: None }) };
    let will_do = match need {
        Need::GoodFor(least) => !is_due(login.expires, least),
        Need::Another => is_another,
    };
    if will_do {
        return Ok(Ready { changed: true, warning: None });
    }
    let old = login.credential;
    let renewed = file.during(refresh(&**oauth, &old)).await;
    let renewed = renewed.map_err(|error| failed(&without_secrets(&error, &old)))?;
    let renewed = checked(renewed).map_err(failed)?;
    let stored = file.put(provider, Some(renewed.clone()));
    // The provider may have made the old one void: without a file, it is good for this session at least.
    models.set_stored(provider, Some(renewed));
    let warning = stored.err().map(|error| format!("the renewed login for {provider} could not be stored: {error}"));
    Ok(Ready { changed: true, warning })
}

async fn refresh(oauth: &dyn OAuth, old: &JsonMap) -> Result<JsonMap, String> {
    let cancel = CancellationToken::new();
    let guard = cancel.clone().drop_guard();
    let done = tokio::time::timeout(LIMIT, oauth.refresh(old, cancel)).await;
    drop(guard);
    done.unwrap_or_else(|_| Err(format!("nothing came within {} seconds", LIMIT.as_secs())))
}

/// The credential with its kind, if it is one.
pub(super) fn checked(mut credential: JsonMap) -> Result<JsonMap, &'static str> {
    let access = credential.get("access").and_then(|access| access.as_str());
    if access.is_none_or(str::is_empty) {
        return Err("the credentials have no `access`");
    }
    if !credential.get("expires").is_some_and(|expires| expires.as_f64().is_some_and(f64::is_finite)) {
        return Err("the credentials have no `expires`");
    }
    credential.insert("type".to_owned(), "oauth".into());
    Ok(credential)
}

/// Lets the extension change the models of a provider for whoever is logged in.
pub(crate) async fn project(models: &ModelRegistry, provider: &str) -> Result<(), String> {
    let Some(login) = models.stored_login(provider) else {
        models.project_models(provider, None);
        return Ok(());
    };
    let before = models.models_before_login(provider);
    let changed = login.oauth.modify_models(&before, &login.credential).await;
    let changed = changed.map_err(|error| without_secrets(&error, &login.credential))?;
    models.project_models(provider, changed);
    Ok(())
}

fn is_due(expires: i64, least: Duration) -> bool {
    expires <= now_ms().saturating_add(i64::try_from(least.as_millis()).unwrap_or(i64::MAX))
}

fn failed(provider: &str, oauth: &dyn OAuth, reason: &str) -> AuthError {
    AuthError::Login {
        provider: provider.to_owned(),
        extension: oauth.extension().to_owned(),
        reason: reason.to_owned(),
    }
}
