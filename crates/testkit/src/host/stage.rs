//! Hooks on top of a host, and events fired one at a time.

use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::dialogs::{DialogAnswer, DialogRequest};
use tau_hooks::{Event, Extension, HandlerError, Hooks, Host, LoadError, Owner, Registrar, Report, Scope};

use super::{FakeUser, Fired, StaticHost};

/// The hooks of a session that only exists for a test.
pub struct Stage {
    /// The hooks.
    pub hooks: Arc<Hooks>,
    /// The session, as extensions see it.
    pub host: Arc<StaticHost>,
    reports: Arc<Mutex<Vec<Report>>>,
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

impl Stage {
    /// Hooks without extensions on top of a new [`StaticHost`].
    pub fn new() -> Self {
        Self::with_host(StaticHost::new())
    }

    /// Hooks without extensions on top of a host.
    pub fn with_host(host: StaticHost) -> Self {
        let (hooks, host) = (Hooks::new(), Arc::new(host));
        let bound: Arc<dyn Host> = host.clone();
        hooks.bind(&bound);
        let reports = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&reports);
        hooks.dispatcher.reports.listen(move |report| sink.lock().push(report.clone()));
        Self { hooks, host, reports }
    }

    /// Loads an extension.
    ///
    /// # Errors
    /// When its registration fails.
    pub fn load(&self, extension: &dyn Extension) -> Result<Arc<Owner>, LoadError> {
        self.hooks.load(extension)
    }

    /// Loads an extension that is no more than a function, under the path `<native:name>`.
    ///
    /// # Panics
    /// When there is something to report: an event nobody knows, or a clash with an extension that is loaded.
    #[track_caller]
    pub fn add(&self, name: &str, register: impl Fn(&mut Registrar) + Send + Sync) -> Arc<Owner> {
        let before = self.reports.lock().len();
        let owner = self.load(&extension(name, move |registrar| {
            register(registrar);
            Ok(())
        }));
        let reports = self.reports.lock().iter().skip(before).map(Report::to_string).collect::<Vec<_>>();
        assert!(reports.is_empty(), "loading {name}: {reports:?}");
        owner.unwrap_or_else(|error| panic!("{error}"))
    }

    /// A scope that nothing ends.
    pub fn scope(&self) -> Scope {
        Scope::new(self.host.clone())
    }

    /// Fires an event and waits for its handlers.
    pub async fn fire<E: Event>(&self, payload: E::Payload) -> Fired<E> {
        self.hooks.dispatcher.dispatch::<E>(&self.scope(), || payload).await.into()
    }

    /// Fires an event that extensions are expected to change, and returns what they made of it.
    ///
    /// # Panics
    /// When nobody handles the event.
    pub async fn fold<E: Event>(&self, payload: E::Payload) -> E::Payload {
        let folded = self.fire::<E>(payload).await.payload;
        folded.unwrap_or_else(|| panic!("nobody handles {}", E::ID))
    }

    /// Answers dialogs from now on; what `answer` returns `None` for stays open.
    pub fn user(&self, answer: impl FnMut(&DialogRequest) -> Option<DialogAnswer> + Send + 'static) -> FakeUser {
        FakeUser::sit_down(&self.hooks.dialogs, answer)
    }

    /// What was reported so far, oldest first; forgets it.
    pub fn take_reports(&self) -> Vec<Report> {
        std::mem::take(&mut self.reports.lock())
    }

    /// What was reported so far as the user reads it, oldest first; forgets it.
    pub fn take_report_texts(&self) -> Vec<String> {
        self.take_reports().iter().map(Report::to_string).collect()
    }
}

/// An extension that is no more than a function.
pub struct FnExtension<F> {
    name: String,
    register: F,
}

/// Makes an extension of a function.
pub fn extension<F>(name: &str, register: F) -> FnExtension<F>
where
    F: Fn(&mut Registrar) -> Result<(), HandlerError> + Send + Sync,
{
    FnExtension { name: name.to_owned(), register }
}

impl<F> Extension for FnExtension<F>
where
    F: Fn(&mut Registrar) -> Result<(), HandlerError> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        (self.register)(registrar)
    }
}
