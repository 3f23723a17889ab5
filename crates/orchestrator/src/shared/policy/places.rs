//! Where rules stand.

use std::path::PathBuf;

use tau_hooks::Folders;

/// The name of a rule file.
pub const NAME: &str = "policy.json";

/// The folder of Claude Code's settings, in a home or a project.
const CLAUDE: &str = ".claude";
/// Its files there: the last one is the user's own for one project.
const CLAUDE_FILES: [&str; 2] = ["settings.json", "settings.local.json"];

/// The files that rules are read from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Places {
    /// The user's rules.
    pub user: PathBuf,
    /// The project's rules; `None` where the project has no folder of its own.
    pub project: Option<PathBuf>,
    /// Claude Code's settings of the user.
    pub claude_user: PathBuf,
    /// Claude Code's settings of the project.
    pub claude_project: Vec<PathBuf>,
    /// The folder out of which no file of the project may lead.
    pub cwd: PathBuf,
}

impl Places {
    /// The files of a session.
    pub fn of(folders: &Folders) -> Self {
        let user = folders.agent_dir.join(NAME);
        let project = Some(folders.project_dir.join(NAME)).filter(|project| *project != user);
        let of_claude = |name: &str| folders.cwd.join(CLAUDE).join(name);
        let is_home = folders.cwd == folders.home;
        Self {
            user,
            project,
            claude_user: folders.home.join(CLAUDE).join(CLAUDE_FILES[0]),
            claude_project: CLAUDE_FILES.into_iter().filter(|_| !is_home).map(of_claude).collect(),
            cwd: folders.cwd.clone(),
        }
    }
}
