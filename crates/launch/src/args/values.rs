//! What the flags of tau amount to.

use std::path::PathBuf;

use tau_ai::{Secret, ThinkingLevel};

/// The values of tau's own flags.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Args {
    /// `--print`: answer and exit.
    pub print: bool,
    /// `--mode`: what runs, by its name in the table of modes; `None` when not given.
    pub mode: Option<&'static str>,
    /// `--cumulative-updates`: the whole message in each update of it.
    pub cumulative_updates: bool,
    /// `--verbose`.
    pub verbose: bool,
    /// `--tui-mode`: whether the whole screen is taken; `None` when not given.
    pub fullscreen: Option<bool>,
    /// The terminal is only appended to.
    pub plain: bool,
    /// `--provider`.
    pub provider: Option<String>,
    /// `--model`: a pattern, an id or `provider/id`, with an optional `:thinking`.
    pub model: Option<String>,
    /// `--models`: patterns of the models to cycle through.
    pub models: Option<Vec<String>>,
    /// `--api-key`.
    pub api_key: Option<Secret>,
    /// `--thinking`.
    pub thinking: Option<ThinkingLevel>,
    /// `--list-models`.
    pub list_models: Option<ListModels>,
    /// `--demo`: play the built-in script.
    pub demo: bool,
    /// `--script`: play a script instead of asking a model.
    pub script: Option<PathBuf>,
    /// `--continue`: go on with the latest session of the directory.
    pub continue_session: bool,
    /// `--resume`: choose a session from a list.
    pub resume: bool,
    /// `--fork`: a path or the beginning of an id.
    pub fork: Option<String>,
    /// `--session-id`: an exact id.
    pub session_id: Option<String>,
    /// `--session`: a path or the beginning of an id.
    pub session: Option<String>,
    /// `--session-dir`, unless it is empty.
    pub session_dir: Option<PathBuf>,
    /// `--no-session`: write no session file.
    pub no_session: bool,
    /// `--export`: the session file to write as a page.
    pub export: Option<PathBuf>,
    /// `--name`: the session's name, trimmed, not empty.
    pub name: Option<String>,
    /// `--system-prompt`: replaces the prompt. Text or a file; may be empty.
    pub system_prompt: Option<String>,
    /// `--append-system-prompt`, in order: each text or a file.
    pub append_system_prompt: Vec<String>,
    /// `--no-context-files`.
    pub no_context_files: bool,
    /// `--skill`, in order.
    pub skills: Vec<PathBuf>,
    /// `--no-skills`.
    pub no_skills: bool,
    /// `--prompt-template`, in order.
    pub prompt_templates: Vec<PathBuf>,
    /// `--no-prompt-templates`.
    pub no_prompt_templates: bool,
    /// `--theme`, in order.
    pub themes: Vec<PathBuf>,
    /// `--no-themes`.
    pub no_themes: bool,
    /// `--use-theme`: the theme of this run, as the setting `theme` would have it.
    pub use_theme: Option<String>,
    /// `--tools`, `--exclude-tools`, `--no-tools`, `--no-builtin-tools`.
    pub tools: ToolSelection,
    /// `--extension` and `--hook`, in order.
    pub extensions: Vec<String>,
    /// Those of them that were given by `--hook`, by their places.
    pub hooks: Vec<usize>,
    /// Extensions of the program that `--extension` names.
    pub builtins: Vec<String>,
    /// `--no-extensions`.
    pub no_extensions: bool,
    /// `--no-mcp`.
    pub no_mcp: bool,
    /// `--approve` (true) or `--no-approve` (false); the later one counts.
    pub trust: Option<bool>,
    /// `--offline`.
    pub offline: bool,
    /// `--trace`: where the hook trace goes, JSON lines.
    pub trace: Option<PathBuf>,
    /// `--help`.
    pub help: bool,
    /// `--version`.
    pub version: bool,
    /// Why the words are no prompt, unless something is piped in.
    pub unless_piped: Option<String>,
}

/// Which tools the model may call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSelection {
    /// `--tools`: only these, of any origin; names and patterns.
    pub only: Option<Vec<String>>,
    /// `--tools` with `+name` and `-name`: changes of the default set.
    pub edits: Vec<String>,
    /// `--exclude-tools`: never these; names and patterns.
    pub exclude: Vec<String>,
    /// `--no-tools`: none is active at the start.
    pub none: bool,
    /// `--no-builtin-tools`: of the built-in ones, none is active at the start.
    pub no_builtin: bool,
}

/// `--list-models`, and `tau models`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListModels {
    /// Only models that match this.
    pub search: Option<String>,
    /// As JSON.
    pub json: bool,
    /// Those of providers without a credential too.
    pub all: bool,
    /// Extensions ask their servers for newer lists.
    pub renew: bool,
}
