//! The remembered answers: `<agentDir>/trust.json`, an object of folders to `true`, `false` or `null` (no answer).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::record::TrustRecord;
use super::resources::real;
use crate::json::Unique;
/// What can go wrong with the remembered answers. A file that cannot be understood is never overwritten.
pub use crate::state::StateError as TrustError;
use crate::state::StateFile;

/// An answer and the folder it was given for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrustEntry {
    /// The project, or a folder above it.
    pub folder: PathBuf,
    /// The answer.
    pub trusted: bool,
}

/// The remembered answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrustStore {
    file: StateFile<Answers>,
}

/// Answers by folder. A folder that is there twice is an error: which of the two its user meant nobody knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
struct Answers(BTreeMap<String, Option<bool>>);

impl<'de> Deserialize<'de> for Answers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Unique(value) = Unique::deserialize(deserializer)?;
        serde_json::from_value(value).map(Self).map_err(D::Error::custom)
    }
}

impl TrustStore {
    /// The answers kept in `agent_dir`.
    pub(crate) fn new(agent_dir: &Path) -> Self {
        Self { file: StateFile::at(agent_dir.join("trust.json")) }
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The answer for the nearest folder at or above `folder` that has one.
    ///
    /// # Errors
    /// When the file exists but cannot be understood.
    pub(crate) fn nearest(&self, folder: &Path) -> Result<Option<TrustEntry>, TrustError> {
        let answers = self.file.read_settled()?;
        let folder = real(folder);
        // A yes is for the folder of that name itself: a link of that name may lead anywhere by now, and a relative path
        // does so each time. A refusal also holds where such a path leads. Of several for one folder a refusal holds.
        let mut known: BTreeMap<PathBuf, bool> = BTreeMap::new();
        for (dir, answer) in &answers.0 {
            let Some(answer) = answer else { continue };
            let dir = Path::new(dir);
            let leads_to = (!answer).then(|| real(dir));
            for dir in [Some(dir.to_path_buf()), leads_to].into_iter().flatten() {
                known.entry(dir).and_modify(|known| *known &= answer).or_insert(*answer);
            }
        }
        let found = folder.ancestors().find_map(|dir| Some((dir, *known.get(dir)?)));
        Ok(found.map(|(dir, trusted)| TrustEntry { folder: dir.to_path_buf(), trusted }))
    }

    /// Remembers answers; `None` forgets one. What the projects look like then counts as trusted. Blocks while another program holds the lock.
    ///
    /// # Errors
    /// When the file cannot be understood, locked or written; it is unchanged then.
    pub(crate) fn update(&self, changes: &[(PathBuf, Option<bool>)]) -> Result<(), TrustError> {
        self.file.update(|answers| {
            for (folder, answer) in changes {
                let folder = real(folder).to_string_lossy().into_owned();
                match answer {
                    Some(_) => answers.0.insert(folder, *answer),
                    None => answers.0.remove(&folder),
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
