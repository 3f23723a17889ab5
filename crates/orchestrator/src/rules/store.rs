//! Rule files as they are now. A file is read again when it changed, and not otherwise.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tau_hooks::Folders;
use tau_view::untrusted::plain;

use super::file::{Problem, Rule, read};
use super::layer::{Layer, Source, suite};
use crate::shared::stamp::Stamp;

/// The folder of rules among the settings of the user and of a project.
const RULES: &str = "rules";

/// How many files of one folder are looked at.
const MOST_FILES: usize = 200;
/// How much text the rules of one folder may have together, in bytes.
const MOST_BYTES: usize = 512 << 10;

/// What is known of the files, for one session.
#[derive(Default)]
pub(super) struct Store {
    files: HashMap<PathBuf, Known>,
    /// The project's rules as they were when its trust was decided, where that matters.
    decided: Option<Vec<Source>>,
    /// The problems of the last look.
    told: Vec<String>,
}

/// A file as it was when it was read last.
struct Known {
    /// None for a link that leads nowhere.
    stamp: Option<Stamp>,
    /// What it said when it could be read last.
    good: Option<Rule>,
    problem: Option<Problem>,
}

/// What a look may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfProject {
    /// Nothing: the project is not trusted.
    Nothing,
    /// Its files as they are now.
    Now,
    /// Its files as they were when somebody decided to trust it.
    AsDecided,
}

/// What a look found.
pub(super) struct Look {
    /// All files, those of one layer in byte order of their names.
    pub(super) sources: Vec<Source>,
    /// What is wrong now and was not before.
    pub(super) news: Vec<String>,
    /// Folders that cannot be read.
    pub(super) folders: Vec<String>,
    /// The project's folder of rules, when it has some that are left out for want of trust.
    pub(super) untrusted: Option<String>,
}

impl Store {
    /// Trust was decided anew: what the project has now is what was decided about.
    pub(super) fn decided(&mut self) {
        self.decided = None;
    }

    /// Looks at all files, and reads those that changed. Blocks.
    pub(super) fn look(&mut self, folders: &Folders, allowed: OfProject) -> Look {
        let (of_user, of_project) = (folders.agent_dir.join(RULES), folders.project_dir.join(RULES));
        let mut problems = Vec::new();
        let (mut sources, mut seen) = (suite(), Vec::new());
        self.look_in(&of_user, Layer::User, &folders.cwd, &mut sources, &mut problems, &mut seen);
        let mut untrusted = None;
        match allowed {
            // They are the user's.
            _ if of_user == of_project => {}
            OfProject::Nothing => {
                let has_some = listed(&of_project).is_ok_and(|names| !names.is_empty());
                untrusted = has_some.then(|| shown(&of_project, Layer::Project, &folders.cwd));
            }
            OfProject::AsDecided if self.decided.is_some() => {
                seen.extend(self.files.keys().filter(|path| path.parent() == Some(&of_project)).cloned());
                sources.extend(self.decided.iter().flatten().cloned());
            }
            OfProject::Now | OfProject::AsDecided => {
                let before = sources.len();
                self.look_in(&of_project, Layer::Project, &folders.cwd, &mut sources, &mut problems, &mut seen);
                self.decided = Some(sources[before..].to_vec());
            }
        }
        self.files.retain(|path, _| seen.contains(path));
        let unreadable = problems.clone();
        problems.extend(sources.iter().filter_map(|source| source.problem.clone()));
        let news = problems.iter().filter(|problem| !self.told.contains(problem)).cloned().collect();
        self.told = problems;
        Look { sources, news, folders: unreadable, untrusted }
    }

    fn look_in(
        &mut self,
        folder: &Path,
        layer: Layer,
        cwd: &Path,
        sources: &mut Vec<Source>,
        problems: &mut Vec<String>,
        seen: &mut Vec<PathBuf>,
    ) {
        let names = match listed(folder) {
            Ok(names) => names,
            Err(error) => {
                let place = shown(folder, layer, cwd);
                problems.push(format!(
                    "{place}: the folder of rules cannot be read: {error}; check it and its permissions"
                ));
                // What was read from it before stays.
                let mut kept: Vec<_> = self.files.iter().filter(|(path, _)| path.parent() == Some(folder)).collect();
                kept.sort_by_key(|(path, _)| *path);
                sources.extend(kept.iter().map(|(path, known)| known.source(path, layer, cwd)));
                seen.extend(kept.into_iter().map(|(path, _)| path.clone()));
                return;
            }
        };
        let place = shown(folder, layer, cwd);
        if names.len() > MOST_FILES {
            problems.push(format!("{place}: there are {} rules; the first {MOST_FILES} are used", names.len()));
        }
        let mut bytes = 0;
        let within = (layer == Layer::Project).then(|| fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned()));
        for name in names.into_iter().take(MOST_FILES) {
            let path = folder.join(&name);
            let metadata = fs::metadata(&path);
            if metadata.as_ref().is_ok_and(fs::Metadata::is_dir) {
                continue;
            }
            let stamp = metadata.ok().as_ref().map(Stamp::of);
            let known = self.files.entry(path.clone());
            let known = known.or_insert_with(|| Known { stamp: None, good: None, problem: None });
            let is_new = known.good.is_none() && known.problem.is_none();
            if is_new || known.stamp != stamp {
                known.renew(stamp, read(&path, within.as_deref()));
            }
            let source = known.source(&path, layer, cwd);
            bytes += source.rule.as_ref().map_or(0, |rule| rule.text.len());
            if bytes > MOST_BYTES {
                problems.push(format!(
                    "{}: the rules of this folder have more than {} KiB; this one and those behind it are left out",
                    source.place,
                    MOST_BYTES >> 10
                ));
                seen.push(path);
                break;
            }
            sources.push(source);
            seen.push(path);
        }
    }
}

impl Known {
    fn renew(&mut self, stamp: Option<Stamp>, read: Result<Rule, Problem>) {
        self.stamp = stamp;
        self.problem = match read {
            Ok(rule) => {
                self.good = Some(rule);
                None
            }
            Err(problem) => Some(problem),
        };
    }

    fn source(&self, path: &Path, layer: Layer, cwd: &Path) -> Source {
        let place = shown(path, layer, cwd);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Source { name, layer, problem: self.complaint(&place), place, rule: self.good.clone() }
    }

    /// What is wrong with the file, where, and what holds until it is right.
    fn complaint(&self, place: &str) -> Option<String> {
        let problem = self.problem.as_ref()?;
        let line = problem.line().map(|line| format!(":{line}")).unwrap_or_default();
        let until = match self.good {
            Some(_) => " (its last good text stays in force)",
            None => " (the rule is left out)",
        };
        Some(format!("{place}{line}: {problem}{until}"))
    }
}

/// The names of the rule files directly in a folder, in byte order; none when there is no folder.
fn listed(folder: &Path) -> std::io::Result<Vec<std::ffi::OsString>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = entries.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<Vec<_>>>()?;
    names.retain(|name| {
        let is_markdown = Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
        is_markdown && !name.as_encoded_bytes().starts_with(b".")
    });
    names.sort_unstable_by(|one, other| one.as_encoded_bytes().cmp(other.as_encoded_bytes()));
    Ok(names)
}

/// A path as it is shown: one of the project as seen from there.
fn shown(path: &Path, layer: Layer, cwd: &Path) -> String {
    let path = if layer == Layer::Project { path.strip_prefix(cwd).unwrap_or(path) } else { path };
    plain(&path.to_string_lossy()).replace(['\n', '\t'], " ")
}
