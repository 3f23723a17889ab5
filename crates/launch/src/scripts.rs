//! What runs scripts, started before it is known to be needed: it takes as long as everything else before it.

use std::sync::Arc;

use parking_lot::Mutex;
use tau_agent::extensions::{ScriptHostMaker, surroundings};
use tau_agent::settings::Environment;
use tau_script::ScriptHost;

use crate::args::Args;

/// Makes what runs scripts, and has the one that was started ahead.
pub(crate) struct Scripts {
    maker: Option<ScriptHostMaker>,
    ahead: Option<Arc<dyn ScriptHost>>,
}

impl Scripts {
    pub(crate) fn new(maker: Option<ScriptHostMaker>) -> Self {
        Self { maker, ahead: None }
    }

    /// Lets what runs scripts come up on a thread of its own: the first session that needs one gets this one. A wrong
    /// guess costs a little of another processor.
    pub(crate) fn start_ahead(&mut self, env: &Environment) {
        let Some(maker) = self.maker.take() else { return };
        let host = maker(env);
        host.prepare(&surroundings(env));
        let first = Mutex::new(Some(Arc::clone(&host)));
        self.maker = Some(Arc::new(move |env| first.lock().take().unwrap_or_else(|| maker(env))));
        self.ahead = Some(host);
    }

    /// Whether scripts can be run.
    pub(crate) fn is_any(&self) -> bool {
        self.maker.is_some()
    }

    pub(crate) fn maker(&self) -> Option<ScriptHostMaker> {
        self.maker.clone()
    }

    /// Everything there was to load has been loaded.
    pub(crate) fn settle(&self) {
        if let Some(host) = &self.ahead {
            host.settle();
        }
    }
}

/// Whether there seem to be scripts to load.
pub(crate) fn seem_to_be_there(args: &Args, env: &Environment) -> bool {
    let installed = || env.agent_dir().join("extensions").is_dir();
    !args.extensions.is_empty() || (!args.no_extensions && installed())
}
