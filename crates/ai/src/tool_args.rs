//! A tool call once no more of its arguments will come.

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
    let arguments_error = wrong.map(|wrong| format!("{wrong}\n\nReceived arguments:\n{text}"));
    ToolCallBlock { id, name, arguments, arguments_error, ..ToolCallBlock::default() }
}
