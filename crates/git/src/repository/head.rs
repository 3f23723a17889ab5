//! The head, the branch it is on, and what that follows.

use gix::bstr::ByteSlice;
use gix::remote::Direction;
use gix::{ObjectId, head};

use super::Repository;
use crate::{DefaultBranch, GitError, Head, Stop, Upstream};

/// Branches that are likely the default one, where the remote does not say.
const LIKELY: &[&str] = &["main", "master"];
/// How long a short id is where the repository cannot say.
const SHORT: usize = 7;

impl Repository {
    /// Where the head is, and its commit.
    pub(super) fn head(&self, problems: &mut Vec<GitError>) -> (Head, Option<ObjectId>) {
        let head = match self.git.head() {
            Ok(head) => head,
            Err(error) => {
                problems.push(GitError::read("the head", self.git_dir(), &error));
                return (Head::Unknown, None);
            }
        };
        let named = head.referent_name().map(|name| name.shorten().to_str_lossy().into_owned());
        let is_unborn = head.is_unborn();
        let direct = match &head.kind {
            head::Kind::Detached { target, peeled } => Some(peeled.unwrap_or(*target)),
            head::Kind::Symbolic(_) | head::Kind::Unborn(_) => head.id().map(gix::Id::detach),
        };
        let commit = match head.try_into_peeled_id() {
            Ok(commit) => commit.map(gix::Id::detach),
            // The branch names a commit that is not there.
            Err(error) => {
                problems.push(GitError::read("the commit of the head", self.git_dir(), &error));
                direct
            }
        };
        let head = match (named, commit) {
            (Some(name), _) if is_unborn => Head::Unborn(name),
            (Some(name), _) => Head::Branch(name),
            (None, Some(commit)) => Head::Detached(self.short(commit)),
            (None, None) => Head::Unknown,
        };
        (head, commit)
    }

    /// The beginning of an id that no other object has.
    fn short(&self, id: ObjectId) -> String {
        let found = gix::prelude::ObjectIdExt::attach(id, &self.git).shorten();
        found.map_or_else(|_| id.to_hex_with_len(SHORT).to_string(), |prefix| prefix.to_string())
    }

    /// What a branch follows.
    pub(super) fn upstream(
        &self,
        branch: &str,
        commit: Option<ObjectId>,
        stop: &Stop,
        problems: &mut Vec<GitError>,
    ) -> Option<Upstream> {
        let name = gix::refs::FullName::try_from(format!("refs/heads/{branch}")).ok()?;
        let remote = self.settings.string_by("branch", Some(branch.as_bytes().as_bstr()), "remote")?;
        let merged = self.git.branch_remote_ref_name(name.as_ref(), Direction::Fetch)?.ok()?;
        let tracking = if remote == "." {
            Some(merged.clone())
        } else {
            self.git.branch_remote_tracking_ref_name(name.as_ref(), Direction::Fetch).and_then(Result::ok)
        };
        let distance = tracking.as_ref().zip(commit).and_then(|(tracking, commit)| {
            let there = self.git.try_find_reference(tracking.as_ref()).ok()??.into_fully_peeled_id().ok()?.detach();
            match self.distance(commit, there, stop) {
                Ok(distance) => Some(distance),
                Err(error) => {
                    problems.push(error);
                    None
                }
            }
        });
        Some(Upstream {
            remote: remote.to_str_lossy().into_owned(),
            branch: merged.shorten().to_str_lossy().into_owned(),
            tracking: tracking.map(|tracking| tracking.shorten().to_str_lossy().into_owned()),
            distance,
        })
    }

    /// The default branch: what the remote said when it was cloned, else a likely one that is there.
    pub(super) fn default_branch(&self, remote: &str) -> Option<DefaultBranch> {
        let at = format!("refs/remotes/{remote}/");
        let head = self.git.try_find_reference(format!("{at}HEAD").as_str()).ok().flatten();
        let named = head.and_then(|head| Some(head.target().try_name()?.as_bstr().to_str_lossy().into_owned()));
        if let Some((name, reference)) = named.and_then(|full| Some((full.strip_prefix(&at)?.to_owned(), full))) {
            return Some(DefaultBranch { name, reference });
        }
        let likely =
            LIKELY.iter().flat_map(|name| [(*name, format!("{at}{name}")), (*name, format!("refs/heads/{name}"))]);
        let is_there = |reference: &str| self.git.try_find_reference(reference).is_ok_and(|found| found.is_some());
        likely
            .into_iter()
            .find(|(_, reference)| is_there(reference))
            .map(|(name, reference)| DefaultBranch { name: name.to_owned(), reference })
    }
}
