//! What can be wrong with the arguments.

use tau_agent::{Problem, ToProblem};

/// Arguments that make no sense. Usage errors end the program with [`ArgsError::EXIT_CODE`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgsError {
    /// Neither tau nor an extension has this flag.
    #[error("Unknown option: {option}{}", hint(nearest))]
    Unknown {
        /// As it was written, without its value.
        option: String,
        /// The known flag that is closest, when one is close.
        nearest: Option<String>,
    },
    /// A flag that needs a value stands at the end or before another flag.
    #[error("{option} requires a value{}", instead(option, found))]
    MissingValue {
        /// As it was written.
        option: String,
        /// What stands where the value should be.
        found: Option<String>,
    },
    /// A value that is empty: where a path or a name is needed, it would mean the working directory, or nothing.
    #[error("{option} requires a non-empty value")]
    EmptyValue {
        /// As it was written.
        option: String,
    },
    /// A value that the flag does not have.
    #[error("Invalid value \"{value}\" for {option}. Valid values: {valid}{}", hint(nearest))]
    BadValue {
        /// As it was written.
        option: String,
        /// The value.
        value: String,
        /// What would be valid.
        valid: String,
        /// The valid value that is closest, when one is close.
        nearest: Option<String>,
    },
    /// A value that makes no sense by itself.
    #[error("{option}: {reason}")]
    Refused {
        /// As it was written.
        option: String,
        /// What is wrong with its value.
        reason: String,
    },
    /// An argument that is not Unicode.
    #[error("Argument {position} is not valid UTF-8: {shown}")]
    NotUnicode {
        /// Its place on the command line, from 1.
        position: usize,
        /// The argument with replacement characters.
        shown: String,
    },
}

impl ArgsError {
    /// What the program exits with.
    pub const EXIT_CODE: u8 = 1;

    /// An unknown flag, with the nearest of those that are `known` (long names without dashes).
    pub(super) fn unknown<'a>(option: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let word = option.trim_start_matches('-');
        let nearest = match word.strip_prefix("no-") {
            None => nearest(word, known).map(str::to_owned),
            // What all opposites have in common makes none of them likelier.
            Some(not) => {
                let (opposites, plain): (Vec<&str>, Vec<&str>) =
                    known.into_iter().partition(|name| name.starts_with("no-"));
                let meant = nearest(not, opposites.iter().filter_map(|name| name.strip_prefix("no-")));
                meant.map(|meant| format!("no-{meant}")).or_else(|| plain.contains(&not).then(|| not.to_owned()))
            }
        };
        Self::Unknown { option: option.to_owned(), nearest: nearest.map(|name| format!("--{name}")) }
    }

    pub(super) fn refused(option: &str, reason: &impl std::fmt::Display) -> Self {
        Self::Refused { option: option.to_owned(), reason: reason.to_string() }
    }

    pub(super) fn bad_value(option: &str, value: &str, valid: &[&str]) -> Self {
        Self::BadValue {
            option: option.to_owned(),
            value: value.to_owned(),
            valid: valid.join(", "),
            nearest: nearest(value, valid.iter().copied()).map(str::to_owned),
        }
    }

    /// The value of `flag` is missing; `found` stands in its place.
    pub(super) fn missing(option: &str, found: Option<&str>) -> Self {
        Self::MissingValue { option: option.to_owned(), found: found.map(str::to_owned) }
    }
}

impl ToProblem for ArgsError {
    fn to_problem(&self) -> Problem {
        let problem = Problem::new(self);
        match self {
            Self::Unknown { option, nearest } | Self::BadValue { option, nearest, .. } => {
                let meant = nearest.as_ref().map(|nearest| format!("Did you mean {nearest}?"));
                problem.at(option).next(meant.unwrap_or_default())
            }
            Self::MissingValue { option, .. } | Self::EmptyValue { option } | Self::Refused { option, .. } => {
                problem.at(option)
            }
            Self::NotUnicode { .. } => problem,
        }
    }
}

/// The candidate closest to `word`, when it is close enough to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| {
            // The measure does not see that two of three letters changed places.
            let slip = word.len() >= 3 && strsim::damerau_levenshtein(word, candidate) == 1;
            (strsim::jaro_winkler(word, candidate).max(if slip { 0.9 } else { 0.0 }), candidate)
        })
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|nearest| format!(". Did you mean {nearest}?")).unwrap_or_default()
}

fn instead(option: &str, found: &Option<String>) -> String {
    found
        .as_ref()
        .map(|found| format!(", but \"{found}\" follows. Write {option}={found} if that is the value"))
        .unwrap_or_default()
}
