//! What of a project can act or instruct, by its content: whether it is still what somebody trusted.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::resources::real;
use crate::settings::{CONFIG_DIR, Environment};

/// What of the project's settings folder counts: files, and folders with all that is in them.
const IN_PROJECT_DIR: &[&str] = &[
    "settings.json",
    "tau-lock.json",
    "extensions",
    "skills",
    "prompts",
    "themes",
    "hooks",
    "rules",
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
    "mcp.json",
    "pi-config-settings.json",
    "pi-config-settings.jsonc",
];

/// The files of a project and the hashes of their contents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint {
    files: BTreeMap<String, String>,
}

/// How a file differs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileChange {
    /// It was not there.
    New(String),
    /// It had another content.
    Changed(String),
    /// It is not there any more.
    Gone(String),
}

impl Fingerprint {
    /// Reads everything that counts in the project of the working directory, and besides `more`: files, and folders that
    /// lie below the project or elsewhere.
    pub fn of(env: &Environment, more: &[PathBuf]) -> Self {
        let cwd = real(&env.cwd);
        let own = cwd.join(CONFIG_DIR);
        let mut roots: Vec<PathBuf> = IN_PROJECT_DIR.iter().map(|name| own.join(name)).collect();
        let of_user = real(&env.home).join(".agents").join("skills");
        roots.extend(cwd.ancestors().map(|dir| dir.join(".agents").join("skills")).filter(|dir| *dir != of_user));
        let mut files = BTreeMap::new();
        for root in roots.iter().chain(more) {
            // A folder around the project would be everything there is.
            let root = if cwd.starts_with(root) { continue } else { root };
            for path in files_below(root) {
                let name = path.strip_prefix(&cwd).unwrap_or(&path).display().to_string();
                files.entry(name).or_insert_with(|| hash_of(&path));
            }
        }
        Self { files }
    }

    /// What is different from how it was `before`, in the order of the names.
    pub(crate) fn changes_since(&self, before: &Self) -> Vec<FileChange> {
        let now = self.files.iter().filter_map(|(name, hash)| match before.files.get(name) {
            None => Some(FileChange::New(name.clone())),
            Some(known) if known != hash => Some(FileChange::Changed(name.clone())),
            Some(_) => None,
        });
        let gone = before.files.keys().filter(|name| !self.files.contains_key(*name));
        let mut changes: Vec<FileChange> = now.chain(gone.cloned().map(FileChange::Gone)).collect();
        changes.sort_by(|a, b| a.name().cmp(b.name()));
        changes
    }
}

impl FileChange {
    /// The file, as seen from the project.
    pub fn name(&self) -> &str {
        let (Self::New(name) | Self::Changed(name) | Self::Gone(name)) = self;
        name
    }
}

impl fmt::Display for FileChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self {
            Self::New(_) => "new",
            Self::Changed(_) => "changed",
            Self::Gone(_) => "gone",
        };
        write!(f, "{} ({how})", self.name())
    }
}

/// The file itself, or all files in the folder, links followed. What a repository keeps for itself runs nowhere.
fn files_below(root: &Path) -> Vec<PathBuf> {
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .follow_links(true)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    // What cannot be looked at cannot be loaded either.
    walk.flatten().filter(|entry| entry.path().is_file()).map(ignore::DirEntry::into_path).collect()
}

fn hash_of(path: &Path) -> String {
    // In pieces: a project may have files of any size.
    let hash = || -> io::Result<String> {
        let (mut file, mut hasher, mut piece) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut piece)? {
                0 => break,
                count => hasher.update(&piece[..count]),
            }
        }
        Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    };
    hash().unwrap_or_else(|error| format!("unreadable: {}", error.kind()))
}
