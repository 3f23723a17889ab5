//! What programs write, where that is known before they run.

use super::state::{Dialect, State, concatenated, unknown_of};
use super::word::joined;
use super::{Shell, ansi_c};
use crate::argument::Arg;
use crate::invocation::Stdin;
use crate::programs::remote;
use crate::text::{Piece, Source, Text};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, alphabet};

/// The output of `echo`.
pub(super) fn echo(arguments: &[Arg], dialect: Dialect) -> Text {
    let mut rest = arguments;
    let (mut newline, mut escapes) = (true, dialect == Dialect::Dash);
    while let Some(option) = rest.first().and_then(Arg::known) {
        let is_option = option.len() > 1 && option.starts_with('-') && option[1..].chars().all(|ch| "neE".contains(ch));
        if !is_option || (dialect == Dialect::Dash && option != "-n") {
            break;
        }
        newline &= !option.contains('n');
        escapes = (escapes || option.contains('e')) && !option.contains('E');
        rest = &rest[1..];
    }
    let mut text = Text::default();
    if rest.iter().any(|argument| argument.is_many) {
        text = unknown_of(&rest.iter().map(|argument| &argument.text).collect::<Vec<_>>());
    } else {
        text.append(&super::word::as_text(&joined(rest.iter().map(|argument| &argument.text), " ")));
    }
    let has_escape = text.pieces().iter().any(|piece| matches!(piece, Piece::Known(known) if known.contains('\\')));
    if has_escape && (escapes || dialect == Dialect::Sh) {
        text = match text.known().filter(|_| escapes).and_then(ansi_c::decoded) {
            Some(decoded) => Text::new(decoded),
            None => unknown_of(&[&text]),
        };
    }
    if newline {
        text.push(Piece::Known("\n".to_owned()));
    }
    text
}

/// The output of `printf`, for the simplest formats.
pub(super) fn printf(arguments: &[Arg]) -> Text {
    let all: Vec<&Text> = arguments.iter().map(|argument| &argument.text).collect();
    let unknown = || unknown_of(&all);
    let Some((format, values)) = arguments.split_first() else { return Text::default() };
    if arguments.iter().any(|argument| argument.is_many) {
        return unknown();
    }
    let Some(format) = format.known().and_then(ansi_c::decoded) else { return unknown() };
    let mut values = values.iter();
    let mut text = Text::default();
    // The format is used again until no values are left.
    for round in 0..super::limits::WORDS {
        if round > 0 && values.len() == 0 {
            break;
        }
        let before = values.len();
        let mut chars = format.chars();
        while let Some(ch) = chars.next() {
            if ch != '%' {
                text.push(Piece::Known(ch.to_string()));
                continue;
            }
            match chars.next() {
                Some('%') => text.push(Piece::Known("%".to_owned())),
                Some('s' | 'd' | 'i') => {
                    text.append(values.next().map(|value| &value.text).unwrap_or(&Text::default()))
                }
                Some('b') => {
                    let value = values.next().map(|value| value.text.clone()).unwrap_or_default();
                    match value.known().and_then(ansi_c::decoded) {
                        Some(decoded) => text.push(Piece::Known(decoded)),
                        None => return unknown(),
                    }
                }
                _ => return unknown(),
            }
        }
        if values.len() == before {
            break;
        }
    }
    text
}

impl Shell<'_> {
    /// The output of a program.
    pub(super) fn output(&mut self, name: &str, arguments: &[Arg], state: &State) -> Text {
        let rest = arguments.get(1..).unwrap_or_default();
        let input = || match &state.stdin {
            Stdin::Text(text) => text.clone(),
            Stdin::Inherited => Text::unknown(Source::Local),
        };
        if let Some(fetcher) = remote::of(name) {
            return if fetcher.prints { Text::unknown(Source::Remote) } else { Text::default() };
        }
        match name {
            "echo" => echo(rest, Dialect::Bash),
            "printf" => printf(rest),
            "cat" | "tac" | "tee" if name == "tee" || rest.is_empty() => match name {
                "tac" => unknown_of(&[&input()]),
                _ => input(),
            },
            "cat" => {
                let mut text = Text::default();
                for argument in rest {
                    if argument.known().is_some_and(|known| known.starts_with('-') && known != "-") {
                        return unknown_of(&[&text, &input()]);
                    }
                    let part = self.content(state, &argument.text).filter(|_| !argument.is_many);
                    text = concatenated(&text, &part.unwrap_or_else(|| Text::unknown(Source::Local)));
                }
                text
            }
            "which" => match rest.first().and_then(Arg::known).and_then(|name| self.world.program(name)) {
                Some(path) => Text::new(format!("{}\n", path.display())),
                None => Text::unknown(Source::Local),
            },
            "basename" => {
                let known = rest.first().and_then(Arg::known).filter(|_| rest.len() == 1);
                let last = known.and_then(|path| path.trim_end_matches('/').rsplit('/').next());
                last.map_or_else(|| Text::unknown(Source::Local), |name| Text::new(format!("{name}\n")))
            }
            "base64" | "gbase64" => {
                let decodes = rest.iter().filter_map(Arg::known).any(|text| {
                    text.len() > 1
                        && ("--decode".starts_with(text) && text.len() > 2
                            || matches!(text, "-d" | "-D" | "-di" | "-id"))
                });
                let text = input();
                let decoded = text.known().filter(|_| decodes && rest.len() == 1).and_then(base64);
                decoded.map_or_else(|| unknown_of(&[&text]), Text::new)
            }
            "rev" => {
                let text = input();
                let reversed = text.known().map(|text| {
                    text.lines().map(|line| line.chars().rev().chain(['\n']).collect::<String>()).collect::<String>()
                });
                reversed.map_or_else(|| unknown_of(&[&text]), Text::new)
            }
            // What they write is made of what they read.
            _ => {
                let mut all = vec![input()];
                all.extend(rest.iter().map(|argument| argument.text.clone()));
                let files: Vec<Text> = rest
                    .iter()
                    .filter(|argument| argument.known().is_some())
                    .filter_map(|argument| match self.path(state, argument.known()?) {
                        Some(path) if state.files.contains_key(&path) => self.content(state, &argument.text),
                        _ => None,
                    })
                    .collect();
                all.extend(files);
                unknown_of(&all.iter().collect::<Vec<_>>())
            }
        }
    }
}

/// What base64 stands for, if that is text.
fn base64(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|ch| !ch.is_whitespace()).collect();
    String::from_utf8(BASE64.decode(text.trim_end_matches('=')).ok()?).ok()
}

/// With or without the signs at the end.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);
