//! The two passes over the arguments.

use std::collections::BTreeMap;
use std::ffi::OsString;

use lexopt::{Arg, Parser};

use super::error::ArgsError;
use super::flags::{self, Flag, Given, Takes};
use super::values::Args;

/// What the first pass found.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The values of tau's own flags.
    pub args: Args,
    rest: Vec<Placed>,
}

/// A token that is none of tau's flags, with its place on the command line.
#[derive(Debug, Clone, PartialEq)]
struct Placed {
    position: usize,
    token: Token,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A word; an extension's flag before it may take it as its value.
    Word(String),
    /// A text that is never anything else.
    Text(String),
    /// `@path`.
    File(String),
    /// `--name` or `--name=value`.
    Flag { name: String, value: Option<String> },
}

/// A flag that an extension registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionFlag {
    /// Name without dashes.
    pub name: String,
    /// What it takes.
    pub kind: FlagKind,
    /// What it is when it is not given.
    pub default: Option<FlagValue>,
    /// For the help text.
    pub description: Option<String>,
}

/// What an extension's flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagKind {
    /// Nothing, or `=true` or `=false`.
    Boolean,
    /// `=value` or the next word.
    String,
}

/// The value of an extension's flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlagValue {
    /// Of a [`FlagKind::Boolean`].
    Boolean(bool),
    /// Of a [`FlagKind::String`].
    String(String),
}

/// An `@path` argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileArg {
    /// Its place on the command line, from 0.
    pub position: usize,
    /// The path as it was written, without the `@`.
    pub path: String,
}

/// Everything the command line says.
#[derive(Debug, Clone, PartialEq)]
pub struct Cli {
    /// The values of tau's own flags.
    pub args: Args,
    /// The values of the extensions' flags: given ones and defaults.
    pub extension_flags: BTreeMap<String, FlagValue>,
    /// The prompts, in order.
    pub messages: Vec<String>,
    /// The `@path` arguments, in order.
    pub files: Vec<FileArg>,
}

/// The first pass: takes tau's own flags and keeps the rest for [`Parsed::finish`]. `args` does not contain
/// the program's name.
///
/// # Errors
/// When one of tau's own flags lacks its value or has a bad one, when a token with a single dash is no flag
/// (extensions only have long ones), and when an argument is not Unicode.
pub fn parse<I>(args: I) -> Result<Parsed, ArgsError>
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
    First { total: tokens.len(), parser: Parser::from_args(tokens), args: Args::default(), rest: Vec::new() }.run()
}

struct First {
    total: usize,
    parser: Parser,
    args: Args,
    rest: Vec<Placed>,
}

impl First {
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
            let unknown = || ArgsError::unknown(&token, []);
            match self.parser.next().map_err(|_| unknown())? {
                Some(Arg::Long(name)) => {
                    let name = name.to_owned();
                    let value = self.parser.optional_value().map(|value| value.to_string_lossy().into_owned());
                    match flags::by_long(&name) {
                        Some(flag) => self.own(flag, flag.dashed(), value)?,
                        None => self.rest.push(Placed { position, token: Token::Flag { name, value } }),
                    }
                }
                Some(_) => self.rest.push(Placed { position, token: word(token) }),
                None => break,
            }
        }
        Ok(Parsed { args: self.args, rest: self.rest })
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
        let flag = flags::by_short(name).ok_or_else(|| ArgsError::unknown(&format!("-{name}"), []))?;
        self.own(flag, format!("-{name}"), value)
    }

    fn own(&mut self, flag: &Flag, option: String, value: Option<String>) -> Result<(), ArgsError> {
        match flag.takes {
            Takes::Switch(set) => {
                let on = value.map_or(Ok(true), |value| boolean(&option, &value))?;
                set(&mut self.args, on);
                if flag.long == "print" {
                    self.take_prompt_with_dashes();
                }
            }
            Takes::Value(_, set) => {
                let value = match value {
                    Some(value) => value,
                    None => self.next_value(&option)?,
                };
                set(&mut self.args, &Given { option, value })?;
            }
            Takes::Optional(_, set) => {
                let is_word = self.peek().is_some_and(|next| !next.starts_with(['-', '@']));
                let value = value.or_else(|| if is_word { self.skip() } else { None });
                set(&mut self.args, value);
            }
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

impl Parsed {
    /// The second pass: judges the tokens that are not tau's own by the flags of the extensions. Where an
    /// extension uses the name of one of tau's flags, tau's counts.
    ///
    /// # Errors
    /// When a flag is nobody's, lacks its value or has a bad one.
    pub fn finish(self, extension_flags: &[ExtensionFlag]) -> Result<Cli, ArgsError> {
        let defaults = extension_flags.iter().filter_map(|flag| Some((flag.name.clone(), flag.default.clone()?)));
        let mut cli = Cli { args: self.args, extension_flags: defaults.collect(), messages: Vec::new(), files: Vec::new() };
        let mut rest = self.rest.into_iter().peekable();
        while let Some(Placed { position, token }) = rest.next() {
            match token {
                Token::Word(text) | Token::Text(text) => cli.messages.push(text),
                Token::File(path) => cli.files.push(FileArg { position, path }),
                Token::Flag { name, value } => {
                    let option = format!("--{name}");
                    let Some(flag) = extension_flags.iter().find(|flag| flag.name == name) else {
                        return Err(ArgsError::unknown(&option, extension_flags.iter().map(|flag| flag.name.as_str())));
                    };
                    let value = match (flag.kind, value) {
                        (FlagKind::Boolean, None) => FlagValue::Boolean(true),
                        (FlagKind::Boolean, Some(value)) => FlagValue::Boolean(boolean(&option, &value)?),
                        (FlagKind::String, Some(value)) => FlagValue::String(value),
                        (FlagKind::String, None) => {
                            let adjacent = |next: &Placed| {
                                next.position == position + 1 && matches!(next.token, Token::Word(_))
                            };
                            match rest.next_if(adjacent) {
                                Some(Placed { token: Token::Word(word), .. }) => FlagValue::String(word),
                                _ => return Err(ArgsError::missing(&option, None)),
                            }
                        }
                    };
                    cli.extension_flags.insert(name, value);
                }
            }
        }
        Ok(cli)
    }
}

fn word(token: String) -> Token {
    match token.strip_prefix('@') {
        Some(path) => Token::File(path.to_owned()),
        None => Token::Word(token),
    }
}

fn boolean(option: &str, value: &str) -> Result<bool, ArgsError> {
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
