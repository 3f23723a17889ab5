//! `models.json`.

use super::support::{names, registry};
use serde_json::{Value, json};
use tau_ai::{InputKind, JsonProblem, Model, ModelRegistry, ProviderError};

fn model(registry: &ModelRegistry, provider: &str, id: &str) -> Model {
    Model::clone(&registry.find(provider, id).unwrap_or_else(|| panic!("{provider}/{id} exists")))
}

#[test]
fn the_catalogue_is_there_without_any_configuration() {
    let registry = registry(&[]);
    let opus = model(&registry, "anthropic", "claude-opus-4-8");
    assert_eq!(
        (&*opus.api, &*opus.base_url, opus.reasoning, opus.context_window, opus.cost.input),
        ("anthropic-messages", "https://api.anthropic.com", true, 1_000_000, 5.0)
    );
    let gpt = model(&registry, "openai", "gpt-5.5");
    assert_eq!((&*gpt.api, &*gpt.base_url), ("openai-responses", "https://api.openai.com/v1"));
    assert_eq!(gpt.cost.tiers[0].input_tokens_above, 272_000);
    assert_eq!((registry.all().len(), registry.providers().len()), (1643, 43));
    let image = registry.all_of_kind("image").len();
    let classifier = registry.all_of_kind("classifier").len();
    assert_eq!((image, classifier), (66, 64));
    assert!(registry.api("anthropic-messages").is_some() && registry.api("openai-completions").is_some());
    assert!(registry.api("smoke-signals").is_none());
}

#[test]
fn a_provider_with_models_is_added() {
    let registry = registry(&[]);
    let text = r#"{
        // my own machine
        "providers": {
            "ollama": {
                "baseUrl": "http://localhost:11434/v1", "api": "openai-completions", "apiKey": "ollama",
                "compat": {"supportsStore": false, "chatTemplateKwargs": {"a": 1}},
                "models": [
                    {"id": "qwen"},
                    {"id": "big", "name": "Big", "reasoning": true, "input": ["text", "image"], "contextWindow": 1e6,
                     "maxTokens": 1000, "cost": {"input": 1.5}, "thinkingLevelMap": {"low": "l", "high": null},
                     "compat": {"supportsStore": true, "chatTemplateKwargs": {"b": 2}}, "promptCache": {"short": 9},
                     "baseUrl": "http://other/v1", "api": "anthropic-messages", "headers": {"x": "y"}},
                ],
            },
        },
    }"#;
    assert_eq!(registry.load_models_json(text), Ok(()));
    let small = model(&registry, "ollama", "qwen");
    let expected: Model = serde_json::from_value(json!({
        "id": "qwen", "name": "qwen", "api": "openai-completions", "provider": "ollama",
        "baseUrl": "http://localhost:11434/v1", "reasoning": false, "input": ["text"], "cost": {},
        "contextWindow": 128_000, "maxTokens": 16_384,
        "compat": {"supportsStore": false, "chatTemplateKwargs": {"a": 1}},
    }))
    .expect("a model");
    assert_eq!(small, expected);
    let big = model(&registry, "ollama", "big");
    assert_eq!(
        (&*big.name, &*big.api, &*big.base_url, big.context_window, big.cost.input, big.headers.clone()),
        ("Big", "anthropic-messages", "http://other/v1", 1_000_000, 1.5, None)
    );
    assert_eq!(big.input, [InputKind::Text, InputKind::Image]);
    assert_eq!(
        Value::Object(big.extra),
        json!({"compat": {"supportsStore": true, "chatTemplateKwargs": {"a": 1, "b": 2}}, "promptCache": {"short": 9}})
    );
}

#[test]
fn built_in_providers_are_changed_not_replaced() {
    let registry = registry(&[]);
    let before = registry.all().len();
    let text = json!({"providers": {
        "anthropic": {
            "baseUrl": "http://proxy", "compat": {"supportsEagerToolInputStreaming": false},
            "models": [{"id": "claude-next"}, {"id": "claude-opus-4-5", "name": "Mine"}],
            "modelOverrides": {
                "claude-opus-4-8": {"name": "Opus", "contextWindow": 5000, "cost": {"output": 1.0},
                    "thinkingLevelMap": {"minimal": null}, "compat": {"supportsTemperature": true}},
                "no-such-model": {"name": "x"},
            },
        },
    }});
    assert_eq!(registry.load_models_json(&text.to_string()), Ok(()));
    assert_eq!(registry.all().len(), before + 1);
    let next = model(&registry, "anthropic", "claude-next");
    assert_eq!((&*next.api, &*next.base_url), ("anthropic-messages", "http://proxy"));
    let replaced = model(&registry, "anthropic", "claude-opus-4-5");
    assert_eq!((&*replaced.name, replaced.reasoning), ("Mine", false));
    let opus = model(&registry, "anthropic", "claude-opus-4-8");
    assert_eq!(
        (&*opus.name, opus.context_window, opus.cost.input, opus.cost.output, &*opus.base_url),
        ("Opus", 5000, 5.0, 1.0, "http://proxy")
    );
    let levels: Vec<&str> = opus.thinking_levels().iter().map(|level| level.as_str()).collect();
    assert_eq!(levels, ["off", "low", "medium", "high", "xhigh", "max"]);
    let compat = &opus.extra["compat"];
    assert_eq!(
        (&compat["forceAdaptiveThinking"], &compat["supportsTemperature"], &compat["supportsEagerToolInputStreaming"]),
        (&json!(true), &json!(true), &json!(false))
    );

    // A second load replaces the first.
    assert_eq!(registry.load_models_json("{\"providers\": {}}"), Ok(()));
    assert_eq!(model(&registry, "anthropic", "claude-opus-4-8").name, "Claude Opus 4.8");
    assert_eq!(registry.all().len(), before);
}

#[test]
fn a_text_that_cannot_be_read_names_the_place_and_changes_nothing() {
    let registry = registry(&[]);
    let good =
        r#"{"providers": {"mine": {"baseUrl": "http://x", "api": "openai-completions", "models": [{"id": "m"}]}}}"#;
    assert_eq!(registry.load_models_json(good), Ok(()));
    let before = names(registry.all().iter());
    for (text, line, column, message) in [
        ("{\n  \"providers\": {\n    oops\n", 3, 5, "a key in double quotes is expected here"),
        ("{\"providers\": 7}", 1, 15, "providers: expected an object"),
        ("{}", 1, 2, "the key \"providers\" is missing"),
    ] {
        let problem = JsonProblem { line, column, message: message.to_owned() };
        assert_eq!(
            registry.load_models_json(text),
            Err(vec![ProviderError::Json { file: "models.json", problem }]),
            "{text}"
        );
    }
    assert_eq!(names(registry.all().iter()), before);
}

/// Each mistake costs the part that it is in, and its message has the path of the key and no value.
#[test]
fn a_value_of_the_wrong_type_is_left_out_alone() {
    let registry = registry(&[]);
    let entry = |rest: Value| {
        let mut entry = json!({"baseUrl": "http://x", "api": "openai-completions", "apiKey": "k"});
        entry.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        entry
    };
    let text = json!({"providers": {
        "a.b": entry(json!({"models": [
            {"id": "good"}, {"id": "text", "contextWindow": "s3cret"}, {"id": "odd", "input": ["text", "smell"]},
            {"id": "levels", "thinkingLevelMap": {"huge": "x"}}, {"id": 7}, 8,
            {"id": "tiers", "cost": {"tiers": [{"inputTokensAbove": 1.5}]}}, {"id": "negative", "maxTokens": -5},
            {"id": "vast", "contextWindow": 1e30}, {"id": "fine", "contextWindow": 1e6, "reasoning": null},
        ]})),
        "anthropic": {"modelOverrides": {"claude-opus-4-8": {"name": 5}, "claude-opus-4-7": {"name": "Mine"}}},
        "key": entry(json!({"apiKey": ["s3cret"]})),
        "list": [],
        "login": entry(json!({"oauthServer": {"clientId": "c", "tokenUrl": "nowhere"}})),
        "models": entry(json!({"models": {"id": "m"}})),
        "open": entry(json!({"oauthServer": {"clientId": "c", "tokenUrl": "https://x", "secret": "s3cret"}})),
    }});
    let errors = registry.load_models_json(&text.to_string()).expect_err("mistakes");
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let keys = "name, clientId, authorizationUrl, deviceAuthorizationUrl, tokenUrl, scopes, redirectUrl, parameters";
    let levels = "off, minimal, low, medium, high, xhigh, max";
    let models = r#"providers["a.b"].models"#;
    assert_eq!(
        errors,
        [
            format!("{models}[1].contextWindow: expected a whole number above 0, found a text; this model is left out"),
            format!("{models}[2].input[1]: expected one of text, image, found another text; this model is left out"),
            format!(
                "{models}[3].thinkingLevelMap.huge: expected a thinking level as the key, one of {levels}, found another one; \
                 this model is left out"
            ),
            format!("{models}[4].id: expected a text in double quotes, found a number; this model is left out"),
            format!("{models}[5]: expected an object, found a number; this model is left out"),
            format!(
                "{models}[6].cost.tiers[0].inputTokensAbove: expected a whole number such as 200000, found another number; \
                 this model is left out"
            ),
            format!("{models}[7].maxTokens: expected a whole number above 0, found another number; this model is left out"),
            format!(
                "{models}[8].contextWindow: expected a whole number above 0, found one that is too large; this model is left out"
            ),
            "providers.anthropic.modelOverrides.claude-opus-4-8.name: expected a text in double quotes, found a number; this \
             change is left out"
                .to_owned(),
            "providers.key.apiKey: expected a text in double quotes, found a list; this provider is left out".to_owned(),
            "providers.list: expected an object, found a list; this provider is left out".to_owned(),
            "providers.login.oauthServer.tokenUrl: expected an address, found another text; this provider is left out".to_owned(),
            "providers.models.models: expected a list of models, found an object; this provider is left out".to_owned(),
            format!(
                "providers.open.oauthServer.secret: expected one of the keys {keys}, found another one; this provider is left out"
            ),
        ]
    );
    assert_eq!(names(registry.of_provider("a.b").iter()), ["a.b/good", "a.b/fine"]);
    assert_eq!(model(&registry, "anthropic", "claude-opus-4-7").name, "Mine");
    assert_eq!(model(&registry, "anthropic", "claude-opus-4-8").name, "Claude Opus 4.8");
    // A user who asks for what was left out reads why.
    let said = |pattern: &str| registry.resolve_pattern(None, pattern).expect_err("left out").to_string();
    assert_eq!(
        said("a.b/text"),
        format!("Model \"a.b/text\" cannot be used: {}. Correct that in models.json.", errors[0])
    );
    assert!(said("key/m").contains("providers.key.apiKey"), "{}", said("key/m"));
    assert!(said("open").contains("providers.open.oauthServer.secret"), "{}", said("open"));
}

#[test]
fn a_key_that_is_there_twice_is_named_and_costs_nothing() {
    let registry = registry(&[]);
    let text = r#"{"providers": {"p": {"baseUrl": "http://a", "baseUrl": "http://b", "api": "openai-completions",
        "models": [{"id": "m"}]}}}"#;
    assert_eq!(registry.load_models_json(text), Ok(()));
    assert_eq!(model(&registry, "p", "m").base_url, "http://b");
    let notes = registry.notes();
    assert!(notes.len() == 1 && notes[0].ends_with("\"baseUrl\" is there twice; the last one applies"), "{notes:?}");
}

#[test]
fn a_provider_that_makes_no_sense_is_left_out_alone() {
    let registry = registry(&[]);
    let text = json!({"providers": {
        "empty": {},
        "nowhere": {"api": "openai-completions", "models": [{"id": "m"}]},
        "speechless": {"baseUrl": "http://x", "models": [{"id": "m"}]},
        "nameless": {"baseUrl": "http://x", "api": "openai-completions", "models": [{"name": "m"}]},
        "good": {"baseUrl": "http://x", "api": "openai-completions", "models": [{"id": "m"}]},
    }});
    let errors = registry.load_models_json(&text.to_string()).expect_err("four of them are wrong");
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "Provider empty: must specify \"baseUrl\", \"apiKey\", \"headers\", \"compat\", \"modelOverrides\", or \"models\".",
            "providers.nameless.models[0].id: expected the id of a model, found nothing; this model is left out",
            "Provider nowhere: \"baseUrl\" is required when defining custom models.",
            "Provider speechless, model m: no \"api\" specified. Set at provider or model level.",
        ]
    );
    assert!(registry.find("good", "m").is_some() && registry.find("anthropic", "claude-opus-4-8").is_some());
}

#[test]
fn compat_keys_that_nothing_reads_are_named_once() {
    let registry = registry(&[]);
    let text = json!({"providers": {
        "anthropic": {"modelOverrides": {"claude-opus-5": {"compat": {"forceAdaptivThinking": true}}}},
        "mine": {"baseUrl": "http://x", "api": "openai-completions", "compat": {"suportsStore": false, "supportsStore": true},
            "models": [{"id": "a", "compat": {"suportsStore": true, "zzz": 1}}, {"id": "b", "compat": {"vllmPriority": 1}}]},
        // Formats of extensions have keys of their own.
        "theirs": {"baseUrl": "http://x", "api": "smoke-signals", "models": [{"id": "a", "compat": {"blanket": "wet"}}]},
    }});
    assert_eq!(registry.load_models_json(&text.to_string()), Ok(()));
    assert_eq!(
        registry.notes(),
        [
            "Provider anthropic: unknown compat keys have no effect: forceAdaptivThinking",
            "Provider mine: unknown compat keys have no effect: suportsStore, zzz",
        ]
    );
    assert_eq!(registry.load_models_json("{\"providers\": {}}"), Ok(()));
    assert_eq!(registry.notes(), Vec::<String>::new());
}

/// Whoever set up Azure before the provider was renamed finds it under both names.
#[test]
fn a_renamed_provider_is_found_by_both_names() {
    let key = |name: &str| json!({name: {"type": "api_key", "key": "stored"}}).to_string();
    let config = |name: &str| {
        let azure = json!({"baseUrl": "http://x/v1", "api": "openai-completions", "models": [{"id": "gpt-6-sol"}]});
        json!({"providers": {name: azure}}).to_string()
    };
    let (former, present) = ("azure-openai-responses", "azure");
    for (written, stored) in [(former, former), (former, present), (present, former), (present, present)] {
        let registry = registry(&[]);
        assert_eq!(registry.load_models_json(&config(written)), Ok(()));
        assert_eq!(registry.load_auth_json(&key(stored)), Ok(()));
        for asked in [former, present] {
            let model = model(&registry, asked, "gpt-6-sol");
            assert_eq!(model.provider, present);
            assert!(registry.has_auth(asked));
            let auth = registry.auth(&model).expect("a key");
            assert_eq!(auth.api_key.as_ref().map(|key| key.expose()), Some("stored"));
            for (provider, pattern) in [(Some(asked), "gpt-6-sol"), (None, &*format!("{asked}/gpt-6-sol"))] {
                let found = registry.resolve_pattern(provider, pattern).expect("the model");
                assert_eq!((&*found.model.provider, &*found.model.id), (present, "gpt-6-sol"));
            }
        }
    }
    let both = json!({former: {"type": "api_key", "key": "old"}, present: {"type": "api_key", "key": "new"}});
    let registry = registry(&[("AZURE_OPENAI_API_KEY", "env")]);
    assert_eq!(
        registry.provider_auth(former).expect("a key").api_key.map(|key| key.expose().to_owned()),
        Some("env".to_owned())
    );
    assert_eq!(registry.load_auth_json(&both.to_string()), Ok(()));
    assert_eq!(
        registry.provider_auth(former).expect("a key").api_key.map(|key| key.expose().to_owned()),
        Some("new".to_owned())
    );
    registry.set_stored(former, None);
    assert!(registry.provider_auth(present).is_ok_and(|auth| auth.api_key.is_some_and(|key| key.expose() == "env")));
}
