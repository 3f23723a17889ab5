//! How much a model is asked to think.

use serde_json::{Value, json};

use super::models::thinks_by_level;
use crate::wire::error::WireError;
use crate::{Model, StreamRequest, ThinkingLevel};

/// The model decides how many tokens it thinks.
const DYNAMIC: i64 = -1;

/// The `thinkingConfig` of a request; `None` for a model that does not think.
///
/// # Errors
/// When the configuration maps the level to a name that Google does not know.
pub(super) fn config(request: &StreamRequest) -> Result<Option<Value>, WireError> {
    let model = &*request.model;
    if !model.reasoning {
        return Ok(None);
    }
    let level = match request.options.thinking {
        ThinkingLevel::Off => ThinkingLevel::Off,
        wanted => model.clamp_thinking(wanted),
    };
    if level == ThinkingLevel::Off {
        return off(model).map(Some);
    }
    let name = name(model, level)?;
    if thinks_by_level(&model.id) {
        return Ok(Some(json!({"includeThoughts": true, "thinkingLevel": name.to_uppercase()})));
    }
    let own = ThinkingLevel::parse(name).and_then(|level| request.options.thinking_budgets.get(&level).copied());
    let budget = own.map_or_else(|| json!(budget(&model.id, name)), |own| json!(own));
    Ok(Some(json!({"includeThoughts": true, "thinkingBudget": budget})))
}

/// A model that cannot do without thinking thinks as little as it can.
fn off(model: &Model) -> Result<Value, WireError> {
    let least = model.clamp_thinking(ThinkingLevel::Off);
    if !thinks_by_level(&model.id) || least == ThinkingLevel::Off {
        return Ok(json!({"thinkingBudget": 0}));
    }
    Ok(json!({"thinkingLevel": name(model, least)?.to_uppercase()}))
}

/// Google's name of a level, in lower case.
fn name(model: &Model, level: ThinkingLevel) -> Result<&'static str, WireError> {
    let mapped = model.thinking_level_map.as_ref().and_then(|map| map.get(&level)?.as_deref());
    let wanted = mapped.unwrap_or(level.as_str());
    ["minimal", "low", "medium", "high"].into_iter().find(|name| name.eq_ignore_ascii_case(wanted)).ok_or_else(|| {
        let Model { id, provider, .. } = model;
        WireError::Config(format!(
            "The thinkingLevelMap of {provider}/{id} maps {level} to {wanted:?}; Google knows minimal, low, medium and high"
        ))
    })
}

fn budget(id: &str, level: &str) -> i64 {
    let [minimal, high] = if id.contains("2.5-pro") {
        [128, 32768]
    } else if id.contains("2.5-flash-lite") {
        [512, 24576]
    } else if id.contains("2.5-flash") {
        [128, 24576]
    } else {
        return DYNAMIC;
    };
    match level {
        "minimal" => minimal,
        "low" => 2048,
        "medium" => 8192,
        _ => high,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StreamOptions;
    use std::sync::Arc;

    fn request(id: &str, map: Value, level: ThinkingLevel) -> StreamRequest {
        let model = json!({"id": id, "provider": "p", "reasoning": true, "thinkingLevelMap": map});
        StreamRequest {
            model: Arc::new(serde_json::from_value(model).expect("a model")),
            system: None,
            messages: Vec::new(),
            tools: Arc::from([]),
            options: StreamOptions { thinking: level, ..StreamOptions::default() },
            hooks: None,
            cancel: tokio_util::sync::CancellationToken::new(),
        }
    }

    #[test]
    fn models_think_by_level_or_within_a_budget() {
        use ThinkingLevel::{High, Low, Max, Medium, Minimal, Off};
        let by_level = |name: &str| json!({"includeThoughts": true, "thinkingLevel": name});
        let within = |budget: i64| json!({"includeThoughts": true, "thinkingBudget": budget});
        let pro = json!({"off": null, "minimal": null, "medium": null, "low": "LOW", "high": "HIGH"});
        for (id, map, level, config) in [
            ("gemini-3-pro-preview", pro.clone(), Off, json!({"thinkingLevel": "LOW"})),
            ("gemini-3-pro-preview", pro.clone(), Minimal, by_level("LOW")),
            ("gemini-3-pro-preview", pro, Medium, by_level("HIGH")),
            ("gemini-4-argon", json!({"off": null, "xhigh": "high"}), Off, json!({"thinkingLevel": "MINIMAL"})),
            ("gemini-4-argon", json!({"off": null, "xhigh": "high"}), Max, by_level("HIGH")),
            ("gemini-flash-latest", json!(null), Off, json!({"thinkingBudget": 0})),
            ("gemini-2.5-pro", json!({"off": null}), Off, json!({"thinkingBudget": 0})),
            ("gemini-2.5-pro", json!(null), Minimal, within(128)),
            ("gemini-2.5-pro", json!(null), Max, within(32768)),
            ("gemini-2.5-flash", json!(null), Low, within(2048)),
            ("gemini-2.5-flash-lite", json!(null), Minimal, within(512)),
            ("gemini-2.5-flash-lite", json!(null), High, within(24576)),
            ("gemini-2.0-flash", json!(null), Medium, within(-1)),
        ] {
            let request = request(id, map, level);
            assert_eq!(super::config(&request).expect("a level"), Some(config), "{id} {level}");
        }
        let mut own = request("gemini-2.5-flash", json!(null), Low);
        own.options.thinking_budgets.insert(Low, 99);
        assert_eq!(config(&own).expect("a level"), Some(within(99)));
    }

    #[test]
    fn a_level_that_google_does_not_know_is_an_error() {
        let error = config(&request("gemini-4-argon", json!({"high": "weird"}), ThinkingLevel::High));
        assert_eq!(
            error.expect_err("no level").to_string(),
            "The thinkingLevelMap of p/gemini-4-argon maps high to \"weird\"; Google knows minimal, low, medium and high"
        );
    }
}
