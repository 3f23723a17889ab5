//! A whole run again, with the same time, ids and chance.

use std::time::Duration;

use serde_json::{Value, json};
use tau_session::{NewSession, Session};
use tau_testkit::FixedSources;

use crate::common::{World, calls};
use crate::support::Scripts;
use crate::tour;

/// 2026-05-04 03:02:01.005 UTC.
const NOW: i64 = 1_777_863_721_005;

/// Writes everything that it can learn of time and chance into the session, from a handler, a tool and a command.
const SOURCE: &str = "import { randomBytes, randomInt, randomUUID } from 'node:crypto';
const look = () => ({
  now: Date.now(), date: new Date().toISOString(), text: Date().slice(0, 15), parsed: Date.parse('2020-01-01'), utc: Date.UTC(2020, 0),
  given: new Date(0).getTime(), kind: new Date() instanceof Date, same: new Date().constructor === Date, parts: Date.length,
  chance: [Math.random(), Math.random()], performance: performance.now(), origin: performance.timeOrigin,
  uuid: [crypto.randomUUID(), randomUUID()], values: [...crypto.getRandomValues(new Uint8Array(4))],
  bytes: randomBytes(4).toString('hex'), int: randomInt(1000),
});
export default (pi) => {
  pi.on('turn_start', (event) => pi.appendEntry('turn', { ...look(), event }));
  pi.registerTool({ name: 'work', description: 'Does work.', parameters: { type: 'object', properties: {} },
    execute: async () => ({ content: [{ type: 'text', text: JSON.stringify(look()) }], details: look() }) });
  pi.registerCommand('note', { handler: async () => { pi.sendMessage({ customType: 'note', content: randomUUID(), display: true }); } });
};";

/// The session file after a prompt with a tool call, a command and another prompt, with the clock moved in between.
async fn run(sources: Option<&FixedSources>) -> String {
    let replies = json!([calls([("c1", "work", json!({}))]), "Done.", "Again."]);
    let mut world = World::new(replies);
    if let Some(fixed) = sources {
        world = world.with_sources(fixed.sources());
    }
    let scripts = Scripts::new(&world);
    let outcomes = scripts.load(&world, &[("look.ts", SOURCE)]).await;
    outcomes.into_iter().for_each(|outcome| drop(outcome.result.expect("it loads")));
    let new = NewSession { sources: world.hooks.sources.clone(), ..NewSession::default() };
    let session = Session::create(&world.home.session_dir(), &world.home.cwd(), new).expect("a session");
    let world = world.resume(session);
    let running = world.start().await;
    running.say("Hi").await;
    if let Some(fixed) = sources {
        fixed.advance(Duration::from_secs(90));
    }
    running.say("/note").await;
    running.say("And?").await;
    let file = running.session.session().file().expect("a file").to_owned();
    let text = std::fs::read_to_string(&file).expect("it can be read");
    assert_eq!(scripts.told.all(), []);
    // Every world has folders of its own.
    text.replace(&world.home.root().display().to_string(), "/ROOT")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_the_same_sources_writes_the_same_bytes() {
    let [one, other] = [run(Some(&FixedSources::new(1, NOW))).await, run(Some(&FixedSources::new(1, NOW))).await];
    assert_eq!(one, other);
    let third = run(Some(&FixedSources::new(2, NOW))).await;
    assert_ne!(one, third, "the seed counts");

    let lines: Vec<Value> = one.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let turns: Vec<&Value> =
        lines.iter().filter(|line| line["customType"] == "turn").map(|line| &line["data"]).collect();
    assert_eq!(turns.len(), 3);
    let seen = |turn: &Value| (turn["now"].as_i64(), turn["performance"].as_f64(), turn["event"]["timestamp"].as_i64());
    assert_eq!(seen(turns[0]), (Some(NOW), Some(0.0), Some(NOW)));
    assert_eq!(seen(turns[2]), (Some(NOW + 90_000), Some(90_000.0), Some(NOW + 90_000)));
    let first = turns[0];
    assert_eq!(first["date"], "2026-05-04T03:02:01.005Z");
    assert_eq!([&first["parsed"], &first["utc"]], [&json!(1_577_836_800_000_i64); 2]);
    assert_eq!(
        [&first["given"], &first["kind"], &first["same"], &first["parts"]],
        [&json!(0), &json!(true), &json!(true), &json!(7)]
    );
    assert_eq!(first["origin"].as_f64(), Some(NOW as f64));
    assert!(first["chance"][0] != first["chance"][1] && first["uuid"][0] != first["uuid"][1]);
    assert!(
        lines.iter().all(|line| line["timestamp"].as_str().is_some_and(|time| time.starts_with("2026-05-04T03:0")))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_sources_nothing_is_the_same_and_nothing_is_replaced() {
    let source = "export default (pi) => { pi.registerCommand('tell', { handler: async () => {
      const native = (f) => String(f).includes('[native code]');
      pi.events.emit('told', [native(Date), native(Date.now), native(Math.random)]);
    } }); };";
    let world = tour::world();
    let scripts = Scripts::new(&world);
    scripts.load(&world, &[("native.ts", source)]).await;
    let log = crate::bus::hear(&world, "told");
    let running = world.start().await;
    running.say("/tell").await;
    assert_eq!(crate::bus::heard(&log, 1).await, [json!([true, true, true])]);
    assert_ne!(run(None).await, run(None).await);
}
