//! The commands of the shell itself.

use std::path::PathBuf;
use std::rc::Rc;

use super::call::Call;
use super::outcome::Outcome;
use super::state::{Dialect, Lookup, State, Value, Written};
use super::variables::{calculate, declare, forgotten, read, read_all, set, shift, unset};
use super::word::joined;
use super::{Context, Shell, files, output, word};
use crate::argument::Arg;
use crate::evaluation::{Reason, ScriptKind};
use crate::invocation::{Dir, Redirect, Via};
use crate::programs::options::{self, Options};
use crate::text::{Source, Text};

/// What a built-in command does to the shell.
type Run = fn(&mut Shell<'_>, &Call<'_>) -> Outcome;

/// All of them.
const BUILTINS: &[(&str, Run)] = &[
    (":", |_, call| call.done(|_| {})),
    ("true", |_, call| call.done(|_| {})),
    ("false", |_, call| Outcome::failure(Rc::clone(call.state))),
    ("cd", cd),
    ("chdir", cd),
    ("pushd", cd),
    ("popd", |_, call| call.done(|state| state.directory = Dir::Unknown)),
    ("export", declare),
    ("declare", declare),
    ("typeset", declare),
    ("local", declare),
    ("readonly", declare),
    ("unset", unset),
    ("read", read),
    ("mapfile", read_all),
    ("readarray", read_all),
    ("getopts", |_, call| forgotten(call, call.rest().get(1))),
    ("let", calculate),
    ("set", set),
    ("shift", shift),
    ("alias", alias),
    ("unalias", |_, call| call.nothing()),
    ("hash", hash),
    ("eval", eval),
    ("source", source),
    (".", source),
    ("exec", |shell, call| starts(shell, call, &Options::short("cl", "a"), Lookup::Programs)),
    ("command", command),
    ("builtin", |shell, call| starts(shell, call, &Options::NONE, Lookup::NoFunctions)),
    ("trap", trap),
    ("echo", writes),
    ("printf", printf),
    ("pwd", |_, call| {
        let path = call.state.directory.known().and_then(std::path::Path::to_str);
        let text = path.map_or_else(|| Text::unknown(Source::Local), |path| Text::new(format!("{path}\n")));
        Outcome::success(Rc::clone(call.state), text)
    }),
];

/// Those whose arguments may be names of variables.
const EXPANDS_INDICES: &[&str] = &[
    "test",
    "[",
    "printf",
    "read",
    "declare",
    "typeset",
    "local",
    "readonly",
    "export",
    "unset",
    "mapfile",
    "readarray",
    "wait",
    "getopts",
];

/// Those that change nothing that matters here.
const QUIET: &[&str] = &[
    "test", "[", "return", "exit", "break", "continue", "wait", "jobs", "umask", "ulimit", "type", "shopt", "enable",
    "help", "history", "fc", "bind", "complete", "compgen", "compopt", "caller", "dirs", "disown", "fg", "bg", "kill",
    "logout", "suspend", "times", "setopt", "unsetopt", "autoload", "emulate",
];

/// Whether a name is one of them.
pub(super) fn is_one(name: &str) -> bool {
    BUILTINS.iter().any(|(known, _)| *known == name) || QUIET.contains(&name)
}

/// Whether the arguments of a command may be assignments.
pub(super) fn declares(name: &str) -> bool {
    matches!(name, "export" | "declare" | "typeset" | "local" | "readonly")
}

impl Shell<'_> {
    pub(super) fn builtin(
        &mut self,
        name: &str,
        arguments: &[Arg],
        redirects: Vec<Redirect>,
        state: Rc<State>,
        context: &Context,
    ) -> Outcome {
        self.found(arguments, redirects.clone(), &state, context);
        self.carriers(name, arguments, &state, context);
        if EXPANDS_INDICES.contains(&name) {
            // The index of an array is expanded where a name is read.
            for argument in arguments.iter().filter(|argument| argument.text.prefix().contains('[')) {
                self.again(&mut State::clone(&state), &argument.text, context);
            }
        }
        let Some((_, run)) = BUILTINS.iter().find(|(known, _)| *known == name) else {
            return Outcome::either(&state, Text::default());
        };
        self.nested(context, Rc::clone(&state), |shell, state| {
            run(shell, &Call { name, arguments, redirects: &redirects, state: &state, context })
        })
    }
}

fn cd(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let operand =
        call.rest().iter().find(|argument| argument.known().is_none_or(|text| text == "-" || !text.starts_with('-')));
    let target = match operand.map(|operand| (operand, operand.known())) {
        None => shell.variable(call.state, "HOME").and_then(|home| home.known().map(PathBuf::from)),
        Some((_, Some("-"))) => call.state.before.as_ref().and_then(Dir::known).map(Into::into),
        Some((_, Some(""))) => call.state.directory.known().map(Into::into),
        Some((_, Some(text))) if call.name != "pushd" || !text.starts_with('+') => shell.path(call.state, text),
        Some(_) => None,
    };
    let exists = target.as_deref().and_then(|target| shell.is_folder(call.state, target));
    let mut moved = State::clone(call.state);
    moved.before = Some(moved.directory.clone());
    moved.directory = target.map_or(Dir::Unknown, Dir::Known);
    let failed = if exists == Some(true) { Vec::new() } else { vec![Rc::clone(call.state)] };
    Outcome { ok: vec![Rc::new(moved)], failed, output: Text::default() }
}

fn alias(_: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    call.done(|state| {
        for argument in call.rest() {
            let Some((name, start)) = argument.text.prefix().split_once('=') else { continue };
            let mut value = Text::from(start);
            for piece in argument.text.pieces().iter().skip(1) {
                value.push(piece.clone());
            }
            Rc::make_mut(&mut state.aliases).insert(name.to_owned(), value);
        }
    })
}

/// `hash -p /bin/rm x` makes a name of a program.
fn hash(_: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let given = options::read(call.rest(), &Options::short("dlrt", "p"));
    let name = call.rest().get(given.rest).and_then(Arg::known);
    match given.value(&["p"]).zip(name) {
        Some((path, name)) => call.done(|state| {
            Rc::make_mut(&mut state.aliases).insert(name.to_owned(), path.text.clone());
        }),
        None => call.nothing(),
    }
}

fn eval(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let rest = call.rest();
    let rest = if rest.first().and_then(Arg::known) == Some("--") { &rest[1..] } else { rest };
    if rest.is_empty() {
        return call.done(|_| {});
    }
    let mut text = joined(rest.iter().map(|argument| &argument.text), " ");
    if rest.iter().any(|argument| argument.is_many) {
        text.append(&Text::unknown(Source::Local));
    }
    let text = word::as_text(&text);
    let context = call.context.through(Via::Shell("eval".to_owned()));
    shell.script(&text, ScriptKind::Text, Some(site_of(rest, call.context)), Rc::clone(call.state), &context)
}

/// Where some arguments stand together.
pub(super) fn site_of(arguments: &[Arg], context: &Context) -> crate::site::Site {
    match (arguments.first(), arguments.last()) {
        (Some(first), Some(last)) if first.site.script == last.site.script => {
            let mut site = first.site;
            site.span.end = last.site.span.end.max(site.span.end);
            site
        }
        _ => context.site,
    }
}

fn source(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let Some(file) = call.rest().iter().find(|argument| argument.known() != Some("--")) else { return call.nothing() };
    let after = call.rest().iter().skip(1).map(|argument| argument.text.clone()).collect::<Vec<_>>();
    let mut inner = State::clone(call.state);
    // Not every shell has parameters for a file that it reads itself.
    match (after.is_empty(), call.context.dialect) {
        (true, _) | (false, Dialect::Dash) => {}
        (false, Dialect::Bash) => inner.parameters = Some(Rc::new(after)),
        (false, Dialect::Sh) => inner.parameters = None,
    }
    let content = shell.run_content(call.state, &file.text);
    match content {
        files::Content::Text(text, kind) => {
            let via = match &kind {
                ScriptKind::File(path) => Via::File(path.clone()),
                _ => Via::Shell(call.name.to_owned()),
            };
            let is_file = matches!(kind, ScriptKind::File(_));
            if is_file && !text.is_unknown() && is_environment(&text) {
                return call.nothing();
            }
            let context = call.context.through(via);
            let ended = shell.script(&text, kind, Some(file.site), Rc::new(inner), &context);
            let parameters = call.state.parameters.clone();
            let restore = |state: Rc<State>| Rc::new(State { parameters: parameters.clone(), ..State::clone(&state) });
            Outcome {
                ok: ended.ok.into_iter().map(restore).collect(),
                failed: ended.failed.into_iter().map(restore).collect(),
                output: ended.output,
            }
        }
        files::Content::Program(_) => call.nothing(),
        files::Content::Other => {
            // A file that is not there yet may set anything: `. venv/bin/activate` sets what programs are found.
            if file.text.is_unknown() {
                shell.opaque(
                    Reason::Script { shell: call.name.to_owned() },
                    file.site,
                    file.text.is_remote(),
                    call.context,
                );
            }
            call.nothing()
        }
    }
}

/// Whether a script only sets variables and functions: those of virtual environments do.
fn is_environment(text: &Text) -> bool {
    text.known().is_some_and(|text| text.contains("VIRTUAL_ENV") && text.contains("deactivate"))
}

/// `exec a`, `builtin a`
fn starts(shell: &mut Shell<'_>, call: &Call<'_>, table: &Options, lookup: Lookup) -> Outcome {
    let given = options::read(call.rest(), table);
    let rest = call.rest().get(given.rest..).unwrap_or_default();
    if rest.is_empty() {
        return Outcome::success(Rc::clone(call.state), Text::default());
    }
    let context = call.context.through(Via::Wrapper(call.name.to_owned()));
    shell.dispatch(rest.to_vec(), call.redirects.to_vec(), Rc::clone(call.state), lookup, &context)
}

fn command(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let given = options::read(call.rest(), &Options::short("pvV", ""));
    if !given.has(&["v", "V"]) {
        return starts(shell, call, &Options::short("pvV", ""), Lookup::NoFunctions);
    }
    let name = call.rest().get(given.rest).and_then(Arg::known);
    let output = match name {
        // Where it is found is the name of the program in any case.
        Some(name) if !name.contains('/') => match shell.world.program(name).filter(|_| !is_one(name)) {
            Some(path) => Text::new(format!("{}\n", path.display())),
            None => Text::new(format!("{name}\n")),
        },
        _ => Text::unknown(Source::Local),
    };
    Outcome::either(call.state, output)
}

/// What a trap runs may run at any time.
fn trap(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let given = options::read(call.rest(), &Options::short("lp", ""));
    let rest = call.rest().get(given.rest..).unwrap_or_default();
    if let Some(text) =
        rest.first().filter(|text| rest.len() > 1 && text.known() != Some("-") && text.known() != Some(""))
    {
        let context = call.context.through(Via::Shell("trap".to_owned()));
        let start = Rc::clone(call.state);
        let ended = shell.script(&text.text, ScriptKind::Text, Some(text.site), start, &context);
        if text.text.known().is_some_and(|known| known.contains('$')) {
            // By the time it runs, variables may be something else.
            let later =
                State { is_elsewhere: true, variables: Rc::default(), parameters: None, ..State::clone(call.state) };
            shell.script(&text.text, ScriptKind::Text, Some(text.site), Rc::new(later), &context);
        }
        let mut state = State::clone(call.state);
        for end in ended.all() {
            state = state.after_subshell(&end);
        }
        return Outcome::success(Rc::new(state), Text::default());
    }
    call.nothing()
}

fn writes(_: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    Outcome::success(Rc::clone(call.state), output::echo(call.rest(), call.context.dialect))
}

fn printf(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let given = options::read(call.rest(), &Options::short("", "v"));
    let rest = call.rest().get(given.rest..).unwrap_or_default();
    let text = output::printf(rest);
    match given.value(&["v"]).and_then(Arg::known) {
        Some(name) => call.done(|state| state.set(name, Value::One(text), shell.is_inherited(name))),
        None => Outcome::success(Rc::clone(call.state), text),
    }
}

/// A folder that a command made.
pub(super) fn made(state: &mut State, path: PathBuf) {
    state.write(path, Written::Folder);
}
