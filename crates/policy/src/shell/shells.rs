//! Shells, and scripts that they read.

use std::rc::Rc;

use super::border::{all_known, back, child};
use super::outcome::Outcome;
use super::state::{Dialect, State, Value};
use super::{Context, Shell, files};
use crate::argument::Arg;
use crate::evaluation::{Reason, ScriptKind};
use crate::invocation::{Stdin, Via};
use crate::programs::options::{self, Options};
use crate::text::{Source, Text};

impl Shell<'_> {
    /// A shell: with a text, a file, or its input.
    pub(super) fn shell(&mut self, name: &str, rest: &[Arg], state: &Rc<State>, context: &Context) -> Outcome {
        let dialect = match name {
            "sh" => Dialect::Sh,
            "dash" | "ash" => Dialect::Dash,
            _ => Dialect::Bash,
        };
        let table = Options::short("abefhkmnptuvxBCEHPilrsDc", "oO").long(
            &[
                "login",
                "noprofile",
                "norc",
                "posix",
                "restricted",
                "verbose",
                "debugger",
                "noediting",
                "help",
                "version",
                "dump-strings",
            ],
            &["rcfile", "init-file", "emulate"],
        );
        let context = &Context { dialect, ..context.through(Via::Shell(name.to_owned())) };
        // `+O name` and `+x` are options, too.
        let is_off = |argument: &&Arg| argument.known().is_some_and(|text| text.starts_with('+'));
        let off = rest.iter().take_while(is_off).count();
        let names =
            rest.get(..off).unwrap_or_default().iter().filter(|argument| argument.known() == Some("+O")).count();
        let rest = rest.get((off + names).min(rest.len())..).unwrap_or_default();
        let given = options::read(rest, &table);
        let operands = rest.get(given.rest..).unwrap_or_default();
        if !given.is_certain {
            self.opaque(Reason::Arguments { program: name.to_owned() }, context.site, false, context);
        }
        let mut inner = child(state, dialect);
        for variable in ["BASH_ENV", "ENV"] {
            if let Some(file) = state.variables.get(variable)
                && let Value::One(file) = &file.value
            {
                self.file(file, &inner, context);
            }
        }
        if let Some(file) = given.value(&["rcfile", "init-file"]) {
            self.file(&file.text, &inner, context);
        }
        if given.has(&["c"]) {
            let Some(text) = operands.first() else { return Outcome::either(state, Text::default()) };
            if let Some(name) = operands.get(1) {
                inner.name = name.text.clone();
            }
            inner.parameters = all_known(operands.get(2..).unwrap_or_default());
            let text_arg = if text.is_many { Text::unknown(Source::Local) } else { super::word::as_text(&text.text) };
            let ended = self.script(&text_arg, ScriptKind::Text, Some(text.site), Rc::new(inner), context);
            return back(ended, state);
        }
        match operands.first().filter(|_| !given.has(&["s"])) {
            Some(file) => {
                inner.parameters = all_known(&operands[1..]);
                inner.name = file.text.clone();
                if file.text.is_unknown() {
                    self.opaque(Reason::Script { shell: name.to_owned() }, file.site, file.text.is_remote(), context);
                }
                back(self.file(&file.text, &inner, context), state)
            }
            None => {
                inner.parameters = all_known(operands);
                match &state.stdin {
                    Stdin::Inherited => Outcome::either(state, Text::default()),
                    Stdin::Text(text) => {
                        let ended = self.script(text, ScriptKind::Text, Some(context.site), Rc::new(inner), context);
                        back(ended, state)
                    }
                }
            }
        }
    }

    /// A script file that a shell reads. Nothing is known of one that is not there.
    pub(super) fn file(&mut self, name: &Text, state: &State, context: &Context) -> Outcome {
        let start = Rc::new(state.clone());
        match self.run_content(state, name) {
            files::Content::Text(text, kind) => {
                let context = match &kind {
                    ScriptKind::File(path) => context.through(Via::File(path.clone())),
                    _ => context.clone(),
                };
                self.script(&text, kind, Some(context.site), start, &context)
            }
            files::Content::Program(_) | files::Content::Other => Outcome::either(&start, Text::unknown(Source::Local)),
        }
    }

    /// The input as a script: of a shell without arguments. `None` if it is the session's.
    pub(super) fn input_as_script(&mut self, name: &str, state: &Rc<State>, context: &Context) -> Option<Outcome> {
        let Stdin::Text(text) = &state.stdin else { return None };
        let context = context.through(Via::Shell(name.to_owned()));
        let inner = Rc::new(child(state, Dialect::Sh));
        Some(self.script(text, ScriptKind::Text, Some(context.site), inner, &context))
    }
}
