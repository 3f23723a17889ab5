//! Names of branches.

use tau_git::Stop;

use super::Work;

/// Whether a branch of this name can be made: the name is a good one, and no branch is in its way.
pub(super) fn is_free(work: &Work<'_>, name: &str) -> bool {
    is_name(name) && work.has_branch(name) == Some(false) && !is_in_the_way(work, name)
}

/// Whether there is a branch `a` for the name `a/b`, or the other way round: git keeps names as files in folders.
fn is_in_the_way(work: &Work<'_>, name: &str) -> bool {
    let mut folders = name.match_indices('/').filter_map(|(at, _)| name.get(..at));
    if folders.any(|folder| work.has_branch(folder) != Some(false)) {
        return true;
    }
    let below = format!("{name}/");
    let made = work.common().into_iter().flat_map(|common| work.state.branches(common));
    if made.into_iter().any(|branch| branch.starts_with(&below)) {
        return true;
    }
    let Some(repository) = &work.located.repository else { return false };
    let branches = repository.facts(&Stop::default()).branches;
    !branches.is_complete || branches.names.iter().any(|branch| branch.starts_with(&below))
}

/// Whether git takes a word for the name of a branch.
fn is_name(name: &str) -> bool {
    let is_bad = |letter: char| letter.is_control() || " ~^:?*[\\".contains(letter);
    let is_bad_part = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    !(name.starts_with('-')
        || name == "HEAD"
        || name == "@"
        || name.ends_with('.')
        || name.contains("..")
        || name.contains("@{")
        || name.contains(is_bad)
        || name.split('/').any(is_bad_part))
}
