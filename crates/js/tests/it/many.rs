//! Many of everything: what one costs does not grow with the others. With a cost that grows, each of these runs for many
//! minutes.

use serde_json::json;

use crate::common::{World, calls};
use crate::support::Scripts;

/// A session that waits for its handlers, however busy the machine is.
fn patient(replies: serde_json::Value) -> World {
    World::new(replies).settings(json!({"tau": {"limits": {"observeMs": 600_000, "handlerMs": 600_000}}}))
}

/// A handler of each kind, so many of them.
#[tokio::test(flavor = "multi_thread")]
async fn any_number_of_handlers_registers_and_is_called() {
    let source = "export default (pi) => {
  let called = 0;
  for (let i = 0; i < 60_000; i++) pi.on('turn_start', () => { called += 1; });
  pi.on('session_start', () => {
    for (let i = 0; i < 60_000; i++) pi.on('turn_end', () => { called += 1; });
    for (let i = 0; i < 20_000; i++) pi.events.on('channel', () => { called += 1; });
    pi.events.emit('channel', 1);
  });
  // Each of these ends a visit.
  for (let i = 0; i < 2_000; i++) pi.on('agent_end', async () => { await null; called += 1; });
  pi.on('agent_end', () => { if (called !== 142_000) throw new Error(`${called} calls`); });
};";
    let world = patient(json!(["Done."]));
    let scripts =
        Scripts::new(&world).tau(json!({"limits": {"stretchMs": 600_000, "loadMs": 600_000, "observeMs": 600_000}}));
    let outcomes = scripts.load(&world, &[("many.ts", source)]).await;
    assert!(outcomes[0].result.is_ok(), "{:?}", outcomes[0].result);
    let running = world.start().await;
    running.say("Go.").await;
    let told: Vec<_> = scripts.told.all().into_iter().filter(|(_, _, message, _)| !message.contains("busy")).collect();
    assert!(told.is_empty(), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_number_of_names_registers() {
    let source = "const empty = { type: 'object', properties: {} };
export default (pi) => {
  const register = (prefix, count) => {
    for (let i = 0; i < count; i++) {
      pi.registerCommand(prefix + i, { handler() {} });
      pi.registerFlag(prefix + i, { type: 'boolean' });
    }
  };
  register('early', 20_000);
  for (let i = 0; i < 3_000; i++) pi.registerTool({ name: `t${i}`, description: 't', parameters: empty, execute() {} });
  pi.on('session_start', () => register('late', 20_000));
};";
    let world = patient(json!([calls([("call-a", "t7", json!({}))]), "Done."]));
    let scripts =
        Scripts::new(&world).tau(json!({"limits": {"stretchMs": 600_000, "loadMs": 600_000, "observeMs": 600_000}}));
    // Another extension with the same names: each is looked for among those of the other.
    let outcomes = scripts.load(&world, &[("many.ts", source), ("more.ts", source)]).await;
    assert!(outcomes.iter().all(|outcome| outcome.result.is_ok()));
    let running = world.start().await;
    running.say("/late19999:2").await;
    assert_eq!(world.hooks.commands().len(), 80_000);
}
