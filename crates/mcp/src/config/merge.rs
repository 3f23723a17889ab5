//! Both files as one list of servers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::ConfigError;
use super::entry::ServerConfig;
use super::exposure::Exposure;
use super::unknown::warnings;
use crate::names::namespace;

/// Largest file that is read, in bytes.
const MOST: u64 = 4 << 20;

/// Who says that a server is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The user's file.
    Global,
    /// The project's file.
    Project,
    /// An extension.
    Extension,
    /// The program that hosts tau.
    Host,
}

impl Scope {
    /// The word in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
            Self::Extension => "extension",
            Self::Host => "host",
        }
    }
}

/// A server and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What is known of it.
    pub config: ServerConfig,
    /// Who says so.
    pub scope: Scope,
    /// The file, or the extension.
    pub source: String,
    /// The project's file, when it changes how tools of the user's server are reached.
    pub changed_by: Option<PathBuf>,
}

/// Everything that the files say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    /// The servers, the user's first.
    pub servers: Vec<Entry>,
    /// Whether the tool for scripts is switched on for servers that need it.
    pub auto_enable_codemode: Option<bool>,
    /// What is wrong.
    pub errors: Vec<ConfigError>,
    /// What means nothing.
    pub warnings: Vec<ConfigError>,
}

/// What a project may say about a server of the user.
const CHANGES: [&str; 3] = ["enabled", "exposure", "toolExposure"];

impl Config {
    /// Reads the user's file and, where the project is trusted, its file. A file that is not there says nothing.
    pub fn load(user: &Path, project: Option<&Path>) -> Self {
        let mut config = Self::default();
        let theirs = config.read(user);
        let ours = project.map(|project| (project, config.read(project)));
        config.take_user(user, theirs);
        if let Some((project, file)) = ours {
            config.take_project(project, file);
        }
        config
    }

    /// The servers of a file by name.
    fn read(&mut self, path: &Path) -> Map<String, Value> {
        match read_object(path) {
            Ok((mut file, unknown)) => {
                self.warnings.extend(unknown.into_iter().map(|problem| ConfigError::new(path, problem)));
                match file.get("autoEnableCodemode") {
                    None | Some(Value::Null) => {}
                    Some(Value::Bool(on)) => self.auto_enable_codemode = Some(*on),
                    Some(_) => self.complain(path, "autoEnableCodemode must be true or false"),
                }
                match file.remove("mcpServers") {
                    None | Some(Value::Null) => Map::new(),
                    Some(Value::Object(servers)) => servers,
                    Some(_) => {
                        self.complain(path, "mcpServers must be an object");
                        Map::new()
                    }
                }
            }
            Err(problem) => {
                self.complain(path, problem);
                Map::new()
            }
        }
    }

    fn complain(&mut self, path: &Path, problem: impl Into<String>) {
        self.errors.push(ConfigError::new(path, problem));
    }

    fn take_user(&mut self, path: &Path, servers: Map<String, Value>) {
        for (name, entry) in servers {
            self.take(path, Scope::Global, name, entry);
        }
    }

    fn take_project(&mut self, path: &Path, servers: Map<String, Value>) {
        // Two entries of the project may not meet in the place of one of the user's.
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for (name, entry) in servers {
            if let Some(other) = seen.insert(namespace(&name), name.clone()) {
                self.complain(path, conflict(&name, &other));
                seen.insert(namespace(&name), other);
                continue;
            }
            let at = self.servers.iter().position(|known| namespace(&known.name) == namespace(&name));
            let is_change = ["command", "url", "type"].iter().all(|key| entry.get(*key).is_none_or(Value::is_null));
            match (at, is_change && entry.is_object()) {
                (Some(at), true) => {
                    if let Err(problem) = change(&mut self.servers[at], path, &entry) {
                        self.complain(path, format!("server \"{name}\": {problem}"));
                    }
                }
                (Some(at), false) => {
                    if self.is_allowed(path, &name, &entry)
                        && let Some(new) = self.parsed(path, Scope::Project, name, entry)
                    {
                        self.servers[at] = new;
                    }
                }
                (None, true) if entry.as_object().is_some_and(|keys| !keys.is_empty()) => {
                    let problem = format!(
                        "server \"{name}\": your own mcp.json has no such server whose entry this could change; give it command or url"
                    );
                    self.complain(path, problem);
                }
                (None, _) => {
                    if self.is_allowed(path, &name, &entry) {
                        self.take(path, Scope::Project, name, entry);
                    }
                }
            }
        }
    }

    /// A project must not have logins of the user sent anywhere.
    fn is_allowed(&mut self, path: &Path, name: &str, entry: &Value) -> bool {
        let sends = entry.get("auth").is_some_and(|auth| !auth.is_null());
        if sends {
            self.complain(
                path,
                format!("server \"{name}\": auth is for the user's own mcp.json; move the entry there"),
            );
        }
        !sends
    }

    fn take(&mut self, path: &Path, scope: Scope, name: String, entry: Value) {
        if let Some(other) = self.servers.iter().find(|known| namespace(&known.name) == namespace(&name)) {
            let problem = conflict(&name, &other.name);
            return self.complain(path, problem);
        }
        if let Some(entry) = self.parsed(path, scope, name, entry) {
            self.servers.push(entry);
        }
    }

    fn parsed(&mut self, path: &Path, scope: Scope, name: String, entry: Value) -> Option<Entry> {
        match ServerConfig::parse(&name, entry) {
            Ok(config) => Some(Entry { name, config, scope, source: path.display().to_string(), changed_by: None }),
            Err(problem) => {
                self.complain(path, problem);
                None
            }
        }
    }
}

fn conflict(name: &str, other: &str) -> String {
    format!("server \"{name}\" conflicts with \"{other}\": their tools would have the same names; rename one of them")
}

/// Changes how tools of a server are reached.
fn change(known: &mut Entry, path: &Path, change: &Value) -> Result<(), String> {
    let Value::Object(change) = change else { return Err("the entry must be an object".to_owned()) };
    let entry: Map<String, Value> =
        CHANGES.iter().filter_map(|key| Some(((*key).to_owned(), change.get(*key)?.clone()))).collect();
    // The check of whole entries says what is wrong with these keys.
    let mut whole = entry.clone();
    whole.insert("command".to_owned(), Value::from("x"));
    let checked = ServerConfig::parse(&known.name, Value::Object(whole)).map_err(|problem| {
        problem.strip_prefix(&format!("server \"{}\": ", known.name)).map_or(problem.clone(), str::to_owned)
    })?;
    let is_there = |key: &str| entry.get(key).is_some_and(|value| !value.is_null());
    if is_there("enabled") {
        known.config.enabled = checked.enabled;
    }
    if is_there("exposure") {
        known.config.exposure = checked.exposure;
    }
    if is_there("toolExposure") {
        known.config.tool_exposure = checked.tool_exposure;
    }
    known.changed_by = Some(path.to_owned());
    Ok(())
}

/// The object in a file; a file that is not there holds an empty one.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, String> {
    let bytes = match tau_tools::read_bounded(path, MOST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("the file cannot be read: {error}")),
    };
    String::from_utf8(bytes).map(Some).map_err(|_| "the file cannot be read: it is no UTF-8 text".to_owned())
}

/// The object in a file, and what in it means nothing.
fn read_object(path: &Path) -> Result<(Map<String, Value>, Vec<String>), String> {
    let Some(text) = read_text(path)? else { return Ok(Default::default()) };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim().is_empty() {
        return Ok(Default::default());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(file)) => Ok((file, warnings(text))),
        Ok(_) => Err("the file must hold a JSON object".to_owned()),
        Err(error) => Err(format!("the file is no JSON: {error}")),
    }
}

/// The exposures that a server may use, for callers that want to know before it is connected.
impl Entry {
    /// Whether the first prompt has to wait for the server: some of its tools are declared.
    pub fn has_direct_tools(&self) -> bool {
        self.config.enabled && self.config.may_expose(Exposure::Direct)
    }

    /// How its tools are reached that are not declared, if there may be some.
    pub fn indirect(&self) -> Option<Exposure> {
        [Exposure::Codemode, Exposure::Deferred].into_iter().find(|exposure| self.config.may_expose(*exposure))
    }
}
