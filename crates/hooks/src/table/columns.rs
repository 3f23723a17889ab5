//! What columns of the event table may say.

use serde::Serialize;

/// What happens when a handler throws, panics, hangs past its limit or returns something malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Failure {
    /// The failure is reported and the round goes on.
    Report,
    /// The gate stays shut and says who failed.
    Block,
}

/// How long a handler may take; the limits themselves are settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Deadline {
    /// Handlers that only observe: a slow one is left behind.
    Observe,
    /// Handlers whose result is needed.
    Decide,
    /// All handlers together share a few seconds.
    Shutdown,
    /// The time of the setting `hookTimeout`, whether the result is needed or not.
    Hook,
    /// As long as they want.
    Unlimited,
}

impl Deadline {
    /// The setting that says how long that is.
    pub fn setting(self) -> Option<&'static str> {
        match self {
            Self::Observe => Some("tau.limits.observeMs"),
            Self::Decide => Some("tau.limits.handlerMs"),
            Self::Shutdown => Some("tau.limits.shutdownMs"),
            Self::Hook => Some("hookTimeout"),
            Self::Unlimited => None,
        }
    }
}

/// How handlers are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Delivery {
    /// The pipeline waits for them.
    Awaited,
    /// Through a bounded queue, in order, without stopping the stream while there is room.
    Queued,
}

/// In which order dialects are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Nesting {
    /// From the outermost dialect to the innermost, as before a tool runs.
    Inward,
    /// From the innermost to the outermost, as after a tool ran.
    Outward,
}

/// What a result from outside is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Returned {
    /// It is the result.
    Counts,
    /// Nothing: what counts is what the handler did to the object it was given.
    Ignored,
}

/// Whether extensions of the sessions above are asked about an event of a child session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Inherited {
    /// They are not.
    No,
    /// They are, unless an extension below stopped the round: what that decided is final.
    UnlessStopped,
    /// They are, whatever the extensions below said: they have the last word.
    Always,
}

/// What a handler of an event is at work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum About {
    /// Nothing that is shown or made ready for it.
    Other,
    /// The arguments of a tool call that waits for it.
    ToolArguments,
    /// The result of a tool call that waits for it.
    ToolResult,
    /// A message that is kept when it is done.
    Message,
    /// A request to a provider, or the answer.
    Request,
}

/// Whether tau fires an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Fires {
    /// Yes.
    Now,
    /// Not before the named feature exists.
    With(&'static str),
}
