//! What a child may do: no more than its parent.

use std::path::{Path, PathBuf};

use tau_hooks::{Beyond, ChildError, ChildRequest};

use crate::extensions::trust_question;
use crate::session::AgentSession;
use crate::settings::{Environment, Settings};
use crate::trust::{DefaultTrust, Verdict, real};

impl AgentSession {
    /// The directories of a child that works in `cwd`.
    pub(super) fn env_for(&self, cwd: Option<&Path>, agent_dir: Option<&Path>) -> Result<Environment, ChildError> {
        let here = self.env();
        let mine = here.agent_dir();
        if let Some(wanted) = agent_dir
            && real(&here.resolve(&wanted.to_string_lossy(), &here.cwd)) != real(&mine)
        {
            return Err(ChildError::BeyondParent(Beyond::AgentDir(wanted.to_path_buf())));
        }
        let mut env = Environment::clone(&here);
        if let Some(cwd) = cwd {
            env.cwd = here.resolve(&cwd.to_string_lossy(), &here.cwd);
            // A relative one would be another folder from there.
            if here.var(AGENT_DIR).is_some() {
                env.vars.insert(AGENT_DIR.to_owned(), mine.display().to_string());
            }
        }
        match std::fs::metadata(&env.cwd) {
            Ok(folder) if folder.is_dir() => Ok(env),
            Ok(_) => Err(ChildError::Folder { path: env.cwd, why: "it is no folder".to_owned() }),
            Err(error) => Err(ChildError::Folder { path: env.cwd, why: error.to_string() }),
        }
    }

    /// Whether a child trusts the project in its folder: in the parent's folder as the parent does, elsewhere when the
    /// user trusts it for good. Nobody is asked for the sake of a child, and no extension answers.
    pub(super) fn trust_for(&self, env: &Environment, wanted: Option<bool>) -> Result<bool, ChildError> {
        let (here, settings) = (self.env(), self.settings().snapshot());
        let trusted = if real(&here.cwd) == real(&env.cwd) {
            settings.is_trusted()
        } else if self.never_trusts() {
            false
        } else {
            let user = Settings::load(env, false);
            match trust_question(env, None, &user).decide(None, DefaultTrust::from_settings(&user), false) {
                Verdict::Decided(decision) => decision.trusted,
                Verdict::Ask(_) | Verdict::AskAgain(..) => false,
            }
        };
        match wanted {
            Some(true) if !trusted => Err(ChildError::BeyondParent(Beyond::Trust(env.cwd.clone()))),
            Some(false) => Ok(false),
            _ => Ok(trusted),
        }
    }

    /// Whether the user wants no project to be trusted, as with `--no-approve`.
    pub(super) fn never_trusts(&self) -> bool {
        let own = || self.extensions().is_some_and(|extensions| extensions.never_trusts());
        self.parts.family.distrusts().unwrap_or_else(own)
    }

    /// Refuses tools that the user forbids.
    pub(super) fn check_tools<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), ChildError> {
        let selection = self.parts.choices.tools.selection();
        match names.into_iter().find(|name| !selection.allows(name)) {
            Some(forbidden) => Err(ChildError::BeyondParent(Beyond::Tool(forbidden.to_owned()))),
            None => Ok(()),
        }
    }

    /// The settings of a child.
    pub(super) fn settings_for(
        &self,
        env: &Environment,
        trusted: bool,
        request: &ChildRequest,
    ) -> Result<Settings, ChildError> {
        let beyond = |key: &str| ChildError::BeyondParent(Beyond::Setting(key.to_owned()));
        Settings::load(env, trusted).below(&self.parts.settings(), &request.settings).map_err(beyond)
    }

    /// Where session files of a child go when nobody says where.
    pub(super) fn session_dir_for(env: &Environment, settings: &Settings) -> PathBuf {
        let of_env = env.var("PI_CODING_AGENT_SESSION_DIR").map(|dir| env.resolve(dir, &env.cwd));
        let dir = of_env.or_else(|| settings.session_dir());
        dir.unwrap_or_else(|| tau_session::session_dir_for(&env.agent_dir(), &env.cwd))
    }
}

/// The variable for the folder of the user's settings.
const AGENT_DIR: &str = "PI_CODING_AGENT_DIR";
