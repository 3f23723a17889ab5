//! Options and operands of a command, read as git reads them.

mod spec;

use crate::argument::Arg;
use crate::site::Site;
use crate::text::{Piece, Text};

use super::words::after;
use spec::{Found, Spec, Takes};

pub(in crate::git) use spec::all;

/// An option that was given.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::git) struct Given {
    /// Its name in full, or its letter if it has no name.
    pub(in crate::git) name: String,
    /// Its value.
    pub(in crate::git) value: Option<Text>,
    /// The argument.
    pub(in crate::git) site: Site,
}

/// The arguments of a command.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::git) struct Parsed {
    /// The options, in their order.
    pub(in crate::git) options: Vec<Given>,
    /// Everything else.
    pub(in crate::git) operands: Vec<Arg>,
    /// How many operands stand before `--`; `None` without one.
    pub(in crate::git) before_dashes: Option<usize>,
    /// Whether an argument may be any option.
    pub(in crate::git) is_unknown: bool,
}

/// Where options end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) enum End {
    /// Only at `--`.
    Dashes,
    /// At the first operand as well.
    Operand,
}

impl Parsed {
    /// Reads arguments with the options of a table.
    pub(in crate::git) fn new(arguments: &[Arg], table: &'static str, end: End) -> Self {
        let specs: Vec<Spec> = all(table).collect();
        let mut parsed = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if may_be_option(argument) {
                parsed.is_unknown = true;
                parsed.operands.push(argument.clone());
                continue;
            }
            let start = argument.text.prefix();
            match argument.text.known() {
                Some("--") => {
                    parsed.before_dashes = Some(parsed.operands.len());
                    parsed.operands.extend(rest.by_ref().cloned());
                }
                Some("--end-of-options") => parsed.operands.extend(rest.by_ref().cloned()),
                _ if start.starts_with("--") => parsed.long(argument, &specs, &mut rest),
                Some("-") => parsed.operands.push(argument.clone()),
                _ if start.starts_with('-') => parsed.cluster(argument, &specs, &mut rest),
                _ => {
                    parsed.operands.push(argument.clone());
                    if end == End::Operand {
                        parsed.operands.extend(rest.by_ref().cloned());
                    }
                }
            }
        }
        parsed
    }

    fn long<'a>(&mut self, argument: &Arg, specs: &[Spec], rest: &mut impl Iterator<Item = &'a Arg>) {
        let start = argument.text.prefix().get(2..).unwrap_or_default();
        let (name, value) = match start.split_once('=') {
            Some((name, _)) => (name, Some(after(&argument.text, name.len() + 3))),
            None if argument.text.known().is_some() => (start, None),
            None => return self.is_unknown = true,
        };
        let Some(Found { name, takes }) = spec::long(specs, name) else { return self.is_unknown = true };
        let value = match takes {
            Takes::Value if value.is_none() => self.next(rest),
            Takes::Nothing | Takes::Attached | Takes::Value => value,
        };
        self.options.push(Given { name, value, site: argument.site });
    }

    fn cluster<'a>(&mut self, argument: &Arg, specs: &[Spec], rest: &mut impl Iterator<Item = &'a Arg>) {
        let known = argument.text.prefix().to_owned();
        for (at, letter) in known.char_indices().skip(1) {
            let Some(Found { name, takes }) = spec::short(specs, letter) else { return self.is_unknown = true };
            let behind = after(&argument.text, at + letter.len_utf8());
            let has_more = !behind.pieces().is_empty();
            let value = match takes {
                Takes::Nothing => None,
                Takes::Attached | Takes::Value if has_more => Some(behind),
                Takes::Attached => None,
                Takes::Value => self.next(rest),
            };
            self.options.push(Given { name, value, site: argument.site });
            if takes != Takes::Nothing {
                return;
            }
        }
        // Letters that are not known yet follow.
        self.is_unknown |= argument.text.known().is_none();
    }

    /// The value of an option that is an argument of its own.
    fn next<'a>(&mut self, rest: &mut impl Iterator<Item = &'a Arg>) -> Option<Text> {
        let value = rest.next()?;
        // It may be several, and the second any option.
        self.is_unknown |= is_any_number(value);
        Some(value.text.clone())
    }

    /// The option if it is on: of `--all` and `--no-all` the last applies.
    pub(in crate::git) fn on(&self, name: &str) -> Option<&Given> {
        let opposite = spec::opposite(name);
        let last = self.options.iter().rev().find(|given| given.name == name || given.name == opposite)?;
        (last.name == name).then_some(last)
    }

    /// Whether one of these options is on.
    pub(in crate::git) fn any(&self, names: &[&str]) -> Option<&Given> {
        names.iter().find_map(|name| self.on(name))
    }

    /// The value of an option; the last one if it is given more than once.
    pub(in crate::git) fn value(&self, name: &str) -> Option<&Text> {
        self.on(name)?.value.as_ref()
    }

    /// The operand at this place, if it is known.
    pub(in crate::git) fn operand(&self, at: usize) -> Option<&str> {
        self.operands.get(at)?.known()
    }

    /// The operands from this place on.
    pub(in crate::git) fn from(&self, at: usize) -> &[Arg] {
        self.operands.get(at..).unwrap_or_default()
    }
}

/// Whether it may be more than one argument, and not only names of files.
fn is_any_number(argument: &Arg) -> bool {
    argument.is_many && argument.text.is_unknown()
}

/// Whether it may be an option that is not known.
fn may_be_option(argument: &Arg) -> bool {
    is_any_number(argument) || matches!(argument.text.pieces().first(), Some(Piece::Unknown(_)))
}
