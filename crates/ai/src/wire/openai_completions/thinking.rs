//! How a server is told to think.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::compat::{Compat, ThinkingFormat};
use crate::{JsonMap, Model, StreamRequest, ThinkingLevel};

/// What an answer needs beside the thinking, in tokens.
const MIN_ANSWER: u64 = 1024;

/// Adds what switches thinking to the body. `limit` is that of the answer, of which thinking is a part; 0 is none.
pub(super) fn apply(body: &mut JsonMap, request: &StreamRequest, compat: &Compat, limit: u64) {
    let model = &*request.model;
    if !model.reasoning {
        return;
    }
    let level = match request.options.thinking {
        ThinkingLevel::Off => None,
        wanted => Some(model.clamp_thinking(wanted)).filter(|level| *level != ThinkingLevel::Off),
    };
    let effort = level.map(|level| name(model, level).unwrap_or_else(|| level.as_str().to_owned()));
    let off = model.thinking_level_map.as_ref().and_then(|map| map.get(&ThinkingLevel::Off)).cloned();
    let off_allowed = off != Some(None);
    let off_name = off.flatten();
    let on = level.is_some();
    let room = if limit > 0 { limit } else { model.max_tokens }.saturating_sub(MIN_ANSWER);
    let budget = level.map(|level| budget_of(level, &request.options.thinking_budgets).min(room));
    let budget = budget.filter(|budget| *budget > 0);
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    if let (Some(field), Some(budget)) = (compat.thinking_token_budget_field, budget) {
        put(field.name(), json!(budget));
    }
    let reasoning_effort = effort.clone().filter(|_| compat.supports_reasoning_effort);

    match compat.thinking_format {
        ThinkingFormat::Openai => {
            let effort = if on { effort } else { off_name };
            if let Some(effort) = effort.filter(|_| compat.supports_reasoning_effort) {
                put("reasoning_effort", json!(effort));
            }
            return;
        }
        ThinkingFormat::Openrouter => {
            if let Some(effort) = effort {
                put("reasoning", json!({"effort": effort}));
            } else if off_allowed {
                put("reasoning", json!({"effort": off_name.as_deref().unwrap_or("none")}));
            }
            return;
        }
        ThinkingFormat::StringThinking => {
            if let Some(effort) = effort {
                put("thinking", json!(effort));
            } else if off_allowed {
                put("thinking", json!(off_name.as_deref().unwrap_or("none")));
            }
            return;
        }
        ThinkingFormat::ChatTemplate => {
            let effort = if on { effort } else { off_name };
            let values = template_values(&compat.chat_template_kwargs, on, effort.as_deref(), budget);
            if !values.is_empty() {
                put("chat_template_kwargs", Value::Object(values));
            }
            return;
        }
        ThinkingFormat::Baseten => {
            let effort = if on { effort } else { off_name };
            let values = template_values(&compat.chat_template_args, on, effort.as_deref(), budget);
            if !values.is_empty() {
                put("chat_template_args", Value::Object(values));
            }
            if let Some(effort) = effort.filter(|_| compat.supports_reasoning_effort) {
                put("reasoning_effort", json!(effort));
            }
            return;
        }
        ThinkingFormat::AntLing => {
            // Levels without a name there are the model's own business.
            if let Some(effort) = level.and_then(|level| name(model, level)) {
                put("reasoning", json!({"effort": effort}));
            }
            return;
        }
        ThinkingFormat::QwenChatTemplate => {
            put("chat_template_kwargs", json!({"enable_thinking": on, "preserve_thinking": true}));
            return;
        }
        ThinkingFormat::Deepseek => {
            if on {
                put("thinking", json!({"type": "enabled"}));
            } else if off_allowed {
                put("thinking", json!({"type": "disabled"}));
            }
        }
        ThinkingFormat::Zai if on => put("thinking", json!({"type": "enabled", "clear_thinking": false})),
        ThinkingFormat::Zai => put("thinking", json!({"type": "disabled"})),
        ThinkingFormat::Qwen => put("enable_thinking", json!(on)),
        ThinkingFormat::Together => put("reasoning", json!({"enabled": on})),
    }
    if let Some(effort) = reasoning_effort {
        put("reasoning_effort", json!(effort));
    }
}

fn name(model: &Model, level: ThinkingLevel) -> Option<String> {
    model.thinking_level_map.as_ref()?.get(&level)?.clone()
}

/// The tokens to think with at a level; those above `high` have its number.
fn budget_of(level: ThinkingLevel, own: &BTreeMap<ThinkingLevel, u64>) -> u64 {
    own.get(&level.min(ThinkingLevel::High)).copied().unwrap_or(match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal => 1024,
        ThinkingLevel::Low => 2048,
        ThinkingLevel::Medium => 8192,
        ThinkingLevel::High | ThinkingLevel::Xhigh | ThinkingLevel::Max => 16384,
    })
}

/// Fills the variables of a template: `{"$var": "thinking.enabled" | "thinking.effort" | "thinking.budget", "omitWhenOff"?}`.
fn template_values(template: &JsonMap, on: bool, effort: Option<&str>, budget: Option<u64>) -> JsonMap {
    let resolve = |value: &Value| match value.get("$var").and_then(Value::as_str) {
        None => Some(value.clone()),
        Some(_) if !on && value.get("omitWhenOff") == Some(&Value::Bool(true)) => None,
        Some("thinking.enabled") => Some(json!(on)),
        Some("thinking.budget") => budget.map(|budget| json!(budget)),
        Some(_) => effort.map(|effort| json!(effort)),
    };
    template.iter().filter_map(|(key, value)| Some((key.clone(), resolve(value)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StreamOptions;
    use std::sync::Arc;

    fn body(format: &str, level: ThinkingLevel, extra: Value) -> Value {
        let mut model = json!({
            "id": "m", "provider": "p", "baseUrl": "http://localhost/v1", "reasoning": true,
            "thinkingLevelMap": {"off": "none", "minimal": null, "xhigh": "extreme"},
            "compat": {"thinkingFormat": format, "supportsReasoningEffort": true,
                "chatTemplateKwargs": {"think": {"$var": "thinking.enabled"}, "fixed": 1,
                    "effort": {"$var": "thinking.effort", "omitWhenOff": true}},
                "chatTemplateArgs": {"on": {"$var": "thinking.enabled"}, "tokens": {"$var": "thinking.budget"}}},
        });
        if let (Some(model), Value::Object(extra)) = (model.as_object_mut(), extra) {
            model.extend(extra);
        }
        let request = StreamRequest {
            model: Arc::new(serde_json::from_value(model).expect("a model")),
            system: None,
            messages: Vec::new(),
            tools: Arc::from([]),
            options: StreamOptions { thinking: level, ..StreamOptions::default() },
            hooks: None,
            cancel: tokio_util::sync::CancellationToken::new(),
        };
        let mut body = JsonMap::new();
        apply(&mut body, &request, &Compat::of(&request.model), 4096);
        Value::Object(body)
    }

    #[test]
    fn every_dialect_switches_thinking_its_own_way() {
        use ThinkingLevel::{High, Minimal, Off, Xhigh};
        for (format, level, expected) in [
            ("openai", Minimal, json!({"reasoning_effort": "low"})),
            ("openai", Xhigh, json!({"reasoning_effort": "extreme"})),
            ("openai", Off, json!({"reasoning_effort": "none"})),
            ("openrouter", Xhigh, json!({"reasoning": {"effort": "extreme"}})),
            ("openrouter", Off, json!({"reasoning": {"effort": "none"}})),
            ("deepseek", Xhigh, json!({"thinking": {"type": "enabled"}, "reasoning_effort": "extreme"})),
            ("deepseek", Off, json!({"thinking": {"type": "disabled"}})),
            (
                "zai",
                Xhigh,
                json!({"thinking": {"type": "enabled", "clear_thinking": false}, "reasoning_effort": "extreme"}),
            ),
            ("zai", Off, json!({"thinking": {"type": "disabled"}})),
            ("qwen", Off, json!({"enable_thinking": false})),
            ("qwen", Xhigh, json!({"enable_thinking": true, "reasoning_effort": "extreme"})),
            (
                "qwen-chat-template",
                Off,
                json!({"chat_template_kwargs": {"enable_thinking": false, "preserve_thinking": true}}),
            ),
            ("chat-template", Off, json!({"chat_template_kwargs": {"think": false, "fixed": 1}})),
            ("chat-template", Xhigh, json!({"chat_template_kwargs": {"think": true, "fixed": 1, "effort": "extreme"}})),
            ("together", Xhigh, json!({"reasoning": {"enabled": true}, "reasoning_effort": "extreme"})),
            ("string-thinking", Off, json!({"thinking": "none"})),
            (
                "baseten",
                Xhigh,
                json!({"chat_template_args": {"on": true, "tokens": 3072}, "reasoning_effort": "extreme"}),
            ),
            ("baseten", Off, json!({"chat_template_args": {"on": false}, "reasoning_effort": "none"})),
            ("ant-ling", Xhigh, json!({"reasoning": {"effort": "extreme"}})),
            ("ant-ling", High, json!({})),
            ("ant-ling", Off, json!({})),
        ] {
            assert_eq!(body(format, level, json!({})), expected, "{format} {level}");
        }
        assert_eq!(body("openai", Xhigh, json!({"reasoning": false})), json!({}));
        assert_eq!(body("openrouter", Off, json!({"thinkingLevelMap": {"off": null}})), json!({}));
    }

    #[test]
    fn tokens_to_think_with_leave_room_for_the_answer() {
        use ThinkingLevel::{Low, Max, Off};
        let budget = |compat: Value, level| body("openai", level, json!({ "compat": compat }));
        for (compat, level, expected) in [
            (json!({"supportsThinkingTokenBudget": true}), Low, json!({"thinking_token_budget": 2048})),
            (json!({"thinkingTokenBudgetField": "thinking_budget"}), Max, json!({"thinking_budget": 3072})),
            (
                json!({"supportsThinkingTokenBudget": true, "thinkingTokenBudgetField": "thinking_budget_tokens"}),
                Low,
                json!({"thinking_budget_tokens": 2048}),
            ),
            (json!({"supportsThinkingTokenBudget": true}), Off, json!({})),
        ] {
            let mut compat = compat;
            compat["supportsReasoningEffort"] = json!(false);
            assert_eq!(budget(compat, level), expected);
        }
    }
}
