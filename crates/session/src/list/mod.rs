//! What sessions there are, read without building trees.

mod index;
mod read;
mod stream;

use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::SessionError;
use crate::location::dir_name;

pub use index::SessionIndex;
use read::{header, info};
pub use stream::SessionList;

/// One session of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// The file.
    pub path: PathBuf,
    /// The session's id.
    pub id: String,
    /// The working directory; empty when the file does not say.
    pub cwd: String,
    /// The name, if it has one.
    pub name: Option<String>,
    /// The file it was forked from.
    pub parent_session: Option<String>,
    /// When it was created, in milliseconds since the epoch, if the file says so.
    pub created_ms: Option<i64>,
    /// When user or model last said something, else when it was created, else when the file was written; in
    /// milliseconds since the epoch.
    pub modified_ms: i64,
    /// How many messages it has, on all branches.
    pub message_count: usize,
    /// The beginning of the first user message that has a text.
    pub first_message: Option<String>,
}

/// The sessions in a folder, the one with the latest activity first. A folder that does not exist has none;
/// files that are no sessions are passed over.
pub fn list_sessions(dir: &Path) -> Result<Vec<SessionInfo>, SessionError> {
    let mut sessions: Vec<_> = session_files(dir)?.iter().filter_map(|path| info(path).ok().flatten()).collect();
    sessions.sort_by(|a, b| (b.modified_ms, &b.path).cmp(&(a.modified_ms, &a.path)));
    Ok(sessions)
}

/// The session file in `dir` that was written last and has a valid header. Unless `dir` is the default folder
/// of `cwd`, other sessions may share it, so only those of `cwd` count.
pub fn most_recent(dir: &Path, cwd: &Path) -> Option<PathBuf> {
    let own_folder = dir.file_name().is_some_and(|name| *name == *dir_name(cwd));
    let written = |path: &PathBuf| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let mut files = session_files(dir).ok()?;
    files.sort_by_cached_key(|path| Reverse((written(path), path.clone())));
    files.into_iter().find(|path| {
        let header = header(path).ok().flatten();
        header.is_some_and(|header| own_folder || Path::new(&header.cwd) == cwd)
    })
}

/// The session in `dirs` whose id is `text`, or those whose ids begin with it: their files and ids. Only the headers
/// are read.
pub fn find_sessions(dirs: &[PathBuf], text: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for path in dirs.iter().filter_map(|dir| session_files(dir).ok()).flatten() {
        let Some(header) = header(&path).ok().flatten() else { continue };
        if header.id == text {
            return vec![(path, header.id)];
        }
        if header.id.starts_with(text) {
            found.push((path, header.id));
        }
    }
    found.sort();
    found
}

/// The folders of sessions of all projects under `agent_dir`.
pub fn session_dirs(agent_dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(agent_dir.join("sessions")).into_iter().flatten().flatten();
    let mut dirs: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    dirs.sort();
    dirs
}

fn session_files(dir: &Path) -> Result<Vec<PathBuf>, SessionError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SessionError::io("list", dir)(error)),
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_named = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    // A pipe or a device of that name would keep whoever opens it waiting.
    Ok(paths.filter(is_named).filter(|path| path.is_file()).collect())
}
