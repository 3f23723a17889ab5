//! Which branches of a remote change.

use super::support::{Machine, effects, is_opaque, published, targets};

#[test]
fn refspecs_name_branches_of_a_remote() {
    let machine = Machine::on_branch();
    machine.git(&["tag", "v1"]);
    for (call, wanted, does) in [
        ("git push", &["- work"][..], "publishes"),
        ("git push origin", &["origin work"], "publishes"),
        ("git push origin HEAD", &["origin work"], "publishes"),
        ("git push origin @", &["origin work"], "publishes"),
        ("git push -u origin work", &["origin work"], "publishes"),
        ("git push origin main", &["origin main"], "publishes"),
        ("git push origin feature/main-fix", &["origin feature/main-fix"], "publishes"),
        ("git push origin a:b", &["origin b"], "publishes"),
        ("git push origin HEAD:main", &["origin main"], "publishes"),
        ("git push origin @:main", &["origin main"], "publishes"),
        ("git push origin HEAD:refs/heads/main", &["origin main"], "publishes"),
        ("git push origin refs/heads/main", &["origin main"], "publishes"),
        ("git push origin HEAD:heads/main", &["origin main"], "publishes"),
        ("git push origin HEAD:refs/heads/x$Y", &["origin x…"], "publishes"),
        ("git push origin HEAD:$X", &["origin …"], "publishes"),
        ("git push origin +main", &["origin main"], "force-publishes publishes"),
        ("git push origin +HEAD:main", &["origin main"], "force-publishes publishes"),
        ("git push origin :main", &["origin main"], "deletes-reference publishes"),
        ("git push origin --delete main", &["origin main"], "deletes-reference publishes"),
        ("git push -d origin main", &["origin main"], "deletes-reference publishes"),
        ("git push origin a b:main", &["origin a", "origin main"], "publishes"),
        ("git push --all", &["- *"], "publishes"),
        ("git push --branches origin", &["origin *"], "publishes"),
        ("git push --mirror origin", &["origin *"], "deletes-reference force-publishes publishes"),
        ("git push origin :", &["origin *"], "publishes"),
        ("git push origin refs/heads/*:refs/heads/*", &["origin *"], "publishes"),
        ("git push --tags origin", &[], "publishes"),
        ("git push origin v1", &[], "publishes"),
        ("git push origin tag v1", &[], "publishes"),
        ("git push origin refs/tags/v1:refs/tags/v2", &[], "publishes"),
        ("git push -f", &["- work"], "force-publishes publishes"),
        ("git push --force-with-lease origin work", &["origin work"], "force-publishes publishes"),
        ("git push --force-w origin work", &["origin work"], "force-publishes publishes"),
        ("git push -fu origin work", &["origin work"], "force-publishes publishes"),
        ("git push -n origin main", &[], ""),
        ("git push -o x origin main", &["origin main"], "publishes"),
        ("git push --repo=origin", &["origin work"], "publishes"),
        ("git push https://example.org/x main", &["https://example.org/x main"], "publishes"),
        ("git send-pack url main", &["url main"], "publishes"),
        ("git subtree push --prefix=x origin main", &["origin main"], "publishes"),
    ] {
        let step = machine.script(&[call]);
        assert_eq!(published(&step.usage), wanted, "{call}");
        assert_eq!(effects(&step), does, "{call}");
        assert!(!is_opaque(&step), "{call}");
    }
}

#[test]
fn branches_here_that_a_call_changes_by_name_are_known() {
    let machine = Machine::on_branch();
    for (call, wanted) in [
        ("git branch -f main HEAD", &["- main"][..]),
        ("git branch -f new HEAD", &[]),
        ("git branch -C work main", &["- main"]),
        ("git checkout -B main", &["- main"]),
        ("git switch -C main", &["- main"]),
        ("git worktree add -B main y", &["- main"]),
        ("git update-ref refs/heads/main HEAD", &["- main"]),
        ("git update-ref HEAD HEAD", &[]),
        ("git update-ref refs/tags/main HEAD", &[]),
        ("git fetch . work:main", &["- main"]),
        ("git fetch . +refs/heads/*:refs/heads/*", &["- *"]),
        ("git fetch origin main", &[]),
        ("git fetch origin +refs/heads/*:refs/remotes/origin/*", &[]),
        ("git commit", &[]),
    ] {
        assert_eq!(targets(&machine.script(&[call]).usage.changes), wanted, "{call}");
    }
}

#[test]
fn a_push_without_a_name_goes_where_settings_say() {
    let machine = Machine::on_branch();
    for (setting, wanted) in [
        (&["push.default", "current"][..], &["- work"][..]),
        (&["push.default", "matching"], &["- *"]),
        (&["push.default", "nothing"], &[]),
        (&["branch.work.remote", "far"], &[]),
        (&["push.default", "upstream"], &["far work"]),
        (&["branch.work.merge", "refs/heads/main"], &["far main"]),
        (&["push.default", "simple"], &["far work"]),
        (&["remote.pushDefault", "fork"], &["fork work"]),
        (&["remote.fork.push", "HEAD:refs/heads/main"], &["fork main"]),
        (&["remote.fork.mirror", "true"], &["fork *"]),
    ] {
        machine.git(&[&["config"], setting].concat());
        assert_eq!(published(&machine.script(&["git push"]).usage), wanted, "{setting:?}");
    }
}

#[test]
fn a_push_follows_what_the_script_did_before() {
    let machine = Machine::new();
    machine.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    for (calls, wanted) in [
        (&["git checkout -b x", "git push"][..], "- x"),
        (&["git checkout -b x origin/main", "git -c push.default=upstream push"], "origin main"),
        (&["git checkout --no-track -b x origin/main", "git -c push.default=upstream push"], "- x"),
        (&["git checkout -b x", "git branch -u origin/main", "git -c push.default=upstream push"], "origin main"),
        (&["git checkout -b x", "git push -u origin HEAD:y", "git -c push.default=upstream push"], "origin y"),
        (&["git config push.default matching", "git push"], "- *"),
    ] {
        assert_eq!(published(&machine.script(calls).usage), [wanted], "{calls:?}");
    }
}
