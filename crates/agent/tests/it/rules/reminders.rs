//! Reminders of the to-do list.

use serde_json::{Value, json};
use tau_agent::ToolChoice;
use tau_hooks::{HostView, NewSessionRequest};
use tau_session::Session;
use tau_tools::{Invocation, ToolOutput};

use crate::common::tools::spec;
use crate::common::{Running, World, calls};

fn list(statuses: &[(&str, &str)]) -> Value {
    let item = |(content, status): &(&str, &str)| json!({"content": content, "status": status});
    json!({"todos": statuses.iter().map(item).collect::<Vec<_>>()})
}

fn writes(id: &str, statuses: &[(&str, &str)]) -> Value {
    calls([(id, "todo_write", list(statuses))])
}

fn world(replies: Value, settings: Value) -> World {
    let mut world = World::new(replies).settings(settings);
    world.tools = ToolChoice { only: Some(vec!["todo_write".to_owned()]), ..ToolChoice::default() };
    world
}

fn on() -> Value {
    json!({"todo": {"reminders": true}})
}

/// The reminders so far: attempt, most, open items.
fn reminders(events: &[Value]) -> Vec<(u64, u64, Vec<String>)> {
    let of = |event: &Value| {
        let items = event["todos"].as_array().expect("items");
        let items = items.iter().map(|item| item["content"].as_str().expect("a content").to_owned());
        (
            event["attempt"].as_u64().expect("a number"),
            event["maxAttempts"].as_u64().expect("a number"),
            items.collect(),
        )
    };
    events.iter().filter(|event| event["type"] == "todo_reminder").map(of).collect()
}

fn told(running: &Running) -> Vec<bool> {
    let last = |messages: &Vec<(String, String)>| messages.last().is_some_and(|(_, text)| text.contains("to-do list"));
    running.asked().iter().map(last).collect()
}

#[tokio::test]
async fn the_model_is_reminded_up_to_the_limit_and_again_after_a_prompt() {
    let open = writes("1", &[("Sow", "completed"), ("Water", "in_progress"), ("Reap", "pending")]);
    let world = world(json!([open, "a", "b", "c", "d", "e", "f", "g", "h"]), on());
    let seen = world.watch();
    let running = world.start().await;
    running.say("Garden").await;
    let items = || vec!["Water".to_owned(), "Reap".to_owned()];
    assert_eq!(reminders(&seen.take()), [(1, 3, items()), (2, 3, items()), (3, 3, items())]);
    assert_eq!(told(&running), [false, false, true, true, true]);
    insta::assert_snapshot!("reminder", running.asked()[2].last().expect("a message").1);
    // A message of an extension is none of the user's.
    running.say_as_extension("Well?").await.expect("a run");
    running.session.wait_until_idle().await;
    assert_eq!(reminders(&seen.take()), []);
    running.say("Go on").await;
    assert_eq!(reminders(&seen.take()).len(), 3);
    assert_eq!(reminders(&running.events.all()).len(), 6);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn a_list_that_is_done_ends_it() {
    let world = world(
        json!([writes("1", &[("Sow", "pending")]), "a", writes("2", &[("Sow", "completed")]), "b"]),
        json!({"todoCompletion": {"enabled": true, "maxReminders": 5}}),
    );
    let running = world.start().await;
    running.say("Garden").await;
    assert_eq!(reminders(&running.events.all()), [(1, 5, vec!["Sow".to_owned()])]);
    assert_eq!(running.script.requests().len(), 4);
    let file = running.file();
    let message = file.iter().find(|line| line["customType"] == "todo-reminder").expect("a reminder");
    assert_eq!(
        (&message["display"], &message["details"]),
        (
            &json!(false),
            &json!({"todos": [{"id": "1", "content": "Sow", "status": "pending"}], "attempt": 1, "maxAttempts": 5})
        )
    );
}

#[tokio::test]
async fn nobody_is_reminded_unless_the_user_wants_it() {
    for settings in [
        json!({}),
        json!({"todo": {"reminders": {"max": 0}}}),
        json!({"todo": {"reminders": {"enabled": false, "max": 4}}}),
    ] {
        let world = world(json!([writes("1", &[("Sow", "pending")]), "a"]), settings.clone());
        let running = world.start().await;
        running.say("Garden").await;
        assert_eq!((reminders(&running.events.all()), running.script.requests().len()), (vec![], 2), "{settings}");
    }
}

#[tokio::test]
async fn a_failed_answer_is_no_reason() {
    let failed = json!([{"error": {"message": "Bad request", "status": 400}}]);
    let world = world(json!([writes("1", &[("Sow", "pending")]), failed]), on());
    let running = world.start().await;
    running.say("Garden").await;
    assert_eq!((reminders(&running.events.all()), running.script.requests().len()), (vec![], 2));
}

#[tokio::test]
async fn the_list_of_any_tool_counts_and_goes_with_its_session() {
    let settings = json!({"todo": {"reminders": {"max": 1}}});
    let call = calls([("1", "plan", json!({"text": "x"}))]);
    let world = World::new(json!([call, "a", "b", "c", "d"])).settings(settings.clone());
    let add = |world: &World| {
        world.extend("plan", |registrar| {
            registrar.tool(spec("plan"), |_: Invocation, _| {
                let todos = json!([{"id": 7, "content": "Sow", "status": "pending", "activeForm": "Sowing", "notes": "n", "details": "d"}]);
                std::future::ready(Ok(ToolOutput::text("ok").with_details(json!({"todos": todos}))))
            });
        });
    };
    add(&world);
    let running = world.start().await;
    running.say("Garden").await;
    let events = running.events.all();
    let event = events.iter().find(|event| event["type"] == "todo_reminder").expect("a reminder");
    assert_eq!(
        event["todos"],
        json!([{"id": "7", "content": "Sow", "status": "pending", "activeForm": "Sowing", "notes": "n", "details": "d"}])
    );
    let file = running.session.session().file().expect("a file").to_owned();
    running.session.new_session(NewSessionRequest::default()).await.expect("a new session");
    running.say("Something else").await;
    assert_eq!(reminders(&running.events.all()).len(), 1);
    drop(running);

    let opened = Session::open(&file).expect("a session");
    let again = World::new(json!(["a", "b"])).settings(settings).in_home_of(world).resume(opened);
    add(&again);
    let running = again.start().await;
    running.say("And the garden?").await;
    assert_eq!(reminders(&running.events.all()), [(1, 1, vec!["Sow".to_owned()])]);
}

#[tokio::test]
async fn the_tool_is_only_there_when_it_is_wanted() {
    let names =
        |running: &Running| -> Vec<String> { running.session.all_tools().into_iter().map(|tool| tool.name).collect() };
    let plain = World::new(json!([])).with_builtin_tools();
    assert!(!names(&plain.start().await).contains(&"todo_write".to_owned()));
    for settings in [json!({"todo": {"enabled": true}}), on()] {
        let wanted = World::new(json!([])).with_builtin_tools().settings(settings);
        let running = wanted.start().await;
        assert_eq!(running.session.active_tools().last().map(String::as_str), Some("todo_write"));
    }
    let off = World::new(json!([])).with_builtin_tools();
    let off = off.settings(json!({"todo": {"enabled": false, "reminders": true}}));
    assert!(!names(&off.start().await).contains(&"todo_write".to_owned()));
}
