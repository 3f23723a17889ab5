//! The built-in tools of a session, made for its working directory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use tau_hooks::wrap_bash;
use tau_tools::bash::{BashExec, BashExecError, BashOperations};
use tau_tools::todo::{TODO_WRITE, TodoWriteTool};
use tau_tools::{BuiltinOptions, OpError, Tool, builtin_tools};

use crate::parts::{Live, Parts, Selection};
use crate::pipeline::images::image_limits;
use crate::settings::{Environment, Settings};

pub(super) fn tool_options(
    parts: &Weak<Parts>,
    env: &Environment,
    settings: &Settings,
    temp_dir: Option<PathBuf>,
) -> BuiltinOptions {
    let mut options = BuiltinOptions::new(env.cwd.clone());
    options.shell_path = settings.shell_path();
    options.command_prefix = settings.shell_command_prefix().map(str::to_owned);
    options.auto_resize_images = settings.images().auto_resize;
    options.bin_dir = Some(env.agent_dir().join("bin"));
    let reader = parts.clone();
    options.image_note = Some(Arc::new(move || {
        let model = reader.upgrade()?.choices.model()?;
        let note = "[Current model does not support images. The image will be omitted from this request.]";
        (!model.accepts_images()).then(|| note.to_owned())
    }));
    let limited = parts.clone();
    options.image_limits = Some(Arc::new(move || Some(image_limits(limited.upgrade()?.choices.model().as_deref()))));
    let started = parts.clone();
    options.bash_around = Some(Arc::new(move |own| match started.upgrade() {
        Some(parts) => wrap_bash(&parts.hooks, own),
        // Nobody is there who could say no.
        None => Arc::new(NoSession),
    }));
    let parts = parts.clone();
    options.env = Some(Arc::new(move || parts.upgrade().map(|parts| shell_env(&parts)).unwrap_or_default()));
    if let Some(temp_dir) = temp_dir {
        options.temp_dir = temp_dir;
    }
    options
}

/// In the place of a session that is gone: nothing runs.
struct NoSession;

#[async_trait]
impl BashOperations for NoSession {
    async fn exec(&self, _: &str, _: &Path, _: BashExec) -> Result<Option<i32>, BashExecError> {
        Err(OpError::new("the session has ended").into())
    }
}

/// The built-in tools, with those that are only there when they are wanted.
pub(super) fn own_tools(options: &BuiltinOptions, selection: &Selection, settings: &Settings) -> Vec<Arc<dyn Tool>> {
    let mut tools = builtin_tools(options);
    if selection.wants(TODO_WRITE, settings.todo().tool) {
        tools.push(Arc::new(TodoWriteTool::default()));
    }
    tools
}

/// Makes the built-in tools for the working directory of now.
pub(super) fn renew_tools(live: &Live) {
    let settings = live.settings();
    let weak = Arc::downgrade(&live.parts);
    let options = tool_options(&weak, &live.conversation.env(), &settings, live.temp_dir.clone());
    live.choices.tools.renew(own_tools(&options, &live.choices.tools.selection(), &settings));
}

/// What commands of the model find changed in their environment.
fn shell_env(parts: &Parts) -> Vec<(String, Option<String>)> {
    let session = parts.conversation.session();
    let mut env: HashMap<&str, String> = HashMap::from([
        ("PI_SESSION_ID", session.id().to_owned()),
        ("PI_REASONING_LEVEL", parts.choices.thinking_level().to_string()),
        ("AI_AGENT", "pi".to_owned()),
        ("PI_CODING_AGENT", "true".to_owned()),
    ]);
    if let Some(file) = session.file() {
        env.insert("PI_SESSION_FILE", file.display().to_string());
    }
    if let Some(model) = parts.choices.model() {
        env.insert("PI_PROVIDER", model.provider.clone());
        env.insert("PI_MODEL", model.id.clone());
    }
    let session = env.into_iter().map(|(name, value)| (name.to_owned(), Some(value)));
    parts.hooks.variables.changes().into_iter().chain(session).collect()
}
