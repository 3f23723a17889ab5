//! Repositories, by the command `git`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tau_sys::process::{Flow, GroupChild, Manner, Place, Rules, Sink, run};
use tokio_util::sync::CancellationToken;

use crate::error::PackageError;
use crate::integrity::Hasher;
use crate::source::{GitSource, Source};

/// The last lines of what git says are shown.
const MOST_LINES: usize = 4;

/// Runs git. Arguments never go through a shell, and what a source says always stands behind `--` or `=`.
pub(crate) struct Git {
    vars: BTreeMap<String, String>,
    offline: bool,
}

impl Git {
    pub(crate) fn new(vars: BTreeMap<String, String>, offline: bool) -> Self {
        Self { vars, offline }
    }

    /// Fetches a repository into a folder that does not exist yet, with as little history as the server allows; gives
    /// the commit. `commit` is the one that is pinned.
    pub(crate) async fn checkout(
        &self,
        source: &GitSource,
        commit: Option<&str>,
        into: &Path,
    ) -> Result<String, PackageError> {
        let job = Job { git: self, source, what: Source::Git(source.clone()).to_string() };
        Source::Git(source.clone()).check()?;
        if self.offline {
            return Err(PackageError::Offline { what: job.what });
        }
        fs::create_dir_all(into).map_err(PackageError::io(into))?;
        job.run(into, "init", &["--quiet"]).await?;
        job.run(into, "remote", &["add", "--", "origin", &source.url]).await?;
        let head = match (commit, &source.reference) {
            (Some(commit), _) => job.fetch_one(into, commit).await?,
            (None, Some(reference)) => job.fetch_one(into, reference).await?,
            (None, None) => job.fetch_default(into).await?,
        };
        if let Some(commit) = commit
            && head != commit
        {
            let (what, expected) = (job.what, commit.to_owned());
            return Err(PackageError::Integrity {
                what,
                promised_by: "the lock file".to_owned(),
                expected,
                found: head,
            });
        }
        Ok(head)
    }

    /// The commit that a source means at its origin now.
    pub(crate) async fn newest(&self, source: &GitSource) -> Result<Option<String>, PackageError> {
        let job = Job { git: self, source, what: Source::Git(source.clone()).to_string() };
        Source::Git(source.clone()).check()?;
        if self.offline {
            return Err(PackageError::Offline { what: job.what });
        }
        let name = source.reference.as_deref().unwrap_or("HEAD");
        let tag = format!("refs/tags/{name}^{{}}");
        let text = job.run(Path::new("."), "ls-remote", &["--", &source.url, name, &tag]).await?;
        let lines: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        // A tag with a message is an object of its own; what it stands for is listed besides.
        let found = lines.iter().find(|(_, name)| *name == tag).or_else(|| {
            let full = [name.to_owned(), format!("refs/heads/{name}"), format!("refs/tags/{name}")];
            full.iter().find_map(|full| lines.iter().find(|(_, name)| name == full))
        });
        Ok(found.map(|(commit, _)| (*commit).to_owned()))
    }

    /// The commit that is checked out in a folder.
    pub(crate) async fn head(&self, folder: &Path) -> Option<String> {
        let source = GitSource { url: String::new(), host: String::new(), path: String::new(), reference: None };
        let job = Job { git: self, source: &source, what: String::new() };
        let text = job.run(folder, "rev-parse", &["--verify", "HEAD"]).await.ok()?;
        Some(text.trim().to_owned())
    }
}

struct Job<'a> {
    git: &'a Git,
    source: &'a GitSource,
    what: String,
}

impl Job<'_> {
    /// Gets a branch, a tag or a commit.
    async fn fetch_one(&self, into: &Path, reference: &str) -> Result<String, PackageError> {
        let shallow = self.run(into, "fetch", &["--quiet", "--depth=1", "--no-tags", "--", "origin", reference]).await;
        if shallow.is_ok() {
            self.run(into, "checkout", &["--quiet", "--detach", "FETCH_HEAD"]).await?;
            return self.head(into).await;
        }
        // Some servers give no single commits, some no part of the history.
        self.run(into, "fetch", &["--quiet", "--tags", "--", "origin", "+refs/heads/*:refs/remotes/origin/*"]).await?;
        let mut last = None;
        for candidate in [format!("origin/{reference}"), format!("refs/tags/{reference}"), reference.to_owned()] {
            let commit = format!("{candidate}^{{commit}}");
            match self.run(into, "checkout", &["--quiet", "--detach", &commit]).await {
                Ok(_) => return self.head(into).await,
                Err(error) => last = last.or(Some(error)),
            }
        }
        match last {
            Some(PackageError::Git { .. }) | None => Err(PackageError::Git {
                what: self.what.clone(),
                command: "checkout".to_owned(),
                why: format!("there is no branch, tag or commit \"{reference}\""),
            }),
            Some(error) => Err(error),
        }
    }

    /// Gets the default branch, as a branch that follows its origin: so others can update it.
    async fn fetch_default(&self, into: &Path) -> Result<String, PackageError> {
        let text = self.run(into, "ls-remote", &["--symref", "--", "origin", "HEAD"]).await?;
        let branch = text.lines().find_map(|line| {
            let name = line.strip_prefix("ref: refs/heads/")?.split('\t').next()?;
            Some(name.to_owned())
        });
        let Some(branch) = branch.filter(|name| !name.starts_with('-')) else {
            return self.fetch_one(into, "HEAD").await;
        };
        let refspec = format!("+refs/heads/{branch}:refs/remotes/origin/{branch}");
        let shallow = self.run(into, "fetch", &["--quiet", "--depth=1", "--no-tags", "--", "origin", &refspec]).await;
        if shallow.is_err() {
            self.run(into, "fetch", &["--quiet", "--no-tags", "--", "origin", &refspec]).await?;
        }
        let track = format!("origin/{branch}");
        self.run(into, "checkout", &["--quiet", "-B", &branch, "--track", &track]).await?;
        self.head(into).await
    }

    async fn head(&self, into: &Path) -> Result<String, PackageError> {
        let text = self.run(into, "rev-parse", &["--verify", "HEAD"]).await?;
        Ok(text.trim().to_owned())
    }

    async fn run(&self, folder: &Path, command: &str, arguments: &[&str]) -> Result<String, PackageError> {
        let failed = |why: String| PackageError::Git { what: self.what.clone(), command: command.to_owned(), why };
        let mut git = Command::new("git");
        // Nothing that a repository brings runs: no hooks, no file system monitor, no helpers of ours to ask.
        git.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false"])
            .arg("-C")
            .arg(folder)
            .arg(command)
            .args(arguments)
            .env_clear()
            .envs(self.git.vars.iter().filter(|(name, _)| !is_of_a_repository(name)))
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // What it asks by may want a password for its key at our terminal.
        let mut process = GroupChild::spawn(git, Place::Ours).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                failed("there is no git on PATH; install it to use packages of repositories".to_owned())
            }
            _ => failed(error.to_string()),
        })?;
        let pipes = process.pipes();
        let mut said = Said::default();
        let rules = Rules::new(Manner::Kill, CancellationToken::new());
        let ended = run(process, pipes, rules, &mut said).await;
        let status = ended.status.map_err(|error| failed(error.to_string()))?;
        let [stdout, stderr] = said.0.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        if status.is_some_and(|status| status.success()) { Ok(stdout) } else { Err(failed(self.told(&stderr))) }
    }

    /// The end of what git said, without the password of the address.
    fn told(&self, text: &str) -> String {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let text = lines[lines.len().saturating_sub(MOST_LINES)..].join("; ");
        let text = text.replace(&self.source.url, &self.source.public_url());
        match user_info(&self.source.url) {
            Some(secret) => text.replace(&secret, "***"),
            None => text,
        }
    }
}

/// All that a program said.
#[derive(Default)]
struct Said([Vec<u8>; 2]);

impl Sink for Said {
    fn take(&mut self, stream: usize, bytes: &[u8]) -> Flow {
        self.0[stream].extend_from_slice(bytes);
        Flow::More
    }
}

/// What stands before the host of an address, and its password alone.
fn user_info(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (authority, _) = rest.split_once('/')?;
    let (user, _) = authority.rsplit_once('@')?;
    let secret = user.split_once(':').map_or(user, |(_, password)| password);
    Some(secret.to_owned()).filter(|secret| !secret.is_empty() && secret != "git")
}

/// Variables that would make git work in another repository than the one meant.
fn is_of_a_repository(name: &str) -> bool {
    matches!(
        name,
        "GIT_DIR"
            | "GIT_WORK_TREE"
            | "GIT_INDEX_FILE"
            | "GIT_OBJECT_DIRECTORY"
            | "GIT_ALTERNATE_OBJECT_DIRECTORIES"
            | "GIT_PREFIX"
            | "GIT_COMMON_DIR"
            | "GIT_NAMESPACE"
    )
}

/// The hash of all files of a checkout: of their paths, whether they can be executed, and their content. What git and
/// installing add does not count.
pub(crate) fn hash_of_files(root: &Path) -> Result<String, PackageError> {
    let mut files = Vec::new();
    collect(root, PathBuf::new(), &mut files).map_err(PackageError::io(root))?;
    files.sort();
    let mut hasher = Hasher::default();
    for relative in files {
        let path = root.join(&relative);
        hash_file(&path, &relative, &mut hasher).map_err(PackageError::io(&path))?;
    }
    Ok(hasher.finish().strongest())
}

fn collect(root: &Path, relative: PathBuf, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(&relative))? {
        let entry = entry?;
        let name = entry.file_name();
        let is_ours = relative.as_os_str().is_empty() && (name == ".git" || name == "node_modules");
        if is_ours {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(root, relative.join(name), files)?
        } else {
            files.push(relative.join(name))
        }
    }
    Ok(())
}

fn hash_file(path: &Path, relative: &Path, hasher: &mut Hasher) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    let name = relative.to_string_lossy().replace('\\', "/");
    let (kind, content): (&str, Box<dyn Read>) = if metadata.is_symlink() {
        ("link", Box::new(io::Cursor::new(fs::read_link(path)?.to_string_lossy().into_owned().into_bytes())))
    } else {
        (if is_executable(&metadata) { "run" } else { "file" }, Box::new(fs::File::open(path)?))
    };
    let mut own = Hasher::default();
    let mut content = content;
    io::copy(&mut content, &mut own)?;
    writeln!(hasher, "{kind} {name:?} {}", own.finish().strongest())
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}
