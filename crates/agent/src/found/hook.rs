//! What is run, and for which calls.

use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;
use serde::{Serialize, Serializer};

use super::class::{FileClass, SCRIPTS, class_of};
use super::condition::Condition;
use super::identity::id_of;
use super::interpreter::interpreter_of;
use super::item::{HookItem, HookMoment, ToolNames};
use super::moment::Moment;
use super::names::{OWN, is_known_name, known_names, names_of};
use crate::settings::Environment;

/// A program that runs before or after tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShellHook {
    /// When it runs.
    #[serde(rename = "type")]
    pub moment: Moment,
    /// For which tools.
    pub tools: Tools,
    /// After which calls, when it runs after them.
    #[serde(skip_serializing_if = "Calls::is_all")]
    pub calls: Calls,
    /// What is run.
    pub program: Program,
    /// The names it has for tools.
    #[serde(skip)]
    pub names: ToolNames,
    /// After this it is killed, when it has a limit of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// The plugin it came with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<PathBuf>,
    /// For which calls of those tools; `None` for all.
    #[serde(rename = "if", skip_serializing_if = "Option::is_none", serialize_with = "written")]
    pub condition: Option<Condition>,
    /// Whether nobody waits for it: then it decides nothing.
    #[serde(rename = "async", skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
}

fn written<S: Serializer>(condition: &Option<Condition>, serializer: S) -> Result<S::Ok, S::Error> {
    condition.as_ref().map(Condition::as_str).serialize(serializer)
}

/// What there is that a hook runs for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A tool that is there, or a moment that has nothing to do with tools.
    Something,
    /// Tools of servers, which come and go.
    Servers,
    /// No tool that is there.
    Nothing,
}

/// For which tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Tools {
    /// For the one of this name, as tau or Claude Code calls it; `*` for all.
    Named(String),
    /// For those whose name matches, as Claude Code matches them.
    Matching(String),
}

/// After which calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Calls {
    /// All of them.
    #[default]
    All,
    /// Those that succeeded.
    Succeeded,
    /// Those that failed.
    Failed,
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Program {
    /// A file.
    File(PathBuf),
    /// A command that the user wrote, for the shell.
    Command(String),
}

impl Calls {
    /// Whether it is all of them.
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }
}

impl ShellHook {
    /// The script of an item of the registry.
    pub(crate) fn of_item(item: &HookItem) -> Self {
        Self {
            moment: item.moment.into(),
            tools: Tools::Named(without_script_extension(&item.tool).to_owned()),
            calls: Calls::All,
            program: Program::File(item.path.clone()),
            names: item.names,
            timeout: None,
            plugin: item.plugin.clone(),
            condition: None,
            background: false,
        }
    }

    /// A script that somebody named; `None` when the file is a module. Its folder, `pre` or `post`, says when it runs and
    /// its name for which tool; else its name says both, as in `pre-bash.sh`.
    ///
    /// # Errors
    /// When neither says it.
    pub(crate) fn of_file(path: &Path, env: &Environment) -> Option<Result<Self, String>> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if class_of(path) != FileClass::Script || !is_script(path, name) {
            return None;
        }
        let stem = without_script_extension(name);
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let prefixed = |moment: HookMoment| stem.strip_prefix(moment.as_str()).and_then(|rest| rest.strip_prefix('-'));
        let (moment, tool) = match folder {
            Some("pre") => (HookMoment::Pre, stem),
            Some("post") => (HookMoment::Post, stem),
            _ => match (prefixed(HookMoment::Pre), prefixed(HookMoment::Post)) {
                (Some(tool), _) => (HookMoment::Pre, tool),
                (_, Some(tool)) => (HookMoment::Post, tool),
                _ => {
                    let why = "nothing says when this script runs: put it in a folder called pre or post, or call it \
                               pre-TOOL or post-TOOL";
                    return Some(Err(why.to_owned()));
                }
            },
        };
        let of_claude = [&env.home, &env.cwd].into_iter().any(|base| path.starts_with(base.join(".claude")));
        Some(Ok(Self {
            moment: moment.into(),
            tools: Tools::Named(tool.to_owned()),
            calls: Calls::All,
            program: Program::File(path.to_path_buf()),
            names: if of_claude { ToolNames::Claude } else { ToolNames::Native },
            timeout: None,
            plugin: None,
            condition: None,
            background: false,
        }))
    }

    /// The short name of a file.
    pub(crate) fn name(&self) -> String {
        match &self.program {
            Program::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                format!("{}/{name}", self.moment.as_str())
            }
            Program::Command(command) => {
                let line = command.trim().lines().next().unwrap_or_default();
                match line.char_indices().nth(60) {
                    Some((end, _)) => format!("{}…", &line[..end]),
                    None => line.to_owned(),
                }
            }
        }
    }

    /// Whether two do the same, whichever file names them.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let parts = |hook: &Self| (hook.moment, hook.calls, hook.names, hook.background);
        parts(self) == parts(other)
            && (&self.tools, &self.program, &self.condition, &self.plugin)
                == (&other.tools, &other.program, &other.condition, &other.plugin)
    }

    /// The command line, when it is one.
    pub(crate) fn command(&self) -> Option<&str> {
        match &self.program {
            Program::File(_) => None,
            Program::Command(command) => Some(command),
        }
    }

    /// What a command is recognised by wherever it stands: by when it runs, for what, and what it is. `None` for a file,
    /// which has a place of its own.
    pub(crate) fn content_id(&self) -> Option<String> {
        let Program::Command(_) = &self.program else { return None };
        let timeless = Self { timeout: None, ..self.clone() };
        let text = serde_json::to_string(&timeless).unwrap_or_else(|_| format!("{timeless:?}"));
        Some(id_of(&[&text]))
    }

    /// What the command itself is recognised by, whenever it runs and for what; `None` for a file.
    pub(crate) fn command_id(&self) -> Option<String> {
        match &self.program {
            Program::Command(command) => Some(id_of(&[command])),
            Program::File(_) => None,
        }
    }

    /// What there is that it runs for; `others` are the tools of extensions. A guard for nothing keeps nothing shut.
    pub(crate) fn reach(&self, others: &[String]) -> Reach {
        if !matches!(self.moment, Moment::Tool(_)) {
            return Reach::Something;
        }
        let Ok(matcher) = Matcher::new(&self.tools) else { return Reach::Something };
        let mut tools = OWN.into_iter().chain(others.iter().map(String::as_str));
        if tools.any(|tool| matcher.accepts(tool) && self.condition.as_ref().is_none_or(|rule| rule.is_for(tool))) {
            return Reach::Something;
        }
        let (Tools::Named(matcher) | Tools::Matching(matcher)) = &self.tools;
        let rule = self.condition.as_ref().map_or("", Condition::tool);
        if [matcher.as_str(), rule].iter().any(|name| name.contains("mcp__")) { Reach::Servers } else { Reach::Nothing }
    }

    /// What it was written for: its matcher and its `if`.
    pub(crate) fn written_for(&self) -> String {
        let (Tools::Named(tools) | Tools::Matching(tools)) = &self.tools;
        let rule = self.condition.as_ref().map(|rule| format!(" with the `if` `{}`", rule.as_str()));
        format!("`{}`{}", tools.escape_debug(), rule.unwrap_or_default())
    }

    /// A tool that nobody knows, if the hook is for one: `others` are the tools there are.
    pub fn unknown_tool<'a>(&self, mut others: impl Iterator<Item = &'a str>) -> Option<&str> {
        match &self.tools {
            Tools::Named(name) if name != "*" && !is_known_name(name) => {
                let known = others.any(|tool| tool.eq_ignore_ascii_case(name));
                (!known).then_some(name.as_str())
            }
            _ => None,
        }
    }
}

/// What a matcher that is for none of the tools there are, and for none that tau could have, was meant to be; `None` for
/// one that is of use. `others` are the tools there are.
pub(crate) fn useless<'a>(tools: &Tools, matcher: &Matcher, others: impl Iterator<Item = &'a str>) -> Option<String> {
    let Tools::Matching(pattern) = tools else { return None };
    let mut names: Vec<&'a str> = known_names().collect();
    names.extend(others);
    // Tools of servers come and go.
    if pattern.contains("mcp__") || names.iter().any(|tool| matcher.accepts(tool)) {
        return None;
    }
    let rule = Condition::parse(pattern).ok().filter(|rule| rule.has_arguments());
    if let Some(rule) = rule {
        let tool = rule.tool();
        return Some(format!("write the matcher `{tool}`, and `\"if\": \"{}\"` beside the command", rule.as_str()));
    }
    let mut words = pattern.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let near = words.find_map(|word| nearest(word, &names));
    Some(near.map_or_else(String::new, |name| format!("did you mean `{name}`?")))
}

/// The tool whose name is nearest to a word, if one is near.
fn nearest(word: &str, names: &[&str]) -> Option<String> {
    let distance = |name: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &word.to_lowercase());
    let nearest = names.iter().map(|name| (distance(name), *name)).min();
    nearest.filter(|(distance, _)| *distance <= word.len() / 4 + 1).map(|(_, name)| name.to_owned())
}

/// A name in the matcher or the `if` of a guard that is that of no tool, as far as anybody can tell.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Misspelt {
    /// A word is nearly the name of a tool.
    Near { word: String, tool: String },
    /// An expression fits no tool, and looks as if it was to fit one; the hint says which.
    Expression { hint: String },
    /// It is the name of no tool, and near to none.
    Unknown,
}

impl Misspelt {
    /// Whether it is clear what was meant.
    pub(crate) fn is_near(&self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// What is wrong, to be read behind the place; `what` is the field and `written` what it says.
    pub(crate) fn text(&self, what: &str, written: &str) -> String {
        let written = written.escape_debug();
        match self {
            Self::Near { word, tool } => {
                format!("its {what} names `{}`, which is no tool; did you mean `{tool}`?", word.escape_debug())
            }
            Self::Expression { hint } => format!("its {what} `{written}` fits no tool; {hint}"),
            Self::Unknown => format!("its {what} `{written}` is the name of no tool"),
        }
    }
}

/// Whether a matcher names a tool that there is not, so that the guard behind it may have been there for another one;
/// `others` are the tools of extensions. Expressions that may be for tools to come count only when they look misspelt.
pub(crate) fn misspelt(pattern: &str, others: &[String]) -> Option<Misspelt> {
    let tools = Tools::Matching(pattern.to_owned());
    let matcher = Matcher::new(&tools).ok()?;
    let Matcher::OneOf(wanted) = &matcher else {
        let hint = useless(&tools, &matcher, others.iter().map(String::as_str)).filter(|hint| !hint.is_empty())?;
        return Some(Misspelt::Expression { hint });
    };
    let mut names: Vec<&str> = known_names().collect();
    names.extend(others.iter().map(String::as_str));
    let is_tool = |word: &&String| {
        word.starts_with("mcp__") || names.iter().any(|tool| names_of(tool).any(|name| name == word.as_str()))
    };
    let strange: Vec<&String> = wanted.iter().filter(|word| !word.is_empty() && !is_tool(word)).collect();
    let near = strange.iter().find_map(|word| Some((word, nearest(word, &names)?)));
    match near {
        Some((word, tool)) => Some(Misspelt::Near { word: (*word).clone(), tool }),
        // The others are still guarded.
        None if strange.len() < wanted.iter().filter(|word| !word.is_empty()).count() => None,
        None if strange.is_empty() => None,
        None => Some(Misspelt::Unknown),
    }
}

/// Whether a file that somebody named is a script although extensions may be called anything: its name says so, or its
/// first line names something other than a JavaScript runtime.
fn is_script(path: &Path, name: &str) -> bool {
    if without_script_extension(name) != name {
        return true;
    }
    let first = interpreter_of(path);
    first.is_some_and(|words| {
        !words.iter().any(|word| ["node", "bun", "deno", "tsx"].iter().any(|js| word.ends_with(js)))
    })
}

/// The name without the extension of a script, whichever it is.
fn without_script_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if SCRIPTS.iter().any(|(known, _)| *known == extension) => stem,
        _ => name,
    }
}

/// [`Tools`] made ready.
#[derive(Debug)]
pub(crate) enum Matcher {
    All,
    Named(String),
    OneOf(Vec<String>),
    Pattern(Regex),
}

impl Matcher {
    /// A pattern of plain names is a list of them; anything else is a regular expression that may match anywhere.
    pub(crate) fn new(tools: &Tools) -> Result<Self, regex::Error> {
        Ok(match tools {
            Tools::Named(name) if name == "*" => Self::All,
            Tools::Named(name) => Self::Named(name.clone()),
            Tools::Matching(pattern) if matches!(pattern.trim(), "" | "*") => Self::All,
            Tools::Matching(pattern)
                if pattern.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '|' | '-' | ' ' | ',')) =>
            {
                Self::OneOf(pattern.split(['|', ',']).map(|name| name.trim().to_owned()).collect())
            }
            Tools::Matching(pattern) => Self::Pattern(Regex::new(pattern)?),
        })
    }

    /// Whether it is for what a moment of a session is about; without a subject it is for all.
    pub(crate) fn accepts_subject(&self, subject: Option<&str>) -> bool {
        let Some(subject) = subject else { return true };
        match self {
            Self::All => true,
            Self::Named(wanted) => subject.eq_ignore_ascii_case(wanted),
            Self::OneOf(wanted) => wanted.iter().any(|wanted| wanted == subject),
            Self::Pattern(pattern) => pattern.is_match(subject),
        }
    }

    /// Whether it is for a tool, by the name that tau has for it or by one of Claude Code.
    pub(crate) fn accepts(&self, tool: &str) -> bool {
        let mut names = names_of(tool);
        match self {
            Self::All => true,
            Self::Named(wanted) => names.any(|name| name.eq_ignore_ascii_case(wanted)),
            Self::OneOf(wanted) => names.any(|name| wanted.iter().any(|wanted| wanted == name)),
            Self::Pattern(pattern) => names.any(|name| pattern.is_match(name)),
        }
    }
}
