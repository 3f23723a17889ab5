//! The first stage: what there is before anything is read.

use std::sync::Arc;

use tau_agent::extensions::{DiscoveryOptions, Extensions, trust_question};
use tau_agent::services::ExtensionServices;
use tau_agent::settings::{Environment, Settings, SettingsStore};
use tau_agent::trust::TrustQuestion;
use tau_hooks::Hooks;
use tau_session::SessionError;

use crate::args::{Args, Parsed};
use crate::ending::Ending;
use crate::installer::{installer, is_offline};
use crate::loaded::Loaded;
use crate::models;
use crate::program::Program;
use crate::services::load_own;
use crate::start::Start;

/// Hooks without extensions. A front end subscribes to dialogs and reports now, and may paint: from here to the next stage is
/// most of a start.
pub struct Prepared {
    program: Arc<Program>,
    env: Environment,
    parsed: Parsed,
    ending: Ending,
}

/// Who says whether a project is trusted that needs a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The flags, the answers that are kept, extensions, then the user, if there is one behind the dialogs.
    Dialogs,
    /// The front end has asked already, and this is the answer. It holds for this run.
    Answered(bool),
}

impl Prepared {
    pub(crate) fn new(program: Arc<Program>, env: Environment, parsed: Parsed, hooks: Arc<Hooks>) -> Self {
        Self { program, env, parsed, ending: Ending { hooks, extensions: Arc::default() } }
    }

    /// The hooks, for dialogs and reports.
    pub fn hooks(&self) -> &Arc<Hooks> {
        &self.ending.hooks
    }

    /// Directories and variables of the session.
    pub fn env(&self) -> &Environment {
        &self.env
    }

    /// The values of tau's own flags.
    pub fn args(&self) -> &Args {
        &self.parsed.args
    }

    /// The question whether the project is trusted, for a front end that asks it itself.
    pub fn trust_question(&self) -> TrustQuestion {
        trust_question(&self.env, self.args().trust, &Settings::load(&self.env, false))
    }

    /// What has to end with the session.
    pub fn ending(&self) -> Ending {
        self.ending.clone()
    }

    /// Decides about trust, reads settings and models, and loads the extensions.
    ///
    /// # Errors
    /// When extensions have to be asked about trust and not even a session in memory can be made for that.
    pub async fn load(self, trust: Trust) -> Result<Loaded, SessionError> {
        let extensions = self.extensions();
        let Self { program, env, parsed, ending } = self;
        let settings = Arc::new(SettingsStore::open(&env, false));
        ending.hooks.serve(ExtensionServices::new(Arc::clone(&settings)));
        (program.services.settings_read)(&settings.snapshot());
        let approve = match trust {
            Trust::Dialogs => parsed.args.trust,
            Trust::Answered(trusted) => Some(trusted),
        };
        // Extensions need nothing of the models, and models of extensions come later: this thread reads them while an engine
        // loads.
        let (decision, models) = tokio::join!(extensions.start(&settings, approve, program.mode), async {
            models::registry(&parsed.args, &env, &program.services.voice)
        });
        program.scripts.settle();
        let start = Start { program, env, hooks: ending.hooks, extensions };
        Ok(Loaded { trust: decision?, start, parsed, settings, models })
    }

    /// The set of extensions, with the program's own, which are loaded.
    fn extensions(&self) -> Arc<Extensions> {
        let Self { program, env, parsed, ending } = self;
        let (args, services, hooks) = (&parsed.args, &program.services, &ending.hooks);
        let failures = load_own(hooks, &services.extensions);
        let options = DiscoveryOptions {
            paths: args.extensions.clone(),
            hooks: args.hooks.clone(),
            no_extensions: args.no_extensions,
            builtins: args.builtins.clone(),
            without: args.no_mcp.then(|| "builtin:mcp".to_owned()).into_iter().collect(),
        };
        let extensions = Extensions::new(env.clone(), Arc::clone(hooks), options, program.scripts.maker(), failures);
        let installer = installer(is_offline(args.offline, env), &services.voice);
        let extensions = extensions.installing(installer).with_builtins(Arc::clone(&services.builtins));
        Arc::clone(ending.extensions.get_or_init(|| Arc::new(extensions)))
    }
}
