//! The repository on the forge.

use std::path::PathBuf;

use tau_git::{Facts, Forge, GitFacts, Limits, Stop};

/// A repository on a forge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The host.
    pub host: String,
    /// `owner/name`.
    pub slug: String,
}

impl Place {
    /// Where a repository is on a forge: what its branch follows, else `origin`, else the first remote that is on one.
    pub fn of(facts: &Facts) -> Option<Self> {
        let any = || facts.remotes.iter().find_map(|remote| remote.forge.as_ref());
        facts.forge.as_ref().or_else(any).map(Self::new)
    }

    fn new(forge: &Forge) -> Self {
        Self { host: forge.host.clone(), slug: forge.slug() }
    }

    /// Its address on the web.
    pub(super) fn address(&self) -> String {
        format!("https://{}/{}", self.host, self.slug)
    }

    /// Whether the host has to be asked in the words of GitHub. Another host may be one of an enterprise, or no GitHub at all.
    pub fn is_github(&self) -> bool {
        self.host == "github.com"
    }

    /// The host as `gh` takes it. A host without a dot is a name of the user's own in the settings of ssh, which `gh` makes out
    /// itself from the folder.
    pub(super) fn argument(&self) -> Option<String> {
        self.host.contains('.').then(|| format!("{}/{}", self.host, self.slug))
    }
}

/// What is known of the repository of a folder, read without running anything. Nothing outside of a repository, and when it
/// cannot be read.
pub async fn look(folder: PathBuf, limits: Limits) -> Option<Facts> {
    let shown = folder.display().to_string();
    match GitFacts::with(folder, limits).ask(|repository| repository.facts(&Stop::default())).await {
        Ok(facts) => facts,
        Err(error) => {
            tracing::debug!(%error, folder = shown, "nothing of the repository is suggested");
            None
        }
    }
}
