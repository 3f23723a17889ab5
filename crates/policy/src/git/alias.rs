//! Words that stand for other commands.

use crate::argument::Arg;
use crate::site::Site;
use crate::text::Text;

/// The words of an alias, split as git does it; `None` if a quote is not closed.
pub(super) fn words(text: &str, site: Site) -> Option<Vec<Arg>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, letter) if letter.is_ascii_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), letter) if letter == open => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().push(letters.next()?),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return None;
    }
    words.extend(word);
    let argument = |word: String| Arg { text: Text::new(word), is_many: false, site, is_exact: false };
    Some(words.into_iter().map(argument).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_blanks_outside_of_quotes() {
        for (text, wanted) in [
            ("commit -v", Some(vec!["commit", "-v"])),
            (" log --format='%h %s'\t-1 ", Some(vec!["log", "--format=%h %s", "-1"])),
            (r#"commit -m "a \"b\" c" '' a\ b"#, Some(vec!["commit", "-m", "a \"b\" c", "", "a b"])),
            ("commit -m 'a", None),
            ("a\\", None),
        ] {
            let found = words(text, Site::default());
            let found = found.map(|words| words.iter().map(|word| word.text.shown()).collect::<Vec<_>>());
            assert_eq!(found, wanted.map(|words| words.into_iter().map(str::to_owned).collect()), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_words_come_back(given in proptest::collection::vec("[ -~]{0,6}", 0..5)) {
            let quoted = |word: &String| format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""));
            let text = given.iter().map(quoted).collect::<Vec<_>>().join(" ");
            let found = words(&text, Site::default()).map(|words| words.iter().map(|word| word.text.shown()).collect());
            proptest::prop_assert_eq!(found, Some(given));
        }
    }
}
