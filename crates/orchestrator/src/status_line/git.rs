//! The state of a repository in a few words.

use tau_git::{Facts, Found, Head, Operation, Status, View};
use tau_view::truncate::truncate_middle;
use tau_view::untrusted::plain;

/// Most columns of a branch.
const BRANCH: usize = 40;
/// Not all of this is known, or not of now.
const STALE: &str = "…";

/// `main ~1 +2 -3 ?4`, as far as it is known; nothing outside of a repository.
pub(crate) fn shown(view: &View) -> Option<String> {
    match &view.found {
        Found::Unknown | Found::Nothing => None,
        Found::Failed(_) => Some("git unreadable".to_owned()),
        Found::Repository(facts) => {
            let mut words = vec![head(&facts.head)];
            words.extend(facts.operation.map(|operation| word(operation).to_owned()));
            words.extend(facts.status.iter().flat_map(counts));
            if view.is_stale || !is_complete(facts) {
                words.push(STALE.to_owned());
            }
            Some(words.join(" "))
        }
    }
}

fn head(head: &Head) -> String {
    match head {
        Head::Branch(name) | Head::Unborn(name) => truncate_middle(&plain(name).replace(['\n', '\t'], " "), BRANCH),
        Head::Detached(id) => format!("@{}", plain(id)),
        Head::Unknown => "no head".to_owned(),
    }
}

fn word(operation: Operation) -> &'static str {
    match operation {
        Operation::Merge => "merging",
        Operation::Rebase => "rebasing",
        Operation::ApplyMailbox => "applying patches",
        Operation::CherryPick => "cherry-picking",
        Operation::Revert => "reverting",
        Operation::Bisect => "bisecting",
    }
}

/// Without a work tree there is nothing to count.
fn is_complete(facts: &Facts) -> bool {
    facts.work_tree.is_none() || facts.status.is_some_and(|status| status.is_complete)
}

/// What there is none of is left out. A file with another name counts as modified.
fn counts(status: &Status) -> Vec<String> {
    let (staged, unstaged) = (&status.staged, &status.unstaged);
    let modified = staged.modified + staged.renamed + unstaged.modified + unstaged.renamed;
    let all = [
        ('!', status.conflicted),
        ('~', modified),
        ('+', staged.added + unstaged.added),
        ('-', staged.deleted + unstaged.deleted),
        ('?', status.untracked),
    ];
    all.into_iter().filter(|(_, count)| *count > 0).map(|(mark, count)| format!("{mark}{count}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tau_git::Changes;

    #[test]
    fn what_there_is_none_of_is_left_out() {
        let staged = Changes { added: 1, renamed: 2, ..Changes::default() };
        let unstaged = Changes { modified: 3, deleted: 4, ..Changes::default() };
        let status = Status { staged, unstaged, untracked: 5, conflicted: 6, is_complete: true };
        assert_eq!(counts(&status), ["!6", "~5", "+1", "-4", "?5"]);
        assert!(counts(&Status::default()).is_empty());
    }

    #[test]
    fn a_branch_is_short_and_harmless() {
        assert_eq!(head(&Head::Branch("fix/\u{1b}[31mred".to_owned())), "fix/red");
        let wide = head(&Head::Unborn("枝".repeat(100)));
        assert!(tau_view::width::visible_width(&wide) <= BRANCH, "{wide}");
        assert_eq!(head(&Head::Detached("1234567".to_owned())), "@1234567");
    }
}
