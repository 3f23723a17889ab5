//! Where a round of calls happens.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::host::Host;

/// Where a round of calls happens.
#[derive(Clone)]
pub struct Scope {
    /// The session.
    pub host: Arc<dyn Host>,
    /// Ends the round: handlers still at work are left behind.
    pub cancel: CancellationToken,
    /// The id of the tool call that the round is about.
    pub tool_call: Option<Arc<str>>,
    /// The run that the round belongs to.
    pub run: RunIds,
    /// The session that the event is one of, when the gates of another one are asked about it.
    pub session_id: Option<Arc<str>>,
}

impl Scope {
    /// A scope that nothing ends.
    pub fn new(host: Arc<dyn Host>) -> Self {
        Self { host, cancel: CancellationToken::new(), tool_call: None, run: RunIds::default(), session_id: None }
    }

    /// A scope that `cancel` ends.
    pub fn until(host: Arc<dyn Host>, cancel: CancellationToken) -> Self {
        Self { cancel, ..Self::new(host) }
    }

    /// The same place, within a tool call: what is asked of the user there is asked about the call.
    #[must_use]
    pub fn in_tool_call(self, id: &str) -> Self {
        Self { tool_call: Some(id.into()), ..self }
    }
}

/// A run and how far it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunIds {
    /// The run; none for what belongs to no run.
    pub run_id: Option<Arc<str>>,
    /// The turn, counted from 1 in each run; none before the first.
    pub turn: Option<u32>,
    /// The last request that was begun, counted from 1 in each run; none before the first.
    pub request: Option<u32>,
}
