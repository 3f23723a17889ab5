//! A tool call once no more of its arguments will come, and what a model reads of arguments that cannot be used.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::Value;

use crate::partial_json::{Parsed, classify};
use crate::{JsonMap, ToolCallBlock};

/// The call with the collected argument text. Text that is no whole JSON object gives no arguments at all, because a guess
/// at what was meant could run; the call says why, with the text, so that the model sees what it wrote. No text at all
/// means no arguments.
pub(crate) fn finished_call(id: String, name: String, text: &str) -> ToolCallBlock {
    let empty = || Value::Object(JsonMap::new());
    let (arguments, wrong) = match classify(text) {
        _ if text.trim().is_empty() => (empty(), None),
        Parsed::Whole(value @ Value::Object(_)) => (value, None),
        Parsed::Whole(_) => (empty(), Some("Tool arguments must be a JSON object".to_owned())),
        Parsed::Cut(_) => (empty(), Some("Tool arguments ended before their JSON was complete".to_owned())),
        Parsed::Broken(_) => {
            let reason = serde_json::from_str::<serde::de::IgnoredAny>(text).err();
            let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            (empty(), Some(format!("Tool arguments are not valid JSON{reason}")))
        }
    };
    let arguments_error = wrong.map(|wrong| format!("{wrong}\n\nReceived arguments:\n{}", both_ends(text)));
    ToolCallBlock { id, name, arguments, arguments_error, ..ToolCallBlock::default() }
}

/// Most bytes that a model reads again of arguments which cannot be used. Of longer ones it reads both ends.
pub const MAX_RECEIVED: usize = 8 * 1024;

/// Arguments that nest deeper are not indented: that would make more of the indentation than of them.
const MAX_INDENTED: usize = 64;

/// A text of at most about [`MAX_RECEIVED`] bytes: both ends, and between them how much is left out.
pub fn both_ends(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_RECEIVED {
        return Cow::Borrowed(text);
    }
    let head = &text[..text.floor_char_boundary(MAX_RECEIVED / 2)];
    let tail = &text[text.ceil_char_boundary(text.len() - MAX_RECEIVED / 2)..];
    Cow::Owned(joined(head, text.len() - head.len() - tail.len(), tail))
}

fn joined(head: &str, left_out: usize, tail: &str) -> String {
    format!("{head}\n… {left_out} bytes left out …\n{tail}")
}

/// Arguments as a model reads them again: as lines of JSON, and within the same bounds as [`both_ends`].
pub fn received_arguments(arguments: &Value) -> String {
    if crate::json::depth(arguments) > MAX_INDENTED {
        return both_ends(&arguments.to_string()).into_owned();
    }
    let mut ends = Ends::default();
    match serde_json::to_writer_pretty(&mut ends, arguments) {
        Ok(()) => ends.text(),
        Err(error) => error.to_string(),
    }
}

/// Keeps both ends of what is written, however much that is.
#[derive(Default)]
struct Ends {
    /// At most [`MAX_RECEIVED`] bytes.
    head: Vec<u8>,
    /// What follows it: at most twice half of that.
    tail: Vec<u8>,
    left_out: usize,
}

impl Write for Ends {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const HALF: usize = MAX_RECEIVED / 2;
        let (first, rest) = bytes.split_at(bytes.len().min(MAX_RECEIVED - self.head.len()));
        self.head.extend_from_slice(first);
        let (dropped, kept) = rest.split_at(rest.len().saturating_sub(HALF));
        self.left_out += dropped.len();
        self.tail.extend_from_slice(kept);
        if self.tail.len() > 2 * HALF {
            let over = self.tail.len() - HALF;
            self.tail.drain(..over);
            self.left_out += over;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Ends {
    fn text(self) -> String {
        if self.tail.is_empty() {
            return String::from_utf8_lossy(&self.head).into_owned();
        }
        if self.left_out == 0 {
            let all = [self.head, self.tail].concat();
            return both_ends(&String::from_utf8_lossy(&all)).into_owned();
        }
        // A character that a cut went through is left out as a whole.
        let head = String::from_utf8_lossy(&self.head[..MAX_RECEIVED / 2]);
        let tail = String::from_utf8_lossy(&self.tail);
        let (head, tail) = (head.trim_end_matches('\u{fffd}'), tail.trim_start_matches('\u{fffd}'));
        joined(head, self.left_out + self.head.len() - MAX_RECEIVED / 2, tail)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_arguments_keep_both_ends() {
        let near = |text: &str| text.len() <= 2 * MAX_RECEIVED;
        for count in [1, 1000, 1500, 2500, 100_000] {
            let arguments = json!({"first": 1, "list": vec!["ä"; count], "last": "z"});
            let text = received_arguments(&arguments);
            let whole = serde_json::to_string_pretty(&arguments).expect("JSON");
            assert!(text.starts_with("{\n  \"first\": 1,") && text.ends_with("\"last\": \"z\"\n}"), "{text}");
            assert_eq!(text == whole, whole.len() <= MAX_RECEIVED, "{count}");
            assert!(near(&text) && !text.contains('\u{fffd}'), "{count}: {}", text.len());
            let shown = both_ends(&whole);
            assert!(near(&shown) && shown.starts_with('{') && shown.ends_with('}'), "{count}: {}", shown.len());
        }
    }

    #[test]
    fn arguments_that_nest_deeply_stay_short() {
        // The macro would write what it is given, level by level.
        let deep = (0..2000).fold(json!(1), |inner, _| Value::Array(vec![inner]));
        let text = received_arguments(&Value::Object(JsonMap::from_iter([("deep".to_owned(), deep)])));
        assert!(text.starts_with("{\"deep\":[[[") && text.ends_with("]]]}") && text.len() < 5000, "{}", text.len());
    }
}
