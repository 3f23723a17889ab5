//! The second pass over the arguments: what the first one left, judged by the flags of the extensions.

use std::collections::BTreeMap;

use super::error::ArgsError;
use super::flags::names;
use super::parse::{Parsed, Placed, Token, boolean};
use super::values::Args;

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

impl Parsed {
    /// The second pass: judges the tokens that are not tau's own by the flags of the extensions. Where an
    /// extension uses the name of one of tau's flags, tau's counts.
    ///
    /// # Errors
    /// When a flag is nobody's, lacks its value or has a bad one.
    pub fn finish(self, extension_flags: &[ExtensionFlag]) -> Result<Cli, ArgsError> {
        let defaults = extension_flags.iter().filter_map(|flag| Some((flag.name.clone(), flag.default.clone()?)));
        let mut cli =
            Cli { args: self.args, extension_flags: defaults.collect(), messages: Vec::new(), files: Vec::new() };
        let mut rest = self.rest.into_iter().peekable();
        while let Some(Placed { position, token }) = rest.next() {
            match token {
                Token::Word(text) | Token::Text(text) => cli.messages.push(text),
                Token::File(path) => cli.files.push(FileArg { position, path }),
                Token::Flag { name, value } => {
                    let option = format!("--{name}");
                    let Some(flag) = extension_flags.iter().find(|flag| flag.name == name) else {
                        let others = extension_flags.iter().map(|flag| flag.name.as_str());
                        return Err(ArgsError::unknown(&option, names().chain(others)));
                    };
                    let value = match (flag.kind, value) {
                        (FlagKind::Boolean, None) => FlagValue::Boolean(true),
                        (FlagKind::Boolean, Some(value)) => FlagValue::Boolean(boolean(&option, &value)?),
                        (FlagKind::String, Some(value)) => FlagValue::String(value),
                        (FlagKind::String, None) => {
                            let adjacent =
                                |next: &Placed| next.position == position + 1 && matches!(next.token, Token::Word(_));
                            match rest.next_if(adjacent) {
                                Some(Placed { token: Token::Word(word), .. }) => FlagValue::String(word),
                                _ => {
                                    let found = rest.peek().filter(|next| next.position == position + 1);
                                    return Err(ArgsError::missing(&option, found.and_then(shown).as_deref()));
                                }
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

/// A token that was refused as a value, as it was written.
fn shown(placed: &Placed) -> Option<String> {
    match &placed.token {
        Token::File(path) => Some(format!("@{path}")),
        Token::Flag { name, value: Some(value) } => Some(format!("--{name}={value}")),
        Token::Flag { name, value: None } => Some(format!("--{name}")),
        Token::Word(_) | Token::Text(_) => None,
    }
}
