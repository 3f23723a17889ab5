//! Repositories to look at.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tau_git::{Changes, Facts, GitError, Limits, Repository, Status, Stop};
use tempfile::TempDir;

/// A folder with a repository.
pub struct Repo {
    _folder: TempDir,
    pub path: PathBuf,
}

/// Without the user's settings.
pub fn limits() -> Limits {
    Limits { user_settings: false, ..Limits::default() }
}

/// The git program without the user's settings and without variables that name a repository.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
        command.env(name, "t");
    }
    for name in ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"] {
        command.env(name, "t@example.org");
    }
    for setting in ["init.defaultBranch=main", "protocol.file.allow=always", "commit.gpgSign=false"] {
        command.args(["-c", setting]);
    }
    command
}

/// What git says, whether it fails or not.
pub fn try_git<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Output {
    command(folder).args(arguments).output().expect("git runs")
}

/// What git says.
pub fn git<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> String {
    let output = try_git(folder, arguments);
    let said: Vec<_> = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect();
    assert!(output.status.success(), "{said:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

impl Repo {
    /// One without commits.
    pub fn empty() -> Self {
        Self::with(&[])
    }

    /// One that is made with these options.
    pub fn with(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // As git names it.
        let path = fs::canonicalize(folder.path()).expect("a path");
        git(&path, &[&["init", "--quiet"], options, &["."]].concat());
        Self { _folder: folder, path }
    }

    /// One with a commit of the file `a`.
    pub fn new() -> Self {
        let repo = Self::empty();
        repo.write("a", "one\n");
        repo.commit("first");
        repo
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.path, arguments)
    }

    pub fn write(&self, path: &str, content: &str) {
        let path = self.path.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.path.join(path)).expect("a file");
    }

    /// Commits everything; returns the commit.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// As [`Repo::commit`], at a time.
    pub fn commit_at(&self, message: &str, seconds: u32) {
        self.git(&["add", "--all"]);
        let mut command = command(&self.path);
        for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            command.env(name, format!("{seconds} +0000"));
        }
        let output = command.args(["commit", "--quiet", "--allow-empty", "--message", message]).output();
        assert!(output.expect("git runs").status.success());
    }

    pub fn open(&self) -> Repository {
        open(&self.path)
    }

    pub fn facts(&self) -> Facts {
        facts(&self.path)
    }

    pub fn status(&self) -> Status {
        status(&self.path).expect("a status").expect("a work tree")
    }

    /// What git says about the status.
    pub fn wanted(&self) -> Status {
        wanted(&self.path)
    }
}

pub fn open(folder: &Path) -> Repository {
    Repository::of(folder, limits()).expect("it can be read").expect("a repository")
}

/// Facts without anything wrong in them.
pub fn facts(folder: &Path) -> Facts {
    let facts = open(folder).facts(&Stop::default());
    assert_eq!(facts.problems, []);
    facts
}

pub fn status(folder: &Path) -> Result<Option<Status>, GitError> {
    open(folder).status(&Stop::default())
}

/// The counts of `git status`, without looking into submodules.
pub fn wanted(folder: &Path) -> Status {
    let said = try_git(folder, &["status", "--porcelain=v2", "-z", "--ignore-submodules=dirty"]);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let mut status = Status { is_complete: true, ..Status::default() };
    let mut records = said.stdout.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    while let Some(record) = records.next() {
        match record[0] {
            b'1' | b'2' => {
                count(&mut status.staged, record[2]);
                match record[3] {
                    // With `git add --intent-to-add` files have other names in the work tree too: here they are two.
                    b'R' => ["D", "A"].iter().for_each(|two| count(&mut status.unstaged, two.as_bytes()[0])),
                    letter => count(&mut status.unstaged, letter),
                }
            }
            b'u' => status.conflicted += 1,
            b'?' => status.untracked += 1,
            other => panic!("{other}"),
        }
        if record[0] == b'2' {
            // The old name.
            records.next();
        }
    }
    status
}

fn count(changes: &mut Changes, letter: u8) {
    match letter {
        b'.' => {}
        b'A' | b'C' => changes.added += 1,
        b'M' | b'T' => changes.modified += 1,
        b'D' => changes.deleted += 1,
        b'R' => changes.renamed += 1,
        other => panic!("{other}"),
    }
}
