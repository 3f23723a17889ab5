//! Settings in `GIT_CONFIG_PARAMETERS`, as git hands them to the programs it starts.

/// The settings; `None` if the text is of another form.
pub(super) fn settings(text: &str) -> Option<Vec<(String, Option<String>)>> {
    let (mut rest, mut found) = (text.trim(), Vec::new());
    while !rest.is_empty() {
        let (first, behind) = word(rest)?;
        if let Some(value) = behind.strip_prefix('=') {
            let (value, behind) = if value.starts_with('\'') { word(value)? } else { (String::new(), value) };
            found.push((first, Some(value)));
            rest = behind.trim_start();
        } else {
            let setting = match first.split_once('=') {
                Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
                None => (first, None),
            };
            found.push(setting);
            rest = behind.trim_start();
        }
    }
    Some(found)
}

/// A word in single quotes, and what stands behind it.
fn word(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut word = String::new();
    loop {
        let (part, behind) = rest.split_once('\'')?;
        word.push_str(part);
        // A quote and an exclamation mark stand outside, behind a backslash.
        let Some(escaped) = behind.strip_prefix('\\') else { return Some((word, behind)) };
        let mut letters = escaped.chars();
        word.push(letters.next()?);
        rest = letters.as_str().strip_prefix('\'')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_parameters_are_read() {
        let made = |pairs: &[(&str, Option<&str>)]| {
            Some(pairs.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect::<Vec<_>>())
        };
        for (text, wanted) in [
            ("", made(&[])),
            ("'core.hooksPath=/tmp/x'", made(&[("core.hooksPath", Some("/tmp/x"))])),
            ("'a.b'='it'\\''s' 'c.d'=", made(&[("a.b", Some("it's")), ("c.d", Some(""))])),
            ("'a.b' 'c.d=e'", made(&[("a.b", None), ("c.d", Some("e"))])),
            ("a.b=c", None),
            ("'a", None),
        ] {
            assert_eq!(settings(text), wanted, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_parameters_come_back(key in "[a-z.]{1,8}", value in ".{0,12}") {
            let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
            let text = format!("{}={}", quoted(&key), quoted(&value));
            proptest::prop_assert_eq!(settings(&text), Some(vec![(key, Some(value))]));
        }
    }
}
