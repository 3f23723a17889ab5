//! Calls of `gh`.

use super::support::{Machine, effects, is_opaque, published, runs};

#[test]
fn calls_that_merge_or_change_branches_are_known() {
    let machine = Machine::on_branch();
    for (words, does, targets) in [
        (&["gh", "pr", "merge", "1", "--squash"][..], "merges-published publishes", &["- …"][..]),
        (&["gh", "-R", "a/b", "pr", "merge", "1"], "merges-published publishes", &["- …"]),
        (&["gh", "pr", "merge", "-d"], "deletes-reference merges-published publishes", &["- …"]),
        (&["gh", "pr", "view", "1"], "", &[]),
        (&["gh", "pr", "create", "--title", "merge", "--body", "pr merge"], "", &[]),
        (&["gh", "pr", "list", "--search", "merge"], "", &[]),
        (&["gh", "repo", "sync", "-b", "main"], "publishes", &["- main"]),
        (&["gh", "repo", "sync", "--force"], "force-publishes publishes", &["- …"]),
        (&["gh", "release", "create", "v1"], "publishes", &[]),
        (&["gh", "api", "repos/a/b/pulls/1"], "", &[]),
        (&["gh", "api", "-X", "PUT", "repos/a/b/pulls/1/merge"], "merges-published publishes", &["- …"]),
        (&["gh", "api", "--method=put", "/repos/a/b/pulls/1/merge"], "merges-published publishes", &["- …"]),
        (&["gh", "api", "-XDELETE", "repos/a/b/git/refs/heads/main"], "deletes-reference publishes", &["- main"]),
        (
            &["gh", "api", "-X", "PATCH", "repos/a/b/git/refs/heads/main", "-F", "force=true"],
            "force-publishes publishes",
            &["- main"],
        ),
        (&["gh", "api", "repos/a/b/git/refs", "-f", "ref=refs/heads/x", "-f", "sha=1"], "publishes", &["- x"]),
        (&["gh", "api", "repos/a/b/merges", "-f", "base=main"], "publishes", &["- main"]),
        (&["gh", "api", "-X", "PUT", "repos/a/b/contents/c/d", "-f", "branch=main"], "publishes", &["- main"]),
        (&["gh", "api", "repos/a/b/issues", "-f", "title=x"], "", &[]),
        (
            &["gh", "api", "graphql", "-f", "query=mutation { mergePullRequest(input: {}) { x } }"],
            "merges-published publishes",
            &["- …"],
        ),
        (&["gh", "api", "graphql", "-f", "query={ viewer { login } }"], "", &[]),
        (&["gh", "issue", "comment", "1", "--body", "$X"], "", &[]),
        (&["gh", "auth", "status"], "", &[]),
    ] {
        let step = machine.step(words);
        assert_eq!(
            (effects(&step).as_str(), published(&step.usage)),
            (does, targets.iter().map(|t| (*t).to_owned()).collect()),
            "{words:?}"
        );
        assert!(!is_opaque(&step) || words.contains(&"$X"), "{words:?}");
    }
}

#[test]
fn what_is_not_known_of_a_call_is_said() {
    let machine = Machine::on_branch();
    for words in [
        &["gh", "$X"][..],
        &["gh", "pr", "$X"],
        &["gh", "own-alias"],
        &["gh", "api", "-X", "$X", "repos/a/b"],
        &["gh", "api", "graphql", "-F", "query=@file"],
        &["gh", "api", "$X", "-f", "a=b"],
    ] {
        assert!(is_opaque(&machine.step(words)), "{words:?}");
    }
    assert_eq!(runs(&machine.step(&["gh", "alias", "set", "x", "!git push"])), ["git push"]);
}
