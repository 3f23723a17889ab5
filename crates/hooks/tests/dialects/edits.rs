//! The older form of the arguments of `edit`.

use serde_json::{Value, json};
use tau_hooks::Shut;
use tau_hooks::dialect::{Dialect, OMP, ORIGINAL, PI, SHELL};
use tau_hooks::events::{ToolCall, ToolResult};
use tau_hooks::payload::{ToolCallEvent, ToolCallResult, ToolResultEvent};
use tau_testkit::{Fired, Stage};

use super::{Log, call, load, on, returned, stage};

fn edits(edits: &[(&str, &str)]) -> Value {
    let edits = edits.iter().map(|(old, new)| json!({ "oldText": old, "newText": new })).collect::<Vec<_>>();
    json!({ "path": "a.env", "edits": edits })
}

/// Keeps secrets out of files, as a hook does that knows the older form only.
fn gate(stage: &Stage, dialect: &'static Dialect) {
    load(stage, dialect, "gate", |registrar| {
        registrar.on::<ToolCall>(|call, _| async move {
            let new = call.input["newText"].as_str().unwrap_or_default();
            new.contains("SECRET").then(|| ToolCallResult::block("no secrets"))
        });
    });
}

/// Changes the arguments in place.
async fn changed(dialect: &'static Dialect, input: Value, change: fn(&mut Value)) -> Fired<ToolCall> {
    let stage = stage();
    load(&stage, dialect, "changes", |registrar| {
        registrar.on::<ToolCall>(move |call, _| async move {
            let mut input = call.input;
            change(&mut input);
            Some(ToolCallResult::with_input(input))
        });
    });
    stage.fire::<ToolCall>(call("edit", input)).await
}

fn input(done: Fired<ToolCall>) -> Value {
    assert!(done.shut.is_none(), "{:?}", done.shut);
    done.payload.map(|payload: ToolCallEvent| payload.input).expect("a payload")
}

#[tokio::test]
pub(super) async fn a_gate_that_reads_the_older_form_sees_all_edits() {
    for dialect in [&OMP, &ORIGINAL, &SHELL] {
        let stage = stage();
        gate(&stage, dialect);
        for (edits, blocked) in [
            (edits(&[("a", "b"), ("c", "x=SECRET"), ("d", "e")]), true),
            (edits(&[("a", "SECRET")]), true),
            (edits(&[("SECRET", "b"), ("c", "d")]), false),
        ] {
            let done = stage.fire::<ToolCall>(call("edit", edits.clone())).await;
            assert_eq!(done.stopped_by.is_some(), blocked, "{} {edits}", dialect.id);
            assert_eq!(input(done), edits, "the tool does not get the older form");
        }
    }
}

#[tokio::test]
pub(super) async fn both_forms_are_there_before_and_after_the_tool() {
    let several = edits(&[("a", "b"), ("c\nd", "")]);
    let mut both = several.clone();
    both["oldText"] = json!("a\nc\nd");
    both["newText"] = json!("b\n");
    for (dialect, expected) in [(&PI, &several), (&OMP, &both), (&ORIGINAL, &both), (&SHELL, &both)] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("before", "tool_call"), &log, json!(null));
        on(&stage, dialect, ("after", "tool_result"), &log, json!(null));
        stage.fire::<ToolCall>(call("edit", several.clone())).await;
        let result = ToolResultEvent { tool_name: "edit".into(), input: several.clone(), ..returned("done") };
        let after = stage.fold::<ToolResult>(result).await;
        let seen = log.take();
        assert_eq!([&seen[0]["input"], &seen[1]["input"]], [expected, expected], "{}", dialect.id);
        assert_eq!(after.input, several);
    }
}

#[tokio::test]
pub(super) async fn a_change_of_either_form_reaches_the_tool() {
    let made = |old, new| edits(&[(old, new)]);
    for dialect in [&ORIGINAL, &SHELL] {
        let older = changed(dialect, made("a", "b"), |input| input["newText"] = json!("c")).await;
        assert_eq!(input(older), made("a", "c"));
        let present = changed(dialect, made("a", "b"), |input| input["edits"][0]["newText"] = json!("c")).await;
        assert_eq!(input(present), made("a", "c"));
        let both = |input: &mut Value| {
            input["edits"][0]["newText"] = json!("c");
            input["newText"] = json!("c");
        };
        assert_eq!(input(changed(dialect, made("a", "b"), both).await), made("a", "c"));
        let path = changed(dialect, edits(&[("a", "b"), ("c", "d")]), |input| input["path"] = json!("b.env")).await;
        assert_eq!(input(path)["path"], "b.env");
    }
    let copy = changed(&OMP, made("a", "b"), |input| input["newText"] = json!("c")).await;
    assert_eq!(input(copy), made("a", "b"));
}

#[tokio::test]
pub(super) async fn a_change_that_does_not_say_which_edit_is_meant_shuts_the_gate() {
    for dialect in [&ORIGINAL, &SHELL] {
        let several = edits(&[("a", "b"), ("c", "d")]);
        let done = changed(dialect, several.clone(), |input| input["newText"] = json!("b\nx")).await;
        assert_eq!(
            done.shut.as_ref().map(Shut::reason).as_deref(),
            Some(
                "Blocked: extension <native:changes> returned a malformed result: `oldText` and `newText` stand for \
                 several edits here, so a change of them does not say which edit is meant; change `edits`"
            )
        );
        // With hooks that get a copy there is nothing to misunderstand.
        let copy = changed(&OMP, several.clone(), |input| input["newText"] = json!("b\nx")).await;
        assert_eq!(input(copy), several);
    }
}

#[tokio::test]
pub(super) async fn the_next_hook_sees_both_forms_of_what_the_one_before_made() {
    let (stage, log) = (stage(), Log::default());
    load(&stage, &ORIGINAL, "changes", |registrar| {
        registrar.on::<ToolCall>(|call, _| async move {
            let mut input = call.input;
            input["newText"] = json!("SECRET");
            Some(ToolCallResult::with_input(input))
        });
    });
    on(&stage, &ORIGINAL, ("looks", "tool_call"), &log, json!(null));
    gate(&stage, &SHELL);
    let done = stage.fire::<ToolCall>(call("edit", edits(&[("a", "b")]))).await;
    let expected = json!({
        "path": "a.env", "edits": [{ "oldText": "a", "newText": "SECRET" }], "oldText": "a", "newText": "SECRET",
    });
    assert_eq!(log.take()[0]["input"], expected);
    assert_eq!(done.stopped_by.map(|owner| owner.dialect.id), Some("shell"));
}

#[tokio::test]
pub(super) async fn other_tools_have_no_older_form() {
    let (stage, log) = (stage(), Log::default());
    on(&stage, &ORIGINAL, ("looks", "tool_call"), &log, json!(null));
    for tool in ["multi_edit", "write"] {
        let input = edits(&[("a", "b")]);
        stage.fire::<ToolCall>(call(tool, input.clone())).await;
        assert_eq!(log.take()[0]["input"], input);
    }
}
