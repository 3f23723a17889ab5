//! Single settings.

use std::path::Path;
use std::time::Duration;
use tau_hooks::QueueMode;

use serde_json::json;

use super::*;
use crate::settings::access::{ImageSettings, ResourceEntry};
use crate::settings::tau::TauSettings;

/// The entries of both files, the project's before the user's.
fn resource_entries(settings: &Settings, kind: ResourceKind) -> Vec<ResourceEntry> {
    [Layer::Project, Layer::Global].into_iter().flat_map(|layer| settings.resource_entries_of(layer, kind)).collect()
}

#[test]
fn defaults() {
    let settings = in_memory(json!({}), json!({}));
    let tau = settings.tau();
    assert_eq!(
        tau,
        TauSettings {
            tool_execution: ToolExecution::Unset,
            required: vec![],
            ask_on_change: false,
            trace: TraceTarget::Off,
            limits: Limits {
                soft: Duration::from_secs(5),
                observe: Duration::from_secs(30),
                handler: None,
                stretch: Duration::from_secs(5),
                memory: 1 << 30,
                isolated_memory: 256 << 20,
                load: Duration::from_secs(30),
                shutdown: Duration::from_secs(5),
            },
            isolate: vec![],
            shell_hooks: ShellHookSettings {
                allow_on_failure: false,
                strict: false,
                allow_input_rewrite: false,
                timeout: Some(Duration::from_secs(60)),
                claude_settings: false,
                providers: vec![],
            },
        }
    );
    assert_eq!(Limits::DEFAULT_HANDLER, Duration::from_millis(600_000));
    assert_eq!((settings.steering_mode(), settings.follow_up_mode()), (QueueMode::OneAtATime, QueueMode::OneAtATime));
    assert_eq!(settings.images(), ImageSettings { auto_resize: true, block_images: false });
    assert_eq!(
        settings.retry(),
        RetrySettings {
            enabled: true,
            max_retries: 3,
            base_delay: Duration::from_secs(2),
            max_delay: Duration::from_secs(60),
            max_wanted: Some(Duration::from_secs(60)),
        }
    );
    assert_eq!(
        settings.compaction(Some("openai/gpt")),
        CompactionSettings { enabled: true, reserve_tokens: 16_384, keep_recent_tokens: 20_000 }
    );
    assert!(settings.enable_skill_commands());
    assert_eq!((settings.shell_path(), settings.default_model(), settings.default_tools()), (None, None, None));
}

#[test]
fn values_are_read_with_their_types() {
    let settings = in_memory(
        json!({
            "tau": {
                "toolExecution": "parallel",
                "trace": {"jsonl": "traces/now.jsonl"},
                "isolate": true,
                "shellHooks": {
                    "onFailure": "allow", "strict": true, "allowInputRewrite": true, "timeoutMs": 0,
                    "claudeSettings": true, "providers": ["cursor"]
                },
                "limits": {"handlerMs": 9}
            },
            "shellPath": "~/bin/zsh",
            "compaction": {"reserveTokens": 5, "modelOverrides": {"openai/gpt-5.1": {"keepRecentTokens": 6}}},
            "appendSystemPrompt": ["one", "two.md"],
            "skills": ["~/skills"],
            "defaultThinkingLevel": "high"
        }),
        json!({"skills": ["local", "!old*"], "appendSystemPrompt": "three"}),
    );
    let tau = settings.tau();
    assert_eq!(tau.trace, TraceTarget::File("/home/ada/.pi/agent/traces/now.jsonl".into()));
    assert_eq!((tau.tool_execution, tau.isolate), (ToolExecution::Parallel, vec!["*".to_owned()]));
    assert_eq!(tau.limits.handler, Some(Duration::from_millis(9)));
    assert_eq!(
        tau.shell_hooks,
        ShellHookSettings {
            allow_on_failure: true,
            strict: true,
            allow_input_rewrite: true,
            timeout: None,
            claude_settings: true,
            providers: vec!["cursor".to_owned()],
        }
    );
    assert_eq!(settings.shell_path().as_deref(), Some(Path::new("/home/ada/bin/zsh")));
    assert_eq!(settings.default_thinking_level(), Some("high"));
    assert_eq!(
        settings.compaction(Some("openai/gpt-5.1")),
        CompactionSettings { enabled: true, reserve_tokens: 5, keep_recent_tokens: 6 }
    );
    let entry = |layer, base: &str, entry: &str| ResourceEntry { layer, base: base.into(), entry: entry.into() };
    assert_eq!(
        resource_entries(&settings, ResourceKind::Skills),
        [
            entry(Layer::Project, "/project/.pi", "local"),
            entry(Layer::Project, "/project/.pi", "!old*"),
            entry(Layer::Global, "/home/ada/.pi/agent", "~/skills"),
        ]
    );
    assert_eq!(settings.append_system_prompt(), [entry(Layer::Project, "/project/.pi", "three")]);
    let bare = in_memory(json!({"shellPath": "zsh"}), json!({}));
    assert_eq!(bare.shell_path().as_deref(), Some(Path::new("zsh")));
}

#[test]
fn wrong_types_are_reported_and_the_default_is_used() {
    let settings = in_memory(
        json!({"retry": {"maxRetries": "three"}, "steeringMode": "some", "theme": null}),
        json!({"skills": "one", "tau": {"limits": 5}}),
    );
    let messages: Vec<_> = settings.wrong_types().iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "/home/ada/.pi/agent/settings.json: steeringMode must be one of all, one-at-a-time; the default is used",
            "/project/.pi/settings.json: skills must be a list of texts; the default is used",
            "/home/ada/.pi/agent/settings.json: retry.maxRetries must be a whole number, zero or more; \
             the default is used",
        ]
    );
    assert_eq!((settings.retry().max_retries, settings.steering_mode()), (3, QueueMode::OneAtATime));
    assert_eq!(resource_entries(&settings, ResourceKind::Skills), []);
}

#[test]
fn a_number_beyond_its_range_is_reported_and_the_nearest_is_used() {
    let settings = in_memory(
        json!({"editorPaddingX": 10, "autocompleteMaxVisible": 1, "fullscreenWheelScrollLines": 0, "outputPad": 1,
            "terminal": {"imageWidthCells": 120}}),
        json!({"outputPad": 7}),
    );
    let messages: Vec<_> = settings.wrong_types().iter().map(ToString::to_string).collect();
    let user = |text: &str| format!("/home/ada/.pi/agent/settings.json: {text}");
    assert_eq!(
        messages,
        [
            user("editorPaddingX must be a whole number from 0 to 3, and 10 is not; 3 is used"),
            "/project/.pi/settings.json: outputPad must be a whole number from 0 to 1; the user's value is used"
                .to_owned(),
            user("autocompleteMaxVisible must be a whole number from 3 to 20, and 1 is not; 3 is used"),
            user("fullscreenWheelScrollLines must be a whole number from 1 to 100, or auto, and 0 is not; 1 is used"),
        ]
    );
    let used = (
        settings.of(keys::EDITOR_PADDING_X),
        settings.of(keys::AUTOCOMPLETE_MAX_VISIBLE),
        settings.of(keys::OUTPUT_PAD),
    );
    assert_eq!((used, settings.of(keys::IMAGE_WIDTH_CELLS)), ((3, 3, 1), 120));
    assert_eq!(settings.of(keys::FULLSCREEN_WHEEL_SCROLL_LINES), Some(CountOrWord::Count(1)));
    let auto = in_memory(json!({"fullscreenWheelScrollLines": "auto"}), json!({}));
    assert_eq!(auto.of(keys::FULLSCREEN_WHEEL_SCROLL_LINES), Some(CountOrWord::Word("auto")));
    let project = in_memory(json!({}), json!({"outputPad": 7}));
    let told = project.wrong_types().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        told,
        ["/project/.pi/settings.json: outputPad must be a whole number from 0 to 1, and 7 is not; 1 is used"]
    );
}

#[test]
fn a_wrong_value_of_the_project_does_not_shadow_that_of_the_user() {
    let settings = in_memory(
        json!({"retry": {"maxRetries": 5}, "steeringMode": "all", "enabledModels": ["a"], "skills": ["s"],
            "images": {"blockImages": true}, "appendSystemPrompt": "user"}),
        json!({"retry": "x", "steeringMode": 5, "enabledModels": [5, "b"], "skills": [5, "t"],
            "images": {"blockImages": "no"}, "appendSystemPrompt": {}}),
    );
    assert_eq!((settings.retry().max_retries, settings.steering_mode()), (5, QueueMode::All));
    assert_eq!(settings.enabled_models(), Some(vec!["a".to_owned()]));
    let entries = resource_entries(&settings, ResourceKind::Skills);
    assert_eq!(entries.into_iter().map(|entry| entry.entry).collect::<Vec<_>>(), ["t", "s"]);
    assert!(settings.images().block_images);
    assert_eq!(settings.append_system_prompt()[0].layer, Layer::Global);
    let messages: Vec<_> = settings.wrong_types().iter().map(ToString::to_string).collect();
    let expected = [
        "retry must be an object; the user's value is used",
        "enabledModels must be a list of texts; the user's value is used",
        "steeringMode must be one of all, one-at-a-time; the user's value is used",
        "appendSystemPrompt must be a text or a list of texts; the user's value is used",
        "skills must be a list of texts; its entries that are texts are used",
    ];
    let file = settings.paths().file(Layer::Project);
    assert_eq!(messages, expected.map(|problem| format!("{}: {problem}", file.display())));
    let says = settings.explain(KeyPath::dotted("steeringMode")).layers.into_iter().map(|one| one.says.to_string());
    assert_eq!(says.collect::<Vec<_>>(), ["5 (ignored: it is no value that this key takes)", "\"all\""]);
}

#[test]
fn a_limit_can_be_switched_off() {
    let limit = |value: Value| in_memory(json!({"httpIdleTimeoutMs": value}), json!({})).http().silence;
    assert_eq!(limit(json!(5)), Some(Duration::from_millis(5)));
    assert_eq!((limit(json!(0)), limit(json!("disabled"))), (None, None));
    let standard = tau_ai::HttpSettings::default().silence;
    assert_eq!((limit(json!("never")), limit(json!(null))), (standard, standard));
    // A project may not redirect requests that carry credentials.
    let both = in_memory(json!({"httpProxy": " http://a "}), json!({"httpProxy": "http://b"}));
    assert_eq!(both.http().proxy.as_deref(), Some("http://a"));
}

#[test]
fn a_pattern_may_begin_at_home() {
    let settings = in_memory(
        json!({"skills": ["~/skills", "!~/skills/old/**", "+~/skills/old/keep", "-~/x", "!plain~/y"],
            "extensions": ["one.ts", "-builtin:mcp", "builtin:codemode", "+builtin:zzz"]}),
        json!({}),
    );
    let entries = |kind| resource_entries(&settings, kind).into_iter().map(|entry| entry.entry).collect::<Vec<_>>();
    assert_eq!(
        entries(ResourceKind::Skills),
        ["~/skills", "!/home/ada/skills/old/**", "+/home/ada/skills/old/keep", "-/home/ada/x", "!plain~/y"]
    );
    // Extensions of the program are no files.
    assert_eq!(entries(ResourceKind::Extensions), ["one.ts"]);
    assert_eq!(settings.builtin_extensions_of(Layer::Global), ["builtin:mcp", "builtin:codemode", "builtin:zzz"]);
}

#[test]
fn a_renamed_provider_keeps_what_was_set_for_its_models() {
    let former = json!({"modelThinkingLevels": {"azure-openai-responses/gpt": "low"},
        "compaction": {"modelOverrides": {"azure-openai-responses/gpt": {"reserveTokens": 7}}}});
    let settings = in_memory(former, json!({}));
    assert_eq!(settings.model_thinking_level("azure/gpt"), Some("low"));
    assert_eq!(settings.compaction(Some("azure/gpt")).reserve_tokens, 7);
    assert_eq!(settings.model_thinking_level("other/gpt"), None);
}

/// Every key of pi's published schema is in the table, and the schema of tau is made of the table.
#[test]
fn every_key_is_in_the_schema() {
    let schema = schema();
    for known in SETTINGS {
        let mut at = &schema;
        for name in known.key.split('.') {
            at = &at["properties"][name];
        }
        assert!(at.is_object(), "{}", known.key);
    }
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for right in [
        json!({"$schema": "x", "quietStartup": "header", "httpIdleTimeoutMs": "disabled", "tuiMode": "regular"}),
        json!({"todo": {"reminders": {"max": 1}}, "theme": "system", "defaultTools": ["+grep"], "unknown": [1]}),
        json!({"todo": {"reminders": true}, "retry": {"provider": {"maxRetryDelayMs": 5}}}),
    ] {
        assert!(validator.is_valid(&right), "{right}");
    }
    for wrong in [
        json!({"quietStartup": "all"}),
        json!({"retry": {"maxRetries": -1}}),
        json!({"steeringMode": "some"}),
        json!({"tau": {"limits": 5}}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}
