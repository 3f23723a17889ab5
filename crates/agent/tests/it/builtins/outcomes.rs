//! What commands have to say is data, and the plain text says the same.

use serde_json::json;
use tau_agent::outcome::{BuiltinOutcome, Choice, Opened, Origin, Replacement, TreeMoved};
use tau_agent::{Prompt, Prompted};
use tau_hooks::events::{SessionBeforeSwitch, SessionBeforeTree};
use tau_hooks::payload::{CancelResult, SessionBeforeTreeResult};

use crate::common::{Running, World};

async fn done(running: &Running, text: &str) -> BuiltinOutcome {
    match running.session.prompt(Prompt::new(text)).await {
        Ok(Prompted::Builtin(done)) => done,
        other => panic!("{text} is no built-in command that works: {other:?}"),
    }
}

async fn choice(running: &Running, text: &str) -> Choice {
    match done(running, text).await {
        BuiltinOutcome::Choice(choice) => choice,
        other => panic!("{text} offers no choice: {other:?}"),
    }
}

/// The values of a choice; the current ones have a star.
fn values(choice: &Choice) -> Vec<String> {
    let mark = |current| if current { "*" } else { "" };
    choice.options.iter().map(|option| format!("{}{}", mark(option.current), option.value)).collect()
}

#[tokio::test]
async fn each_value_of_a_choice_is_an_argument_of_its_command() {
    let world = World::new(json!(["1.", "2."])).settings(json!({"theme": "dark"}));
    world.home.write(".pi/prompts/note.md", "Note.");
    let running = world.start().await;
    running.say("One").await;
    running.say("Two").await;
    for (command, wanted) in [
        ("/model", vec!["scripted/other"]),
        ("/thinking", vec!["off", "minimal", "low", "*medium", "high"]),
        ("/settings", vec!["theme"]),
        ("/trust", vec!["yes", "parent", "no", "forget"]),
    ] {
        let choice = choice(&running, command).await;
        assert_eq!(format!("/{}", choice.command), command);
        let mut found = values(&choice);
        found.sort_by_key(|value| wanted.iter().position(|wanted| wanted == value));
        assert_eq!(found, wanted, "{command}");
        for option in &choice.options {
            done(&running, &format!("{command} {}", option.value)).await;
        }
    }
    assert_eq!(values(&choice(&running, "/model").await), ["*scripted/other"]);
    let points = choice(&running, "/fork").await;
    assert_eq!(points.options.iter().map(|option| option.label.as_str()).collect::<Vec<_>>(), ["One", "Two"]);
    assert_eq!(points.command, "fork");
    let first = running.session.session().id().to_owned();
    let forked = done(&running, &format!("/fork {}", points.options[1].value)).await;
    let now = running.session.session().id().to_owned();
    let opened = Some(Opened { id: now.clone(), text: Some("Two".to_owned()) });
    assert_eq!(forked, BuiltinOutcome::Replaced(Replacement { origin: Origin::Fork, opened }));
    let sessions = choice(&running, "/resume").await;
    assert_eq!(
        values(&sessions).into_iter().filter(|value| value.starts_with('*')).collect::<Vec<_>>(),
        [format!("*{now}")]
    );
    let opened = Some(Opened { id: first.clone(), text: None });
    let resumed = done(&running, &format!("/{} {first}", sessions.command)).await;
    assert_eq!(resumed, BuiltinOutcome::Replaced(Replacement { origin: Origin::Saved, opened }));
}

#[tokio::test]
async fn the_tree_is_a_list_of_places_and_a_move_says_where_to() {
    let world = World::new(json!(["1.", "2.", "3."]));
    let running = world.start().await;
    running.say("One").await;
    running.say("Two").await;
    let two = running.session.fork_points()[1].0.clone();
    let moved = done(&running, &format!("/tree {two}")).await;
    let BuiltinOutcome::Moved(TreeMoved::To { leaf: Some(leaf), text: Some(text) }) = moved else {
        panic!("no move: {moved:?}")
    };
    assert_eq!(text, "Two");
    running.say("Three").await;
    running.say(&format!("/label {two} old")).await;
    let BuiltinOutcome::Tree(tree) = done(&running, "/tree").await else { panic!("no tree") };
    let place =
        |place: &tau_agent::outcome::TreePlace| (place.depth, place.on_path, place.label.clone(), place.text.clone());
    assert_eq!(
        tree.places.iter().map(place).collect::<Vec<_>>(),
        [
            (0, true, None, "user: One".to_owned()),
            (0, true, None, "assistant: 1.".to_owned()),
            (1, false, Some("old".to_owned()), "user: Two".to_owned()),
            (1, false, None, "assistant: 2.".to_owned()),
            (1, true, None, "user: Three".to_owned()),
            (1, true, None, "assistant: 3.".to_owned()),
        ]
    );
    assert_eq!((tree.places[1].id.clone(), tree.places[2].id.clone()), (leaf, two));
}

#[tokio::test]
async fn what_an_extension_refused_is_said() {
    let world = World::new(json!(["1."]));
    world.extend("no", |registrar| {
        registrar.on::<SessionBeforeSwitch>(|_, _| async { Some(CancelResult { cancel: Some(true) }) });
        registrar.on::<SessionBeforeTree>(|_, _| async {
            Some(SessionBeforeTreeResult { cancel: Some(true), ..SessionBeforeTreeResult::default() })
        });
    });
    let running = world.start().await;
    running.say("One").await;
    let refused = done(&running, "/new").await;
    assert_eq!(refused, BuiltinOutcome::Replaced(Replacement { origin: Origin::New, opened: None }));
    assert_eq!(refused.to_string(), "Cancelled by an extension.");
    let point = running.session.fork_points()[0].0.clone();
    let refused = done(&running, &format!("/tree {point}")).await;
    assert_eq!(refused, BuiltinOutcome::Moved(TreeMoved::Cancelled));
    assert_eq!(refused.to_string(), "Cancelled by an extension.");
    assert!(done(&running, "/quit").await.is_silent());
}
