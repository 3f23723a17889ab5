//! Context files: instructions for agents that live beside the code.

use std::path::PathBuf;

use super::watch::{ContextWatch, Folder};
use super::worktree;
use crate::diagnostic::Diagnostic;
use crate::settings::Environment;
use crate::text;

/// A context file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ContextFile {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub content: String,
}

/// The context files for the working directory, of those that were there when `places` was made: the user's own, then from
/// the root of the file system down.
///
/// In a git worktree that lies inside its main checkout, the main checkout's file is left out when the worktree has its
/// own: it is the same file on another branch.
pub(crate) fn load_context_files(
    env: &Environment,
    places: &ContextWatch,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ContextFile> {
    let read = |folder| Some((folder, first_of(folder, diagnostics)?));
    let mut files: Vec<(&Folder, ContextFile)> = places.folders().iter().filter_map(read).collect();
    if let Some(nested) = worktree::main_checkout_around(&env.cwd)
        && let Some(own) = files.iter().find(|(folder, _)| folder.path == nested.folder)
    {
        let shadowed = own.1.path.file_name().map(|name| nested.root.join(name));
        files.retain(|(_, file)| std::fs::canonicalize(&file.path).ok() != shadowed);
    }
    files.into_iter().map(|(_, file)| file).collect()
}

fn first_of(folder: &Folder, diagnostics: &mut Vec<Diagnostic>) -> Option<ContextFile> {
    for path in folder.files() {
        match text::read(path) {
            Ok(content) => return Some(ContextFile { path: path.to_path_buf(), content }),
            Err(error) => diagnostics.push(Diagnostic::error(path, error.to_string())),
        }
    }
    None
}
