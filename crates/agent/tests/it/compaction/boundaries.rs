//! What extensions may write at the end of a turn and of a run.

use serde_json::{Value, json};
use tau_hooks::Registrar;

use super::entries;
use crate::common::{Log, World, messages};

/// Answers an event once.
fn once(
    registrar: &mut Registrar,
    event: &str,
    answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
    seen: &Log<Value>,
) {
    let seen = seen.clone();
    let answer = std::sync::Arc::new(answer);
    registrar.on_json(event, move |event, _| {
        seen.push(event.clone());
        let first = seen.all().len() == 1;
        let result = first.then(|| answer(&event));
        std::future::ready(Ok(result))
    });
}

#[tokio::test]
async fn the_preview_lists_the_entries_behind_the_messages() {
    let world = World::new(json!(["One.", "Two."]));
    let (first, second) = (Log::default(), Log::default());
    world.extend("first", |registrar| {
        let hide = |event: &Value| {
            json!({"entries": [
                {"type": "context_edit", "targetId": event["messageEntryId"], "replacement": {"content": "Replaced."}},
                {"type": "custom_message", "customType": "note", "content": "more", "display": false},
            ], "continue": true})
        };
        once(registrar, "turn_end", hide, &first);
    });
    world.extend("second", |registrar| once(registrar, "turn_end", |_| Value::Null, &second));
    let running = world.start().await;
    running.say("Hi").await;
    let kinds = |event: &Value| -> Vec<(String, usize)> {
        let entries = event["context"]["contextEntries"].as_array().expect("entries");
        let kind = |entry: &Value| {
            (
                entry["sourceEntry"]["type"].as_str().expect("a type").to_owned(),
                entry["messages"].as_array().expect("messages").len(),
            )
        };
        entries.iter().map(kind).filter(|(kind, _)| kind != "model_change" && kind != "thinking_level_change").collect()
    };
    let message = |count: usize| ("message".to_owned(), count);
    assert_eq!(kinds(&first.all()[0]), [message(1), message(1)]);
    assert_eq!(
        kinds(&second.all()[0]),
        [message(1), message(1), ("context_edit".to_owned(), 0), ("custom_message".to_owned(), 1)]
    );
    let previewed = &second.all()[0]["context"];
    assert_eq!(previewed["contextMessages"][1]["content"], json!([{"type": "text", "text": "Replaced."}]));
    assert_eq!(previewed["canContinue"], json!(true));
    // It came as it was shown.
    assert_eq!(running.asked()[1], messages([("user", "Hi"), ("assistant", "Replaced."), ("user", "more")]));
    assert_eq!(entries(&running, "context_edit").len(), 1);
}

#[tokio::test]
async fn a_compaction_can_be_written_at_a_boundary() {
    let world = World::new(json!(["One.", "Two."]));
    let seen = Log::default();
    world.extend("shrink", |registrar| {
        let shrink =
            |_: &Value| json!({"entries": [{"type": "compaction", "summary": "Short.", "firstKeptEntryId": null}]});
        once(registrar, "agent_before_settle", shrink, &seen);
    });
    let running = world.start().await;
    running.say("Hi").await;
    let [entry] = &entries(&running, "compaction")[..] else { panic!("one compaction") };
    assert_eq!((&entry["summary"], &entry["fromHook"]), (&json!("Short."), &json!(true)));
    assert!(entry["tokensBefore"].as_u64().is_some_and(|tokens| tokens > 0));
    assert_eq!(running.conversation().len(), 1);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn a_list_that_cannot_be_appended_is_dropped_as_a_whole() {
    let world = World::new(json!(["One."]));
    let seen = Log::default();
    world.extend("wrong", |registrar| {
        let wrong = |_: &Value| {
            json!({"entries": [{"type": "custom", "customType": "kept?"},
                {"type": "compaction", "summary": "Short.", "firstKeptEntryId": "nowhere"}], "continue": true})
        };
        once(registrar, "turn_end", wrong, &seen);
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(entries(&running, "custom"), Vec::<Value>::new());
    assert_eq!(running.script.requests().len(), 1);
    let why = "Invalid boundary entries: compaction: the entry nowhere is not on this branch";
    assert_eq!(world.reports.all(), [("<native:wrong>".to_owned(), "turn_end".to_owned(), why.to_owned())]);
}

/// Two handlers, and only the one that is at fault is named; what the other proposed is appended.
#[tokio::test]
async fn a_list_that_cannot_be_appended_leaves_those_of_others() {
    let world = World::new(json!(["One."]));
    let (first, second) = (Log::default(), Log::default());
    let good = |_: &Value| json!({"entries": [{"type": "custom", "customType": "good"}]});
    let wrong = |_: &Value| json!({"entries": [{"type": "context_edit", "targetId": "nope", "replacement": null}]});
    world.extend("good", |registrar| once(registrar, "turn_end", good, &first));
    world.extend("wrong", |registrar| once(registrar, "turn_end", wrong, &second));
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(entries(&running, "custom").len(), 1);
    let why = "Invalid boundary entries: context_edit: Entry nope not found";
    assert_eq!(world.reports.all(), [("<native:wrong>".to_owned(), "turn_end".to_owned(), why.to_owned())]);
}

#[tokio::test]
async fn a_list_with_an_entry_of_an_unknown_type_is_reported_and_not_used() {
    let world = World::new(json!(["One."]));
    let seen = Log::default();
    let odd = |_: &Value| json!({"entries": [{"type": "custom", "customType": "good"}, {"type": "zork"}]});
    world.extend("odd", |registrar| once(registrar, "turn_end", odd, &seen));
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(entries(&running, "custom"), Vec::<Value>::new());
    let [(extension, event, why)] = &world.reports.all()[..] else { panic!("one report") };
    assert_eq!((extension.as_str(), event.as_str()), ("<native:odd>", "turn_end"));
    assert!(why.starts_with("returned a malformed result: unknown variant `zork`"), "{why}");
}

#[tokio::test]
async fn going_on_needs_something_to_answer_to() {
    let world = World::new(json!(["One."]));
    let seen = Log::default();
    world.extend("on", |registrar| once(registrar, "agent_before_settle", |_| json!({"continue": true}), &seen));
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(running.script.requests().len(), 1);
    assert_eq!(world.reports.all().len(), 1);
    assert_eq!(seen.all()[0]["context"]["canContinue"], json!(false));
}
