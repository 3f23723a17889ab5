//! Sessions that are loaded anew: they have the tools of the servers that there are now.

use serde_json::{Value, json};
use tau_agent_testkit::World;

use crate::server::Play;
use crate::session::{call, load, loaded, results};
use crate::support::{play, with};

fn direct(tools: &[&str], behaviour: &Play) -> Value {
    let direct = tools.iter().map(|tool| ((*tool).to_owned(), json!("direct")));
    let exposure: serde_json::Map<String, Value> = direct.collect();
    with(play(behaviour), json!({"exposure": "hidden", "toolExposure": exposure}))
}

fn write(world: &World, servers: Value) {
    world.home.write_agent("mcp.json", json!({"mcpServers": servers}).to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_a_server_that_is_gone_are_gone_and_others_work_as_before() {
    let replies = json!(["One.", call("mcp__stays__echo", json!({"text": "hello"})), "Two.", "Three.", "Four."]);
    let (stays, goes) = (direct(&["echo"], &Play::default()), direct(&["echo", "fails"], &Play::default()));
    let world = loaded(World::new(replies), json!({"goes": goes, "stays": stays}));
    let running = world.start().await;
    running.say("a").await;
    assert_eq!(running.declared()[0], "mcp__goes__echo,mcp__goes__fails,mcp__stays__echo");
    write(&world, json!({"stays": stays}));
    running.session.reload().await.expect("a reload");
    running.say("b").await;
    assert_eq!(running.declared()[1], "mcp__stays__echo");
    assert_eq!(results(&running), ["hello"]);
    // The last one, and the file with it.
    std::fs::remove_file(world.home.agent_dir().join("mcp.json")).expect("a file");
    running.session.reload().await.expect("a reload");
    running.say("c").await;
    assert_eq!(running.declared()[3], "");
    write(&world, json!({"goes": goes}));
    running.session.reload().await.expect("a reload");
    running.say("d").await;
    assert_eq!(running.declared()[4], "mcp__goes__echo,mcp__goes__fails");
    assert_eq!(world.reports.all(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_for_resources_go_with_the_last_server_that_has_some() {
    let world = World::new(json!(["One.", "Two."]));
    let with_resources = play(&Play { resources: true, ..Play::default() });
    let server = with(with_resources, json!({"exposure": "direct", "toolExposure": {"*": "hidden"}}));
    write(&world, json!({"s": server}));
    load(&world);
    let running = world.start().await;
    running.say("a").await;
    assert!(running.declared()[0].contains("read_mcp_resource"), "{:?}", running.declared());
    write(&world, json!({}));
    running.session.reload().await.expect("a reload");
    running.say("b").await;
    assert_eq!(running.declared()[1], "");
}
