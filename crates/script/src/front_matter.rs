//! The YAML block at the head of a Markdown file.

use serde_yaml_ng::{Mapping, Value};

use crate::check_cost;

/// The fields that make a rule file a stream rule; of several, the first of this list counts.
pub const RULE_CONDITIONS: &[&str] = &["condition", "ttsr_trigger", "ttsrTrigger"];

/// A Markdown file in two parts.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontMatter {
    fields: Mapping,
    /// The text after the block, trimmed; the whole text when there is no block. Line ends are `\n`.
    pub body: String,
}

/// The block is not the YAML it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FrontMatterError {
    /// Line in the file, from 1, when known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl FrontMatter {
    /// Splits and parses `content`.
    ///
    /// # Errors
    /// When there is a block and it is no YAML mapping, and when parsing it would take too long.
    pub fn parse(content: &str) -> Result<Self, FrontMatterError> {
        let (yaml, body) = split(content);
        let fields = match yaml {
            // With the line end that was cut off with the fence: a block of text (`|`) in the last line keeps its own.
            Some(yaml) => parse_fields(&(yaml + "\n"))?,
            None => Mapping::new(),
        };
        Ok(Self { fields, body })
    }

    /// As [`FrontMatter::parse`]; a block that is no YAML counts as `name: value` lines.
    pub fn lenient(content: &str) -> Self {
        Self::parse(content).unwrap_or_else(|_| {
            let (block, body) = split(content);
            let field = |line: &str| {
                let (name, value) = line.split_once(':')?;
                let value = value.trim();
                let quoted = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
                let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
                let value = match value {
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    "" => return None,
                    text => Value::String(text.to_owned()),
                };
                Some((Value::String(name.trim().to_owned()), value))
            };
            Self { fields: block.unwrap_or_default().lines().filter_map(field).collect(), body }
        })
    }

    /// As [`FrontMatter::lenient`], for a rule file: comments in front of the block are passed over.
    pub fn of_rule(content: &str) -> Self {
        Self::lenient(without_leading_comments(content))
    }

    /// A field of any type.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// The text after the block, whatever the block holds.
    pub fn body_of(content: &str) -> String {
        split(content).1
    }

    /// A field that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }

    /// Whether a field is `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_bool) == Some(true)
    }
}

/// A rule file without the comments that stand in front of everything else.
pub fn without_leading_comments(text: &str) -> &str {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while let Some(comment) = rest.trim_start().strip_prefix("<!--") {
        let Some((_, after)) = comment.split_once("-->") else { return rest };
        rest = after.trim_start();
    }
    rest
}

/// The block, if any, and the rest. The block ends at the first line that starts with `---`.
fn split(content: &str) -> (Option<String>, String) {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let normalized = content.replace("\r\n", "\n").replace('\r', "\n");
    let Some(rest) = normalized.strip_prefix("---") else { return (None, normalized) };
    let Some(end) = rest.find("\n---") else { return (None, normalized) };
    // One character after the fence is the line end.
    let yaml: String = rest[..end].chars().skip(1).collect();
    (Some(yaml), rest[end + 4..].trim_matches(tau_hooks::is_argument_space).to_owned())
}

fn parse_fields(yaml: &str) -> Result<Mapping, FrontMatterError> {
    // The block starts on the second line of the file.
    check_cost(yaml).map_err(|error| FrontMatterError { line: Some(error.line + 1), message: error.to_string() })?;
    match serde_yaml_ng::from_str(yaml) {
        Ok(Value::Mapping(fields)) => Ok(fields),
        Ok(Value::Null) => Ok(Mapping::new()),
        Ok(_) => {
            Err(FrontMatterError { line: Some(2), message: "the front matter must be `name: value` lines".into() })
        }
        Err(error) => {
            // The block starts on the second line of the file.
            let line = error.location().map(|location| location.line() + 1);
            let full = error.to_string();
            let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
            Err(FrontMatterError { line, message: format!("the front matter is not valid YAML: {message}") })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn splits_like_a_fence() {
        let cases = [
            ("plain\r\ntext\r", None, "plain\ntext\n"),
            ("---\nname: a\n---\n\n body \n", Some("name: a"), "body"),
            ("\u{feff}---\r\nname: a\r\n---\r\nbody", Some("name: a"), "body"),
            ("---\n---\nbody", Some(""), "body"),
            ("---\nnever: closed", None, "---\nnever: closed"),
            ("---é\n---\n", Some(""), ""),
            ("", None, ""),
        ];
        for (content, yaml, body) in cases {
            assert_eq!(split(content), (yaml.map(str::to_owned), body.to_owned()), "{content:?}");
        }
    }

    #[test]
    fn blocks_of_text_end_as_their_heads_say() {
        for (head, expected) in [("|", "one\ntwo\n"), (">", "one two\n"), ("|-", "one\ntwo"), ("", "one two")] {
            let parsed = FrontMatter::parse(&format!("---\ntext: {head}\n  one\n  two\n---\n")).expect("YAML");
            assert_eq!(parsed.text("text"), Some(expected), "{head}");
        }
    }

    #[test]
    fn mistakes_have_a_line() {
        let error = FrontMatter::parse("---\nname: a\ndescription: use: this\n---\n").expect_err("two colons");
        assert_eq!(error.line, Some(3));
        assert_eq!(error.message, "the front matter is not valid YAML: mapping values are not allowed in this context");
        let error = FrontMatter::parse("---\n- a\n---\n").expect_err("a list");
        assert_eq!(error.line, Some(2));
    }

    #[test]
    fn what_would_take_quadratic_time_is_refused() {
        for bracket in ["[", "{"] {
            let nested = format!("---\nname: a\nlist: {}\n---\n", bracket.repeat(1001));
            let error = FrontMatter::parse(&nested).expect_err("too many brackets");
            assert_eq!(error.line, Some(3));
            assert_eq!(error.message, "the front matter is not read: it has more than 1000 opening brackets");
        }
        let list = format!("---\nlist: [{}]\n---\n", "'[a]', ".repeat(999));
        assert!(FrontMatter::parse(&list).is_ok());
        let directives = format!("---\n\n# note\n{}name: a\n---\n", "%TAG !a! x\n".repeat(3));
        let error = FrontMatter::parse(&directives).expect_err("directives");
        assert_eq!(error.line, Some(4));
        assert_eq!(error.message, "the front matter is not read: YAML directives have no place in it");
    }

    proptest! {
        #[test]
        fn never_panics(content in "(---)?[\\s\\S]{0,80}(\n---)?[\\s\\S]{0,20}") {
            let _ = FrontMatter::parse(&content);
        }
    }
}
