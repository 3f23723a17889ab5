//! What a start has to say to the user, and where it goes.

use std::sync::Arc;

use parking_lot::RwLock;
use tau_hooks::{Report, ReportKind};

/// Something to tell the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Something could not be done.
    Error(String),
    /// Something is not as the user may think.
    Warning(String),
    /// Something that needs no more than to be said.
    Note(String),
}

type Tell = Arc<dyn Fn(Notice) + Send + Sync>;

/// Tells the user. Clones speak to the same one.
#[derive(Clone)]
pub struct Voice(Arc<RwLock<Tell>>);

impl Voice {
    /// Whatever is to be said is given to `tell`, on any thread.
    pub fn new(tell: impl Fn(Notice) + Send + Sync + 'static) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(tell))))
    }

    /// From now on gives what is to be said to `tell`, for all clones: a front end that owns the screen shows it there.
    pub fn redirect(&self, tell: impl Fn(Notice) + Send + Sync + 'static) {
        *self.0.write() = Arc::new(tell);
    }

    fn tell(&self, notice: Notice) {
        // A listener may redirect.
        let tell = Arc::clone(&self.0.read());
        tell(notice);
    }

    /// Tells the user of an error.
    pub fn error(&self, text: impl Into<String>) {
        self.tell(Notice::Error(text.into()));
    }

    /// Tells the user of something that does not stop the work.
    pub fn warning(&self, text: impl Into<String>) {
        self.tell(Notice::Warning(text.into()));
    }

    /// Tells the user something.
    pub fn note(&self, text: impl Into<String>) {
        self.tell(Notice::Note(text.into()));
    }

    /// Tells the user about an extension.
    pub fn report(&self, report: &Report) {
        match &report.kind {
            // What could not be loaded is an error, although the work continues without it.
            ReportKind::Diagnostic(text) if text.starts_with("Failed to load extension ") => self.error(text),
            ReportKind::Diagnostic(text) if text.starts_with(&*report.extension) => self.warning(text),
            ReportKind::Diagnostic(text) => self.warning(format!("{}: {text}", report.extension)),
            _ => self.note(report.to_string()),
        }
    }
}
