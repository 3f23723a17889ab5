//! Code of other languages, programs for each of many files, and options whose value is run.

use std::rc::Rc;

use super::border::child;
use super::state::{Dialect, Lookup, State, derived};
use super::{Context, Shell, files, word};
use crate::argument::Arg;
use crate::evaluation::{Reason, ScriptKind};
use crate::invocation::{Stdin, Via};
use crate::programs::carriers::{CARRIERS, Carries};
use crate::programs::interpreters;
use crate::programs::interpreters::Interpreter;
use crate::site::Site;
use crate::text::Text;

impl Shell<'_> {
    /// Code that an interpreter gets.
    pub(super) fn code(&mut self, name: &str, rest: &[Arg], state: &Rc<State>, context: &Context) {
        let Some(row) = interpreters::of(name) else { return };
        let mut at = 0;
        let mut has_code = false;
        while let Some(argument) = rest.get(at) {
            let Some(text) = argument.known().filter(|text| text.starts_with('-') && text.len() > 1) else { break };
            at += 1;
            if text == "--" {
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                let (option, value) =
                    long.split_once('=').map_or((long, None), |(option, value)| (option, Some(value)));
                let is_code = row.long_code.contains(&option);
                if (is_code || row.long_values.contains(&option)) && value.is_none() {
                    at += 1;
                }
                if is_code {
                    let code = value.map(Text::from).or_else(|| rest.get(at - 1).map(|next| next.text.clone()));
                    self.judge_code(name, row, &code.unwrap_or_default(), argument.site, context);
                    has_code = true;
                }
                continue;
            }
            for (index, letter) in text.char_indices().skip(1) {
                let value = &text[index + letter.len_utf8()..];
                if row.code.contains(letter) {
                    let next = if value.is_empty() {
                        rest.get(at).map(|next| next.text.clone())
                    } else {
                        Some(Text::from(value))
                    };
                    at += usize::from(value.is_empty());
                    self.judge_code(name, row, &next.unwrap_or_default(), argument.site, context);
                    has_code = true;
                    break;
                }
                if row.values.contains(letter) {
                    at += usize::from(value.is_empty());
                    // `-m module`, `-f file`: what it runs is named.
                    has_code |= matches!(letter, 'm' | 'f');
                    break;
                }
            }
        }
        if has_code {
            return;
        }
        match rest.get(at) {
            Some(argument) if row.takes_code => self.judge_code(name, row, &argument.text, argument.site, context),
            Some(argument) if argument.known() != Some("-") => {
                // A script of its own language is a program like any other, unless it was fetched or cannot be named.
                match self.run_content(state, &argument.text) {
                    files::Content::Text(text, ScriptKind::File(path))
                        if state.files.contains_key(&path) || text.is_remote() =>
                    {
                        self.judge_code(name, row, &text, argument.site, context);
                    }
                    files::Content::Text(text, ScriptKind::Text) => {
                        self.judge_code(name, row, &text, argument.site, context)
                    }
                    _ if argument.text.is_remote() => {
                        self.opaque(Reason::Code { program: name.to_owned() }, argument.site, true, context);
                    }
                    _ => {}
                }
            }
            _ if row.reads_code => {
                if let Stdin::Text(text) = &state.stdin {
                    self.judge_code(name, row, text, context.site, context);
                }
            }
            _ => {}
        }
    }

    /// What a program does because its input says so.
    pub(super) fn input_code(&mut self, name: &str, rest: &[Arg], state: &State, context: &Context) {
        let Some(row) = interpreters::READERS.iter().find(|row| row.names.contains(&name)) else { return };
        let Stdin::Text(text) = &state.stdin else { return };
        let reads = row.argument.is_empty()
            || rest.iter().any(|argument| argument.known().is_some_and(|known| row.argument.contains(&known)));
        let is_risky = match text.known() {
            Some(known) => row.risky.iter().any(|word| known.contains(word)) && !known.trim().is_empty(),
            None => true,
        };
        if reads && is_risky {
            let inner = context.through(Via::Shell(name.to_owned()));
            self.opaque(Reason::Code { program: name.to_owned() }, context.site, text.is_remote(), &inner);
        }
    }

    fn judge_code(&mut self, name: &str, row: &Interpreter, code: &Text, site: Site, context: &Context) {
        let is_risky = match code.known() {
            None => code.is_unknown(),
            Some(known) => row.risky.iter().any(|word| known.contains(word)) && !known.trim().is_empty(),
        };
        if is_risky {
            let program = name.to_owned();
            self.opaque(
                Reason::Code { program },
                site,
                code.is_remote(),
                &context.through(Via::Shell(name.to_owned())),
            );
        }
    }

    /// Options whose value is run.
    pub(super) fn carriers(&mut self, name: &str, arguments: &[Arg], state: &Rc<State>, context: &Context) {
        if matches!(name, "sed" | "gsed") {
            self.sed(name, arguments, context);
        }
        let inner = &context.through(Via::Wrapper(name.to_owned()));
        for row in CARRIERS.iter().filter(|row| row.programs.contains(&name)) {
            for (index, argument) in arguments.iter().enumerate().skip(1) {
                let Some(rest) = argument.text.prefix().strip_prefix(row.option) else { continue };
                // The value follows at once, behind `=`, or is the next argument.
                let own = |skip: usize| {
                    let mut text = Text::from(rest.get(skip..).unwrap_or_default());
                    argument.text.pieces().iter().skip(1).for_each(|piece| text.push(piece.clone()));
                    derived(text, argument)
                };
                let is_letter = row.option.len() == 2 && row.option.starts_with('-');
                let value = match rest.chars().next() {
                    None if row.option.ends_with([':', '!']) => own(0),
                    None => match arguments.get(index + 1) {
                        Some(next) => next.clone(),
                        None => continue,
                    },
                    Some('=') => own(1),
                    Some(_) if is_letter || !row.option.starts_with('-') || row.option.starts_with("-o") => own(0),
                    Some(_) => continue,
                };
                let Some(start) = value.text.prefix().strip_prefix(row.prefix) else { continue };
                let mut text = Text::from(start);
                value
                    .text
                    .pieces()
                    .iter()
                    .skip(usize::from(!value.text.prefix().is_empty()))
                    .for_each(|piece| text.push(piece.clone()));
                match row.carries {
                    Carries::Code => {
                        self.opaque(Reason::Code { program: name.to_owned() }, value.site, text.is_remote(), context);
                    }
                    Carries::Shell => {
                        let inner = inner.through(Via::Shell(name.to_owned()));
                        self.script(
                            &word::as_text(&text),
                            ScriptKind::Text,
                            Some(value.site),
                            Rc::new(child(state, Dialect::Sh)),
                            &inner,
                        );
                    }
                    Carries::Program => {
                        let until = |argument: &&Arg| argument.known() != Some(";");
                        let program: Vec<Arg> = arguments.iter().skip(index + 1).take_while(until).cloned().collect();
                        if !program.is_empty() {
                            self.dispatch(program, Vec::new(), Rc::clone(state), Lookup::Programs, inner);
                        }
                    }
                }
            }
        }
    }

    /// `s/a/b/e` and `e` run what they make.
    fn sed(&mut self, name: &str, arguments: &[Arg], context: &Context) {
        for argument in arguments.iter().skip(1) {
            let Some(text) = argument.known() else { continue };
            let runs = text.split([';', '\n', '{', '}']).any(|part| {
                let part = part
                    .trim_start()
                    .trim_start_matches(|ch: char| ch.is_ascii_digit() || matches!(ch, ',' | '$' | '!' | ' '));
                // Of sed's commands `e` runs the rest of the line, and `w` writes a file.
                let is_command = part.starts_with('e') || part.starts_with("w ");
                is_command || is_executing_substitution(part)
            });
            if runs && !text.starts_with('-') {
                self.opaque(Reason::Code { program: name.to_owned() }, argument.site, false, context);
            }
        }
    }
}

/// `s` with the flag `e`.
fn is_executing_substitution(part: &str) -> bool {
    let mut chars = part.chars();
    let (Some('s'), Some(separator)) = (chars.next(), chars.next()) else { return false };
    if separator.is_alphanumeric() || separator.is_whitespace() || separator == '\\' {
        return false;
    }
    let flags = part.rsplit(separator).next().unwrap_or_default();
    part.matches(separator).count() >= 3
        && flags.contains('e')
        && flags.chars().all(|ch| "gpimIMew0123456789".contains(ch))
}
