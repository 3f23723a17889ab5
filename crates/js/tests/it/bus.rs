//! `pi.events` within an engine and with extensions written in Rust.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tau_hooks::bus::{BusPayload, EngineId};

use crate::common::{Log, World};
use crate::support::{Scripts, Told};
use crate::tour;

/// What is emitted on a channel, as an extension in Rust hears it.
pub fn hear(world: &World, channel: &str) -> Log<Value> {
    let log: Log<Value> = Log::default();
    let heard = log.clone();
    let listener = Arc::new(move |event: tau_hooks::bus::BusEvent| {
        heard.push(event.payload.to_json().unwrap_or_default());
    });
    world.hooks.bus.on(channel, EngineId::NATIVE, "<native:ear>".into(), listener).detach();
    log
}

/// Waits for that many events.
pub async fn heard(log: &Log<Value>, count: usize) -> Vec<Value> {
    while log.all().len() < count {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    log.take()
}

async fn load(world: &World, files: &[(&str, &str)]) -> Scripts {
    let scripts = Scripts::new(world).tau(json!({"limits": {"stretchMs": 100}}));
    for outcome in scripts.load(world, files).await {
        outcome.result.unwrap_or_else(|error| panic!("{}: {error}", outcome.path.display()));
    }
    scripts
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_and_functions_go_by_reference_within_an_engine() {
    let world = tour::world();
    let log = hear(&world, "seen");
    let emitter = "export default (pi) => {
  pi.registerCommand('go', { handler: async () => {
    const data = { list: [1], when: new Date(0), add(x) { this.list.push(x); return this; } };
    pi.events.emit('work', data);
    pi.events.emit('seen', { list: data.list, same: data.same, fn: data.fn === data.add });
  } });
};";
    let listener = "export default (pi) => {
  pi.events.on('work', (data) => { data.fn = data.add; data.same = data.add(2) === data && data.when instanceof Date; });
};";
    let _scripts = load(&world, &[("emitter.ts", emitter), ("listener.ts", listener)]).await;
    world.start().await.say("/go").await;
    assert_eq!(heard(&log, 1).await, [json!({"list": [1, 2], "same": true, "fn": true})]);
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_are_callable_from_both_sides() {
    let world = tour::world();
    let log = hear(&world, "answer");
    let script = "export default (pi) => {
  const own = (x) => x + 1;
  pi.events.on('ask', async ({ double, back, list }) => {
    const failed = await double('no').catch((error) => error.message);
    const handles = await back(own);
    pi.events.emit('answer', { twice: await double(21), failed, own: handles === own, list });
  });
};";
    let _scripts = load(&world, &[("script.ts", script)]).await;
    let _running = world.start().await;
    let double = BusPayload::function(|args: Vec<BusPayload>| async move {
        let number = args.first().and_then(BusPayload::to_json).and_then(|number| number.as_i64());
        number.map(|number| Value::from(number * 2).into()).ok_or_else(|| "not a number".to_owned())
    });
    let back = BusPayload::function(|mut args: Vec<BusPayload>| async move {
        let function = args.pop().unwrap_or_default();
        let called = function.as_callable().expect("a function").call(vec![json!(1).into()]).await;
        assert_eq!(called, Ok(json!(2).into()));
        Ok(function)
    });
    let payload = BusPayload::object([("double", double), ("back", back), ("list", json!([1, {"a": null}]).into())]);
    world.hooks.bus.emit("ask", payload, EngineId::NATIVE, &"<native:asker>".into());
    let expected = json!({"twice": 42, "failed": "not a number", "own": true, "list": [1, {"a": null}]});
    assert_eq!(heard(&log, 1).await, [expected]);
}

/// Message and line of what the user was told of `broken.ts`.
fn line((extension, event, message, place): Told) -> (String, u32) {
    assert!(extension.ends_with("broken.ts"), "{extension}: {message}");
    assert_eq!(event, "bus:work");
    let place = place.expect("a place");
    (message, place.rsplit(':').nth(1).and_then(|line| line.parse().ok()).expect("a line"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_fails_is_named_and_the_emitter_goes_on() {
    let world = tour::world();
    let log = hear(&world, "done");
    let broken = "export default (pi) => {
  pi.events.on('work', () => { throw new Error('thrown'); });
  pi.events.on('work', async () => { await null; throw new Error('rejected'); });
  pi.events.on('work', () => { for (;;) {} });
  pi.events.on('work', () => process.exit(3));
};";
    let emitter = "export default (pi) => {
  let heard = 0;
  pi.events.on('work', () => { heard += 1; });
  pi.registerCommand('go', { handler: async () => {
    pi.events.emit('work', 1);
    pi.events.emit('work', 2);
    pi.events.emit('done', { heard });
  } });
};";
    let scripts = load(&world, &[("broken.ts", broken), ("emitter.ts", emitter)]).await;
    let running = world.start().await;
    running.say("/go").await;
    assert_eq!(heard(&log, 1).await, [json!({"heard": 2})]);
    let expected =
        [("called process.exit(3)", 5), ("ran for more than 100ms without a pause", 4), ("rejected", 3), ("thrown", 2)];
    // What is rejected is told a moment later.
    let told = loop {
        let told: BTreeSet<(String, u32)> = scripts.told.all().into_iter().map(line).collect();
        if told.len() >= expected.len() {
            break told;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    };
    assert_eq!(told, expected.map(|(message, line)| (message.to_owned(), line)).into());
    assert_eq!(world.hooks.exit.code(0), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_copied_stays_and_is_told() {
    let world = tour::world();
    let log = hear(&world, "seen");
    let _ = hear(&world, "round");
    let script = "export default (pi) => {
  pi.events.on('round', (data) => pi.events.emit('seen', data.self === data));
  pi.registerCommand('go', { handler: async () => { const data: any = {}; data.self = data; pi.events.emit('round', data); } });
};";
    let scripts = load(&world, &[("script.ts", script)]).await;
    world.start().await.say("/go").await;
    assert_eq!(heard(&log, 1).await, [json!(true)]);
    let told: Vec<String> =
        scripts.told.all().into_iter().map(|(_, event, message, _)| format!("{event}: {message}")).collect();
    assert_eq!(told, ["bus:round: Converting circular structure to JSON"]);
}
