//! Extensions that decide whether a prompt is kept in the cache of its provider.

use serde_json::{Value, json};
use tau_agent::{WarmingStatus, WarmingStopped};
use tau_testkit::FixedSources;

use crate::bus::{hear, heard};
use crate::common::World;
use crate::support::Scripts;

const DECIDES: &str = "export default (pi) => {
  let finish;
  pi.registerTool({
    name: 'slow', description: 's', parameters: { type: 'object', properties: {} },
    execute: () => new Promise((resolve) => { finish = resolve; pi.events.emit('working', true); }),
  });
  let times = 0;
  pi.on('cache_warming_decision', (event, ctx) => {
    pi.events.emit('decision', { ...event, model: ctx.model.id, idle: ctx.isIdle(), tokens: ctx.getContextUsage().tokens });
    times += 1;
    if (times === 2) return { action: 'stop' };
  });
  pi.on('before_provider_request', ({ payload }) => { payload.system += ' Changed.'; return payload; });
  pi.registerCommand('finish', { handler: async () => finish({ content: [{ type: 'text', text: 'done' }] }) });
};";

#[tokio::test(flavor = "multi_thread")]
async fn an_extension_sees_the_decision_and_changes_it() {
    let model = json!({"id": "planner", "promptCache": {"short": 300},
        "cost": {"input": 10.0, "output": 50.0, "cacheRead": 1.0, "cacheWrite": 12.5}});
    let first = json!([{"usage": {"input": 100_000, "output": 10}}, {"tool_call": {"name": "slow", "arguments": {}}}]);
    let warm = json!([{"usage": {"cache_read": 100_000, "output": 1}}, "x"]);
    let clock = FixedSources::new(1, 1_800_000_000_000);
    let world = World::scripted(model, json!([first, warm, "Done."])).with_sources(clock.sources());
    let (decisions, working) = (hear(&world, "decision"), hear(&world, "working"));
    world.home.write_agent("extensions/decides.ts", DECIDES);
    let scripts = Scripts::new(&world);
    let _extensions = scripts.load_found_in(&world).await;
    let running = world.start().await;
    let run = running.say_later("Hi");
    heard(&working, 1).await;
    clock.advance_to_timer().await;
    clock.advance_to_timer().await;

    let seen = heard(&decisions, 2).await;
    let one = &seen[0];
    assert_eq!(
        (&one["type"], &one["action"], &one["continuationProbability"]),
        (&json!("cache_warming_decision"), &json!("warm"), &json!(1))
    );
    assert!(one["warmCost"].as_f64() < one["missCost"].as_f64(), "{one}");
    assert_eq!((&one["model"], &one["idle"]), (&json!("planner"), &json!(false)));
    assert!(one["tokens"].as_u64() >= Some(100_000), "{one}");
    while running.session.cache_warming() != WarmingStatus::Stopped(WarmingStopped::ByExtension) {
        tokio::task::yield_now().await;
    }
    running.say("/finish").await;
    run.await.expect("the run").expect("a run");

    // The refresh goes out as the request did, with what the extension makes of it.
    let asked = running.script.requests();
    assert_eq!((asked.len(), &asked[1]), (3, &asked[0]));
    assert!(asked[1]["system"].as_str().is_some_and(|system| system.ends_with("Changed.")), "{asked:?}");
    let spent: Vec<Value> = running.file().into_iter().filter(|line| line["type"] == "usage").collect();
    assert_eq!((spent.len(), &spent[0]["kind"]), (1, &json!("cache_warm")));
    assert_eq!(scripts.told.all(), []);
}
