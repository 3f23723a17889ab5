//! Hooks without a session.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tau_hooks::dialect::{Dialect, OMP, ORIGINAL};
use tau_hooks::events::{AgentStart, ToolCall, ToolResult};
use tau_hooks::payload::{Empty, ToolCallResult, ToolResultResult};
use tau_hooks::{HandlerError, HookFailure, HookRunner, Registrar};
use tau_testkit::StaticHost;
use tau_testkit::host::extension;
use tau_tools::{Invocation, Progress, Tool, ToolFailure, ToolOutput, ToolSpec};
use tokio_util::sync::CancellationToken;

use super::call;

/// Returns what it was given, or fails.
struct Echo(ToolSpec);

#[async_trait]
impl Tool for Echo {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        match invocation.args["fail"].as_str() {
            Some(text) => Err(ToolFailure::new(text)),
            None => Ok(ToolOutput::text(invocation.args.to_string())),
        }
    }
}

fn runner(dialect: &'static Dialect, register: impl Fn(&mut Registrar) + Send + Sync) -> HookRunner {
    let runner = HookRunner::new(dialect, Arc::new(StaticHost::new()));
    let hook = extension("hook", move |registrar: &mut Registrar| {
        register(registrar);
        Ok(())
    });
    runner.load(&hook).expect("it can be loaded");
    runner
}

/// What a wrapped tool gives, or why it failed.
async fn run(runner: &HookRunner, args: Value) -> Result<String, String> {
    let spec = json!({ "name": "echo", "label": "", "description": "", "parameters": { "type": "object" } });
    let spec: ToolSpec = serde_json::from_value(spec).expect("a tool");
    let invocation = Invocation {
        id: "c1".into(),
        args,
        cancel: CancellationToken::new(),
        progress: Progress::ignore(),
        nested: tau_tools::NestedCalls::default(),
    };
    let done = runner.wrap(Arc::new(Echo(spec))).execute(invocation).await;
    let text = |output: ToolOutput| output.content.iter().filter_map(ContentBlock::as_text).collect();
    done.map(text).map_err(|failure| failure.message)
}

#[tokio::test]
async fn a_wrapped_tool_is_guarded_and_its_result_filtered() {
    let hooks = |registrar: &mut Registrar| {
        registrar.on::<ToolCall>(|call, _| async move {
            match call.input["what"].as_str() {
                Some("block") => Ok(Some(ToolCallResult { block: Some(true), ..ToolCallResult::default() })),
                Some("reason") => Ok(Some(ToolCallResult::block("because"))),
                Some("throw") => Err(HandlerError::msg("boom")),
                Some("edit") => Ok(Some(ToolCallResult::with_input(json!({ "edited": true })))),
                _ => Ok(None),
            }
        });
        registrar.on::<ToolResult>(|result, _| async move {
            let text = format!("filtered{}", if result.is_error { " failure" } else { "" });
            Some(ToolResultResult { content: Some(vec![ContentBlock::text(text)]), ..ToolResultResult::default() })
        });
    };
    for dialect in [&OMP, &ORIGINAL] {
        let runner = runner(dialect, hooks);
        let ask = |what: &'static str| run(&runner, json!({ "what": what }));
        assert_eq!(
            ask("block").await,
            Err("Tool execution was blocked by a hook: <native:hook> gives no reason".to_owned())
        );
        assert_eq!(ask("reason").await, Err("because".to_owned()));
        assert_eq!(ask("throw").await, Err("boom".to_owned()));
        assert_eq!(ask("allow").await, Ok("filtered".to_owned()));
        assert_eq!(run(&runner, json!({ "fail": "broken" })).await, Err("broken".to_owned()), "{}", dialect.id);
    }
    let edits = |registrar: &mut Registrar| {
        registrar.on::<ToolCall>(|_, _| async { Some(ToolCallResult::with_input(json!({ "edited": true }))) });
    };
    assert_eq!(run(&runner(&ORIGINAL, edits), json!({})).await, Ok(r#"{"edited":true}"#.to_owned()));
    assert_eq!(run(&runner(&OMP, edits), json!({})).await, Ok("{}".to_owned()));
}

#[tokio::test]
async fn the_result_of_a_wrapped_tool_is_withheld_when_its_filter_was_ended() {
    for (error, expected) in [
        (
            HandlerError::Lost("no answer".to_owned()),
            Err("The tool ran, but its result is withheld: extension <native:hook> is lost: no answer"),
        ),
        (HandlerError::Aborted, Err("Operation aborted")),
        (HandlerError::msg("boom"), Ok("{}")),
    ] {
        let runner = runner(&OMP, move |registrar| {
            let error = error.clone();
            registrar.on::<ToolResult>(move |_, _| std::future::ready(Err::<(), _>(error.clone())));
        });
        let done = run(&runner, json!({})).await;
        assert_eq!(done.as_ref().map(String::as_str).map_err(String::as_str), expected);
    }
}

#[tokio::test]
async fn events_are_known_by_the_names_of_the_dialect() {
    let runner = runner(&ORIGINAL, |registrar| {
        registrar.on_json("session", |_, _| async { Ok(None) });
    });
    let has = ["session", "session_start", "branch", "no_such"].map(|event| runner.has_handlers(event));
    assert_eq!(has, [true, false, false, false]);
}

#[tokio::test(start_paused = true)]
async fn failures_are_told_and_late_hooks_given_up() {
    let runner = runner(&ORIGINAL, |registrar| {
        registrar.on::<AgentStart>(|_, _| async { Err::<(), _>(HandlerError::msg("boom")) });
        registrar.on::<AgentStart>(|_, _| std::future::pending::<()>());
        registrar.on::<ToolCall>(|_, _| async { Err::<(), _>(HandlerError::msg("no")) });
    });
    let failures = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&failures);
    runner.on_error(move |failure: &HookFailure| sink.lock().push((failure.event.clone(), failure.error.clone())));
    runner.set_timeout(Duration::from_millis(250));
    assert!(runner.emit::<AgentStart>(Empty {}).await.is_none());
    assert_eq!(runner.emit_tool_call(call("bash", json!({}))).await, Err(HandlerError::msg("no")));
    let told = |event: &str, error: &str| (event.to_owned(), error.to_owned());
    let expected =
        [told("agent_start", "boom"), told("agent_start", "Hook timed out after 250ms"), told("tool_call", "no")];
    assert_eq!(*failures.lock(), expected);
}
