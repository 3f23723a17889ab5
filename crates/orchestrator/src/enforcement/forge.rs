//! What rules need to know from a forge, asked once for each repository.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tau_git::{Repository, Stop};
use tau_hooks::Api;
use tau_policy::{Protected, usual_branches};
use tokio_util::sync::CancellationToken;

use crate::shared::forge::{ForgeError, Merged, Place, merged, protected};

/// How long a failure counts, in milliseconds. An answer counts for the session.
const FAILED: i64 = 60_000;

/// Answers of forges, for one session.
pub(super) struct Forge {
    api: Api,
    branches: Kept<Vec<String>>,
    pulls: Kept<Vec<Merged>>,
    told: Mutex<Told>,
}

/// Answers, by the address of what they are about, each with the time.
type Kept<T> = Mutex<BTreeMap<String, (i64, Result<T, ForgeError>)>>;

/// Whether the user knows that a forge does not answer.
#[derive(Debug, Default)]
enum Told {
    #[default]
    Nothing,
    Due(String),
    Done,
}

impl Forge {
    pub(super) fn new(api: Api) -> Self {
        Self { api, branches: Kept::default(), pulls: Kept::default(), told: Mutex::default() }
    }

    /// The branches of a repository that nobody pushes to.
    pub(super) async fn protected(&self, repository: &Repository, cancel: &CancellationToken) -> Protected {
        let usual = usual_branches(repository);
        // A repository that is on no forge has nobody who protects its branches.
        let Some(place) = place(repository) else { return Protected { branches: usual, fallback: None } };
        let ask = protected(&self.api, &place, cancel);
        match kept(&self.api, &self.branches, key(&place, ""), ask).await {
            Ok(more) => {
                let mut branches = usual;
                branches.extend(more);
                branches.sort_unstable();
                branches.dedup();
                Protected { branches, fallback: None }
            }
            Err(error) => {
                let names = usual.join(", ");
                let slug = tau_view::untrusted::plain(&place.slug);
                self.fail(
                    &error,
                    &place,
                    format!("the protected branches of {slug} are not known, so {names} count: {error}"),
                );
                Protected { branches: usual, fallback: Some(error.to_string()) }
            }
        }
    }

    /// The pull request by which a branch was merged, if the branch still has its last commit.
    pub(super) async fn merged(
        &self,
        repository: &Repository,
        branch: &str,
        cancel: &CancellationToken,
    ) -> Option<u64> {
        let place = place(repository)?;
        let ask = merged(&self.api, &place, branch, cancel);
        match kept(&self.api, &self.pulls, key(&place, branch), ask).await {
            // A new branch may have the name of an old one.
            Ok(pulls) => {
                let is_in = |pull: &&Merged| repository.is_merged(&pull.head, branch).unwrap_or(false);
                pulls.iter().find(is_in).map(|pull| pull.number)
            }
            Err(error) => {
                tracing::debug!(%error, branch, "merged pull requests are not known");
                None
            }
        }
    }

    /// What the user has to be told, once in a session.
    pub(super) fn notice(&self) -> Option<String> {
        let mut told = self.told.lock();
        match std::mem::replace(&mut *told, Told::Done) {
            Told::Due(text) => Some(text),
            before => {
                *told = before;
                None
            }
        }
    }

    fn fail(&self, error: &ForgeError, place: &Place, text: String) {
        // A host without a login is probably no GitHub.
        let is_other = matches!(error, ForgeError::Missing | ForgeError::SignedOut { .. }) && !place.is_github();
        let mut told = self.told.lock();
        if matches!(*told, Told::Nothing) && !is_other && *error != ForgeError::Ended {
            *told = Told::Due(text);
        }
    }
}

fn place(repository: &Repository) -> Option<Place> {
    Place::of(&repository.facts(&Stop::default()))
}

fn key(place: &Place, branch: &str) -> String {
    format!("{}/{} {branch}", place.host, place.slug)
}

/// An answer that is known, or the one that is asked for now.
async fn kept<T: Clone>(
    api: &Api,
    known: &Kept<T>,
    key: String,
    ask: impl Future<Output = Result<T, ForgeError>>,
) -> Result<T, ForgeError> {
    let clock = api.sources()?.clock;
    if let Some((since, answer)) = known.lock().get(&key)
        && (answer.is_ok() || (0..FAILED).contains(&clock.now_ms().saturating_sub(*since)))
    {
        return answer.clone();
    }
    let answer = ask.await;
    if !matches!(answer, Err(ForgeError::Ended)) {
        known.lock().insert(key, (clock.now_ms(), answer.clone()));
    }
    answer
}
