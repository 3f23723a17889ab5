//! Where the head is at each place of a script.

use crate::git::Head;

use super::support::{Machine, branch};

#[test]
fn a_call_sees_the_head_that_calls_before_it_left() {
    let machine = Machine::new();
    machine.git(&["branch", "side"]);
    machine.git(&["update-ref", "refs/remotes/origin/far", "HEAD"]);
    machine.git(&["remote", "add", "origin", "url"]);
    machine.git(&["tag", "v1"]);
    for (calls, wanted) in [
        (&[][..], "main"),
        (&["git checkout -b x"], "x"),
        (&["git checkout -b x main"], "x"),
        (&["git switch -c x"], "x"),
        (&["git switch --create=x"], "x"),
        (&["git checkout -B side"], "side"),
        (&["git checkout side"], "side"),
        (&["git checkout side --"], "side"),
        (&["git switch side"], "side"),
        (&["git checkout far"], "far"),
        (&["git switch far"], "far"),
        (&["git checkout --track origin/far"], "far"),
        (&["git checkout -b x", "git checkout main"], "main"),
        (&["git checkout -b x", "git checkout -"], "main"),
        (&["git checkout -b x", "git switch -"], "main"),
        (&["git checkout -b x", "git checkout @{-1}"], "main"),
        (&["git branch x", "git checkout x"], "x"),
        (&["git checkout -b x", "git branch -m y"], "y"),
        (&["git branch -m main y"], "y"),
        (&["git checkout -b x", "git branch -m main y"], "x"),
        (&["git symbolic-ref HEAD refs/heads/side"], "side"),
        (&["git checkout -b x", "git rebase main"], "x"),
        (&["git rebase main side"], "side"),
        (&["git checkout -b x", "git pull origin main"], "x"),
        (&["git stash", "git stash branch x"], "x"),
        (&["git checkout -- a"], "main"),
        (&["git checkout a"], "main"),
        (&["git checkout ."], "main"),
        (&["git checkout HEAD"], "main"),
        (&["git checkout side a"], "main"),
        (&["git restore a"], "main"),
        (&["git reset --hard side"], "main"),
        (&["git update-ref refs/heads/side HEAD"], "main"),
    ] {
        assert_eq!(machine.heads(calls), branch(wanted), "{calls:?}");
    }
    for (calls, wanted) in [
        (&["git checkout --detach"][..], vec![Head::Detached]),
        (&["git checkout HEAD^0"], vec![Head::Detached]),
        (&["git checkout v1"], vec![Head::Detached]),
        (&["git switch -d side"], vec![Head::Detached]),
        (&["git checkout -"], vec![Head::Unknown]),
        (&["git switch --orphan x"], vec![Head::Unborn("x".to_owned())]),
        (&["git symbolic-ref HEAD refs/heads/new"], vec![Head::Unborn("new".to_owned())]),
        (&["git checkout -b $X"], vec![Head::Unknown]),
        (&["git checkout -B x-$X"], vec![Head::Unknown]),
        (&["git checkout -b x-$X"], branch("x-…")),
        (&["git checkout gone"], vec![Head::Branch("gone".to_owned()), Head::Branch("main".to_owned())]),
        (&["git checkout $X"], vec![Head::Branch("main".to_owned()), Head::Unknown]),
    ] {
        assert_eq!(machine.heads(calls), wanted, "{calls:?}");
    }
}

#[test]
fn a_branch_that_is_there_or_has_no_good_name_may_not_be_made() {
    let machine = Machine::new();
    machine.git(&["branch", "side"]);
    for (call, can_fail) in [
        ("git checkout -b x", false),
        ("git switch -c x/y", false),
        ("git checkout -B new", false),
        ("git checkout -B side", true),
        ("git branch -m y", false),
        ("git checkout -b side", true),
        ("git switch -c side", true),
        ("git checkout -b a..b", true),
        ("git checkout -b x not-there", true),
        ("git checkout -b $X", true),
        ("git checkout side", true),
        ("git commit -m x", true),
    ] {
        let step = machine.script(&[call]);
        assert_eq!(step.failed.is_some(), can_fail, "{call}");
        // What fails leaves everything as it was.
        assert!(step.failed.is_none_or(|failed| failed == Default::default()), "{call}");
    }
    machine.git(&["branch", "folder/one"]);
    for calls in [
        &["git checkout -b side/one"][..],
        &["git checkout -b folder"],
        &["git branch -m folder"],
        &["git branch x", "git checkout -b x/y"],
        &["git branch x/y", "git checkout -b x"],
    ] {
        assert!(machine.script(calls).failed.is_some(), "{calls:?}");
    }
    let made = machine.script(&["git branch x", "git checkout -b x"]);
    assert!(made.failed.is_some());
    let deleted = machine.script(&["git branch -D side", "git checkout -b side"]);
    assert!(deleted.failed.is_none());
}

#[test]
fn a_rebase_that_fails_may_leave_the_head_on_a_commit() {
    let machine = Machine::new();
    let step = machine.script(&["git rebase side"]);
    let failed = step.failed.expect("it can fail");
    let next = machine.after(&failed, &machine.call(&["git", "commit"]));
    assert_eq!(next.usage.heads, [Head::Branch("main".to_owned()), Head::Detached]);
}

#[test]
fn a_branch_without_commits_has_one_after_the_first_commit() {
    let machine = Machine::unborn(&[]);
    assert_eq!(machine.heads(&[]), [Head::Unborn("main".to_owned())]);
    assert_eq!(machine.heads(&["git commit -m x"]), branch("main"));
    assert_eq!(machine.heads(&["git checkout -b x"]), [Head::Unborn("x".to_owned())]);
    assert_eq!(machine.heads(&["git checkout -b x", "git commit -m x"]), branch("x"));
}
