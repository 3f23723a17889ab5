//! The source of a script: the line with its options, and a code fence that models put around it.

use std::time::Duration;

use serde_json::Value;

/// What the line with options begins with.
const OPTIONS: &str = "// @options:";

/// The options there are, as errors name them.
const KNOWN: &str = "`max_output_tokens` and `timeout_ms`";

/// The longest time limit, in milliseconds: what a timer can wait for.
const LONGEST: u64 = i32::MAX as u64;

/// The largest integer that JavaScript holds exactly.
const LARGEST: u64 = (1 << 53) - 1;

/// A script with its options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The source, with as many lines before each statement as the model wrote.
    pub code: String,
    /// How many tokens of output the model wants at most.
    pub max_output_tokens: Option<u64>,
    /// After this it ends, in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// Why a source is no script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// There is nothing to run.
    #[error("the script is empty: write JavaScript that calls tools or puts something out with text()")]
    Empty,
    /// The options are not in the first line.
    #[error("`// @options:` stands in line {0}: it has to be the first line of the script")]
    NotFirst(usize),
    /// The options are no JSON object.
    #[error("`// @options:` needs a JSON object with {KNOWN} behind it: {0}")]
    NotJson(String),
    /// An option that does not exist.
    #[error("`// @options:` has no option `{0}`; it takes {KNOWN}")]
    Unknown(String),
    /// A value that an option cannot have.
    #[error("`{name}` in `// @options:` must be {wanted}")]
    Value {
        /// The option.
        name: &'static str,
        /// What it takes.
        wanted: &'static str,
    },
    /// The engine cannot read it.
    #[error("the script has a NUL character, which JavaScript source cannot have")]
    Nul,
}

impl Script {
    /// Reads what a model wrote. One code fence around it is taken off.
    ///
    /// # Errors
    /// When there is nothing in it, or when its options are wrong.
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let text = unfenced(text);
        if text.trim().is_empty() {
            return Err(SourceError::Empty);
        }
        if text.contains('\0') {
            return Err(SourceError::Nul);
        }
        if let Some(line) = text.lines().skip(1).position(|line| options_of(line).is_some()) {
            return Err(SourceError::NotFirst(line + 2));
        }
        let first = text.lines().next().unwrap_or_default();
        let Some(options) = options_of(first) else {
            return Ok(Self { code: text.to_owned(), ..Self::default() });
        };
        // The line stays, empty, so that errors name the lines that the model wrote.
        let script = Self { code: text[first.len()..].to_owned(), ..Self::default() };
        script.with(options)
    }

    fn with(mut self, options: &str) -> Result<Self, SourceError> {
        let options: Value = serde_json::from_str(options).map_err(|error| SourceError::NotJson(error.to_string()))?;
        let Value::Object(options) = options else {
            return Err(SourceError::NotJson("this is no object".to_owned()));
        };
        for (name, value) in options {
            let value = value.as_u64();
            match name.as_str() {
                "max_output_tokens" => {
                    let fits = value.filter(|value| *value <= LARGEST);
                    let wanted = "an integer from 0";
                    self.max_output_tokens =
                        Some(fits.ok_or(SourceError::Value { name: "max_output_tokens", wanted })?);
                }
                "timeout_ms" => {
                    let fits = value.filter(|value| (1..=LONGEST).contains(value));
                    let wanted = "an integer from 1 to 2147483647";
                    self.timeout_ms = Some(fits.ok_or(SourceError::Value { name: "timeout_ms", wanted })?);
                }
                _ => return Err(SourceError::Unknown(name)),
            }
        }
        Ok(self)
    }

    /// The time limit.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout_ms.map(Duration::from_millis)
    }
}

/// What stands behind the mark, if the line has options.
fn options_of(line: &str) -> Option<&str> {
    Some(line.trim_start_matches([' ', '\t']).strip_prefix(OPTIONS)?.trim())
}

/// The text without one code fence around all of it.
fn unfenced(text: &str) -> &str {
    let inside = || {
        let rest = text.trim().strip_prefix("```")?.strip_suffix("```")?;
        let (language, code) = rest.split_once('\n')?;
        let is_word = language.trim().chars().all(|c| c.is_ascii_alphanumeric());
        // The last fence stands on a line of its own.
        let code = code.strip_suffix(|c: char| c == '\n').or_else(|| code.is_empty().then_some(code))?;
        is_word.then_some(code)
    };
    inside().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        Script::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).code
    }

    #[test]
    fn one_fence_is_taken_off() {
        assert_eq!(code("```js\nreturn 1\n```"), "return 1");
        assert_eq!(code(" \n```\nreturn 1\n\n```\n"), "return 1\n");
        assert_eq!(code("```javascript\n```js\nx\n```\n```"), "```js\nx\n```");
        for whole in ["return `a`", "```js return 1```", "text(1)\n```", "```js\nreturn 1", "```not a word\nx\n```"] {
            assert_eq!(code(whole), whole);
        }
    }

    #[test]
    fn options_stand_in_the_first_line() {
        let script =
            Script::parse("// @options: {\"timeout_ms\": 5, \"max_output_tokens\": 0}\nreturn 1").expect("fine");
        let expected = Script { code: "\nreturn 1".to_owned(), max_output_tokens: Some(0), timeout_ms: Some(5) };
        assert_eq!(script, expected);
        assert_eq!(Script::parse("```js\n// @options: {}\nx\n```").map(|script| script.code), Ok("\nx".to_owned()));
        assert_eq!(Script::parse("x\n  // @options: {}"), Err(SourceError::NotFirst(2)));
        assert_eq!(Script::parse("// @options: {\"a\": 1}"), Err(SourceError::Unknown("a".to_owned())));
        for (text, wrong) in
            [("{\"timeout_ms\": 0}", "timeout_ms"), ("{\"max_output_tokens\": -1}", "max_output_tokens")]
        {
            let error = Script::parse(&format!("// @options: {text}\nx")).expect_err("an error").to_string();
            assert!(error.contains(wrong), "{error}");
        }
        for text in ["", "[]", "{", "1"] {
            let error = Script::parse(&format!("// @options: {text}\nx")).expect_err("an error");
            assert!(matches!(error, SourceError::NotJson(_)), "{error}");
        }
        assert_eq!(Script::parse(" \n"), Err(SourceError::Empty));
        assert_eq!(Script::parse("a\0b"), Err(SourceError::Nul));
    }
}
