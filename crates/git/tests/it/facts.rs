//! What is known of a repository beside its status.

use tau_git::{DefaultBranch, Distance, Head, Kind, Operation, Repository, Stop};

use crate::support::{Repo, facts, git, limits, try_git};

#[test]
fn a_new_repository_has_a_branch_without_a_commit() {
    let repo = Repo::empty();
    let facts = repo.facts();
    assert_eq!(facts.head, Head::Unborn("main".into()));
    assert_eq!((facts.commit, facts.upstream, facts.operation), (None, None, None));
    assert_eq!((facts.kind, facts.is_foreign), (Kind::Main, false));
    assert_eq!(facts.work_tree.as_deref(), Some(&*repo.path));
    assert_eq!((&facts.git_dir, &facts.common_dir), (&repo.path.join(".git"), &repo.path.join(".git")));
    assert!(facts.branches.is_complete && facts.branches.names.is_empty() && facts.remotes.is_empty());
}

#[test]
fn the_head_is_on_a_branch_or_on_a_commit() {
    let repo = Repo::new();
    let id = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(repo.facts().head, Head::Branch("main".into()));
    assert_eq!(repo.facts().commit, Some(id.clone()));
    repo.git(&["checkout", "--quiet", "--detach"]);
    let short = repo.git(&["rev-parse", "--short", "HEAD"]);
    assert_eq!(repo.facts().head, Head::Detached(short));
    assert_eq!(repo.facts().commit, Some(id));
    assert_eq!(repo.facts().head.branch(), None);
}

#[test]
fn every_kind_of_repository_says_what_it_is() {
    let repo = Repo::new();
    let linked = repo.path.join("linked");
    repo.git(&["worktree", "add", "--quiet", "-b", "side", "linked"]);
    let found = facts(&linked);
    assert_eq!((found.kind, found.head), (Kind::Linked, Head::Branch("side".into())));
    assert_eq!(found.work_tree.as_deref(), Some(&*linked));
    assert_eq!(found.git_dir, repo.path.join(".git/worktrees/linked"));
    assert_eq!(std::fs::canonicalize(found.common_dir).ok(), Some(repo.path.join(".git")));
    assert_eq!(facts(&linked.join("no/folder")).kind, Kind::Linked, "a folder that is not there yet");

    let outer = Repo::new();
    outer.git(&["submodule", "--quiet", "add", &repo.path.display().to_string(), "sub"]);
    let found = facts(&outer.path.join("sub"));
    assert_eq!((found.kind, found.work_tree), (Kind::Submodule, Some(outer.path.join("sub"))));

    let bare = Repo::with(&["--bare"]);
    let found = facts(&bare.path);
    assert_eq!((found.kind, found.work_tree, found.head), (Kind::Bare, None, Head::Unborn("main".into())));
    assert_eq!(crate::support::status(&bare.path), Ok(None));

    let nothing = tempfile::tempdir().expect("a folder");
    assert!(matches!(Repository::of(nothing.path(), limits()), Ok(None)));
}

#[test]
fn the_distance_to_the_upstream_is_what_git_counts() {
    let origin = Repo::new();
    let folder = tempfile::tempdir().expect("a folder");
    git(folder.path(), &["clone", "--quiet", &origin.path.display().to_string(), "clone"]);
    let clone = std::fs::canonicalize(folder.path().join("clone")).expect("a path");
    let found = facts(&clone);
    let upstream = found.upstream.expect("an upstream");
    assert_eq!((upstream.remote.as_str(), upstream.branch.as_str()), ("origin", "main"));
    assert_eq!(upstream.tracking.as_deref(), Some("origin/main"));
    assert_eq!(upstream.distance, Some(Distance { ahead: 0, behind: 0, is_complete: true }));
    let main = DefaultBranch { name: "main".into(), reference: "refs/remotes/origin/main".into() };
    assert_eq!(found.default_branch, Some(main.clone()));
    // Both go on, with a merge among it.
    for number in 0..3 {
        origin.commit(&format!("origin {number}"));
    }
    git(&clone, &["checkout", "--quiet", "-b", "side"]);
    git(&clone, &["commit", "--quiet", "--allow-empty", "--message", "side"]);
    git(&clone, &["checkout", "--quiet", "main"]);
    git(&clone, &["commit", "--quiet", "--allow-empty", "--message", "main"]);
    git(&clone, &["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
    git(&clone, &["fetch", "--quiet"]);
    let wanted = Distance { ahead: 3, behind: 3, is_complete: true };
    assert_eq!(facts(&clone).upstream.expect("an upstream").distance, Some(wanted));
    // Also where the parents are in a file of their own.
    git(&clone, &["commit-graph", "write", "--reachable"]);
    assert_eq!(facts(&clone).upstream.expect("an upstream").distance, Some(wanted));
    // A clone that ends somewhere.
    let url = format!("file://{}", origin.path.display());
    git(folder.path(), &["clone", "--quiet", "--depth=2", &url, "shallow"]);
    let shallow = folder.path().join("shallow");
    git(&shallow, &["commit", "--quiet", "--allow-empty", "--message", "more"]);
    let distance = facts(&shallow).upstream.expect("an upstream").distance;
    assert_eq!(distance, Some(Distance { ahead: 1, behind: 0, is_complete: true }));
    // A branch that follows one of this repository, and one whose upstream is gone.
    git(&clone, &["checkout", "--quiet", "-b", "local", "--track", "main"]);
    git(&clone, &["commit", "--quiet", "--allow-empty", "--message", "local"]);
    let upstream = facts(&clone).upstream.expect("an upstream");
    assert_eq!((upstream.remote.as_str(), upstream.tracking.as_deref()), (".", Some("main")));
    assert_eq!(upstream.distance.map(|distance| distance.ahead), Some(1));
    git(&clone, &["checkout", "--quiet", "main"]);
    git(&clone, &["update-ref", "-d", "refs/remotes/origin/main"]);
    let upstream = facts(&clone).upstream.expect("an upstream");
    assert_eq!((upstream.branch.as_str(), upstream.distance), ("main", None));
}

#[test]
fn remotes_have_addresses_without_secrets_and_lead_to_forges() {
    let repo = Repo::new();
    repo.git(&["remote", "add", "origin", "https://user:secret@github.com/owner/my.name.git"]);
    repo.git(&["remote", "add", "work", "git@ghe.example.org:team/app.git"]);
    repo.git(&["remote", "add", "there", "/srv/git"]);
    let found = repo.facts();
    assert!(!format!("{found:?}").contains("secret"), "{found:?}");
    let names: Vec<_> = found.remotes.iter().map(|remote| (remote.name.as_str(), remote.url.as_str())).collect();
    let wanted = [
        ("origin", "https://github.com/owner/my.name.git"),
        ("there", "/srv/git"),
        ("work", "git@ghe.example.org:team/app.git"),
    ];
    assert_eq!(names, wanted);
    assert_eq!(found.forge.map(|forge| forge.slug()).as_deref(), Some("owner/my.name"));
    // The remote of the upstream comes before `origin`.
    repo.git(&["config", "branch.main.remote", "work"]);
    repo.git(&["config", "branch.main.merge", "refs/heads/main"]);
    let forge = repo.facts().forge.expect("a forge");
    assert_eq!((forge.host.as_str(), forge.slug().as_str()), ("ghe.example.org", "team/app"));
    // As git rewrites it.
    repo.git(&["config", "url.https://token@github.com/.insteadOf", "gh:"]);
    repo.git(&["remote", "add", "short", "gh:a/b"]);
    let found = repo.facts();
    let short = found.remotes.iter().find(|remote| remote.name == "short").expect("a remote");
    assert_eq!(short.url, "https://github.com/a/b");
}

#[test]
fn what_has_begun_is_known() {
    let repo = Repo::new();
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("a", "other\n");
    repo.commit("other");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("a", "main\n");
    repo.commit("main");
    let cases: [(&[&str], &[&str], Operation); 4] = [
        (&["merge", "other"], &["merge", "--abort"], Operation::Merge),
        (&["rebase", "other"], &["rebase", "--abort"], Operation::Rebase),
        (&["cherry-pick", "other"], &["cherry-pick", "--abort"], Operation::CherryPick),
        (&["revert", "--no-edit", "HEAD~1"], &["revert", "--abort"], Operation::Revert),
    ];
    for (begin, end, operation) in cases {
        assert!(!try_git(&repo.path, begin).status.success(), "{begin:?}");
        assert_eq!(open_operation(&repo), Some(operation));
        repo.git(end);
        assert_eq!(open_operation(&repo), None);
    }
    repo.git(&["bisect", "start"]);
    assert_eq!(open_operation(&repo), Some(Operation::Bisect));
}

fn open_operation(repo: &Repo) -> Option<Operation> {
    repo.open().facts(&Stop::default()).operation
}

#[test]
fn names_come_the_newest_first_and_not_without_end() {
    let repo = Repo::empty();
    for (number, name) in ["old", "newest", "middle"].iter().enumerate() {
        let seconds = [1_000_000_000, 1_500_000_000, 1_200_000_000][number];
        repo.git(&["checkout", "--quiet", "--orphan", name]);
        repo.commit_at(name, seconds);
        repo.git(&["tag", &format!("light-{name}")]);
        repo.git(&["update-ref", &format!("refs/remotes/origin/{name}"), "HEAD"]);
    }
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/newest"]);
    repo.git(&["tag", "--annotate", "--message", "x", "made-now", "old"]);
    let found = repo.facts();
    assert_eq!(found.branches.names, ["newest", "middle", "old"]);
    assert_eq!(found.remote_branches.names, ["origin/newest", "origin/middle", "origin/old"]);
    assert_eq!(found.tags.names, ["made-now", "light-newest", "light-middle", "light-old"]);
    assert_eq!(found.default_branch.map(|branch| branch.name).as_deref(), Some("newest"));
    repo.git(&["pack-refs", "--all"]);
    assert_eq!(repo.facts().branches.names, ["newest", "middle", "old"]);
    let few = tau_git::Limits { names: 2, ..limits() };
    let repository = Repository::of(&repo.path, few).expect("it can be read").expect("a repository");
    let found = repository.facts(&Stop::default());
    assert_eq!(found.branches.names, ["newest", "middle"]);
    assert!(!found.branches.is_complete);
}
