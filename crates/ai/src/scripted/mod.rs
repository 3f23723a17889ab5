//! A model that plays a script: for tests, for authors of extensions, and for trying tau without a key.
//!
//! A script is YAML or JSON. Each reply answers one request, in order; a reply is a list of steps:
//!
//! ```yaml
//! model: {id: planner, contextWindow: 100000, reasoning: true}
//! replies:
//!   - - expect: {last_user: What is in notes.txt?, has_tools: read}
//!     - thinking: I have to look.
//!     - tool_call: {name: read, arguments: {path: notes.txt}}
//!   - - expect: {tool_result: {name: read, is_error: false}}
//!     - text: "It has {{tool.last.lines}} lines, the first is: {{tool.last.first_lines:1}}"
//!       chunk: 8
//!     - usage: {input: 120, output: 14}
//!   - when: {last_user_contains: again}
//!     steps: ["You said: {{user}}"]
//! ```
//!
//! * Steps: `text`, `thinking`, `tool_call`, `delay_ms`, `error`, `usage`, `stop_reason`, `expect`.
//! * `expect` and `when` describe the request with the same keys. A failed `expect` ends the answer with an
//!   error that names the reply, the step, the key, what was expected and what came. A reply with `when` is
//!   chosen by the request, not by its place, and stays available unless `once` or `repeat` limit it.
//! * `{{…}}` in texts and in tool-call arguments stands for what the model was sent or what the host gave.
//! * A request that no reply is left for fails and says so.
//!
//! The whole grammar is in `docs/scripted-models.md`.
//!
//! The request hooks are called as by any provider. The payload they see is
//! `{model, system, messages, tools}`, with messages in the form that sessions use; what a hook makes of it
//! is what assertions and templates look at.

mod block;
mod error;
mod filter;
mod matcher;
mod model;
mod payload;
mod player;
mod script;
mod step;
mod template;
mod text_list;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;
use parking_lot::Mutex;
use serde_json::Value;

use self::payload::Payload;
use self::player::Player;
use self::script::{Reply, Script};
use crate::{MessageStream, Model, StreamApi, StreamRequest};

pub use self::error::ScriptError;

/// The provider's name, and the name of its wire format.
pub const PROVIDER: &str = "scripted";

/// A model that plays a script. Clones share the script's progress and the record of requests.
#[derive(Clone)]
pub struct ScriptedApi {
    script: Arc<Script>,
    replies: Arc<[Arc<Reply>]>,
    vars: Arc<BTreeMap<String, String>>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    requests: Vec<Recorded>,
    /// How many requests each reply has answered.
    used: Vec<u64>,
    /// The last number given to a call without an id.
    call: u64,
}

/// A request, kept in whichever form it already had: one is made into the other when somebody asks.
struct Recorded {
    headers: BTreeMap<String, Option<String>>,
    payload: Arc<Payload>,
    /// The payload as the hooks left it.
    sent: Option<Value>,
}

/// The reply that answers a request.
struct Chosen {
    index: usize,
    reply: Arc<Reply>,
    /// The number of the request, from 1.
    request: u64,
}

impl ScriptedApi {
    /// Reads a script in YAML. `name` stands in front of error messages.
    ///
    /// # Errors
    /// When the text is no script, with line and column.
    pub(crate) fn from_yaml(name: &str, text: &str) -> Result<Self, ScriptError> {
        serde_yaml_ng::from_str(text).map(Self::new).map_err(|error| ScriptError::yaml(name, &error))
    }

    /// Reads a script in JSON. `name` stands in front of error messages.
    ///
    /// # Errors
    /// When the text is no script, with line and column.
    pub fn from_json(name: &str, text: &str) -> Result<Self, ScriptError> {
        serde_json::from_str(text).map(Self::new).map_err(|error| ScriptError::json(name, &error))
    }

    /// Reads a script: JSON when `name` ends in `.json`, else YAML.
    ///
    /// # Errors
    /// When the text is no script, with line and column.
    pub fn from_str(name: &str, text: &str) -> Result<Self, ScriptError> {
        let is_json = name.len() >= 5 && name.to_ascii_lowercase().ends_with(".json");
        if is_json { Self::from_json(name, text) } else { Self::from_yaml(name, text) }
    }

    /// The script that shows tau without a model: it looks at the current directory with the `ls` and `read`
    /// tools and answers from what they return, whatever the prompt. Both tools have to be active.
    ///
    /// # Errors
    /// Never, unless this build carries a damaged script.
    pub fn demo() -> Result<Self, ScriptError> {
        Self::from_yaml("demo.yaml", include_str!("demo.yaml"))
    }

    fn new(mut script: Script) -> Self {
        let replies: Arc<[Arc<Reply>]> = std::mem::take(&mut script.replies).into_iter().map(Arc::new).collect();
        let state = State { used: vec![0; replies.len()], ..State::default() };
        Self { script: Arc::new(script), replies, vars: Arc::default(), state: Arc::new(Mutex::new(state)) }
    }

    /// Gives variables for the templates, such as `cwd`.
    #[must_use]
    pub fn with_vars<K: Into<String>, V: Into<String>>(mut self, vars: impl IntoIterator<Item = (K, V)>) -> Self {
        Arc::make_mut(&mut self.vars).extend(vars.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// The model the script describes, of the provider [`PROVIDER`].
    pub fn model(&self) -> Model {
        self.script.model.to_model()
    }

    /// The payloads of the requests so far, as the request hooks left them.
    pub fn requests(&self) -> Vec<Value> {
        let state = self.state.lock();
        state.requests.iter().map(|r| r.sent.clone().unwrap_or_else(|| r.payload.to_value())).collect()
    }

    /// The headers of the requests so far, as the request hooks left them; removed ones are not there.
    pub fn request_headers(&self) -> Vec<BTreeMap<String, String>> {
        let kept = |recorded: &Recorded| {
            recorded.headers.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?))).collect()
        };
        self.state.lock().requests.iter().map(kept).collect()
    }

    /// Replies without a condition that have not been played as often as the script says. A test that wants
    /// its whole script played asserts that this is 0.
    pub fn unplayed(&self) -> usize {
        let state = self.state.lock();
        let open =
            |(reply, used): (&Arc<Reply>, &u64)| reply.when.is_none() && reply.uses.is_some_and(|uses| *used < uses);
        self.replies.iter().zip(&state.used).filter(|pair| open(*pair)).count()
    }

    /// Notes a request; returns its number.
    fn record(&self, headers: BTreeMap<String, Option<String>>, payload: Arc<Payload>, sent: Option<Value>) -> u64 {
        let mut state = self.state.lock();
        state.requests.push(Recorded { headers, payload, sent });
        state.requests.len() as u64
    }

    fn choose(&self, payload: &Payload, request: u64) -> Result<Chosen, String> {
        let mut state = self.state.lock();
        let mut refusals = Vec::new();
        let mut choice = None;
        for (index, reply) in self.replies.iter().enumerate() {
            let Some(when) = &reply.when else { continue };
            if reply.uses.is_some_and(|uses| state.used[index] >= uses) {
                continue;
            }
            match when.check(payload, request) {
                Ok(()) => {
                    choice = Some(index);
                    break;
                }
                Err(problem) => refusals.push(format!("{} wants {problem}", player::label(index, reply))),
            }
        }
        let choice = choice.or_else(|| self.next_in_order(&mut state));
        let Some(index) = choice else {
            return Err(no_reply(request, self.replies.len(), &refusals));
        };
        state.used[index] += 1;
        Ok(Chosen { index, reply: Arc::clone(&self.replies[index]), request })
    }

    fn next_in_order(&self, state: &mut State) -> Option<usize> {
        let in_order = || self.replies.iter().enumerate().filter(|(_, reply)| reply.when.is_none());
        let open = |state: &State| {
            in_order().find(|(index, reply)| reply.uses.is_none_or(|uses| state.used[*index] < uses)).map(|(at, _)| at)
        };
        open(state).or_else(|| {
            if self.script.again {
                in_order().for_each(|(index, _)| state.used[index] = 0);
            }
            open(state)
        })
    }

    /// An id for a call that has none, different from every id in the conversation.
    fn fresh_call_id(&self, payload: &Payload) -> String {
        let mut state = self.state.lock();
        loop {
            state.call += 1;
            let id = format!("call_{}", state.call);
            if !payload.has_call(&id) {
                return id;
            }
        }
    }
}

fn no_reply(request: u64, replies: usize, refusals: &[String]) -> String {
    let noun = if replies == 1 { "reply" } else { "replies" };
    let mut text = format!("no reply is left for request {request} (the script has {replies} {noun})");
    for refusal in refusals.iter().take(5) {
        text.push_str("\n  ");
        text.push_str(refusal);
    }
    text
}

impl StreamApi for ScriptedApi {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        let player = Player::new(self.clone(), request);
        stream::unfold(player, async |mut player| player.next().await.map(|item| (item, player))).boxed()
    }
}
