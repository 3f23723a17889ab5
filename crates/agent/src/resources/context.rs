//! Context files: instructions for agents that live beside the code.

use std::path::{Path, PathBuf};

use super::diagnostic::Diagnostic;
use super::text;
use super::worktree;
use crate::settings::Environment;

/// Names of a context file; the first that exists in a folder counts.
pub(super) const CANDIDATES: &[&str] = &["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

/// A context file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ContextFile {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub content: String,
}

/// The context files for the working directory: the user's own, then from the root of the file system down.
///
/// In a git worktree that lies inside its main checkout, the main checkout's file is left out when the worktree has its
/// own: it is the same file on another branch.
pub fn load_context_files(env: &Environment, diagnostics: &mut Vec<Diagnostic>) -> Vec<ContextFile> {
    let shadowed = worktree::main_checkout_around(&env.cwd).and_then(|main| {
        let own = in_folder(&main.worktree, &mut Vec::new())?;
        Some(main.root.join(own.path.file_name()?))
    });
    let mut files: Vec<ContextFile> = Vec::new();
    for folder in context_folders(env) {
        let Some(file) = in_folder(&folder, diagnostics) else { continue };
        let is_shadowed = shadowed.is_some() && std::fs::canonicalize(&file.path).ok() == shadowed;
        if !is_shadowed && files.iter().all(|known| known.path != file.path) {
            files.push(file);
        }
    }
    files
}

/// The folders that may have a context file, in the order of the prompt.
pub(super) fn context_folders(env: &Environment) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = env.cwd.ancestors().map(Path::to_path_buf).collect();
    folders.push(env.agent_dir());
    folders.reverse();
    folders
}

fn in_folder(folder: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<ContextFile> {
    for path in CANDIDATES.iter().map(|name| folder.join(name)).filter(|path| path.is_file()) {
        match text::read(&path) {
            Ok(content) => return Some(ContextFile { path, content }),
            Err(error) => diagnostics.push(Diagnostic::error(&path, error.to_string())),
        }
    }
    None
}
