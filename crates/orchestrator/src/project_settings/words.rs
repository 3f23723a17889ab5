//! What somebody types behind the command.

use serde_json::Value;
use tau_hooks::{Completion, SettingLayer};

use crate::shared::rank::best;
use crate::shared::settings::{KEYS, Kind, Row, brief, nearest, row};

pub(super) const USAGE: &str = "usage: /pi-config-settings [KEY [VALUE [user|project]]]";

/// What the command is to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wanted {
    /// Show all settings.
    All,
    /// Say where the value of one comes from.
    Why(&'static Row),
    /// Set one, in this layer or the one that is chosen.
    Set(&'static Row, Value, Option<SettingLayer>),
}

/// The word for a layer.
pub(super) fn name_of(layer: SettingLayer) -> &'static str {
    match layer {
        SettingLayer::User => "user",
        SettingLayer::Project => "project",
    }
}

/// Reads what was typed.
pub(super) fn read(args: &str) -> Result<Wanted, String> {
    let words: Vec<&str> = args.split_whitespace().collect();
    let key = |name: &str| {
        row(name).ok_or_else(|| {
            let all: Vec<&str> = KEYS.iter().map(|row| row.key).collect();
            let hint = match nearest(name) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("the settings are {}", all.join(", ")),
            };
            format!("{} is not a setting of the suite; {hint}", brief(name))
        })
    };
    match words[..] {
        [] => Ok(Wanted::All),
        [name] => key(name).map(Wanted::Why),
        [name, text, ref rest @ ..] if rest.len() <= 1 => {
            let row = key(name)?;
            let value = value_of(row, text)?;
            let layer = match rest {
                [] => None,
                ["user"] => Some(SettingLayer::User),
                ["project"] => Some(SettingLayer::Project),
                _ => return Err(USAGE.to_owned()),
            };
            Ok(Wanted::Set(row, value, layer))
        }
        _ => Err(USAGE.to_owned()),
    }
}

/// A value as somebody types it.
pub(super) fn value_of(row: &Row, text: &str) -> Result<Value, String> {
    row.typed(text).ok_or_else(|| format!("{} cannot be \"{}\": it must be {}", row.key, brief(text), row.typed_as()))
}

/// What the last word can become.
pub(super) fn complete(text: &str) -> Vec<Completion> {
    let (before, word) = match text.rfind(char::is_whitespace) {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    };
    let candidates: Vec<(&str, &str)> = match before.split_whitespace().collect::<Vec<_>>()[..] {
        [] => KEYS.iter().map(|row| (row.key, row.about)).collect(),
        [name] => match row(name).map(|row| row.kind) {
            Some(Kind::Switch { .. }) => vec![("true", ""), ("false", "")],
            Some(Kind::Number { .. }) | None => Vec::new(),
        },
        [_, _] => vec![("user", "your file, for all projects"), ("project", "the file of this project")],
        _ => Vec::new(),
    };
    let found = best(word, &candidates, |one| one.0.to_owned(), |one| one.1.to_owned());
    let completion = |(word, about): &(&str, &str)| Completion {
        value: format!("{before}{word}"),
        label: (*word).to_owned(),
        description: Some((*about).to_owned()).filter(|about| !about.is_empty()),
    };
    found.into_iter().map(completion).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::settings::{CO_AUTHOR, DREAM_INTERVAL_HOURS};

    #[test]
    fn words_say_what_to_do() {
        let row = |key| row(key).expect("a row");
        assert_eq!(read("  "), Ok(Wanted::All));
        assert_eq!(read(" co_author "), Ok(Wanted::Why(row(CO_AUTHOR))));
        assert_eq!(read("co_author Yes"), Ok(Wanted::Set(row(CO_AUTHOR), json!(true), None)));
        let set = Wanted::Set(row(DREAM_INTERVAL_HOURS), json!(0.5), Some(SettingLayer::Project));
        assert_eq!(read("dream_interval_hours 0.5 project"), Ok(set));
        for (args, expected) in [
            ("co_auther", "did you mean co_author?"),
            ("x", "the settings are co_author, use_worktrees, dream_interval_hours"),
            ("co_author maybe", "one of true, 1, yes, on, false, 0, no, off"),
            ("dream_interval_hours 25", "a number of hours from 0.5 to 24"),
            ("co_author true both", USAGE),
            ("co_author true user now", USAGE),
        ] {
            let error = read(args).expect_err(args);
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn each_word_is_completed() {
        let words = |text: &str| complete(text).into_iter().map(|one| one.value).collect::<Vec<_>>();
        assert_eq!(words(""), ["co_author", "use_worktrees", "dream_interval_hours"]);
        assert_eq!(words("use")[0], "use_worktrees");
        assert_eq!(words("co_author "), ["co_author true", "co_author false"]);
        assert_eq!(words("co_author true p")[0], "co_author true project");
        assert_eq!(words("dream_interval_hours "), [""; 0]);
        assert_eq!(words("co_author true user "), [""; 0]);
    }
}
