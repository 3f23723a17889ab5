//! Commands at moments of a session other than tool calls: a prompt, a start, a stop, a compaction, an end.

use serde_json::{Value, json};
use tau_agent::{Prompt, PromptError, Prompted};
use tau_hooks::payload::SessionShutdownReason;

use super::{Place, place_with};

fn on(replies: Value, event: &str, matcher: &str, command: &str) -> Place {
    let place = place_with(replies).settings(json!({"tau": {"shellHooks": {"claudeSettings": true}}}));
    let entry = json!({"type": "command", "command": command});
    let settings = json!({"hooks": {event: [{"matcher": matcher, "hooks": [entry]}]}});
    place.file(".claude/settings.json", &settings.to_string());
    place
}

/// The texts that the model was sent with a request.
fn texts(running: &crate::common::Running, request: usize) -> Vec<String> {
    running.asked()[request].iter().map(|(_, text)| text.clone()).collect()
}

fn reports(place: &Place) -> Vec<String> {
    place.world.reports.all().into_iter().map(|(_, _, text)| text).collect()
}

#[tokio::test]
async fn a_command_may_forbid_a_prompt_or_add_to_it() {
    let place = on(json!(["Fine."]), "UserPromptSubmit", "", "cat > told.json; echo 'no secrets' >&2; exit 2");
    let running = place.start().await;
    assert_eq!(running.say("The key is 1234.").await, Prompted::Handled);
    assert_eq!(running.script.requests().len(), 0);
    assert_eq!(reports(&place), ["The prompt was not sent: no secrets"]);
    let told = std::fs::read_to_string(place.world.home.cwd().join("told.json")).expect("what it was told");
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!((&told["hook_event_name"], &told["prompt"]), (&json!("UserPromptSubmit"), &json!("The key is 1234.")));
    assert!(told.get("tool_name").is_none(), "{told}");

    let answer = r#"echo '{"decision": "block", "reason": "later"}'"#;
    let place = on(json!(["Fine."]), "UserPromptSubmit", "ignored", answer);
    let running = place.start().await;
    assert_eq!(
        (running.say("Now").await, reports(&place)),
        (Prompted::Handled, vec!["The prompt was not sent: later".to_owned()])
    );

    for answer in [
        "echo 'it rains'",
        r#"echo '{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "it rains"}}'"#,
    ] {
        let place = on(json!(["Fine."]), "UserPromptSubmit", "", answer);
        let running = place.start().await;
        assert_eq!(running.say("Go on.").await, Prompted::Ran);
        assert_eq!(texts(&running, 0), ["Go on.", "it rains"], "{answer}");
    }
}

#[tokio::test]
async fn a_prompt_that_nobody_could_decide_about_is_not_sent_and_commands_still_work() {
    for (command, why) in [
        ("exit 127", "could not be started: exit code 127"),
        ("kill -9 $$", "was ended by signal 9"),
        ("echo '{\"decision\": 1}'", "gave an answer whose `decision` is not a text"),
    ] {
        let place = on(json!(["Fine."]), "UserPromptSubmit", "", command);
        let running = place.start().await;
        let refused = running.session.prompt(Prompt::new("Go on.")).await.expect_err(command);
        assert!(matches!(refused, PromptError::Blocked(_)) && refused.to_string().contains(why), "{refused}");
        assert_eq!(running.script.requests().len(), 0);
        assert!(matches!(running.say("/name Mine").await, Prompted::Builtin(_)), "{command}");
    }
    let place = on(json!(["Fine."]), "UserPromptSubmit", "", "exit 127");
    let settings = json!({"tau": {"shellHooks": {"claudeSettings": true, "onFailure": "allow"}}});
    assert_eq!(place.settings(settings).start().await.say("Go on.").await, Prompted::Ran);
}

/// What held prompts back once does so also when its file cannot be read any more.
#[tokio::test]
async fn a_guard_of_prompts_is_remembered() {
    let place = on(json!(["Fine.", "Fine."]), "UserPromptSubmit", "", "exit 0");
    let running = place.start().await;
    assert_eq!(running.say("Go on.").await, Prompted::Ran);
    running.session.shut_down(SessionShutdownReason::Quit).await;
    let mut again = on(json!(["Fine."]), "UserPromptSubmit", "", "exit 0");
    again.world = again.world.in_home_of(place.world);
    again.file(".claude/settings.json", "{broken");
    let running = again.start().await;
    let refused = running.session.prompt(Prompt::new("Go on.")).await.expect_err("a shut gate");
    assert!(refused.to_string().contains("it guarded this and could not be loaded again"), "{refused}");
}

#[tokio::test]
async fn a_command_may_make_the_model_go_on_and_is_told_that_it_did() {
    let command = "grep -q '\"stop_hook_active\":true' || { echo 'run the tests' >&2; exit 2; }";
    let place = on(json!(["Done.", "They pass."]), "Stop", "", command);
    let running = place.start().await;
    running.say("Go on.").await;
    assert_eq!(texts(&running, 1), ["Go on.", "Done.", "run the tests"]);
    assert_eq!((running.script.requests().len(), reports(&place)), (2, vec![]));
    // A new prompt is a new matter.
    let place = on(json!(["1.", "2.", "3.", "4."]), "Stop", "", command);
    let running = place.start().await;
    running.say("One").await;
    running.say("Two").await;
    assert_eq!(running.script.requests().len(), 4);
}

#[tokio::test]
async fn a_stop_that_fails_is_told_and_the_run_ends() {
    let place = on(json!(["Done."]), "Stop", "", "echo oops >&2; exit 3");
    place.start().await.say("Go on.").await;
    let told = reports(&place);
    assert!(
        told.len() == 1 && told[0].contains("exited with code 3") && told[0].contains("it wrote: oops"),
        "{told:?}"
    );
}

#[tokio::test]
async fn what_a_start_says_reaches_the_first_prompt() {
    for (matcher, expected) in [("startup", vec!["Go on.", "by start"]), ("resume|clear", vec!["Go on."])] {
        let place =
            on(json!(["Fine."]), "SessionStart", matcher, "grep -q '\"source\":\"startup\"' && echo 'by start'");
        let running = place.start().await;
        running.say("Go on.").await;
        assert_eq!(texts(&running, 0), expected, "{matcher}");
    }
}

#[tokio::test]
async fn a_command_may_keep_a_conversation_from_being_compacted() {
    for (matcher, compacted, told) in [("manual", false, vec!["keep it".to_owned()]), ("auto", true, vec![])] {
        let replies = json!(["One.", "Two.", "Summary."]);
        let place = on(replies, "PreCompact", matcher, "echo 'keep it' >&2; exit 2");
        let place = place.settings(json!({"compaction": {"reserveTokens": 100, "keepRecentTokens": 4}}));
        let running = place.start().await;
        running.say("Go on.").await;
        running.say("And on.").await;
        assert_eq!(running.session.compact(None).await.is_ok(), compacted, "{matcher}");
        assert_eq!(reports(&place), told, "{matcher}");
    }
}

#[tokio::test]
async fn the_end_of_a_session_is_told() {
    let place = on(json!([]), "SessionEnd", "", "cat > ended.json");
    let running = place.start().await;
    running.session.shut_down(SessionShutdownReason::Quit).await;
    let told = std::fs::read_to_string(place.world.home.cwd().join("ended.json")).expect("what it was told");
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!((&told["hook_event_name"], &told["reason"]), (&json!("SessionEnd"), &json!("other")));
}
