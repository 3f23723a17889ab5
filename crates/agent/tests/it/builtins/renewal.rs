//! Logins that are renewed while a conversation goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tau_ai::scripted::ScriptedApi;
use tau_ai::{
    JsonMap, LoginUi, MessageStream, Model, ModelRegistry, OAuth, ProviderConfig, StreamApi, StreamRequest, now_ms,
};
use tau_hooks::payload::SessionShutdownReason;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::common::{Log, World, calls, registry};

/// Tokens, each with an address of its own; unless they live longer they are due again as soon as they are there.
#[derive(Default)]
pub struct ShortLived {
    renewals: AtomicUsize,
    lives_longer: bool,
}

fn credential(number: usize) -> JsonMap {
    let credential =
        json!({"type": "oauth", "access": format!("a{number}"), "refresh": "r", "expires": now_ms() + 1000});
    credential.as_object().expect("an object").clone()
}

#[async_trait]
impl OAuth for ShortLived {
    fn name(&self) -> &str {
        "Corp account"
    }

    fn extension(&self) -> &str {
        "/corp.ts"
    }

    async fn login(&self, _: Arc<dyn LoginUi>, _: CancellationToken) -> Result<JsonMap, String> {
        Ok(credential(0))
    }

    async fn refresh(&self, _: &JsonMap, _: CancellationToken) -> Result<JsonMap, String> {
        let mut renewed = credential(self.renewals.fetch_add(1, Ordering::Relaxed) + 1);
        if self.lives_longer {
            // Long enough for somebody else to want the same.
            tokio::time::sleep(Duration::from_millis(200)).await;
            renewed.insert("expires".to_owned(), (now_ms() + 3_600_000).into());
        }
        Ok(renewed)
    }

    async fn api_key(&self, credential: &JsonMap) -> Result<String, String> {
        Ok(format!("key-{}", credential["access"].as_str().unwrap_or_default()))
    }

    async fn modify_models(&self, models: &[Arc<Model>], credential: &JsonMap) -> Result<Option<Vec<Model>>, String> {
        let access = credential["access"].as_str().unwrap_or_default();
        let moved = |model: &Arc<Model>| Model { base_url: format!("http://{access}"), ..Model::clone(model) };
        Ok(Some(models.iter().map(moved).collect()))
    }
}

/// Writes down where each request goes and with which key.
struct Addresses {
    api: ScriptedApi,
    seen: Log<(String, String)>,
}

impl StreamApi for Addresses {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        let key = request.options.api_key.as_ref().map(|key| key.expose().to_owned());
        self.seen.push((request.model.base_url.clone(), key.unwrap_or_default()));
        self.api.stream(request)
    }
}

/// A provider `corp` with one model `m`, whose requests are answered by a script.
pub fn corp(replies: serde_json::Value, oauth: Arc<dyn OAuth>) -> (Arc<ModelRegistry>, Log<(String, String)>) {
    let (models, seen) = (registry(), Log::default());
    let script = json!({"model": {"id": "m"}, "replies": replies}).to_string();
    let api = ScriptedApi::from_json("script", &script).expect("a script");
    let config =
        json!({"baseUrl": "http://corp", "api": "corp-api", "models": [{"id": "m", "contextWindow": 100_000}]});
    let mut config: ProviderConfig = serde_json::from_value(config).expect("a provider");
    config.stream = Some(Arc::new(Addresses { api, seen: seen.clone() }));
    config.oauth = Some(oauth);
    models.register_provider("corp", config).expect("a provider that can be registered");
    (models, seen)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_renews_the_login_goes_where_the_new_login_says() {
    let (models, seen) =
        corp(json!([calls([("1", "none", json!({}))]), "Done.", "A summary."]), Arc::new(ShortLived::default()));
    let model = models.find("corp", "m").expect("a model");
    let small = json!({"compaction": {"keepRecentTokens": 1}});
    let world = World::new(json!([])).settings(small).with_models(Arc::clone(&models), model);
    let auth = json!({"corp": credential(0)}).to_string();
    world.home.write_agent("auth.json", &auth);
    models.load_auth_json(&auth).expect("valid");
    let running = world.start().await;
    running.say("Go").await;
    assert_eq!(seen.all().len(), 2);
    running.say("/compact").await;
    let requests = seen.all();
    assert!(requests.len() > 2, "a summary is asked for as well");
    for (address, key) in requests {
        let access = address.strip_prefix("http://").expect("an address");
        assert_ne!(access, "corp");
        assert_eq!(key, format!("key-{access}"));
    }
}

/// A provider may end a login before its time.
#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_is_refused_is_renewed_once_and_the_request_repeated() {
    let refused = || json!([{"error": "401 status code (no body)"}]);
    let oauth = Arc::new(ShortLived { lives_longer: true, ..ShortLived::default() });
    let replies = json!([refused(), "Done.", refused(), refused(), "Never."]);
    let (models, seen) = corp(replies, Arc::clone(&oauth) as Arc<dyn OAuth>);
    let model = models.find("corp", "m").expect("a model");
    let world = World::new(json!([])).with_models(Arc::clone(&models), model);
    let mut good = credential(0);
    good.insert("expires".to_owned(), (now_ms() + 3_600_000).into());
    let auth = json!({"corp": good}).to_string();
    world.home.write_agent("auth.json", &auth);
    models.load_auth_json(&auth).expect("valid");
    let running = world.start().await;
    let keys = || seen.all().into_iter().map(|(_, key)| key).collect::<Vec<_>>();
    running.say("Hi").await;
    assert_eq!(keys(), ["key-a0", "key-a1"]);
    running.say("Once more").await;
    assert_eq!(keys(), ["key-a0", "key-a1", "key-a1", "key-a2"], "the second refusal stands");
    assert_eq!(oauth.renewals.load(Ordering::Relaxed), 2);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_login_behind_a_link_is_renewed_once_by_those_who_know_it_by_different_names() {
    let oauth = Arc::new(ShortLived { lives_longer: true, ..ShortLived::default() });
    let auth = json!({"corp": credential(0)}).to_string();
    let (mut worlds, mut sessions, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..2 {
        let (models, seen) = corp(json!(["Done."]), Arc::clone(&oauth) as Arc<dyn OAuth>);
        let model = models.find("corp", "m").expect("a model");
        models.load_auth_json(&auth).expect("valid");
        worlds.push(World::new(json!([])).with_models(models, model));
        all.push(seen);
    }
    worlds[0].home.write_agent("auth.json", &auth);
    worlds[1].home.write_agent("settings.json", "{}");
    let [file, link] = [0, 1].map(|at: usize| worlds[at].home.agent_dir().join("auth.json"));
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    for world in &worlds {
        sessions.push(world.start().await);
    }
    tokio::join!(sessions[0].say("Hi"), sessions[1].say("Hi"));
    assert_eq!(oauth.renewals.load(Ordering::Relaxed), 1);
    let expected = [("http://a1".to_owned(), "key-a1".to_owned())];
    assert_eq!([all[0].all(), all[1].all()], [&expected, &expected]);
    assert!(link.is_symlink(), "the link stays");
    assert!(std::fs::read_to_string(&file).expect("a file").contains("a1"));
}

/// A provider that answers on command.
#[derive(Default)]
struct Slow {
    asked: Notify,
    answers: Notify,
}

#[async_trait]
impl OAuth for Slow {
    fn name(&self) -> &str {
        "Slow"
    }

    fn extension(&self) -> &str {
        "/slow.ts"
    }

    async fn login(&self, _: Arc<dyn LoginUi>, _: CancellationToken) -> Result<JsonMap, String> {
        Ok(credential(0))
    }

    async fn refresh(&self, _: &JsonMap, _: CancellationToken) -> Result<JsonMap, String> {
        self.asked.notify_one();
        self.answers.notified().await;
        Ok(credential(1))
    }

    async fn api_key(&self, _: &JsonMap) -> Result<String, String> {
        Ok("key".to_owned())
    }

    async fn modify_models(&self, _: &[Arc<Model>], _: &JsonMap) -> Result<Option<Vec<Model>>, String> {
        Ok(None)
    }
}

/// The old token is void once the provider gave a new one, so the end of the session waits until that is stored.
#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_that_is_under_way_is_stored_before_the_session_ends() {
    let oauth = Arc::new(Slow::default());
    let (models, _) = corp(json!([]), Arc::clone(&oauth) as Arc<dyn OAuth>);
    let model = models.find("corp", "m").expect("a model");
    let world = World::new(json!([])).with_models(Arc::clone(&models), model);
    let auth = json!({"corp": credential(0)}).to_string();
    world.home.write_agent("auth.json", &auth);
    models.load_auth_json(&auth).expect("valid");
    let running = world.start().await;
    let session = Arc::clone(&running.session);
    let prompt = tokio::spawn(async move { session.prompt(tau_agent::Prompt::new("Hi")).await });
    oauth.asked.notified().await;
    // Whoever quits does not wait for the answer.
    prompt.abort();
    assert!(prompt.await.is_err_and(|error| error.is_cancelled()));
    let ending = {
        let session = Arc::clone(&running.session);
        tokio::spawn(async move { session.shut_down(SessionShutdownReason::Quit).await })
    };
    // Only the renewal is left.
    running.session.wait_until_idle().await;
    while !running.session.is_shut_down() {
        tokio::task::yield_now().await;
    }
    oauth.answers.notify_one();
    ending.await.expect("the end");
    let stored = std::fs::read_to_string(world.home.agent_dir().join("auth.json")).expect("a file");
    assert!(stored.contains("a1"), "{stored}");
}
