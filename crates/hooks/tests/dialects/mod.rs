//! The dialects of the table: what each does alone, and all of them at once.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod edits;
mod failures;
mod prompts;
mod runner;
mod sessions;
mod together;
mod tools;

use std::cell::Cell;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tau_hooks::dialect::{DIALECTS, Dialect};
use tau_hooks::events::TABLE;
use tau_hooks::payload::{ToolCallEvent, ToolResultEvent};
use tau_hooks::{HandlerError, Owner, Registrar};
use tau_testkit::host::extension;
use tau_testkit::{Stage, StaticHost};

thread_local! {
    /// Whether hooks of all dialects stand by on every stage of this thread.
    static CROWDED: Cell<bool> = const { Cell::new(false) };
}

fn stage() -> Stage {
    stage_on(StaticHost::new())
}

fn stage_on(host: StaticHost) -> Stage {
    let stage = Stage::with_host(host);
    if CROWDED.get() {
        for dialect in DIALECTS {
            load(&stage, dialect, &format!("bystander of {}", dialect.id), |registrar| {
                for rule in TABLE.iter().filter_map(|row| (dialect.rule)(row.id)) {
                    registrar.on_json(rule.name, |_, _| std::future::ready(Ok(None)));
                }
            });
        }
    }
    stage
}

/// What happened, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Value>>>);

impl Log {
    fn add(&self, item: impl Into<Value>) {
        self.0.lock().push(item.into());
    }

    fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.0.lock())
    }
}

/// Loads an extension under the rules of a dialect.
fn load(
    stage: &Stage,
    dialect: &'static Dialect,
    name: &str,
    register: impl Fn(&mut Registrar) + Send + Sync,
) -> Arc<Owner> {
    let loaded = stage.hooks.load_as(
        &extension(name, move |registrar: &mut Registrar| {
            register(registrar);
            Ok(())
        }),
        dialect,
    );
    loaded.expect("it can be loaded")
}

/// Loads a handler that notes what it gets and returns `answer`.
fn on(stage: &Stage, dialect: &'static Dialect, (name, event): (&str, &str), log: &Log, answer: Value) -> Arc<Owner> {
    load(stage, dialect, name, |registrar| {
        let (log, answer) = (log.clone(), answer.clone());
        registrar.on_json(event, move |payload, _| {
            log.add(payload);
            std::future::ready(Ok(Some(answer.clone()).filter(|answer| !answer.is_null())))
        });
    })
}

/// Loads a handler that fails.
fn failing(stage: &Stage, dialect: &'static Dialect, (name, event): (&str, &str)) {
    load(stage, dialect, name, |registrar| {
        registrar.on_json(event, |_, _| std::future::ready(Err(HandlerError::msg("boom"))));
    });
}

fn call(tool: &str, input: Value) -> ToolCallEvent {
    ToolCallEvent { tool_name: tool.into(), tool_call_id: "c1".into(), parent_tool_call_id: None, input }
}

fn returned(text: &str) -> ToolResultEvent {
    ToolResultEvent {
        tool_name: "bash".into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input: json!({ "command": "ls" }),
        content: vec![ContentBlock::text(text)],
        details: Some(json!({ "lines": 1 })),
        structured_content: None,
        is_error: false,
        usage: None,
    }
}

fn failed(text: &str) -> ToolResultEvent {
    ToolResultEvent { is_error: true, ..returned(text) }
}

fn content(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

/// The text that the model would see.
fn text(event: &ToolResultEvent) -> String {
    event.content.iter().filter_map(ContentBlock::as_text).collect()
}
