//! The examples at work: in a session that stands still, with somebody at the keyboard where one is needed.

mod context_pruning;
mod input_shortcuts;
mod notes;
mod own_models;
mod permission_gate;
mod protected_paths;
mod sandbox;
mod secret_redaction;
mod stopwatch;
mod todo;

use serde_json::Value;
use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallEvent;
use tau_testkit::Stage;

/// The reason why a tool may not run.
async fn blocked(stage: &Stage, tool: &str, input: Value) -> Option<String> {
    let event = ToolCallEvent { tool_name: tool.into(), tool_call_id: "c1".into(), parent_tool_call_id: None, input };
    let done = stage.fire::<ToolCall>(event).await;
    assert!(done.shut.is_none(), "{:?}", done.shut);
    done.stopped_by.and(done.output).and_then(|output| output.reason)
}

#[test]
fn all_of_them_load_without_a_clash_and_have_a_name_of_their_own() {
    let stage = Stage::new();
    let mut names = Vec::new();
    for extension in tau_examples::all() {
        let name = extension.name().to_owned();
        stage.load(&*extension).expect("it can be loaded");
        let found = tau_examples::by_name(&name).expect("it is found by its name");
        assert_eq!(found.name(), name);
        names.push(name);
    }
    assert_eq!(
        names,
        [
            "input-shortcuts",
            "context-pruning",
            "secret-redaction",
            "todo",
            "notes",
            "sandbox",
            "second-opinion",
            "own-models",
            "stopwatch",
            "protected-paths",
            "permission-gate"
        ]
    );
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
    assert!(tau_examples::by_name("unknown").is_none());
}
