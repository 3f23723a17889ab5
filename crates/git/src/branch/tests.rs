use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use super::head::{branch, git_folder_above};
use super::*;
use tau_sys::watch::is_windows_drive;

/// A folder with git's own files in it, as far as they matter.
fn repository(head: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(dir.path().join(".git")).expect("a folder");
    fs::create_dir_all(dir.path().join("src/deep")).expect("a folder");
    fs::write(dir.path().join(".git/HEAD"), head).expect("a file");
    dir
}

fn read(folder: &Path) -> Option<Branch> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    git_folder_above(folder).and_then(|git| runtime.block_on(branch(&git, folder)))
}

fn named(name: &str) -> Option<Branch> {
    Some(Branch::Named(name.to_owned()))
}

/// Runs git without the user's settings.
fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(arguments);
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = tau_sys::process::output(command).expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn watch(folder: &Path) -> (BranchWatch, Receiver<Option<Branch>>) {
    let (sender, receiver) = channel();
    let watch = BranchWatch::start(folder.to_owned(), move |branch| sender.send(branch).unwrap_or_default());
    (watch, receiver)
}

/// As git writes it: beside it, then in its place.
fn set_head(git: &Path, head: &str) {
    fs::write(git.join("HEAD.lock"), head).expect("a file");
    fs::rename(git.join("HEAD.lock"), git.join("HEAD")).expect("the file is replaced");
}

#[test]
fn the_branch_is_read_from_any_folder_of_the_work_tree() {
    let dir = repository("ref: refs/heads/feature/x\n");
    assert_eq!(read(dir.path()), named("feature/x"));
    assert_eq!(read(&dir.path().join("src/deep")), named("feature/x"));
    assert_eq!(read(tempfile::tempdir().expect("a folder").path()), None);
}

#[test]
fn a_head_on_a_commit_is_detached_and_nonsense_is_nothing() {
    for commit in ["0123456789abcdef0123456789abcdef01234567\n", &format!("{}\n", "ab".repeat(32))] {
        assert_eq!(read(repository(commit).path()), Some(Branch::Detached));
    }
    assert_eq!(Branch::Detached.text(), "detached");
    for head in ["", "nonsense", "ref:", "ref: refs/heads/", "\0\0"] {
        assert_eq!(read(repository(head).path()), None, "{head:?}");
    }
    assert_eq!(read(repository("ref: refs/remotes/x\n").path()), named("refs/remotes/x"));
}

#[test]
fn a_file_named_git_leads_to_the_folder() {
    let dir = repository("ref: refs/heads/main\n");
    let own = dir.path().join(".git/worktrees/other");
    fs::create_dir_all(&own).expect("a folder");
    fs::write(own.join("HEAD"), "ref: refs/heads/other\n").expect("a file");
    let other = dir.path().join("other");
    fs::create_dir_all(&other).expect("a folder");
    for path in [own.display().to_string(), "../.git/worktrees/other".to_owned()] {
        fs::write(other.join(".git"), format!("gitdir: {path}\n")).expect("a file");
        assert_eq!(read(&other), named("other"), "{path}");
    }
    // One that leads nowhere is none: what lies above counts.
    fs::write(other.join(".git"), "gitdir: /missing\n").expect("a file");
    assert_eq!(read(&other), named("main"));
}

#[test]
fn a_head_that_is_a_link_names_its_branch() {
    let dir = repository("");
    fs::remove_file(dir.path().join(".git/HEAD")).expect("the file is there");
    std::os::unix::fs::symlink("refs/heads/old", dir.path().join(".git/HEAD")).expect("a link");
    assert_eq!(read(dir.path()), named("old"));
}

#[test]
fn a_name_is_shown_without_what_a_terminal_obeys_and_not_at_any_length() {
    let dir = repository("ref: refs/heads/a\x1b]0;x\x07b\u{202e}c\tdone\n");
    assert_eq!(read(dir.path()), named("abc done"));
    let dir = repository(&format!("ref: refs/heads/{}\n", "x".repeat(5000)));
    assert_eq!(read(dir.path()).map(|branch| branch.text().len()), Some(200));
}

#[test]
fn where_branches_are_in_tables_git_is_asked() {
    let dir = tempfile::tempdir().expect("a folder");
    git(dir.path(), &["init", "--quiet", "--ref-format=reftable", "--initial-branch=tabled", "."]);
    assert_eq!(read(dir.path()), named("tabled"));
    git(dir.path(), &["commit", "--quiet", "--allow-empty", "--message=one"]);
    git(dir.path(), &["checkout", "--quiet", "--detach"]);
    assert_eq!(read(dir.path()), Some(Branch::Detached));
    let (_watch, told) = watch(dir.path());
    assert_eq!(told.recv(), Ok(Some(Branch::Detached)));
    git(dir.path(), &["checkout", "--quiet", "-b", "next"]);
    assert_eq!(told.recv(), Ok(named("next")));
}

#[test]
fn only_another_branch_is_told() {
    let dir = repository("ref: refs/heads/main\n");
    let git = dir.path().join(".git");
    let (_watch, told) = watch(&dir.path().join("src"));
    assert_eq!(told.recv(), Ok(named("main")));
    // The same again, and other files of git.
    set_head(&git, "ref: refs/heads/main\n");
    fs::write(git.join("index"), "x").expect("a file");
    set_head(&git, "ref: refs/heads/other\n");
    assert_eq!(told.recv(), Ok(named("other")));
    // A file that is written in place.
    fs::write(git.join("HEAD"), "0123456789abcdef0123456789abcdef01234567\n").expect("a file");
    assert_eq!(told.recv(), Ok(Some(Branch::Detached)));
}

#[test]
fn git_may_come_go_and_come_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let (_watch, told) = watch(dir.path());
    assert_eq!(told.recv(), Ok(None));
    git(dir.path(), &["init", "--quiet", "--initial-branch=first", "."]);
    assert_eq!(told.recv(), Ok(named("first")));
    fs::remove_dir_all(dir.path().join(".git")).expect("the folder is there");
    assert_eq!(told.recv(), Ok(None));
    git(dir.path(), &["init", "--quiet", "--initial-branch=second", "."]);
    assert_eq!(told.recv(), Ok(named("second")));
}

#[test]
fn a_folder_of_git_that_is_made_again_at_once_is_still_watched() {
    let dir = repository("ref: refs/heads/main\n");
    let git = dir.path().join(".git");
    let (_watch, told) = watch(dir.path());
    assert_eq!(told.recv(), Ok(named("main")));
    fs::rename(&git, dir.path().join("old")).expect("the folder is moved");
    fs::create_dir(&git).expect("a folder");
    fs::write(git.join("HEAD"), "ref: refs/heads/again\n").expect("a file");
    assert_eq!(told.recv(), Ok(named("again")));
    set_head(&git, "ref: refs/heads/more\n");
    assert_eq!(told.recv(), Ok(named("more")));
}

#[test]
fn where_the_system_reports_nothing_the_branch_is_polled() {
    let dir = repository("ref: refs/heads/main\n");
    let pace = Pace { polls: true, poll: Duration::from_millis(20), settled: Duration::from_millis(1) };
    let (sender, told) = channel();
    let report = move |branch| sender.send(branch).unwrap_or_default();
    let _watch = BranchWatch::with(dir.path().to_owned(), pace, report);
    assert_eq!(told.recv(), Ok(named("main")));
    set_head(&dir.path().join(".git"), "ref: refs/heads/other\n");
    assert_eq!(told.recv(), Ok(named("other")));
    // A folder that is not there cannot be watched, and may come.
    let missing = dir.path().join("missing");
    let (sender, told) = channel();
    let report = move |branch| sender.send(branch).unwrap_or_default();
    let _other = BranchWatch::with(missing.clone(), Pace { polls: false, ..pace }, report);
    assert_eq!(told.recv(), Ok(named("other")), "the folder above counts");
    fs::create_dir_all(missing.join(".git")).expect("a folder");
    fs::write(missing.join(".git/HEAD"), "ref: refs/heads/inner\n").expect("a file");
    set_head(&dir.path().join(".git"), "ref: refs/heads/third\n");
    assert_eq!(told.recv(), Ok(named("inner")));
}

#[test]
fn nothing_is_told_after_the_watch_is_dropped() {
    let dir = repository("ref: refs/heads/main\n");
    let (watch, told) = watch(dir.path());
    assert_eq!(told.recv(), Ok(named("main")));
    drop(watch);
    set_head(&dir.path().join(".git"), "ref: refs/heads/other\n");
    // The thread ends, and with it the function that tells.
    assert!(told.recv().is_err());
}

#[test]
fn drives_of_windows_are_known() {
    let cases =
        [("/mnt/c/Users/x", true), ("/mnt/d", true), ("/mnt/data/x", false), ("/home/mnt/c", false), ("mnt/c", false)];
    for (path, is_one) in cases {
        assert_eq!(is_windows_drive(&PathBuf::from(path)), is_one, "{path}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever stands in `HEAD`, the reported name fits in a line.
    #[test]
    fn any_head_is_fine(head in proptest::collection::vec(any::<u8>(), 0..60), is_reference: bool) {
        let dir = repository("");
        let lead: &[u8] = if is_reference { b"ref: refs/heads/" } else { b"" };
        fs::write(dir.path().join(".git/HEAD"), [lead, &head].concat()).expect("a file");
        if let Some(branch) = read(dir.path()) {
            prop_assert!(!branch.text().is_empty() && !branch.text().chars().any(char::is_control));
        }
    }
}
