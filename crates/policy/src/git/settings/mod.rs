//! The settings of git that apply to a call: of its arguments, its environment, the script before it, and the repository.

mod environment;
mod file;
mod parameters;

use std::path::Path;
use std::rc::Rc;

use tau_git::{Repository, Scope};

use crate::invocation::Invocation;
use crate::site::Site;
use crate::text::Text;
use crate::world::{File, World};

use super::globals::Globals;
use super::place::{Located, variable};
use super::state::Repositories;
use super::words::{split, unknown};
use environment::Environment;

/// How long a file of settings may be, in bytes.
const LONGEST: u64 = 256 * 1024;
/// How deep files of settings may include others.
const DEEPEST: usize = 4;

/// Variables that put another file in place of the user's settings, and the path of the settings below their value.
const USER_FILES: &[(&str, &str)] = &[
    ("GIT_CONFIG_GLOBAL", ""),
    ("HOME", ".gitconfig"),
    ("HOME", ".config/git/config"),
    ("XDG_CONFIG_HOME", "git/config"),
];
/// Variables that put another file in place of the system's settings.
const SYSTEM_FILES: &[(&str, &str)] = &[("GIT_CONFIG_SYSTEM", "")];

/// A setting that the command or the script makes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    /// Its name: section and value in lower case.
    pub(super) key: String,
    /// Its value; `None` if it has none, or was removed.
    pub(super) value: Option<Text>,
    /// The argument that makes it.
    pub(super) site: Site,
}

/// The settings that apply to a call.
#[derive(Default)]
pub(super) struct Settings {
    /// Those of the command and the script; of two with one name the last applies.
    own: Vec<Setting>,
    repository: Option<Rc<Repository>>,
    session: Environment,
    /// Whether the command has other settings in variables than the session.
    drops_session: bool,
    /// The scopes that the command leaves out.
    dropped: Vec<Scope>,
    /// Whether a setting may be any.
    pub(super) is_unknown: bool,
}

impl Settings {
    /// Collects them.
    pub(super) fn new(
        invocation: &Invocation,
        globals: &Globals,
        located: &Located,
        state: &Repositories,
        world: &dyn World,
    ) -> Self {
        let mut new = Self { repository: located.repository.clone(), ..Self::default() };
        for made in state.settings(located.common.as_deref()) {
            new.own.push(Setting { key: made.key.clone(), value: made.value.clone(), site: invocation.site });
        }
        new.read_files(invocation, located, world);
        new.read_variables(invocation, world);
        for given in &globals.options {
            match (given.name.as_str(), &given.value) {
                ("c", Some(value)) => new.add_argument(value, given.site),
                ("config-env", Some(value)) => new.add_variable(value, given.site, invocation, world),
                _ => {}
            }
        }
        new.is_unknown |= globals.is_unknown;
        new.include(located, world);
        new
    }

    /// Reads files that settings of the command include.
    fn include(&mut self, located: &Located, world: &dyn World) {
        let included: Vec<Setting> = self.own.iter().filter(|setting| is_include(&setting.key)).cloned().collect();
        for setting in included {
            let Some(value) = setting.value else { continue };
            let folder = located.directory.known();
            let path = value.known().and_then(|path| match path.strip_prefix("~/") {
                Some(below) => world.home(None).map(|home| home.join(below)),
                None => folder.map(|folder| folder.join(path)),
            });
            match path {
                Some(path) => self.read(&path, true, DEEPEST, setting.site, world),
                None => self.is_unknown = true,
            }
        }
    }

    /// The value that applies. A setting without a value is `true`.
    pub(super) fn get(&self, key: &str) -> Option<Text> {
        let key = normal(key);
        match self.own.iter().rev().find(|setting| setting.key == key) {
            Some(setting) => setting.value.clone(),
            None => self.configured(&key),
        }
    }

    /// The value that the command or the script gives it.
    pub(super) fn own_value(&self, key: &str) -> Option<Text> {
        let key = normal(key);
        self.own.iter().rev().find(|setting| setting.key == key)?.value.clone()
    }

    /// The value without what the command and the script say.
    pub(super) fn configured(&self, key: &str) -> Option<Text> {
        if let Some(value) = self.in_session(key).filter(|_| !self.drops_session) {
            return Some(value);
        }
        let value = self.repository.as_ref()?.setting(key)?;
        (!self.dropped.contains(&value.scope)).then(|| Text::new(value.value))
    }

    /// The value before the command dropped the settings of the session, the user or the system, if it did.
    pub(super) fn lost(&self, key: &str) -> Option<Text> {
        if let Some(value) = self.in_session(key) {
            return self.drops_session.then_some(value);
        }
        let value = self.repository.as_ref()?.setting(key)?;
        self.dropped.contains(&value.scope).then(|| Text::new(value.value))
    }

    /// What the command and the script say.
    pub(super) fn own(&self) -> &[Setting] {
        &self.own
    }

    fn add(&mut self, key: &str, value: Option<Text>, site: Site) {
        self.own.push(Setting { key: normal(key), value, site });
    }

    fn add_all(&mut self, made: Vec<(String, Option<String>)>, site: Site) {
        for (key, value) in made {
            self.add(&key, Some(Text::new(value.unwrap_or_else(|| "true".to_owned()))), site);
        }
    }

    /// `key=value`
    fn add_argument(&mut self, text: &Text, site: Site) {
        match (split(text, '='), text.known()) {
            (Some((key, value)), _) => match key.known() {
                Some(key) => self.add(key, Some(value), site),
                None => self.is_unknown = true,
            },
            (None, Some(key)) => self.add(key, Some(Text::new("true")), site),
            (None, None) => self.is_unknown = true,
        }
    }

    /// `key=VARIABLE`
    fn add_variable(&mut self, text: &Text, site: Site, invocation: &Invocation, world: &dyn World) {
        let Some((key, name)) = text.known().and_then(|text| text.rsplit_once('=')) else {
            return self.is_unknown = true;
        };
        let value = variable(invocation, name, world).unwrap_or_else(unknown);
        self.add(key, Some(value), site);
    }

    /// Settings in variables: those of the session are as good as those of files, unless the command changes them.
    fn read_variables(&mut self, invocation: &Invocation, world: &dyn World) {
        if !invocation.is_elsewhere() {
            self.session = Environment::new(&|name| world.variable(name).map(Text::new));
        }
        let here = Environment::new(&|name| variable(invocation, name, world));
        self.is_unknown |= here.is_unknown;
        self.drops_session = here != self.session;
        if self.drops_session {
            for (key, value) in here.settings {
                self.add(&key, value, invocation.site);
            }
        }
    }

    /// A setting in a variable of the session.
    fn in_session(&self, key: &str) -> Option<Text> {
        let mut settings = self.session.settings.iter().rev();
        settings.find(|(known, _)| normal(known) == key).and_then(|(_, value)| value.clone())
    }

    /// The files that the command puts in place of those of the user and the system.
    fn read_files(&mut self, invocation: &Invocation, located: &Located, world: &dyn World) {
        if invocation.variable("GIT_CONFIG_NOSYSTEM").flatten().is_some() {
            self.dropped.push(Scope::System);
        }
        for (scope, files) in [(Scope::System, SYSTEM_FILES), (Scope::User, USER_FILES)] {
            for (name, below) in files {
                let Some(value) = invocation.variable(name) else { continue };
                self.dropped.push(scope);
                let Some(text) = value else { continue };
                let path = text.known().zip(located.directory.known());
                let path = path.map(|(path, folder)| folder.join(path).join(below));
                match path {
                    Some(path) => self.read(&path, below.is_empty(), DEEPEST, invocation.site, world),
                    None => self.is_unknown = true,
                }
            }
        }
    }

    fn read(&mut self, path: &Path, must_exist: bool, depth: usize, site: Site, world: &dyn World) {
        // What ends in a slash here is what stands before it.
        let path: std::path::PathBuf = path.components().collect();
        if path == Path::new("/dev/null") {
            return;
        }
        let text = match world.file(&path, LONGEST) {
            File::Text(text) => text,
            File::Missing if !must_exist => return,
            // The script may write it before.
            _ => return self.is_unknown = true,
        };
        for (key, value) in file::settings(&text) {
            match value.filter(|_| is_include(&normal(&key))) {
                Some(_) if depth == 0 => self.is_unknown = true,
                Some(other) => {
                    let folder = path.parent().unwrap_or(&path);
                    self.read(&folder.join(other), false, depth - 1, site, world);
                }
                None => {}
            }
        }
        self.add_all(file::settings(&text), site);
    }
}

/// Whether a setting names a file with more settings.
fn is_include(key: &str) -> bool {
    key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path"))
}

/// A name as it is compared: sections and values in any case, what stands between them as it is.
pub(super) fn normal(key: &str) -> String {
    match (key.split_once('.'), key.rsplit_once('.')) {
        (Some((section, _)), Some((before, name))) => {
            let between = before.get(section.len()..).unwrap_or_default();
            format!("{}{between}.{}", section.to_ascii_lowercase(), name.to_ascii_lowercase())
        }
        _ => key.to_ascii_lowercase(),
    }
}
