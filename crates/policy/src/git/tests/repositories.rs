//! Repositories of every kind.

use std::path::PathBuf;

use crate::evaluation::Reason;
use crate::git::{GitPlace, Head};

use super::support::{Machine, branch};

fn place(git_dir: PathBuf, work_tree: Option<PathBuf>) -> GitPlace {
    GitPlace::Repository { git_dir, work_tree }
}

#[test]
fn the_repository_of_a_call_is_found() {
    let machine = Machine::on_branch();
    machine.git(&["worktree", "add", "--quiet", "-b", "tree", "tree"]);
    machine.git(&["clone", "--quiet", "--bare", ".", "bare"]);
    machine.git(&["submodule", "--quiet", "add", "./bare", "sub"]);
    machine.git_in(&machine.path.join("sub"), &["checkout", "--quiet", "--detach"]);
    let root = machine.path.clone();
    let main = || place(root.join(".git"), Some(root.clone()));
    let tree = || place(root.join(".git/worktrees/tree"), Some(root.join("tree")));
    for (words, wanted, heads) in [
        (&["git", "commit"][..], main(), branch("work")),
        (&["dir=deep/not/there", "git", "commit"], main(), branch("work")),
        (&["git", "-C", "tree", "commit"], tree(), branch("tree")),
        (&["git", "-C", "sub", "-C", "../tree", "commit"], tree(), branch("tree")),
        (&["dir=tree", "git", "commit"], tree(), branch("tree")),
        (
            &["git", "-C", "sub", "commit"],
            place(root.join(".git/modules/sub"), Some(root.join("sub"))),
            vec![Head::Detached],
        ),
        (&["git", "-C", "bare", "commit"], place(root.join("bare"), None), branch("work")),
        (
            &["dir=/", "git", "--git-dir", &root.join(".git").display().to_string(), "commit"],
            place(root.join(".git"), Some("/".into())),
            branch("work"),
        ),
        (
            &["git", "--git-dir=bare", "--work-tree=tree", "commit"],
            place(root.join("bare"), Some(root.join("tree"))),
            branch("work"),
        ),
        (&["GIT_DIR=bare", "git", "commit"], place(root.join("bare"), Some(root.clone())), branch("work")),
        (&["GIT_DIR=.git/worktrees/tree", "GIT_WORK_TREE=tree", "git", "commit"], tree(), branch("tree")),
        (&["git", "-C", "$X", "commit"], GitPlace::Unknown, vec![Head::Unknown]),
        (&["GIT_DIR=$X", "git", "commit"], GitPlace::Unknown, vec![Head::Unknown]),
        (&["dir=/", "git", "commit"], GitPlace::None, vec![]),
    ] {
        let usage = machine.step(words).usage;
        assert_eq!((usage.place, usage.heads), (wanted, heads), "{words:?}");
    }
    let elsewhere = machine.after(&Default::default(), &machine.elsewhere(&["git", "commit", "-n"]));
    assert_eq!((elsewhere.usage.place, elsewhere.usage.heads), (GitPlace::Unknown, vec![Head::Unknown]));
    assert_eq!(elsewhere.usage.effects.len(), 2);
}

#[test]
fn other_kinds_of_repositories_have_a_head() {
    for options in [&["--object-format=sha256"][..], &["--initial-branch=trunk"], &["--bare"]] {
        let machine = Machine::unborn(options);
        let name = machine.git(&["symbolic-ref", "--short", "HEAD"]);
        assert_eq!(machine.heads(&[]), [Head::Unborn(name)], "{options:?}");
    }
    let machine = Machine::with(&["--object-format=sha256"]);
    assert_eq!(machine.heads(&[]), branch("main"));
    machine.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(machine.heads(&[]), [Head::Detached]);
    // A folder of references that git alone can read.
    let machine = Machine::with(&["--ref-format=reftable"]);
    let step = machine.step(&["git", "commit"]);
    assert!(matches!(step.opaque, Some(Reason::Repository { .. })), "{:?}", step.opaque);
    assert_eq!((step.usage.place, step.usage.heads), (GitPlace::Unknown, vec![Head::Unknown]));
    assert_eq!(machine.step(&["git", "status"]).opaque, None);
}

#[test]
fn repositories_that_the_script_makes_are_known() {
    let machine = Machine::new();
    let root = machine.path.clone();
    for (calls, wanted, heads) in [
        (
            &["git worktree add -b x ../y", "dir=../y git commit"][..],
            place(root.join(".git/worktrees/y"), root.parent().map(|parent| parent.join("y"))),
            branch("x"),
        ),
        (
            &["git worktree add y", "git -C y commit"],
            place(root.join(".git/worktrees/y"), Some(root.join("y"))),
            branch("y"),
        ),
        (
            &["git worktree add y", "git -C y/deep commit"],
            place(root.join(".git/worktrees/y"), Some(root.join("y"))),
            branch("y"),
        ),
        (&["git worktree add y", "git commit"], place(root.join(".git"), Some(root.clone())), branch("main")),
        (
            &["git worktree add --detach y", "git -C y commit"],
            place(root.join(".git/worktrees/y"), Some(root.join("y"))),
            vec![Head::Detached],
        ),
        (
            &["git worktree add y", "git -C y checkout -b z", "git -C y commit"],
            place(root.join(".git/worktrees/y"), Some(root.join("y"))),
            branch("z"),
        ),
        (
            &["git init y", "git -C y commit"],
            place(root.join("y/.git"), Some(root.join("y"))),
            vec![Head::Unborn("master".to_owned())],
        ),
        (
            &["git init -b main y", "git -C y commit"],
            place(root.join("y/.git"), Some(root.join("y"))),
            vec![Head::Unborn("main".to_owned())],
        ),
        (
            &["git init -b main y", "git -C y commit", "git -C y commit"],
            place(root.join("y/.git"), Some(root.join("y"))),
            branch("main"),
        ),
        (
            &["git clone https://example.org/a/y.git", "git -C y commit"],
            place(root.join("y/.git"), Some(root.join("y"))),
            vec![Head::Unknown],
        ),
        (
            &["git clone -b x git@example.org:y", "git -C y commit"],
            place(root.join("y/.git"), Some(root.join("y"))),
            branch("x"),
        ),
        (&["git clone --bare url/y", "git -C y.git push"], place(root.join("y.git"), None), vec![Head::Unknown]),
        (&["git init", "git commit"], place(root.join(".git"), Some(root.clone())), branch("main")),
    ] {
        let usage = machine.script(calls).usage;
        assert_eq!((usage.place, usage.heads), (wanted, heads), "{calls:?}");
    }
    // A branch of one work tree is one of all.
    let step = machine.script(&["git worktree add -b x y", "git checkout -b x"]);
    assert!(step.failed.is_some());
}
