//! Providers of extensions.

use std::sync::Arc;

use super::support::{names, provider, registry};
use async_trait::async_trait;
use futures_util::StreamExt;
use serde_json::json;
use tau_ai::{
    AuthError, JsonMap, LoginUi, MessageBuilder, MessageStream, Model, ModelRegistry, OAuth, ProviderConfig, Secret,
    StopReason, StreamApi, StreamOptions, StreamRequest,
};
use tokio_util::sync::CancellationToken;

/// Answers with its own name.
struct Named(&'static str);

impl StreamApi for Named {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        let builder = MessageBuilder::new(MessageBuilder::head_for(&request.model));
        let (index, start) = builder.text_start();
        let items = vec![
            start,
            builder.text_delta(index, self.0),
            builder.text_end(index, None),
            builder.done(StopReason::Stop),
        ];
        futures_util::stream::iter(items).boxed()
    }
}

fn with_stream(config: ProviderConfig, name: &'static str) -> ProviderConfig {
    ProviderConfig { stream: Some(Arc::new(Named(name))), ..config }
}

async fn said(api: Arc<dyn StreamApi>, model: &Model) -> String {
    let request = StreamRequest {
        model: Arc::new(model.clone()),
        system: None,
        messages: Vec::new(),
        tools: Arc::from([]),
        options: StreamOptions::default(),
        hooks: None,
        cancel: CancellationToken::new(),
    };
    let items: Vec<_> = api.stream(request).collect().await;
    let last = items.last().and_then(|item| item.event.final_message()).expect("a final message");
    last.texts().collect()
}

#[tokio::test]
async fn a_provider_brings_its_own_stream() {
    let registry = registry(&[]);
    let config = provider(json!({"baseUrl": "x://", "api": "pigeon", "apiKey": "k", "models": [
        {"id": "fast"}, {"id": "plain", "api": "openai-completions"}]}));
    registry.register_provider("loft", with_stream(config, "coo")).expect("valid");
    let fast = registry.find("loft", "fast").expect("a model");
    assert_eq!(said(registry.api("pigeon").expect("its api"), &fast).await, "coo");
    assert_eq!(said(registry.api_for(&fast).expect("its api"), &fast).await, "coo");
    let plain = registry.find("loft", "plain").expect("a model");
    assert!(registry.api_for(&plain).is_some(), "the built-in format");

    // Another provider may use a built-in name for a stream of its own without changing it for others.
    let config =
        provider(json!({"baseUrl": "x://", "api": "openai-completions", "apiKey": "k", "models": [{"id": "m"}]}));
    registry.register_provider("shadow", with_stream(config, "boo")).expect("valid");
    let shadow = registry.find("shadow", "m").expect("a model");
    assert_eq!(said(registry.api_for(&shadow).expect("its api"), &shadow).await, "boo");

    registry.register_api("pigeon", Arc::new(Named("grown up")));
    assert_eq!(said(registry.api("pigeon").expect("an api"), &fast).await, "grown up");

    assert!(registry.unregister_provider("loft"));
    assert!(!registry.unregister_provider("loft"));
    assert_eq!(registry.find("loft", "fast"), None);
}

#[test]
fn a_built_in_provider_is_changed_and_comes_back() {
    let registry = registry(&[("ANTHROPIC_API_KEY", "k")]);
    let before = registry.all();
    registry.register_provider("anthropic", provider(json!({"baseUrl": "http://proxy"}))).expect("valid");
    assert_eq!(registry.all().len(), before.len());
    assert_eq!(
        registry.default_model("anthropic").map(|model| model.base_url.clone()).as_deref(),
        Some("http://proxy")
    );

    // What is given again counts, the rest stays; models replace the provider's own.
    registry.register_provider("anthropic", provider(json!({"models": [{"id": "only"}]}))).expect("valid");
    let now: Vec<String> =
        names(registry.all().iter()).into_iter().filter(|name| name.starts_with("anthropic/")).collect();
    assert_eq!(now, ["anthropic/only"]);
    let only = registry.find("anthropic", "only").expect("a model");
    assert_eq!((&*only.api, &*only.base_url), ("anthropic-messages", "http://proxy"));

    registry.unregister_provider("anthropic");
    assert_eq!(registry.all(), before);
}

#[test]
fn the_users_overrides_are_the_last_word() {
    let registry = registry(&[]);
    let text = json!({"providers": {"mine": {"modelOverrides": {"m": {"name": "User's"}}}}});
    registry.load_models_json(&text.to_string()).expect("valid");
    let config =
        provider(json!({"baseUrl": "x://", "api": "a", "apiKey": "k", "models": [{"id": "m", "name": "Extension's"}]}));
    registry.register_provider("mine", config).expect("valid");
    assert_eq!(registry.find("mine", "m").map(|model| model.name.clone()).as_deref(), Some("User's"));
}

#[test]
fn a_provider_may_leave_its_key_to_the_user() {
    let registry = registry(&[]);
    registry.register_provider("p", provider(json!({"baseUrl": "x://", "api": "a", "models": []}))).expect("valid");
    let config = provider(json!({"api": "a", "models": [{"id": "m", "baseUrl": "x://"}]}));
    registry.register_provider("p", config).expect("valid");
    let model = registry.find("p", "m").expect("a model");
    assert!(!registry.has_auth("p"));
    assert!(matches!(registry.auth(&model), Err(AuthError::Missing { .. })));
    registry.set_api_key("p", Secret::new("k"));
    assert!(registry.auth(&model).expect("a key").api_key.is_some());
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let registry = registry(&[]);
    let before = registry.all();
    let models = json!([{"id": "m"}]);
    for (name, config, message) in [
        ("", json!({"baseUrl": "x"}), "A provider must have a name."),
        (
            "p",
            json!({"api": "a", "apiKey": "k", "models": models}),
            "Provider p: \"baseUrl\" is required when defining custom models.",
        ),
        (
            "p",
            json!({"baseUrl": "x", "apiKey": "k", "models": models}),
            "Provider p, model m: no \"api\" specified. Set at provider or model level.",
        ),
    ] {
        let error = registry.register_provider(name, provider(config)).expect_err(message);
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(registry.all(), before);
}

#[test]
fn a_login_is_turned_into_a_key_by_its_extension() {
    let registry = registry(&[]);
    let config = ProviderConfig {
        oauth: Some(Arc::new(Tenant("tenant"))),
        ..provider(json!({"baseUrl": "x", "api": "a", "models": [{"id": "m"}]}))
    };
    registry.register_provider("corp", config).expect("valid");
    let model = registry.find("corp", "m").expect("a model");
    assert!(registry.auth(&model).is_err() && !registry.has_auth("corp"));
    let stored = json!({"corp": {"type": "oauth", "access": "tok", "tenant": "t1", "expires": 9e15}});
    registry.load_auth_json(&stored.to_string()).expect("valid");
    // The key is made by whoever waits for it, and only counts for the login it was made of.
    assert!(registry.auth(&model).is_err() && registry.has_auth("corp"));
    let login = registry.stored_login("corp").expect("a login");
    assert!(!login.has_key);
    registry.keep_login_key("corp", &login.credential, Secret::new("tok@t1"));
    let auth = registry.auth(&model).expect("a credential");
    assert_eq!(auth.api_key.as_ref().map(Secret::expose), Some("tok@t1"));
    let other = json!({"type": "oauth", "access": "new", "expires": 1});
    registry.set_stored("corp", other.as_object().cloned());
    registry.keep_login_key("corp", &login.credential, Secret::new("late"));
    // It has expired, but it can be renewed.
    assert!(registry.auth(&model).is_err() && registry.has_auth("corp"));
    registry.set_stored("corp", None);
    assert!(registry.stored_login("corp").is_none() && !registry.has_auth("corp"));
}

/// A login that does nothing.
struct Tenant(&'static str);

#[async_trait]
impl OAuth for Tenant {
    fn name(&self) -> &str {
        self.0
    }
    fn extension(&self) -> &str {
        "tenant.ts"
    }
    async fn login(&self, _: Arc<dyn LoginUi>, _: CancellationToken) -> Result<JsonMap, String> {
        Err("nobody is there".to_owned())
    }
    async fn refresh(&self, _: &JsonMap, _: CancellationToken) -> Result<JsonMap, String> {
        Err("nobody is there".to_owned())
    }
    async fn api_key(&self, _: &JsonMap) -> Result<String, String> {
        Err("nobody is there".to_owned())
    }
    async fn modify_models(&self, _: &[Arc<Model>], _: &JsonMap) -> Result<Option<Vec<Model>>, String> {
        Ok(None)
    }
}

#[test]
fn a_provider_registered_twice_is_one_provider() {
    let registry = registry(&[]);
    let names_of = |registry: &ModelRegistry| {
        let models = registry.all();
        let own = models.iter().filter(|model| model.provider == "corp");
        own.map(|model| format!("{} at {} by {}", model.id, model.base_url, model.api)).collect::<Vec<_>>()
    };
    let logins = |registry: &ModelRegistry| registry.logins().iter().filter(|(name, _)| name == "corp").count();
    let login = |name| Some(Arc::new(Tenant(name)) as Arc<dyn OAuth>);
    let first = provider(json!({
        "baseUrl": "http://one", "api": "a", "headers": {"x": "1"}, "models": [{"id": "m"}, {"id": "n"}],
    }));
    registry.register_provider("corp", ProviderConfig { oauth: login("first"), ..first }).expect("valid");
    // No list of models keeps the models; what is given wins.
    let second = provider(json!({"baseUrl": "http://two"}));
    registry.register_provider("corp", ProviderConfig { oauth: login("second"), ..second }).expect("valid");
    assert_eq!(names_of(&registry), ["m at http://two by a", "n at http://two by a"]);
    assert_eq!(registry.oauth("corp").map(|oauth| oauth.name().to_owned()), Some("second".to_owned()));
    // A list replaces them as a whole, and leaves the login as it was.
    let third = provider(json!({"baseUrl": "http://two", "api": "b", "models": [{"id": "o"}]}));
    let third = ProviderConfig { api_key: Some("k".to_owned()), ..third };
    registry.register_provider("corp", third).expect("valid");
    assert_eq!(names_of(&registry), ["o at http://two by b"]);
    assert_eq!(logins(&registry), 1);
    // What a login makes of them is gone with it, and with the provider.
    let mut projected = Model::clone(&registry.find("corp", "o").expect("a model"));
    projected.base_url = "http://mine".to_owned();
    registry.project_models("corp", Some(vec![projected.clone()]));
    assert_eq!(names_of(&registry), ["o at http://mine by b"]);
    registry.project_models("corp", None);
    assert_eq!(names_of(&registry), ["o at http://two by b"]);
    registry.project_models("corp", Some(vec![projected]));
    assert!(registry.unregister_provider("corp"));
    assert_eq!((names_of(&registry), logins(&registry)), (Vec::new(), 0));
    // A built-in provider is as it was before.
    let before = registry.default_model("anthropic").expect("a model");
    registry.register_provider("anthropic", provider(json!({"baseUrl": "http://proxy"}))).expect("valid");
    assert_eq!(registry.default_model("anthropic").expect("a model").base_url, "http://proxy");
    assert!(registry.unregister_provider("anthropic"));
    assert_eq!(registry.default_model("anthropic"), Some(before));
}

#[test]
fn it_may_be_used_from_many_threads() {
    let registry = registry(&[("OPENAI_API_KEY", "k")]);
    let before = registry.all().len();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let registry = &registry;
            scope.spawn(move || {
                for round in 0..50 {
                    let name = format!("p{thread}");
                    let config =
                        json!({"baseUrl": "x", "api": "a", "apiKey": "k", "models": [{"id": format!("m{round}")}]});
                    registry.register_provider(&name, provider(config)).expect("valid");
                    assert!(registry.find(&name, &format!("m{round}")).is_some());
                    assert!(registry.available().len() >= 15);
                }
            });
        }
    });
    assert_eq!(registry.all().len(), before + 4);
}
