//! What of an answer a rule looks at.

use serde_json::{Value, json};

use super::{pieces, rule, triggered};
use crate::common::World;
use crate::common::tools::with_work;

/// How often rules with these heads interrupt a reply, and then the next.
async fn interrupts(head: &str, reply: Value) -> usize {
    let world = World::new(json!([reply, "Fine.", "Fine."]));
    rule(&world, "calm", head);
    with_work(&world);
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(world.reports.all(), [], "{head}");
    triggered(&running.events.all()).len()
}

fn call(name: &str, arguments: Value) -> Value {
    json!([{"tool_call": {"id": "c", "name": name, "arguments": arguments}, "chunk": 4}])
}

#[tokio::test]
async fn the_place_counts() {
    let thinking = json!([{"thinking": "I panic", "chunk": 2}, "Fine."]);
    let text = pieces("I panic");
    let tool = call("work", json!({"text": "panic"}));
    // By the tokens: text, thinking, the tool `work`.
    let cases: &[(&str, [usize; 3])] = &[
        ("condition: panic", [1, 0, 1]),
        ("condition: panic\nscope: text", [1, 0, 0]),
        ("condition: panic\nscope: thinking", [0, 1, 0]),
        ("condition: panic\nscope: [text, thinking]", [1, 1, 0]),
        ("condition: panic\nscope: tool", [0, 0, 1]),
        ("condition: panic\nscope: toolcall", [0, 0, 1]),
        ("condition: panic\nscope: tool:work", [0, 0, 1]),
        ("condition: panic\nscope: Work", [0, 0, 1]),
        ("condition: panic\nscope: \"thinking, tool:bash\"", [0, 1, 0]),
        ("condition: panic\nscope: tool:bash", [0, 0, 0]),
        ("condition: panic\nglobs: \"*.rs\"", [0, 0, 0]),
    ];
    for (head, expected) in cases {
        let mut found = [0; 3];
        for (place, reply) in [&text, &thinking, &tool].into_iter().enumerate() {
            found[place] = interrupts(head, reply.clone()).await;
        }
        assert_eq!(found, *expected, "{head}");
    }
}

#[tokio::test]
async fn places_do_not_run_into_each_other() {
    let reply = json!([{"thinking": "pan"}, "ic", {"text": "pan"}, {"tool_call": {"id": "c", "name": "work", "arguments": {"text": "ic"}}}]);
    assert_eq!(interrupts("condition: panic\nscope: text,thinking,tool", reply).await, 0);
}

#[tokio::test]
async fn files_count_when_their_names_are_complete() {
    let of = |path: &str| call("work", json!({"path": path, "text": "panic"}));
    let late = |path: &str| call("work", json!({"text": "panic", "file_path": path}));
    let many = call("work", json!({"text": "panic", "paths": ["a.txt", "src/b.rs"]}));
    let rules = "condition: panic\nscope: \"tool:work(*.rs)\"";
    let cases = [
        (rules, of("src/main.rs"), 1),
        (rules, of("./main.rs"), 1),
        (rules, late("C:\\src\\main.rs"), 1),
        (rules, many.clone(), 1),
        // The name goes on after what would match.
        (rules, of("main.rs.txt"), 0),
        (rules, late("main.rs.txt"), 0),
        (rules, call("work", json!({"text": "panic"})), 0),
        ("condition: panic\nscope: \"tool(src/**/*.rs)\"", of("src/a/b.rs"), 1),
        ("condition: panic\nscope: \"tool(src/*.rs)\"", of("src/a/b.rs"), 0),
        ("condition: panic\nglobs: [\"*.{rs,toml}\", \"*.md\"]", of("src/a/Cargo.toml"), 1),
        ("condition: panic\nglobs: \"*.{rs,toml},*.md\"", many, 1),
        ("condition: panic\nglobs: \"*.md\"", of("src/a.rs"), 0),
    ];
    for (head, reply, expected) in cases {
        assert_eq!(interrupts(head, reply.clone()).await, expected, "{head} {reply}");
    }
}

#[tokio::test]
async fn paths_within_the_working_directory_are_those_of_the_project() {
    let world = World::new(json!([]));
    let path = world.home.cwd().join("src/a.rs").display().to_string();
    let world = World::new(json!([call("work", json!({"path": path, "text": "panic"})), "Fine."])).in_home_of(world);
    rule(&world, "calm", "condition: panic\nscope: \"tool(src/*.rs)\"");
    with_work(&world);
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(triggered(&running.events.all()).len(), 1);
}

#[tokio::test]
async fn a_condition_can_name_files_alone() {
    let world = World::new(json!([call("write", json!({"path": "src/a.rs", "content": "x"})), "Fine."]));
    rule(&world, "rust", "condition: \"*.rs\"");
    let running = world.start().await;
    running.say("How?").await;
    let events = running.events.all();
    let event = events.iter().find(|event| event["type"] == "ttsr_triggered").expect("an event");
    assert_eq!(
        (&event["rules"][0]["condition"], &event["rules"][0]["scope"]),
        (&json!([".*"]), &json!(["tool:edit(*.rs)", "tool:write(*.rs)"]))
    );
    assert_eq!(interrupts("condition: \"*.rs\"", json!("a.rs")).await, 0);
}

#[tokio::test]
async fn a_call_that_is_interrupted_does_not_run() {
    let world = World::new(json!([call("work", json!({"text": "panic now"})), "Fine."]));
    rule(&world, "calm", "condition: panic");
    let worked = with_work(&world);
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!((worked.all(), triggered(&running.events.all()).len()), (vec![], 1));
}
