//! The format of `.npmrc`: lines of `key = value`.

use std::collections::BTreeMap;

/// The settings of one file, in order. A key that ends in `[]` may occur several times.
pub(crate) fn parse(text: &str, vars: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut section = false;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with([';', '#']) {
            continue;
        }
        if line.starts_with('[') && line.ends_with(']') {
            // npm knows no sections; what stands below one means something else.
            section = true;
            continue;
        }
        if section {
            continue;
        }
        let (key, value) = match line.split_once('=') {
            Some((key, value)) => (unquote(key.trim()), unquote(value.trim())),
            // A key alone switches something on.
            None => (unquote(line), "true".to_owned()),
        };
        settings.push((expand(&key, vars), expand(&value, vars)));
    }
    settings
}

/// Takes quotes off; outside of quotes an unescaped `;` or `#` begins a comment.
fn unquote(text: &str) -> String {
    let quoted = |quote: char| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    if quoted('"') {
        return serde_json::from_str(text).unwrap_or_else(|_| text[1..text.len() - 1].to_owned());
    }
    if quoted('\'') {
        return text[1..text.len() - 1].to_owned();
    }
    let mut plain = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some(next @ (';' | '#' | '\\'))) => {
                plain.push(*next);
                characters.next();
            }
            (';' | '#', _) => break,
            _ => plain.push(character),
        }
    }
    plain.trim().to_owned()
}

/// Puts variables in place: `${NAME}` stays as it is when there is no such variable, `${NAME?}` becomes nothing. A
/// backslash in front keeps it from being one.
fn expand(text: &str, vars: &BTreeMap<String, String>) -> String {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        let Some(end) = from.find('}') else { break };
        let name = &from[2..end];
        if let Some(before) = before.strip_suffix('\\') {
            expanded.push_str(before);
            expanded.push_str(&from[..=end]);
        } else {
            expanded.push_str(before);
            let (name, may_miss) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
            match vars.get(name) {
                Some(value) => expanded.push_str(value),
                None if may_miss => {}
                None => expanded.push_str(&from[..=end]),
            }
        }
        rest = &from[end + 1..];
    }
    expanded.push_str(rest);
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars() -> BTreeMap<String, String> {
        [("TOKEN", "abc"), ("EMPTY", "")].map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    #[test]
    fn lines() {
        let text = "\u{feff}; comment\n# comment\r\n\nregistry=https://one.example/ ; said so\n  @me:registry = https://two.example\n\
                    //two.example/:_authToken=${TOKEN}\n//x/:_password = \"a#b;c\"\n//y/:username='ada'\nca[]=one\nca[]=two\n\
                    strict-ssl\nodd = a\\;b\\#c\\\\d\nkept=${NOBODY}\nempty=${NOBODY?}\nplain=\\${TOKEN}\nhalf=${TOKEN\n[section]\nregistry=no\n";
        let pairs = [
            ("registry", "https://one.example/"),
            ("@me:registry", "https://two.example"),
            ("//two.example/:_authToken", "abc"),
            ("//x/:_password", "a#b;c"),
            ("//y/:username", "ada"),
            ("ca[]", "one"),
            ("ca[]", "two"),
            ("strict-ssl", "true"),
            ("odd", "a;b#c\\d"),
            ("kept", "${NOBODY}"),
            ("empty", ""),
            ("plain", "${TOKEN}"),
            ("half", "${TOKEN"),
        ];
        let expected: Vec<_> = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        assert_eq!(parse(text, &vars()), expected);
    }

    proptest::proptest! {
        #[test]
        fn anything_can_be_read(text in "[a-z=;#\\[\\]\\\\\"'${}?\n :/@_é]{0,64}") {
            let settings = parse(&text, &vars());
            proptest::prop_assert!(settings.len() <= text.lines().count());
        }

        /// What is written with quotes is read as it was.
        #[test]
        fn quoted_values_survive(value in "[^\u{0}-\u{1f}$\u{7f}-\u{9f}]{0,24}") {
            let text = format!("key = {}", serde_json::Value::String(value.clone()));
            proptest::prop_assert_eq!(parse(&text, &vars()), vec![("key".to_owned(), value)]);
        }
    }
}
