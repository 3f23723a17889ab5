//! Why models cannot be used, as data.

use serde_json::json;
use tau_ai::ModelProblem;

use super::support::registry;

#[test]
fn each_cause_is_a_value() {
    let registry = registry(&[("SET", "k")]);
    let entry = |rest: &str| {
        format!(r#"{{"baseUrl": "http://x", "api": "openai-completions", "models": [{{"id": "m"}}]{rest}}}"#)
    };
    let text = format!(
        r#"{{"providers": {{"fine": {}, "literal": {}, "keyless": {}, "unset": {}, "odd": {}, "empty": {}}}}}"#,
        entry(r#", "apiKey": "$SET""#),
        entry(r#", "apiKey": "LOCAL_KEY""#),
        entry(""),
        entry(r#", "apiKey": "$A-${B}""#),
        entry(r#", "apiKey": "k""#).replace("openai-completions", "smoke-signals"),
        entry(r#", "apiKey": """#),
    );
    assert!(registry.load_models_json(&text).is_err(), "an empty key is refused, and the others are taken over");
    let mut found = registry.diagnose();
    let nobody = |found: &tau_ai::ModelDiagnosis| matches!(found.problem, ModelProblem::NoKey { .. });
    assert_eq!(found.iter().filter(|found| nobody(found)).count(), 43, "built-in providers that nobody has set up");
    let shown = ["anthropic", "openai"];
    found.retain(|found| !nobody(found) || found.provider.as_ref().is_some_and(|name| shown.contains(&name.as_str())));
    assert_eq!(
        serde_json::to_value(found).expect("JSON"),
        json!([
            {"problem": {"kind": "badEntry", "reason":
                "Provider empty: \"apiKey\" must not be empty. For a server that needs no key, any text will do."}},
            {"provider": "anthropic", "problem": {"kind": "noKey", "variable": "ANTHROPIC_API_KEY"}},
            {"provider": "openai", "problem": {"kind": "noKey", "variable": "OPENAI_API_KEY"}},
            {"provider": "keyless", "problem": {"kind": "keyMissing", "provider": "keyless"}},
            {"provider": "odd", "problem":
                {"kind": "unknownApi", "api": "smoke-signals", "known": [
                    "anthropic-messages", "openai-completions", "openai-responses", "openai-codex-responses",
                    "azure-openai-responses", "google-generative-ai", "google-vertex", "mistral-conversations",
                    "bedrock-converse-stream"]}},
            {"provider": "unset", "problem": {"kind": "variableUnset", "names": ["A", "B"]}},
        ])
    );
    let available: Vec<String> = registry.available().iter().map(|model| model.provider.clone()).collect();
    assert_eq!(available, ["fine", "literal"]);
    assert_eq!(registry.key_like_a_variable("literal").as_deref(), Some("LOCAL_KEY"));
    assert_eq!(registry.key_like_a_variable("fine"), None);
}

#[test]
fn a_broken_file_is_named_with_its_line() {
    let registry = registry(&[]);
    assert!(registry.load_models_json("{\n  \"providers\": nothing\n}").is_err());
    assert!(registry.load_auth_json("[").is_err());
    let found = registry.diagnose();
    let files: Vec<(&str, usize)> = found
        .iter()
        .filter_map(|found| match &found.problem {
            ModelProblem::BrokenFile { file, line, .. } => Some((*file, *line)),
            _ => None,
        })
        .collect();
    assert_eq!(files, [("models.json", 2), ("auth.json", 1)]);
}
