//! Programs: those that start others are followed into them.

use std::rc::Rc;

use super::border::{all_known, back, child};
use super::outcome::Outcome;
use super::state::{Dialect, Lookup, State, derived};
use super::{Context, Shell, files, limits};
use crate::argument::Arg;
use crate::evaluation::{Reason, ScriptKind};
use crate::git;
use crate::invocation::{Redirect, Stdin, Via};
use crate::programs::containers::RUNNERS;
use crate::programs::{interpreters, wrappers};
use crate::text::{Source, Text};

impl Shell<'_> {
    /// Runs a program.
    pub(super) fn external(
        &mut self,
        arguments: Vec<Arg>,
        redirects: Vec<Redirect>,
        state: Rc<State>,
        context: &Context,
    ) -> Outcome {
        let mut invocation = self.invocation(&arguments, redirects.clone(), &state, context);
        let Some(name) = invocation.program().map(str::to_owned) else {
            self.note(invocation);
            return Outcome::either(&state, Text::unknown(Source::Local));
        };
        if self.depth >= limits::DEPTH {
            self.note(invocation);
            self.opaque(Reason::TooDeep { limit: limits::DEPTH }, context.site, false, context);
            return Outcome::either(&state, Text::unknown(Source::Local));
        }
        self.depth += 1;
        let step = git::step(&invocation, &state.repositories, self.world);
        if let Some(step) = &step {
            invocation.git = Some(step.usage.clone());
        }
        self.note(invocation);
        let output = self.output(&name, &arguments, &state);
        let mut after = State::clone(&state);
        self.file_effects(&name, &arguments, &mut after);
        let mut outcome = Outcome::either(&Rc::new(after), output);
        if let Some(step) = step {
            outcome = self.git(step, outcome, &arguments, context);
        }
        self.carriers(&name, &arguments, &state, context);
        self.input_code(&name, arguments.get(1..).unwrap_or_default(), &state, context);
        if let Some(ended) = self.started(&name, &arguments, &redirects, &state, context) {
            outcome = after_both(outcome, ended, &state);
        }
        self.depth -= 1;
        outcome
    }

    /// What git does, and what it runs.
    fn git(&mut self, step: git::Step, outcome: Outcome, arguments: &[Arg], context: &Context) -> Outcome {
        if let Some(reason) = step.opaque {
            self.opaque(reason, context.site, false, context);
        }
        let with = |paths: &[Rc<State>], repositories: &git::Repositories| {
            let set = |state: &Rc<State>| Rc::new(State { repositories: repositories.clone(), ..State::clone(state) });
            paths.iter().map(set).collect::<Vec<_>>()
        };
        let start = outcome.ok.first().cloned();
        let failed = step.failed.as_ref().map(|repositories| with(&outcome.failed, repositories)).unwrap_or_default();
        let outcome = Outcome { ok: with(&outcome.ok, &step.succeeded), failed, output: outcome.output };
        let Some(start) = start else { return outcome };
        let name = arguments.first().and_then(Arg::known).unwrap_or("git").to_owned();
        for runs in step.runs {
            match runs {
                git::Runs::Shell { text, site } => {
                    let inner = context.through(Via::Shell(name.clone()));
                    let start = Rc::new(child(&start, Dialect::Sh));
                    self.script(&text, ScriptKind::Text, Some(site), start, &inner);
                }
                git::Runs::Program(program) => {
                    let inner = context.through(Via::Wrapper(name.clone()));
                    self.dispatch(program, Vec::new(), Rc::clone(&start), Lookup::Programs, &inner);
                }
            }
        }
        outcome
    }

    /// What a program starts, if it starts anything.
    fn started(
        &mut self,
        name: &str,
        arguments: &[Arg],
        redirects: &[Redirect],
        state: &Rc<State>,
        context: &Context,
    ) -> Option<Outcome> {
        let rest = arguments.get(1..).unwrap_or_default();
        if interpreters::SHELLS.contains(&name) {
            return Some(self.shell(name, rest, state, context));
        }
        if let Some(wrapper) = wrappers::of(name) {
            return Some(self.wrapper(wrapper, name, rest, redirects, state, context));
        }
        let runner = RUNNERS.iter().filter(|runner| runner.names.contains(&name));
        let ended = runner.filter_map(|runner| self.runner(runner, name, rest, state, context));
        if let Some(ended) = ended.reduce(Outcome::or) {
            return Some(ended);
        }
        match name {
            "xargs" | "gxargs" | "parallel" => Some(self.xargs(name, rest, state, context)),
            "find" | "gfind" | "bfs" => Some(self.find(name, rest, state, context)),
            "su" | "runuser" => Some(self.other_user(name, rest, state, context)),
            "flock" => Some(self.flock(rest, state, context)),
            "at" | "batch" => self.input_as_script(name, state, context),
            "eatmydata" => None,
            _ if interpreters::of(name).is_some() => {
                self.code(name, rest, state, context);
                None
            }
            _ => match self.script_file(name, arguments, state, context) {
                Some(ended) => Some(ended),
                None => self.likely(name, rest, state, context),
            },
        }
    }

    /// A program of which nothing is known may start what its arguments name.
    fn likely(&mut self, name: &str, rest: &[Arg], state: &Rc<State>, context: &Context) -> Option<Outcome> {
        const STARTED: &[&str] = &["rm", "git", "sudo", "doas", "sh", "bash", "dash", "zsh", "env", "xargs"];
        /// Words before a name of a package, and programs that only look.
        const NAMES: &[&str] = &[
            "install",
            "add",
            "remove",
            "uninstall",
            "purge",
            "info",
            "show",
            "search",
            "update",
            "upgrade",
            "list",
            "reinstall",
            "i",
            "-S",
            "-Q",
            "-R",
            "-i",
            "-q",
            "-l",
            "-C",
            "-x",
        ];
        let handler = "command_not_found_handle";
        if state.functions.contains_key(handler) && !self.world.program(name).is_some_and(|path| path.exists()) {
            let all = std::iter::once(Text::from(name)).chain(rest.iter().map(|argument| argument.text.clone()));
            let fields = all.map(super::state::Field::new).collect();
            return Some(self.function(handler, fields, Rc::clone(state), context));
        }
        if crate::paths::only_reads(name) || STARTED.contains(&name) {
            return None;
        }
        let at = rest.iter().position(|argument| {
            let known = argument.known().unwrap_or_default();
            STARTED.contains(&known.rsplit('/').next().unwrap_or_default())
        })?;
        let before = rest.get(..at)?;
        if before.iter().any(|argument| argument.known().is_some_and(|text| NAMES.contains(&text))) {
            return None;
        }
        // A name alone is hardly a call, unless something is read.
        if rest.len() == at + 1 && state.stdin == Stdin::Inherited {
            return None;
        }
        let context = context.through(Via::Wrapper(name.to_owned()));
        let program = rest.get(at..)?.to_vec();
        Some(self.dispatch(program, Vec::new(), Rc::clone(state), Lookup::Programs, &context))
    }

    /// A program by its path that may be a script.
    fn script_file(&mut self, name: &str, arguments: &[Arg], state: &Rc<State>, context: &Context) -> Option<Outcome> {
        let first = arguments.first()?;
        let path = first.text.known()?;
        if let Some(real) = self.real_program(state, path).filter(|real| real != name) {
            return self.as_program(&Text::new(real), arguments, state, context);
        }
        if !path.contains('/') {
            return None;
        }
        let (text, kind) = match self.run_content(state, &first.text) {
            files::Content::Text(text, kind) => (text, kind),
            files::Content::Program(program) => return self.as_program(&program, arguments, state, context),
            files::Content::Other => return None,
        };
        let interpreter =
            text.prefix().strip_prefix("#!").map(|line| line.lines().next().unwrap_or_default().to_owned());
        let words: Vec<&str> = interpreter.as_deref().unwrap_or("/bin/sh").split_whitespace().collect();
        if text.is_unknown() || words.first().is_some_and(|word| !word.starts_with('/')) {
            let shell = path.to_owned();
            self.opaque(Reason::Script { shell }, first.site, text.is_remote(), context);
            return None;
        }
        // Only what a shell reads is followed. Other languages are programs like any other.
        let shell = words
            .iter()
            .map(|word| word.rsplit('/').next().unwrap_or(word))
            .find(|word| interpreters::SHELLS.contains(word))?;
        let dialect = if shell == "sh" { Dialect::Sh } else { Dialect::Bash };
        let mut inner = child(state, dialect);
        inner.name = first.text.clone();
        inner.parameters = all_known(&arguments[1..]);
        let context = match &kind {
            ScriptKind::File(path) => context.through(Via::File(path.clone())),
            _ => context.clone(),
        };
        let context = Context { dialect, ..context };
        Some(back(self.script(&text, kind, Some(first.site), Rc::new(inner), &context), state))
    }

    /// Another name for a program.
    fn as_program(
        &mut self,
        program: &Text,
        arguments: &[Arg],
        state: &Rc<State>,
        context: &Context,
    ) -> Option<Outcome> {
        let first = arguments.first()?;
        let mut arguments = arguments.to_vec();
        *arguments.first_mut()? = derived(program.clone(), first);
        let context = context.through(Via::Wrapper(first.text.shown()));
        Some(self.dispatch(arguments, Vec::new(), Rc::clone(state), Lookup::Programs, &context))
    }
}

/// A program and the one that it started.
fn after_both(outer: Outcome, inner: Outcome, state: &Rc<State>) -> Outcome {
    let output = if inner.output.pieces().is_empty() { Text::default() } else { inner.output.clone() };
    let inner = back(inner, state);
    let mut sum = outer.or(inner);
    sum.output = output;
    if sum.failed.is_empty() {
        sum.failed.clone_from(&sum.ok);
    }
    sum
}
