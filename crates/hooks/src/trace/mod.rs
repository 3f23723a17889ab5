//! One record per handler call: who, what, how long, with what effect. And one per call that a tool made, because a
//! message keeps only some of those.
//!
//! The last records are kept in a ring in memory; on request every record is also written as a line of JSON.
//! Records name fields, entries and sizes, never contents, so a trace holds no secrets. Each says which session, run,
//! turn, request and tool call it belongs to, and [`TraceReader`] reads them back.

mod read;
mod record;

use std::collections::VecDeque;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tau_ai::Clock;
use tokio::time::Instant;

use crate::changes::Changes;
use crate::events::EventId;
use crate::handler::visit::Quiet;
use crate::owner::Owner;
use crate::scope::{RunIds, Scope};

pub use read::{TraceReadError, TraceReader};
pub use record::{TraceIds, TraceOutcome, TraceRecord, TracedCall};

/// How many records the ring keeps unless told otherwise.
pub const RING: usize = 4096;

/// Keeps trace records.
pub struct Trace {
    state: Mutex<State>,
    /// Whose records are of no extension.
    runtime: Arc<str>,
    clock: Clock,
}

struct State {
    seq: u64,
    /// The session that is open.
    session: Option<Arc<str>>,
    capacity: usize,
    ring: VecDeque<TraceRecord>,
    file: Option<BufWriter<File>>,
    failure: Option<String>,
}

impl State {
    /// Takes a record in and numbers it.
    fn add(&mut self, mut record: TraceRecord) {
        self.seq += 1;
        record.seq = self.seq;
        if record.ids.session_id.is_none() {
            record.ids.session_id.clone_from(&self.session);
        }
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

/// What came of a call of a handler.
pub(crate) struct Handled {
    pub(crate) duration: Duration,
    pub(crate) outcome: TraceOutcome,
    pub(crate) changes: Changes,
}

impl Default for Trace {
    fn default() -> Self {
        Self::with_capacity(RING)
    }
}

impl Trace {
    /// A trace of the usual size whose times are those of a clock.
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, ..Self::default() }
    }

    /// A trace that keeps the last `capacity` records; 0 keeps none.
    pub fn with_capacity(capacity: usize) -> Self {
        let ring = VecDeque::with_capacity(capacity);
        let state = State { seq: 0, session: None, capacity, ring, file: None, failure: None };
        Self { state: Mutex::new(state), runtime: "<runtime>".into(), clock: Clock::default() }
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

    /// Says which session records belong to from now on.
    pub fn set_session(&self, id: &str) {
        self.state.lock().session = Some(id.into());
    }

    pub(crate) fn record(
        &self,
        scope: &Scope,
        extension: &Arc<Owner>,
        event: EventId,
        Handled { duration, outcome, changes }: Handled,
    ) {
        let timestamp = self.clock.now_ms();
        let record = TraceRecord { changes, ..record_of(scope, &extension.path, event, outcome) };
        self.state.lock().add(TraceRecord { timestamp, duration, ..record });
    }

    /// Notes a call that a tool made and that is over.
    pub fn record_call(&self, scope: &Scope, call: TracedCall, duration: Duration, failed: bool) {
        let timestamp = self.clock.now_ms();
        let outcome = if failed { TraceOutcome::Failed("tool_failed".into()) } else { TraceOutcome::Nothing };
        let record = record_of(scope, &self.runtime, EventId::ToolExecutionEnd, outcome);
        self.state.lock().add(TraceRecord { timestamp, duration, tool_call: Some(call), ..record });
    }

    /// Notes calls that said nothing, in their order.
    pub(crate) fn record_quiet<'a>(
        &self,
        scope: &Scope,
        event: EventId,
        calls: impl Iterator<Item = (&'a Arc<Owner>, Quiet)>,
    ) {
        let (now, timestamp) = (Instant::now(), self.clock.now_ms());
        let mut state = self.state.lock();
        for (extension, Quiet { took, ended }) in calls {
            let ago = i64::try_from((now - ended).as_millis()).unwrap_or(0);
            let record = record_of(scope, &extension.path, event, TraceOutcome::Nothing);
            state.add(TraceRecord { timestamp: timestamp - ago, duration: took, ..record });
        }
    }

    /// The records in memory, oldest first.
    pub fn records(&self) -> Vec<TraceRecord> {
        self.state.lock().ring.iter().cloned().collect()
    }

    /// The records in memory about a tool call, oldest first.
    pub fn of_tool_call(&self, id: &str) -> Vec<TraceRecord> {
        let state = self.state.lock();
        state.ring.iter().filter(|record| record.ids.tool_call_id.as_deref() == Some(id)).cloned().collect()
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

/// What is known of a record by where it is made.
fn record_of(scope: &Scope, extension: &Arc<str>, event: EventId, outcome: TraceOutcome) -> TraceRecord {
    let RunIds { run_id, turn, request } = scope.run.clone();
    TraceRecord {
        seq: 0,
        timestamp: 0,
        ids: TraceIds {
            session_id: scope.session_id.clone(),
            run_id,
            turn,
            request,
            tool_call_id: scope.tool_call.clone(),
        },
        extension: Arc::clone(extension),
        event,
        duration: Duration::ZERO,
        outcome,
        changes: Changes::none(),
        tool_call: None,
        unknown: None,
    }
}
