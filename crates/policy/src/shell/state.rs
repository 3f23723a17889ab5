//! What a shell knows at one point of a script, as far as it differs from where it began.

use brush_parser::ast::FunctionBody;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use super::limits;
use crate::argument::Arg;
use crate::git::Repositories;
use crate::invocation::{Dir, Stdin};
use crate::text::{Source, Text};

/// Stands for all functions among those that are exported.
pub(super) const EVERY: &str = "*";

/// Which shell reads a script. They differ in what they expand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// bash, zsh, ksh.
    Bash,
    /// `sh`: one of several shells.
    Sh,
    /// dash, ash.
    Dash,
}

/// What a variable is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// It is not set.
    Unset,
    /// A string.
    One(Text),
    /// An array; `None` if it may have any elements.
    Array(Option<Vec<Text>>),
}

/// A variable that the script changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub value: Value,
    pub is_exported: bool,
}

/// What variables were, by name.
pub(super) type Locals = Vec<(String, Option<Variable>)>;

/// A function of the script.
pub(super) struct Function {
    pub body: FunctionBody,
    /// The script that its places belong to.
    pub script: usize,
    pub parsed: Rc<super::parse::Parsed>,
}

/// What the script made of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    /// A text, as far as it is known.
    Text(Text),
    /// A program of this name: it was copied or linked.
    Program(Text),
    /// A folder.
    Folder,
    /// It is gone.
    Nothing,
}

/// What a shell knows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub variables: Rc<BTreeMap<String, Variable>>,
    /// `$1` and so on; `None` if they may be anything.
    pub parameters: Option<Rc<Vec<Text>>>,
    /// `$0`.
    pub name: Text,
    /// Every body that a name may have.
    pub functions: Rc<BTreeMap<String, Vec<Same<Function>>>>,
    /// The functions that shells started from here have, too.
    pub exported: Rc<BTreeSet<String>>,
    pub aliases: Rc<BTreeMap<String, Text>>,
    /// Variables that cannot be set any more.
    pub readonly: Rc<BTreeSet<String>>,
    /// In a function, what its own variables were outside of it, the first of each name.
    pub locals: Option<Rc<Locals>>,
    /// Whether a function may be none here, so that its name may be one of a program.
    pub doubts_functions: bool,
    pub directory: Dir,
    pub before: Option<Dir>,
    pub files: Rc<BTreeMap<PathBuf, Written>>,
    pub repositories: Repositories,
    pub stdin: Stdin,
    /// Whether unknown parts of the session's own environment are unknown: on another machine.
    pub is_elsewhere: bool,
}

/// A value that is equal to itself alone.
pub(super) struct Same<T>(pub Rc<T>);

impl<T> std::fmt::Debug for Same<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Same")
    }
}

impl<T> Clone for Same<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// The ways in which a script can have gone so far. Empty for what cannot be.
pub(super) type Paths = Vec<Rc<State>>;

/// An unknown text that is remote if one of these is.
pub(super) fn unknown_of(texts: &[&Text]) -> Text {
    let is_remote = texts.iter().any(|text| text.is_remote());
    Text::unknown(if is_remote { Source::Remote } else { Source::Local })
}

/// One output after the other.
pub(super) fn concatenated(first: &Text, second: &Text) -> Text {
    if second.pieces().is_empty() {
        return first.clone();
    }
    let mut both = first.clone();
    both.append(second);
    bounded(both)
}

/// A text that is followed only up to a length.
pub(super) fn bounded(text: Text) -> Text {
    if text.pieces().len() > limits::WORDS || text.shown().len() > limits::STRING { unknown_of(&[&text]) } else { text }
}

impl State {
    /// What holds in both: what differs is unknown.
    pub(super) fn widened(mut self, other: &Self) -> Self {
        if self.variables != other.variables {
            let mut variables = BTreeMap::clone(&self.variables);
            let names = self.variables.keys().chain(other.variables.keys());
            for name in names {
                let (one, two) = (self.variables.get(name), other.variables.get(name));
                if one != two {
                    let is_exported = [one, two].into_iter().flatten().any(|variable| variable.is_exported);
                    let is_array = |one: Option<&Variable>| one.is_some_and(|one| matches!(one.value, Value::Array(_)));
                    let value = if is_array(one) || is_array(two) {
                        Value::Array(None)
                    } else {
                        Value::One(unknown_of(&[&text_of(one), &text_of(two)]))
                    };
                    variables.insert(name.clone(), Variable { value, is_exported });
                }
            }
            self.variables = Rc::new(variables);
        }
        if self.parameters != other.parameters {
            self.parameters = None;
        }
        if self.name != other.name {
            self.name = Text::unknown(Source::Local);
        }
        for (name, bodies) in &*other.functions {
            let mine = Rc::make_mut(&mut self.functions).entry(name.clone()).or_default();
            for body in bodies {
                if !mine.contains(body) {
                    mine.push(body.clone());
                }
            }
        }
        if self.exported != other.exported {
            Rc::make_mut(&mut self.exported).extend(other.exported.iter().cloned());
        }
        for (name, text) in &*other.aliases {
            let mine = Rc::make_mut(&mut self.aliases);
            let text = match mine.get(name) {
                Some(known) if known != text => unknown_of(&[known, text]),
                _ => text.clone(),
            };
            mine.insert(name.clone(), text);
        }
        if self.readonly != other.readonly {
            Rc::make_mut(&mut self.readonly).extend(other.readonly.iter().cloned());
        }
        for (name, before) in other.locals.iter().flat_map(|locals| locals.iter()) {
            self.keep(name, before.clone());
        }
        self.doubts_functions |= other.doubts_functions;
        if self.directory != other.directory {
            self.directory = Dir::Unknown;
        }
        if self.before != other.before {
            self.before = Some(Dir::Unknown);
        }
        if self.files != other.files {
            let files = Rc::make_mut(&mut self.files);
            let differing: Vec<PathBuf> = files
                .keys()
                .chain(other.files.keys())
                .filter(|path| files.get(*path) != other.files.get(*path))
                .cloned()
                .collect();
            for path in differing {
                let written = |written: Option<&Written>| match written {
                    Some(Written::Text(text) | Written::Program(text)) => text.clone(),
                    _ => Text::default(),
                };
                let text = unknown_of(&[&written(files.get(&path)), &written(other.files.get(&path))]);
                files.insert(path, Written::Text(text));
            }
        }
        self.repositories = self.repositories.joined(&other.repositories);
        if self.stdin != other.stdin {
            self.stdin = Stdin::Text(Text::unknown(Source::Local));
        }
        self.is_elsewhere |= other.is_elsewhere;
        self
    }

    /// Sets a variable. It stays exported if it was.
    pub(super) fn set(&mut self, name: &str, value: Value, inherited: bool) {
        // The shell refuses, and may go on with the old value.
        let value = if self.readonly.contains(name) { Value::One(Text::unknown(Source::Local)) } else { value };
        let is_exported = self.variables.get(name).map_or(inherited, |known| known.is_exported);
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), Variable { value, is_exported });
    }

    /// Makes a variable one of the function: outside it is what it was.
    pub(super) fn make_local(&mut self, name: &str) {
        let before = self.variables.get(name).cloned();
        self.keep(name, before);
    }

    fn keep(&mut self, name: &str, before: Option<Variable>) {
        if let Some(locals) = &mut self.locals
            && !locals.iter().any(|(known, _)| known == name)
        {
            Rc::make_mut(locals).push((name.to_owned(), before));
        }
    }

    /// Behind a function: its own variables are what they were.
    pub(super) fn after_function(&self, end: &Self) -> Self {
        let mut after = end.clone();
        for (name, before) in end.locals.iter().flat_map(|locals| locals.iter()) {
            let variables = Rc::make_mut(&mut after.variables);
            match before {
                Some(before) => variables.insert(name.clone(), before.clone()),
                None => variables.remove(name),
            };
        }
        Self { parameters: self.parameters.clone(), locals: self.locals.clone(), ..after }
    }

    /// Notes what a file is now.
    pub(super) fn write(&mut self, path: PathBuf, written: Written) {
        Rc::make_mut(&mut self.files).insert(path, written);
    }

    /// What subshells leave behind: files and repositories.
    pub(super) fn after_subshell(&self, end: &Self) -> Self {
        Self { files: Rc::clone(&end.files), repositories: end.repositories.clone(), ..self.clone() }
    }

    /// The variables that a program gets and that differ from those of the session.
    pub(super) fn environment(&self) -> Vec<(String, Option<Text>)> {
        let value = |value: &Value| match value {
            Value::Unset => None,
            Value::One(text) => Some(text.clone()),
            Value::Array(_) => Some(Text::unknown(Source::Local)),
        };
        let exported = self.variables.iter().filter(|(_, variable)| variable.is_exported);
        exported.map(|(name, variable)| (name.clone(), value(&variable.value))).collect()
    }
}

fn text_of(variable: Option<&Variable>) -> Text {
    match variable.map(|variable| &variable.value) {
        Some(Value::One(text)) => text.clone(),
        Some(Value::Array(Some(texts))) => unknown_of(&texts.iter().collect::<Vec<_>>()),
        _ => Text::default(),
    }
}

/// A word after expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub text: Text,
    pub is_many: bool,
    /// Whether the word is written as it is.
    pub is_literal: bool,
}

impl Field {
    pub(super) fn new(text: Text) -> Self {
        Self { text, is_many: false, is_literal: false }
    }
}

/// An argument that stands where another one does.
pub(super) fn derived(text: Text, from: &Arg) -> Arg {
    Arg { text, is_many: false, site: from.site, is_exact: false }
}

/// Who may answer to the name of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Functions, built-in commands, programs.
    All,
    /// No functions: `command`.
    NoFunctions,
    /// Programs alone: `exec`, `env`.
    Programs,
}
