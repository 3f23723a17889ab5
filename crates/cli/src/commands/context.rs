//! What a subcommand works with.

use std::sync::Arc;

use tau_agent::extensions::{BuiltinExtension, ScriptHostMaker, project_fingerprint};
use tau_agent::settings::{Environment, Layer, SettingsStore};
use tau_agent::trust::Decision;
use tau_hooks::Extension;
use tau_launch::is_offline;

use super::options::Options;
use crate::exit::Reported;
use crate::{diagnostics, log};

/// What a subcommand works with.
pub(crate) struct Context {
    pub(super) env: Environment,
    pub(super) settings: Arc<SettingsStore>,
    pub(super) offline: bool,
    /// Runs extensions that are scripts.
    pub(super) scripts: Option<ScriptHostMaker>,
    /// Extensions of the program.
    pub(super) extensions: Vec<Box<dyn Extension>>,
    /// Those that the user can switch.
    pub(super) builtins: Arc<[BuiltinExtension]>,
    /// Why the command may look at the project's files and change them, if it may, as it was before it did anything.
    pub(super) trusted: Option<Decision>,
}

impl Context {
    /// Reads the settings, those of the project when it is trusted.
    pub(super) fn new(env: Environment, options: &Options, trusted: Option<Decision>) -> Self {
        let settings = Arc::new(SettingsStore::open(&env, trusted.is_some()));
        log::follow(&settings.snapshot());
        let offline = is_offline(options.offline, &env);
        Self { env, settings, offline, scripts: None, extensions: Vec::new(), builtins: Arc::from([]), trusted }
    }

    /// Whether the project is trusted, so that its code may run. In one without anything that needs trust it may not, but
    /// what the user calls may write the first file.
    pub(super) fn is_trusted(&self) -> bool {
        self.trusted.as_ref().is_some_and(|decision| decision.trusted)
    }

    /// What the command changed in a trusted project is trusted too: it was the user who called it.
    pub(super) fn follow(&self) {
        if let Some(trusted) = self.trusted.as_ref().filter(|trusted| trusted.watched().is_some())
            && let Err(error) = trusted.follow(&project_fingerprint(&self.env))
        {
            diagnostics::warning(&error.to_string());
        }
    }

    /// The file to write: the user's, or with `--local` the project's.
    pub(super) fn layer(&self, options: &Options) -> Result<Layer, Reported> {
        match options.local {
            false => Ok(Layer::Global),
            true if self.settings.snapshot().is_trusted() => {
                if !self.is_trusted() {
                    diagnostics::warning(
                        "this project is not trusted yet: what is changed here has no effect until it is (tau --approve, or /trust \
                         yes in a session)",
                    );
                }
                Ok(Layer::Project)
            }
            true => Err(Reported::fail("the project is not trusted; use --approve to change its settings")),
        }
    }

    /// Refuses to read the settings of a project that is not trusted: they would look as if they were not set.
    pub(super) fn readable(&self, options: &Options) -> Result<(), Reported> {
        if options.local && !self.settings.snapshot().is_trusted() {
            Err(Reported::fail("the project is not trusted, so its settings are not read; use --approve"))
        } else {
            Ok(())
        }
    }

    /// Says that the list that follows is without what the project has.
    pub(super) fn warn_of_project(&self) {
        if !self.settings.snapshot().is_trusted() {
            diagnostics::warning("the project is not trusted, so what it has is not listed; use --approve");
        }
    }

    /// Says what is wrong with the settings.
    pub(super) fn warn(&self) {
        let settings = self.settings.snapshot();
        settings.problems().iter().for_each(diagnostics::warning);
    }
}
