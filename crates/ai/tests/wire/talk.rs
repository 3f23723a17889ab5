//! A conversation over several requests.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::{AssistantMessage, Message, StreamRequest, ToolDeclaration, WrittenMessages};
use tau_testkit::loopback::{LoopbackServer, RecordedRequest, Reply};

use super::support::{answer, messages, model, request};

/// A tool without arguments.
pub fn tool(name: &str, description: &str) -> ToolDeclaration {
    let parameters = json!({"type": "object", "properties": {}, "required": []});
    ToolDeclaration {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters,
        constrained_sampling: None,
    }
}

/// A message from its JSON form.
pub fn message(value: Value) -> Arc<Message> {
    messages(json!([value])).remove(0)
}

/// A conversation that grows over several requests.
pub struct Talk {
    pub server: LoopbackServer,
    pub history: Vec<Arc<Message>>,
    pub written: WrittenMessages,
    pub extra: Value,
}

impl Talk {
    /// A conversation with a model that has these fields on top.
    pub fn new(extra: Value) -> Self {
        let (server, written) = (LoopbackServer::start([]), WrittenMessages::default());
        Self { server, history: Vec::new(), written, extra }
    }

    /// The user says something.
    pub fn says(&mut self, text: &str) {
        self.history.push(message(json!({"role": "user", "content": text})));
    }

    /// The next request.
    pub fn request(&self, change: impl FnOnce(&mut StreamRequest)) -> StreamRequest {
        let mut request = request(model("anthropic-messages", &self.server, self.extra.clone()));
        request.messages = self.history.clone();
        request.options.written = self.written.clone();
        change(&mut request);
        request
    }

    /// Asks, and takes the answer into the conversation.
    pub async fn asks(
        &mut self,
        reply: Reply,
        change: impl FnOnce(&mut StreamRequest),
    ) -> (RecordedRequest, AssistantMessage) {
        self.server.push(reply);
        let said = answer(self.request(change)).await;
        self.history.push(Arc::new(Message::Assistant(said.clone())));
        (self.server.requests().pop().expect("a request"), said)
    }
}
