//! The settings of the suite: what counts, and where it comes from.
//!
//! From what counts least: the default; the user's files; an environment variable; the project's files, if it is trusted and
//! as far as the guard of the key lets it. Of two files of one layer, tau's own `settings.json` outranks
//! that of pi-config. The files of pi-config are read where the module `project-settings` is on.

mod document;
mod files;
mod keys;
mod resolve;

use std::time::Duration;

use serde_json::Value;
use tau_hooks::{ActionError, Api, SettingInFile, SettingLayer};

pub(crate) use document::{Document, EditError};
pub(crate) use files::{Files, InUse, LayerFile, NAMES, brief, shown};
pub use keys::{CO_AUTHOR, DREAM_INTERVAL_HOURS, KEYS, Kind, Row, USE_WORKTREES, nearest, row};
use resolve::{Claim, resolve};
pub use resolve::{Resolved, Said, Says, Source};

/// The short name of the module under which the settings stand in tau's own files.
pub const SECTION: &str = "project-settings";

/// The settings as they are now.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    all: Vec<Resolved>,
    problems: Vec<Problem>,
}

/// A setting that a module asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting<T> {
    /// What counts.
    pub value: T,
    /// Where it comes from.
    pub source: Source,
}

/// Something that is wrong with what is said about settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// What, with its place.
    pub(crate) text: String,
    /// tau itself tells it when a session starts.
    pub(crate) is_told: bool,
}

/// The settings of a session, for any module of the suite. What files said when they were last read counts: with the module
/// `project-settings` that is now, in sessions with somebody in front of them.
///
/// # Errors
/// While tau starts, and when the session or the extension is gone.
pub fn settings_of(api: &Api) -> Result<Settings, ActionError> {
    let loaded = match api.shared::<InUse>()?.get() {
        Some(files) => Some(files.view(&api.folders()?, api.host()?.is_project_trusted())),
        None => None,
    };
    let variables = api.variables()?;
    let mut all = Vec::with_capacity(KEYS.len());
    for row in KEYS {
        let of_core = |layer| api.setting_in(SECTION, row.key, layer);
        let (user, project) = (of_core(SettingLayer::User)?, of_core(SettingLayer::Project)?);
        let of_user = |path| Source::UserFile(path);
        let of_project = |path| Source::ProjectFile(path);
        let mut claims = Vec::with_capacity(5);
        claims.extend(loaded.as_ref().map(|loaded| of_file(row, &loaded.user, of_user)));
        claims.push(of_settings(user, of_user));
        claims.push(of_variable(row, variables.get(row.variable).map(String::as_str)));
        claims.extend(loaded.as_ref().map(|loaded| of_file(row, &loaded.project, of_project)));
        claims.push(of_settings(project, of_project));
        all.push(resolve(row, claims));
    }
    let mut problems = Vec::new();
    if let Some(loaded) = &loaded {
        for file in [&loaded.user, &loaded.project] {
            let refused = all.iter().filter_map(|one| refusal_in(one, file));
            let lines: Vec<String> = file.problems.iter().cloned().chain(refused).collect();
            // One notice for a file, however much is wrong with it.
            problems.extend(Some(lines.join("\n")).filter(|text| !text.is_empty()));
        }
    }
    let mut problems: Vec<Problem> = problems.into_iter().map(|text| Problem { text, is_told: false }).collect();
    problems.extend(all.iter().flat_map(problems_elsewhere));
    Ok(Settings { all, problems })
}

/// What a file of pi-config says.
fn of_file(row: &Row, file: &LayerFile, source: impl Fn(std::path::PathBuf) -> Source) -> Claim {
    let (value, line) = match (file.fields.get(row.key), &file.unread) {
        (Some((value, line)), _) if !value.is_null() => (Ok(Some(value.clone())), Some(*line)),
        (_, Some(why)) => (Err(Says::Unread(why.clone())), None),
        (_, None) => (Ok(None), None),
    };
    Claim { source: source(file.path.clone()), line, value, is_core: false }
}

/// What tau's own file says.
fn of_settings(file: SettingInFile, source: impl Fn(std::path::PathBuf) -> Source) -> Claim {
    Claim { source: source(file.path), line: None, value: file.says.map_err(Says::Unread), is_core: true }
}

/// What the environment says; an empty variable says nothing.
fn of_variable(row: &Row, text: Option<&str>) -> Claim {
    let value = match text.map(str::trim).filter(|text| !text.is_empty()) {
        None => Ok(None),
        Some(text) => row.typed(text).map(Some).ok_or_else(|| Says::Wrong(format!("\"{}\"", brief(text)))),
    };
    Claim { source: Source::Variable(row.variable), line: None, value, is_core: false }
}

/// What a file of pi-config says and may not.
fn refusal_in(resolved: &Resolved, file: &LayerFile) -> Option<String> {
    resolved.said.iter().find_map(|said| match (&said.source, &said.says, said.line) {
        (Source::ProjectFile(path), Says::Refused(_, why), Some(line)) if *path == file.path => {
            Some(format!("{}:{line}: {} is not used: {why}", shown(path), resolved.row.key))
        }
        _ => None,
    })
}

/// What is wrong with variables and with tau's own files.
fn problems_elsewhere(resolved: &Resolved) -> impl Iterator<Item = Problem> {
    let row = resolved.row;
    resolved.said.iter().filter_map(move |said| {
        let text = match (&said.source, &said.says, said.line) {
            (Source::Variable(name), Says::Wrong(value), _) => {
                format!("the variable {name} is {value}, which is not used: it must be {}", row.typed_as())
            }
            (Source::UserFile(path) | Source::ProjectFile(path), Says::Wrong(_), None) if said.is_told => {
                format!("{}: {SECTION}.{} must be {}; it is not used", shown(path), row.key, row.takes())
            }
            (Source::ProjectFile(path), Says::Refused(_, why), None) => {
                format!("{}: {SECTION}.{} is not used: {why}", shown(path), row.key)
            }
            _ => return None,
        };
        Some(Problem { text, is_told: said.is_told })
    })
}

impl Settings {
    /// Whether commits name the agent as an author.
    pub fn co_author(&self) -> Setting<bool> {
        self.switch(CO_AUTHOR)
    }

    /// Whether tasks work in git worktrees of their own.
    pub fn use_worktrees(&self) -> Setting<bool> {
        self.switch(USE_WORKTREES)
    }

    /// The time between two rounds in which memories are put in order.
    pub fn dream_interval(&self) -> Setting<Duration> {
        let Setting { value, source } = self.number(DREAM_INTERVAL_HOURS);
        Setting { value: Duration::from_secs_f64(value * 3600.0), source }
    }

    /// Every setting, in the order of [`KEYS`].
    pub fn all(&self) -> &[Resolved] {
        &self.all
    }

    /// One setting.
    pub fn get(&self, key: &str) -> Option<&Resolved> {
        self.all.iter().find(|one| one.row.key == key)
    }

    /// What is wrong with what is said.
    pub(crate) fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn switch(&self, key: &str) -> Setting<bool> {
        self.typed(key, Value::as_bool, false)
    }

    fn number(&self, key: &str) -> Setting<f64> {
        self.typed(key, Value::as_f64, 0.0)
    }

    fn typed<T>(&self, key: &str, read: impl Fn(&Value) -> Option<T>, nothing: T) -> Setting<T> {
        match self.get(key).and_then(|one| Some(Setting { value: read(&one.value)?, source: one.source.clone() })) {
            Some(setting) => setting,
            None => {
                tau_ai::broken("a setting of the suite has no row, or a value of another type than its row");
                Setting { value: nothing, source: Source::Default }
            }
        }
    }
}
