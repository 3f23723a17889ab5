use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::json;
use tau_ai::{
    Message, ModelRegistry, ProviderConfig, Secret, StreamEvent, StreamOptions, StreamRequest, ValueResolver,
};
use tau_examples::OwnModels;
use tau_testkit::Stage;
use tau_testkit::loopback::{LoopbackServer, Reply};
use tokio_util::sync::CancellationToken;

struct NoValues;

impl ValueResolver for NoValues {
    fn env(&self, _: &str) -> Option<String> {
        None
    }
    fn command(&self, _: &str) -> Result<String, String> {
        Err("there are no commands".to_owned())
    }
}

async fn answer(registry: &ModelRegistry, provider: &str, id: &str, prompt: &str) -> String {
    let model = registry.find(provider, id).expect("a model");
    let key = registry.auth(&model).expect("a credential").api_key;
    let message: Message = serde_json::from_value(json!({"role": "user", "content": prompt})).expect("a message");
    let request = StreamRequest {
        model: Arc::clone(&model),
        system: None,
        messages: vec![Arc::new(message)],
        tools: Arc::default(),
        options: StreamOptions { api_key: key.map(|key| Secret::new(key.expose())), ..StreamOptions::default() },
        hooks: None,
        cancel: CancellationToken::new(),
    };
    let events: Vec<_> = registry.api_for(&model).expect("a wire format").stream(request).collect().await;
    match &events.last().expect("an event").event {
        StreamEvent::Done { message } => message.content.iter().filter_map(|block| block.as_text()).collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn one_provider_answers_itself_and_the_other_over_a_format_by_name() {
    let server = LoopbackServer::start([Reply::text("from nearby")]);
    let stage = Stage::new();
    stage.load(&OwnModels { nearby: server.url() }).expect("it loads");
    let registry = ModelRegistry::new(Arc::new(NoValues));
    for (_, provider) in stage.hooks.providers() {
        let config: ProviderConfig = serde_json::from_value(provider.config).expect("a configuration");
        let config = ProviderConfig { stream: provider.api, ..config };
        registry.register_provider(&provider.name, config).expect("a provider");
    }
    assert_eq!(answer(&registry, "parrot", "grey", "hello to you").await, "hello to you");
    assert_eq!(answer(&registry, "nearby", "local", "hello").await, "from nearby");
    let sent = server.requests().remove(0);
    assert_eq!((&*sent.path, &sent.body["model"]), ("/chat/completions", &json!("local")));
}
