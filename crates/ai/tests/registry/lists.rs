//! Lists of models that files bring, and the public list they are made of.

use serde_json::{Value, json};
use tau_ai::models_dev::{StoredLists, UpdateError, update};
use tau_ai::{InputKind, ModelRegistry, ProviderError};

use super::support::registry;

/// Later than the program's lists.
const LATER: i64 = 4_000_000_000_000;

fn stored(provider: &str, modified: Value, models: Value) -> String {
    json!({provider: {"models": models, "lastModified": modified, "checkedAt": 1}}).to_string()
}

fn model(id: &str, base_url: &str) -> Value {
    json!({"type": "chat", "id": id, "name": "", "provider": "groq", "api": "openai-completions", "baseUrl": base_url,
        "reasoning": false, "input": ["text"], "cost": {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": 9000, "maxTokens": 900,
        "headers": {"User-Agent": "Other/1", "Editor-Version": "x", "X-Kept": "1"}})
}

fn ids(registry: &ModelRegistry, provider: &str) -> Vec<String> {
    registry.of_provider(provider).iter().map(|model| model.id.clone()).collect()
}

const GROQ: &str = "https://api.groq.com/openai/v1";

#[test]
fn a_newer_list_adds_and_replaces() {
    let registry = registry(&[("GROQ_API_KEY", "k")]);
    let before = ids(&registry, "groq");
    let text = stored("groq", json!(LATER), json!([model("new-one", GROQ), model(&before[0], GROQ)]));
    assert_eq!(registry.load_model_lists("models-store.json", &text), Ok(()));
    let after = ids(&registry, "groq");
    assert_eq!(
        (&after[..before.len()], &after[before.len()..]),
        (before.as_slice(), ["new-one".to_owned()].as_slice())
    );
    let changed = registry.find("groq", &before[0]).expect("still there");
    assert_eq!((changed.context_window, changed.name.as_str()), (9000, before[0].as_str()));
    let headers: Vec<_> = changed.headers.iter().flatten().map(|(name, _)| name.as_str()).collect();
    assert_eq!(headers, ["X-Kept"], "nobody else's client is imitated");
    assert!(registry.resolve_pattern(None, "new-one").is_ok(), "patterns find it");
    // The user's own file is on top of it.
    let text = json!({"providers": {"groq": {"modelOverrides": {"new-one": {"contextWindow": 5}}}}}).to_string();
    assert_eq!(registry.load_models_json(&text), Ok(()));
    assert_eq!(registry.find("groq", "new-one").expect("there").context_window, 5);
}

#[test]
fn an_older_list_and_what_makes_no_sense_change_nothing() {
    let registry = registry(&[]);
    let before = ids(&registry, "groq");
    for (modified, models) in [
        (json!(1_000), json!([model("old", GROQ)])),
        (Value::Null, json!([model("undated", GROQ)])),
        (json!(LATER), json!([model("elsewhere", "https://api.groq.com.example.org/openai/v1"), {"id": 5}, "x"])),
        (json!(LATER), json!("no list")),
        // Ids are shown in terminals, which obey control characters.
        (json!(LATER), json!([model("\u{1b}[2J", GROQ), model("two\nlines", GROQ), model(" ", GROQ)])),
    ] {
        assert_eq!(registry.load_model_lists("models-store.json", &stored("groq", modified, models)), Ok(()));
        assert_eq!(ids(&registry, "groq"), before);
    }
    assert_eq!(registry.load_model_lists("models-store.json", &stored("unknown", json!(LATER), json!([]))), Ok(()));
    assert_eq!(registry.providers().len(), 43);
    let error = registry.load_model_lists("models-store.json", "{\n \"groq\": {}}").expect_err("no models");
    assert!(
        matches!(&error, ProviderError::Json { file: "models-store.json", problem } if problem.line == 2),
        "{error}"
    );
    assert_eq!(registry.load_model_lists("models-store.json", "\u{feff}"), Ok(()));
}

/// What a key of OpenRouter may use is all there is.
#[test]
fn a_personal_list_replaces_the_whole() {
    let registry = registry(&[]);
    let mut only = model("moonshotai/kimi-k2.7-code", "https://openrouter.ai/api/v1");
    only["provider"] = json!("openrouter");
    let text = json!({"openrouter": {"models": [only], "checkedAt": 5}}).to_string();
    assert_eq!(registry.load_model_lists("models-store.json", &text), Ok(()));
    assert_eq!(ids(&registry, "openrouter"), ["moonshotai/kimi-k2.7-code"]);
    let empty = self::registry(&[]);
    let text = json!({"openrouter": {"models": [], "checkedAt": 5}}).to_string();
    assert_eq!(empty.load_model_lists("models-store.json", &text), Ok(()));
    assert_eq!(ids(&empty, "openrouter").len(), 403);
}

/// A list in the public form that says what the program says.
fn public(registry: &ModelRegistry) -> Value {
    let mut providers = json!({});
    for (ours, theirs) in registry.providers().iter().map(|name| (name.clone(), theirs(name))) {
        for model in registry.of_provider(&ours).iter() {
            let input: Vec<&str> =
                model.input.iter().map(|kind| if *kind == InputKind::Image { "image" } else { "text" }).collect();
            let cost = &model.cost;
            providers[&theirs]["models"][&model.id] = json!({
                "id": model.id, "name": model.name, "reasoning": model.reasoning, "tool_call": true,
                "modalities": {"input": input, "output": ["text"]},
                "cost": {"input": cost.input, "output": cost.output, "cache_read": cost.cache_read, "cache_write": cost.cache_write},
                "limit": {"context": model.context_window, "output": model.max_tokens},
                "release_date": "2026-01-01", "knowledge": "2025", "unknown": {"a": 1},
            });
        }
    }
    providers
}

fn theirs(name: &str) -> String {
    let names = [
        ("together", "togetherai"),
        ("fireworks", "fireworks-ai"),
        ("vercel-ai-gateway", "vercel"),
        ("kimi-coding", "kimi-for-coding"),
        ("zai", "zai-coding-plan"),
        ("zai-coding-cn", "zhipuai-coding-plan"),
    ];
    names.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, theirs)| theirs).to_owned()
}

#[test]
fn an_update_takes_over_what_is_new_and_says_what_changes() {
    let registry = registry(&[("GROQ_API_KEY", "k")]);
    let mut list = public(&registry);
    let known = ids(&registry, "groq")[0].clone();
    let groq = &mut list["groq"]["models"];
    let mut fresh = groq[&known].clone();
    fresh["id"] = json!("brand-new");
    fresh["name"] = json!("Brand New");
    fresh["modalities"]["input"] = json!(["text", "image", "pdf"]);
    groq["brand-new"] = fresh.clone();
    groq[&known]["limit"]["context"] = json!(77_777);
    let mut bad = fresh.clone();
    bad["id"] = json!("dear");
    bad["cost"]["input"] = json!(-1);
    groq["dear"] = bad;
    groq["other-key"] = fresh.clone();
    groq["no-limit"] = json!({"tool_call": true, "limit": {"context": "many"}});
    groq["no-tools"] = json!({"name": "x", "tool_call": false});
    let done = update(&list.to_string(), &StoredLists::new(), LATER, false).expect("a list");
    assert_eq!(done.shrunk, []);
    let refused: Vec<&str> = done.refused.iter().map(|(model, _)| model.as_str()).collect();
    assert_eq!(refused, ["groq/dear", "groq/no-limit", "groq/other-key"]);
    let groq = done.changes.iter().find(|changes| changes.provider == "groq").expect("changes");
    let shown = groq.to_string();
    assert!(shown.starts_with("groq:\n  new: brand-new\n"), "{shown}");
    assert!(shown.contains(&format!("{known}: context ")) && shown.contains(" → 77777"), "{shown}");

    let text = serde_json::to_string(&done.lists).expect("JSON");
    assert_eq!(registry.load_model_lists("catalogue.json", &text), Ok(()));
    let new = registry.find("groq", "brand-new").expect("new");
    assert_eq!((&*new.base_url, &*new.name, new.accepts_images()), (GROQ, "Brand New", true));
    assert_eq!(registry.find("groq", &known).expect("known").context_window, 77_777);

    // The same list again changes nothing; one without the model takes it away.
    let again = update(&list.to_string(), &done.lists, LATER + 1, false).expect("a list");
    assert_eq!(again.changes, []);
    list["groq"]["models"].as_object_mut().expect("models").remove("brand-new");
    let later = update(&list.to_string(), &again.lists, LATER + 2, false).expect("a list");
    assert_eq!(later.changes[0].gone, ["brand-new"]);
}

#[test]
fn a_list_that_shrinks_suspiciously_is_refused() {
    let registry = registry(&[]);
    let list = public(&registry);
    let before = update(&list.to_string(), &StoredLists::new(), LATER, false).expect("a list").lists;
    let mut small = list.clone();
    let mistral = small["mistral"]["models"].as_object_mut().expect("models");
    let keep: Vec<String> = mistral.keys().take(3).cloned().collect();
    mistral.retain(|id, _| keep.contains(id));
    for earlier in [&before, &StoredLists::new()] {
        let done = update(&small.to_string(), earlier, LATER + 1, false).expect("a list");
        assert_eq!(done.shrunk, [("mistral".to_owned(), 34, 3)]);
        assert_eq!(done.lists.get("mistral"), earlier.get("mistral"), "it stays as it was");
    }
    let forced = update(&small.to_string(), &before, LATER + 1, true).expect("a list");
    assert_eq!((forced.shrunk.len(), forced.lists["mistral"].listed), (0, 3));

    let few = json!({"anthropic": list["anthropic"]}).to_string();
    assert_eq!(update(&few, &before, LATER, false), Err(UpdateError::TooFew { found: 1, known: 41 }));
    let error = update("[1, 2]", &before, LATER, true).expect_err("no list").to_string();
    assert!(error.contains("models.dev") && error.contains("line 1"), "{error}");
}
