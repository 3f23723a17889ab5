//! Where the servers of a session are named: in the files, or by a program in their place; by the program around tau; by
//! extensions.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tau_hooks::{ActionError, Api, Ctx, HandlerError, McpServer};

use super::options::Options;
use crate::config::{Config, Entry, FILE, Scope, ServerConfig};
use crate::names::namespace;

/// A configuration in place of the files, as pi's `LoadedMcpConfig` in JSON; nothing until the program has one.
pub type GivenConfig = Arc<Mutex<Option<Value>>>;

/// Where servers are looked for, beside those that are handed over or registered.
#[derive(Clone)]
pub(super) struct Sources {
    /// In place of the files.
    given: Option<GivenConfig>,
    /// A program put the extension into the session itself, whatever the user said of extensions of tau.
    is_of_program: bool,
}

impl Sources {
    pub(super) fn files() -> Self {
        Self { given: None, is_of_program: false }
    }

    pub(super) fn of_program(given: Option<GivenConfig>) -> Self {
        Self { given, is_of_program: true }
    }

    /// Whether a program put the extension into the session.
    pub(super) fn is_of_program(&self) -> bool {
        self.is_of_program
    }

    /// A quick look: whether there may be a server, as far as is known without reading a file.
    pub(super) fn may_have_any(&self, api: &Api) -> Result<bool, ActionError> {
        if !api.mcp_servers()?.is_empty() || !api.hosted_mcp_servers()?.is_empty() || self.given.is_some() {
            return Ok(true);
        }
        let folders = api.folders()?;
        Ok(is_there(&folders.agent_dir.join(FILE)) || is_there(&folders.project_dir.join(FILE)))
    }

    /// What the files say, or what stands in their place, and what is wrong beside that.
    pub(super) fn config(
        &self,
        ctx: &Ctx,
        options: &Options,
        api: &Api,
    ) -> Result<(Config, Vec<String>), HandlerError> {
        if let Some(given) = &self.given {
            return Ok(given.lock().as_ref().map(parsed).unwrap_or_default());
        }
        let project = api.folders()?.project_dir.join(FILE);
        let project = ctx.host().is_project_trusted().then_some(project);
        Ok((Config::load(&options.user_file(), project.as_deref()), Vec::new()))
    }
}

/// Also when it cannot be looked at: what is wrong is found out when it is read.
fn is_there(file: &Path) -> bool {
    !matches!(std::fs::metadata(file), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}

/// A configuration that a program made.
fn parsed(given: &Value) -> (Config, Vec<String>) {
    let mut config = Config { auto_enable_codemode: given["autoEnableCodemode"].as_bool(), ..Config::default() };
    let texts = given["errors"].as_array().into_iter().flatten();
    let mut problems: Vec<String> = texts.filter_map(|text| text.as_str().map(str::to_owned)).collect();
    for server in given["servers"].as_array().into_iter().flatten() {
        let name = server["name"].as_str().unwrap_or_default();
        let source = server["source"].as_str().unwrap_or("loadConfig").to_owned();
        let scope = match server["scope"].as_str() {
            Some("project") => Scope::Project,
            Some("extension") => Scope::Extension,
            _ => Scope::Global,
        };
        let changed_by = server["override"].as_str().map(Into::into);
        match ServerConfig::parse(name, server["config"].clone()) {
            Ok(parsed) => {
                let entry = Entry { name: name.to_owned(), config: parsed, scope, source, changed_by };
                put(&mut config.servers, entry, &mut problems);
            }
            Err(problem) => problems.push(format!("{source}: {problem}")),
        }
    }
    (config, problems)
}

/// Adds a server, unless another one has its name.
fn put(all: &mut Vec<Entry>, entry: Entry, problems: &mut Vec<String>) {
    match all.iter().find(|other| namespace(&other.name) == namespace(&entry.name)) {
        None => all.push(entry),
        Some(other) => problems.push(format!(
            "{}: server \"{}\" conflicts with \"{}\": their tools would have the same names",
            entry.source, entry.name, other.name
        )),
    }
}

/// All servers of a session, and what is wrong with some. Those of the files come before those that are handed over, and
/// these before those of extensions; an earlier one stands for a later one of the same name.
pub(super) fn entries(config: &Config, api: &Api) -> Result<(Vec<Entry>, Vec<String>), HandlerError> {
    let mut problems: Vec<String> = config.errors.iter().chain(&config.warnings).map(ToString::to_string).collect();
    let mut all = config.servers.clone();
    let mut hosted = Vec::new();
    for server in api.hosted_mcp_servers()? {
        match ServerConfig::parse(&server.name, server.config) {
            Ok(config) => {
                let config = ServerConfig { is_literal: true, ..config };
                let (source, scope) = (server.host.to_string(), Scope::Host);
                let entry = Entry { name: server.name, config, scope, source, changed_by: None };
                put(&mut hosted, entry, &mut problems);
            }
            Err(problem) => problems.push(format!("{}: {problem}", server.host)),
        }
    }
    let mut registered = Vec::new();
    for McpServer { name, config, extension_path } in api.mcp_servers()? {
        match ServerConfig::parse(&name, config) {
            Ok(config) => {
                let (source, scope) = (extension_path.to_string(), Scope::Extension);
                registered.push(Entry { name, config, scope, source, changed_by: None });
            }
            Err(problem) => problems.push(format!("{extension_path}: {problem}")),
        }
    }
    for entry in hosted.into_iter().chain(registered) {
        let is_taken = all.iter().any(|other| namespace(&other.name) == namespace(&entry.name));
        if !is_taken {
            all.push(entry);
        }
    }
    Ok((all, problems))
}
