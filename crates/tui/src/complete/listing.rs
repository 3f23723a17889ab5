//! Completing a path by the folder that it is in.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;

use super::files::is_plain_name;
use super::provider::Suggestion;
use super::token::{Word, written};

/// The most names that are read from a folder, and shown.
const MOST_READ: usize = 20_000;
const MOST_SHOWN: usize = 200;

/// Where paths begin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The working folder.
    pub cwd: PathBuf,
    /// The folder that `~` means, if there is one.
    pub home: Option<PathBuf>,
}

impl Places {
    /// The folder that a written one means.
    fn folder(&self, written: &str) -> Option<PathBuf> {
        match written.strip_prefix("~/") {
            Some(below) => Some(self.home.as_ref()?.join(below)),
            None => Some(self.cwd.join(written)),
        }
    }
}

/// Whether a path, as it is written, leads out of the working folder, so that the index does not contain it.
pub(super) fn is_outside(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.starts_with("./") || path.starts_with("../") || path == ".."
}

/// What a word could become: the names in its folder that begin as it does, folders first.
pub(super) fn list(places: &Places, word: &Word<'_>) -> Vec<Suggestion> {
    let (folder, start) = match word.path {
        // They are folders themselves.
        "~" | ".." => return vec![suggestion(&format!("{}/", word.path), word)],
        path => path.split_at(path.rfind('/').map_or(0, |at| at + 1)),
    };
    let Some(entries) = places.folder(folder).and_then(|folder| fs::read_dir(folder).ok()) else { return Vec::new() };
    let start = start.to_lowercase();
    let names = entries.take(MOST_READ).filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok().filter(|name| is_plain_name(name))?;
        name.to_lowercase().starts_with(&start).then(|| (!is_folder(&entry.path()), name))
    });
    let mut names: Vec<(bool, String)> = names.collect();
    names.sort_by_cached_key(|(is_file, name)| (*is_file, name.to_lowercase(), name.clone()));
    names.truncate(MOST_SHOWN);
    let slash = |is_file: bool| if is_file { "" } else { "/" };
    names.into_iter().map(|(is_file, name)| suggestion(&format!("{folder}{name}{}", slash(is_file)), word)).collect()
}

/// A link to a folder is one.
fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

fn suggestion(path: &str, word: &Word<'_>) -> Suggestion {
    path_suggestion(path, word.is_mention, word.is_quoted)
}

/// A path as a suggestion: its name, and where it is.
pub(super) fn path_suggestion(path: &str, is_mention: bool, is_quoted: bool) -> Suggestion {
    let bare = path.strip_suffix('/').unwrap_or(path);
    let name = bare.rsplit('/').next().unwrap_or(bare).len();
    let label = &path[bare.len() - name..];
    let description = if label == path { String::new() } else { path.to_owned() };
    Suggestion { value: written(path, is_mention, is_quoted), label: label.to_owned(), description }
}

type Job = Box<dyn FnOnce() + Send>;

/// Reads folders on a thread of its own, because a network folder may not answer. A new job replaces a waiting one.
#[derive(Default)]
pub(super) struct Lister {
    state: Arc<Mutex<Jobs>>,
}

#[derive(Default)]
struct Jobs {
    next: Option<Job>,
    is_working: bool,
}

impl Lister {
    pub(super) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut jobs = self.state.lock();
        jobs.next = Some(Box::new(job));
        if jobs.is_working {
            return;
        }
        let state = Arc::clone(&self.state);
        let work = move || {
            loop {
                let mut jobs = state.lock();
                let Some(job) = jobs.next.take() else {
                    jobs.is_working = false;
                    return;
                };
                drop(jobs);
                job();
            }
        };
        match thread::Builder::new().name("tau-folder-reading".to_owned()).spawn(work) {
            Ok(_) => jobs.is_working = true,
            Err(error) => tracing::warn!(%error, "no thread can be started for reading folders"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::word;
    use super::*;

    fn values(places: &Places, before: &str) -> Vec<String> {
        list(places, &word(before)).into_iter().map(|found| found.value).collect()
    }

    #[test]
    fn paths_are_completed_in_the_way_they_were_begun() {
        let dir = tempfile::tempdir().expect("a folder");
        for folder in ["src", "home/Docs", "my dir"] {
            fs::create_dir_all(dir.path().join(folder)).expect("a folder");
        }
        for file in ["Setup.md", "src/a.rs", "src/b.rs", "home/note.txt", "src/.hidden"] {
            fs::write(dir.path().join(file), "").expect("a file");
        }
        std::os::unix::fs::symlink("src", dir.path().join("slink")).expect("a link");
        let places = Places { cwd: dir.path().to_owned(), home: Some(dir.path().join("home")) };
        assert_eq!(values(&places, "ls s"), ["slink/", "src/", "Setup.md"]);
        assert_eq!(values(&places, "src/"), ["src/.hidden", "src/a.rs", "src/b.rs"]);
        assert_eq!(values(&places, "./sr"), ["./src/"]);
        assert_eq!(values(&places, "src/../sr"), ["src/../src/"]);
        assert_eq!(values(&places, "~/"), ["~/Docs/", "~/note.txt"]);
        assert_eq!(values(&places, "(~/no"), ["~/note.txt"]);
        assert_eq!(values(&places, "my"), ["\"my dir/\""]);
        assert_eq!(values(&places, "@\"my d"), ["@\"my dir/\""]);
        assert_eq!(values(&places, "@~"), ["@~/"]);
        let whole = format!("{}/Set", dir.path().display());
        assert_eq!(values(&places, &whole), [format!("{}/Setup.md", dir.path().display())]);
        assert_eq!(values(&places, "missing/x"), [] as [&str; 0]);
        assert_eq!(values(&Places { home: None, ..places }, "~/"), [] as [&str; 0]);
    }

    #[test]
    fn a_suggestion_says_its_name_and_where_it_is() {
        let found = path_suggestion("src/editor/", true, false);
        assert_eq!((found.label.as_str(), found.description.as_str()), ("editor/", "src/editor/"));
        assert_eq!(path_suggestion("a.rs", true, false).description, "");
    }
}
