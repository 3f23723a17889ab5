//! The questions before a session is replaced or its leaf moves.

use serde_json::{Value, json};
use tau_hooks::payload::ForkPosition;
use tau_hooks::{NewSessionRequest, Replaced, TreeMove};

use crate::common::{Running, World, messages};

/// A handler that answers with whatever is in front of its queue of answers.
fn answering(world: &World, event: &'static str, answers: &[Value]) {
    let answers = std::sync::Arc::new(parking_lot::Mutex::new(answers.to_vec()));
    world.extend("answers", move |registrar| {
        let answers = answers.clone();
        registrar.on_json(event, move |_, _| {
            let mut answers = answers.lock();
            let answer = (!answers.is_empty()).then(|| answers.remove(0));
            std::future::ready(Ok(answer))
        });
    });
}

async fn talked(world: &World) -> Running {
    let running = world.start().await;
    running.say("One").await;
    running.say("Two").await;
    running
}

const TALK: [(&str, &str); 4] = [("user", "One"), ("assistant", "1."), ("user", "Two"), ("assistant", "2.")];

/// `cancel` stops it before anything happens.
pub async fn session_before_switch() {
    let world = World::new(json!(["1.", "2."]));
    answering(&world, "session_before_switch", &[json!({"cancel": true}), json!({"cancel": true})]);
    let running = talked(&world).await;
    let (session, file) = (running.session.session(), running.session.session().file().expect("a file").to_owned());
    let seen = world.watch();
    let done = running.session.new_session(NewSessionRequest::default()).await.expect("an answer");
    assert_eq!(done, Replaced::cancelled());
    let done = running.session.switch_session(&file).await.expect("an answer");
    assert_eq!(done, Replaced::cancelled());
    assert_eq!(running.session.session().id(), session.id());
    assert_eq!(running.conversation(), messages(TALK));
    let file = file.display().to_string();
    assert_eq!(
        seen.all(),
        [] as [Value; 0],
        "a cancelled round ends with the handler that cancelled it, and nothing else fires: {file}"
    );
    let done = running.session.new_session(NewSessionRequest::default()).await.expect("an answer");
    assert_eq!(done, Replaced::default());
    assert_ne!(running.session.session().id(), session.id());
}

/// `cancel` stops it; `skipConversationRestore` leaves the conversation as it is.
pub async fn session_before_fork() {
    let world = World::new(json!(["1.", "2.", "3."]));
    answering(&world, "session_before_fork", &[json!({"cancel": true}), json!({"skipConversationRestore": true})]);
    let running = talked(&world).await;
    let id = running.session.session().id().to_owned();
    let (second, _) = running.session.fork_points()[1].clone();
    let fork = || running.session.fork(&second, ForkPosition::Before);
    assert_eq!(fork().await.expect("an answer"), Replaced::cancelled());
    assert_eq!(running.session.session().id(), id);

    let done = fork().await.expect("a fork");
    assert_eq!(done, Replaced { cancelled: false, text: Some("Two".to_owned()) });
    assert_ne!(running.session.session().id(), id);
    assert_eq!(running.file_messages(), messages(TALK)[..2], "the file is the fork's");
    assert_eq!(running.conversation(), messages(TALK), "the conversation is that of before");
    running.say("Three").await;
    assert_eq!(running.asked()[2], messages([TALK[0], TALK[1], TALK[2], TALK[3], ("user", "Three")]));
}

/// `cancel` stops it; a summary, instructions and a label take the place of those of the user.
pub async fn session_before_tree() {
    let summary = json!({"summary": "My own words.", "details": {"kept": 1}});
    let answers = [
        json!({"cancel": true}),
        json!({"summary": summary, "label": "left here"}),
        json!({"customInstructions": "Only names.", "replaceInstructions": true}),
        json!({"summary": summary}),
    ];
    let world = World::new(json!(["1.", "2.", "Ada, Bob."]));
    answering(&world, "session_before_tree", &answers);
    let running = talked(&world).await;
    let tree = running.session.session();
    let leaf = tree.leaf().expect("a leaf").to_string();
    let points = running.session.fork_points();
    let go = |id: &str, how: TreeMove| {
        let (session, id) = (running.session.clone(), id.to_owned());
        async move { session.navigate_tree(&id, how).await.expect("an answer") }
    };
    let summarize = || TreeMove { summarize: true, ..TreeMove::default() };

    let done = go(&points[1].0, summarize()).await;
    assert!(done.cancelled && !done.aborted);
    assert_eq!(tree.leaf().expect("a leaf").to_string(), leaf);

    let done = go(&points[1].0, summarize()).await;
    assert_eq!(done.editor_text.as_deref(), Some("Two"));
    let entry = done.summary_entry.expect("a summary");
    assert_eq!(
        (&entry["summary"], &entry["details"], &entry["fromHook"], &entry["fromId"]),
        (&json!("My own words."), &json!({"kept": 1}), &json!(true), &json!(leaf))
    );
    assert_eq!(tree.label(entry["id"].as_str().expect("an id")), Some("left here".to_owned()));
    assert_eq!(running.script.requests().len(), 2, "nobody asked the model");

    let done = go(&leaf, TreeMove { custom_instructions: Some("Everything.".to_owned()), ..summarize() }).await;
    let prompt = running.asked()[2][0].1.clone();
    assert!(prompt.ends_with("</conversation>\n\nOnly names."), "{prompt}");
    let text = done.summary_entry.expect("a summary")["summary"].as_str().expect("a text").to_owned();
    assert!(text.ends_with("\n\nAda, Bob."), "{text}");

    // A summary that nobody asked for is none.
    let done = go(&points[0].0, TreeMove::default()).await;
    assert_eq!((done.summary_entry, done.editor_text.as_deref()), (None, Some("One")));
    assert_eq!((tree.leaf().is_some(), running.conversation()), (true, vec![]));
}
