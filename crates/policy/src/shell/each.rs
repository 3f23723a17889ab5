//! Programs for each of many words or files.

use std::rc::Rc;

use super::border::child;
use super::outcome::Outcome;
use super::state::{Dialect, Lookup, State, derived, unknown_of};
use super::word::joined;
use super::{Context, Shell, word};
use crate::argument::Arg;
use crate::evaluation::{Reason, ScriptKind};
use crate::invocation::{Stdin, Via};
use crate::programs::options::{self, Options};
use crate::text::{Piece, Source, Text};

/// The options of xargs and parallel.
const XARGS: Options = Options::short("0oprtxX", "aEdILnPsRSjJ").long(
    &[
        "null",
        "open-tty",
        "interactive",
        "no-run-if-empty",
        "verbose",
        "exit",
        "show-limits",
        "will-cite",
        "keep-order",
        "bar",
        "dry-run",
    ],
    &[
        "arg-file",
        "delimiter",
        "eof",
        "replace",
        "max-lines",
        "max-args",
        "max-procs",
        "max-chars",
        "process-slot-var",
        "jobs",
        "colsep",
        "joblog",
    ],
);

impl Shell<'_> {
    /// A program for words of the input.
    pub(super) fn xargs(&mut self, name: &str, rest: &[Arg], state: &Rc<State>, context: &Context) -> Outcome {
        let context = &context.through(Via::Wrapper(name.to_owned()));
        let given = options::read(rest, &XARGS);
        if !given.is_certain {
            self.opaque(Reason::Arguments { program: name.to_owned() }, context.site, false, context);
        }
        let behind = rest.get(given.rest..).unwrap_or_default();
        let sources = behind.iter().position(|argument| argument.known().is_some_and(|text| text.starts_with(":::")));
        let (program, more) = match sources.filter(|_| name == "parallel") {
            Some(at) => (&behind[..at], behind.get(at + 1..).unwrap_or_default()),
            None => (behind, &[][..]),
        };
        let input = match &state.stdin {
            Stdin::Text(text) if !given.has(&["a", "arg-file"]) => text.clone(),
            _ => Text::unknown(Source::Local),
        };
        let marker = match given.value(&["I", "replace", "J"]).and_then(Arg::known) {
            Some(marker) => Some(marker.to_owned()),
            None => (given.has(&["replace", "i"]) || name == "parallel").then(|| "{}".to_owned()),
        };
        let items = match name {
            "parallel" if !more.is_empty() => Some(more.iter().map(|argument| argument.text.clone()).collect()),
            _ => items(&input, given.has(&["0", "null"]), given.value(&["d", "delimiter"]).is_some(), marker.is_some()),
        };
        let first = program.first().cloned().unwrap_or_else(|| Arg {
            text: Text::from("echo"),
            is_many: false,
            site: context.site,
            is_exact: false,
        });
        let any = Arg { is_many: marker.is_none(), ..derived(unknown_of(&[&input]), &first) };
        let mut base = program.to_vec();
        if base.is_empty() && name == "parallel" {
            // Every line is a command.
            let inner = Rc::new(child(state, Dialect::Sh));
            return self.script(&input, ScriptKind::Text, Some(context.site), inner, context);
        }
        if base.is_empty() {
            base.push(first.clone());
        }
        let mut calls: Vec<Vec<Arg>> = Vec::new();
        match (marker, items) {
            (None, Some(items)) => {
                base.extend(items.into_iter().map(|item| derived(item, &first)));
                calls.push(base);
            }
            (None, None) => {
                base.push(any);
                calls.push(base);
            }
            (Some(marker), items) => {
                let has_marker = base.iter().any(|argument| argument.text.shown().contains(&marker));
                for item in items.unwrap_or_else(|| vec![any.text.clone()]).into_iter().take(super::limits::ITERATIONS)
                {
                    let mut call: Vec<Arg> = base.iter().map(|argument| with(argument, &marker, &item)).collect();
                    if !has_marker && name == "parallel" {
                        call.push(derived(item, &first));
                    }
                    calls.push(call);
                }
            }
        }
        let inner = Rc::new(State { stdin: Stdin::Inherited, ..State::clone(state) });
        let mut sum = Outcome::either(state, Text::unknown(Source::Local));
        for call in calls {
            let ended = match name {
                // It hands the whole line to a shell.
                "parallel" => {
                    let line = word::as_text(&joined(call.iter().map(|argument| &argument.text), " "));
                    let inner = Rc::new(child(&inner, Dialect::Sh));
                    self.script(&line, ScriptKind::Text, Some(context.site), inner, context)
                }
                _ => self.dispatch(call, Vec::new(), Rc::clone(&inner), Lookup::Programs, context),
            };
            let output = ended.output.clone();
            sum = sum.or(ended);
            sum.output = output;
        }
        sum
    }

    /// `find -exec`
    pub(super) fn find(&mut self, name: &str, rest: &[Arg], state: &Rc<State>, context: &Context) -> Outcome {
        let context = &context.through(Via::Wrapper(name.to_owned()));
        let mut sum = Outcome::either(state, Text::unknown(Source::Local));
        for (index, argument) in rest.iter().enumerate() {
            if !matches!(argument.known(), Some("-exec" | "-execdir" | "-ok" | "-okdir")) {
                continue;
            }
            let until = |argument: &&Arg| argument.known() != Some(";");
            let mut program: Vec<Arg> = rest.iter().skip(index + 1).take_while(until).cloned().collect();
            let end = program
                .iter()
                .position(|argument| argument.known() == Some("+"))
                .filter(|at| *at > 0 && program.get(at - 1).and_then(Arg::known) == Some("{}"));
            program.truncate(end.unwrap_or(program.len()));
            let found = Text::unknown(Source::Local);
            let program: Vec<Arg> = program
                .iter()
                .map(|argument| Arg {
                    is_many: argument.is_many || (end.is_some() && argument.known() == Some("{}")),
                    ..with(argument, "{}", &found)
                })
                .collect();
            if !program.is_empty() {
                sum = sum.or(self.dispatch(program, Vec::new(), Rc::clone(state), Lookup::Programs, context));
            }
        }
        sum.output = Text::unknown(Source::Local);
        sum
    }
}

/// The words of an input; `None` if they are not known.
fn items(input: &Text, by_null: bool, by_other: bool, by_line: bool) -> Option<Vec<Text>> {
    let known = input.known().filter(|_| !by_other)?;
    if known.contains(['\'', '"', '\\']) && !by_null {
        return None;
    }
    let plain = |item: &str| (!item.is_empty()).then(|| Text::from(item));
    let items: Vec<Text> = match (by_null, by_line) {
        (true, _) => known.split('\0').filter_map(plain).collect(),
        (false, true) => known.lines().map(str::trim_start).filter_map(plain).collect(),
        (false, false) => known.split_whitespace().filter_map(plain).collect(),
    };
    (items.len() <= super::limits::WORDS).then_some(items)
}

/// An argument with an item in place of a marker.
fn with(argument: &Arg, marker: &str, item: &Text) -> Arg {
    let mut text = Text::default();
    let mut has_one = false;
    for piece in argument.text.pieces() {
        match piece {
            Piece::Known(known) if known.contains(marker) => {
                has_one = true;
                for (index, part) in known.split(marker).enumerate() {
                    if index > 0 {
                        text.append(item);
                    }
                    text.push(Piece::Known(part.to_owned()));
                }
            }
            piece => text.push(piece.clone()),
        }
    }
    if has_one { Arg { is_many: argument.is_many, ..derived(text, argument) } } else { argument.clone() }
}
