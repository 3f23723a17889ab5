//! Extensions that have to be there: without them the gates stay shut.

use std::sync::Arc;

use serde_json::json;
use tau_hooks::events::{Input, ToolCall, UserBash};
use tau_hooks::payload::{InputEvent, InputSource, ToolCallEvent, UserBashEvent};
use tau_hooks::{HandlerError, Hooks, LoadError, Owner, Registrar, Required, dialect};
use tau_testkit::Stage;
use tau_testkit::host::extension;

async fn reasons(stage: &Stage) -> Vec<Option<String>> {
    let call = ToolCallEvent {
        tool_name: "bash".into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input: json!({}),
    };
    let shell = UserBashEvent { command: "ls".into(), exclude_from_context: false, cwd: "/".into() };
    let call = stage.fire::<ToolCall>(call).await.shut.map(|shut| shut.reason());
    let shell = stage.fire::<UserBash>(shell).await.shut.map(|shut| shut.reason());
    vec![call, shell]
}

async fn assert_open(stage: &Stage) {
    assert_eq!(reasons(stage).await, [None, None]);
}

async fn assert_shut(stage: &Stage, reason: &str) {
    assert_eq!(reasons(stage).await, [Some(reason.to_owned()), Some(reason.to_owned())]);
}

/// The guard of these tests handles tool calls only.
async fn assert_tool_calls_shut(stage: &Stage, why: &str) {
    let reason = format!("Blocked: extension /ext/guard.ts is not loaded: {why}");
    assert_eq!(reasons(stage).await, [Some(reason), None]);
}

fn names(names: &[&str]) -> Vec<Required> {
    names.iter().map(|name| (*name).to_owned().into()).collect()
}

fn owner(path: &str, name: &str) -> Arc<Owner> {
    Owner::new(path, name, &dialect::PI)
}

fn load(hooks: &Arc<Hooks>, register: fn(&mut Registrar) -> Result<(), HandlerError>) -> Result<Arc<Owner>, LoadError> {
    hooks.load_with(owner("/ext/guard.ts", "guard"), register)
}

fn guards(registrar: &mut Registrar) -> Result<(), HandlerError> {
    registrar.on::<ToolCall>(|_, _| async {});
    Ok(())
}

fn breaks(_: &mut Registrar) -> Result<(), HandlerError> {
    Err(HandlerError::msg("Unexpected token"))
}

#[tokio::test]
async fn an_extension_that_is_there_is_found_by_name_path_and_file_name() {
    let stage = Stage::new();
    load(&stage.hooks, guards).expect("it can be loaded");
    stage.hooks.require(&names(&["guard", "/ext/guard.ts", "guard.ts"]), &[]);
    assert_open(&stage).await;
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
}

#[tokio::test]
async fn a_required_extension_that_is_missing_shuts_the_gates() {
    let stage = Stage::new();
    load(&stage.hooks, guards).expect("it can be loaded");
    stage.hooks.require(&names(&["guard", "audit"]), &[]);
    assert_shut(&stage, "Blocked: extension audit is not loaded: tau.required names it, but it is not installed").await;
    assert_eq!(
        stage.take_report_texts(),
        ["Extension error (audit): tau.required names it, but it is not installed [load]"]
    );
    let input = InputEvent { text: "a".into(), images: None, source: InputSource::Rpc, streaming_behavior: None };
    assert!(stage.fire::<Input>(input).await.shut.is_none(), "only gates are shut");
}

#[tokio::test]
async fn a_required_extension_that_fails_shuts_the_gates_and_the_reason_is_told() {
    for name in ["guard", "/ext/guard.ts", "guard.ts"] {
        let stage = Stage::new();
        let failure = load(&stage.hooks, breaks).expect_err("it fails");
        assert_open(&stage).await;
        stage.hooks.require(&names(&[name]), &[failure]);
        let why = "it is required but Failed to load extension \"/ext/guard.ts\": Unexpected token";
        assert_shut(&stage, &format!("Blocked: extension {name} is not loaded: {why}")).await;
        let reports = stage.take_report_texts();
        assert_eq!(
            reports,
            [
                "Extension error (/ext/guard.ts): Failed to load extension \"/ext/guard.ts\": Unexpected token [load]"
                    .to_owned(),
                format!("Extension error ({name}): {why} [load]"),
            ]
        );
    }
}

#[tokio::test]
async fn a_native_extension_that_panics_is_named_as_well() {
    let stage = Stage::new();
    let failure = stage.load(&extension("guard", |_| panic!("boom"))).map(drop).expect_err("it fails");
    stage.hooks.require(&names(&["guard"]), &[failure]);
    let why = "it is required but Failed to load extension \"<native:guard>\": panicked: boom";
    assert_shut(&stage, &format!("Blocked: extension guard is not loaded: {why}")).await;
}

#[tokio::test]
async fn a_guard_that_cannot_be_loaded_again_shuts_the_gates() {
    let stage = Stage::new();
    let guard = load(&stage.hooks, guards).expect("it can be loaded");
    stage.hooks.unload(&guard);
    assert_tool_calls_shut(&stage, "it guarded this and is not loaded at the moment").await;
    load(&stage.hooks, breaks).expect_err("it fails");
    assert_tool_calls_shut(&stage, "it guarded this and could not be loaded again: Unexpected token").await;

    // Mended and loaded once more.
    load(&stage.hooks, guards).expect("it can be loaded");
    assert_open(&stage).await;
}

#[tokio::test]
async fn a_set_without_a_guard_opens_its_gate_unless_the_guard_failed() {
    let stage = Stage::new();
    let guard = load(&stage.hooks, guards).expect("it can be loaded");
    stage.hooks.unload(&guard);
    stage.hooks.begin_set();
    let failure = load(&stage.hooks, breaks).expect_err("it fails");
    stage.hooks.finish_set(&[], &[], &[failure]);
    assert_tool_calls_shut(&stage, "it guarded this and could not be loaded again: Unexpected token").await;

    // Whoever takes a guard away for good wants the gate open.
    stage.hooks.begin_set();
    stage.hooks.finish_set(&[], &[], &[]);
    assert_open(&stage).await;
    stage.hooks.begin_set();
    stage.hooks.finish_set(&[], &names(&["guard"]), &[]);
    assert_shut(&stage, "Blocked: extension guard is not loaded: tau.required names it, but it is not installed").await;
}

#[tokio::test]
async fn a_handler_that_was_added_later_makes_a_guard_too() {
    let stage = Stage::new();
    let guard = load(&stage.hooks, |_| Ok(())).expect("it can be loaded");
    // Extensions may subscribe while they run; their host then talks to the dispatcher.
    let other = stage.add("other", |registrar| {
        registrar.on::<ToolCall>(|_, _| async {});
    });
    let handler = stage.hooks.dispatcher.handlers(tau_hooks::events::EventId::ToolCall)[0].handler.clone();
    stage.hooks.dispatcher.add(tau_hooks::events::EventId::ToolCall, Arc::clone(&guard), handler, "x.ts:1".into());
    stage.hooks.unload(&guard);
    load(&stage.hooks, breaks).expect_err("it fails");
    assert_tool_calls_shut(&stage, "it guarded this and could not be loaded again: Unexpected token").await;
    stage.hooks.unload(&other);
}

#[tokio::test]
async fn an_extension_that_guarded_nothing_may_fail() {
    let stage = Stage::new();
    let harmless = load(&stage.hooks, |registrar| {
        registrar.on::<Input>(|_, _| async {});
        Ok(())
    });
    stage.hooks.unload(&harmless.expect("it can be loaded"));
    load(&stage.hooks, breaks).expect_err("it fails");
    assert_open(&stage).await;
}

#[tokio::test]
async fn a_guard_that_was_loaded_again_without_guarding_is_free() {
    let stage = Stage::new();
    let guard = load(&stage.hooks, guards).expect("it can be loaded");
    stage.hooks.unload(&guard);
    let changed = load(&stage.hooks, |_| Ok(())).expect("it can be loaded");
    stage.hooks.unload(&changed);
    load(&stage.hooks, breaks).expect_err("it fails");
    assert_open(&stage).await;
}
