//! The first pass over the arguments: tau's own flags.

use std::ffi::OsString;

use lexopt::{Arg, Parser};

use super::error::ArgsError;
use super::flags::{self, Flag, Given, Modes, Named, Takes};
use super::values::Args;

/// What the first pass found.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The values of tau's own flags.
    pub args: Args,
    /// The long names of the flags that were given; of switches those that are on.
    pub(super) given: Vec<&'static str>,
    pub(super) rest: Vec<Placed>,
}

/// A token that is none of tau's flags, with its place on the command line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub(super) position: usize,
    pub(super) token: Token,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A word; an extension's flag before it may take it as its value.
    Word(String),
    /// A text that is never anything else.
    Text(String),
    /// `@path`.
    File(String),
    /// `--name` or `--name=value`.
    Flag { name: String, value: Option<String> },
}

/// The first pass: takes tau's own flags and keeps the rest for [`Parsed::finish`]. `args` does not contain
/// the program's name; `modes` are the values that `--mode` has.
///
/// # Errors
/// When one of tau's own flags lacks its value or has a bad one, when a token with a single dash is no flag
/// (extensions only have long ones), and when an argument is not Unicode.
pub fn parse<I>(args: I, modes: &[&'static str]) -> Result<Parsed, ArgsError>
where
    I: IntoIterator,
    I::Item: Into<OsString>,
{
    let tokens: Vec<OsString> = args.into_iter().map(Into::into).collect();
    for (at, token) in tokens.iter().enumerate() {
        if token.to_str().is_none() {
            let shown = token.to_string_lossy().into_owned();
            return Err(ArgsError::NotUnicode { position: at + 1, shown });
        }
    }
    let (total, parser) = (tokens.len(), Parser::from_args(tokens));
    First { total, parser, modes, args: Args::default(), given: Vec::new(), rest: Vec::new() }.run()
}

impl Parsed {
    /// The first flag that was given and has no place in a mode where a client says which sessions there are.
    pub fn out_of_place(&self) -> Option<&'static Flag> {
        flags::FLAGS.iter().find(|flag| flag.modes == Modes::OneSession && self.given.contains(&flag.long))
    }

    /// The first token that is none of tau's flags, when it is a word.
    pub fn first_word(&self) -> Option<&str> {
        self.words().first().copied()
    }

    /// Whether there is a flag that is none of tau's, so that only an extension can know it.
    pub fn has_other_flags(&self) -> bool {
        self.rest.iter().any(|placed| matches!(placed.token, Token::Flag { .. }))
    }

    /// Whether a file is attached.
    pub fn has_files(&self) -> bool {
        self.rest.iter().any(|placed| matches!(placed.token, Token::File(_)))
    }

    /// The words that the run begins with, as far as they are none of tau's flags.
    pub fn words(&self) -> Vec<&str> {
        let word = |placed: &'_ Placed| matches!(placed.token, Token::Word(_));
        let words = self.rest.iter().take_while(|placed| word(placed));
        words
            .filter_map(|placed| if let Token::Word(text) = &placed.token { Some(text.as_str()) } else { None })
            .collect()
    }
}

struct First<'a> {
    total: usize,
    parser: Parser,
    modes: &'a [&'static str],
    args: Args,
    given: Vec<&'static str>,
    rest: Vec<Placed>,
}

impl First<'_> {
    fn run(mut self) -> Result<Parsed, ArgsError> {
        while let Some(token) = self.peek() {
            let position = self.position();
            if token == "--" {
                self.skip();
                self.take_all_as_text();
                break;
            }
            if token.starts_with('-') && !token.starts_with("--") {
                self.short(&token)?;
                continue;
            }
            let unknown = || ArgsError::unknown(&token, flags::names());
            match self.parser.next().map_err(|_| unknown())? {
                Some(Arg::Long(name)) => {
                    let name = name.to_owned();
                    let value = self.parser.optional_value().map(|value| value.to_string_lossy().into_owned());
                    match flags::by_long(&name) {
                        Some(named) => self.own(named, format!("--{name}"), value)?,
                        None => self.rest.push(Placed { position, token: Token::Flag { name, value } }),
                    }
                }
                Some(_) => self.rest.push(Placed { position, token: word(token) }),
                None => break,
            }
        }
        Ok(Parsed { args: self.args, given: self.given, rest: self.rest })
    }

    /// The next token.
    fn peek(&mut self) -> Option<String> {
        // None would mean that the parser is inside a token, which it never is between two of ours.
        self.parser.try_raw_args()?.peek().map(|token| token.to_string_lossy().into_owned())
    }

    /// The place of the next token.
    fn position(&mut self) -> usize {
        self.total - self.parser.try_raw_args().map_or(0, |raw| raw.as_slice().len())
    }

    fn skip(&mut self) -> Option<String> {
        self.parser.try_raw_args()?.next().map(|token| token.to_string_lossy().into_owned())
    }

    fn take_all_as_text(&mut self) {
        let mut position = self.position();
        while let Some(text) = self.skip() {
            self.rest.push(Placed { position, token: Token::Text(text) });
            position += 1;
        }
    }

    /// A token with one dash is one flag, never a cluster: short names have up to three letters.
    fn short(&mut self, token: &str) -> Result<(), ArgsError> {
        self.skip();
        let (name, value) = match token[1..].split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (&token[1..], None),
        };
        let named = flags::by_short(name).ok_or_else(|| ArgsError::unknown(&format!("-{name}"), flags::names()))?;
        self.own(named, format!("-{name}"), value)
    }

    fn own(&mut self, Named { flag, is_own }: Named, option: String, value: Option<String>) -> Result<(), ArgsError> {
        self.given.retain(|given| *given != flag.long);
        let mut is_given = true;
        match flag.takes {
            Takes::Switch(set) => {
                let on = value.map_or(Ok(true), |value| boolean(&option, &value))?;
                set(&mut self.args, on == is_own);
                is_given = on == is_own;
                if flag.long == "print" {
                    self.take_prompt_with_dashes();
                }
            }
            Takes::Value(_, set) => {
                let value = match value {
                    Some(value) => value,
                    None => self.next_value(&option)?,
                };
                if let Some(choices) = flag.choices.list(self.modes)
                    && !choices.contains(&value.as_str())
                {
                    return Err(ArgsError::bad_value(&option, &value, &choices));
                }
                set(&mut self.args, &Given { option, value, modes: self.modes })?;
            }
            Takes::Optional(_, set) => {
                let is_word = self.peek().is_some_and(|next| !next.starts_with(['-', '@']));
                let value = value.or_else(|| if is_word { self.skip() } else { None });
                set(&mut self.args, value);
            }
        }
        if is_given {
            self.given.push(flag.long);
        }
        Ok(())
    }

    /// The token after a flag is its value unless it is clearly a flag itself: then a value was forgotten.
    fn next_value(&mut self, option: &str) -> Result<String, ArgsError> {
        match self.peek() {
            Some(token) if !looks_like_flag(&token) => {
                self.skip();
                Ok(token)
            }
            found => Err(ArgsError::missing(option, found.as_deref())),
        }
    }

    /// A prompt that begins with `---` (front matter) may stand right after `-p`.
    fn take_prompt_with_dashes(&mut self) {
        let begins_so = self.peek().is_some_and(|next| next.starts_with("---"));
        let position = self.position();
        if begins_so && let Some(text) = self.skip() {
            self.rest.push(Placed { position, token: Token::Text(text) });
        }
    }
}

fn word(token: String) -> Token {
    match token.strip_prefix('@') {
        Some(path) => Token::File(path.to_owned()),
        None => Token::Word(token),
    }
}

pub(super) fn boolean(option: &str, value: &str) -> Result<bool, ArgsError> {
    value.parse().map_err(|_| ArgsError::bad_value(option, value, &["true", "false"]))
}

/// Whether a token can only be meant as a flag: `--`, a short name of tau's, or `--name` of letters, digits and
/// dashes, with or without a value. A text such as "- be brief" or "-5" is not one.
fn looks_like_flag(token: &str) -> bool {
    let Some(long) = token.strip_prefix("--") else {
        return token.strip_prefix('-').is_some_and(|name| flags::by_short(name).is_some());
    };
    let name = long.split('=').next().unwrap_or_default();
    long.is_empty()
        || (name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'))
}
