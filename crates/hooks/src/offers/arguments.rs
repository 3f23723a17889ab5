//! Arguments of prompt templates: splitting what the user typed, and putting it in. The templates of files and those of
//! extensions work alike.

/// White space as JavaScript defines it, which arguments are split at: a byte order mark counts, a next-line does not.
pub fn is_argument_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// Splits at white space. A quote, `'` or `"`, at the start of an argument groups up to the next one that no backslash
/// precedes; an empty pair is an argument. Elsewhere quotes are text, as in `doesn't`, and so is one that is never closed.
pub fn split_arguments(text: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut rest = text.trim_start_matches(is_argument_space);
    while let Some(first) = rest.chars().next() {
        let (mut argument, after) = match first {
            '"' | '\'' => quoted(&rest[1..], first).unwrap_or_else(|| (String::new(), rest)),
            _ => (String::new(), rest),
        };
        let end = after.find(is_argument_space).unwrap_or(after.len());
        argument.push_str(&after[..end]);
        arguments.push(argument);
        rest = after[end..].trim_start_matches(is_argument_space);
    }
    arguments
}

/// The text up to the quote that closes, and what follows it; `None` when none does.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut rest = text;
    loop {
        let at = rest.find(quote)?;
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        rest = after;
        let Some(escaped) = before.strip_suffix('\\') else {
            inner.push_str(before);
            return Some((inner, after));
        };
        inner.push_str(escaped);
        inner.push(quote);
    }
}

/// Puts arguments into a template.
///
/// One pass from left to right: what an argument or a default contains is never looked at again. A `$` that starts no
/// known form stays as it is.
pub fn substitute_arguments(template: &str, arguments: &[String]) -> String {
    let mut result = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        rest = &rest[at..];
        match placeholder(rest) {
            Some((placeholder, length)) => {
                result.push_str(&placeholder.value(arguments));
                rest = &rest[length..];
            }
            None => {
                result.push('$');
                rest = &rest[1..];
            }
        }
    }
    result.push_str(rest);
    result
}

/// What stands after a `$`.
enum Placeholder<'a> {
    /// `$N`, `$@`, `$ARGUMENTS`, and the forms with `:-default`.
    Value { of: Target, default: &'a str },
    /// `${@:N}` and `${@:N:L}`.
    Slice { from: usize, length: Option<usize> },
}

#[derive(Clone, Copy)]
enum Target {
    All,
    /// Counted from 1; 0 is nothing.
    Position(usize),
}

impl Placeholder<'_> {
    fn value(&self, arguments: &[String]) -> String {
        match *self {
            Self::Value { of, default } => {
                let value = match of {
                    Target::All => arguments.join(" "),
                    Target::Position(n) => {
                        n.checked_sub(1).and_then(|index| arguments.get(index)).cloned().unwrap_or_default()
                    }
                };
                if value.is_empty() { default.to_owned() } else { value }
            }
            Self::Slice { from, length } => {
                let start = from.saturating_sub(1).min(arguments.len());
                let end = length.map_or(arguments.len(), |length| start.saturating_add(length).min(arguments.len()));
                arguments[start..end].join(" ")
            }
        }
    }
}

/// Reads the placeholder that `text`, which starts with `$`, begins with; also its length in bytes.
fn placeholder(text: &str) -> Option<(Placeholder<'_>, usize)> {
    let after = &text[1..];
    let (found, rest) = match after.strip_prefix('{') {
        Some(inner) => braced(inner)?,
        None => {
            let (of, rest) = target(after)?;
            (Placeholder::Value { of, default: "" }, rest)
        }
    };
    Some((found, text.len() - rest.len()))
}

fn braced(inner: &str) -> Option<(Placeholder<'_>, &str)> {
    let (of, rest) = target(inner)?;
    if let Some(default) = rest.strip_prefix(":-") {
        let (default, rest) = default.split_once('}')?;
        return Some((Placeholder::Value { of, default }, rest));
    }
    // Only `@` can be sliced.
    let (from, rest) = number(inner.strip_prefix("@:")?)?;
    if let Some(rest) = rest.strip_prefix('}') {
        return Some((Placeholder::Slice { from, length: None }, rest));
    }
    let (length, rest) = number(rest.strip_prefix(':')?)?;
    Some((Placeholder::Slice { from, length: Some(length) }, rest.strip_prefix('}')?))
}

fn target(text: &str) -> Option<(Target, &str)> {
    if let Some(rest) = text.strip_prefix("ARGUMENTS").or_else(|| text.strip_prefix('@')) {
        return Some((Target::All, rest));
    }
    let (n, rest) = number(text)?;
    Some((Target::Position(n), rest))
}

/// A run of digits; too large a number means "past the end", whatever it is.
fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (!digits.is_empty()).then(|| (digits.parse().unwrap_or(usize::MAX), rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(arguments: &[&str]) -> Vec<String> {
        arguments.iter().map(|argument| (*argument).to_owned()).collect()
    }

    #[test]
    fn splitting() {
        let cases: [(&str, &[&str]); 20] = [
            ("", &[]),
            ("a b", &["a", "b"]),
            ("  a\t\nb\u{a0}c\u{3000}d ", &["a", "b", "c", "d"]),
            (r#""two words" 'and more'"#, &["two words", "and more"]),
            (r#"pre"mid dle"post"#, &["pre\"mid", "dle\"post"]),
            ("it doesn't matter, don't worry", &["it", "doesn't", "matter,", "don't", "worry"]),
            (r#"it's "one'"#, &["it's", "\"one'"]),
            (r#""never closed x"#, &["\"never", "closed", "x"]),
            (r#"a 'never "but this"#, &["a", "'never", "\"but", "this"]),
            (r#"'never "closed this""#, &["'never", "closed this"]),
            (r#"a "" b ''"#, &["a", "", "b", ""]),
            (r#""it's""#, &["it's"]),
            (r#""say \"hi\" 'x'" y"#, &["say \"hi\" 'x'", "y"]),
            (r#""ends with \""#, &["\"ends", "with", "\\\""]),
            (r#""a\b" 'it\'s'"#, &["a\\b", "it's"]),
            (r#""a"b "c"'d e'"#, &["ab", "c'd", "e'"]),
            (r"a\ b", &["a\\", "b"]),
            (r#"\"a b\""#, &["\\\"a", "b\\\""]),
            ("a\u{85}b", &["a\u{85}b"]),
            ("' \u{e9}' \u{e9}'", &[" \u{e9}", "\u{e9}'"]),
        ];
        for (text, expected) in cases {
            assert_eq!(split_arguments(text), expected, "{text:?}");
        }
    }

    #[test]
    fn substitution() {
        let arguments = ["one", "two words", "three"];
        let cases: [(&str, &[&str], &str); 42] = [
            ("no placeholders, $ or $$ or $x or ${x}", &arguments, "no placeholders, $ or $$ or $x or ${x}"),
            ("$1-$2-$3-$4.", &arguments, "one-two words-three-."),
            ("$0", &arguments, ""),
            ("$01", &arguments, "one"),
            ("$10", &arguments, ""),
            ("$1a", &arguments, "onea"),
            ("$99999999999999999999999999", &arguments, ""),
            ("$@", &arguments, "one two words three"),
            ("$ARGUMENTS", &arguments, "one two words three"),
            ("$ARGUMENTSX", &arguments, "one two words threeX"),
            ("$ARGUMENT", &arguments, "$ARGUMENT"),
            ("$@", &[], ""),
            ("${@:2}", &arguments, "two words three"),
            ("${@:0}", &arguments, "one two words three"),
            ("${@:1:2}", &arguments, "one two words"),
            ("${@:0:1}", &arguments, "one"),
            ("${@:2:0}", &arguments, ""),
            ("${@:4}", &arguments, ""),
            ("${@:2:99999999999999999999999999}", &arguments, "two words three"),
            ("${@:99999999999999999999999999:1}", &arguments, ""),
            ("${@:2:}", &arguments, "${@:2:}"),
            ("${@:}", &arguments, "${@:}"),
            ("${ARGUMENTS:2}", &arguments, "${ARGUMENTS:2}"),
            ("${1}", &arguments, "${1}"),
            ("${@}", &arguments, "${@}"),
            ("${1:-x}", &arguments, "one"),
            ("${4:-x y}", &arguments, "x y"),
            ("${4:-}", &arguments, ""),
            ("${0:-zero}", &arguments, "zero"),
            ("${@:-all}", &arguments, "one two words three"),
            ("${@:-all}", &[], "all"),
            ("${ARGUMENTS:-all}", &[], "all"),
            ("${@:-1}", &[], "1"),
            ("${1:-a:b-c}", &[], "a:b-c"),
            ("${1:-multi\nline}", &[], "multi\nline"),
            ("${1:-never closed", &[], "${1:-never closed"),
            ("${1:-${2:-x}}", &[], "${2:-x}"),
            ("${1:-$2}", &["", "two"], "$2"),
            ("$1", &["$2 $@ $& $$ ${1:-x}"], "$2 $@ $& $$ ${1:-x}"),
            ("$$1", &["a"], "$a"),
            ("é$1é$", &["ü"], "éüé$"),
            ("$1$2", &["$", "1"], "$1"),
        ];
        for (template, arguments, expected) in cases {
            assert_eq!(substitute_arguments(template, &list(arguments)), expected, "{template:?} with {arguments:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(template in "[$@{}:\\-0-9ARGUMENTSé ]{0,40}", text in "\\PC{0,40}") {
            let _ = substitute_arguments(&template, &split_arguments(&text));
        }

        /// Arguments that are made of placeholders come out exactly as they went in.
        #[test]
        fn argument_text_is_never_expanded_again(
            before in "[a-z ]{0,5}",
            hostile in prop::collection::vec("(\\$[@1-3]|\\$ARGUMENTS|\\$\\{@:1\\}|\\$\\{2:-x\\}|\\$&|\\$\\$|[a-z]){1,6}", 1..4),
        ) {
            let all = hostile.join(" ");
            prop_assert_eq!(substitute_arguments(&format!("{before}$@|$1|${{@:1}}"), &hostile), format!("{before}{all}|{}|{all}", hostile[0]));
        }

        /// A template without `$` is untouched.
        #[test]
        fn plain_text_stays(template in "[^$]{0,60}") {
            prop_assert_eq!(substitute_arguments(&template, &list(&["a", "b"])), template);
        }

        /// Without quotes, splitting is splitting at white space.
        #[test]
        fn splitting_plain_words(text in "[a-z$ \t\n]{0,40}") {
            let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
            prop_assert_eq!(split_arguments(&text), words);
        }
    }
}
