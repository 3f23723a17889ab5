//! What front ends are told while a session works.

use std::future::{Future, poll_fn};
use std::sync::{Arc, Weak};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::Value;
use tau_ai::{Message, StreamEvent, StreamItem, ThinkingLevel, Usage};
use tau_hooks::Messages;
use tau_hooks::payload::{CompactReason, CompactionDone, StreamRule, StreamUpdate, TodoItem, WithoutPartial};
use tau_tools::bash::Pace;
use tokio_util::sync::CancellationToken;

use super::lock::{Part, Rank, RwLock};

const LISTENERS: Rank = Rank::new(Part::Events, 0);
const PACE: Rank = Rank::new(Part::Events, 1);
const RESTS: Rank = Rank::new(Part::Events, 2);

/// Something happened. As JSON this is a line of the event stream of JSON mode.
///
/// An event is sent after the handlers of extensions saw it and after what it speaks of is in the session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum SessionEvent {
    /// Another session is open now. As JSON this is its header, as at the beginning of the stream.
    Session {
        /// The header's fields, but for its type.
        #[serde(flatten)]
        header: serde_json::Map<String, Value>,
    },
    /// A run begins.
    AgentStart,
    /// A turn begins.
    TurnStart,
    /// A message begins.
    MessageStart {
        /// The message as far as it is known.
        message: Arc<Message>,
    },
    /// An assistant message grew.
    MessageUpdate(Update),
    /// A message is complete and in the session.
    MessageEnd {
        /// The message.
        message: Arc<Message>,
    },
    /// A tool call was taken up.
    ToolExecutionStart {
        /// The id the model gave the call.
        tool_call_id: String,
        /// The id of the call that made this one, when a tool called a tool.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_tool_call_id: Option<String>,
        /// The tool's name.
        tool_name: String,
        /// The arguments as the model sent them.
        args: Arc<Value>,
    },
    /// A running tool reported a partial result.
    ToolExecutionUpdate {
        /// The id the model gave the call.
        tool_call_id: String,
        /// The id of the call that made this one, when a tool called a tool.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_tool_call_id: Option<String>,
        /// The tool's name.
        tool_name: String,
        /// The arguments as the model sent them.
        args: Arc<Value>,
        /// Everything so far.
        partial_result: Arc<Value>,
    },
    /// A tool call is over.
    ToolExecutionEnd {
        /// The id the model gave the call.
        tool_call_id: String,
        /// The id of the call that made this one, when a tool called a tool.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_tool_call_id: Option<String>,
        /// The tool's name.
        tool_name: String,
        /// Content, details and the result as data.
        result: Arc<Value>,
        /// Whether the call counts as failed.
        is_error: bool,
        /// How long the tool ran, in milliseconds; absent when it did not run.
        #[serde(skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// A turn is complete.
    TurnEnd {
        /// The model's answer.
        message: Arc<Message>,
        /// The results of its tool calls.
        tool_results: Messages,
    },
    /// A run ended.
    AgentEnd {
        /// The messages of this run.
        messages: Messages,
        /// Whether the run is about to be repeated.
        will_retry: bool,
    },
    /// The session is idle.
    AgentSettled {
        /// The run was aborted.
        aborted: bool,
    },
    /// A queue got longer or shorter.
    QueueUpdate {
        /// Texts waiting for the next request.
        steering: Vec<String>,
        /// Texts waiting for the end of the run.
        follow_up: Vec<String>,
    },
    /// The conversation is about to be compacted.
    CompactionStart {
        /// Why.
        reason: CompactReason,
    },
    /// The conversation was compacted, or not.
    CompactionEnd {
        /// Why it was tried.
        reason: CompactReason,
        /// What came of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Box<CompactionDone>>,
        /// Somebody stopped it.
        aborted: bool,
        /// Whether a failed request is repeated now.
        will_retry: bool,
        /// What went wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_message: Option<String>,
    },
    /// A failed request will be repeated after a pause.
    AutoRetryStart {
        /// Counts from 1.
        attempt: u32,
        /// How many there will be at most.
        max_attempts: u32,
        /// The pause, in milliseconds.
        delay_ms: u64,
        /// Why the last one failed.
        error_message: String,
    },
    /// A failed request worked at last, or is not repeated any more.
    AutoRetryEnd {
        /// Whether it worked.
        success: bool,
        /// How many attempts there were.
        attempt: u32,
        /// Why it did not work.
        #[serde(skip_serializing_if = "Option::is_none")]
        final_error: Option<String>,
    },
    /// The model was interrupted because what it wrote matched rules; it is told them and answers again.
    TtsrTriggered {
        /// The rules.
        rules: Vec<StreamRule>,
    },
    /// The model stopped with open items on its list, and is reminded of them.
    TodoReminder {
        /// The open items.
        todos: Vec<TodoItem>,
        /// Counts from 1.
        attempt: u32,
        /// How many reminders there will be at most.
        max_attempts: u32,
    },
    /// A failed request for a summary will be repeated after a pause.
    SummarizationRetryScheduled {
        /// Counts from 1.
        attempt: u32,
        /// How many there will be at most.
        max_attempts: u32,
        /// The pause, in milliseconds.
        delay_ms: u64,
        /// Why the last one failed.
        error_message: String,
    },
    /// A failed request for a summary is repeated now.
    SummarizationRetryAttemptStart {
        /// `compaction` or `branchSummary`.
        source: &'static str,
        /// Why the conversation is compacted.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<CompactReason>,
    },
    /// A request for a summary is not repeated any more.
    SummarizationRetryFinished,
    /// A shell command of the user put something out.
    BashExecutionUpdate {
        /// What the front end calls the command.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Value>,
        /// What it put out.
        delta: String,
    },
    /// An extension appended an entry.
    EntryAppended {
        /// The entry as it is in the file.
        entry: Value,
    },
    /// The session got another name.
    SessionInfoChanged {
        /// The name.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Another thinking level was chosen.
    ThinkingLevelChanged {
        /// The level.
        level: ThinkingLevel,
    },
}

/// One step of a growing message, without the message itself.
#[derive(Debug, Clone)]
pub struct Update(pub StreamItem);

impl Update {
    /// The text that the message grew by, if it did.
    pub fn text_delta(&self) -> Option<&str> {
        match &self.0.event {
            StreamEvent::TextDelta { delta, .. } => Some(delta),
            _ => None,
        }
    }
}

impl Serialize for Update {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("usage", &*self.0.partial.usage_json().map_err(S::Error::custom)?)?;
        map.serialize_entry("assistantMessageEvent", &WithoutPartial(&self.0))?;
        map.end()
    }
}

impl JsonSchema for Update {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Update".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let usage = generator.subschema_for::<Usage>().to_value();
        let mut event = StreamUpdate::json_schema(generator).to_value();
        event["properties"].as_object_mut().and_then(|fields| fields.shift_remove("partial"));
        schemars::json_schema!({
            "type": "object",
            "properties": {
                "usage": { "description": "The tokens so far.", "$ref": usage["$ref"] },
                "assistantMessageEvent": {
                    "description": "What arrived: `type` (`text_start`, `text_delta`, `text_end` and the same with \
                                    `thinking` and `toolcall`), `contentIndex` (the block, from 0), and `delta` of a \
                                    delta, `content` of an end, `toolCall` of a `toolcall_end`, `id` and `toolName` of \
                                    a `toolcall_start`.",
                    "type": "object",
                    "properties": event["properties"]
                }
            },
            "required": ["usage", "assistantMessageEvent"]
        })
    }
}

type Listener = Arc<dyn Fn(&SessionEvent) + Send + Sync>;
/// What a front end does once no further step of a growing message is there.
type Rest = Arc<dyn Fn() + Send + Sync>;

/// A listener of a session. To drop this changes nothing: the listener stays as long as the session.
pub struct Listening {
    listeners: Weak<RwLock<Arc<[Listener]>>>,
    listener: Listener,
}

impl Listening {
    /// Ends it: the listener gets no event that happens from now on. One that happens at this moment on another
    /// thread may still reach it.
    pub fn stop(self) {
        if let Some(listeners) = self.listeners.upgrade() {
            let mut listeners = listeners.write();
            *listeners = listeners.iter().filter(|other| !Arc::ptr_eq(other, &self.listener)).cloned().collect();
        }
    }
}

/// The listeners of a session.
pub(crate) struct Events {
    listeners: Arc<RwLock<Arc<[Listener]>>>,
    pace: RwLock<Option<Pace>>,
    rest: RwLock<Option<Rest>>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            listeners: Arc::new(RwLock::new(LISTENERS, Arc::from([]))),
            pace: RwLock::new(PACE, None),
            rest: RwLock::new(RESTS, None),
        }
    }
}

impl Events {
    pub(crate) fn listen(&self, listener: impl Fn(&SessionEvent) + Send + Sync + 'static) -> Listening {
        let listener: Listener = Arc::new(listener);
        let mut listeners = self.listeners.write();
        *listeners = listeners.iter().cloned().chain([Arc::clone(&listener)]).collect();
        Listening { listeners: Arc::downgrade(&self.listeners), listener }
    }

    /// Whether anybody listens.
    pub(crate) fn any(&self) -> bool {
        !self.listeners.read().is_empty()
    }

    pub(crate) fn set_pace(&self, pace: Pace) {
        *self.pace.write() = Some(pace);
    }

    /// What [`Events::keep_pace`] asks, for whoever cannot hold the session.
    pub(crate) fn pace(&self) -> Option<Pace> {
        self.pace.read().clone()
    }

    pub(crate) fn set_rest(&self, rest: impl Fn() + Send + Sync + 'static) {
        *self.rest.write() = Some(Arc::new(rest));
    }

    /// Runs `work`, in which a message grows. Whenever it has to wait, the front end hears that there is no further step
    /// at the moment.
    pub(crate) async fn resting<T>(&self, work: impl Future<Output = T>) -> T {
        let rest = self.rest.read().clone();
        let Some(rest) = rest else { return work.await };
        let mut work = std::pin::pin!(work);
        poll_fn(|context| {
            let polled = work.as_mut().poll(context);
            if polled.is_pending() {
                rest();
            }
            polled
        })
        .await
    }

    /// Waits while a front end has no room for more, but not beyond `cancel`.
    pub(crate) async fn keep_pace(&self, cancel: &CancellationToken) {
        let Some(pace) = self.pace() else { return };
        if let Some(room) = pace() {
            tokio::select! {
                biased;
                () = cancel.cancelled() => {}
                () = room => {}
            }
        }
    }

    /// Tells everybody. The event is built only when somebody listens.
    pub(crate) fn send(&self, event: impl FnOnce() -> SessionEvent) {
        let listeners = Arc::clone(&self.listeners.read());
        if listeners.is_empty() {
            return;
        }
        let event = event();
        for listener in listeners.iter() {
            listener(&event);
        }
    }
}
