//! The counts are those of `git status`.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use tau_git::{Limits, Repository, Stop};

use crate::support::{Repo, limits, status};

#[test]
fn every_kind_of_change_is_counted_where_it_is() {
    let repo = Repo::empty();
    for name in ["kept", "changed", "gone", "moved", "mode", "both", "type", "staged-gone"] {
        repo.write(name, &format!("{name}\n{}", "a line that is long enough\n".repeat(5)));
    }
    repo.write(".gitignore", "*.log\nbuild/\n");
    repo.commit("first");
    assert!(repo.status().is_clean());
    repo.write("added", "x");
    repo.write("both", "staged");
    repo.git(&["mv", "moved", "elsewhere"]);
    repo.git(&["rm", "--quiet", "staged-gone"]);
    repo.git(&["add", "added", "both"]);
    repo.write("both", "and more");
    repo.write("changed", "other");
    repo.remove("gone");
    fs::set_permissions(repo.path.join("mode"), fs::Permissions::from_mode(0o755)).expect("permissions");
    repo.remove("type");
    symlink("kept", repo.path.join("type")).expect("a link");
    repo.write("new/one", "");
    repo.write("new/two", "");
    repo.write("x.log", "");
    repo.write("build/x", "");
    repo.write("intended", "x");
    repo.git(&["add", "--intent-to-add", "intended"]);
    let status = repo.status();
    assert_eq!(status, repo.wanted());
    assert_eq!((status.staged.added, status.staged.renamed, status.unstaged.modified), (1, 1, 4), "{status:?}");
    assert_eq!((status.untracked, status.unstaged.added, status.unstaged.deleted), (1, 1, 1), "{status:?}");
    // Also from a folder below the root, and as the user has set git up.
    assert_eq!(crate::support::status(&repo.path.join("new")), Ok(Some(status)));
    for (key, value) in [
        ("status.showUntrackedFiles", "all"),
        ("status.showUntrackedFiles", "no"),
        ("status.renames", "false"),
        ("core.fileMode", "false"),
        ("core.ignoreCase", "true"),
    ] {
        repo.git(&["config", key, value]);
        assert_eq!(repo.status(), repo.wanted(), "{key}={value}");
    }
}

#[test]
fn what_a_merge_cannot_decide_is_conflicted() {
    let repo = Repo::new();
    repo.write("gone", "x\n");
    repo.commit("more");
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("a", "other\n");
    repo.write("gone", "other\n");
    repo.write("both", "other\n");
    repo.commit("other");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("a", "main\n");
    repo.write("both", "main\n");
    repo.remove("gone");
    repo.commit("main");
    crate::support::try_git(&repo.path, &["merge", "other"]);
    assert_eq!(repo.status(), repo.wanted());
    assert_eq!(repo.status().conflicted, 3);
    assert_eq!(repo.facts().operation, Some(tau_git::Operation::Merge));
}

#[test]
fn names_that_are_no_text_are_counted() {
    let repo = Repo::new();
    fs::write(repo.path.join(std::ffi::OsStr::from_bytes(b"\xff\xfe")), "x").expect("a file");
    repo.write("line\nfeed", "x");
    assert_eq!(repo.status(), repo.wanted());
    repo.commit("strange");
    fs::write(repo.path.join(std::ffi::OsStr::from_bytes(b"\xff\xfe")), "yy").expect("a file");
    assert_eq!(repo.status(), repo.wanted());
    assert_eq!(repo.status().unstaged.modified, 1);
}

#[test]
fn before_the_first_commit_everything_staged_is_new() {
    let repo = Repo::empty();
    assert_eq!(repo.status(), repo.wanted());
    repo.write("a", "x");
    repo.write("b", "x");
    repo.git(&["add", "a"]);
    assert_eq!(repo.status(), repo.wanted());
    assert_eq!((repo.status().staged.added, repo.status().untracked), (1, 1));
}

#[test]
fn many_untracked_files_are_counted_up_to_a_limit() {
    let repo = Repo::new();
    for number in 0..10_000 {
        fs::write(repo.path.join(format!("file-{number}")), "").expect("a file");
    }
    repo.write("a", "changed\n");
    let status = repo.status();
    assert!(!status.is_complete && status.untracked == Limits::default().untracked, "{status:?}");
    assert_eq!(status.unstaged.modified, 1, "what is tracked is counted all the same");
    let many = Limits { untracked: 20_000, ..limits() };
    let repository = Repository::of(&repo.path, many).expect("it can be read").expect("a repository");
    let status = repository.status(&Stop::default()).expect("a status").expect("a work tree");
    assert!(status.is_complete && status.untracked == 10_000, "{status:?}");
    // What is stopped says so.
    let stop = Stop::default();
    stop.stop();
    let status = repository.status(&stop).expect("a status").expect("a work tree");
    assert!(!status.is_complete, "{status:?}");
}

#[test]
fn of_a_submodule_its_commit_counts() {
    let inner = Repo::new();
    let repo = Repo::new();
    let url = inner.path.display().to_string();
    repo.git(&["submodule", "--quiet", "add", &url, "sub"]);
    repo.commit("with a submodule");
    assert_eq!(repo.status(), repo.wanted());
    repo.write("sub/a", "changed\n");
    assert!(repo.status().is_clean(), "its files are not looked at");
    crate::support::git(&repo.path.join("sub"), &["commit", "--quiet", "--all", "--message", "x"]);
    assert_eq!(repo.status(), repo.wanted());
    assert_eq!(repo.status().unstaged.modified, 1);
    // One that is not checked out is as it should be.
    repo.git(&["submodule", "--quiet", "deinit", "--force", "sub"]);
    assert_eq!(repo.status(), repo.wanted());
}

#[test]
fn sparse_work_trees_lack_nothing() {
    let repo = Repo::new();
    for folder in ["kept", "left"] {
        repo.write(&format!("{folder}/file"), "x");
    }
    repo.commit("folders");
    repo.git(&["sparse-checkout", "set", "--no-sparse-index", "kept"]);
    assert!(!repo.path.join("left").exists());
    assert_eq!(repo.status(), repo.wanted());
    assert!(repo.status().is_clean());
    // An index with folders in it cannot be read, and says so.
    repo.git(&["sparse-checkout", "set", "--sparse-index", "kept"]);
    let error = status(&repo.path).expect_err("an index with folders").to_string();
    assert!(error.contains("index.sparse"), "{error}");
}

#[test]
fn line_endings_are_compared_as_git_does() {
    let repo = Repo::empty();
    repo.write(".gitattributes", "*.txt text\n*.crlf text eol=crlf\n*.id ident\n");
    repo.write("a.txt", "one\ntwo\n");
    repo.write("b.crlf", "one\ntwo\n");
    repo.write("c.id", "$Id$\n");
    repo.commit("first");
    repo.write("a.txt", "one\r\ntwo\r\n");
    repo.write("b.crlf", "one\r\ntwo\r\n");
    assert_eq!(repo.status(), repo.wanted());
    repo.write("a.txt", "one\r\nthree\r\n");
    assert_eq!(repo.status(), repo.wanted());
}

#[test]
fn a_folder_whose_tracked_files_are_gone_is_no_untracked_folder() {
    let repo = Repo::new();
    repo.write("dir/known", "x");
    repo.write("dir/sub/known", "x");
    repo.commit("more");
    repo.remove("dir/known");
    repo.remove("dir/sub/known");
    for new in ["dir/new", "dir/other", "dir/deep/one", "dir/deep/two", "dir/sub/new"] {
        repo.write(new, "x");
    }
    assert_eq!(repo.status(), repo.wanted());
    assert_eq!(repo.status().untracked, 4);
}

#[test]
fn a_folder_that_cannot_be_read_hides_nothing_that_is_tracked() {
    let repo = Repo::new();
    repo.write("a", "changed\n");
    // Longer than any path may be: it can be made from inside, and not be named from outside.
    let name = "n".repeat(250);
    let mode = rustix::fs::Mode::from_raw_mode(0o700);
    let mut folder = fs::File::open(&repo.path).expect("a folder");
    for _ in 0..20 {
        rustix::fs::mkdirat(&folder, &name, mode).expect("a folder");
        let flags = rustix::fs::OFlags::DIRECTORY;
        folder = rustix::fs::openat(&folder, &name, flags, mode).expect("a folder").into();
    }
    let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
    rustix::fs::openat(&folder, "file", flags, mode).expect("a file");
    let status = repo.status();
    assert_eq!(status.unstaged, repo.wanted().unstaged);
    assert!(!status.is_complete, "{status:?}");
}

#[test]
fn folders_as_deep_as_can_be_are_walked() {
    let repo = Repo::new();
    // Removing them takes a descriptor for each, and there are not that many.
    let nofile = rustix::process::Resource::Nofile;
    let most = rustix::process::getrlimit(nofile).maximum;
    rustix::process::setrlimit(nofile, rustix::process::Rlimit { current: most, maximum: most }).expect("a limit");
    let depth = (4_000 - repo.path.as_os_str().len()) / 2;
    let deep = repo.path.join("d/".repeat(depth));
    fs::create_dir_all(&deep).expect("folders");
    fs::write(deep.join("file"), "").expect("a file");
    assert_eq!(repo.status().untracked, 1);
    repo.git(&["config", "status.showUntrackedFiles", "all"]);
    assert_eq!(repo.status().untracked, 1);
}
