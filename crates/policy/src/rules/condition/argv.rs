//! Questions about arguments.

use super::answer::{Answer, Evidence};
use super::context::Context;
use super::pattern::{Pattern, any_truth};
use super::place::{Where, where_is};
use crate::argument::Arg;
use crate::arguments::{Takes, parse};
use crate::invocation::Invocation;
use crate::site::Site;
use crate::text::{Piece, Text};
use crate::truth::Truth;

/// Which operands have to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    /// At least one.
    Some,
    /// All, and there is one.
    All,
}

fn args(invocation: &Invocation) -> &[Arg] {
    invocation.argv.get(1..).unwrap_or_default()
}

pub(super) fn exactly(invocation: &Invocation, words: &[String]) -> Answer {
    let is_same = invocation.argv.len() == words.len()
        && invocation.argv.iter().zip(words).all(|(arg, word)| arg.known() == Some(word));
    Answer::of(is_same.into(), || Evidence::at(invocation.site))
}

pub(super) fn words(invocation: &Invocation, at_least: usize) -> Answer {
    let evidence = || Evidence::at(invocation.site);
    if invocation.argv.iter().any(|arg| arg.is_many) {
        Answer::Maybe(evidence())
    } else {
        Answer::of((invocation.argv.len() >= at_least).into(), evidence)
    }
}

pub(super) fn line(invocation: &Invocation, patterns: &[Pattern]) -> Answer {
    let mut line = Text::default();
    for (index, arg) in invocation.argv.iter().enumerate() {
        if index > 0 {
            line.push(Piece::Known(" ".to_owned()));
        }
        line.append(&arg.text);
    }
    let evidence = || Evidence::at(invocation.site);
    match any_truth(patterns, &line) {
        // A program that is unknown is opaque, and a rule of its own decides about it.
        Truth::Maybe if invocation.program().is_none() => Answer::No,
        Truth::Maybe => Answer::Maybe(Evidence { unknown: Some(line.shown()), ..evidence() }),
        truth => Answer::of(truth, evidence),
    }
}

/// An unknown program fits nothing: it is opaque, and a rule of its own decides about it.
pub(super) fn program(invocation: &Invocation, patterns: &[Pattern]) -> Answer {
    let Some(name) = invocation.program() else { return Answer::No };
    let site = invocation.argv.first().map_or(invocation.site, |arg| arg.site);
    let is_match = patterns.iter().any(|pattern| pattern.is_match(name));
    Answer::of(is_match.into(), || Evidence::at(site).with("program", name))
}

pub(super) fn option(invocation: &Invocation, names: &[String], takes: &Takes) -> Answer {
    let parsed = parse(args(invocation), takes);
    let found = parsed.options.iter().filter(|given| names.iter().any(|name| given.is(name)));
    let sites: Vec<Site> = found.map(|given| given.arg.site).collect();
    if !sites.is_empty() {
        return Answer::Yes(Evidence { sites, ..Evidence::default() });
    }
    match names.iter().find_map(|name| parsed.maybe(name)) {
        Some(arg) => Answer::Maybe(doubt(arg)),
        None => Answer::No,
    }
}

/// What an answer rests on that depends on an argument.
fn doubt(arg: &Arg) -> Evidence {
    Evidence { unknown: Some(arg.text.shown()), ..Evidence::at(arg.site) }
}

pub(super) fn operands(
    invocation: &Invocation,
    which: Operands,
    wanted: &[Where],
    takes: &Takes,
    context: &Context<'_>,
) -> Answer {
    let parsed = parse(args(invocation), takes);
    let answers = parsed.operands.iter().map(|arg| {
        let truth = where_is(&arg.text, wanted, invocation, context);
        // Several arguments of which something is known are not known to be all of this kind.
        let truth = if arg.is_many { truth.min(Truth::Maybe) } else { truth };
        match truth {
            Truth::Maybe => Answer::Maybe(doubt(arg).with("path", arg.text.shown())),
            _ => Answer::of(truth, || Evidence::at(arg.site).with("path", arg.text.shown())),
        }
    });
    let whole = match which {
        Operands::Some => answers.reduce(Answer::or),
        Operands::All => answers.reduce(Answer::and),
    };
    whole.unwrap_or(Answer::No)
}

pub(super) fn value(
    invocation: &Invocation,
    names: &[String],
    wanted: &[Where],
    takes: &Takes,
    context: &Context<'_>,
) -> Answer {
    let parsed = parse(args(invocation), takes);
    let those = parsed.options.iter().filter(|given| names.iter().any(|name| given.is(name)));
    let answers = those.map(|given| {
        let value = given.value.clone().unwrap_or_default();
        Answer::of(where_is(&value, wanted, invocation, context), || {
            Evidence::at(given.arg.site).with("path", value.shown())
        })
    });
    answers.reduce(Answer::or).unwrap_or(Answer::No)
}

pub(super) fn subcommand(invocation: &Invocation, wanted: &[Vec<Pattern>], takes: &Takes) -> Answer {
    let parsed = parse(args(invocation), takes);
    let one = |words: &Vec<Pattern>| {
        let mut whole = Answer::Yes(Evidence::default());
        for (at, word) in words.iter().enumerate() {
            let Some(arg) = parsed.operands.get(at) else { return Answer::No };
            let answer = match any_truth(std::slice::from_ref(word), &arg.text) {
                Truth::Maybe => Answer::Maybe(doubt(arg)),
                truth => Answer::of(truth, || Evidence::at(arg.site)),
            };
            whole = whole.and(answer);
        }
        whole
    };
    wanted.iter().map(one).reduce(Answer::or).unwrap_or(Answer::No)
}

pub(super) fn argument(invocation: &Invocation, patterns: &[Pattern]) -> Answer {
    let one = |arg: &Arg| match any_truth(patterns, &arg.text) {
        Truth::Maybe => Answer::Maybe(doubt(arg)),
        truth => Answer::of(truth, || Evidence::at(arg.site)),
    };
    args(invocation).iter().map(one).reduce(Answer::or).unwrap_or(Answer::No)
}

pub(super) fn count(invocation: &Invocation, at_least: usize, at_most: Option<usize>, takes: &Takes) -> Answer {
    let parsed = parse(args(invocation), takes);
    // Each unknown argument may be an option, none at all, or any number of operands.
    let least = parsed.operands.len() - parsed.operands.iter().filter(|arg| parsed.unknown.contains(arg)).count();
    let most = if parsed.operands.iter().any(|arg| arg.is_many) { None } else { Some(parsed.operands.len()) };
    let is_certain = least >= at_least && at_most.is_none_or(|limit| most.is_some_and(|most| most <= limit));
    let is_possible = most.is_none_or(|most| most >= at_least) && at_most.is_none_or(|limit| least <= limit);
    match (is_certain, is_possible) {
        (true, _) => Answer::Yes(Evidence::at(invocation.site)),
        (false, true) => Answer::Maybe(Evidence::at(invocation.site)),
        (false, false) => Answer::No,
    }
}

pub(super) fn variable(invocation: &Invocation, wanted: &[(Pattern, Option<Pattern>)]) -> Answer {
    let one = |(name, value): &(Pattern, Option<Pattern>)| {
        let set = invocation.environment.iter().filter(|(known, _)| name.is_match(known));
        let truth = set.map(|(_, known)| match (known, value) {
            (None, None) => Truth::Yes,
            (Some(known), Some(value)) => value.truth(known),
            _ => Truth::No,
        });
        truth.max().unwrap_or(Truth::No)
    };
    let truth = wanted.iter().map(one).max().unwrap_or(Truth::No);
    Answer::of(truth, || Evidence::at(invocation.site))
}
