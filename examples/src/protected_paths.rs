//! Keeps certain files and folders from being written, however their path is spelled.
//!
//! A path is judged by where it leads: `../x/.env`, `~/.ssh/config`, an absolute path and a symbolic link are all the
//! same to it. Only the tools `write` and `edit` are judged; a shell command can still change everything, which is
//! what the permission gate and a sandbox are for.

use std::fs;
use std::path::{Component, Path, PathBuf};

use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallResult;
use tau_hooks::{Extension, HandlerError, Registrar};
use tau_tools::paths::resolve_to_cwd;

/// How many links that lead to one another are followed, as in the system itself.
const MAX_LINKS: usize = 40;

/// The extension, with the list of what it protects.
#[derive(Debug, Clone)]
pub struct ProtectedPaths {
    protected: Vec<String>,
}

impl ProtectedPaths {
    /// Protects what is in the list: a bare name stands for every file and folder of that name and all below it, and
    /// anything with a `/` in it for one place and all below it (`~` and relative paths are understood).
    pub fn new(protected: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { protected: protected.into_iter().map(Into::into).collect() }
    }

    /// The entry of the list that protects `path`, if one does.
    pub fn protecting(&self, path: &str, cwd: &Path) -> Option<&str> {
        let written = resolve_to_cwd(path, cwd);
        let places = [real_path(&written, MAX_LINKS), written];
        let protects = |entry: &&String| places.iter().any(|place| covers(entry, place, cwd));
        self.protected.iter().find(protects).map(String::as_str)
    }
}

impl Default for ProtectedPaths {
    fn default() -> Self {
        Self::new([".env", ".git", "node_modules", "~/.ssh", "~/.aws", "~/.gnupg", "/etc"])
    }
}

impl Extension for ProtectedPaths {
    fn name(&self) -> &str {
        "protected-paths"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let protected = self.clone();
        registrar.on::<ToolCall>(move |event, ctx| {
            let protected = protected.clone();
            async move {
                if !matches!(event.tool_name.as_str(), "write" | "edit") {
                    return None;
                }
                let path = event.input.get("path")?.as_str()?;
                let entry = protected.protecting(path, &ctx.cwd())?;
                Some(ToolCallResult::block(format!(
                    "Not written: `{path}` is protected (by `{entry}`). Leave it as it is, or ask the user to change it."
                )))
            }
        });
        Ok(())
    }
}

/// Whether an entry of the list covers an absolute path.
fn covers(entry: &str, path: &Path, cwd: &Path) -> bool {
    if entry.contains('/') {
        let root = resolve_to_cwd(entry, cwd);
        return starts_with(path, &root) || starts_with(path, &real_path(&root, MAX_LINKS));
    }
    path.components().any(|part| same(part, Component::Normal(entry.as_ref())))
}

fn starts_with(path: &Path, root: &Path) -> bool {
    let mut parts = path.components();
    root.components().all(|wanted| parts.next().is_some_and(|part| same(part, wanted)))
}

/// File systems that do not tell upper from lower case would otherwise let `.ENV` through.
fn same(a: Component<'_>, b: Component<'_>) -> bool {
    a == b || a.as_os_str().eq_ignore_ascii_case(b.as_os_str())
}

/// Where an absolute path leads, links resolved, also when there is nothing yet.
fn real_path(path: &Path, links: usize) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    let parent = real_path(parent, links);
    let place = parent.join(name);
    // Writing to a link whose target does not exist creates the target.
    match fs::read_link(&place) {
        Ok(target) if links > 0 => real_path(&parent.join(target), links - 1),
        _ => place,
    }
}
