//! What the answers of several classifiers have in common.

use serde_json::Value;

use crate::wire::error::WireError;
use crate::{Model, Usage};

/// An answer that is not what the format promises.
pub(super) fn odd(label: &str, what: impl std::fmt::Display) -> WireError {
    WireError::Protocol(format!("The answer of {label} makes no sense: {what}"))
}

/// A number of an answer.
pub(super) fn number(label: &str, value: &Value, what: impl std::fmt::Display) -> Result<f64, WireError> {
    value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| odd(label, format!("no number for {what}")))
}

/// Tokens of a classification with their price; `None` where the service does not report them.
pub(super) fn usage(raw: &Value, model: &Model) -> Option<Usage> {
    let count = |name: &str| raw.get(name).map(|count| count.as_u64().unwrap_or(0));
    let (input, output) = (count("input_tokens"), count("output_tokens"));
    if input.is_none() && output.is_none() {
        return None;
    }
    let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
    let total_tokens = input.saturating_add(output);
    let mut usage = Usage { input, output, total_tokens, ..Usage::default() };
    usage.price(&model.cost);
    Some(usage)
}
