//! What the last word of an argument can become.

use super::table::{Flag, Row, Source};

/// What is wanted for a word.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted<'a> {
    /// What stands before the word, with the blanks.
    pub(super) before: &'a str,
    /// The word, as far as it is written.
    pub(super) word: &'a str,
    /// Where it can come from.
    pub(super) source: Option<Source>,
    /// The flags that it can become.
    pub(super) flags: Vec<&'static Flag>,
}

/// Finds out what is wanted at the end of an argument.
pub(super) fn wanted<'a>(row: &'static Row, text: &'a str) -> Wanted<'a> {
    let start = text.char_indices().rev().find(|(_, char)| char.is_whitespace());
    let (before, word) = text.split_at(start.map_or(0, |(at, char)| at + char.len_utf8()));
    let flag_of = |word: &str| row.flags.iter().find(|flag| flag.word.text == word);
    let (mut given, mut plain, mut value): (Vec<&'static Flag>, usize, Option<Source>) = (Vec::new(), 0, None);
    for word in before.split_whitespace() {
        match (value.take(), flag_of(word)) {
            (Some(_), _) => {}
            (None, Some(flag)) => {
                given.push(flag);
                value = flag.value;
            }
            (None, None) => plain += 1,
        }
    }
    if value.is_some() {
        return Wanted { before, word, source: value, flags: Vec::new() };
    }
    let is_flag = word.starts_with('-');
    let is_text = row.ends_in_text && !is_flag;
    let is_free = |flag: &&Flag| {
        let excludes =
            |other: &&'static Flag| other.word == flag.word || other.group.is_some() && other.group == flag.group;
        !given.iter().any(excludes)
    };
    Wanted {
        before,
        word,
        source: row.first.filter(|_| plain == 0 && !is_flag),
        flags: row.flags.iter().filter(|_| !is_text).filter(is_free).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::TABLE;
    use super::*;

    fn of(text: &str) -> String {
        let (command, argument) = text.split_once(' ').expect("a command and a blank");
        let row = TABLE.iter().find(|row| row.command == command).expect("a row");
        let Wanted { before, word, source, flags } = wanted(row, argument);
        assert_eq!(format!("{before}{word}"), argument);
        let source = match source {
            Some(Source::Words([])) => "anything".to_owned(),
            Some(Source::Words(_)) => "words".to_owned(),
            other => other.map_or_else(|| "-".to_owned(), |source| format!("{source:?}")),
        };
        let flags: Vec<&str> = flags.iter().map(|flag| flag.word.text.trim_start_matches('-')).collect();
        format!("{source}; {}; {word}", flags.join(" "))
    }

    #[test]
    fn what_stands_before_says_what_can_follow() {
        for (text, expected) in [
            ("pr-review ", "PullRequests; ; "),
            ("pr-review 12 ", "-; ; "),
            ("review-local ma", "Branches; ; ma"),
            ("release ", "Tags; dry-run prerelease draft target tag-match; "),
            ("release --dry-run --", "-; prerelease draft target tag-match; --"),
            ("release --target ", "Branches; ; "),
            ("release --target --", "Branches; ; --"),
            ("release --target main v1", "Tags; dry-run prerelease draft tag-match; v1"),
            ("release v1 ", "-; dry-run prerelease draft target tag-match; "),
            ("release --tag-match\tv", "Tags; ; v"),
            ("review-handler ", "-; status autorabbit autoqodo; "),
            ("review-handler --autorabbit ", "-; ; "),
            ("cron list", "words; ; list"),
            ("cron list ", "-; ; "),
            ("external-ai ", "words; ; "),
            ("external-ai codex fix", "-; ; fix"),
            ("external-ai codex --", "-; fix peer resume session-id model cli-flags; --"),
            ("external-ai --fix --", "-; resume session-id model cli-flags; --"),
            ("external-ai --model o3 co", "words; ; co"),
            ("external-ai --model ", "anything; ; "),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn no_command_has_two_rows_and_no_flag_stands_twice() {
        for (place, row) in TABLE.iter().enumerate() {
            assert!(!TABLE[..place].iter().any(|other| other.command == row.command), "{}", row.command);
            for (place, flag) in row.flags.iter().enumerate() {
                assert!(!row.flags[..place].iter().any(|other| other.word.text == flag.word.text), "{flag:?}");
            }
        }
    }
}
