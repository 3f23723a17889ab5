//! What the families of models on Bedrock take, known by their names.

use serde_json::{Value, json};

use super::target::Target;
use super::variable;
use crate::{Model, StreamRequest, ThinkingLevel};

const THINKING_BINDING_BETA: &str = "thinking-binding-controls-2026-08-01";
const INTERLEAVED_THINKING_BETA: &str = "interleaved-thinking-2025-05-14";
/// Parts of the names of models that take all levels of effort and bind their thinking to what came before it.
const BINDING: [&str; 6] = ["opus-4-7", "opus-4-8", "opus-5", "sonnet-5", "haiku-5", "fable-5"];
/// Parts of the names of further models that decide themselves how long they think.
const ADAPTIVE: [&str; 2] = ["opus-4-6", "sonnet-4-6"];
/// Parts of the names of further Claude models that cache prompts.
const CACHING: [&str; 3] = ["-4-", "claude-3-7-sonnet", "claude-3-5-haiku"];

/// Whether id or name of a model has one of these in it, however its words are separated.
fn named(model: &Model, parts: &[&str]) -> bool {
    [&model.id, &model.name].iter().any(|text| {
        let text = text.to_lowercase();
        let words: Vec<&str> = text.split([' ', '\t', '_', '.', ':']).filter(|word| !word.is_empty()).collect();
        let dashed = words.join("-");
        parts.iter().any(|part| text.contains(part) || dashed.contains(part))
    })
}

/// Whether it is a model of Anthropic's. A profile of the user's own has nothing but a name to tell by.
pub(super) fn is_claude(model: &Model) -> bool {
    let id = model.id.to_lowercase();
    id.contains("anthropic.claude") || id.contains("anthropic/claude") || model.name.to_lowercase().contains("claude")
}

/// Whether it decides itself how long it thinks, within an effort.
pub(super) fn is_adaptive(model: &Model) -> bool {
    named(model, &BINDING) || named(model, &ADAPTIVE)
}

/// Whether it keeps prompts in a cache.
pub(super) fn caches(request: &StreamRequest) -> bool {
    let model = &*request.model;
    if named(model, &["claude"]) {
        return named(model, &CACHING) || named(model, &["opus-5", "sonnet-5", "haiku-5", "fable-5"]);
    }
    variable(request, "AWS_BEDROCK_FORCE_CACHE") == Some("1")
}

/// What goes to the model past Bedrock: how to think. `budget` is in tokens.
pub(super) fn own_fields(request: &StreamRequest, target: &Target, level: ThinkingLevel, budget: u64) -> Option<Value> {
    let model = &*request.model;
    if level == ThinkingLevel::Off || !model.reasoning {
        return None;
    }
    if is_claude(model) {
        let is_government = target.is_government(request);
        let adaptive = is_adaptive(model);
        let binds = adaptive && !is_government && named(model, &BINDING);
        let mut thinking =
            if adaptive { json!({"type": "adaptive"}) } else { json!({"type": "enabled", "budget_tokens": budget}) };
        if !is_government {
            thinking["display"] = json!("summarized");
        }
        if binds {
            thinking["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
        }
        return Some(match (adaptive, binds) {
            (false, _) => json!({"thinking": thinking, "anthropic_beta": [INTERLEAVED_THINKING_BETA]}),
            (_, false) => json!({"thinking": thinking, "output_config": {"effort": effort(model, level)}}),
            (_, true) => json!({
                "thinking": thinking,
                "output_config": {"effort": effort(model, level)},
                "anthropic_beta": [THINKING_BINDING_BETA],
            }),
        });
    }
    if named(model, &["gpt-oss"]) {
        return Some(json!({"reasoning_effort": level.clamp(ThinkingLevel::Low, ThinkingLevel::High).as_str()}));
    }
    named(model, &["gpt-"]).then(|| {
        let mapped = mapped(model, level);
        json!({"reasoning": {"effort": mapped.unwrap_or_else(|| level.max(ThinkingLevel::Low).as_str())}})
    })
}

fn mapped(model: &Model, level: ThinkingLevel) -> Option<&str> {
    model.thinking_level_map.as_ref()?.get(&level)?.as_deref()
}

fn effort(model: &Model, level: ThinkingLevel) -> &str {
    if level == ThinkingLevel::Xhigh && named(model, &BINDING) {
        return level.as_str();
    }
    mapped(model, level).unwrap_or_else(|| level.clamp(ThinkingLevel::Low, ThinkingLevel::High).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(id: &str, name: &str) -> Model {
        serde_json::from_value(json!({"id": id, "name": name, "api": "a", "provider": "p"})).expect("a model")
    }

    #[test]
    fn families_are_known_by_id_or_name() {
        let profile = "arn:aws:bedrock:us-east-1:1:application-inference-profile/x";
        for (id, name, claude, adaptive, binding) in [
            ("us.anthropic.claude-opus-5-5", "", true, true, true),
            ("anthropic.claude-sonnet-4-6", "", true, true, false),
            ("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "", true, false, false),
            (profile, "Claude Opus 4.7", true, true, true),
            (profile, "My model", false, false, false),
            ("us.amazon.nova-pro-v1:0", "Nova", false, false, false),
        ] {
            let model = model(id, name);
            let found = (is_claude(&model), is_adaptive(&model), named(&model, &BINDING));
            assert_eq!(found, (claude, adaptive, binding), "{id} {name}");
        }
    }
}
