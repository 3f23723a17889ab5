//! Repositories that are broken or unknown: whatever it is, it is said, and nothing ends in a panic.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tau_git::{GitError, Head, Repository, Stop};

use crate::support::{Repo, limits, status, try_git};

/// Asks everything; only that it comes back counts.
fn ask_everything(folder: &Path) {
    let Ok(Some(repository)) = Repository::of(folder, limits()) else { return };
    let stop = Stop::default();
    for problem in repository.facts(&stop).problems {
        assert!(!problem.to_string().contains('\n'), "{problem}");
    }
    let _status = repository.status(&stop);
    let _base = repository.merge_base("HEAD", "main");
    let _files = repository.changed_files_since("main", 10, &Stop::default());
    let _ignored = repository.are_ignored(&["a", "b/c"]);
    repository.aliases();
}

#[test]
fn a_head_that_says_nothing_is_a_problem_that_is_named() {
    let repo = Repo::new();
    for head in ["", "nonsense", "ref: ", "ref: refs/heads/../../x", "0123"] {
        fs::write(repo.path.join(".git/HEAD"), head).expect("a file");
        match Repository::of(&repo.path, limits()) {
            Err(error) => assert!(error.to_string().contains(".git"), "{error}"),
            Ok(Some(repository)) => {
                let facts = repository.facts(&Stop::default());
                assert!(!facts.problems.is_empty() && facts.head == Head::Unknown, "{head:?}: {facts:?}");
            }
            Ok(None) => panic!("{head:?}"),
        }
        ask_everything(&repo.path);
    }
}

#[test]
fn an_index_that_is_cut_is_named_and_everything_else_holds() {
    let repo = Repo::new();
    let index = fs::read(repo.path.join(".git/index")).expect("a file");
    for length in [0, 4, 12, 40, index.len() - 5] {
        fs::write(repo.path.join(".git/index"), &index[..length]).expect("a file");
        assert_eq!(repo.facts().head, Head::Branch("main".into()));
        let error = status(&repo.path).expect_err("an index that is cut").to_string();
        assert!(error.contains("the index") || error.contains("staged"), "{length}: {error}");
    }
    fs::remove_file(repo.path.join(".git/index")).expect("a file");
    assert_eq!(repo.status(), repo.wanted(), "without one, nothing is staged");
}

#[test]
fn objects_that_are_missing_are_named() {
    let repo = Repo::new();
    repo.write("a", "two\n");
    repo.commit("second");
    fs::remove_dir_all(repo.path.join(".git/objects")).expect("a folder");
    fs::create_dir(repo.path.join(".git/objects")).expect("a folder");
    let facts = repo.open().facts(&Stop::default());
    assert_eq!(facts.head, Head::Branch("main".into()));
    assert!(!facts.problems.is_empty());
    assert!(matches!(status(&repo.path), Err(GitError::Read { .. })));
    ask_everything(&repo.path);
}

#[test]
fn what_cannot_be_read_is_said_and_not_read_wrongly() {
    let tables = Repo::with(&["--ref-format=reftable"]);
    let error = Repository::of(&tables.path, limits()).err().expect("tables").to_string();
    assert!(error.contains("reftable"), "{error}");
    let future = Repo::new();
    future.git(&["config", "core.repositoryFormatVersion", "1"]);
    future.git(&["config", "extensions.ofTheFuture", "true"]);
    let error = Repository::of(&future.path, limits()).err().expect("an extension").to_string();
    assert!(error.to_lowercase().contains("ofthefuture"), "{error}");
    let newer = Repo::new();
    newer.git(&["config", "core.repositoryFormatVersion", "7"]);
    let error = Repository::of(&newer.path, limits()).err().expect("a version").to_string();
    assert!(error.contains('7'), "{error}");
}

#[test]
fn repositories_with_longer_ids_are_read() {
    let repo = Repo::with(&["--object-format=sha256"]);
    repo.write("a", "one\n");
    let id = repo.commit("first");
    repo.write("b", "two\n");
    assert_eq!(id.len(), 64);
    assert_eq!(repo.facts().commit, Some(id));
    assert_eq!(repo.status(), repo.wanted());
}

#[test]
fn settings_that_cannot_be_read_are_a_state() {
    let repo = Repo::new();
    fs::write(repo.path.join(".git/config"), "[core\nnonsense").expect("a file");
    assert!(!try_git(&repo.path, &["status"]).status.success());
    if let Err(error) = Repository::of(&repo.path, limits()) {
        assert!(matches!(error, GitError::Open { .. }), "{error}");
    }
    ask_everything(&repo.path);
}

/// The files of git that are read.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            if !path.ends_with("hooks") {
                files(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever becomes of any file of git, questions come back.
    #[test]
    fn any_damage_is_survived(which: prop::sample::Index, at: prop::sample::Index, bytes: [u8; 3], cut: bool) {
        let repo = Repo::new();
        repo.write("b/c", "x");
        repo.commit("more");
        repo.git(&["tag", "--annotate", "--message", "x", "t"]);
        repo.git(&["gc", "--quiet"]);
        repo.commit("loose");
        let mut found = Vec::new();
        files(&repo.path.join(".git"), &mut found);
        let path = &found[which.index(found.len())];
        let mut content = fs::read(path).expect("a file");
        if !content.is_empty() {
            let at = at.index(content.len());
            if cut {
                content.truncate(at);
            } else {
                content.splice(at..(at + 1), bytes);
            }
        }
        fs::remove_file(path).expect("a file");
        fs::write(path, content).expect("a file");
        ask_everything(&repo.path);
    }
}
