//! Reading the branch from git's files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tau_sys::process::{PipedCommand, PipedEnd, run_piped};
use tau_view::untrusted;
use tokio_util::sync::CancellationToken;

/// Files of git that name something are shorter than this.
const LONGEST: u64 = 16 * 1024;
/// The longest name that is shown, in characters.
const SHOWN: usize = 200;
/// How long git may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The branch that `HEAD` names in a repository with reftables, which only git can read.
const IN_TABLES: &str = ".invalid";

/// Where the head of a work tree is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Branch {
    /// On a branch. The name is fit to be shown; it may be shortened.
    Named(String),
    /// On a commit.
    Detached,
}

impl Branch {
    /// What is shown.
    pub fn text(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Detached => "detached",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let clean = untrusted::plain(name).replace(['\n', '\t'], " ");
        let shown: String = clean.trim().chars().take(SHOWN).collect();
        (!shown.is_empty()).then_some(Self::Named(shown))
    }
}

/// The git folder of the work tree that contains `folder`: `.git` itself, or the folder that a `.git` file names, as in
/// submodules and linked work trees.
pub(super) fn git_folder_above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find_map(git_folder)
}

/// The git folder of the work tree whose root this folder is.
pub(crate) fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return git.join("HEAD").symlink_metadata().is_ok().then_some(git);
    }
    let text = read_text(&git).ok()?;
    let path = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    let git = folder.join(path);
    git.is_dir().then_some(git)
}

/// The branch in this git folder; `None` if it cannot be read.
pub(super) async fn branch(git: &Path, folder: &Path) -> Option<Branch> {
    let head = git.join("HEAD");
    // Very old repositories have a symbolic link.
    if let Ok(target) = fs::read_link(&head) {
        return Branch::named(target.to_str()?.strip_prefix("refs/heads/")?);
    }
    let text = read_text(&head).ok()?;
    let text = text.trim_end_matches(['\n', '\r']);
    let Some(reference) = text.strip_prefix("ref:") else { return is_commit(text).then_some(Branch::Detached) };
    let reference = reference.trim();
    match reference.strip_prefix("refs/heads/") {
        Some(IN_TABLES) => ask(folder).await,
        Some(name) => Branch::named(name),
        None => Branch::named(reference),
    }
}

fn is_commit(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Asks git. Variables of this process that name a repository are removed: they may name another one.
async fn ask(folder: &Path) -> Option<Branch> {
    let others =
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES"];
    let command = PipedCommand {
        program: "git".into(),
        args: ["symbolic-ref", "--short", "HEAD"].map(Into::into).to_vec(),
        cwd: folder.to_owned(),
        env: others.map(|name| (name.to_owned(), None)).to_vec(),
        keep: usize::try_from(LONGEST).unwrap_or(usize::MAX),
        timeout: Some(PATIENCE),
        ..PipedCommand::default()
    };
    let answer = run_piped(command, CancellationToken::new()).await.ok()?;
    match answer.end {
        PipedEnd::Code(0) => Branch::named(answer.stdout.text.trim_end()),
        // The head is not on a branch.
        PipedEnd::Code(1 | 128) if answer.stderr.text.contains("not a symbolic ref") => Some(Branch::Detached),
        _ => None,
    }
}

pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The beginning of a file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    // A pipe in its place would never end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}
