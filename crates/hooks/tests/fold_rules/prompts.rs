//! `input`, `before_agent_start`, `resources_discover` and the questions before a session.

use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tau_hooks::events::{
    BeforeAgentStart, CacheWarmingDecision, Input, ProjectTrust, ResourcesDiscover, SessionDirectory,
};
use tau_hooks::payload::{
    BeforeAgentStartEvent, BeforeAgentStartResult, CacheWarmingAction, CacheWarmingDecisionEvent, CustomDraft,
    DiscoverReason, InputEvent, InputSource, ProjectTrustEvent, ResourcesDiscoverEvent, SessionDirectoryEvent,
    StartedBy,
};
use tau_testkit::Stage;

use super::{Round, both, from_json, to_json, with};

fn image(data: &str) -> Value {
    json!({ "type": "image", "data": data, "mimeType": "image/png" })
}

fn hello() -> InputEvent {
    let images = Some(vec![ContentBlock::image("AA==", "image/png")]);
    InputEvent { text: "hello".into(), images, source: InputSource::Rpc, streaming_behavior: None }
}

fn transform(text: &str) -> Option<Value> {
    Some(json!({ "action": "transform", "text": text }))
}

#[tokio::test]
async fn input_is_passed_from_handler_to_handler() {
    let before = to_json(&hello());
    let (first, second) = (with(&before, json!({ "text": "hello 1" })), with(&before, json!({ "text": "2" })));
    let go_on = json!({ "action": "continue" });
    let results = [transform("hello 1"), None, Some(go_on.clone()), transform("2"), Some(go_on.clone())];
    assert_eq!(
        both::<Input>(hello(), &results).await,
        Round {
            seen: vec![before, first.clone(), first.clone(), first, second.clone()],
            payload: second,
            output: Some(go_on),
            stopped_by: None,
            reports: vec![],
        }
    );
}

#[tokio::test]
async fn handled_input_ends_the_round() {
    let before = to_json(&hello());
    let changed = with(&before, json!({ "text": "x" }));
    let handled = json!({ "action": "handled" });
    assert_eq!(
        both::<Input>(hello(), &[transform("x"), Some(handled.clone()), transform("never")]).await,
        Round {
            seen: vec![before, changed.clone()],
            payload: changed,
            output: Some(handled),
            stopped_by: Some(1),
            reports: vec![],
        }
    );
}

#[tokio::test]
async fn images_stay_unless_a_list_is_given_and_an_empty_list_removes_them() {
    let before = to_json(&hello());
    let images = |list: Value| Some(json!({ "action": "transform", "text": "hello", "images": list }));
    let kept = both::<Input>(hello(), &[transform("hello")]).await;
    assert_eq!(kept.payload, before);
    let replaced = both::<Input>(hello(), &[images(json!([image("BB=="), image("CC==")])), transform("hello")]).await;
    assert_eq!(replaced.payload, with(&before, json!({ "images": [image("BB=="), image("CC==")] })));
    let cleared = both::<Input>(hello(), &[images(json!([])), None]).await;
    let mut bare = before.clone();
    bare.as_object_mut().and_then(|event| event.shift_remove("images"));
    assert_eq!(cleared.seen, [before, bare.clone()]);
    assert_eq!(cleared.payload, bare);
}

fn start() -> BeforeAgentStartEvent {
    BeforeAgentStartEvent {
        message_type: StartedBy::User,
        message: None,
        prompt: "do it".into(),
        images: None,
        system_prompt: "base".into(),
        system_prompt_options: json!({ "cwd": "/work" }),
    }
}

fn note(text: &str) -> Value {
    json!({ "customType": "note", "content": text, "display": false })
}

#[tokio::test]
async fn messages_accumulate_and_the_system_prompt_is_passed_along() {
    let before = to_json(&start());
    let prompt = |text: &str| with(&before, json!({ "systemPrompt": text }));
    let results = [
        Some(json!({ "message": note("one"), "systemPrompt": "base+1" })),
        Some(json!({ "message": note("two") })),
        Some(json!({ "systemPrompt": "base+1+3" })),
        Some(json!({})),
        Some(json!({ "message": note("five") })),
    ];
    let round = both::<BeforeAgentStart>(start(), &results).await;
    let seen = ["base", "base+1", "base+1", "base+1+3", "base+1+3"].map(prompt);
    assert_eq!((round.seen, round.payload), (seen.to_vec(), prompt("base+1+3")));

    let stage = Stage::new();
    for result in &results {
        let result: BeforeAgentStartResult = from_json(&result.clone().expect("all have results"));
        stage.add("ext", move |registrar| {
            let result = result.clone();
            registrar.on::<BeforeAgentStart>(move |_, _| {
                let result = result.clone();
                async move { Some(result) }
            });
        });
    }
    let output = stage.fire::<BeforeAgentStart>(start()).await.output.expect("there are results");
    assert_eq!(output.system_prompt.as_deref(), Some("base+1+3"));
    let expected: Vec<CustomDraft> = ["one", "two", "five"].map(|text| from_json(&note(text))).to_vec();
    assert_eq!(output.messages(), expected);
}

#[tokio::test]
async fn an_empty_system_prompt_is_a_real_one() {
    let before = to_json(&start());
    let empty = with(&before, json!({ "systemPrompt": "" }));
    let round = both::<BeforeAgentStart>(start(), &[Some(json!({ "systemPrompt": "" })), None]).await;
    assert_eq!((round.seen, round.payload), (vec![before, empty.clone()], empty));
    assert_eq!(round.output, Some(json!({ "systemPrompt": "" })));
}

#[tokio::test]
async fn without_results_the_system_prompt_stays() {
    let round = both::<BeforeAgentStart>(start(), &[None, Some(json!({})), None]).await;
    assert_eq!((round.payload, round.output), (to_json(&start()), Some(json!({}))));
}

#[tokio::test]
async fn resources_of_all_handlers_are_collected() {
    let event = ResourcesDiscoverEvent { cwd: "/work".into(), reason: DiscoverReason::Startup };
    let results = [
        Some(json!({ "skillPaths": ["a"], "themePaths": ["t"] })),
        None,
        Some(json!({ "skillPaths": ["b", "a"], "promptPaths": ["p"] })),
    ];
    let before = to_json(&event);
    assert_eq!(
        both::<ResourcesDiscover>(event, &results).await,
        Round {
            seen: vec![before.clone(); 3],
            payload: before,
            output: Some(json!({ "skillPaths": ["a", "b", "a"], "promptPaths": ["p"], "themePaths": ["t"] })),
            stopped_by: None,
            reports: vec![],
        }
    );
}

#[tokio::test]
async fn the_last_session_directory_that_is_one_counts() {
    let event = SessionDirectoryEvent { cwd: "/work".into() };
    let dir = |dir: &str| Some(json!({ "sessionDir": dir }));
    let round = both::<SessionDirectory>(event.clone(), &[dir("/a"), dir("/b"), dir(""), Some(json!({})), None]).await;
    assert_eq!((round.output, round.seen), (dir("/b"), vec![to_json(&event); 5]));
}

#[tokio::test]
async fn the_last_decision_on_the_cache_counts() {
    let action = CacheWarmingAction::Stop;
    let event = CacheWarmingDecisionEvent { warm_cost: 0.1, miss_cost: 0.5, continuation_probability: 0.9, action };
    let decide = |action: &str| Some(json!({ "action": action }));
    let round = both::<CacheWarmingDecision>(event, &[decide("stop"), decide("warm"), Some(json!({}))]).await;
    assert_eq!((round.output, round.seen.len()), (decide("warm"), 3));
}

#[tokio::test]
async fn the_first_decision_on_trust_ends_the_round() {
    let event = ProjectTrustEvent { cwd: "/work".into() };
    let decide = |trusted: &str| Some(json!({ "trusted": trusted }));
    let results = [None, decide("undecided"), decide("no"), decide("yes")];
    let round = both::<ProjectTrust>(event.clone(), &results).await;
    assert_eq!((round.output, round.seen.len(), round.stopped_by), (decide("no"), 3, Some(2)));
    let open = both::<ProjectTrust>(event, &[decide("undecided"), None]).await;
    assert_eq!((open.output, open.stopped_by), (None, None));
}
