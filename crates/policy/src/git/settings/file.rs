//! Files of settings that a command names.

/// A line of a file: the name of a setting, and its value unless it has none.
pub(super) type Line = (String, Option<String>);

/// The settings of a file, in their order. What is no setting is left out.
pub(super) fn settings(text: &str) -> Vec<Line> {
    let (mut found, mut section) = (Vec::new(), String::new());
    // A backslash at the end of a line continues it.
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    for line in text.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((name, rest)) = header(rest) else { continue };
            section = name;
            line = rest.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name, Some(self::value(value.trim()))),
            None => (line, None),
        };
        found.push((format!("{section}.{}", name.trim()), value));
    }
    found
}

/// The section of a header without its bracket, and what stands behind it.
fn header(text: &str) -> Option<(String, &str)> {
    let Some((name, rest)) = text.split_once('"').filter(|(name, _)| !name.contains(']')) else {
        let (name, rest) = text.split_once(']')?;
        return Some((name.trim().to_owned(), rest));
    };
    let (mut part, mut letters) = (String::new(), rest.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => {
                let (_, rest) = rest.get(at..)?.split_once(']')?;
                return Some((format!("{}.{part}", name.trim()), rest));
            }
            '\\' => part.extend(letters.next().map(|(_, letter)| letter)),
            letter => part.push(letter),
        }
    }
    None
}

/// A value without quotes and comments.
fn value(text: &str) -> String {
    let (mut value, mut is_quoted, mut letters) = (String::new(), false, text.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => return value.trim_end().to_owned(),
            '\\' => value.extend(letters.next().map(|letter| match letter {
                'n' => '\n',
                't' => '\t',
                letter => letter,
            })),
            letter => value.push(letter),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "[alias]\n  ci = commit --no-verify ; why\n\tx = \"!sh -c \\\"a;b\\\"\" # c\n[Core] hooksPath=/tmp/a\\\nb\n\
            [branch \"a.b\\\"c\"]\nremote = origin\n[section.sub]\nflag\n# no\n";
        let wanted = [
            ("alias.ci", Some("commit --no-verify")),
            ("alias.x", Some("!sh -c \"a;b\"")),
            ("Core.hooksPath", Some("/tmp/ab")),
            ("branch.a.b\"c.remote", Some("origin")),
            ("section.sub.flag", None),
        ];
        let wanted = wanted.map(|(name, value)| (name.to_owned(), value.map(str::to_owned)));
        assert_eq!(settings(text), wanted);
    }

    proptest::proptest! {
        #[test]
        fn values_come_back_as_they_were_written(value in "[a-z ;#\"\\\\]{0,12}", other: String) {
            let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
            let read = settings(&format!("[a \"b\"]\nc = \"{quoted}\"\n"));
            proptest::prop_assert_eq!(read, [("a.b.c".to_owned(), Some(value))]);
            // Any text is read to its end.
            proptest::prop_assert!(settings(&other).len() <= other.lines().count());
        }
    }
}
