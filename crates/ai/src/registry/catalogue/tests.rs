use std::collections::BTreeSet;

use super::*;

fn all() -> impl Iterator<Item = &'static Arc<Model>> {
    catalogue().names().flat_map(|name| catalogue().models(name))
}

#[test]
fn every_built_in_model_is_complete() {
    let mut seen = BTreeSet::new();
    for model in all() {
        let name = format!("{}/{}", model.provider, model.id);
        assert!(seen.insert((name.clone(), model.kind())), "{name} is there twice");
        assert!(!model.id.is_empty() && !model.name.is_empty() && !model.api.is_empty(), "{name}");
        // Azure's address is the user's own.
        assert!(!model.base_url.is_empty() || model.provider == "azure", "{name}");
        assert!(model.input.contains(&crate::InputKind::Text), "{name}");
        for price in [model.cost.input, model.cost.output, model.cost.cache_read, model.cost.cache_write] {
            assert!((0.0..1000.0).contains(&price), "{name}: {price}");
        }
        assert!(model.cost.tiers.is_sorted_by_key(|tier| tier.input_tokens_above), "{name}");
        if model.kind() == Model::CHAT {
            assert!(model.context_window >= 1024 && model.max_tokens >= 1, "{name}");
        }
    }
    assert_eq!((seen.len(), catalogue().names().count()), (1773, 43));
}

#[test]
fn providers_are_sorted_and_each_file_is_one() {
    let names: Vec<_> = catalogue().names().collect();
    assert!(names.is_sorted(), "they are searched by halves");
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/registry/catalogue/data");
    let files = std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let mut files: Vec<_> = files.map(|name| name.to_string_lossy().trim_end_matches(".json").to_owned()).collect();
    files.retain(|name| name != "source");
    files.sort();
    assert_eq!(names, files);
}

#[test]
fn defaults_exist() {
    for (provider, id) in DEFAULT_MODELS {
        let models = catalogue().models(provider);
        assert!(models.iter().any(|model| model.id == *id && model.kind() == Model::CHAT), "{provider}/{id}");
    }
    let without: Vec<_> = catalogue().names().filter(|name| default_model(name).is_none()).collect();
    assert_eq!(without, ["typesafe"], "it has models that classify, and no others");
}

#[test]
fn nothing_presents_itself_as_the_client_of_another_vendor() {
    let names: BTreeSet<_> =
        all().filter_map(|model| model.headers.as_ref()).flat_map(|headers| headers.keys()).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["NVCF-POLL-SECONDS"]);
}

#[test]
fn compat_keys_of_the_lists_are_known() {
    for model in all() {
        let compat = model.extra.get("compat").and_then(serde_json::Value::as_object);
        let unknown: Vec<_> = compat.into_iter().flat_map(super::super::known_compat::unknown).collect();
        assert_eq!(unknown, [""; 0], "{}/{}", model.provider, model.id);
    }
}

#[test]
fn the_lists_have_a_date() {
    assert!(made_at() > 1_790_000_000_000);
}

#[test]
#[cfg_attr(debug_assertions, should_panic = "the built-in models of x cannot be read: missing field `models`")]
fn a_list_that_cannot_be_read_is_a_defect() {
    assert!(list::read("x", r#"{"shapes": []}"#).is_empty());
}

#[test]
#[cfg_attr(debug_assertions, should_panic = "the built-in model x/a has no shape 3")]
fn a_row_without_a_shape_is_a_defect() {
    let text = r#"{"shapes": [], "models": [["a", "A", 3, 1, 1, [0, 0, 0, 0]]]}"#;
    assert!(list::read("x", text).is_empty());
}

#[test]
fn rows_hold_tiers() {
    let text = r#"{"shapes": [{"api": "a", "baseUrl": "b", "input": ["text"]}],
        "models": [["a", "A \"b\"", 0, 10, 5, [1, 2, 0.5, 3, [100, 4, 5, 6, 7]]]]}"#;
    let models = list::read("x", text);
    let [model] = models.as_slice() else { panic!("{models:?}") };
    assert_eq!((&*model.name, model.context_window, model.max_tokens), ("A \"b\"", 10, 5));
    assert_eq!(
        serde_json::to_value(&model.cost).expect("JSON"),
        serde_json::json!({"input": 1.0, "output": 2.0, "cacheRead": 0.5, "cacheWrite": 3.0, "tiers": [
            {"inputTokensAbove": 100, "input": 4.0, "output": 5.0, "cacheRead": 6.0, "cacheWrite": 7.0}]})
    );
}
