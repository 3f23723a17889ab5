//! A user's own parameters of a model.

use serde_json::Value;

use super::body::Body;
use crate::{Model, ThinkingLevel};

/// Adds them to a body; those of the level win over those of the model.
pub(super) fn add(body: &mut Body, model: &Model, thinking: ThinkingLevel) {
    let level = model.clamp_thinking(thinking).as_str();
    let of_level = model.extra.get("samplingParamsByThinkingLevel").and_then(|levels| levels.get(level));
    for own in [model.extra.get("samplingParams"), of_level].into_iter().flatten().filter_map(Value::as_object) {
        body.extend(own.clone());
    }
}
