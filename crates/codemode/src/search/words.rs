//! Text as words to search for.

use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation as _;

/// Words that say nothing about what a text is about.
const EMPTY: [&str; 21] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "of", "on", "or", "that", "the",
    "this", "to", "with",
];

/// The words of a text: small letters, names taken apart where they change case, English plurals as singulars, without words
/// that say nothing.
pub(super) fn words(text: &str) -> Vec<String> {
    let text: String = text.nfc().collect();
    let apart = taken_apart(&text).to_lowercase();
    // Other scripts have their own ideas of where words end.
    let words = apart.unicode_words().flat_map(|word| word.split(|c: char| !c.is_alphanumeric() && !is_mark(c)));
    words.filter(|word| !word.is_empty() && !EMPTY.contains(word)).map(singular).collect()
}

/// With a space where a name changes from small letters to large ones, and before the last of several large ones that a
/// small one follows.
fn taken_apart(text: &str) -> String {
    let mut apart = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(c) = chars.next() {
        if let Some(before) = before.filter(|_| c.is_ascii_uppercase()) {
            let small = before.is_ascii_lowercase() || before.is_ascii_digit();
            let word = before.is_ascii_uppercase() && chars.peek().is_some_and(char::is_ascii_lowercase);
            if small || word {
                apart.push(' ');
            }
        }
        apart.push(c);
        before = Some(c);
    }
    apart
}

/// Whether it belongs to the character before it, as an accent does.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// The singular, roughly.
fn singular(word: &str) -> String {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let cut = |count: usize| word[..word.len() - count].to_owned();
    match word {
        _ if !is_plain => word.to_owned(),
        _ if word.len() > 4 && word.ends_with("ies") => cut(3) + "y",
        _ if word.len() > 4 && ["ches", "shes", "sses", "xes", "zes"].iter().any(|end| word.ends_with(end)) => cut(2),
        _ if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") => cut(1),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sentences_become_words() {
        let cases = [
            ("listOpenIssues", "list open issue"),
            ("mcp__HTTPServer-v2_getAll", "mcp http server v2 get all"),
            ("The searches of 3 branches and queries", "search 3 branch query"),
            ("address class is fixes", "address class fix"),
            ("Größe änderN", "größe änder n"),
            ("e\u{301}te\u{301}s", "étés"),
            ("  ", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }
}
