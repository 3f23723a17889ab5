//! Older spellings of settings, brought into today's when a file is read. The file itself is not changed.

use serde_json::{Map, Value};

/// Renames and reshapes what older versions wrote.
pub(super) fn migrate(settings: &mut Map<String, Value>) {
    if !settings.contains_key("steeringMode")
        && let Some(mode) = settings.remove("queueMode")
    {
        settings.insert("steeringMode".into(), mode);
    }
    if !settings.contains_key("transport")
        && let Some(websockets) = settings.get("websockets").and_then(Value::as_bool)
    {
        settings.remove("websockets");
        settings.insert("transport".into(), if websockets { "websocket" } else { "sse" }.into());
    }
    skills(settings);
    if let Some(Value::Object(retry)) = settings.get_mut("retry") {
        retry_delay(retry);
    }
}

fn skills(settings: &mut Map<String, Value>) {
    let Some(Value::Object(old)) = settings.get("skills") else { return };
    let old = old.clone();
    if let Some(enabled) = old.get("enableSkillCommands")
        && !settings.contains_key("enableSkillCommands")
    {
        settings.insert("enableSkillCommands".into(), enabled.clone());
    }
    match old.get("customDirectories") {
        Some(Value::Array(dirs)) if !dirs.is_empty() => settings.insert("skills".into(), Value::Array(dirs.clone())),
        _ => settings.remove("skills"),
    };
}

fn retry_delay(retry: &mut Map<String, Value>) {
    let Some(delay) = retry.remove("maxDelayMs") else { return };
    if !delay.is_number() {
        return;
    }
    let provider = retry.entry("provider").or_insert_with(|| Value::Object(Map::new()));
    if !provider.is_object() {
        *provider = Value::Object(Map::new());
    }
    if let Value::Object(provider) = provider
        && provider.get("maxRetryDelayMs").is_none_or(Value::is_null)
    {
        provider.insert("maxRetryDelayMs".into(), delay);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn older_spellings() {
        let cases = [
            (json!({"queueMode": "all"}), json!({"steeringMode": "all"})),
            (
                json!({"queueMode": "all", "steeringMode": "one-at-a-time"}),
                json!({"queueMode": "all", "steeringMode": "one-at-a-time"}),
            ),
            (json!({"websockets": true}), json!({"transport": "websocket"})),
            (json!({"websockets": false}), json!({"transport": "sse"})),
            (
                json!({"skills": {"enableSkillCommands": false, "customDirectories": ["~/s"]}}),
                json!({"skills": ["~/s"], "enableSkillCommands": false}),
            ),
            (json!({"skills": {}}), json!({})),
            (json!({"retry": {"maxDelayMs": 5}}), json!({"retry": {"provider": {"maxRetryDelayMs": 5}}})),
            (
                json!({"retry": {"maxDelayMs": 5, "provider": {"maxRetryDelayMs": 7}}}),
                json!({"retry": {"provider": {"maxRetryDelayMs": 7}}}),
            ),
        ];
        for (before, after) in cases {
            let Value::Object(mut settings) = before.clone() else { panic!("an object") };
            migrate(&mut settings);
            assert_eq!(Value::Object(settings), after, "{before}");
        }
    }
}
