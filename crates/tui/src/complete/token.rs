//! What stands before the cursor and could be completed.

use tau_view::editor::Position;

/// What separates words in a prompt. Brackets and quotes are included, so that a path in brackets is found.
const DIVIDERS: [char; 12] = [' ', '\t', '"', '\'', '=', '(', '[', '{', '<', '`', '\u{a0}', '\u{3000}'];

/// A word before the cursor that is a path or begins like one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// The whole of it, with `@` and quotation mark.
    pub(super) text: &'a str,
    /// The path as far as it is written.
    pub(super) path: &'a str,
    /// Whether it begins with `@`.
    pub(super) is_mention: bool,
    /// Whether it begins with a quotation mark that has no second yet.
    pub(super) is_quoted: bool,
}

/// The word that ends at the cursor; it may be empty.
pub(super) fn word(before: &str) -> Word<'_> {
    if let Some(quoted) = quoted(before) {
        return quoted;
    }
    let start = before.rfind(DIVIDERS).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let text = &before[start..];
    let path = text.strip_prefix('@');
    Word { text, path: path.unwrap_or(text), is_mention: path.is_some(), is_quoted: false }
}

/// The word that an open quotation mark begins, if it begins a word.
fn quoted(before: &str) -> Option<Word<'_>> {
    let marks: Vec<usize> = before.match_indices('"').map(|(at, _)| at).collect();
    let mark = *marks.last().filter(|_| marks.len() % 2 == 1)?;
    let is_mention = before[..mark].ends_with('@');
    let start = mark - usize::from(is_mention);
    let begins = before[..start].chars().next_back().is_none_or(|last| DIVIDERS.contains(&last));
    let text = &before[start..];
    begins.then(|| Word { text, path: &before[mark + 1..], is_mention, is_quoted: true })
}

/// A command that is being written at the start of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slash<'a> {
    /// Its name, as far as it is written.
    pub(super) name: &'a str,
    /// What stands behind the name and a space, if there is a space.
    pub(super) argument: Option<&'a str>,
}

/// The command before the cursor: it begins the prompt, after blanks at most.
pub(super) fn slash(cursor: Position, before: &str) -> Option<Slash<'_>> {
    if cursor.line > 0 {
        return None;
    }
    let written = before.trim_start().strip_prefix('/')?;
    Some(match written.split_once(' ') {
        Some((name, argument)) => Slash { name, argument: Some(argument) },
        None => Slash { name: written, argument: None },
    })
}

/// A path as it is written into a prompt.
pub(super) fn written(path: &str, is_mention: bool, is_quoted: bool) -> String {
    let at = if is_mention { "@" } else { "" };
    if is_quoted || path.contains(DIVIDERS) { format!("{at}\"{path}\"") } else { format!("{at}{path}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(before: &str) -> (&str, &str, bool, bool) {
        let Word { text, path, is_mention, is_quoted } = word(before);
        (text, path, is_mention, is_quoted)
    }

    #[test]
    fn words_begin_behind_blanks_brackets_and_quotes() {
        for before in ["@ma", "see @ma", "(@ma", "[@ma", "{@ma", "<@ma", "`@ma", "x=@ma", "'@ma", "tab\t@ma"] {
            assert_eq!(parts(before), ("@ma", "ma", true, false), "{before}");
        }
        assert_eq!(parts("mail a@ma"), ("a@ma", "a@ma", false, false));
        assert_eq!(parts("ls src/"), ("src/", "src/", false, false));
        assert_eq!(parts("ls "), ("", "", false, false));
        assert_eq!(parts(""), ("", "", false, false));
    }

    #[test]
    fn quotation_marks_hold_spaces() {
        assert_eq!(parts("see @\"my fi"), ("@\"my fi", "my fi", true, true));
        assert_eq!(parts("see \"my fi"), ("\"my fi", "my fi", false, true));
        // An inch mark starts no word.
        assert_eq!(parts("a 5\" screen @ma"), ("@ma", "ma", true, false));
        assert_eq!(parts("\"done\" @ma"), ("@ma", "ma", true, false));
    }

    #[test]
    fn a_command_begins_the_prompt() {
        let at = |line| Position { line, column: 0 };
        assert_eq!(slash(at(0), "  /mo"), Some(Slash { name: "mo", argument: None }));
        assert_eq!(slash(at(0), "/model son net"), Some(Slash { name: "model", argument: Some("son net") }));
        assert_eq!(slash(at(0), "see /mo"), None);
        assert_eq!(slash(at(1), "/mo"), None);
    }

    proptest! {
        /// What is written is read back as the path that it was.
        #[test]
        fn a_written_path_is_read_back(path in "[a-z./ ()\u{e4}]{1,12}", is_mention: bool, lead in "(|see |\\()") {
            let written = written(&path, is_mention, false);
            let typed = format!("{lead}{}", written.strip_suffix('"').unwrap_or(&written));
            let word = word(&typed);
            prop_assert_eq!((word.path, word.is_mention), (path.as_str(), is_mention));
        }

        /// Every text has a word at its end.
        #[test]
        fn a_word_ends_the_text(before in "\\PC{0,20}") {
            prop_assert!(before.ends_with(word(&before).text));
        }
    }
}
