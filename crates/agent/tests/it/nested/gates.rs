//! Every gate sees nested calls, whatever its dialect, and every filter sees their results.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use tau_hooks::dialect::{DIALECTS, Dialect, SHELL};
use tau_hooks::events::{ToolCall, ToolResult};
use tau_hooks::payload::{ToolCallResult, ToolResultResult};
use tau_tools::NestedOutcome;

use super::{calling, world};
use crate::common::scripts::FakeScripts;
use crate::common::{Log, Running, World};

/// A world with the built-in `bash`, and an `outer` that runs a command with it.
fn with_bash(command: &str) -> (World, Log<NestedOutcome>) {
    let settings = json!({"tau": {"shellHooks": {"claudeSettings": true}}});
    let world = world().with_builtin_tools().settings(settings);
    let outcomes = Log::default();
    let args = json!({ "command": command });
    world.extend("outer", |registrar| calling(registrar, vec![("bash", args.clone())], &outcomes));
    (world, outcomes)
}

async fn only(world: &World, outcomes: &Log<NestedOutcome>) -> (String, Running) {
    let running = world.start().await;
    running.say("Hi").await;
    let outcomes = outcomes.all();
    assert_eq!(outcomes.len(), 1);
    assert_eq!(outcomes[0].output.is_error, outcomes[0].duration.is_none());
    (outcomes[0].output.texts(), running)
}

/// A gate of this dialect that lets everything pass but `bash`.
async fn guarded_by(dialect: &'static Dialect) {
    let (world, outcomes) = with_bash("echo > ran");
    world.extend_as(dialect, "gate", |registrar| {
        registrar.on::<ToolCall>(|call, _| async move {
            (call.tool_name == "bash").then(|| ToolCallResult::block("no commands"))
        });
    });
    let (text, running) = only(&world, &outcomes).await;
    assert_eq!(text, "no commands", "{}", dialect.id);
    assert!(!world.home.cwd().join("ran").exists(), "{}", dialect.id);
    // The caller passed the same gate, and says what it likes.
    let result = running.file_messages().into_iter().find(|(role, _)| role == "toolResult");
    assert_eq!(result.map(|(_, text)| text).as_deref(), Some("all called"));
}

#[tokio::test]
async fn gates_of_every_dialect_see_nested_calls() {
    for dialect in DIALECTS {
        guarded_by(dialect).await;
    }
}

#[tokio::test]
async fn a_script_before_bash_keeps_a_nested_bash_from_running() {
    for (file, text) in [
        (".claude/hooks/pre/bash.sh", "#!/bin/sh\ncat > seen.json\necho 'no commands' >&2\nexit 2\n"),
        (
            ".claude/settings.json",
            r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
            "command": "cat > seen.json; echo 'no commands' >&2; exit 2"}]}]}}"#,
        ),
    ] {
        let (world, outcomes) = with_bash("echo > ran");
        let path = world.home.write(file, text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
        world.load_scripts(&FakeScripts::new(false)).await;
        let (text, _) = only(&world, &outcomes).await;
        assert_eq!(text, "no commands", "{file}");
        assert!(!world.home.cwd().join("ran").exists(), "{file}");
        let seen = std::fs::read_to_string(world.home.cwd().join("seen.json")).expect("the script was told");
        let seen: Value = serde_json::from_str(&seen).expect("JSON");
        assert_eq!((&seen["tool_use_id"], &seen["parent_tool_use_id"]), (&json!("c1/1"), &json!("c1")), "{file}");
    }
}

#[tokio::test]
async fn a_gate_that_fails_shuts_for_a_nested_call_too() {
    let (world, outcomes) = with_bash("echo > ran");
    world.extend("gate", |registrar| {
        registrar.on_json("tool_call", |event, _| async move {
            assert!(event["toolName"] != "bash", "I cannot decide");
            Ok(None)
        });
    });
    let (text, _) = only(&world, &outcomes).await;
    assert_eq!(text, "Blocked: extension <native:gate> panicked: I cannot decide");
    assert!(!world.home.cwd().join("ran").exists());
}

#[tokio::test]
async fn a_gate_can_change_the_arguments() {
    let (world, outcomes) = with_bash("echo wrong");
    world.extend("gate", |registrar| {
        registrar.on::<ToolCall>(|call, _| async move {
            (call.parent_tool_call_id.as_deref() == Some("c1"))
                .then(|| ToolCallResult::with_input(json!({"command": "echo right"})))
        });
    });
    assert_eq!(only(&world, &outcomes).await.0, "right\n");
}

#[tokio::test]
async fn what_a_filter_of_any_dialect_takes_out_does_not_reach_the_caller() {
    for dialect in DIALECTS {
        let (world, outcomes) = with_bash("echo my secret");
        world.extend_as(dialect, "filter", |registrar| {
            registrar.on::<ToolResult>(|result, _| async move {
                let content = Some(vec![tau_ai::ContentBlock::text("[hidden]")]);
                (result.tool_name == "bash").then(|| ToolResultResult { content, ..ToolResultResult::default() })
            });
        });
        let heard = world.watch();
        let (text, running) = only(&world, &outcomes).await;
        assert_eq!(text, "[hidden]", "{}", dialect.id);
        assert!(!format!("{outcomes:?}").contains("my secret\\n"), "{}: {outcomes:?}", dialect.id);
        // The events of the end carry the filtered text too.
        for events in [heard.all(), running.events.all()] {
            let mut ends = events.iter().filter(|event| event["type"] == "tool_execution_end");
            assert!(!ends.any(|end| end.to_string().contains("my secret")), "{}", dialect.id);
        }
    }
}

#[tokio::test]
async fn a_script_after_bash_takes_out_what_the_caller_would_get() {
    let (world, outcomes) = with_bash("echo my secret");
    let answer = r#"{"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "[hidden]"}}"#;
    let path = world.home.write(".claude/hooks/post/bash.sh", format!("#!/bin/sh\ncat > /dev/null\necho '{answer}'\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    world.load_scripts(&FakeScripts::new(false)).await;
    assert_eq!(only(&world, &outcomes).await.0, "[hidden]", "{}", SHELL.id);
    assert_eq!(outcomes.all()[0].output.structured_content, None);
}
