//! What commands do that have a row and nothing else.

use crate::git::commands;
use crate::git::step;

use super::support::{Machine, effects, is_opaque};

#[test]
fn commands_have_their_effects() {
    let machine = Machine::on_branch();
    for (words, wanted) in [
        ("git commit -m x", "commits"),
        ("git commit --amend --no-edit", "commits rewrites"),
        ("git commit --dry-run", ""),
        ("git commit --am -C HEAD", "commits rewrites"),
        ("git commit-tree HEAD^{tree} -m x", ""),
        ("git --work-tree /r commit", "commits"),
        ("/usr/bin/git commit", "commits"),
        ("git-commit", "commits"),
        ("/usr/lib/git-core/git-commit -n", "bypasses-hooks commits"),
        ("$X/git-commit", "commits"),
        ("hub commit", "commits"),
        ("git merge work", "commits"),
        ("git merge --ff-only origin/main", ""),
        ("git merge --squash work", ""),
        ("git merge --abort", "discards"),
        ("git merge --continue", "commits"),
        ("git cherry-pick a", "commits"),
        ("git cherry-pick -n a", ""),
        ("git revert a", "commits"),
        ("git revert --abort", "discards"),
        ("git am x.patch", "commits"),
        ("git rebase main", "rewrites"),
        ("git rebase --abort", "discards"),
        ("git filter-branch --tree-filter x", "rewrites runs-code"),
        ("git filter-repo --invert-paths --path x", "discards rewrites"),
        ("git filter-repo --analyze", ""),
        ("git replace a b", "rewrites"),
        ("git replace -d a", "deletes-reference"),
        ("git reflog", ""),
        ("git reflog expire --expire=now --all", "discards"),
        ("git gc", ""),
        ("git gc --prune=now", "discards"),
        ("git prune", "discards"),
        ("git svn dcommit", "publishes rewrites"),
        ("git subtree add --prefix=x url main", "commits"),
        ("git reset --hard", "discards"),
        ("git reset --hard HEAD~1", "discards moves-head rewrites"),
        ("git reset --soft HEAD^", "moves-head rewrites"),
        ("git reset", ""),
        ("git reset HEAD a", ""),
        ("git reset a", ""),
        ("git reset main", "moves-head rewrites"),
        ("git clean -fd", "discards"),
        ("git clean -n", ""),
        ("git clean -nfd", ""),
        ("git -c clean.requireForce=false clean", "discards"),
        ("git stash", ""),
        ("git stash push -m x", ""),
        ("git stash drop", "discards"),
        ("git stash clear", "discards"),
        ("git restore a", "discards"),
        ("git restore --staged a", ""),
        ("git restore -SW a", "discards"),
        ("git rm a", ""),
        ("git rm -rf src", "discards"),
        ("git rm -r --cached src", ""),
        ("git mv a b", ""),
        ("git mv -f a b", "discards"),
        ("git read-tree HEAD", "discards"),
        ("git checkout-index -f -a", "discards"),
        ("git checkout -- a", "discards"),
        ("git checkout .", "discards"),
        ("git checkout a", "discards"),
        ("git checkout HEAD a", "discards"),
        ("git checkout main", "moves-head"),
        ("git checkout -f main", "discards moves-head"),
        ("git checkout -b x", "creates-branch moves-head"),
        ("git checkout -B main", "creates-branch moves-head rewrites"),
        ("git switch main", "moves-head"),
        ("git switch -c x", "creates-branch moves-head"),
        ("git switch --discard-changes main", "discards moves-head"),
        ("git branch", ""),
        ("git branch -a", ""),
        ("git branch --show-current", ""),
        ("git branch --contains main", ""),
        ("git branch x", "creates-branch"),
        ("git branch -f main HEAD", "creates-branch rewrites"),
        ("git branch -d x", "deletes-reference"),
        ("git branch -D x", "deletes-reference discards"),
        ("git branch -m y", "creates-branch"),
        ("git branch -u origin/main", "configures"),
        ("git tag v1", ""),
        ("git tag -d v1", "deletes-reference"),
        ("git update-ref refs/heads/main HEAD", "rewrites"),
        ("git update-ref refs/heads/x HEAD", "creates-branch"),
        ("git update-ref -d refs/heads/x", "deletes-reference"),
        ("git update-ref HEAD HEAD~1", "moves-head rewrites"),
        ("git symbolic-ref HEAD", ""),
        ("git symbolic-ref HEAD refs/heads/main", "moves-head"),
        ("git worktree add ../x", "creates-branch"),
        ("git worktree add -b y ../x", "creates-branch"),
        ("git worktree add --detach ../x", ""),
        ("git worktree add ../x main", ""),
        ("git worktree list", ""),
        ("git worktree remove --force ../x", "discards"),
        ("git config user.name x", "configures"),
        ("git config user.name", ""),
        ("git config --get user.name", ""),
        ("git config --get-all user.name x", ""),
        ("git config get user.name", ""),
        ("git config set user.name x", "configures"),
        ("git config --unset user.name", "configures"),
        ("git config -e", "configures"),
        ("git config --list", ""),
        ("git remote -v", ""),
        ("git remote add origin url", "configures"),
        ("git remote show origin", ""),
        ("git fetch", ""),
        ("git fetch origin main", ""),
        ("git fetch origin main:x", "creates-branch"),
        ("git fetch origin +x:main", "rewrites"),
        ("git pull", ""),
        ("git pull origin work", ""),
        ("git pull origin other", "commits"),
        ("git pull --rebase", "rewrites"),
        ("git pull --rebase=false", ""),
        ("git submodule update --init", ""),
        ("git submodule update --force", "discards"),
        ("git submodule add url path", "stages"),
        ("git submodule deinit -f path", "discards"),
        ("git bisect start", "moves-head"),
        ("git notes add -m x", ""),
        ("git notes remove HEAD", "discards"),
        ("git apply x.patch", ""),
        ("git apply --cached x.patch", "stages"),
        ("git update-index --add x", "stages"),
        ("git update-index --assume-unchanged x", ""),
        ("git bundle create x --all", ""),
        ("git init", ""),
        ("git clone url x", ""),
        ("git fast-import", "commits creates-branch rewrites"),
        ("git maintenance run", ""),
        ("git maintenance start", "configures"),
        ("git log --grep commit", ""),
        ("git log --grep push $X", ""),
        ("git diff --stat", ""),
        ("git show $*", ""),
        ("git status", ""),
        ("git grep -n commit", ""),
        ("git --version commit", ""),
        ("git --help commit", ""),
        ("git --exec-path", ""),
        ("git", ""),
    ] {
        let step = machine.step(&words.split(' ').collect::<Vec<_>>());
        assert_eq!((effects(&step).as_str(), is_opaque(&step)), (wanted, false), "{words}");
    }
}

#[test]
fn options_that_are_not_known_make_a_call_unknown() {
    let machine = Machine::on_branch();
    for words in [
        "git commit $*",
        "git commit -m $* x",
        "git commit -a$X",
        "git commit --am$X",
        "git commit --such-option",
        "git commit --no-v",
        "git push origin $*",
        "git push $X",
        "git add $X",
        "git add -- $X",
        "git config $X y",
        "git update-ref --stdin",
        "git receive-pack .",
    ] {
        let step = machine.step(&words.split(' ').collect::<Vec<_>>());
        assert!(is_opaque(&step), "{words}");
    }
    for words in
        ["git commit -m $X", "git commit -m$X", "git commit --message=$X", "git add src/$X", "git push origin x$X"]
    {
        let step = machine.step(&words.split(' ').collect::<Vec<_>>());
        assert!(!is_opaque(&step), "{words}");
    }
}

#[test]
fn an_effect_says_which_argument_has_it() {
    let machine = Machine::on_branch();
    let step = machine.step(&["git", "commit", "--amend", "-anm", "x"]);
    let sites: Vec<(crate::git::Effect, Vec<usize>)> = step
        .usage
        .effects
        .iter()
        .map(|effect| (effect.kind, effect.sites.iter().map(|site| site.span.start).collect()))
        .collect();
    use crate::git::Effect::{BypassesHooks, Commits, Rewrites, StagesAll};
    assert_eq!(sites, [(BypassesHooks, vec![3]), (Commits, vec![1]), (Rewrites, vec![2]), (StagesAll, vec![3])]);
}

#[test]
fn other_programs_are_not_git() {
    let machine = Machine::on_branch();
    for words in
        [&["echo", "git", "commit"][..], &["git-lfs", "push"], &["gitk"], &["$X", "commit"], &["legit", "commit"]]
    {
        assert!(step(&machine.call(words), &Default::default(), &machine).is_none(), "{words:?}");
    }
}

#[test]
fn commands_of_git_have_one_row() {
    let mut names: Vec<&str> = commands::rows().flat_map(|row| row.names).copied().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for row in commands::rows() {
        // Options are no words of the first level, and letters are single.
        let specs: Vec<_> = crate::git::options::all(row.options).collect();
        let mut known: Vec<&str> = specs.iter().flat_map(|spec| spec.names.clone()).collect();
        let all = known.len();
        known.sort_unstable();
        known.dedup();
        assert_eq!(known.len(), all, "{:?}", row.names);
    }
}
