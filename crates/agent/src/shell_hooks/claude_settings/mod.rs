//! Commands in the settings files of Claude Code, and in the files that its plugins have for them.

mod content;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use content::{Content, groups, may_guard, nearest_event, read};

use crate::found::Condition;
use crate::found::id_of;
use crate::found::{Calls, Matcher, Program, ShellHook, Tools, misspelt};
use crate::found::{Form, FoundExtension, GateFault, Hint, Skipped, StandingCommands};
use crate::found::{HookLevel, HookMoment, ToolNames};
use crate::found::{Moment, is_elsewhere, session_moment};
use crate::origin::ExtensionOrigin;
use crate::settings::{Environment, keys};

/// The moments of tools.
const TOOL_MOMENTS: &[(&str, HookMoment, Calls)] = &[
    ("PreToolUse", HookMoment::Pre, Calls::All),
    ("PostToolUse", HookMoment::Post, Calls::Succeeded),
    ("PostToolUseFailure", HookMoment::Post, Calls::Failed),
];

/// The moment whose commands guard tools.
const GUARD: &str = "PreToolUse";

/// The setting that lets the commands run.
const SWITCH: &str = keys::SHELL_HOOKS_CLAUDE_SETTINGS.name();
/// What is said of files with commands while nobody has set the switch.
pub(crate) const UNDECIDED: &str = "tau does not run its hooks; set tau.shellHooks.claudeSettings to true to run them, or to \
                                    false to leave them out without this warning";

/// Where a file of a plugin is, below its root.
const OF_PLUGIN: &str = "hooks/hooks.json";

/// What the files say.
#[derive(Default)]
pub(crate) struct Listed {
    pub files: Vec<FoundExtension>,
    pub skipped: Vec<Skipped>,
    pub warnings: Vec<(PathBuf, String)>,
    /// What may hide a guard.
    pub faults: Vec<GateFault>,
    /// Where the commands stand: one of them may be a guard that somebody moved.
    pub standing: Vec<StandingCommands>,
    /// Files whose guards are switched off, with whose they are.
    pub off: Vec<(PathBuf, ExtensionOrigin)>,
}

/// A file that may name commands.
struct Source {
    path: PathBuf,
    origin: ExtensionOrigin,
    /// The plugin that it belongs to.
    plugin: Option<PathBuf>,
}

/// The commands of the user, of plugins and, when it may be looked at, of the project. Of commands that do the same the
/// first runs.
pub(crate) fn find(env: &Environment, project: bool, plugins: &[(PathBuf, HookLevel)]) -> Listed {
    let mut listed = Listed::default();
    for source in sources(env, project, plugins) {
        match read(&source.path) {
            Ok(Some(content)) => listed.add(&source, &content),
            Ok(None) => {}
            // It may have named a gate, and nobody knows which.
            Err(error) => {
                let file = source.path.clone();
                listed.faults.push(GateFault { file, id: None, reason: error.clone(), matcher: None });
                listed.files.push(unusable(source.path.display().to_string(), source.origin, error));
            }
        }
    }
    listed.without_repeated()
}

/// The files that name commands, for those who pass over all of them, also of a project that is not trusted.
pub(crate) fn passed_over(env: &Environment, plugins: &[(PathBuf, HookLevel)]) -> Vec<Skipped> {
    let named = sources(env, true, plugins).into_iter().filter(|source| !matches!(read(&source.path), Ok(None)));
    let reason = format!("its commands run only when the setting {SWITCH} is true");
    named.map(|source| skipped(source.path, source.origin, reason.clone(), None)).collect()
}

fn sources(env: &Environment, project: bool, plugins: &[(PathBuf, HookLevel)]) -> Vec<Source> {
    let user = env.home.join(".claude/settings.json");
    let of_project = if project { project_files(env, &user) } else { Vec::new() };
    let file = |origin| move |path| Source { path, origin, plugin: None };
    let of_plugins = plugins.iter().map(|(root, level)| Source {
        path: root.join(OF_PLUGIN),
        origin: match level {
            HookLevel::User => ExtensionOrigin::UserHooks,
            HookLevel::Project => ExtensionOrigin::ProjectHooks,
        },
        plugin: Some(root.clone()),
    });
    let user = std::iter::once(user).map(file(ExtensionOrigin::UserHooks));
    user.chain(of_project.into_iter().map(file(ExtensionOrigin::ProjectHooks))).chain(of_plugins).collect()
}

/// The files of the project with commands that would run.
pub(crate) fn files_of_project(env: &Environment, plugins: &[(PathBuf, HookLevel)]) -> Vec<PathBuf> {
    let runs = |source: &Source| {
        let mut listed = Listed::default();
        if let Ok(Some(content)) = read(&source.path) {
            listed.add(source, &content);
        }
        listed.files.iter().any(|file| matches!(file.form, Form::Shell(_)))
    };
    let of_project = sources(env, true, plugins).into_iter();
    let of_project = of_project.filter(|source| source.origin == ExtensionOrigin::ProjectHooks && runs(source));
    of_project.map(|source| source.path).collect()
}

fn skipped(path: PathBuf, origin: ExtensionOrigin, reason: String, shadowed_by: Option<PathBuf>) -> Skipped {
    Skipped { path, source: origin.to_string(), reason, shadowed_by }
}

fn project_files(env: &Environment, user: &Path) -> Vec<PathBuf> {
    let files = ["settings.json", "settings.local.json"].map(|name| env.cwd.join(".claude").join(name));
    files.into_iter().filter(|path| path != user).collect()
}

/// When the commands of an event run.
#[derive(Clone, Copy)]
struct At<'a> {
    event: &'a str,
    moment: Moment,
    calls: Calls,
}

impl At<'_> {
    fn of(event: &str) -> Option<At<'_>> {
        let tool = TOOL_MOMENTS.iter().find(|(name, ..)| *name == event);
        let tool = tool.map(|(_, moment, calls)| At { event, moment: (*moment).into(), calls: *calls });
        let session = || session_moment(event).map(|moment| (Moment::Session(moment), Calls::All));
        tool.or_else(|| session().map(|(moment, calls)| At { event, moment, calls }))
    }
}

/// Whether commands for the event of this name can forbid something.
fn is_gate(event: &str) -> bool {
    At::of(event).is_some_and(|at| at.moment.is_gate())
}

impl Listed {
    fn add(&mut self, source: &Source, content: &Content) {
        for strange in &content.strange {
            self.warnings.push((source.path.clone(), strange.text.clone()));
            if strange.hides_guard {
                self.fault(source, &strange.text, strange.id.clone());
            }
        }
        if content.is_off {
            self.off.push((source.path.clone(), source.origin));
            let reason = "the file switches its commands off with `disableAllHooks`".to_owned();
            self.skipped.push(skipped(source.path.clone(), source.origin, reason, None));
        }
        for (event, value) in &content.hooks {
            self.note_standing(source, event, value);
            match At::of(event) {
                Some(at) => self.add_event(source, at, value),
                None => self.pass_over(source, event, value),
            }
        }
    }

    /// Takes note of what may hide a guard.
    fn fault(&mut self, source: &Source, reason: &str, id: String) {
        let file = source.path.clone();
        self.faults.push(GateFault { file, id: Some(id), reason: reason.to_owned(), matcher: None });
    }

    /// Takes note of a field that names no tool: the guard behind it may have been there for one.
    fn note_misspelt(&mut self, source: &Source, place: &str, what: &str, pattern: &str, id: String) {
        let Some(misspelt) = misspelt(pattern, &[]) else { return };
        let reason = format!("{place}: {}", misspelt.text(what, pattern));
        let (file, matcher) = (source.path.clone(), Some(pattern.to_owned()));
        self.faults.push(GateFault { file, id: Some(id), reason, matcher });
    }

    /// Takes note of where commands stand: one of them may be a guard that was moved.
    fn note_standing(&mut self, source: &Source, event: &str, value: &Value) {
        let (groups, _) = groups(event, value);
        let commands = groups.iter().flat_map(|(_, _, commands)| commands.iter());
        let ids: Vec<String> =
            commands.filter_map(|entry| entry.get("command")?.as_str().map(|command| id_of(&[command]))).collect();
        if !ids.is_empty() {
            self.standing.push(StandingCommands { file: source.path.clone(), event: event.to_owned(), ids });
        }
    }

    fn add_event(&mut self, source: &Source, at: At<'_>, value: &Value) {
        let (Source { path, origin, plugin }, event) = (source, at.event);
        let (groups, faults) = groups(event, value);
        if !faults.is_empty() {
            let place = if at.moment.is_gate() {
                // Nobody knows which guards are lost, so it is the file that fails.
                path.display().to_string()
            } else {
                format!("{}#{event}", path.display())
            };
            let texts: Vec<&str> = faults.iter().map(|(text, _)| text.as_str()).collect();
            self.files.push(unusable(place, *origin, texts.join("; ")));
        }
        for (text, value) in faults.into_iter().filter(|_| at.moment.is_gate()) {
            self.fault(source, &text, id_of(&[event, &value.to_string()]));
        }
        for (group_index, group, commands) in groups {
            let written = group.get("matcher").and_then(Value::as_str).unwrap_or_default();
            let mut pattern = written;
            if at.moment.is_gate()
                && let Err(error) = Matcher::new(&Tools::Matching(pattern.to_owned()))
            {
                // A guard is there for some tool: who cannot tell for which one asks it about each.
                let told = format!(
                    "the matcher of {event}.{group_index} is no regular expression that tau knows, so its commands run before every tool: {error}"
                );
                self.warnings.push((path.clone(), told));
                pattern = "*";
            }
            if at.event == GUARD {
                let id = id_of(&[event, written, &Value::from(commands).to_string()]);
                self.note_misspelt(source, &format!("{event}.{group_index}"), "matcher", pattern, id);
            }
            for (index, command) in commands.iter().enumerate() {
                let name = format!("{event}.{group_index}.{index}");
                let place = format!("{}#{name}", path.display());
                let rule = command.get("if").and_then(Value::as_str).and_then(|rule| Condition::parse(rule).ok());
                if at.event == GUARD
                    && let Some(rule) = rule
                {
                    let id = id_of(&[event, written, &command.to_string()]);
                    self.note_misspelt(source, &name, "`if`", rule.tool(), id);
                }
                let form = match hook(command, pattern, at) {
                    Ok(hook) => Form::Shell(Arc::new(ShellHook { plugin: plugin.clone(), ..hook })),
                    Err(reason) => {
                        if at.moment.is_gate() {
                            let text = format!("{name}: {reason}");
                            self.fault(source, &text, id_of(&[event, written, &command.to_string()]));
                        }
                        Form::Unusable(reason)
                    }
                };
                let hint = Hint::SHELL;
                self.files.push(FoundExtension { name, form, hint, ..FoundExtension::module(place, *origin) });
            }
        }
    }

    /// Takes note of commands for an event that tau does not have.
    fn pass_over(&mut self, source: &Source, event: &str, value: &Value) {
        let path = PathBuf::from(format!("{}#{event}", source.path.display()));
        if is_elsewhere(event) {
            let reason = format!("tau has no moment like {event} of Claude Code");
            self.skipped.push(skipped(path, source.origin, reason, None));
            return;
        }
        let hint = nearest_event(event).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let text = format!("`{event}` is no event of hooks, so its commands never run{hint}");
        if may_guard(event) {
            self.fault(source, &text, id_of(&[event, &value.to_string()]));
        }
        self.skipped.push(skipped(path, source.origin, text.clone(), None));
        self.warnings.push((source.path.clone(), text));
    }

    /// Of commands that do the same only the first.
    fn without_repeated(mut self) -> Self {
        let mut kept: Vec<FoundExtension> = Vec::new();
        for file in self.files {
            let same = |other: &&FoundExtension| match (&other.form, &file.form) {
                (Form::Shell(one), Form::Shell(other)) => one.is_same(other),
                _ => false,
            };
            match kept.iter().find(same) {
                None => kept.push(file),
                Some(first) => {
                    let reason = "the same command is there already".to_owned();
                    self.skipped.push(skipped(file.path, file.origin, reason, Some(first.path.clone())));
                }
            }
        }
        self.files = kept;
        self
    }
}

fn unusable(place: String, origin: ExtensionOrigin, why: String) -> FoundExtension {
    FoundExtension { form: Form::Unusable(why), hint: Hint::SHELL, ..FoundExtension::module(place, origin) }
}

fn hook(entry: &Value, pattern: &str, at: At<'_>) -> Result<ShellHook, String> {
    let tools = Tools::Matching(pattern.to_owned());
    Matcher::new(&tools).map_err(|error| format!("its matcher is no regular expression that tau knows: {error}"))?;
    let kind = entry.get("type").and_then(Value::as_str).unwrap_or("command");
    let command = entry.get("command").and_then(Value::as_str).filter(|command| !command.trim().is_empty());
    let command = match (kind, command) {
        ("command", Some(command)) => command.to_owned(),
        ("command", None) => return Err("it names no command".to_owned()),
        (kind, _) => return Err(format!("tau runs commands, and this is of the type `{kind}`")),
    };
    let condition = match (entry.get("if"), at.moment) {
        (None | Some(Value::Null), _) => None,
        (Some(Value::String(rule)), Moment::Tool(moment)) => match (Condition::parse(rule), moment) {
            (Ok(rule), _) => Some(rule),
            // Which calls it guards nobody can tell, so it is asked about each that its matcher names.
            (Err(_), HookMoment::Pre) => None,
            (Err(why), HookMoment::Post) => return Err(format!("its `if` {why}")),
        },
        (Some(Value::String(_)), Moment::Session(_)) => {
            return Err(format!("its `if` is about calls of tools, and {} is about none", at.event));
        }
        (Some(_), _) => return Err("its `if` is no text".to_owned()),
    };
    let background = match entry.get("async") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(_) => return Err("its `async` is neither true nor false".to_owned()),
    };
    let seconds = entry.get("timeout").and_then(Value::as_f64);
    let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Ok(ShellHook {
        moment: at.moment,
        tools,
        calls: at.calls,
        program: Program::Command(command),
        names: ToolNames::Claude,
        timeout: timeout.filter(|timeout| !timeout.is_zero()),
        plugin: None,
        condition,
        background,
    })
}
