//! Single questions.

use std::path::PathBuf;

use tau_git::{GitError, Scope, Stop};

use crate::support::{Repo, git};

#[test]
fn what_is_ignored_is_what_git_ignores() {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n!kept.log\n/root-only\nfolder/\ndeep/**/x\n\\#file\n");
    repo.write("sub/.gitignore", "inner\n");
    repo.write(".git/info/exclude", "excluded\n");
    repo.write("tracked.log", "x");
    repo.git(&["add", "--force", "tracked.log"]);
    repo.commit("rules");
    repo.write("folder/file", "x");
    let paths = [
        "a",
        "x.log",
        "kept.log",
        "sub/kept.log",
        "root-only",
        "sub/root-only",
        "folder/file",
        "folder/",
        "deep/a/b/x",
        "sub/inner",
        "inner",
        "excluded",
        "tracked.log",
        "not/there.log",
        "#file",
        "./x.log",
        "sub/../x.log",
    ];
    let found = repo.open().are_ignored(&paths).expect("an answer");
    for (path, is_ignored) in paths.iter().zip(found) {
        let wanted = crate::support::try_git(&repo.path, &["check-ignore", "--quiet", path]).status.success();
        assert_eq!(is_ignored, wanted, "{path}");
    }
    assert_eq!(repo.open().are_ignored(&[repo.path.join("y.log")]), Ok(vec![true]));
    let outside = repo.open().are_ignored(&["../x"]).expect_err("a path outside");
    assert!(matches!(outside, GitError::Outside { .. }), "{outside}");
    let bare = Repo::with(&["--bare"]);
    assert!(matches!(bare.open().are_ignored(&["x"]), Err(GitError::Bare { .. })));
}

#[test]
fn histories_are_compared() {
    let repo = Repo::new();
    let base = repo.commit("base");
    repo.git(&["checkout", "--quiet", "-b", "side"]);
    repo.write("side", "x");
    repo.commit("side");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.commit("main");
    let repository = repo.open();
    assert_eq!(repository.merge_base("main", "side"), Ok(Some(base.clone())));
    assert_eq!(repository.is_merged("side", "main"), Ok(false));
    assert_eq!(repository.is_merged(&base, "main"), Ok(true));
    repo.git(&["merge", "--quiet", "--message", "x", "side"]);
    let repository = repo.open();
    assert_eq!(repository.is_merged("side", "main"), Ok(true));
    assert_eq!(repository.commit("main~2"), Ok(base));
    repo.git(&["checkout", "--quiet", "--orphan", "alone"]);
    repo.commit("alone");
    assert_eq!(repo.open().merge_base("alone", "main"), Ok(None));
    let error = repo.open().merge_base("alone", "missing").expect_err("no such branch");
    assert!(matches!(error, GitError::NoCommit { .. }), "{error}");
}

#[test]
fn files_that_changed_since_a_branch_began_are_found() {
    let repo = Repo::new();
    repo.write("b", "x");
    repo.write("c", "x");
    repo.commit("base");
    repo.git(&["checkout", "--quiet", "-b", "side"]);
    repo.write("b", "committed");
    repo.commit("side");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("a", "of main alone");
    repo.commit("main");
    repo.git(&["checkout", "--quiet", "side"]);
    repo.write("staged", "x");
    repo.git(&["add", "staged"]);
    repo.write("c", "changed");
    repo.write("new/one", "x");
    repo.write("new/two", "x");
    let names = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    let found = repo.open().changed_files_since("main", 100, &Stop::default());
    assert_eq!(found, Ok((names(&["b", "c", "new/one", "new/two", "staged"]), true)));
    let (few, is_all) = repo.open().changed_files_since("main", 2, &Stop::default()).expect("files");
    assert!(few.len() == 2 && !is_all, "{few:?}");
}

#[test]
fn settings_say_where_they_come_from() {
    let repo = Repo::new();
    repo.git(&["config", "alias.st", "status --short"]);
    repo.git(&["config", "alias.Go", "!touch ran"]);
    repo.git(&["config", "demo.key", "one"]);
    repo.git(&["config", "--add", "demo.key", "two"]);
    repo.git(&["config", "filter.x.clean", "touch ran"]);
    let repository = repo.open();
    let aliases: Vec<_> = repository.aliases().into_iter().map(|alias| (alias.name, alias.stands_for.value)).collect();
    let wanted = [("go", "!touch ran"), ("st", "status --short")];
    assert_eq!(aliases, wanted.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let value = repository.setting("demo.key").expect("a value");
    assert_eq!((value.value.as_str(), value.scope), ("two", Scope::Repository));
    assert_eq!(value.file, Some(repo.path.join(".git/config")));
    assert_eq!(repository.setting("filter.x.clean").map(|value| value.value).as_deref(), Some("touch ran"));
    assert_eq!(repository.setting("demo.other"), None);
    for nonsense in ["nonsense", "", ".", "..", "a.", ".b", "a b.c", "demo.key.", "demo..key", "\u{0}.\n"] {
        assert_eq!(repository.setting(nonsense), None, "{nonsense}");
    }
    git(&repo.path, &["config", "extensions.worktreeConfig", "true"]);
    git(&repo.path, &["config", "--worktree", "demo.key", "three"]);
    assert_eq!(repo.open().setting("demo.key").map(|value| value.scope), Some(Scope::WorkTree));
}

#[test]
fn files_have_the_line_where_they_begin_to_differ() {
    let repo = Repo::new();
    let many = (1..=20).map(|number| format!("{number}\n")).collect::<String>();
    for name in ["same", "changed", "committed", "gone", "link", "sub/deep"] {
        repo.write(name, &many);
    }
    repo.commit("base");
    repo.git(&["checkout", "--quiet", "-b", "side"]);
    repo.write("committed", &many.replace("\n7\n", "\nseven\n"));
    repo.commit("side");
    repo.write("changed", &many.replace("\n12\n", "\n"));
    repo.write("sub/deep", &format!("{many}21\n"));
    repo.write("new", "x\n");
    repo.remove("gone");
    repo.remove("link");
    std::os::unix::fs::symlink("/dev/zero", repo.path.join("link")).expect("a link");
    let names = ["same", "changed", "committed", "gone", "link", "sub/deep", "new", "sub"].map(PathBuf::from);
    let lines = repo.open().first_changed_lines("main", &names, &Stop::default());
    assert_eq!(lines, Ok(vec![Some(20), Some(12), Some(7), None, None, Some(21), Some(1), None]));
    let stop = Stop::default();
    stop.stop();
    assert_eq!(repo.open().first_changed_lines("main", &names[1..2], &stop), Ok(vec![None]));
    let error = repo.open().first_changed_lines("nothing", &names, &Stop::default()).expect_err("no such commit");
    assert!(matches!(error, GitError::NoCommit { .. }), "{error}");
}
