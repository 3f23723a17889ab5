//! One record per handler call: who, what, how long, with what effect. And one per call that a tool made, because a
//! message keeps only some of those.
//!
//! The last records are kept in a ring in memory; on request every record is also written as a line of JSON.
//! Records name fields, entries and sizes, never contents, so a trace holds no secrets.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Serialize, Serializer};
use tokio::time::Instant;

use crate::changes::Changes;
use crate::dialect::PI;
use crate::events::EventId;
use crate::handler::visit::Quiet;
use crate::owner::Owner;

/// How many records the ring keeps unless told otherwise.
pub const RING: usize = 4096;

/// What one handler call did.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceRecord {
    /// Counts all records of this session from 1.
    pub seq: u64,
    /// Milliseconds since the Unix epoch, when the call ended.
    pub timestamp: i64,
    /// The extension.
    #[serde(serialize_with = "owner_path")]
    pub extension: Arc<Owner>,
    /// The event.
    #[serde(serialize_with = "event_name")]
    pub event: EventId,
    /// How long the call took, in microseconds.
    #[serde(serialize_with = "micros", rename = "durationUs")]
    pub duration: Duration,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: TraceOutcome,
    /// What it changed.
    #[serde(flatten)]
    pub changes: Changes,
    /// The call that a tool made and that is over; the record is of no handler then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<TracedCall>,
}

/// A call that a tool made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TracedCall {
    /// Its id; what stands before the last `/` is the id of the call that made it.
    pub id: String,
    /// The name of the tool.
    pub name: String,
}

/// How a handler call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "error")]
pub enum TraceOutcome {
    /// Without a result.
    Nothing,
    /// With a result.
    Result,
    /// With a result that ended the round.
    Stopped,
    /// With a failure: its kind, not its text.
    Failed(&'static str),
}

impl TraceOutcome {
    /// A short name, for spans.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Result => "result",
            Self::Stopped => "stopped",
            Self::Failed(kind) => kind,
        }
    }
}

fn owner_path<S: Serializer>(owner: &Arc<Owner>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&owner.path)
}

fn event_name<S: Serializer>(event: &EventId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(event.name())
}

fn micros<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
}

/// Keeps trace records.
pub struct Trace {
    state: Mutex<State>,
    /// Whose records are of no extension.
    runtime: Arc<Owner>,
}

struct State {
    seq: u64,
    capacity: usize,
    ring: VecDeque<TraceRecord>,
    file: Option<BufWriter<File>>,
    failure: Option<String>,
}

impl State {
    /// Takes a record in and numbers it.
    fn add(&mut self, record: TraceRecord) {
        self.seq += 1;
        let record = TraceRecord { seq: self.seq, ..record };
        if let Some(file) = &mut self.file {
            let written = serde_json::to_writer(&mut *file, &record)
                .map_err(io::Error::from)
                .and_then(|()| file.write_all(b"\n"));
            if let Err(error) = written {
                self.failure = Some(error.to_string());
                self.file = None;
            }
        }
        if self.capacity == 0 {
            return;
        }
        if self.ring.len() == self.capacity {
            self.ring.pop_front();
        }
        self.ring.push_back(record);
    }
}

impl Default for Trace {
    fn default() -> Self {
        Self::with_capacity(RING)
    }
}

impl Trace {
    /// A trace that keeps the last `capacity` records; 0 keeps none.
    pub fn with_capacity(capacity: usize) -> Self {
        let state = State { seq: 0, capacity, ring: VecDeque::with_capacity(capacity), file: None, failure: None };
        Self { state: Mutex::new(state), runtime: Owner::new("<runtime>", "runtime", &PI) }
    }

    /// Keeps the last `capacity` records from now on; 0 keeps none.
    pub fn set_capacity(&self, capacity: usize) {
        let mut state = self.state.lock();
        state.capacity = capacity;
        let surplus = state.ring.len().saturating_sub(capacity);
        state.ring.drain(..surplus);
    }

    /// Also writes every further record as a line of JSON to the end of a file, which only its owner can read then.
    ///
    /// # Errors
    /// When the file cannot be opened for appending.
    pub fn write_to(&self, path: &Path) -> io::Result<()> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let meta = file.metadata()?;
        if meta.is_file() && meta.permissions().mode() & 0o077 != 0 {
            // A file of somebody else's stays as it is.
            let _ = file.set_permissions(Permissions::from_mode(0o600));
        }
        self.state.lock().file = Some(BufWriter::new(file));
        Ok(())
    }

    pub(crate) fn record(
        &self,
        extension: &Arc<Owner>,
        event: EventId,
        duration: Duration,
        outcome: TraceOutcome,
        changes: Changes,
    ) {
        let extension = Arc::clone(extension);
        let timestamp = tau_ai::now_ms();
        let tool_call = None;
        self.state.lock().add(TraceRecord {
            seq: 0,
            timestamp,
            extension,
            event,
            duration,
            outcome,
            changes,
            tool_call,
        });
    }

    /// Notes a call that a tool made and that is over.
    pub fn record_call(&self, call: TracedCall, duration: Duration, failed: bool) {
        self.state.lock().add(TraceRecord {
            seq: 0,
            timestamp: tau_ai::now_ms(),
            extension: Arc::clone(&self.runtime),
            event: EventId::ToolExecutionEnd,
            duration,
            outcome: if failed { TraceOutcome::Failed("tool_failed") } else { TraceOutcome::Nothing },
            changes: Changes::none(),
            tool_call: Some(call),
        });
    }

    /// Notes calls that said nothing, in their order.
    pub(crate) fn record_quiet<'a>(&self, event: EventId, calls: impl Iterator<Item = (&'a Arc<Owner>, Quiet)>) {
        let (now, timestamp) = (Instant::now(), tau_ai::now_ms());
        let mut state = self.state.lock();
        for (extension, Quiet { took, ended }) in calls {
            let ago = i64::try_from((now - ended).as_millis()).unwrap_or(0);
            state.add(TraceRecord {
                seq: 0,
                timestamp: timestamp - ago,
                extension: Arc::clone(extension),
                event,
                duration: took,
                outcome: TraceOutcome::Nothing,
                changes: Changes::none(),
                tool_call: None,
            });
        }
    }

    /// The records in memory, oldest first.
    pub fn records(&self) -> Vec<TraceRecord> {
        self.state.lock().ring.iter().cloned().collect()
    }

    /// Hands written records to the system; returns why writing stopped, if it did.
    pub fn flush(&self) -> Option<String> {
        let mut state = self.state.lock();
        if let Some(file) = &mut state.file
            && let Err(error) = file.flush()
        {
            state.failure = Some(error.to_string());
        }
        state.failure.clone()
    }
}
