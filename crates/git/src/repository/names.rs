//! The names of branches and tags, the newest first.

use std::cmp::Reverse;

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::Repository;
use crate::{Names, Stop};

/// How many more are looked at than are given: the newest may be the last by name.
const LOOKED_AT: usize = 10;
/// Commits and tags above this size, in bytes, have no time.
const LARGEST: u64 = 1 << 20;

impl Repository {
    /// The short names of references below a prefix. Heads of remotes are no branches.
    pub(super) fn names(&self, prefix: &str, stop: &Stop) -> gix::Result<Names> {
        let most = self.limits.names;
        let (mut found, mut is_complete) = (Vec::new(), true);
        let references = self.git.references()?;
        for reference in references.prefixed(prefix)? {
            if found.len() >= most.saturating_mul(LOOKED_AT) || stop.is_stopped() {
                is_complete = false;
                break;
            }
            // One that is broken is not completed, and takes no others along.
            let Ok(reference) = reference else { continue };
            if prefix == "refs/remotes/" && reference.target().try_name().is_some() {
                continue;
            }
            let name = reference.name().shorten().to_str_lossy().into_owned();
            found.push((Reverse(self.time(reference)), name));
        }
        found.sort();
        is_complete &= found.len() <= most;
        found.truncate(most);
        Ok(Names { names: found.into_iter().map(|(_, name)| name).collect(), is_complete })
    }

    /// When a tag or a commit was made, in seconds; long ago if that is not known.
    fn time(&self, reference: gix::Reference<'_>) -> i64 {
        let made = || {
            let id = reference.try_id()?;
            // A tag may name anything, and the largest file as well.
            let header = id.try_header().ok()??;
            if !matches!(header.kind(), Kind::Commit | Kind::Tag) || header.size() > LARGEST {
                return None;
            }
            let object = id.try_object().ok()??;
            if let Ok(tag) = object.try_to_tag_ref()
                && let Some(tagger) = tag.tagger().ok().flatten()
            {
                return Some(tagger.seconds());
            }
            let commit = object.peel_to_commit().ok()?;
            Some(commit.time().ok()?.seconds)
        };
        made().unwrap_or(i64::MIN)
    }
}
