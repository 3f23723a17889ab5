//! The machine that tau runs on.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use tau_git::{GitError, Limits, Repository, Stop};

use crate::world::{File, Protected, World};

/// Asks a forge which branches of a repository it protects.
pub type AskProtected = Box<dyn Fn(&Repository) -> Protected>;
/// Asks a forge for the number of the pull request by which a branch was merged.
pub type AskMerged = Box<dyn Fn(&Repository, &str) -> Option<u64>>;

/// What was found in a folder.
type Found = Result<Option<Rc<Repository>>, GitError>;

/// Where the homes of other users are written down.
const USERS: &str = "/etc/passwd";
/// The most that is read of it, in bytes.
const LONGEST: u64 = 4 << 20;
/// How many links are followed.
const MOST_LINKS: usize = 40;

/// The machine that tau runs on, for one judgement: what it says of repositories does not change meanwhile.
pub struct Machine {
    directory: PathBuf,
    variables: BTreeMap<String, String>,
    home: Option<PathBuf>,
    facts: BTreeSet<String>,
    protected: AskProtected,
    merged: AskMerged,
    repositories: RefCell<BTreeMap<PathBuf, Found>>,
}

impl Machine {
    /// A machine on which a command starts in a folder, with these variables and no others. Nothing is known of a forge.
    pub fn new(directory: impl Into<PathBuf>, variables: BTreeMap<String, String>) -> Self {
        Self {
            directory: directory.into(),
            home: None,
            variables,
            facts: BTreeSet::new(),
            protected: Box::new(|repository| Protected { branches: usual_branches(repository), fallback: None }),
            merged: Box::new(|_, _| None),
            repositories: RefCell::default(),
        }
    }

    /// With the home folder of the session's user, for where the variable `HOME` is not set.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// With what else is there, as [`World::has`] names it.
    #[must_use]
    pub fn with_facts(mut self, facts: impl IntoIterator<Item = String>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// With a forge to ask. It is only asked for what a rule needs to know.
    #[must_use]
    pub fn with_forge(mut self, protected: AskProtected, merged: AskMerged) -> Self {
        (self.protected, self.merged) = (protected, merged);
        self
    }
}

/// The branches that count as protected where no forge says which are: `main`, `master` and the default branch.
pub fn usual_branches(repository: &Repository) -> Vec<String> {
    let usual = ["main", "master"].map(str::to_owned);
    let default = repository.facts(&Stop::default()).default_branch.map(|branch| branch.name);
    let all: BTreeSet<String> = usual.into_iter().chain(default).collect();
    all.into_iter().collect()
}

impl World for Machine {
    fn directory(&self) -> &Path {
        &self.directory
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn home(&self, user: Option<&str>) -> Option<PathBuf> {
        let own = || self.variables.get("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let Some(user) = user else { return own().or_else(|| self.home.clone()) };
        let File::Text(users) = self.file(Path::new(USERS), LONGEST) else { return None };
        home_of(&users, user)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let is_program = |path: &PathBuf| {
            path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        };
        if name.is_empty() {
            return None;
        }
        if name.contains('/') {
            return Some(self.directory.join(name)).filter(is_program);
        }
        // An empty entry is the directory itself, as for a shell.
        let path = self.variables.get("PATH")?;
        std::env::split_paths(path).map(|folder| self.directory.join(folder).join(name)).find(is_program)
    }

    fn file(&self, path: &Path, limit: u64) -> File {
        match read(&self.directory.join(path), limit) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => File::Missing,
            Err(_) => File::Unreadable,
        }
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        resolved(&self.directory.join(path))
    }

    fn repository(&self, folder: &Path) -> Result<Option<Rc<Repository>>, GitError> {
        if let Some(known) = self.repositories.borrow().get(folder) {
            return known.clone();
        }
        let found = Repository::of(folder, Limits::default()).map(|found| found.map(Rc::new));
        self.repositories.borrow_mut().insert(folder.to_owned(), found.clone());
        found
    }

    fn protected(&self, repository: &Repository) -> Protected {
        (self.protected)(repository)
    }

    fn merged_pull_request(&self, repository: &Repository, branch: &str) -> Option<u64> {
        (self.merged)(repository, branch)
    }

    fn has(&self, what: &str) -> bool {
        match what.strip_prefix("program:") {
            Some(program) => self.program(program).is_some(),
            None => self.facts.contains(what),
        }
    }
}

/// The home of a user in the text of the file of users.
fn home_of(users: &str, user: &str) -> Option<PathBuf> {
    let rows = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let row = rows.into_iter().find(|row| row.first() == Some(&user))?;
    row.get(5).filter(|home| home.starts_with('/')).map(PathBuf::from)
}

/// Reads a regular file, without ever waiting for somebody at the other end of a pipe.
fn read(path: &Path, limit: u64) -> std::io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Ok(File::Folder);
    }
    if !kind.is_file() {
        return Ok(File::Unreadable);
    }
    let mut bytes = Vec::new();
    // One byte more than is wanted shows that there is more.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let is_whole = bytes.len() as u64 <= limit;
    if bytes.contains(&0) {
        return Ok(File::Binary);
    }
    Ok(match String::from_utf8(bytes) {
        Ok(_) if !is_whole => File::TooLong,
        Ok(text) => File::Text(text),
        // The cut may go through a character.
        Err(error) if !is_whole && error.utf8_error().error_len().is_none() => File::TooLong,
        Err(_) => File::Binary,
    })
}

/// The path with its links followed as far as it exists, and `..` taken away as the system does it. Where links go round in
/// a circle, the rest of the path stays as it is.
fn resolved(path: &Path) -> PathBuf {
    let mut links = 0;
    let mut rest: Vec<PathBuf> = parts(path);
    let mut done = PathBuf::new();
    while let Some(part) = rest.pop() {
        match part.components().next() {
            None | Some(Component::CurDir) => {}
            Some(Component::RootDir | Component::Prefix(_)) => done = PathBuf::from("/"),
            Some(Component::ParentDir) => {
                done.pop();
            }
            Some(Component::Normal(name)) => {
                let next = done.join(name);
                match fs::read_link(&next) {
                    Ok(target) if links < MOST_LINKS => {
                        links += 1;
                        rest.extend(parts(&target));
                    }
                    _ => done = next,
                }
            }
        }
    }
    done
}

/// The parts of a path, the last first.
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(folder: &Path, variables: &[(&str, &str)]) -> Machine {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Machine::new(folder, variables.collect())
    }

    #[test]
    fn a_program_is_found_as_a_shell_finds_it() {
        let root = tempfile::tempdir().expect("a folder");
        let put = |name: &str, mode: u32| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, "").expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        };
        put("a/tool", 0o644);
        put("b/tool", 0o755);
        put("here", 0o755);
        let path = format!("{}/a:b:", root.path().display());
        let machine = machine(root.path(), &[("PATH", &path)]);
        assert_eq!(machine.program("tool"), Some(root.path().join("b/tool")));
        assert_eq!(machine.program("here"), Some(root.path().join("here")));
        assert_eq!(machine.program("./b/tool"), Some(root.path().join("./b/tool")));
        assert_eq!((machine.program("b"), machine.program(""), machine.program("a/tool")), (None, None, None));
        assert!(machine.has("program:tool") && !machine.has("program:uv") && !machine.has("tool"));
    }

    #[test]
    fn files_are_told_apart_and_never_waited_for() {
        let root = tempfile::tempdir().expect("a folder");
        let machine = machine(root.path(), &[]);
        let write = |name: &str, bytes: &[u8]| fs::write(root.path().join(name), bytes).expect("a file");
        write("text", "äö".as_bytes());
        write("data", b"a\0b");
        write("latin", b"\xe4\xf6xx");
        #[expect(clippy::disallowed_methods, reason = "makes a pipe for the test")]
        let made = std::process::Command::new("mkfifo").arg(root.path().join("pipe")).status().expect("a program");
        assert!(made.success());
        for (name, limit, expected) in [
            ("text", 4, File::Text("äö".to_owned())),
            ("text", 3, File::TooLong),
            ("text", 2, File::TooLong),
            ("data", 9, File::Binary),
            ("latin", 9, File::Binary),
            (".", 9, File::Folder),
            ("pipe", 9, File::Unreadable),
            ("none", 9, File::Missing),
        ] {
            assert_eq!(machine.file(Path::new(name), limit), expected, "{name} {limit}");
        }
    }

    #[test]
    fn links_are_followed_as_far_as_there_is_something() {
        let root = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(root.path()).expect("a folder");
        fs::create_dir_all(root.join("real/deep")).expect("a folder");
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, root.join(name)).expect("a link");
        link("real/deep", "link");
        link("circle", "circle");
        let machine = machine(&root, &[]);
        for (path, expected) in [
            ("link/new/file", "real/deep/new/file"),
            ("link/../x", "real/x"),
            ("real/./deep/", "real/deep"),
            ("circle/x", "circle/x"),
        ] {
            assert_eq!(machine.resolved(Path::new(path)), root.join(expected), "{path}");
        }
        assert_eq!(machine.resolved(Path::new("/../..")), Path::new("/"));
    }

    #[test]
    fn homes_are_those_of_the_session_and_of_the_file_of_users() {
        let root = tempfile::tempdir().expect("a folder");
        let with = machine(root.path(), &[("HOME", "/home/ada")]).with_home("/other");
        assert_eq!(with.home(None), Some("/home/ada".into()));
        let without = machine(root.path(), &[("HOME", "")]).with_home("/other");
        assert_eq!(without.home(None), Some("/other".into()));
        assert_eq!(without.home(Some("no such user")), None);
        let users = "root:x:0:0:root:/root:/bin/sh\nbroken\nada:x:1:1::relative:/bin/sh\n";
        assert_eq!(home_of(users, "root"), Some("/root".into()));
        assert_eq!((home_of(users, "ada"), home_of(users, "broken")), (None, None));
    }

    #[test]
    fn facts_and_a_forge_are_what_was_given() {
        let root = tempfile::tempdir().expect("a folder");
        let machine = machine(root.path(), &[("A", "b")]).with_facts(["ui".to_owned()]);
        assert!(machine.has("ui") && !machine.has("container"));
        assert_eq!((machine.variable("A"), machine.variable("B")), (Some("b".to_owned()), None));
        assert!(matches!(machine.repository(root.path()), Ok(None)));
    }
}
