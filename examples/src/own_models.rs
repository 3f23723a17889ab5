//! Two providers of models. `parrot` answers itself, with what it is told; `nearby` is a server that speaks a wire format
//! which tau knows by name.
//!
//! What it shows: a stream of events without a server, and a configuration as `models.json` has it.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tau_ai::{
    AssistantMessage, Message, MessageBuilder, MessageContent, MessageStream, Operations, StopReason, StreamApi,
    StreamRequest,
};
use tau_hooks::{Extension, HandlerError, Provider, Registrar};

/// The name that models of this stream refer to it by.
const API: &str = "parrot";

/// The extension.
#[derive(Debug, Clone)]
pub struct OwnModels {
    /// The address of the server nearby.
    pub nearby: String,
}

impl Default for OwnModels {
    fn default() -> Self {
        Self { nearby: "http://localhost:8000/v1".to_owned() }
    }
}

/// Says what it was told last, word by word.
struct Parrot;

impl StreamApi for Parrot {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        let head: AssistantMessage = MessageBuilder::head_at(&request.model, request.options.sources.clock.now_ms());
        let builder = MessageBuilder::new(head);
        let mut items = vec![builder.start()];
        let (block, opened) = builder.text_start();
        items.push(opened);
        items.extend(heard(&request.messages).split_inclusive(' ').map(|word| builder.text_delta(block, word)));
        items.push(builder.text_end(block, None));
        items.push(builder.done(StopReason::Stop));
        futures_util::stream::iter(items).boxed()
    }
}

/// The text that the user sent last.
fn heard(messages: &[Arc<Message>]) -> String {
    let last = messages.iter().rev().find_map(|message| match &**message {
        Message::User(message) => Some(&message.content),
        _ => None,
    });
    match last {
        Some(MessageContent::Text(text)) => text.clone(),
        Some(MessageContent::Blocks(blocks)) => blocks.iter().filter_map(|block| block.as_text()).collect(),
        None => String::new(),
    }
}

fn model(id: &str) -> Value {
    json!({"id": id, "input": ["text"], "contextWindow": 100_000, "maxTokens": 1000})
}

fn provider(name: &str, config: Value) -> Provider {
    Provider { name: name.to_owned(), config, api: None, oauth: None, operations: Operations::default(), source: None }
}

impl Extension for OwnModels {
    fn name(&self) -> &str {
        "own-models"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let config = json!({"baseUrl": "in-process", "apiKey": "none", "api": API, "models": [model("grey")]});
        registrar.provider(Provider { api: Some(Arc::new(Parrot)), ..provider("parrot", config) });
        let config = json!({
            "baseUrl": self.nearby, "apiKey": "none", "api": "openai-completions", "models": [model("local")],
        });
        registrar.provider(provider("nearby", config));
        Ok(())
    }
}
