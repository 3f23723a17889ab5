//! Modules of all dialects in one session.

use serde_json::{Value, json};
use tau_hooks::Mode;

use super::{Hooked, calling, omp, original, pi, results};
use crate::common::{World, messages};

fn three(body: impl Fn(&str) -> String) -> [String; 3] {
    // Loaded in the wrong order: the order in which they are asked is that of the dialects.
    [original(&body("original")), omp(&body("omp")), pi(&body("pi"))]
}

#[tokio::test(flavor = "multi_thread")]
async fn dialects_stand_around_a_tool() {
    let body = |name: &str| {
        format!(
            "pi.on('tool_call', (event) => {{ pi.events.emit('log', 'before {name}'); }});
pi.on('tool_result', (event) => {{
  pi.events.emit('log', 'behind {name}');
  return {{ content: [...event.content, {{ type: 'text', text: '{name}' }}] }};
}});"
        )
    };
    let hooked = Hooked::new(calling("bash", json!({"command": "echo out"})), &three(body)).await;
    let running = hooked.say("hi").await;
    assert_eq!(results(&running)[0].0, "out\n|original|omp|pi");
    let order = ["before pi", "before omp", "before original", "behind original", "behind omp", "behind pi"];
    assert_eq!(hooked.log.all(), order.map(Value::from));
    assert_eq!(hooked.told(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_blocks_blocks_for_all() {
    for blocking in ["pi", "omp", "original"] {
        let body = |name: &str| {
            let answer = if name == blocking {
                format!("{{ block: true, reason: 'by {name}' }}")
            } else {
                "undefined".to_owned()
            };
            format!("pi.on('tool_call', () => {{ pi.events.emit('log', '{name}'); return {answer}; }});")
        };
        let hooked = Hooked::new(calling("bash", json!({"command": "echo out"})), &three(body)).await;
        let running = hooked.say("hi").await;
        assert_eq!(results(&running), [(format!("by {blocking}"), json!({}), true)]);
        let asked: Vec<_> = ["pi", "omp", "original"]
            .into_iter()
            .take_while(|name| *name != blocking)
            .chain([blocking])
            .map(Value::from)
            .collect();
        assert_eq!(hooked.log.all(), asked);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_told_to_those_who_are_told_of_failures() {
    let body = |name: &str| {
        format!("pi.on('tool_result', (event) => {{ pi.events.emit('log', ['{name}', event.isError]); }});")
    };
    let hooked = Hooked::new(calling("read", json!({"path": "/no/such/file"})), &three(body)).await;
    let running = hooked.say("hi").await;
    assert!(results(&running)[0].2);
    assert_eq!(hooked.log.all(), [json!(["omp", true]), json!(["pi", true])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_extensions_are_intercepted_by_hooks() {
    let tool = pi(
        "pi.registerTool({ name: 'mine', label: 'Mine', description: 'm', parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [{ type: 'text', text: 'did' }], details: {} }) });",
    );
    let hook = "pi.on('tool_call', (event) => { pi.events.emit('log', event.toolName); }); pi.on('tool_result', () => ({ content: [{ type: 'text', text: 'changed' }] }));";
    for source in [omp(hook), original(hook)] {
        let hooked = Hooked::new(calling("mine", json!({})), &[tool.clone(), source]).await;
        let running = hooked.say("hi").await;
        assert_eq!((results(&running)[0].0.as_str(), hooked.log.all()), ("changed", vec![json!("mine")]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_told_of_an_error_is_told_by_whom() {
    let body = |name: &str| format!("pi.on('agent_start', () => {{ throw new Error('by {name}'); }});");
    let mut world = World::new(json!(["one"]));
    world.mode = Mode::Rpc;
    let hooked = Hooked::new(world, &three(body)).await;
    let running = hooked.say("hi").await;
    assert_eq!(running.conversation(), messages([("user", "hi"), ("assistant", "one")]));
    let told = ["by pi", "by omp", "by original"].map(|text| ("agent_start".to_owned(), text.to_owned()));
    assert_eq!(hooked.told(), told);
}
