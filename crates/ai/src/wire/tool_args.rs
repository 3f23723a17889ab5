//! The arguments of a tool call once no more of them will come.

use serde_json::Value;

use super::error::WireError;
use crate::StopReason;
use crate::partial_json::{Parsed, classify};

/// Finished arguments, and whether the text they come from stopped early.
pub(super) struct Arguments {
    pub value: Value,
    pub cut: bool,
}

/// Reads the collected argument text. Text that is no JSON is kept as a string: validation then refuses the
/// call and the model sees what it wrote, whereas a guess at what it meant could run.
pub(super) fn read(text: &str) -> Arguments {
    if text.trim().is_empty() {
        return Arguments { value: Value::Object(serde_json::Map::new()), cut: false };
    }
    match classify(text) {
        Parsed::Whole(value) => Arguments { value, cut: false },
        Parsed::Cut(value) => Arguments { value, cut: true },
        Parsed::Broken(_) => Arguments { value: Value::String(text.to_owned()), cut: false },
    }
}

/// Half a tool call must not run. With `length` the caller knows that it is half; with any other reason the
/// answer is not what it claims to be.
pub(super) fn refuse_cut_call(cut: Option<&str>, stop_reason: &StopReason) -> Result<(), WireError> {
    match cut {
        Some(name) if *stop_reason != StopReason::Length => {
            Err(WireError::Provider(format!("Stream ended without all arguments of tool call {name:?}")))
        }
        _ => Ok(()),
    }
}
