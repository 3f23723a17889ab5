//! The remembered answers: `<agentDir>/trust.json`, an object of folders to `true`, `false` or `null` (no answer).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::record::TrustRecord;
use super::resources::real;
/// What can go wrong with the remembered answers. A file that cannot be understood is never overwritten.
pub use crate::state::StateError as TrustError;
use crate::state::StateFile;

/// An answer and the folder it was given for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustEntry {
    /// The project, or a folder above it.
    pub folder: PathBuf,
    /// The answer.
    pub trusted: bool,
}

/// The remembered answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStore {
    file: StateFile<Answers>,
}

type Answers = BTreeMap<String, Option<bool>>;

impl TrustStore {
    /// The answers kept in `agent_dir`.
    pub fn new(agent_dir: &Path) -> Self {
        Self { file: StateFile::at(agent_dir.join("trust.json")) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The answer for the nearest folder at or above `folder` that has one.
    ///
    /// # Errors
    /// When the file exists but cannot be understood.
    pub fn nearest(&self, folder: &Path) -> Result<Option<TrustEntry>, TrustError> {
        let answers = self.file.read_settled()?;
        let folder = real(folder);
        // People write some of them by hand, with links and dots in them. Of several for one folder a refusal holds.
        let mut known: BTreeMap<PathBuf, bool> = BTreeMap::new();
        for (dir, answer) in &answers {
            if let Some(answer) = answer {
                known.entry(real(Path::new(dir))).and_modify(|known| *known &= answer).or_insert(*answer);
            }
        }
        let found = folder.ancestors().find_map(|dir| Some((dir, *known.get(dir)?)));
        Ok(found.map(|(dir, trusted)| TrustEntry { folder: dir.to_path_buf(), trusted }))
    }

    /// Remembers answers; `None` forgets one. What the projects look like then counts as trusted. Blocks while another program holds the lock.
    ///
    /// # Errors
    /// When the file cannot be understood, locked or written; it is unchanged then.
    pub fn update(&self, changes: &[(PathBuf, Option<bool>)]) -> Result<(), TrustError> {
        self.file.update(|answers| {
            for (folder, answer) in changes {
                let folder = real(folder).to_string_lossy().into_owned();
                match answer {
                    Some(_) => answers.insert(folder, *answer),
                    None => answers.remove(&folder),
                };
            }
        })?;
        let folders: Vec<PathBuf> = changes.iter().map(|(folder, _)| real(folder)).collect();
        self.record().forget(folders.iter().map(PathBuf::as_path))
    }

    /// What trusted projects looked like.
    pub(super) fn record(&self) -> TrustRecord {
        TrustRecord::new(self.path().parent().unwrap_or(Path::new("")))
    }
}
