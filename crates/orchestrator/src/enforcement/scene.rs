//! What a session is like at a call: where it works, what its commands find, and whose rules count.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tau_hooks::{Ctx, Folders, HandlerError, Owner};
use tau_policy::Machine;

use crate::shared::policy::facts::{Facts, trailer};
use crate::shared::policy::{Places, Wanted};
use crate::shared::settings::settings_of;

/// Settings that are read here.
const PREFIX: &str = "/shellCommandPrefix";
const SHELL: &str = "/shellPath";
const CLAUDE: &str = "/tau/policy/claudeRules";
/// The variable by which programs find the agent's folder.
const AGENT_DIR: &str = "PI_CODING_AGENT_DIR";
/// The folder of a project's settings.
const PROJECT: &str = ".pi";

/// A session as it is at one call.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub(super) folders: Folders,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) facts: Facts,
    pub(super) wanted: Wanted,
    /// What stands in front of each command.
    pub(super) prefix: Option<String>,
    /// The shell of the session, if the user chose one.
    pub(super) shell: Option<PathBuf>,
}

impl Scene {
    /// The session of a call.
    pub(super) fn of(ctx: &Ctx) -> Result<Self, HandlerError> {
        let api = ctx.api()?;
        let host = ctx.host();
        let (mut folders, cwd) = (api.folders()?, ctx.cwd());
        // A call of a child may come from another folder than the session's.
        if folders.cwd != cwd {
            folders = Folders { project_dir: cwd.join(PROJECT), cwd, ..folders };
        }
        let settings = host.settings();
        let text = |key: &str| settings.pointer(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let of_suite = settings_of(&api)?;
        let facts = Facts {
            ui: ctx.has_ui(),
            co_author: of_suite.co_author().value,
            use_worktrees: of_suite.use_worktrees().value,
            child: ctx.child().is_some(),
            modules: modules(&api.extensions()?),
        };
        let mut variables = api.command_variables()?;
        variables.insert(AGENT_DIR.to_owned(), folders.agent_dir.to_string_lossy().into_owned());
        add_bin(&mut variables, &folders);
        let model = host.model().map(|model| model.id.clone()).unwrap_or_default();
        let wanted = Wanted {
            is_trusted: host.is_project_trusted(),
            claude: settings.pointer(CLAUDE) == Some(&Value::Bool(true)),
            trailer: facts.co_author.then(|| trailer(&model)),
        };
        let (prefix, shell) = (text(PREFIX).map(str::to_owned), text(SHELL).map(PathBuf::from));
        Ok(Self { folders, variables, facts, wanted, prefix, shell })
    }

    /// Where its rules stand.
    pub(super) fn places(&self) -> Places {
        Places::of(&self.folders)
    }

    /// The machine that its commands run on, without a forge.
    pub(super) fn machine(&self) -> Machine {
        Machine::new(&self.folders.cwd, self.variables.clone())
            .with_home(&self.folders.home)
            .with_facts(self.facts.names())
    }
}

/// The short names of the modules that are loaded.
fn modules(loaded: &[Arc<Owner>]) -> Vec<String> {
    loaded.iter().filter_map(|owner| owner.path.strip_prefix("builtin:")).map(str::to_owned).collect()
}

/// Commands find the agent's own programs first.
fn add_bin(variables: &mut BTreeMap<String, String>, folders: &Folders) {
    let bin = folders.agent_dir.join("bin");
    let path = variables.get("PATH").cloned().unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder == bin) {
        return;
    }
    let gap = if path.is_empty() { "" } else { ":" };
    variables.insert("PATH".to_owned(), format!("{}{gap}{path}", bin.display()));
}
