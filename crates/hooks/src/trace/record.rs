//! What is written down of a call: the same form in memory and in a file.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tau_ai::JsonMap;

use crate::changes::Changes;
use crate::events::EventId;

/// What one handler call did, or one call that a tool made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceRecord {
    /// Counts all records of one [`Trace`](super::Trace) from 1.
    pub seq: u64,
    /// Milliseconds since the Unix epoch, when the call ended.
    pub timestamp: i64,
    /// What the call belongs to.
    #[serde(flatten)]
    pub ids: TraceIds,
    /// The extension: its file, or `<native:name>`.
    pub extension: Arc<str>,
    /// The event.
    #[serde(serialize_with = "event_name", deserialize_with = "event_of")]
    pub event: EventId,
    /// How long the call took, in microseconds.
    #[serde(serialize_with = "micros", deserialize_with = "of_micros", rename = "durationUs")]
    pub duration: Duration,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: TraceOutcome,
    /// What it changed.
    #[serde(flatten)]
    pub changes: Changes,
    /// The call that a tool made and that is over; the record is of no handler then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<TracedCall>,
    /// Fields that another version wrote and this one does not know. They are written again as they were read.
    #[serde(flatten, deserialize_with = "unknown_fields")]
    pub unknown: Option<Box<JsonMap>>,
}

/// What a record belongs to. Records of one session, run, turn, request or tool call have the same id, whoever made them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceIds {
    /// The session; none before there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Arc<str>>,
    /// The run; none for what belongs to no run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<Arc<str>>,
    /// The turn, counted from 1 in each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The last request that was begun, counted from 1 in each run; a request that is repeated counts again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<u32>,
    /// The call of a tool that the event is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<Arc<str>>,
}

/// A call that a tool made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedCall {
    /// Its id; what stands before the last `/` is the id of the call that made it.
    pub id: String,
    /// The name of the tool.
    pub name: String,
}

/// How a handler call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "error")]
pub enum TraceOutcome {
    /// Without a result.
    Nothing,
    /// With a result.
    Result,
    /// With a result that ended the round.
    Stopped,
    /// With a failure: its kind, not its text.
    Failed(Cow<'static, str>),
}

impl TraceOutcome {
    /// A short name, for spans.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Nothing => "nothing",
            Self::Result => "result",
            Self::Stopped => "stopped",
            Self::Failed(kind) => kind,
        }
    }
}

fn event_name<S: Serializer>(event: &EventId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(event.name())
}

fn event_of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EventId, D::Error> {
    let name = Cow::<str>::deserialize(deserializer)?;
    EventId::parse(&name).ok_or_else(|| D::Error::custom(format!("unknown event `{name}`")))
}

fn micros<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
}

fn of_micros<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_micros)
}

fn unknown_fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<JsonMap>>, D::Error> {
    let fields = JsonMap::deserialize(deserializer)?;
    Ok((!fields.is_empty()).then(|| Box::new(fields)))
}
