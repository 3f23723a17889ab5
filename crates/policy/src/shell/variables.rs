//! Built-in commands for variables.

use std::rc::Rc;

use super::Shell;
use super::call::{Call, exports};
use super::outcome::Outcome;
use super::state::{EVERY, State, Value, Variable, unknown_of};
use crate::argument::Arg;
use crate::invocation::Stdin;
use crate::programs::options::{self, Options};
use crate::text::{Source, Text};

/// Names without a value become known as exported; values were assigned before.
pub(super) fn declare(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let exports = exports(call.arguments);
    let is_function = call.rest().iter().filter_map(Arg::known).any(|text| text.starts_with('-') && text.contains('f'));
    let changes = call
        .rest()
        .iter()
        .filter_map(Arg::known)
        .any(|text| text.starts_with('-') && text.contains(['n', 'l', 'u', 'i', 'c']));
    let mut state = State::clone(call.state);
    if changes {
        // Assignments were made before: their values are not what the variables hold.
        let names: Vec<String> = state.variables.keys().cloned().collect();
        for name in names.iter().filter(|name| !call.state.variables.get(*name).is_some_and(|known| known.is_exported))
        {
            state.set(name, Value::One(Text::unknown(Source::Local)), false);
        }
    }
    for argument in call.rest() {
        let Some(text) = argument.text.known() else {
            // Anything may be set now.
            if let Some((name, _)) = argument.text.prefix().split_once('=') {
                state.set(name, Value::One(unknown_of(&[&argument.text])), exports);
            }
            continue;
        };
        if is_function && exports && !text.starts_with('-') {
            Rc::make_mut(&mut state.exported).insert(text.to_owned());
        }
        if text.starts_with('-') || text.starts_with('+') || is_function {
            continue;
        }
        let name = text.split(['=', '+']).next().unwrap_or(text);
        if call.name == "readonly" {
            Rc::make_mut(&mut state.readonly).insert(name.to_owned());
        }
        match text.split_once('=') {
            Some((name, value)) if !changes => {
                state.set(name.trim_end_matches('+'), Value::One(Text::from(value)), exports)
            }
            // Of a reference or a variable that changes what it is given nothing is known.
            _ if changes => {
                let name = text.split(['=', '+']).next().unwrap_or(text);
                state.set(name, Value::One(Text::unknown(Source::Local)), exports);
            }
            Some(_) => {}
            None if exports => {
                let value = shell.variable(&state, text).map_or(Value::Unset, Value::One);
                let variables = Rc::make_mut(&mut state.variables);
                let variable = variables.entry(text.to_owned()).or_insert(Variable { value, is_exported: true });
                variable.is_exported = true;
            }
            // Alone it is a variable of the function that is not set.
            None if call.name != "readonly" && state.locals.is_some() => {
                state.make_local(name);
                Rc::make_mut(&mut state.variables)
                    .insert(name.to_owned(), Variable { value: Value::Unset, is_exported: false });
            }
            None => {}
        }
    }
    Outcome::success(Rc::new(state), Text::default())
}

pub(super) fn unset(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let is_function = call.rest().iter().any(|argument| argument.known() == Some("-f"));
    let is_variable = call.rest().iter().any(|argument| argument.known() == Some("-v"));
    let mut state = State::clone(call.state);
    for name in call.rest().iter().filter_map(Arg::known).filter(|name| !name.starts_with('-')) {
        if !is_function {
            state.set(name, Value::Unset, shell.is_inherited(name));
        }
        if !is_variable && (is_function || !state.variables.contains_key(name)) {
            Rc::make_mut(&mut state.functions).remove(name);
        }
    }
    Outcome::success(Rc::new(state), Text::default())
}

/// The first line of the input, by names.
pub(super) fn read(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let table = Options::short("ers", "adinNptu");
    let given = options::read(call.rest(), &table);
    let mut state = State::clone(call.state);
    if let Some(name) = given.value(&["a"]).and_then(Arg::known) {
        state.set(name, Value::Array(None), false);
    }
    let names: Vec<&str> = call.rest().get(given.rest..).unwrap_or_default().iter().filter_map(Arg::known).collect();
    let names = if names.is_empty() { vec!["REPLY"] } else { names };
    let is_plain = given.options.iter().all(|option| matches!(option.name.as_str(), "r" | "s" | "e" | "p"));
    let (line, rest) = match &state.stdin {
        Stdin::Inherited => (Text::unknown(Source::Local), Stdin::Inherited),
        Stdin::Text(text) => match text.known().filter(|_| is_plain) {
            Some(known) => {
                let (line, rest) = known.split_once('\n').unwrap_or((known, ""));
                (Text::from(line), Stdin::Text(Text::from(rest)))
            }
            None => (unknown_of(&[text]), Stdin::Text(unknown_of(&[text]))),
        },
    };
    state.stdin = rest;
    match line.known().filter(|line| !line.contains('\\')) {
        Some(line) if shell.separators(&state).as_deref() == Some(" \t\n") => {
            let mut rest = line.trim_matches([' ', '\t']);
            for (index, name) in names.iter().enumerate() {
                let is_last = index + 1 == names.len();
                let (word, after) =
                    if is_last { (rest, "") } else { rest.split_once([' ', '\t']).unwrap_or((rest, "")) };
                state.set(name, Value::One(Text::from(word)), shell.is_inherited(name));
                rest = after.trim_start_matches([' ', '\t']);
            }
        }
        _ => {
            for name in names {
                state.set(name, Value::One(unknown_of(&[&line])), shell.is_inherited(name));
            }
        }
    }
    Outcome::either(&Rc::new(state), Text::default())
}

pub(super) fn read_all(_: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let given = options::read(call.rest(), &Options::short("t", "dnOsuCc"));
    let name = call.rest().get(given.rest).and_then(Arg::known).unwrap_or("MAPFILE");
    call.done(|state| state.set(name, Value::Array(None), false))
}

pub(super) fn forgotten(call: &Call<'_>, name: Option<&Arg>) -> Outcome {
    let mut state = State::clone(call.state);
    if let Some(name) = name.and_then(Arg::known) {
        state.set(name, Value::One(Text::unknown(Source::Local)), false);
    }
    Outcome::either(&Rc::new(state), Text::default())
}

pub(super) fn calculate(shell: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let mut state = State::clone(call.state);
    for argument in call.rest() {
        if let Some(text) = argument.known() {
            shell.arithmetic(&mut state, text, call.context);
        }
    }
    Outcome::either(&Rc::new(state), Text::default())
}

/// `set -- a b`
pub(super) fn set(_: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let all = call.rest().iter().filter_map(Arg::known);
    let exports_all = all
        .clone()
        .any(|text| text == "allexport" || (text.starts_with('-') && !text.starts_with("--") && text.contains('a')));
    let state = if exports_all {
        let mut state = State::clone(call.state);
        Rc::make_mut(&mut state.exported).insert(EVERY.to_owned());
        Rc::new(state)
    } else {
        Rc::clone(call.state)
    };
    let call = &Call { state: &state, ..*call };
    let rest = call.rest();
    let start = rest
        .iter()
        .position(|argument| argument.known().is_none_or(|text| text == "--" || !text.starts_with(['-', '+'])));
    let Some(start) = start else { return call.done(|_| {}) };
    let start = start + usize::from(rest.get(start).and_then(Arg::known) == Some("--"));
    let new = rest.get(start..).unwrap_or_default();
    let is_known = new.iter().all(|argument| !argument.is_many && !argument.text.is_glob());
    let all = is_known.then(|| Rc::new(new.iter().map(|argument| argument.text.clone()).collect()));
    call.done(|state| state.parameters = all)
}

pub(super) fn shift(_: &mut Shell<'_>, call: &Call<'_>) -> Outcome {
    let count = match call.rest().first() {
        None => Some(1),
        Some(argument) => argument.known().and_then(|text| text.parse::<usize>().ok()),
    };
    call.done(|state| {
        let all = state.parameters.take();
        state.parameters = all.zip(count).map(|(all, count)| Rc::new(all.iter().skip(count).cloned().collect()));
    })
}
