//! One round of calls: with no handler, one, ten. The trace keeps its ring, as it does by default.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::FutureExt;
use tau_hooks::events::{ToolCall, TurnStart};
use tau_hooks::payload::{ToolCallEvent, TurnStartEvent};
use tau_hooks::{Host, Scope};

fn dispatch(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a directory");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let input = serde_json::json!({"command": "cargo test --workspace", "timeout": 60});
    for count in [0, 1, 10] {
        let session = runtime.block_on(tau_benches::session(dir.path(), "replies: []", |registrar| {
            for _ in 0..count {
                registrar.on::<TurnStart>(|event, _| async move {
                    black_box(event);
                });
                registrar.on::<ToolCall>(|event, _| async move {
                    black_box(event);
                });
            }
        }));
        let scope = Scope::new(Arc::clone(&session) as Arc<dyn Host>);
        let hooks = &session.hooks().dispatcher;
        // Handlers that answer at once need no runtime, so none is measured.
        c.bench_function(&format!("dispatch/observe/{count}"), |b| {
            b.iter(|| {
                let event = || TurnStartEvent { turn_index: 1, timestamp: 1 };
                hooks.dispatch::<TurnStart>(&scope, event).now_or_never().expect("an answer at once").into_payload()
            });
        });
        c.bench_function(&format!("dispatch/gate/{count}"), |b| {
            b.iter(|| {
                let event = || ToolCallEvent {
                    tool_name: "bash".to_owned(),
                    tool_call_id: "call_1".to_owned(),
                    parent_tool_call_id: None,
                    input: input.clone(),
                };
                hooks.dispatch::<ToolCall>(&scope, event).now_or_never().expect("an answer at once").into_payload()
            });
        });
    }
}

criterion_group!(benches, dispatch);
criterion_main!(benches);
