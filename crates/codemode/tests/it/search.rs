//! `tool_search` in a session.

use serde_json::{Value, json};
use tau_agent_testkit::tools::spec;
use tau_agent_testkit::{Running, World};
use tau_tools::{Exposure, Invocation, ToolOutput, ToolSpec};

use crate::world::{load, tools};

fn world(queries: &[Value]) -> World {
    let search = |query: &Value| json!([{"tool_call": {"name": "tool_search", "arguments": query}}]);
    let replies: Vec<Value> = queries.iter().flat_map(|query| [search(query), json!("Done.")]).collect();
    let mut world = World::new(replies.into());
    world.tools = tools(&["+tool_search"]);
    world.extend("tools", |registrar| {
        let all = [
            ("forecast", "The weather of tomorrow.\nAnd of the day after.", Exposure::Deferred),
            ("stars", "Names stars.", Exposure::Codemode),
            ("secret", "The weather, hidden.", Exposure::Hidden),
            ("work", "Weather that is declared.", Exposure::Direct),
        ];
        for (name, description, exposure) in all {
            let spec = ToolSpec { exposure, description: description.to_owned(), ..spec(name) };
            registrar.tool(spec, |_: Invocation, _| async { Ok(ToolOutput::text("")) });
        }
    });
    load(&world);
    world
}

fn results(running: &Running) -> Vec<(String, Value)> {
    let lines = running.file().into_iter().map(|line| line["message"].clone());
    let results = lines.filter(|message| message["role"] == "toolResult");
    results
        .map(|result| (result["content"][0]["text"].as_str().expect("a text").to_owned(), result["details"].clone()))
        .collect()
}

#[tokio::test]
async fn what_is_found_is_declared_from_the_next_request_on() {
    let world =
        world(&[json!({"query": "weather"}), json!({"query": "weather"}), json!({"query": "stars", "limit": 1})]);
    let running = world.start().await;
    for _ in 0..3 {
        running.say("Go").await;
    }
    let first = "Loaded 1 tool. They are available from your next call:\n- forecast: The weather of tomorrow.";
    let third = "Loaded 1 tool. They are available from your next call:\n- stars: Names stars.";
    let expected = [
        (first.to_owned(), json!({"loaded": ["forecast"]})),
        ("No matching tools found.".to_owned(), json!({"loaded": []})),
        (third.to_owned(), json!({"loaded": ["stars"]})),
    ];
    assert_eq!(results(&running), expected);
    let declared = running.declared();
    assert_eq!(declared[0], "tool_search,work");
    assert_eq!(declared[1], "tool_search,work,forecast");
    assert_eq!(declared[5], "tool_search,work,forecast,stars");
    let added: Vec<String> = running.tool_records().into_iter().flat_map(|(added, _)| added).collect();
    assert!(added.ends_with(&["forecast".to_owned(), "stars".to_owned()]), "{added:?}");
}

#[tokio::test]
async fn what_cannot_be_searched_for_is_an_error() {
    let world = world(&[json!({"query": " "}), json!({"query": "x", "limit": 0})]);
    let running = world.start().await;
    running.say("Go").await;
    running.say("Go").await;
    let texts: Vec<String> = results(&running).into_iter().map(|(text, _)| text).collect();
    assert_eq!(texts, ["query must not be empty", "limit must be a positive integer"]);
}
