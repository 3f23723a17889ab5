//! One rule file.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use tau_script::{FrontMatter, RULE_CONDITIONS};
use tau_tools::read_bounded;

/// The largest rule, in bytes.
pub(super) const MOST_BYTES: u64 = 128 << 10;
/// The field with the tools that a rule is about.
const TOOLS: &str = "tools";
/// What a name of a tool may have besides letters and digits.
const NAME: &str = "_-.:/";
/// Most bytes of a name of a tool.
const LONGEST_NAME: usize = 128;

/// A rule file that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// What the model reads; empty in a file that switches a rule off.
    pub(super) text: String,
    /// The rule holds while one of these is active; always when there is none.
    pub(super) tools: Vec<String>,
    /// Whether the file is a stream rule, which is no part of the prompt.
    pub(super) is_stream_rule: bool,
}

/// Why a file is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    /// It is too large.
    #[error("the rule has more than {} KiB; shorten it, or make several of it", MOST_BYTES >> 10)]
    TooLarge,
    /// It is not text.
    #[error("the rule is not valid UTF-8; save it as UTF-8")]
    NotText {
        /// The line with the first wrong byte.
        line: usize,
    },
    /// It leads out of the project.
    #[error("the rule is a link to a file outside of the project; put the text itself there")]
    Outside,
    /// A link leads nowhere, or the file cannot be opened.
    #[error("the rule cannot be read: {why}; check the file and its permissions")]
    Unreadable {
        /// What the system says.
        why: String,
    },
    /// Its front matter has no end.
    #[error("the front matter that begins here has no end; add a line `---` below it")]
    Open,
    /// The field for tools is something else than names.
    #[error("`{TOOLS}` must be the name of a tool or a list of names, as in `{TOOLS}: [bash, edit]`")]
    Tools {
        /// The line of the field.
        line: Option<usize>,
    },
}

impl Problem {
    /// The line in the file, from 1, where there is one.
    pub(super) fn line(&self) -> Option<usize> {
        match self {
            Self::NotText { line } => Some(*line),
            Self::Tools { line } => *line,
            Self::Open => Some(1),
            Self::TooLarge | Self::Outside | Self::Unreadable { .. } => None,
        }
    }

    fn io(error: &std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::FileTooLarge => Self::TooLarge,
            _ => Self::Unreadable { why: error.to_string() },
        }
    }
}

/// Reads a file; with `within`, only one that lies in that folder after all links are followed.
pub(super) fn read(path: &Path, within: Option<&Path>) -> Result<Rule, Problem> {
    let real = fs::canonicalize(path).map_err(|error| Problem::io(&error))?;
    if within.is_some_and(|folder| !real.starts_with(folder)) {
        return Err(Problem::Outside);
    }
    let bytes = read_bounded(&real, MOST_BYTES).map_err(|error| Problem::io(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        Problem::NotText { line: error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1 }
    })?;
    parse(&text)
}

/// Takes a file apart. Fields that tau does not know are none of its business.
pub(super) fn parse(text: &str) -> Result<Rule, Problem> {
    if is_open(text) {
        return Err(Problem::Open);
    }
    let head = FrontMatter::of_rule(text);
    let tools = match head.value(TOOLS) {
        None => Vec::new(),
        Some(value) => {
            let line = || text.lines().position(|line| line.trim_start().starts_with(TOOLS)).map(|index| index + 1);
            tools_of(value).ok_or_else(|| Problem::Tools { line: line() })?
        }
    };
    Ok(Rule {
        text: head.body.trim().to_owned(),
        tools,
        is_stream_rule: RULE_CONDITIONS.iter().any(|field| head.value(field).is_some()),
    })
}

/// The names in a text with commas or in a list.
fn tools_of(value: &serde_yaml_ng::Value) -> Option<Vec<String>> {
    let names: Vec<&str> = match (value.as_str(), value.as_sequence()) {
        (Some(text), _) => text.split(',').collect(),
        (None, Some(list)) => list.iter().map(serde_yaml_ng::Value::as_str).collect::<Option<_>>()?,
        (None, None) => return None,
    };
    let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let is_name =
        |name: &String| name.len() <= LONGEST_NAME && name.chars().all(|c| c.is_alphanumeric() || NAME.contains(c));
    (!names.is_empty() && names.iter().all(is_name)).then_some(names)
}

/// Whether a text begins like front matter that never ends.
fn is_open(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim_end);
    lines.next() == Some("---") && lines.all(|line| line != "---")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str, tools: &[&str]) -> Rule {
        Rule {
            text: text.to_owned(),
            tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
            is_stream_rule: false,
        }
    }

    #[test]
    fn fields_are_read_and_unknown_ones_passed_over() {
        for (text, expected) in [
            ("Tabs.\n", rule("Tabs.", &[])),
            ("---\ndescription: x\nglobs: *.ts,*.tsx\n---\n\nTabs.\n", rule("Tabs.", &[])),
            ("---\ntools: subagent\n---\nTabs.", rule("Tabs.", &["subagent"])),
            ("---\ntools: a, b\n---\nTabs.", rule("Tabs.", &["a", "b"])),
            ("---\ntools: [a, 'b']\n---\nTabs.", rule("Tabs.", &["a", "b"])),
            ("", rule("", &[])),
            ("---\ndescription: off\n---\n \n", rule("", &[])),
            ("<!-- note -->\n---\ntools: a\n---\nTabs.", rule("Tabs.", &["a"])),
            ("---\r\ntools: a\r\n---\r\nOne\r\ntwo\r\n", rule("One\ntwo", &["a"])),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text:?}");
        }
        for field in RULE_CONDITIONS {
            assert!(parse(&format!("---\n{field}: panic\n---\nCalm.")).expect("a rule").is_stream_rule, "{field}");
        }
    }

    #[test]
    fn tools_that_are_no_names_are_refused_with_their_line() {
        for text in
            ["tools: 5", "tools:", "tools: [a, 5]", "tools: []", "tools: {a: b}", "tools: ' , '", "tools: [bash"]
        {
            let error = parse(&format!("---\ndescription: x\n{text}\n---\nTabs.")).expect_err(text);
            assert_eq!(error, Problem::Tools { line: Some(3) }, "{text}");
        }
    }

    #[test]
    fn front_matter_without_an_end_is_refused() {
        assert_eq!(parse("---\ntools: [bash]\nTabs."), Err(Problem::Open));
        assert_eq!(parse("Tabs.\n---\nSpaces."), Ok(rule("Tabs.\n---\nSpaces.", &[])));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).expect("a file");
            path
        };
        let most = usize::try_from(MOST_BYTES).expect("a size");
        assert_eq!(read(&write("full.md", &vec![b'a'; most]), None).expect("a rule").text.len(), most);
        assert_eq!(read(&write("large.md", &vec![b'a'; most + 1]), None), Err(Problem::TooLarge));
        assert_eq!(read(&write("bytes.md", b"one\ntwo \xff\n"), None), Err(Problem::NotText { line: 2 }));
        assert!(matches!(read(&folder.path().join("none.md"), None), Err(Problem::Unreadable { .. })));
        let (inside, outside) = (write("a.md", b"Tabs."), tempfile::tempdir().expect("a folder"));
        let real = folder.path().canonicalize().expect("a folder");
        assert_eq!(read(&inside, Some(&real)), Ok(rule("Tabs.", &[])));
        let link = outside.path().join("b.md");
        std::os::unix::fs::symlink(&inside, &link).expect("a link");
        assert_eq!(read(&link, None), Ok(rule("Tabs.", &[])));
        assert_eq!(read(&link, Some(outside.path())), Err(Problem::Outside));
    }
}
