//! Lists of models that providers of extensions do not know beforehand.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tau_ai::{Model, ModelRegistry, ProviderConfig, Secrets};
use tau_hooks::{ModelListRequest, ModelSource, Owner, Provider, Report};
use tokio_util::sync::CancellationToken;

use super::Extensions;

/// How long a provider may take to say which models it has. A start or a listing waits no longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Which providers are asked.
#[derive(Debug, Clone, Copy)]
pub enum Lists<'n> {
    /// Those that were not asked yet.
    New,
    /// All, because the user wants to know.
    All,
    /// Those of these names, because the user wants to know.
    Of(&'n [String]),
}

impl Extensions {
    /// Asks providers which models they have now, and makes them known. All are asked at once, and none for longer than ten
    /// seconds. What fails is reported and returned, with the name of the provider; its models stay as they were.
    pub async fn refresh_models(
        &self,
        registry: &ModelRegistry,
        lists: Lists<'_>,
        cancel: &CancellationToken,
    ) -> Vec<(String, String)> {
        let wanted = |provider: &Provider| match lists {
            Lists::New | Lists::All => true,
            Lists::Of(names) => names.contains(&provider.name),
        };
        let mut asked = Vec::new();
        for (owner, provider) in self.hooks.providers() {
            if let Some(source) = provider.source.clone()
                && wanted(&provider)
                && (self.ask_first(&source) || !matches!(lists, Lists::New))
            {
                asked.push(self.refresh(registry, owner, provider, source, lists, cancel.child_token()));
            }
        }
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Whether a provider was not asked yet.
    pub(crate) fn has_new_lists(&self) -> bool {
        self.hooks.providers().iter().any(|(_, provider)| provider.source.as_ref().is_some_and(|one| self.is_new(one)))
    }

    /// Asks one provider; gives what failed.
    async fn refresh(
        &self,
        registry: &ModelRegistry,
        owner: Arc<Owner>,
        provider: Provider,
        source: Arc<dyn ModelSource>,
        lists: Lists<'_>,
        cancel: CancellationToken,
    ) -> Option<(String, String)> {
        let (credential, online) = (credential(registry, &provider.name), !self.is_offline());
        let secrets = Secrets::of_config(&provider.config);
        let secrets = match credential.as_ref().and_then(Value::as_object) {
            Some(credential) => secrets.and(&Secrets::of_credential(credential)),
            None => secrets,
        };
        let name = &provider.name;
        let request = ModelListRequest {
            allow_network: credential.is_some() && online,
            online,
            credential,
            base_url: provider.config["baseUrl"].as_str().map(str::to_owned),
            force: !matches!(lists, Lists::New),
            cancel: cancel.clone(),
        };
        let answer = tokio::select! {
            answer = source.now(request) => answer.map_err(|error| {
                let (text, whose) = (error.to_string(), format!("Provider {name}: "));
                // It may know whose it is.
                if text.starts_with(&whose) { text } else { whose + &text }
            }),
            () = cancel.cancelled() => return None,
            () = tokio::time::sleep(PATIENCE) => {
                Err(format!("Provider {name}: no list of models came within {} seconds", PATIENCE.as_secs()))
            }
        };
        // Whoever is still at it has nobody to tell.
        cancel.cancel();
        let done = answer.and_then(|changes| {
            let Some(changes) = changes else { return Ok(()) };
            let mut whole = provider.config.clone();
            if let (Value::Object(whole), Value::Object(changes)) = (&mut whole, &changes) {
                whole.extend(changes.clone());
            }
            let config = ProviderConfig::read(name, &whole);
            let done = config.and_then(|config| registry.register_provider(name, config));
            done.map_err(|error| error.to_string())?;
            self.hooks.change_provider(&owner, &provider.name, changes);
            Ok(())
        });
        let error = secrets.hide(done.err()?);
        let report = Report::diagnostic(Arc::clone(&owner.path), "refreshModels", error.clone());
        self.hooks.dispatcher.reports.send(&report);
        Some((provider.name, error))
    }
}

/// The credential of a provider in the form of `auth.json`.
fn credential(registry: &ModelRegistry, provider: &str) -> Option<Value> {
    if let Some(login) = registry.stored_login(provider) {
        let mut login = Value::Object(login.credential);
        login["type"] = "oauth".into();
        return Some(login);
    }
    let any: Model = serde_json::from_value(json!({"id": "", "provider": provider})).ok()?;
    let auth = registry.auth(&any).ok()?;
    let key = auth.api_key.as_ref().map(|key| key.expose());
    Some(json!({"type": "api_key", "key": key, "env": auth.env}))
}
