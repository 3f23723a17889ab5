//! Nothing that a repository names is run, nothing in it is written, and nothing is waited for without end.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tau_git::{Found, GitError, GitFacts, Limits, Stop};

use crate::support::{Repo, limits};

/// A program that leaves a trace, as settings name programs.
fn trap(marks: &Path, name: &str) -> String {
    let path = marks.with_extension(format!("{name}.sh"));
    fs::write(&path, format!("#!/bin/sh\n: > {}/{name}\ncat\n", marks.display())).expect("a file");
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("permissions");
    path.display().to_string()
}

/// Every file below a folder with what would differ if it was written.
fn state(folder: &Path) -> BTreeMap<PathBuf, (u64, u64, i64, i64)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let of = path.symlink_metadata().expect("a file");
            if of.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path, (of.ino(), of.len(), of.mtime(), of.mtime_nsec()));
        }
    }
    found
}

#[test]
fn no_program_that_a_repository_names_is_run_and_nothing_is_written() {
    let traps = tempfile::tempdir().expect("a folder");
    let marks = traps.path().join("marks");
    fs::create_dir(&marks).expect("a folder");
    let inner = Repo::new();
    let repo = Repo::new();
    repo.write("b.txt", "one\n");
    repo.write("c.txt", "one\n");
    repo.git(&["submodule", "--quiet", "add", &inner.path.display().to_string(), "sub"]);
    repo.commit("more");
    let sub = repo.path.join("sub");
    for folder in [&repo.path, &sub] {
        let set = |key: &str, value: &str| crate::support::git(folder, &["config", key, value]);
        for name in ["clean", "smudge", "process", "textconv", "command", "driver"] {
            let section = match name {
                "textconv" | "command" => "diff",
                "driver" => "merge",
                _ => "filter",
            };
            set(&format!("{section}.evil.{name}"), &trap(&marks, name));
        }
        set("filter.evil.required", "true");
        for key in [
            "core.fsmonitor",
            "core.sshCommand",
            "core.askPass",
            "core.editor",
            "core.pager",
            "core.gitProxy",
            "core.alternateRefsCommand",
            "credential.helper",
            "diff.external",
            "gpg.program",
            "alias.status",
            "remote.origin.uploadpack",
            "uploadpack.packObjectsHook",
            "sequence.editor",
            "trailer.x.command",
        ] {
            let name = key.replace('.', "-");
            let value = trap(&marks, &name);
            set(key, &if key.starts_with("alias") { format!("!{value}") } else { value });
        }
        set("core.hooksPath", &traps.path().display().to_string());
        set("core.untrackedCache", "true");
    }
    repo.git(&["config", "remote.origin.url", &format!("ext::{}", trap(&marks, "ext"))]);
    repo.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    repo.git(&["config", "branch.main.remote", "origin"]);
    repo.git(&["config", "branch.main.merge", "refs/heads/main"]);
    repo.write(".git/info/attributes", "* filter=evil diff=evil merge=evil\n");
    repo.write(".git/modules/sub/info/attributes", "* filter=evil diff=evil\n");
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction"] {
        fs::copy(trap(&marks, hook), repo.path.join(".git/hooks").join(hook)).expect("a file");
    }
    // Everything has to be compared: other times, the same size, and another one.
    repo.write("b.txt", "two\n");
    repo.write("c.txt", "another size\n");
    repo.write("sub/a", "two\n");
    crate::support::command(&repo.path).args(["update-index", "--refresh"]).output().expect("git runs");
    assert!(marks.join("clean").exists() || marks.join("process").exists(), "the traps work");
    for mark in fs::read_dir(&marks).expect("a folder") {
        fs::remove_file(mark.expect("an entry").path()).expect("a file");
    }
    let before = state(&repo.path);
    let repository = repo.open();
    let facts = repository.facts(&Stop::default());
    assert_eq!(facts.head.branch(), Some("main"));
    let status = repository.status(&Stop::default()).expect("a status").expect("a work tree");
    // Behind a filter another size is a change, and the same one says nothing.
    assert_eq!(status.unstaged.modified, 1, "{status:?}");
    repository.are_ignored(&["a", "x"]).expect("an answer");
    repository.changed_files_since("HEAD", 100, &Stop::default()).expect("files");
    assert_eq!(repository.merge_base("HEAD", "main").map(|base| base.is_some()), Ok(true));
    crate::support::open(&sub).status(&Stop::default()).expect("a status");
    repository.aliases();
    let ran: Vec<_> = fs::read_dir(&marks).expect("a folder").flatten().map(|mark| mark.file_name()).collect();
    assert!(ran.is_empty(), "{ran:?}");
    assert_eq!(state(&repo.path), before);
}

fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

#[tokio::test]
async fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let repo = Repo::new();
    let ignore = repo.path.join(".gitignore");
    pipe(&ignore);
    let soon = std::time::Duration::from_millis(50);
    let facts = GitFacts::with(&repo.path, Limits { time: soon, patience: soon * 2, ..limits() });
    let mut views = facts.subscribe();
    for _ in 0..3 {
        // Nobody writes to it, so the look does not end, and every question is answered all the same.
        let found = facts.look().await.found.clone();
        assert_eq!(found, Found::Failed(GitError::Stuck { folder: repo.path.clone() }));
    }
    // When it ends after all, what is there is known.
    let other_end = fs::OpenOptions::new().write(true).open(&ignore).expect("somebody reads");
    fs::remove_file(&ignore).expect("a file");
    drop(other_end);
    let view = views.wait_for(|view| view.facts().is_some_and(|facts| facts.status.is_some())).await;
    assert_eq!(view.expect("the owner lives").facts().and_then(|facts| facts.head.branch()), Some("main"));
}

#[test]
fn a_pipe_in_the_place_of_git_is_no_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    pipe(&folder.path().join(".git"));
    assert!(matches!(tau_git::Repository::of(folder.path(), limits()), Ok(None)));
}

#[test]
fn a_repository_of_somebody_else_is_read_and_says_so() {
    let repo = Repo::new();
    let secret = repo.path.with_extension("secret");
    fs::write(&secret, "[alias]\n\tsecret = x\n").expect("a file");
    repo.git(&["config", "include.path", &secret.display().to_string()]);
    repo.git(&["remote", "add", "origin", "git@github.com:a/b"]);
    let user = Limits { user_settings: true, ..limits() };
    let open = || tau_git::Repository::of(&repo.path, user).expect("it can be read").expect("a repository");
    assert!(open().setting("alias.secret").is_some(), "one's own settings include others");
    // Only the superuser can give a folder away.
    if std::os::unix::fs::chown(repo.path.join(".git"), Some(12_345), None).is_err() {
        return;
    }
    let facts = open().facts(&Stop::default());
    assert!(facts.is_foreign && facts.problems.is_empty(), "{facts:?}");
    assert_eq!(facts.forge.map(|forge| forge.slug()).as_deref(), Some("a/b"));
    assert_eq!(open().setting("alias.secret"), None, "another user's settings read no files of this one");
    assert!(open().status(&Stop::default()).expect("a status").is_some());
    // So it is when only the files are another user's.
    let other = Repo::new();
    assert!(!other.facts().is_foreign);
    std::os::unix::fs::chown(&other.path, Some(12_345), None).expect("a folder is given away");
    assert!(other.facts().is_foreign);
    fs::remove_file(secret).expect("a file");
}
