//! What a user is told about extensions: failures, slowness, mistakes and conflicts.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;

use crate::dialect::Failures;
use crate::error::HandlerError;
use crate::events::EventId;
use crate::owner::Owner;

/// Something a user should know about an extension.
#[derive(Debug, Clone)]
pub struct Report {
    /// The extension's file, or `<native:name>`.
    pub extension: Arc<str>,
    /// The event's name, `command:<name>`, or what else was going on.
    pub event: String,
    /// What happened.
    pub kind: ReportKind,
    /// `file:line`, as near as it is known.
    pub location: Option<String>,
    /// What failures of this kind of extension are called.
    pub failures: Failures,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum ReportKind {
    /// A handler failed.
    Error {
        /// Its text.
        message: String,
        /// The mapped stack, when there is one.
        stack: Option<String>,
    },
    /// A handler is taking its time.
    Slow(Duration),
    /// The extension keeps others waiting for this long: the place where both live is busy with it. The path is that of
    /// the one that waits.
    HoldsUp(Duration, Arc<str>),
    /// The handler waits for this long, because the place where it lives is busy with something else.
    HeldUp(Duration),
    /// A name nobody knows, with the nearest one that exists.
    UnknownName {
        /// What it names: an event, a result field, …
        what: &'static str,
        /// The unknown name.
        name: String,
        /// The nearest known name.
        nearest: Option<String>,
    },
    /// Two extensions want the same thing, or something could not be loaded.
    Diagnostic(String),
}

/// A time as people read it: tenths of a second, or milliseconds when it is short.
fn readable(time: Duration) -> Duration {
    let step = if time.as_secs() == 0 { 1 } else { 100 };
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX) / step * step)
}

impl Report {
    /// A failure of a handler.
    pub fn failure(owner: &Owner, event: EventId, error: &HandlerError, registered_at: &str) -> Self {
        let (stack, location) = match error {
            HandlerError::Failed { stack, location, .. } => (stack.clone(), location.clone()),
            _ => (None, None),
        };
        Self {
            extension: Arc::clone(&owner.path),
            event: owner.dialect.name_of(event).to_owned(),
            kind: ReportKind::Error { message: error.to_string(), stack },
            location: location.or_else(|| Some(registered_at.to_owned())),
            failures: owner.dialect.failures,
        }
    }

    /// A diagnostic about an extension.
    pub fn diagnostic(extension: impl Into<Arc<str>>, event: impl Into<String>, text: impl Into<String>) -> Self {
        let kind = ReportKind::Diagnostic(text.into());
        Self { extension: extension.into(), event: event.into(), kind, location: None, failures: Failures::Extension }
    }

    /// The text without the extension's name.
    pub fn message(&self) -> String {
        match &self.kind {
            ReportKind::Error { message, .. } => message.clone(),
            ReportKind::Slow(time) => {
                let time = readable(*time);
                format!("`{}` handler is still busy after {time:?}", self.event)
            }
            ReportKind::HoldsUp(time, waiting) => {
                let time = readable(*time);
                format!(
                    "keeps its script engine busy: the `{}` handler of {waiting} has waited for {time:?}",
                    self.event
                )
            }
            ReportKind::HeldUp(time) => {
                let time = readable(*time);
                format!("`{}` handler has waited for {time:?}, because its script engine is busy", self.event)
            }
            ReportKind::UnknownName { what, name, nearest } => match (brief(name), nearest) {
                (name, Some(nearest)) => format!("unknown {what} `{name}`; did you mean `{nearest}`?"),
                (name, None) => format!("unknown {what} `{name}`"),
            },
            ReportKind::Diagnostic(text) => text.clone(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.failures.label(), self.extension, self.message())?;
        let event = brief(&self.event);
        match &self.location {
            Some(location) => write!(f, " [{event} at {location}]"),
            None => write!(f, " [{event}]"),
        }
    }
}

/// A name that an extension made up, which may have megabytes.
fn brief(name: &str) -> Cow<'_, str> {
    const MOST: usize = 100;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// Where reports go; everybody who listens gets each of them.
#[derive(Default)]
pub struct Reports {
    sinks: RwLock<Vec<Arc<Sink>>>,
}

type Sink = dyn Fn(&Report) + Send + Sync;

impl Reports {
    /// Listens to all further reports.
    pub fn listen(&self, sink: impl Fn(&Report) + Send + Sync + 'static) {
        self.sinks.write().push(Arc::new(sink));
    }

    /// Tells everybody.
    pub fn send(&self, report: &Report) {
        let sinks = self.sinks.read().clone();
        for sink in sinks {
            sink(report);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short_to_read() {
        let shown = |nanos| format!("{:?}", readable(Duration::from_nanos(nanos)));
        assert_eq!([5_000_840_314, 5_990_000_000, 20_400_000].map(shown), ["5s", "5.9s", "20ms"]);
    }

    #[test]
    fn a_name_of_megabytes_is_shown_in_short() {
        let name = "é".repeat(1 << 20);
        let kind = ReportKind::UnknownName { what: "event", name: name.clone(), nearest: None };
        let report = Report { event: name, kind, ..Report::diagnostic("a.ts", "", "") };
        let brief = format!("{}…", "é".repeat(100));
        assert_eq!(report.to_string(), format!("Extension error (a.ts): unknown event `{brief}` [{brief}]"));
    }
}
