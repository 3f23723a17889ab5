//! What templates need, looked at before a prompt is sent.

use tau_git::Limits;
use tau_hooks::{Api, Ctx, HandlerError};

use crate::shared::forge::{ForgeError, Place, look};
use crate::shared::programs;

/// How far the repository is looked at.
const LIMITS: fn() -> Limits = || Limits { names: 1, commits: 1, untracked: 1, ..Limits::default() };

/// What is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Missing {
    /// A tool.
    #[error("the tool {tool} is not active in this session; {advice}")]
    Tool {
        /// Its name.
        tool: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// A repository.
    #[error("{folder} is not in a git repository; start tau in one")]
    Repository {
        /// Where the session works.
        folder: String,
    },
    /// A remote on a forge.
    #[error("no remote of the repository is on a forge; add one with `git remote add origin ADDRESS`")]
    Remote,
    /// The program.
    #[error(transparent)]
    Program(ForgeError),
    /// Somebody to ask.
    #[error("nobody can be asked here, and nothing is published without a yes; {advice}")]
    Answer {
        /// What to do.
        advice: &'static str,
    },
}

/// The tools by which templates work.
pub(super) const BASH: Missing = Missing::Tool { tool: "bash", advice: "start tau with it, or add it to --tools" };
/// The tool of memory.
pub(super) const MEMORY: Missing = Missing::Tool {
    tool: "memory_add",
    advice: "no module builtin:memory or other extension brings it, so nothing can be remembered",
};

/// Looks at what a session has.
pub(super) struct Session<'a> {
    pub(super) api: &'a Api,
    pub(super) ctx: Ctx,
    tools: Vec<String>,
}

impl<'a> Session<'a> {
    pub(super) fn new(api: &'a Api, ctx: Ctx) -> Self {
        let tools = ctx.host().active_tools();
        Self { api, ctx, tools }
    }

    /// Whether a tool is active.
    pub(super) fn has(&self, tool: &str) -> bool {
        self.tools.iter().any(|active| active == tool)
    }

    /// Whether the model can ask the user.
    pub(super) fn can_ask(&self) -> bool {
        self.has("ask_user") && self.ctx.has_ui()
    }

    /// Fails without a tool.
    pub(super) fn needs(&self, tool: Missing) -> Result<(), HandlerError> {
        match tool {
            Missing::Tool { tool, .. } if self.has(tool) => Ok(()),
            missing => Err(HandlerError::msg(missing)),
        }
    }

    /// Fails outside of a repository, and with `on_forge` without a remote on a forge.
    pub(super) async fn needs_repository(&self, on_forge: bool) -> Result<(), HandlerError> {
        let cwd = self.ctx.cwd();
        let folder = tau_view::untrusted::plain(&cwd.display().to_string());
        let facts = look(cwd, LIMITS()).await.ok_or_else(|| HandlerError::msg(Missing::Repository { folder }))?;
        if on_forge && Place::of(&facts).is_none() { Err(HandlerError::msg(Missing::Remote)) } else { Ok(()) }
    }

    /// Fails without the program `gh`.
    pub(super) fn needs_gh(&self) -> Result<(), HandlerError> {
        match programs::find(self.api, "gh")? {
            Some(_) => Ok(()),
            None => Err(HandlerError::msg(Missing::Program(ForgeError::Missing))),
        }
    }
}
