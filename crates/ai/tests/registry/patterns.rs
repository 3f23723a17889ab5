//! Choosing a model by pattern.

use super::support::{names, registry};
use serde_json::json;
use tau_ai::{ModelRegistry, ThinkingLevel};

/// Keys of two providers.
const KEYS: &[(&str, &str)] = &[("ANTHROPIC_API_KEY", "a"), ("OPENAI_API_KEY", "b")];

/// What a pattern means: `provider/id`, then the thinking level if any.
fn chosen(registry: &ModelRegistry, provider: Option<&str>, pattern: &str) -> Result<String, String> {
    let found = registry.resolve_pattern(provider, pattern).map_err(|error| error.to_string())?;
    let level = found.thinking.map(|level| format!(" {level}")).unwrap_or_default();
    let warning = found.warning.map(|warning| format!(" ! {warning}")).unwrap_or_default();
    Ok(format!("{}/{}{level}{warning}", found.model.provider, found.model.id))
}

#[test]
fn patterns_choose_the_model_that_is_meant() {
    let registry = registry(KEYS);
    for (pattern, expected) in [
        ("anthropic/claude-opus-4-8", "anthropic/claude-opus-4-8"),
        ("Anthropic/Claude-Opus-4-8:high", "anthropic/claude-opus-4-8 high"),
        ("claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5-20251001"),
        ("gpt-5", "openai/gpt-5"),
        ("gpt-5:off", "openai/gpt-5 off"),
        ("haiku", "anthropic/claude-haiku-5-5"),
        ("sonnet", "anthropic/claude-sonnet-5-5"),
        ("opus:max", "anthropic/claude-opus-5-5 max"),
        ("Opus 4.7", "anthropic/claude-opus-4-7"),
        ("opus4.6", "anthropic/claude-opus-4-6"),
        ("anthropic/haiku", "anthropic/claude-haiku-5-5"),
        ("openai/5.4-m", "openai/gpt-5.4-mini"),
        (" gpt-4.1 ", "openai/gpt-4.1"),
    ] {
        assert_eq!(chosen(&registry, None, pattern), Ok(expected.to_owned()), "{pattern}");
    }
    for (pattern, expected) in
        [("gpt-5", "openai/gpt-5"), ("openai/gpt-5:low", "openai/gpt-5 low"), ("mini", "openai/o4-mini")]
    {
        assert_eq!(chosen(&registry, Some("OpenAI"), pattern), Ok(expected.to_owned()), "{pattern}");
    }
}

#[test]
fn what_matches_nothing_names_the_nearest() {
    let registry = registry(KEYS);
    let hint = "Use --list-models to see available models.";
    assert_eq!(
        chosen(&registry, None, "claude-opsu-4-8"),
        Err(format!("Model \"claude-opsu-4-8\" not found. Did you mean anthropic/claude-opus-4-8? {hint}"))
    );
    assert_eq!(chosen(&registry, None, "zzz"), Err(format!("Model \"zzz\" not found. {hint}")));
    assert_eq!(
        chosen(&registry, None, "gpt-5:hihg"),
        Err(format!(
            "Model \"gpt-5:hihg\" not found: \"hihg\" is not a thinking level (off, minimal, low, medium, high, xhigh, max), \
             and no id of this name ends in \":hihg\". Did you mean openai/gpt-5:high? {hint}"
        ))
    );
    assert_eq!(
        chosen(&registry, Some("antropic"), "opus"),
        Err("Unknown provider \"antropic\". Did you mean anthropic? Use --list-models to see available providers and \
             models."
            .to_owned())
    );
    assert!(chosen(&registry, None, "").is_err());
}

/// Other providers have models whose ids hold the name of this one.
#[test]
fn the_name_of_a_provider_means_its_default_model() {
    let default = registry(&[]).default_model("anthropic").expect("a model").id.clone();
    for keys in [KEYS, &[("OPENROUTER_API_KEY", "c")][..], &[]] {
        let registry = registry(keys);
        for pattern in ["anthropic", "Anthropic", "anthropic/", "anthropic/*"] {
            assert_eq!(chosen(&registry, None, pattern), Ok(format!("anthropic/{default}")), "{pattern} with {keys:?}");
        }
        assert_eq!(chosen(&registry, None, "anthropic:high"), Ok(format!("anthropic/{default} high")));
        for pattern in ["*", "anthropic", "anthropic/*"] {
            assert_eq!(chosen(&registry, Some("anthropic"), pattern), Ok(format!("anthropic/{default}")), "{pattern}");
        }
    }
    // A model that is called so and can be asked is meant before a provider that cannot.
    let text = json!({"providers": {
        "here": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "k", "models": [{"id": "mistral"}]},
        "bare": {"baseUrl": "http://x"},
    }});
    let registry = registry(&[]);
    registry.load_models_json(&text.to_string()).expect("valid");
    assert_eq!(chosen(&registry, None, "mistral"), Ok("here/mistral".to_owned()));
    let none = "Provider \"bare\" has no model to chat with. Add one to its \"models\" in models.json.";
    assert_eq!(chosen(&registry, None, "bare"), Err(none.to_owned()));
}

#[test]
fn what_follows_a_colon_and_means_nothing_is_named() {
    let registry = registry(&[("ANTHROPIC_API_KEY", "a"), ("OPENROUTER_API_KEY", "c")]);
    let said = chosen(&registry, None, "sonnet:batch").expect_err("no such model");
    assert!(said.starts_with("Model \"sonnet:batch\" not found: \"batch\" is not a thinking level (off, "), "{said}");
    assert!(said.contains("Did you mean openrouter/") && said.contains(":batch?"), "{said}");
    let passed = chosen(&registry, None, "anthropic/claude-sonnet-5-5:nitro").expect("passed on");
    assert!(passed.contains("\":nitro\" is part of the id, because it is no thinking level."), "{passed}");
}

#[test]
fn a_model_that_does_not_chat_is_called_what_it_is() {
    let registry = registry(KEYS);
    let text = json!({"providers": {"cl": {
        "baseUrl": "http://x", "api": "typesafe-system-one", "apiKey": "k",
        "models": [{"id": "judge", "type": "classifier"}, {"id": "judge-chat", "api": "openai-completions"}],
    }}});
    registry.load_models_json(&text.to_string()).expect("valid");
    let said = "Model \"cl/judge\" is a classifier model and cannot chat. Use --list-models to see models that can.";
    for (provider, pattern) in [(None, "cl/judge"), (None, "cl/judge:high"), (Some("cl"), "judge")] {
        assert_eq!(chosen(&registry, provider, pattern), Err(said.to_owned()), "{pattern}");
    }
    assert_eq!(chosen(&registry, None, "cl/judge-chat"), Ok("cl/judge-chat".to_owned()));
}

#[test]
fn a_new_model_of_a_known_provider_is_passed_on() {
    let registry = registry(&[]);
    let found = registry.resolve_pattern(None, "anthropic/claude-opsu-4-8:high").expect("passed on");
    assert_eq!(
        (&*found.model.id, &*found.model.api, found.model.reasoning, found.thinking),
        ("claude-opsu-4-8", "anthropic-messages", true, Some(ThinkingLevel::High))
    );
    assert_eq!(
        found.warning.as_deref(),
        Some(
            "Model \"claude-opsu-4-8\" is not known at provider \"anthropic\"; using it as it is. Did you mean \
             claude-opus-4-8?"
        )
    );
}

#[test]
fn ids_may_hold_slashes_and_colons_and_exist_twice() {
    let registry = registry(&[]);
    let text = json!({"providers": {
        "router": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "$ROUTER_UNSET",
            "models": [{"id": "openai/gpt-oss"}, {"id": "qwen:free"}, {"id": "gpt-5"}, {"id": "sonnet-clone"}]},
        "other": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "set",
            "models": [{"id": "qwen:free"}, {"id": "gpt-5-local"}]},
    }});
    registry.load_models_json(&text.to_string()).expect("valid");
    assert_eq!(chosen(&registry, None, "openai/gpt-oss"), Ok("router/openai/gpt-oss".to_owned()));
    assert_eq!(chosen(&registry, None, "qwen:free"), Ok("other/qwen:free".to_owned()), "the one with a credential");
    assert_eq!(chosen(&registry, None, "router/qwen:free:low"), Ok("router/qwen:free low".to_owned()));
    assert_eq!(
        chosen(&registry, None, "gpt-5"),
        Err("Model \"gpt-5\" is ambiguous across providers: azure/gpt-5, cloudflare-ai-gateway/gpt-5, openai/gpt-5, \
             opencode/gpt-5, router/gpt-5. Use --provider or provider/model."
            .to_owned())
    );
    assert_eq!(chosen(&registry, None, "5-l"), Ok("other/gpt-5-local".to_owned()));
}

#[test]
fn lists_take_globs_and_keep_going() {
    let registry = registry(KEYS);
    let (found, warnings) = registry.resolve_list(&[
        "*haiku*:low",
        "openai/gpt-4*",
        "OPENAI/gpt-4.1",
        "sonnet",
        "sonnet:extreme",
        "nothing-*",
        "nothing",
        "[",
    ]);
    assert_eq!(
        names(found.iter().map(|entry| &entry.model)),
        [
            "anthropic/claude-haiku-4-5",
            "anthropic/claude-haiku-4-5-20251001",
            "anthropic/claude-haiku-5-5",
            "openai/gpt-4",
            "openai/gpt-4-turbo",
            "openai/gpt-4.1",
            "openai/gpt-4.1-mini",
            "openai/gpt-4.1-nano",
            "openai/gpt-4o",
            "openai/gpt-4o-2024-05-13",
            "openai/gpt-4o-2024-08-06",
            "openai/gpt-4o-2024-11-20",
            "openai/gpt-4o-mini",
            "anthropic/claude-sonnet-5-5",
        ]
    );
    assert_eq!(found[0].thinking, Some(ThinkingLevel::Low));
    assert_eq!(
        warnings,
        [
            "Invalid thinking level \"extreme\" in pattern \"sonnet:extreme\"; using the default",
            "No models match pattern \"nothing-*\"",
            "No models match pattern \"nothing\"",
            "\"[\" is not a valid pattern",
        ]
    );
}

/// A list means every provider that offers an id, and says so; a blank pattern means nothing.
#[test]
fn lists_take_an_id_at_every_provider_that_offers_it() {
    let registry = registry(&[]);
    let text = json!({"providers": {
        "one/eu": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "set",
            "models": [{"id": "shared"}, {"id": "big[1m]"}]},
        "two": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "set", "models": [{"id": "shared"}]},
        "three": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "$THREE_UNSET",
            "models": [{"id": "shared"}]},
    }});
    registry.load_models_json(&text.to_string()).expect("valid");
    let listed = |patterns: &[&str]| {
        let (found, warnings) = registry.resolve_list(patterns);
        let levels: Vec<_> = found.iter().map(|entry| entry.thinking).collect();
        (names(found.iter().map(|entry| &entry.model)), levels, warnings)
    };
    let warning = |pattern: &str| {
        format!("Pattern \"{pattern}\" matches several providers: one/eu, two. Use provider/id to choose one.")
    };
    let both = vec!["one/eu/shared".to_owned(), "two/shared".to_owned()];
    assert_eq!(listed(&["shared", "", " "]), (both.clone(), vec![None; 2], vec![warning("shared")]));
    let low = Some(ThinkingLevel::Low);
    assert_eq!(listed(&["shared:low"]), (both, vec![low; 2], vec![warning("shared:low")]));
    let (found, _, warnings) = listed(&["one/eu/shared", "three/shared", "one/eu/big[1m]", "big[1m]:low"]);
    assert_eq!(found, ["one/eu/shared", "one/eu/big[1m]"]);
    assert_eq!(
        warnings,
        [
            "No models match pattern \"three/shared\": three cannot be used: the environment variable THREE_UNSET that the \
          key refers to is not set"
        ]
    );
    assert_eq!(chosen(&registry, None, "one/eu/shared:high"), Ok("one/eu/shared high".to_owned()));
    let ambiguous = "Model \"shared\" is ambiguous across providers: one/eu/shared, three/shared, two/shared. \
                     Use --provider or provider/model.";
    assert_eq!(chosen(&registry, None, "shared:high"), Err(ambiguous.to_owned()));
}

/// Answers of the reference with its own lists, which are the same: first without a credential, then with keys of Anthropic
/// and OpenAI, then with a key of OpenRouter.
#[test]
fn typical_patterns_mean_what_they_mean_to_the_reference() {
    let ambiguous = "ambiguous";
    let check = |env: &[(&str, &str)], rows: &[(&str, &str)]| {
        let registry = registry(env);
        for (pattern, expected) in rows {
            let found = chosen(&registry, None, pattern).map_err(|error| match error {
                error if error.contains(" is ambiguous ") => ambiguous.to_owned(),
                error => error,
            });
            let found = found.unwrap_or_else(|error| error);
            assert_eq!(found, *expected, "{pattern} with {env:?}");
        }
    };
    let anywhere = [
        ("openai/gpt-5.4", "openai/gpt-5.4"),
        ("anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5"),
        ("Anthropic/Claude-Opus-4-8:high", "anthropic/claude-opus-4-8 high"),
        ("moonshotai/kimi-k2.7-code", "moonshotai/kimi-k2.7-code"),
        ("openrouter/moonshotai/kimi-k2.7-code", "openrouter/moonshotai/kimi-k2.7-code"),
        ("kimi-k2.7-code", ambiguous),
        ("deepseek-v4-pro", ambiguous),
        ("glm-5.3", ambiguous),
        ("zai/glm-5.3", "zai/glm-5.3"),
        ("openai/gpt-oss-120b", ambiguous),
        ("gpt-oss-120b", "cerebras/gpt-oss-120b"),
        ("groq/openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"),
        ("gemini-4-argon", ambiguous),
        ("google/gemini-4-argon", "google/gemini-4-argon"),
        ("grok-4.7", ambiguous),
        ("openrouter/auto", "openrouter/auto"),
        ("qwen3.8-max", ambiguous),
        ("minimax-m3", ambiguous),
        ("anthropic/haiku", "anthropic/claude-haiku-5-5"),
        ("openai/mini", "openai/o4-mini"),
        ("claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5-20251001"),
        ("us.anthropic.claude-opus-5-5", "amazon-bedrock/us.anthropic.claude-opus-5-5"),
        ("anthropic/claude-sonnet-5.5", ambiguous),
        ("openai-codex/gpt-6.1-sol", "openai-codex/gpt-6.1-sol"),
        ("azure/gpt-6.1-sol:high", "azure/gpt-6.1-sol high"),
    ];
    check(&[], &anywhere);
    check(KEYS, &anywhere);
    check(
        &[],
        &[
            // The reference takes the model that sorts last, from any provider.
            ("sonnet", "anthropic/claude-sonnet-5-5"),
            ("opus:max", "anthropic/claude-opus-5-5 max"),
            ("Opus 5.5", "anthropic/claude-opus-5-5"),
            ("mini", "openai/o4-mini"),
            ("gpt-5", ambiguous),
            ("claude-opus-5-5:xhigh", ambiguous),
        ],
    );
    check(
        KEYS,
        &[
            ("sonnet", "anthropic/claude-sonnet-5-5"),
            ("opus:max", "anthropic/claude-opus-5-5 max"),
            ("Opus 5.5", "anthropic/claude-opus-5-5"),
            ("mini", "openai/o4-mini"),
            ("codex", "openai/gpt-5.3-codex-spark"),
            ("gpt-5:high", "openai/gpt-5 high"),
            ("gpt-6.1-sol", "openai/gpt-6.1-sol"),
            ("claude-opus-5-5:xhigh", "anthropic/claude-opus-5-5 xhigh"),
        ],
    );
    check(
        &[("OPENROUTER_API_KEY", "c")],
        &[
            ("openai/gpt-5:low", "openrouter/openai/gpt-5 low"),
            ("moonshotai/kimi-k2.7-code", "openrouter/moonshotai/kimi-k2.7-code"),
            ("google/gemini-4-argon", "openrouter/google/gemini-4-argon"),
            ("openai/gpt-oss-120b", "openrouter/openai/gpt-oss-120b"),
            ("anthropic/claude-sonnet-5.5", "openrouter/anthropic/claude-sonnet-5.5"),
            ("codex", "openrouter/openai/gpt-5.3-codex"),
            ("gpt-5", ambiguous),
            // The reference takes the variants `:batch`, which answer within a day.
            ("sonnet", "openrouter/anthropic/claude-sonnet-5.5"),
            ("opus:max", "openrouter/anthropic/claude-opus-5.5 max"),
            ("sonnet-5.5:batch", "openrouter/anthropic/claude-sonnet-5.5:batch"),
        ],
    );
}

/// A list chooses among what can be asked.
#[test]
fn lists_leave_out_what_has_no_credential() {
    let registry = registry(&[("OPENROUTER_API_KEY", "c")]);
    let (found, warnings) = registry.resolve_list(&["anthropic/*", "anthropic/claude-haiku-4-5-20251001:max"]);
    assert_eq!(found.len(), 32);
    assert!(found.iter().all(|entry| entry.model.provider == "openrouter"));
    assert_eq!(
        warnings,
        ["No models match pattern \"anthropic/claude-haiku-4-5-20251001:max\": anthropic cannot be used: no API key; \
          set ANTHROPIC_API_KEY"]
    );
}
