//! What a listing tool adds below its lines.

use serde_json::{Map, Value, json};

use crate::ToolOutput;
use crate::truncate::{TruncationResult, format_size};

/// Notices and details that gather while a result is put together.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    lines: Vec<String>,
    details: Map<String, Value>,
}

impl Notices {
    /// Adds a notice.
    pub(crate) fn add(&mut self, notice: String) {
        self.lines.push(notice);
    }

    /// Adds a detail.
    pub(crate) fn detail(&mut self, name: &str, value: Value) {
        self.details.insert(name.to_owned(), value);
    }

    /// The kept lines with everything there is to say about what is missing.
    pub(crate) fn finish(self, shown: TruncationResult) -> ToolOutput {
        self.finish_with(shown, None)
    }

    /// [`Self::finish`] with a notice that comes last.
    pub(crate) fn finish_with(mut self, shown: TruncationResult, last: Option<String>) -> ToolOutput {
        let mut text = shown.content.clone();
        if shown.truncated {
            self.add(format!("{} limit reached", format_size(shown.max_bytes as u64)));
            self.detail("truncation", json!(shown));
        }
        self.lines.extend(last);
        if !self.lines.is_empty() {
            text = format!("{text}\n\n[{}]", self.lines.join(". "));
        }
        let details = (!self.details.is_empty()).then_some(Value::Object(self.details));
        ToolOutput { details, ..ToolOutput::text(text) }
    }
}
