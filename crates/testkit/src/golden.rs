//! Recorded behaviour, kept in files and compared as a whole.

use std::collections::HashMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

/// Set to `1` to write golden files anew instead of comparing with them.
pub const UPDATE: &str = "UPDATE_GOLDEN";

/// `h` is a hexadecimal digit, `d` a decimal one, everything else itself.
const UUID: &str = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
const TIMES: &[&str] = &["dddd-dd-ddTdd:dd:dd.dddZ", "dddd-dd-ddTdd-dd-dd-dddZ"];
const ENTRY_ID: &str = "hhhhhhhh";
const LOOPBACK: &str = "127.0.0.1:";

/// JSON lines of which everything that differs between two runs has been replaced: identifiers by their number in
/// order of appearance, times, ports of the loopback interface, and whatever the test names.
///
/// ```
/// let mut trace = tau_testkit::GoldenTrace::new().hide("/tmp/x1", "<home>");
/// trace.add(&serde_json::json!({"id": "0a1b2c3d", "timestamp": 1795308636049_u64, "file": "/tmp/x1/a.txt"}));
/// assert_eq!(trace.text(), "{\"id\":\"<id 1>\",\"timestamp\":0,\"file\":\"<home>/a.txt\"}\n");
/// ```
#[derive(Debug, Clone, Default)]
pub struct GoldenTrace {
    hidden: Vec<(String, String)>,
    ids: HashMap<String, usize>,
    text: String,
}

impl GoldenTrace {
    /// An empty trace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes `name` wherever `text` stands, such as a path. The longest text is looked for first.
    #[must_use]
    pub fn hide(mut self, text: impl Into<String>, name: &str) -> Self {
        self.hidden.push((text.into(), name.to_owned()));
        self.hidden.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        self
    }

    /// Adds a line.
    ///
    /// # Panics
    /// When the value cannot be written as JSON.
    pub fn add(&mut self, value: &impl Serialize) {
        let value = serde_json::to_value(value).unwrap_or_else(|error| panic!("{error}"));
        let value = self.normalise(value);
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{value}");
    }

    /// Adds a line for each value.
    pub fn add_all<T: Serialize>(&mut self, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|value| self.add(&value));
    }

    /// A value with everything replaced that differs between two runs.
    pub fn normalise(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.normalise_text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.normalise(item)).collect(),
            Value::Object(fields) => {
                let field = |(name, value): (String, Value)| match (name.as_str(), &value) {
                    ("timestamp" | "durationMs" | "wall_time_seconds", Value::Number(_)) => (name, Value::from(0)),
                    _ => {
                        let value = self.normalise(value);
                        (name, value)
                    }
                };
                Value::Object(fields.into_iter().map(field).collect())
            }
            other => other,
        }
    }

    /// As [`GoldenTrace::normalise`], for a text.
    pub fn normalise_text(&mut self, text: &str) -> String {
        if text.len() == ENTRY_ID.len() && fits(text.as_bytes(), ENTRY_ID) {
            return self.number(text);
        }
        let mut done = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            if fits(rest.as_bytes(), UUID) {
                done += &self.number(&rest[..UUID.len()]);
                rest = &rest[UUID.len()..];
            } else if let Some(shape) = TIMES.iter().find(|shape| fits(rest.as_bytes(), shape)) {
                done += "<time>";
                rest = &rest[shape.len()..];
            } else if let Some(behind) = rest.strip_prefix(LOOPBACK) {
                done += LOOPBACK;
                done += "<port>";
                rest = behind.trim_start_matches(|c: char| c.is_ascii_digit());
            } else {
                done.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
        for (hidden, name) in &self.hidden {
            done = done.replace(hidden, name);
        }
        done
    }

    fn number(&mut self, id: &str) -> String {
        let next = self.ids.len() + 1;
        format!("<id {}>", self.ids.entry(id.to_owned()).or_insert(next))
    }

    /// What was added since the last comparison.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Compares what was added with a golden file, or writes it when [`UPDATE`] is `1`; then begins the next file, in
    /// which known identifiers keep their numbers. A relative path starts at the folder of the crate under test.
    ///
    /// # Panics
    /// When they differ, with the first lines that do.
    #[track_caller]
    pub fn check(&mut self, file: impl AsRef<Path>) {
        let now = std::mem::take(&mut self.text);
        let path = crate_dir().join(file);
        if env::var(UPDATE).is_ok_and(|value| value == "1") {
            let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, &now));
            written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            return;
        }
        let golden = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; write it with {UPDATE}=1", path.display()));
        let difference = difference(&golden, &now);
        assert!(difference.is_empty(), "{} differs; accept it with {UPDATE}=1\n{difference}", path.display());
    }
}

fn crate_dir() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default()
}

fn fits(text: &[u8], shape: &str) -> bool {
    text.len() >= shape.len()
        && text.iter().zip(shape.bytes()).all(|(byte, wanted)| match wanted {
            b'h' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            b'd' => byte.is_ascii_digit(),
            other => *byte == other,
        })
}

/// The first lines that differ; empty when none do.
fn difference(golden: &str, now: &str) -> String {
    let mut text = String::new();
    let (golden, now): (Vec<&str>, Vec<&str>) = (golden.lines().collect(), now.lines().collect());
    let differing = (0..golden.len().max(now.len())).filter(|at| golden.get(*at) != now.get(*at));
    for at in differing.take(5) {
        let line = |lines: &[&str]| lines.get(at).map_or("(no line)".to_owned(), |line| (*line).to_owned());
        let _ = writeln!(text, "line {}\n  golden: {}\n  now:    {}", at + 1, line(&golden), line(&now));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_differs_between_runs_is_replaced() {
        let mut trace = GoldenTrace::new().hide("/tmp/a", "<root>").hide("/tmp/a/project", "<cwd>");
        let id = "01a200bb-c6d2-75bb-82c7-11ef48933414";
        let value = trace.normalise(json!({
            "id": id,
            "parentId": "deadbeef",
            "again": format!("sessions/2026-11-22T00-50-35-858Z_{id}.jsonl"),
            "timestamp": "2026-11-22T00:50:35.858Z",
            "message": {"timestamp": 1_795_308_636_049_u64, "paths": ["/tmp/a/x", "/tmp/a/project/ä"]},
            "url": "http://127.0.0.1:40123/v1",
            "text": "deadbeef is no id in a sentence",
        }));
        assert_eq!(
            value,
            json!({
                "id": "<id 1>",
                "parentId": "<id 2>",
                "again": "sessions/<time>_<id 1>.jsonl",
                "timestamp": "<time>",
                "message": {"timestamp": 0, "paths": ["<root>/x", "<cwd>/ä"]},
                "url": "http://127.0.0.1:<port>/v1",
                "text": "deadbeef is no id in a sentence",
            })
        );
    }

    #[test]
    fn a_difference_names_its_lines() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), "");
        assert_eq!(
            difference("a\nb\n", "a\nc\nd\n"),
            "line 2\n  golden: b\n  now:    c\nline 3\n  golden: (no line)\n  now:    d\n"
        );
    }
}
