//! Programs that start the one of their arguments.

use std::rc::Rc;

use super::border::{back, child};
use super::outcome::Outcome;
use super::state::{Dialect, Lookup, State, Value};
use super::word::joined;
use super::{Context, Shell};
use crate::argument::Arg;
use crate::evaluation::{Reason, ScriptKind};
use crate::git;
use crate::invocation::{Dir, Redirect, Via};
use crate::programs::containers::Runner;
use crate::programs::options::{self, Options};
use crate::programs::wrappers::{Then, Wrapper};
use crate::text::{Piece, Source, Text};

impl Shell<'_> {
    pub(super) fn wrapper(
        &mut self,
        wrapper: &Wrapper,
        name: &str,
        rest: &[Arg],
        redirects: &[Redirect],
        state: &Rc<State>,
        context: &Context,
    ) -> Outcome {
        let given = options::read(rest, &wrapper.options);
        let context = &context.through(Via::Wrapper(name.to_owned()));
        if !given.is_certain && !rest.is_empty() {
            self.opaque(Reason::Arguments { program: name.to_owned() }, context.site, false, context);
        }
        let mut inner = State::clone(state);
        if let Some(directory) =
            given.value(&["C", "chdir", "working-directory", "D"]).filter(|_| name == "env" || name == "sudo")
        {
            inner.directory = match directory.known().and_then(|text| self.path(state, text)) {
                Some(path) => Dir::Known(path),
                None => Dir::Unknown,
            };
        }
        for option in &given.options {
            if matches!(option.name.as_str(), "u" | "unset")
                && name == "env"
                && let Some(variable) = option.value.as_ref().and_then(Arg::known)
            {
                inner.set(variable, Value::Unset, true);
            }
        }
        let mut rest: Vec<Arg> = rest.get(given.rest + wrapper.skips..).unwrap_or_default().to_vec();
        if let Some(text) = given.value(&["S", "split-string"]).filter(|_| name == "env") {
            // Its words are read almost as a shell does.
            let mut line = text.text.clone();
            for argument in &rest {
                line.push(Piece::Known(" ".to_owned()));
                line.append(&argument.text);
            }
            let inner_context = context.through(Via::Shell("env -S".to_owned()));
            // A program, though it is read as a script.
            let inner = State { functions: Rc::default(), ..child(&inner, Dialect::Sh) };
            return self.script(&line, ScriptKind::Text, Some(text.site), Rc::new(inner), &inner_context);
        }
        // `-` is `-i` of env.
        if name == "env" && rest.first().and_then(Arg::known) == Some("-") {
            rest.remove(0);
            let more = options::read(&rest, &wrapper.options);
            rest.drain(..more.rest.min(rest.len()));
        }
        if wrapper.then == Then::Assignments {
            while let Some((variable, value)) = rest.first().and_then(|argument| assignment(&argument.text)) {
                self.run_variable(&mut inner, &variable, &value, context);
                inner.set(&variable, Value::One(value), true);
                if let Some(known) = Rc::make_mut(&mut inner.variables).get_mut(&variable) {
                    known.is_exported = true;
                }
                rest.remove(0);
            }
        }
        let is_shell = (name == "sudo" || name == "doas") && given.has(&["s", "i", "shell", "login"]);
        let state = Rc::new(inner);
        match wrapper.then {
            _ if rest.is_empty() && (is_shell || wrapper.then == Then::ProgramOrShell) => {
                self.input_as_script(name, &state, context).unwrap_or_else(|| Outcome::either(&state, Text::default()))
            }
            Then::Shell if !given.has(&["x", "exec"]) => {
                let text = joined(rest.iter().map(|argument| &argument.text), " ");
                let inner = Rc::new(child(&state, Dialect::Sh));
                self.script(&super::word::as_text(&text), ScriptKind::Text, Some(context.site), inner, context)
            }
            _ if rest.is_empty() => Outcome::either(&state, Text::default()),
            _ => self.dispatch(rest, redirects.to_vec(), state, Lookup::Programs, context),
        }
    }

    /// `docker exec`, `ssh`, `uv run`: `None` if it is another command of the program.
    pub(super) fn runner(
        &mut self,
        runner: &Runner,
        name: &str,
        rest: &[Arg],
        state: &Rc<State>,
        context: &Context,
    ) -> Option<Outcome> {
        let behind = match runner.commands {
            [] => 0,
            commands => commands.iter().find_map(|command| behind_command(rest, command, &runner.global))?,
        };
        let rest = rest.get(behind..)?;
        let given = options::read(rest, &runner.options);
        let via = if runner.is_elsewhere { Via::Elsewhere(name.to_owned()) } else { Via::Wrapper(name.to_owned()) };
        let context = &context.through(via);
        if !given.is_certain {
            self.opaque(Reason::Arguments { program: name.to_owned() }, context.site, false, context);
        }
        let mut inner = State::clone(state);
        if runner.is_elsewhere {
            inner = State {
                variables: Rc::default(),
                functions: Rc::default(),
                aliases: Rc::default(),
                directory: Dir::Unknown,
                before: None,
                files: Rc::default(),
                repositories: git::Repositories::default(),
                is_elsewhere: true,
                parameters: None,
                ..inner
            };
        }
        let mut rest = rest.get((given.rest + runner.skips).min(rest.len())..).unwrap_or_default().to_vec();
        if let Some(entry) = given.value(&["entrypoint"]) {
            rest.insert(0, entry.clone());
        }
        // ssh takes options behind the host, too; others a `--` before the program.
        if runner.is_shell && runner.skips > 0 {
            let more = options::read(&rest, &runner.options);
            rest.drain(..more.rest.min(rest.len()));
        } else if rest.first().and_then(Arg::known) == Some("--") {
            rest.remove(0);
        }
        while !runner.is_elsewhere
            && let Some((variable, value)) = rest.first().and_then(|argument| assignment(&argument.text))
        {
            inner.set(&variable, Value::One(value), true);
            rest.remove(0);
        }
        let inner = Rc::new(inner);
        if let Some(text) = given.value(&["c"]).filter(|_| runner.is_shell && runner.commands.contains(&"ssh")) {
            let ended = self.script(&text.text, ScriptKind::Text, Some(text.site), inner, context);
            return Some(back(ended, state));
        }
        let ended = match (rest.is_empty(), runner.is_shell) {
            (true, true) => self.input_as_script(name, &inner, context)?,
            (true, false) => return Some(Outcome::either(state, Text::unknown(Source::Local))),
            (false, true) => {
                let text = super::word::as_text(&joined(rest.iter().map(|argument| &argument.text), " "));
                self.script(&text, ScriptKind::Text, Some(context.site), inner, context)
            }
            (false, false) => self.dispatch(rest, Vec::new(), inner, Lookup::Programs, context),
        };
        // What happens elsewhere leaves nothing here.
        Some(if runner.is_elsewhere { Outcome::either(state, ended.output) } else { back(ended, state) })
    }

    pub(super) fn other_user(&mut self, name: &str, rest: &[Arg], state: &Rc<State>, context: &Context) -> Outcome {
        let context = &context.through(Via::Wrapper(name.to_owned()));
        let given = options::read(rest, &Options::short("lmpPfV", "cCgGsuw"));
        let behind = rest.get(given.rest..).unwrap_or_default();
        if given.has(&["u"]) && !behind.is_empty() {
            return self.dispatch(behind.to_vec(), Vec::new(), Rc::clone(state), Lookup::Programs, context);
        }
        // What stands behind the user is for their shell.
        let more = behind.get(1..).unwrap_or_default();
        if !more.is_empty() {
            return self.shell("sh", more, state, context);
        }
        if given.has(&["c"]) {
            Outcome::either(state, Text::unknown(Source::Local))
        } else {
            self.input_as_script(name, state, context).unwrap_or_else(|| Outcome::either(state, Text::default()))
        }
    }

    pub(super) fn flock(&mut self, rest: &[Arg], state: &Rc<State>, context: &Context) -> Outcome {
        let context = &context.through(Via::Wrapper("flock".to_owned()));
        let given = options::read(
            rest,
            &Options::short("exsuonFv", "wEc").long(
                &["exclusive", "shared", "unlock", "nonblock", "close", "no-fork", "verbose"],
                &["wait", "timeout", "conflict-exit-code", "command"],
            ),
        );
        let behind = rest.get(given.rest + 1..).unwrap_or_default();
        match behind.first().and_then(Arg::known) {
            None if behind.is_empty() => Outcome::either(state, Text::default()),
            Some("-c" | "--command") => Outcome::either(state, Text::unknown(Source::Local)),
            _ => self.dispatch(behind.to_vec(), Vec::new(), Rc::clone(state), Lookup::Programs, context),
        }
    }
}

/// `NAME=value`
fn assignment(text: &Text) -> Option<(String, Text)> {
    let (name, start) = text.prefix().split_once('=')?;
    let is_function = name.starts_with("BASH_FUNC_");
    let is_name = !name.is_empty()
        && name.chars().all(|ch| ch.is_alphanumeric() || ch == '_')
        && !name.starts_with(|ch: char| ch.is_ascii_digit());
    let mut value = Text::from(start);
    for piece in text.pieces().iter().skip(1) {
        value.push(piece.clone());
    }
    (is_name || is_function).then(|| (name.to_owned(), value))
}

/// Where the arguments of a command of a program start.
fn behind_command(rest: &[Arg], command: &str, table: &Options) -> Option<usize> {
    let mut at = 0;
    for word in command.split(' ') {
        let given = options::read(rest.get(at..)?, table);
        at += given.rest;
        let argument = rest.get(at)?;
        match argument.known() {
            Some(known) if known == word => at += 1,
            _ => return None,
        }
    }
    Some(at)
}
