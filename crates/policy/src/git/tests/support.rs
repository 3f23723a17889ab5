//! Repositories, a world, and calls in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use tau_git::{GitError, Limits, Repository};
use tempfile::TempDir;

use crate::argument::Arg;
use crate::evaluation::Reason;
use crate::git::{GitUse, Head, Repositories, Runs, Step, Target, step};
use crate::invocation::{Dir, Invocation, Stdin, Via};
use crate::site::{Site, Span};
use crate::text::{Piece, Source, Text};
use crate::world::{File, Protected, World};

/// A folder on this machine.
pub(super) struct Machine {
    _folder: TempDir,
    /// The folder, without links.
    pub(super) path: PathBuf,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) programs: Vec<String>,
    pub(super) protected: Protected,
    pub(super) merged: BTreeMap<String, u64>,
}

impl Machine {
    /// One without a repository.
    pub(super) fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("a path");
        let (variables, merged) = (BTreeMap::new(), BTreeMap::new());
        Self { _folder: folder, path, variables, programs: Vec::new(), protected: Protected::default(), merged }
    }

    /// One with a repository without commits.
    pub(super) fn unborn(options: &[&str]) -> Self {
        let machine = Self::empty();
        machine.git(&[&["init", "--quiet"], options, &["."]].concat());
        machine
    }

    /// One with a repository and a commit of the file `a`, on `main`.
    pub(super) fn new() -> Self {
        Self::with(&[])
    }

    pub(super) fn with(options: &[&str]) -> Self {
        let machine = Self::unborn(options);
        machine.write("a", "one\n");
        machine.commit("first");
        machine
    }

    /// One whose branch is `work`, made from `main`.
    pub(super) fn on_branch() -> Self {
        let machine = Self::new();
        machine.git(&["checkout", "--quiet", "-b", "work"]);
        machine
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.path, arguments)
    }

    /// The git program without the user's settings and without variables that name a repository.
    pub(super) fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new("git");
        command.current_dir(folder);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command.env("HOME", &self.path).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        for (name, value) in [("NAME", "t"), ("EMAIL", "t@example.org")] {
            command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        command.env("GIT_EDITOR", "true").stdin(Stdio::null());
        command.args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"]);
        command
    }

    pub(super) fn git_in(&self, folder: &Path, arguments: &[&str]) -> String {
        let mut command = self.command(folder);
        let output = command.args(arguments).output().expect("git runs: these tests need the git program");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub(super) fn write(&self, path: &str, content: &str) {
        let path = self.path.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    pub(super) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    /// What one call does.
    pub(super) fn step(&self, words: &[&str]) -> Step {
        self.after(&Repositories::default(), &self.call(words))
    }

    /// What a call does after others.
    pub(super) fn after(&self, state: &Repositories, invocation: &Invocation) -> Step {
        step(invocation, state, self).unwrap_or_else(|| panic!("a call of git: {invocation:?}"))
    }

    /// What the last of some calls does when all before it succeed. Words are separated by blanks.
    pub(super) fn script(&self, calls: &[&str]) -> Step {
        let (last, first) = calls.split_last().expect("a call");
        let words = |call: &str| self.call(&call.split(' ').collect::<Vec<_>>());
        let state =
            first.iter().fold(Repositories::default(), |state, call| self.after(&state, &words(call)).succeeded);
        self.after(&state, &words(last))
    }

    /// A call. A word that starts with `dir=` says where it runs, one with `NAME=` before the program is a variable. `$X` is
    /// unknown, `$*` any number of words, and `~*` an unquoted star.
    pub(super) fn call(&self, words: &[&str]) -> Invocation {
        let mut directory = self.path.clone();
        let (mut environment, mut argv) = (Vec::new(), Vec::new());
        for word in words {
            match word.split_once('=') {
                Some(("dir", folder)) if argv.is_empty() => directory = self.path.join(folder),
                Some((name, value)) if argv.is_empty() => environment.push((name.to_owned(), Some(text(value)))),
                _ => {
                    let span = Span { start: argv.len(), end: argv.len() + 1 };
                    let site = Site { script: 0, span };
                    argv.push(Arg { text: text(word), is_many: word.contains("$*"), site, is_exact: true });
                }
            }
        }
        Invocation {
            argv,
            environment,
            directory: Dir::Known(directory),
            redirects: Vec::new(),
            stdin: Stdin::Inherited,
            site: Site::default(),
            via: Vec::new(),
            git: None,
        }
    }

    /// A call on another machine.
    pub(super) fn elsewhere(&self, words: &[&str]) -> Invocation {
        Invocation { via: vec![Via::Elsewhere("ssh".to_owned())], directory: Dir::Unknown, ..self.call(words) }
    }

    /// Where the head is after some calls that succeed.
    pub(super) fn heads(&self, calls: &[&str]) -> Vec<Head> {
        self.script(&[calls, &["git commit -m x"]].concat()).usage.heads
    }
}

fn text(word: &str) -> Text {
    let mut text = Text::default();
    let mut rest = word;
    while let Some(at) = rest.find(['$', '~']) {
        let (before, mark) = rest.split_at(at);
        text.push(Piece::Known(before.to_owned()));
        text.push(if mark.starts_with('$') {
            Piece::Unknown(Source::Local)
        } else {
            Piece::Glob(mark.chars().skip(1).take(1).collect())
        });
        rest = mark.get(2..).unwrap_or_default();
    }
    text.push(Piece::Known(rest.to_owned()));
    text
}

/// The effects by name, in their order.
pub(super) fn effects(step: &Step) -> String {
    let mut names: Vec<String> = step
        .usage
        .effects
        .iter()
        .map(|effect| serde_json::to_string(&effect.kind).expect("a name").trim_matches('"').to_owned())
        .collect();
    names.sort();
    names.join(" ")
}

/// What a call publishes: `remote branch`, with `*` for all branches.
pub(super) fn published(usage: &GitUse) -> Vec<String> {
    targets(&usage.publishes)
}

pub(super) fn targets(targets: &[Target]) -> Vec<String> {
    let shown = |text: &Option<Text>, other: &str| text.as_ref().map_or_else(|| other.to_owned(), Text::shown);
    targets.iter().map(|target| format!("{} {}", shown(&target.remote, "-"), shown(&target.branch, "*"))).collect()
}

/// The texts and programs that a call runs.
pub(super) fn runs(step: &Step) -> Vec<String> {
    let shown = |runs: &Runs| match runs {
        Runs::Shell { text, .. } => text.shown(),
        Runs::Program(argv) => argv.iter().map(|word| word.text.shown()).collect::<Vec<_>>().join("|"),
    };
    step.runs.iter().map(shown).collect()
}

/// Whether arguments decide what a call does.
pub(super) fn is_opaque(step: &Step) -> bool {
    matches!(step.opaque, Some(Reason::Arguments { .. }))
}

pub(super) fn branch(name: &str) -> Vec<Head> {
    vec![Head::Branch(name.to_owned())]
}

impl World for Machine {
    fn directory(&self) -> &Path {
        &self.path
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn home(&self, _: Option<&str>) -> Option<PathBuf> {
        Some(self.path.join("home"))
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        self.programs.iter().any(|known| known == name).then(|| Path::new("/usr/bin").join(name))
    }

    fn file(&self, path: &Path, limit: u64) -> File {
        match std::fs::metadata(path) {
            Err(_) => File::Missing,
            Ok(found) if found.is_dir() => File::Folder,
            Ok(found) if !found.is_file() => File::Unreadable,
            Ok(found) if found.len() > limit => File::TooLong,
            Ok(_) => std::fs::read_to_string(path).map_or(File::Binary, File::Text),
        }
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        let mut rest = Vec::new();
        for folder in path.ancestors() {
            if let Ok(found) = folder.canonicalize() {
                return found.join(rest.iter().rev().collect::<PathBuf>());
            }
            rest.extend(folder.components().next_back().map(|part| part.as_os_str().to_owned()));
        }
        path.to_owned()
    }

    fn repository(&self, folder: &Path) -> Result<Option<Rc<Repository>>, GitError> {
        let limits = Limits { user_settings: false, ..Limits::default() };
        Ok(Repository::of(folder, limits)?.map(Rc::new))
    }

    fn protected(&self, _: &Repository) -> Protected {
        self.protected.clone()
    }

    fn merged_pull_request(&self, _: &Repository, branch: &str) -> Option<u64> {
        self.merged.get(branch).copied()
    }

    fn has(&self, _: &str) -> bool {
        false
    }
}
