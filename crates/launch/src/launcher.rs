//! Where every session of a program begins.

use std::path::PathBuf;
use std::sync::Arc;

use tau_agent::settings::Environment;
use tau_hooks::{Hooks, Mode};

use crate::anchor::anchored;
use crate::args::{Args, Parsed};
use crate::prepared::Prepared;
use crate::program::Program;
use crate::scripts::{self, Scripts};
use crate::services::Services;
use crate::voice::Voice;

/// Opens the sessions of a front end, one or many. Clones are of the same program.
#[derive(Clone)]
pub struct Launcher(Arc<Program>);

/// Which session a front end wants, as far as it matters before extensions are loaded.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The directory to work in; where the program was started when absent.
    pub cwd: Option<PathBuf>,
}

impl Launcher {
    /// With what the command line says, and the mode that extensions are told of.
    pub fn new(parsed: Parsed, mode: Mode, mut services: Services) -> Self {
        let scripts = Scripts::new(services.scripts.take());
        Self(Arc::new(Program { parsed, mode, services, scripts }))
    }

    /// As [`Launcher::new`], for a front end of one session: when there seem to be scripts, what runs them starts at once,
    /// on a thread of its own.
    pub fn ahead(parsed: Parsed, mode: Mode, mut services: Services) -> Self {
        let mut scripts = Scripts::new(services.scripts.take());
        if scripts.is_any() && scripts::seem_to_be_there(&parsed.args, &services.env) {
            scripts.start_ahead(&services.env);
        }
        Self(Arc::new(Program { parsed, mode, services, scripts }))
    }

    /// The values of tau's own flags.
    pub fn args(&self) -> &Args {
        &self.0.parsed.args
    }

    /// As [`Launcher::args`], for sessions in other directories: paths lead to where they lead from here.
    pub fn args_elsewhere(&self) -> Args {
        anchored(self.0.parsed.clone(), self.env()).args
    }

    /// Whether there is a flag that is none of tau's, so that only an extension can know it.
    pub fn has_other_flags(&self) -> bool {
        self.0.parsed.has_other_flags()
    }

    /// Directories and variables as the program was started.
    pub fn env(&self) -> &Environment {
        &self.0.services.env
    }

    /// The mode that extensions are told of.
    pub fn mode(&self) -> Mode {
        self.0.mode
    }

    /// Tells the user.
    pub fn voice(&self) -> &Voice {
        &self.0.services.voice
    }

    /// The first stage. Nothing is read, looked for or loaded.
    pub fn prepare(&self, request: Request) -> Prepared {
        let Program { parsed, services, .. } = &*self.0;
        let (env, parsed) = match request.cwd {
            Some(cwd) => (Environment { cwd, ..services.env.clone() }, anchored(parsed.clone(), &services.env)),
            None => (services.env.clone(), parsed.clone()),
        };
        let hooks = Hooks::new();
        let voice = services.voice.clone();
        hooks.dispatcher.reports.listen(move |report| voice.report(report));
        Prepared::new(Arc::clone(&self.0), env, parsed, hooks)
    }
}
