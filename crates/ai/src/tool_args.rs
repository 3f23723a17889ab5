//! A tool call once no more of its arguments will come.

use serde_json::Value;

use crate::partial_json::{Parsed, classify};
use crate::{JsonMap, ToolCallBlock};

/// The call with the collected argument text. Text that is no JSON is kept as a string: validation then refuses
/// the call and the model sees what it wrote, whereas a guess at what it meant could run. Text that stops early
/// is kept as far as it came, and the call is marked.
pub(crate) fn finished_call(id: String, name: String, text: &str) -> ToolCallBlock {
    let (arguments, cut) = match classify(text) {
        _ if text.trim().is_empty() => (Value::Object(JsonMap::new()), false),
        Parsed::Whole(value) => (value, false),
        Parsed::Cut(value) => (value, true),
        Parsed::Broken(_) => (Value::String(text.to_owned()), false),
    };
    let mut call = ToolCallBlock { id, name, arguments, thought_signature: None, extra: JsonMap::new() };
    if cut {
        call.set_incomplete();
    }
    call
}
