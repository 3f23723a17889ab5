//! Many tools of one server: what one costs does not grow with the others, and nothing is left at work.

use serde_json::json;
use tau_agent_testkit::World;
use tau_hooks::payload::SessionShutdownReason;

use crate::server::Play;
use crate::session::load;
use crate::support::{play, with};

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_tools_are_declared_called_and_left() {
    let count = 4_900;
    let calls = json!([[{"tool_call": {"name": "mcp__s__many_7", "arguments": {"path": "x"}}}], "One.", "Two."]);
    let world = World::new(calls);
    let server = with(play(&Play { many: count, ..Play::default() }), json!({"exposure": "direct", "timeout": 600}));
    world.home.write_agent("mcp.json", json!({"mcpServers": {"s": server}}).to_string());
    load(&world);
    let running = world.start().await;
    running.say("/mcp").await;
    running.say("a").await;
    assert_eq!(running.declared()[0].split(',').count(), count + 11);
    running.session.reload().await.expect("a reload");
    running.say("b").await;
    assert_eq!(running.declared().last().map(|names| names.split(',').count()), Some(count + 11));
    running.session.shut_down(SessionShutdownReason::Quit).await;
    assert_eq!(world.reports.all(), []);
}
