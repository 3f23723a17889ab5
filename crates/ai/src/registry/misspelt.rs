//! Keys of `models.json` that nothing reads and that are almost ones that something does.

use serde_json::Value;

use crate::JsonMap;

const PROVIDER: &[&str] = &[
    "name",
    "baseUrl",
    "api",
    "apiKey",
    "headers",
    "authHeader",
    "compat",
    "models",
    "modelOverrides",
    "oauth",
    "oauthServer",
];

const MODEL: &[&str] = &[
    "id",
    "name",
    "type",
    "output",
    "api",
    "baseUrl",
    "reasoning",
    "thinkingLevelMap",
    "input",
    "inputLimits",
    "cost",
    "promptCache",
    "contextWindow",
    "maxTokens",
    "samplingParams",
    "samplingParamsByThinkingLevel",
    "headers",
    "compat",
];

/// How alike two keys are that are probably meant to be the same; 1 is equal.
const ALIKE: f64 = 0.9;

/// A line for each such key. Others may be notes of the user, or for other programs.
pub(super) fn notes(file: &Value) -> Vec<String> {
    let mut notes = Vec::new();
    let providers = file.get("providers").and_then(Value::as_object);
    for (name, provider) in providers.into_iter().flatten() {
        let Some(provider) = provider.as_object() else { continue };
        look(provider, PROVIDER, &format!("Provider {name}"), &mut notes);
        for model in provider.get("models").and_then(Value::as_array).into_iter().flatten() {
            let Some(model) = model.as_object() else { continue };
            let id = model.get("id").and_then(Value::as_str).unwrap_or("?");
            look(model, MODEL, &format!("Provider {name}, model {id}"), &mut notes);
        }
        for (id, model) in provider.get("modelOverrides").and_then(Value::as_object).into_iter().flatten() {
            let Some(model) = model.as_object() else { continue };
            look(model, MODEL, &format!("Provider {name}, model {id}"), &mut notes);
        }
    }
    notes
}

fn look(object: &JsonMap, known: &[&str], place: &str, notes: &mut Vec<String>) {
    for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
        let plain = plain(key);
        let scored = known.iter().map(|known| (strsim::jaro_winkler(&plain, &self::plain(known)), *known));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score >= ALIKE);
        if let Some((_, meant)) = best {
            notes.push(format!("{place}: the key \"{key}\" has no effect; did you mean \"{meant}\"?"));
        }
    }
}

/// A key without what people write differently.
fn plain(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
