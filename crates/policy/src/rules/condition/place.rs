//! Questions about files, directories, and through what a program runs.

use std::path::Path;

use super::answer::{Answer, Evidence};
use super::context::Context;
use super::pattern::Pattern;
use crate::argument::Arg;
use crate::invocation::{Invocation, RedirectKind, Stdin, Via};
use crate::paths::{Class, FileUse, Located, UseKind, into_folders, locate, takes_text, written};
use crate::site::Site;
use crate::text::Text;
use crate::truth::Truth;

/// Which words or files are meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Where {
    /// A word as it is written.
    Word(Pattern),
    /// An absolute path, after links.
    Path(Pattern),
    /// Files of a kind.
    Class(&'static Class),
}

/// What a program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StdinKind {
    Text,
    Unknown,
    Remote,
    Inherited,
}

/// Through what something runs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ViaKind {
    pub(crate) kind: &'static str,
    pub(crate) name: Option<Pattern>,
}

/// The kinds of [`Via`] by name.
pub(crate) const VIA: &[(&str, &str)] = &[
    ("wrapper", "wrapper"),
    ("shell", "shell"),
    ("function", "function"),
    ("file", "file"),
    ("elsewhere", "elsewhere"),
    ("loop", "loop"),
    ("pipe", "pipe"),
    ("substitution", "substitution"),
    ("background", "background"),
];

/// Whether a word is one of some, or a path where some are.
pub(super) fn where_is(text: &Text, wanted: &[Where], invocation: &Invocation, context: &Context<'_>) -> Truth {
    // Nothing of this machine says what a path on another one is.
    let base = if invocation.is_elsewhere() { None } else { Some(invocation.directory.known()) };
    let located = base.and_then(|base| locate(text, base, &context.scene()));
    truth(Some(text), located.as_ref(), wanted, context)
}

/// The same for a word that names a file: a pattern without a slash in front also means files from the project or from the
/// directory of the session, however they are written.
fn file_is(text: &Text, wanted: &[Where], invocation: &Invocation, context: &Context<'_>) -> Truth {
    let base = if invocation.is_elsewhere() { None } else { Some(invocation.directory.known()) };
    let located = base.and_then(|base| locate(text, base, &context.scene()));
    let written = truth(Some(text), located.as_ref(), wanted, context);
    written.max(located.map_or(Truth::No, |located| by_folder(&located, wanted, context)))
}

fn by_folder(located: &Located, wanted: &[Where], context: &Context<'_>) -> Truth {
    let folders = [context.places.project.as_path(), context.world.directory()];
    let relative = |path: &Path| folders.iter().find_map(|folder| path.strip_prefix(folder).ok()).map(Path::to_owned);
    let one = |wanted: &Where| match wanted {
        Where::Word(pattern) => {
            let names = located.paths().filter_map(relative);
            let is_match = names.into_iter().any(|name| pattern.is_match(&name.to_string_lossy()));
            if located.is_whole() { is_match.into() } else { Truth::Maybe.min(is_match.into()) }
        }
        Where::Path(_) | Where::Class(_) => Truth::No,
    };
    wanted.iter().map(one).max().unwrap_or(Truth::No)
}

fn truth(text: Option<&Text>, located: Option<&Located>, wanted: &[Where], context: &Context<'_>) -> Truth {
    let one = |wanted: &Where| match (wanted, located) {
        (Where::Word(pattern), _) => text.map_or(Truth::No, |text| pattern.truth(text)),
        (Where::Path(pattern), Some(located)) => {
            let is_match = located.paths().any(|path| pattern.is_path(path, context));
            if located.is_whole() { is_match.into() } else { Truth::Maybe.min(is_match.into()) }
        }
        (Where::Class(class), Some(located)) => class.truth(located, &context.scene()),
        (Where::Class(class), None) if class.is_safe() => match text {
            Some(text) if text.is_unknown() => Truth::Maybe,
            _ => Truth::No,
        },
        (Where::Path(_) | Where::Class(_), None) => Truth::No,
    };
    wanted.iter().map(one).max().unwrap_or(Truth::No)
}

fn target(arg: &Arg, wanted: &[Where], invocation: &Invocation, context: &Context<'_>) -> Answer {
    let evidence = || Evidence::at(arg.site).with("path", arg.text.shown());
    match file_is(&arg.text, wanted, invocation, context) {
        Truth::Maybe => Answer::Maybe(Evidence { unknown: Some(arg.text.shown()), ..evidence() }),
        truth => Answer::of(truth, evidence),
    }
}

pub(super) fn redirect(
    invocation: &Invocation,
    kinds: &[RedirectKind],
    wanted: &[Where],
    context: &Context<'_>,
) -> Answer {
    let those = invocation.redirects.iter().filter(|redirect| kinds.contains(&redirect.kind));
    let answers = those.map(|redirect| target(&redirect.target, wanted, invocation, context));
    answers.reduce(Answer::or).unwrap_or(Answer::No)
}

pub(super) fn writes(invocation: &Invocation, wanted: &[Where], context: &Context<'_>) -> Answer {
    const KINDS: &[RedirectKind] = &[RedirectKind::Write, RedirectKind::Append, RedirectKind::ReadWrite];
    let by_redirects = redirect(invocation, KINDS, wanted, context);
    let answers = written(invocation).into_iter().flat_map(|arg| {
        values(arg).into_iter().map(|text| target(&Arg { text, ..arg.clone() }, wanted, invocation, context))
    });
    let by_names = answers.fold(by_redirects, Answer::or);
    let in_folders = into_folders(invocation).into_iter().map(|arg| target(&arg, wanted, invocation, context));
    in_folders.fold(by_names, Answer::or)
}

/// Every file that a program is given may be read, unless it only takes text.
pub(super) fn reads(invocation: &Invocation, wanted: &[Where], context: &Context<'_>) -> Answer {
    const KINDS: &[RedirectKind] = &[RedirectKind::Read, RedirectKind::ReadWrite];
    let by_redirects = redirect(invocation, KINDS, wanted, context);
    let arguments = match invocation.program() {
        Some(program) if takes_text(program) => &[],
        _ => invocation.argv.get(1..).unwrap_or_default(),
    };
    let answers = arguments.iter().flat_map(|arg| {
        values(arg).into_iter().map(|text| target(&Arg { text, ..arg.clone() }, wanted, invocation, context))
    });
    answers.fold(by_redirects, Answer::or)
}

/// What an argument may name a file by: itself, and what stands behind an equals sign or the letter of an option.
fn values(arg: &Arg) -> Vec<Text> {
    let mut values = vec![arg.text.clone()];
    if let Some(text) = arg.text.pattern().filter(|_| !arg.text.is_glob()) {
        let after = text.split_once('=').map(|(_, value)| value.to_owned());
        let letter = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
        let letter = letter.filter(|value| value.starts_with(['/', '.', '~'])).map(str::to_owned);
        values.extend(after.into_iter().chain(letter).filter(|value| !value.is_empty()).map(Text::new));
    }
    values
}

pub(super) fn stdin(invocation: &Invocation, wanted: &[StdinKind]) -> Answer {
    let kind = match &invocation.stdin {
        Stdin::Inherited => StdinKind::Inherited,
        Stdin::Text(text) if text.is_remote() => StdinKind::Remote,
        Stdin::Text(text) if text.is_unknown() => StdinKind::Unknown,
        Stdin::Text(_) => StdinKind::Text,
    };
    Answer::of(wanted.contains(&kind).into(), || Evidence::at(invocation.site))
}

pub(super) fn via(via: &[Via], site: Site, wanted: &[ViaKind]) -> Answer {
    let fits = |wanted: &ViaKind| via.iter().any(|via| wanted.is(via));
    Answer::of(wanted.iter().any(fits).into(), || Evidence::at(site))
}

pub(super) fn route(invocation: &Invocation, wanted: &[ViaKind]) -> Answer {
    let route: Vec<&Via> = invocation.via.iter().filter(|via| via.is_route()).collect();
    let is_same = route.len() == wanted.len() && route.iter().zip(wanted).all(|(via, wanted)| wanted.is(via));
    Answer::of(is_same.into(), || Evidence::at(invocation.site))
}

impl ViaKind {
    fn is(&self, via: &Via) -> bool {
        let (kind, name) = parts(via);
        self.kind == kind && self.name.as_ref().is_none_or(|pattern| name.is_some_and(|name| pattern.is_match(&name)))
    }
}

/// The kind of a way, and its name without folders.
fn parts(via: &Via) -> (&'static str, Option<String>) {
    let name = |name: &str| Some(name.rsplit('/').next().unwrap_or(name).to_owned());
    match via {
        Via::Wrapper(program) => ("wrapper", name(program)),
        Via::Shell(program) => ("shell", name(program)),
        Via::Function(function) => ("function", Some(function.clone())),
        Via::File(path) => ("file", Some(path.to_string_lossy().into_owned())),
        Via::Elsewhere(program) => ("elsewhere", name(program)),
        Via::Loop => ("loop", None),
        Via::Pipe => ("pipe", None),
        Via::Substitution => ("substitution", None),
        Via::Background => ("background", None),
    }
}

pub(super) fn directory(invocation: &Invocation, wanted: &[Where], context: &Context<'_>) -> Answer {
    let evidence = || Evidence::at(invocation.site);
    match invocation.directory.known().filter(|_| !invocation.is_elsewhere()) {
        Some(directory) => {
            let text = Text::new(directory.to_string_lossy());
            let located = locate(&text, Some(Path::new("/")), &context.scene());
            Answer::of(truth(Some(&text), located.as_ref(), wanted, context), evidence)
        }
        None => Answer::Maybe(evidence()),
    }
}

pub(super) fn file(file: &FileUse, is_write: bool, wanted: &[Where], context: &Context<'_>) -> Answer {
    // What may be a write counts as one.
    if (file.kind != UseKind::Read) != is_write {
        return Answer::No;
    }
    let path = match (file.path.strip_prefix("~"), context.places.home.as_deref()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => file.path.clone(),
    };
    let text = Text::new(path.to_string_lossy());
    let located = locate(&text, Some(context.world.directory()), &context.scene());
    let by_folder = located.as_ref().map_or(Truth::No, |located| by_folder(located, wanted, context));
    let truth = truth(Some(&text), located.as_ref(), wanted, context).max(by_folder);
    Answer::of(truth, || Evidence::default().with("path", file.path.to_string_lossy()))
}
