//! Simple commands: assignments, words, and who they are for.

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, IoRedirect, SimpleCommand, Word,
};
use std::rc::Rc;

use super::call::exports;
use super::outcome::Outcome;
use super::redirect::Redirected;
use super::state::{Field, Lookup, Paths, State, Value, Variable, concatenated};
use super::{Context, Shell, builtin};
use crate::argument::Arg;
use crate::evaluation::{Reason, ScriptKind};
use crate::invocation::{Invocation, Redirect, Stdin, Via};
use crate::site::{Site, Span};
use crate::text::{Source, Text};

impl Shell<'_> {
    /// A simple command.
    pub(super) fn simple(&mut self, command: &SimpleCommand, state: Rc<State>, context: &Context) -> Outcome {
        let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
        let context = &Context { site: site_of(command, context), ..context.clone() };
        let mut inner = State::clone(&state);
        let mut assignments: Vec<&Assignment> = Vec::new();
        let mut redirects: Vec<IoRedirect> = Vec::new();
        let mut arguments: Vec<Arg> = Vec::new();
        // Words first, then assignments: those see the words' effects, not the other way round.
        for item in prefix {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => redirects.push(redirect.clone()),
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => assignments.push(assignment),
                CommandPrefixOrSuffixItem::Word(word) => arguments.extend(self.arguments(&mut inner, &[word], context)),
                CommandPrefixOrSuffixItem::ProcessSubstitution(kind, body) => {
                    arguments.push(self.process(&mut inner, kind, body, context));
                }
            }
        }
        let aliased = self.aliased(command, &state, context);
        if let Some(word) = &command.word_or_name {
            arguments.extend(self.arguments(&mut inner, &[word], context));
        }
        let declares = arguments.first().and_then(Arg::known).is_some_and(builtin::declares);
        let mut declared: Vec<&Assignment> = Vec::new();
        for item in suffix {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => redirects.push(redirect.clone()),
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) if declares => declared.push(assignment),
                CommandPrefixOrSuffixItem::AssignmentWord(_, word) | CommandPrefixOrSuffixItem::Word(word) => {
                    arguments.extend(self.arguments(&mut inner, &[word], context));
                }
                CommandPrefixOrSuffixItem::ProcessSubstitution(kind, body) => {
                    arguments.push(self.process(&mut inner, kind, body, context));
                }
            }
        }
        let before = Rc::new(State { stdin: state.stdin.clone(), ..inner.clone() });
        let Redirected { redirects, sink, .. } = self.redirects(&mut inner, &redirects, context);
        let mut outcome = if arguments.is_empty() {
            for assignment in assignments {
                self.assign(&mut inner, assignment, false, context);
            }
            // `$(<file)` is what the file holds.
            let reads = redirects.iter().any(|redirect| redirect.fd == 0);
            let output = match &inner.stdin {
                Stdin::Text(text) if reads => text.clone(),
                _ => Text::default(),
            };
            for redirect in redirects {
                self.note_redirect(redirect, &inner, context);
            }
            Outcome::success(Rc::new(inner), output)
        } else {
            let names: Vec<String> = assignments.iter().map(|one| name_of(one).to_owned()).collect();
            let kept: Vec<Option<Variable>> = names.iter().map(|name| inner.variables.get(name).cloned()).collect();
            for assignment in assignments {
                self.assign(&mut inner, assignment, true, context);
            }
            let is_local = matches!(arguments.first().and_then(Arg::known), Some("local" | "declare" | "typeset"));
            let is_global = arguments
                .iter()
                .any(|argument| argument.known().is_some_and(|text| text.starts_with('-') && text.contains('g')));
            for assignment in declared.iter().filter(|_| is_local && !is_global) {
                inner.make_local(name_of(assignment));
            }
            for assignment in &declared {
                self.assign(&mut inner, assignment, exports(&arguments), context);
            }
            let is_exec = arguments.len() == 1 && arguments.first().and_then(Arg::known) == Some("exec");
            // What was declared so is set now, and for the last time.
            if is_last(&arguments) {
                let names = declared.iter().map(|assignment| name_of(assignment).to_owned());
                Rc::make_mut(&mut inner.readonly).extend(names);
            }
            let ended = self.dispatch(arguments, redirects, Rc::new(inner), Lookup::All, context);
            if is_exec {
                // The redirections stay.
                return ended;
            }
            restored(ended, &names, &kept)
        };
        outcome = self.sunk(outcome, &sink, &before);
        match aliased {
            Some(other) => outcome.or(other),
            None => outcome,
        }
    }

    /// The command with an alias in place of its first word: shells that expand aliases run that.
    fn aliased(&mut self, command: &SimpleCommand, state: &Rc<State>, context: &Context) -> Option<Outcome> {
        if state.aliases.is_empty() {
            return None;
        }
        let word = command.word_or_name.as_ref()?;
        let text = state.aliases.get(&word.value)?.clone();
        let script = self.found.scripts.get(context.script)?;
        let end = word.loc.as_ref().map(|loc| context.site(loc.start.index, loc.end.index).span.end)?;
        let rest = script.text.get(end..context.site.span.end).unwrap_or_default().to_owned();
        let mut whole = text;
        whole.append(&Text::new(rest));
        let mut inner = State::clone(state);
        // An alias is not expanded in its own text.
        Rc::make_mut(&mut inner.aliases).remove(&word.value);
        let place = context.through(Via::Function(word.value.clone()));
        Some(self.script(&whole, ScriptKind::Text, Some(context.site), Rc::new(inner), &place))
    }

    /// Runs what arguments name.
    pub(super) fn dispatch(
        &mut self,
        arguments: Vec<Arg>,
        redirects: Vec<Redirect>,
        state: Rc<State>,
        lookup: Lookup,
        context: &Context,
    ) -> Outcome {
        let unknown = || Outcome::either(&state, Text::unknown(Source::Local));
        if !self.step(context) {
            return unknown();
        }
        let Some(first) = arguments.first() else { return unknown() };
        let name = first.known().map(str::to_owned);
        if let Some(name) = &name {
            if lookup == Lookup::All && state.functions.contains_key(name) && state.doubts_functions {
                // It is the function or the program.
                let certain = Rc::new(State { doubts_functions: false, ..State::clone(&state) });
                let called = self.dispatch(arguments.clone(), redirects.clone(), certain, lookup, context);
                return called.or(self.dispatch(arguments, redirects, state, Lookup::NoFunctions, context));
            }
            if lookup == Lookup::All && state.functions.contains_key(name) {
                for redirect in redirects {
                    self.note_redirect(redirect, &state, context);
                }
                let fields = arguments.iter().skip(1);
                let fields =
                    fields.map(|argument| Field { is_many: argument.is_many, ..Field::new(argument.text.clone()) });
                return self.function(name, fields.collect(), state, context);
            }
            if lookup != Lookup::Programs && builtin::is_one(name) {
                return self.builtin(name, &arguments, redirects, state, context);
            }
            return self.external(arguments, redirects, state, context);
        }
        let mut sum = None;
        let is_named = first.text.suffix().contains('/');
        if !is_named && (first.text.is_unknown() || first.text.is_glob()) {
            self.opaque(Reason::Program, first.site, first.text.is_remote(), context);
        }
        if first.is_many && arguments.len() > 1 {
            // It may be no word at all: then the next one is the program.
            sum = Some(self.dispatch(arguments[1..].to_vec(), redirects.clone(), Rc::clone(&state), lookup, context));
        }
        let ended = self.external(arguments, redirects, state, context);
        match sum {
            Some(other) => ended.or(other),
            None => ended,
        }
    }

    /// Notes a program, or a built-in command.
    pub(super) fn found(&mut self, arguments: &[Arg], redirects: Vec<Redirect>, state: &State, context: &Context) {
        let invocation = self.invocation(arguments, redirects, state, context);
        self.note(invocation);
    }

    pub(super) fn invocation(
        &mut self,
        arguments: &[Arg],
        redirects: Vec<Redirect>,
        state: &State,
        context: &Context,
    ) -> Invocation {
        Invocation {
            argv: arguments.to_vec(),
            environment: state.environment(),
            directory: state.directory.clone(),
            redirects,
            stdin: state.stdin.clone(),
            site: context.site,
            via: context.via.clone(),
            git: None,
        }
    }

    /// Notes a redirection without a program.
    pub(super) fn note_redirect(&mut self, redirect: Redirect, state: &State, context: &Context) {
        let nothing = Arg { text: Text::from(":"), is_many: false, site: context.site, is_exact: false };
        self.found(&[nothing], vec![redirect], state, context);
    }

    /// What the shell or a program runs because a variable holds it.
    pub(super) fn run_variable(&mut self, state: &mut State, name: &str, text: &Text, context: &Context) {
        const PROMPTS: &[&str] = &["PS0", "PS1", "PS2", "PS4", "BASH_ENV", "ENV"];
        const COMMANDS: &[&str] = &[
            "PROMPT_COMMAND",
            "EDITOR",
            "VISUAL",
            "PAGER",
            "MANPAGER",
            "BROWSER",
            "LESSOPEN",
            "LESSCLOSE",
            "SUDO_ASKPASS",
            "SSH_ASKPASS",
            "CARGO_BUILD_RUSTC_WRAPPER",
            "RUSTC_WRAPPER",
            "FCEDIT",
        ];
        let inner = context.through(Via::Shell(name.to_owned()));
        if PROMPTS.contains(&name) {
            self.again(state, text, &inner);
        } else if COMMANDS.contains(&name) && text.known() != Some("") {
            let text = Text::new(text.pattern().unwrap_or_default().trim_start_matches('|').to_owned());
            self.script(&text, ScriptKind::Text, Some(context.site), Rc::new(state.clone()), &inner);
        } else if name.starts_with("BASH_FUNC_") {
            let shell = name.to_owned();
            self.opaque(Reason::Script { shell }, context.site, text.is_remote(), &inner);
        }
    }

    /// Makes an assignment.
    pub(super) fn assign(&mut self, state: &mut State, assignment: &Assignment, exports: bool, context: &Context) {
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => Value::One(self.string(state, word, context)),
            AssignmentValue::Array(elements) => {
                let has_keys = elements.iter().any(|(key, _)| key.is_some());
                let words: Vec<Word> = elements.iter().map(|(_, word)| word.clone()).collect();
                let fields = self.fields_of(state, &words, context);
                let is_known = !has_keys && fields.iter().all(|field| !field.is_many);
                Value::Array(is_known.then(|| fields.into_iter().map(|field| field.text).collect()))
            }
        };
        let name = name_of(assignment);
        if let Value::One(text) = &value {
            self.run_variable(state, name, text, context);
        }
        if let (AssignmentName::ArrayElementName(array, key), Value::One(text)) = (&assignment.name, &value)
            && matches!(array.as_str(), "BASH_ALIASES" | "BASH_CMDS")
        {
            Rc::make_mut(&mut state.aliases).insert(key.clone(), text.clone());
        }
        let is_inherited = self.is_inherited(name);
        let value = match (&assignment.name, assignment.append) {
            (AssignmentName::ArrayElementName(_, index), _) => {
                // The index may run something.
                self.arithmetic(state, index, context);
                Value::Array(None)
            }
            (_, false) => value,
            (_, true) => appended(self.variable(state, name), state.variables.get(name), value),
        };
        state.set(name, value, is_inherited);
        if exports && let Some(variable) = Rc::make_mut(&mut state.variables).get_mut(name) {
            variable.is_exported = true;
        }
    }
}

/// Whether a command declares variables that cannot be set again.
fn is_last(arguments: &[Arg]) -> bool {
    let mut names = arguments.iter().filter_map(Arg::known);
    let name = names.next();
    name == Some("readonly")
        || name.is_some_and(builtin::declares) && names.any(|option| option.starts_with('-') && option.contains('r'))
}

fn name_of(assignment: &Assignment) -> &str {
    match &assignment.name {
        AssignmentName::VariableName(name) | AssignmentName::ArrayElementName(name, _) => name,
    }
}

fn appended(before: Option<Text>, variable: Option<&Variable>, new: Value) -> Value {
    match (variable.map(|variable| &variable.value), new) {
        (Some(Value::Array(Some(known))), Value::Array(Some(more))) => {
            Value::Array(Some(known.iter().cloned().chain(more).collect()))
        }
        (Some(Value::Array(_)), _) | (_, Value::Array(None)) => Value::Array(None),
        (_, Value::Array(Some(more))) => Value::Array(Some(before.into_iter().chain(more).collect())),
        (_, Value::One(more)) => Value::One(concatenated(&before.unwrap_or_default(), &more)),
        (_, Value::Unset) => Value::Unset,
    }
}

/// Takes assignments for one command back.
fn restored(ended: Outcome, names: &[String], kept: &[Option<Variable>]) -> Outcome {
    if names.is_empty() {
        return ended;
    }
    let restore = |state: Rc<State>| {
        let mut state = State::clone(&state);
        let variables = Rc::make_mut(&mut state.variables);
        for (name, before) in names.iter().zip(kept) {
            match before {
                Some(before) => variables.insert(name.clone(), before.clone()),
                None => variables.remove(name),
            };
        }
        Rc::new(state)
    };
    let all = |paths: Paths| -> Paths { paths.into_iter().map(restore).collect() };
    Outcome { ok: all(ended.ok), failed: all(ended.failed), output: ended.output }
}

/// From the first word to the last.
fn site_of(command: &SimpleCommand, context: &Context) -> Site {
    let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
    let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
    let of_item = |item: &CommandPrefixOrSuffixItem| match item {
        CommandPrefixOrSuffixItem::Word(word) | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
            word.loc.as_ref().map(|loc| (loc.start.index, loc.end.index))
        }
        CommandPrefixOrSuffixItem::ProcessSubstitution(_, body) => Some((body.loc.start.index, body.loc.end.index)),
        CommandPrefixOrSuffixItem::IoRedirect(_) => None,
    };
    let name = command.word_or_name.iter().filter_map(|word| word.loc.as_ref());
    let name = name.map(|loc| (loc.start.index, loc.end.index));
    let all = prefix.filter_map(of_item).chain(name).chain(suffix.filter_map(of_item));
    let range = all.fold(None, |range: Option<(usize, usize)>, (start, end)| match range {
        None => Some((start, end)),
        Some((first, last)) => Some((first.min(start), last.max(end))),
    });
    match range {
        Some((start, end)) => context.site(start, end),
        None => Site { script: context.script, span: Span { ..context.site.span } },
    }
}
