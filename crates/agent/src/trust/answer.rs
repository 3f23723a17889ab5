//! Answers that are kept for the next start.

use std::path::{Path, PathBuf};

use super::decision::{TrustOption, TrustQuestion};
use super::store::{TrustEntry, TrustError, TrustStore};
use crate::settings::Environment;

/// An answer to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrustAnswer {
    /// The project is trusted.
    Yes,
    /// Everything in the folder around the project is trusted.
    Parent,
    /// The project is not trusted.
    No,
    /// There is no answer for the project any more; one for a folder above it counts again.
    Forget,
}

/// What is known of the trust in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrustState {
    /// The folder of the project.
    pub folder: PathBuf,
    /// What of it needs trust.
    pub files: Vec<PathBuf>,
    /// The answer that is kept, for this folder or one above it.
    pub remembered: Result<Option<TrustEntry>, TrustError>,
}

impl TrustAnswer {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Yes, Self::Parent, Self::No, Self::Forget];

    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Parent => "parent",
            Self::No => "no",
            Self::Forget => "forget",
        }
    }

    /// The answer of that word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|answer| answer.as_str() == word)
    }

    /// What it changes among the answers that are kept.
    fn updates(self, folder: &Path) -> Vec<(PathBuf, Option<bool>)> {
        let here = |answer| (folder.to_path_buf(), answer);
        match (self, folder.parent()) {
            (Self::Parent, Some(parent)) => vec![(parent.to_path_buf(), Some(true)), here(None)],
            (Self::Yes | Self::Parent, _) => vec![here(Some(true))],
            (Self::No, _) => vec![here(Some(false))],
            (Self::Forget, _) => vec![here(None)],
        }
    }
}

impl TrustState {
    /// Looks at the project in the working directory, and at the answers of its user.
    pub(crate) fn of(env: &Environment) -> Self {
        let question = TrustQuestion::new(env, None);
        Self {
            folder: question.folder().to_path_buf(),
            files: question.resources().to_vec(),
            remembered: TrustStore::new(&env.agent_dir()).nearest(question.folder()),
        }
    }

    /// Keeps an answer for the project in the working directory. Blocks while another program holds the lock.
    ///
    /// # Errors
    /// As [`TrustStore::update`].
    pub(crate) fn remember(env: &Environment, answer: TrustAnswer) -> Result<Self, TrustError> {
        let question = TrustQuestion::new(env, None);
        let chosen = TrustOption {
            label: answer.as_str().to_owned(),
            trusted: matches!(answer, TrustAnswer::Yes | TrustAnswer::Parent),
            updates: answer.updates(question.folder()),
        };
        match question.chosen(Some(&chosen)).not_saved {
            None => Ok(Self::of(env)),
            Some(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_changes_what_is_kept() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().canonicalize().expect("its real path");
        let project = root.join("all/project");
        std::fs::create_dir_all(&project).expect("folders");
        let env = Environment::new(&root, &project);
        let mut kept = Vec::new();
        for answer in [TrustAnswer::No, TrustAnswer::Parent, TrustAnswer::Yes, TrustAnswer::Forget] {
            let state = TrustState::remember(&env, answer).expect("kept");
            kept.push(state.remembered.expect("readable").expect("an answer"));
        }
        let entry = |folder: &Path, trusted| TrustEntry { folder: folder.to_path_buf(), trusted };
        let parent = root.join("all");
        assert_eq!(kept, [entry(&project, false), entry(&parent, true), entry(&project, true), entry(&parent, true)]);
    }

    #[test]
    fn words_lead_to_answers_and_back() {
        assert_eq!(TrustAnswer::ALL.map(|answer| TrustAnswer::parse(answer.as_str())), TrustAnswer::ALL.map(Some));
        assert_eq!(TrustAnswer::parse("maybe"), None);
    }
}
