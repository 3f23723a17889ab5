//! What can be wrong with a script, said so that its author finds the place.

use std::fmt;

/// A script that cannot be played. Nothing of it is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// The script's name, as the caller gave it.
    pub name: String,
    /// Where the problem was noticed, when the parser knows: line and column, both from 1.
    pub position: Option<(usize, usize)>,
    /// What is wrong, with the nearest valid key where one is close.
    pub message: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl ScriptError {
    pub(super) fn yaml(name: &str, error: &serde_yaml_ng::Error) -> Self {
        let position = error.location().map(|at| (at.line(), at.column()));
        Self { name: name.to_owned(), position, message: readable(&error.to_string()) }
    }

    pub(super) fn json(name: &str, error: &serde_json::Error) -> Self {
        let position = (error.line() > 0).then(|| (error.line(), error.column()));
        Self { name: name.to_owned(), position, message: readable(&error.to_string()) }
    }
}

/// The candidate closest to `word`, when it is close enough to be what was meant.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The message without the position, which [`ScriptError`] shows in front, and with a suggestion for a
/// misspelt key.
fn readable(message: &str) -> String {
    let message = match message.rfind(" at line ") {
        Some(at) if message[at..].chars().all(|c| c.is_ascii_digit() || " atlinecolumn".contains(c)) => &message[..at],
        _ => message,
    };
    // serde words every unknown key the same way: unknown field `x`, expected one of `a`, `b`.
    let unknown = ["unknown field `", "unknown variant `"].iter().find_map(|start| message.find(start));
    let hint = unknown.and_then(|at| {
        let mut quoted = message[at..].split('`').skip(1).step_by(2);
        quoted.next().and_then(|word| nearest(word, quoted))
    });
    match hint {
        Some(hint) => format!("{message}; did you mean `{hint}`?"),
        None => message.to_owned(),
    }
}
