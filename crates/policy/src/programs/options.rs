//! The options of a program, told from what stands behind them.

use crate::argument::Arg;

/// How a program reads its options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Letters of options without a value.
    pub flags: &'static str,
    /// Letters of options with a value.
    pub values: &'static str,
    /// Long options without a value, without their dashes.
    pub long_flags: &'static [&'static str],
    /// Long options with a value.
    pub long_values: &'static [&'static str],
}

impl Options {
    /// None at all.
    pub(crate) const NONE: Self = Self { flags: "", values: "", long_flags: &[], long_values: &[] };

    /// Options of one letter.
    pub(crate) const fn short(flags: &'static str, values: &'static str) -> Self {
        Self { flags, values, long_flags: &[], long_values: &[] }
    }

    /// With long ones.
    pub(crate) const fn long(self, flags: &'static [&'static str], values: &'static [&'static str]) -> Self {
        Self { long_flags: flags, long_values: values, ..self }
    }
}

/// An option that was given.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    /// The letter or the long name, in full.
    pub name: String,
    /// Its value.
    pub value: Option<Arg>,
}

/// Options, and where what stands behind them starts.
#[derive(Debug, Clone)]
pub(crate) struct Read {
    /// The options in front.
    pub options: Vec<Given>,
    /// The index of the first argument behind them.
    pub rest: usize,
    /// Whether all of them are known: otherwise an argument behind them may be the value of one.
    pub is_certain: bool,
}

/// Reads the options at the start of some arguments.
pub(crate) fn read(arguments: &[Arg], table: &Options) -> Read {
    let mut read = Read { options: Vec::new(), rest: 0, is_certain: true };
    while let Some(argument) = arguments.get(read.rest) {
        let Some(text) = argument.known() else {
            // It may be an option, unless it starts as none does.
            let starts = argument.text.prefix().chars().next();
            read.is_certain &= starts.is_some_and(|ch| ch != '-') && !argument.is_many;
            return read;
        };
        if text == "--" {
            read.rest += 1;
            return read;
        }
        let next = arguments.get(read.rest + 1).cloned();
        let used = match text.strip_prefix("--") {
            Some(long) => read.long(long, next, table),
            None => match text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                Some(letters) => read.letters(letters, argument, next, table),
                None => return read,
            },
        };
        read.rest += 1 + usize::from(used);
    }
    read
}

impl Read {
    /// The value of an option, the last one.
    pub(crate) fn value(&self, names: &[&str]) -> Option<&Arg> {
        let given =
            self.options.iter().rev().find(|given| names.contains(&given.name.as_str()) && given.value.is_some());
        given.and_then(|given| given.value.as_ref())
    }

    /// Whether an option was given.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(&given.name.as_str()))
    }

    /// Whether the next argument belongs to it.
    fn long(&mut self, text: &str, next: Option<Arg>, table: &Options) -> bool {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let full = |all: &[&'static str]| {
            let exact = all.iter().find(|known| **known == name);
            exact.or_else(|| all.iter().find(|known| !name.is_empty() && known.starts_with(name))).copied()
        };
        let exact_flag = table.long_flags.contains(&name);
        let valued = full(table.long_values).filter(|_| !exact_flag);
        let found = valued.or_else(|| full(table.long_flags));
        self.is_certain &= found.is_some() || value.is_some();
        let name = found.unwrap_or(name).to_owned();
        let takes_next = valued.is_some() && value.is_none();
        let value = match (value, takes_next) {
            (Some(value), _) => next_like(value, next.as_ref()),
            (None, true) => next,
            (None, false) => None,
        };
        self.options.push(Given { name, value });
        takes_next
    }

    fn letters(&mut self, letters: &str, argument: &Arg, next: Option<Arg>, table: &Options) -> bool {
        for (at, letter) in letters.char_indices() {
            if table.values.contains(letter) {
                let rest = &letters[at + letter.len_utf8()..];
                let takes_next = rest.is_empty();
                let value = if takes_next { next } else { next_like(rest, Some(argument)) };
                self.options.push(Given { name: letter.to_string(), value });
                return takes_next;
            }
            self.is_certain &= table.flags.contains(letter);
            self.options.push(Given { name: letter.to_string(), value: None });
        }
        false
    }
}

/// A value that is part of an argument.
fn next_like(text: &str, at: Option<&Arg>) -> Option<Arg> {
    let site = at.map(|argument| argument.site).unwrap_or_default();
    Some(Arg { text: text.into(), is_many: false, site, is_exact: false })
}
