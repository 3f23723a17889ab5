//! The table of flags. Parser, help text, manual, completions and man page all come from it.

mod rows;

pub use rows::FLAGS;
#[cfg(test)]
pub(super) use rows::expectations;

use super::error::ArgsError;
use super::values::Args;

/// One flag.
pub struct Flag {
    /// Long name, without dashes.
    pub long: &'static str,
    /// Short name, without its dash; may have several letters.
    pub short: Option<&'static str>,
    /// Other long names, without dashes. They are not listed.
    pub aliases: &'static [&'static str],
    /// What it takes, and what it does with it.
    pub takes: Takes,
    /// The values that it has.
    pub choices: Choices,
    /// Its opposite, for a switch that has a name for it.
    pub negation: Option<Negation>,
    /// Whether every use counts; otherwise the last one does.
    pub repeats: bool,
    /// Where the help shows it.
    pub group: Group,
    /// In which modes it has a place.
    pub modes: Modes,
    /// The settings that it outranks.
    pub outranks: &'static [Outranks],
    /// What it does, in a sentence or two.
    pub doc: &'static str,
}

/// What a flag takes.
pub enum Takes {
    /// Nothing, or `=true` or `=false`.
    Switch(fn(&mut Args, bool)),
    /// A value, called so in the help.
    Value(&'static str, fn(&mut Args, &Given<'_>) -> Result<(), ArgsError>),
    /// The next word, if it is one.
    Optional(&'static str, fn(&mut Args, Option<String>)),
}

/// The values that a flag has.
#[derive(Debug, Clone, Copy)]
pub enum Choices {
    /// Any; the setter judges them.
    Any,
    /// These words.
    Words(fn() -> Vec<&'static str>),
    /// The modes that the command line can ask for.
    Modes,
}

/// The opposite of a switch: a flag of its own that switches it off.
#[derive(Debug, Clone, Copy)]
pub struct Negation {
    /// Long name, without dashes.
    pub long: &'static str,
    /// Short name, without its dash.
    pub short: Option<&'static str>,
    /// What it does, in a sentence.
    pub doc: &'static str,
}

/// A setting that a flag outranks. The row of the setting names the flag in turn.
#[derive(Debug, Clone, Copy)]
pub struct Outranks {
    /// The key of the setting.
    pub key: &'static str,
    /// What the flag says about it; `None` when it was not given.
    pub says: fn(&Args) -> Option<String>,
}

/// In which modes a flag has a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modes {
    /// In every mode.
    All,
    /// In modes of one session that the command line chooses. It is about that choice, or about what is said in the
    /// session; elsewhere a client says it.
    OneSession,
}

/// A value and the flag it was given to, as it was written.
pub struct Given<'a> {
    /// `--model` or `-n`.
    pub option: String,
    /// The value.
    pub value: String,
    /// The values that `--mode` has.
    pub modes: &'a [&'static str],
}

/// Groups of the help text, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// How tau runs.
    Running,
    /// Which model answers.
    Model,
    /// Which session it belongs to.
    Session,
    /// What the model is told.
    Prompt,
    /// What the model may call.
    Tools,
    /// Which extensions are loaded.
    Extensions,
    /// What tau trusts and reaches.
    Environment,
    /// About tau.
    About,
}

impl Group {
    /// All groups, in the order of the help text.
    pub const ALL: [Self; 8] = [
        Self::Running,
        Self::Model,
        Self::Session,
        Self::Prompt,
        Self::Tools,
        Self::Extensions,
        Self::Environment,
        Self::About,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Running => "Running",
            Self::Model => "Model",
            Self::Session => "Session",
            Self::Prompt => "Prompt and resources",
            Self::Tools => "Tools",
            Self::Extensions => "Extensions",
            Self::Environment => "Trust and environment",
            Self::About => "About",
        }
    }
}

impl Given<'_> {
    fn owned(&self) -> String {
        self.value.clone()
    }

    /// The value, which must not be blank.
    fn named(&self) -> Result<String, ArgsError> {
        if self.value.trim().is_empty() {
            return Err(ArgsError::EmptyValue { option: self.option.clone() });
        }
        Ok(self.owned())
    }

    /// The names of a comma-separated list; blank ones do not count.
    fn list(&self) -> Vec<String> {
        self.value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}

impl Choices {
    /// The values, where they are known; `modes` are the values of `--mode`.
    pub fn list(self, modes: &[&'static str]) -> Option<Vec<&'static str>> {
        match self {
            Self::Any => None,
            Self::Words(words) => Some(words()),
            Self::Modes => Some(modes.to_vec()),
        }
    }
}

/// What a name on the command line stands for.
#[derive(Clone, Copy)]
pub(super) struct Named {
    /// The flag.
    pub(super) flag: &'static Flag,
    /// Whether it is the flag's own name, not that of its opposite.
    pub(super) is_own: bool,
}

/// The long names of all flags and their opposites.
pub(super) fn names<'a>() -> impl Iterator<Item = &'a str> {
    FLAGS.iter().flat_map(|flag| std::iter::once(flag.long).chain(flag.negation.map(|negation| negation.long)))
}

/// What a long name stands for.
pub(super) fn by_long(name: &str) -> Option<Named> {
    named(|flag| flag.long == name || flag.aliases.contains(&name), |negation| negation.long == name)
}

/// What a short name stands for.
pub(super) fn by_short(name: &str) -> Option<Named> {
    named(|flag| flag.short == Some(name), |negation| negation.short == Some(name))
}

fn named(is_own: impl Fn(&Flag) -> bool, is_opposite: impl Fn(&Negation) -> bool) -> Option<Named> {
    let of = |flag: &'static Flag| {
        let opposite = || flag.negation.as_ref().is_some_and(&is_opposite);
        if is_own(flag) {
            Some(Named { flag, is_own: true })
        } else {
            opposite().then_some(Named { flag, is_own: false })
        }
    };
    FLAGS.iter().find_map(of)
}

/// What flags say about a setting: of the row's flags, in their order, each with its value if it was given.
pub fn said_of(setting: &tau_agent::settings::Setting, args: &Args) -> Vec<(&'static str, Option<String>)> {
    let said = |name: &&'static str| {
        let flag = FLAGS.iter().find(|flag| name.strip_prefix("--") == Some(flag.long))?;
        let outranks = flag.outranks.iter().find(|outranks| outranks.key == setting.key)?;
        Some((*name, (outranks.says)(args)))
    };
    setting.flags.iter().filter_map(said).collect()
}
