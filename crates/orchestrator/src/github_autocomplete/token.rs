//! What stands before the cursor.

use tau_hooks::mount::Written;

/// What is written behind a `#` that begins a line or follows a blank, up to the cursor; nothing if there is no such `#`.
pub(super) fn query(written: &Written) -> Option<&str> {
    let line = written.lines.get(written.cursor_line)?;
    let before = &line[..bytes(line, written.cursor_col)];
    let word = before.rsplit(char::is_whitespace).next()?;
    // `##` begins a heading.
    word.strip_prefix('#').filter(|query| !query.contains('#'))
}

/// A column in bytes for one in UTF-16 units. Within a character it is its start.
fn bytes(line: &str, column: usize) -> usize {
    let mut left = column;
    for (at, char) in line.char_indices() {
        match left.checked_sub(char.len_utf16()) {
            Some(rest) if left > 0 => left = rest,
            _ => return at,
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_sign_begins_a_word() {
        // `|` is the cursor.
        for (text, expected) in [
            ("#|", Some("")),
            ("#12|", Some("12")),
            ("see #fix|", Some("fix")),
            ("\t#1|", Some("1")),
            ("first\n#1|", Some("1")),
            ("first #1\nsecond|", None),
            ("a#1|", None),
            ("(#1|", None),
            ("##|", None),
            ("#a#b|", None),
            ("# Title|", None),
            ("#|12", Some("")),
            ("😀 é #ü|", Some("ü")),
            ("\u{3000}#日本|", Some("日本")),
            ("|#1", None),
            ("|", None),
        ] {
            let cursor = text.find('|').expect("a cursor");
            let before: Vec<&str> = text[..cursor].split('\n').collect();
            let written = Written {
                lines: text.replace('|', "").split('\n').map(str::to_owned).collect(),
                cursor_line: before.len() - 1,
                cursor_col: before.last().map_or(0, |line| line.encode_utf16().count()),
            };
            assert_eq!(query(&written), expected, "{text}");
        }
    }

    #[test]
    fn places_that_are_not_there_are_no_problem() {
        let lines = vec!["😀#1".to_owned()];
        for (cursor_line, cursor_col) in [(0, 1), (0, 99), (7, 0)] {
            let _nothing_to_say = query(&Written { lines: lines.clone(), cursor_line, cursor_col });
        }
        assert_eq!(query(&Written::default()), None);
    }
}
