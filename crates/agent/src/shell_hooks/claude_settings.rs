//! Commands in the settings files of Claude Code.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tau_tools::read_small_text;

use super::hook::{Calls, Matcher, Program, ShellHook, Tools};
use crate::extensions::hooks::{HookMoment, ToolNames};
use crate::extensions::{ExtensionOrigin, Form, FoundExtension, Hint};
use crate::settings::Environment;

/// The moments that there are here too.
const MOMENTS: &[(&str, HookMoment, Calls)] = &[
    ("PreToolUse", HookMoment::Pre, Calls::All),
    ("PostToolUse", HookMoment::Post, Calls::Succeeded),
    ("PostToolUseFailure", HookMoment::Post, Calls::Failed),
];

/// What the files say.
#[derive(Default)]
pub(crate) struct Listed {
    pub files: Vec<FoundExtension>,
    pub warnings: Vec<(PathBuf, String)>,
}

/// The commands of the user and, when it may be looked at, of the project.
pub(crate) fn find(env: &Environment, project: bool) -> Listed {
    let mut listed = Listed::default();
    let user = env.home.join(".claude/settings.json");
    let of_project = if project { project_files(env, &user) } else { Vec::new() };
    let user = [(user, ExtensionOrigin::UserHooks)].into_iter();
    for (path, origin) in user.chain(of_project.into_iter().map(|path| (path, ExtensionOrigin::ProjectHooks))) {
        match read(&path) {
            Ok(Some(hooks)) => listed.add(&path, origin, &hooks),
            Ok(None) => {}
            // It may have named a gate.
            Err(error) => listed.files.push(unusable(path.display().to_string(), origin, error)),
        }
    }
    listed
}

/// The files of the project that name commands.
pub(crate) fn files_of_project(env: &Environment) -> Vec<PathBuf> {
    let user = env.home.join(".claude/settings.json");
    let names_commands = |path: &PathBuf| read(path).is_ok_and(|hooks| hooks.is_some());
    project_files(env, &user).into_iter().filter(names_commands).collect()
}

fn project_files(env: &Environment, user: &Path) -> Vec<PathBuf> {
    let files = ["settings.json", "settings.local.json"].map(|name| env.cwd.join(".claude").join(name));
    files.into_iter().filter(|path| path != user).collect()
}

/// The hooks of a file; none when there are none, or they are switched off.
fn read(path: &Path) -> Result<Option<Map<String, Value>>, String> {
    let text = match read_small_text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("hooks cannot be read: {error}")),
    };
    let settings: Value = serde_json::from_str(&text).map_err(|error| format!("hooks cannot be read: {error}"))?;
    let mut settings = match settings {
        Value::Object(settings) => settings,
        other => return Err(wrong("the file", "an object", &other)),
    };
    if settings.get("disableAllHooks") == Some(&Value::Bool(true)) {
        return Ok(None);
    }
    match settings.shift_remove("hooks") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(hooks)) => Ok(Some(hooks).filter(|hooks| !hooks.is_empty())),
        Some(other) => Err(wrong("`hooks`", "an object", &other)),
    }
}

/// What to say of a value that is no place for commands: it may have held a guard.
fn wrong(what: &str, expected: &str, value: &Value) -> String {
    let found = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("hooks cannot be read: {what} must be {expected} and is {found}")
}

/// A group of commands: its index, itself and what it holds.
type Group<'a> = (usize, &'a Value, &'a [Value]);

/// The groups of an event, and what has the wrong shape.
fn groups<'a>(event: &str, hooks: &'a Map<String, Value>) -> (Vec<Group<'a>>, Vec<String>) {
    let (mut groups, mut faults) = (Vec::new(), Vec::new());
    match hooks.get(event) {
        None | Some(Value::Null) => {}
        Some(Value::Array(all)) => {
            for (index, group) in all.iter().enumerate() {
                let commands = match group {
                    Value::Object(fields) => fields.get("hooks").unwrap_or(&Value::Null),
                    other => {
                        faults.push(wrong(&format!("`hooks.{event}.{index}`"), "an object", other));
                        continue;
                    }
                };
                match commands {
                    Value::Array(commands) => groups.push((index, group, commands.as_slice())),
                    other => faults.push(wrong(&format!("`hooks.{event}.{index}.hooks`"), "a list", other)),
                }
            }
        }
        Some(other) => faults.push(wrong(&format!("`hooks.{event}`"), "a list", other)),
    }
    (groups, faults)
}

impl Listed {
    fn add(&mut self, path: &Path, origin: ExtensionOrigin, hooks: &Map<String, Value>) {
        for (event, moment, calls) in MOMENTS {
            let (groups, faults) = groups(event, hooks);
            if !faults.is_empty() {
                let place = match moment {
                    // Nobody knows which guards are lost, so it is the file that fails, and with it all of its guards.
                    HookMoment::Pre => path.display().to_string(),
                    HookMoment::Post => format!("{}#{event}", path.display()),
                };
                self.files.push(unusable(place, origin, faults.join("; ")));
            }
            for (group_index, group, commands) in groups {
                let mut pattern = group.get("matcher").and_then(Value::as_str).unwrap_or_default();
                if *moment == HookMoment::Pre
                    && let Err(error) = Matcher::new(&Tools::Matching(pattern.to_owned()))
                {
                    // A guard is there for some tool: who cannot tell for which one asks it about each.
                    let told = format!(
                        "the matcher of {event}.{group_index} is no regular expression that tau knows, so its commands run before every tool: {error}"
                    );
                    self.warnings.push((path.to_path_buf(), told));
                    pattern = "*";
                }
                for (index, command) in commands.iter().enumerate() {
                    let place = format!("{}#{event}.{group_index}.{index}", path.display());
                    let form = match hook(command, pattern, *moment, *calls) {
                        Ok(hook) => Form::Shell(Arc::new(hook)),
                        Err(reason) => Form::Unusable(reason),
                    };
                    let name = format!("{event}.{group_index}.{index}");
                    let hint = Hint::SHELL;
                    self.files.push(FoundExtension { name, form, hint, ..FoundExtension::module(place, origin) });
                }
            }
        }
    }
}

fn unusable(place: String, origin: ExtensionOrigin, why: String) -> FoundExtension {
    FoundExtension { form: Form::Unusable(why), hint: Hint::SHELL, ..FoundExtension::module(place, origin) }
}

fn hook(entry: &Value, pattern: &str, moment: HookMoment, calls: Calls) -> Result<ShellHook, String> {
    let tools = Tools::Matching(pattern.to_owned());
    Matcher::new(&tools).map_err(|error| format!("its matcher is no regular expression that tau knows: {error}"))?;
    let kind = entry.get("type").and_then(Value::as_str).unwrap_or("command");
    let command = entry.get("command").and_then(Value::as_str).filter(|command| !command.trim().is_empty());
    let command = match (kind, command) {
        ("command", Some(command)) => command.to_owned(),
        ("command", None) => return Err("it names no command".to_owned()),
        (kind, _) => return Err(format!("tau runs commands, and this is of the type `{kind}`")),
    };
    let seconds = entry.get("timeout").and_then(Value::as_f64);
    let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Ok(ShellHook {
        moment,
        tools,
        calls,
        program: Program::Command(command),
        names: ToolNames::Claude,
        timeout: timeout.filter(|timeout| !timeout.is_zero()),
        plugin: None,
    })
}
