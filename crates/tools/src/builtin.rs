//! All tools at once.

use std::path::PathBuf;
use std::sync::Arc;

use crate::bash::{BashAround, BashTool, EnvProvider, SpawnHook};
use crate::edit::EditTool;
use crate::find::FindTool;
use crate::grep::GrepTool;
use crate::ls::LsTool;
use crate::read::{ImageLimits, ImageNote, ReadTool};
use crate::tool::Tool;
use crate::write::WriteTool;

/// The tools that are active unless a user says otherwise.
pub const DEFAULT_ACTIVE: [&str; 4] = ["read", "bash", "edit", "write"];

/// What the built-in tools need to know.
#[derive(Clone)]
pub struct BuiltinOptions {
    /// Where relative paths start and commands run.
    pub cwd: PathBuf,
    /// The shell of the bash tool; looked up when absent.
    pub shell_path: Option<PathBuf>,
    /// A line put before every command.
    pub command_prefix: Option<String>,
    /// Variables added to the environment of every command.
    pub env: Option<EnvProvider>,
    /// May change every command.
    pub spawn_hook: Option<SpawnHook>,
    /// Changes how commands are run; asked for each command.
    pub bash_around: Option<BashAround>,
    /// A directory put first on the `PATH` of commands.
    pub bin_dir: Option<PathBuf>,
    /// Makes pictures small enough to be sent.
    pub auto_resize_images: bool,
    /// What pictures have to fit, where the model has limits of its own.
    pub image_limits: Option<ImageLimits>,
    /// Supplies a line to add when a picture is read.
    pub image_note: Option<ImageNote>,
    /// Where long output of commands is saved.
    pub temp_dir: PathBuf,
}

impl BuiltinOptions {
    /// The defaults for a working directory.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            shell_path: None,
            command_prefix: None,
            env: None,
            spawn_hook: None,
            bash_around: None,
            bin_dir: None,
            auto_resize_images: true,
            image_limits: None,
            image_note: None,
            temp_dir: std::env::temp_dir(),
        }
    }
}

/// The seven tools: read, bash, edit, write, grep, find, ls.
pub fn builtin_tools(options: &BuiltinOptions) -> Vec<Arc<dyn Tool>> {
    let cwd = &options.cwd;
    vec![
        Arc::new(read_tool(options)),
        Arc::new(bash_tool(options)),
        Arc::new(EditTool::new(cwd.clone())),
        Arc::new(WriteTool::new(cwd.clone())),
        Arc::new(GrepTool::new(cwd.clone())),
        Arc::new(FindTool::new(cwd.clone())),
        Arc::new(LsTool::new(cwd.clone())),
    ]
}

fn read_tool(options: &BuiltinOptions) -> ReadTool {
    let tool = ReadTool::new(options.cwd.clone());
    let tool = match (&options.image_limits, options.auto_resize_images) {
        (_, false) => tool.with_resize(None),
        (Some(limits), true) => tool.with_image_limits(limits.clone()),
        (None, true) => tool,
    };
    match &options.image_note {
        Some(note) => tool.with_image_note(note.clone()),
        None => tool,
    }
}

fn bash_tool(options: &BuiltinOptions) -> BashTool {
    let mut tool = BashTool::new(options.cwd.clone()).with_temp_dir(options.temp_dir.clone());
    if let Some(shell) = &options.shell_path {
        tool = tool.with_shell_path(shell.clone());
    }
    if let Some(prefix) = &options.command_prefix {
        tool = tool.with_command_prefix(prefix);
    }
    if let Some(env) = &options.env {
        tool = tool.with_env(env.clone());
    }
    if let Some(hook) = &options.spawn_hook {
        tool = tool.with_spawn_hook(hook.clone());
    }
    if let Some(around) = &options.bash_around {
        tool = tool.with_around(around.clone());
    }
    if let Some(bin_dir) = &options.bin_dir {
        tool = tool.with_bin_dir(bin_dir.clone());
    }
    tool
}
