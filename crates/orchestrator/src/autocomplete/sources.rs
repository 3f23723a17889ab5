//! Where words come from.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use tau_git::{Facts, Limits};
use tau_hooks::Api;
use tokio_util::sync::CancellationToken;

use super::table::{Source, Word};
use crate::shared::forge::{Ask, ForgeError, Item, Kept, Kind, Place, Told, list, look};

/// The most pull requests that are known.
const KNOWN: u32 = 50;
/// How far the repository is looked at.
const LIMITS: fn() -> Limits = || Limits { names: 500, commits: 100, ..Limits::default() };

/// A word that can stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// What is written.
    pub(super) value: String,
    /// What is shown.
    pub(super) label: String,
    /// What it is; may be empty.
    pub(super) about: String,
}

/// A repository on a forge, in a state: what is known of its pull requests is forgotten when something is committed, fetched,
/// pushed or checked out.
#[derive(Clone, PartialEq)]
struct State {
    place: Place,
    references: u64,
}

/// All of them, for one session.
pub(super) struct Sources {
    api: Api,
    pulls: Kept<State, Vec<Item>>,
    told: Arc<Told>,
}

impl Candidate {
    pub(super) fn of(word: &Word) -> Self {
        Self::named(word.text, word.about)
    }

    fn named(name: &str, about: &str) -> Self {
        Self { value: name.to_owned(), label: name.to_owned(), about: about.to_owned() }
    }
}

impl Sources {
    pub(super) fn new(api: Api) -> Self {
        Self { api, pulls: Kept::default(), told: Arc::default() }
    }

    /// The words of a source; none outside of a repository.
    pub(super) async fn candidates(&self, source: Source) -> Vec<Candidate> {
        match source {
            Source::Words(words) => words.iter().map(Candidate::of).collect(),
            Source::Branches => self.facts().await.map(|facts| branches(&facts)).unwrap_or_default(),
            Source::Tags => self.facts().await.map(|facts| tags(&facts)).unwrap_or_default(),
            Source::PullRequests => match self.facts().await {
                Some(facts) => self.pull_requests(&facts).await,
                None => Vec::new(),
            },
        }
    }

    /// The repository as it is now.
    async fn facts(&self) -> Option<Facts> {
        let ctx = self.api.ctx(CancellationToken::new(), false).ok()?;
        look(ctx.cwd(), LIMITS()).await
    }

    async fn pull_requests(&self, facts: &Facts) -> Vec<Candidate> {
        let Some(place) = Place::of(facts) else { return Vec::new() };
        let state = State { place, references: references(facts) };
        let (place, told) = (state.place.clone(), Arc::clone(&self.told));
        let fetch = move |api, cancel| fetch(api, place, told, cancel);
        match self.pulls.get(&self.api, &state, fetch).await {
            Ok(pulls) => pulls.iter().map(pull_request).collect(),
            Err(error) => {
                // The user was told when it was fetched.
                tracing::debug!(%error, "no pull requests are suggested");
                Vec::new()
            }
        }
    }
}

async fn fetch(api: Api, place: Place, told: Arc<Told>, cancel: CancellationToken) -> Result<Vec<Item>, ForgeError> {
    let ask = Ask { kind: Kind::PullRequest, state: "open", most: KNOWN };
    let answer = list(&api, &place, ask, &cancel).await;
    match &answer {
        Ok(_) => told.worked(),
        Err(error) => told.failed(&api, &place, "Pull requests", error),
    }
    answer
}

fn pull_request(item: &Item) -> Candidate {
    let Item { number, title, branch, state, .. } = item;
    let draft = if state == "draft" { "draft: " } else { "" };
    let branch = if branch.is_empty() { String::new() } else { format!(" ({branch})") };
    Candidate { value: number.to_string(), label: format!("#{number}"), about: format!("{draft}{title}{branch}") }
}

/// A number that changes with the head and the references.
fn references(facts: &Facts) -> u64 {
    let mut hasher = DefaultHasher::new();
    let heads = (&facts.head, &facts.commit, &facts.upstream, &facts.branches, &facts.remote_branches, &facts.tags);
    format!("{heads:?}").hash(&mut hasher);
    hasher.finish()
}

/// The branches, those with the newest commit first and those of this repository before those of remotes, each once.
fn branches(facts: &Facts) -> Vec<Candidate> {
    let remotes = facts.remote_branches.names.iter().map(|name| {
        let of = |remote: &&str| name.strip_prefix(remote).is_some_and(|rest| rest.starts_with('/'));
        let remote = facts.remotes.iter().map(|remote| remote.name.as_str()).filter(of).max_by_key(|name| name.len());
        match remote {
            Some(remote) => (&name[remote.len() + 1..], remote),
            None => (name.as_str(), ""),
        }
    });
    let current = facts.head.branch();
    let own = facts.branches.names.iter().map(|name| (name.as_str(), ""));
    let mut seen = HashSet::new();
    let new = own.chain(remotes).filter(|(name, _)| is_word(name) && seen.insert(*name));
    let candidate = |(name, remote): (&str, &str)| match remote {
        _ if current == Some(name) => Candidate::named(name, "current branch"),
        "" => Candidate::named(name, ""),
        remote => Candidate::named(name, &format!("on {remote}")),
    };
    new.map(candidate).collect()
}

/// The tags, the newest first.
fn tags(facts: &Facts) -> Vec<Candidate> {
    let names = facts.tags.names.iter().filter(|name| is_word(name));
    names.map(|name| Candidate::named(name, "")).collect()
}

/// Whether a name can stand in a prompt as it is: the author of the repository chose it.
fn is_word(name: &str) -> bool {
    !name.contains(char::is_whitespace) && tau_view::untrusted::plain(name) == name
}
