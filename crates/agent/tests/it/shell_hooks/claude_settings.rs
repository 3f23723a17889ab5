//! Commands in the settings files of Claude Code, once the user switched them on.

use serde_json::{Value, json};

use super::{Place, place, result_of};

fn on() -> Place {
    place().settings(json!({"tau": {"shellHooks": {"claudeSettings": true}}}))
}

fn hooks(event: &str, matcher: &str, entry: Value) -> String {
    json!({"hooks": {event: [{"matcher": matcher, "hooks": [entry]}]}}).to_string()
}

fn command(text: &str) -> Value {
    json!({"type": "command", "command": text})
}

#[tokio::test]
async fn commands_run_for_the_tools_that_match() {
    let deny = "test \"$PI_HOOK_TOOL\" = work && { echo 'by settings' >&2; exit 2; }";
    for (matcher, blocked) in [
        ("work", true),
        ("Bash|work", true),
        ("wo.k", true),
        ("", true),
        ("*", true),
        ("^or", false),
        ("wor", false),
        ("Work", false),
    ] {
        let place = on();
        place.file(".claude/settings.json", &hooks("PreToolUse", matcher, command(deny)));
        let expected = if blocked { "by settings" } else { "did x" };
        assert_eq!(place.result().await, expected, "{matcher}");
    }
}

#[tokio::test]
async fn they_are_off_unless_the_user_wants_them_and_can_be_switched_off_there() {
    let text = hooks("PreToolUse", "", command("exit 2"));
    let off = place();
    off.file(".claude/settings.json", &text);
    assert_eq!(off.result().await, "did x");
    assert!(
        !tau_agent::trust::resources_needing_trust(&off.world.env())
            .iter()
            .any(|path| path.ends_with(".claude/settings.json"))
    );
    let wanted = on();
    let path = wanted.file(".claude/settings.json", &text);
    assert_eq!(wanted.result().await, "Tool execution was blocked by a hook");
    let path = std::fs::canonicalize(path).expect("a file");
    assert_eq!(tau_agent::trust::resources_needing_trust(&wanted.world.env()), [path]);
    let disabled = on();
    let mut settings: Value = serde_json::from_str(&text).expect("JSON");
    settings["disableAllHooks"] = json!(true);
    disabled.file(".claude/settings.json", &settings.to_string());
    assert_eq!(disabled.result().await, "did x");
}

#[tokio::test]
async fn files_of_the_user_the_project_and_this_place_add_up_and_the_limit_is_their_own() {
    let place = on();
    let say = |word: &str| hooks("PostToolUse", "work", command(&format!("echo {word} >&2; exit 2")));
    let user = place.world.home.home().join(".claude");
    std::fs::create_dir_all(&user).expect("a folder");
    std::fs::write(user.join("settings.json"), say("user")).expect("settings");
    place.file(".claude/settings.json", &say("project"));
    let slow = json!({"type": "command", "command": "sleep 600", "timeout": 0.2});
    place.file(".claude/settings.local.json", &hooks("PostToolUse", "work", slow));
    let running = place.start().await;
    running.say("Go on.").await;
    let result = running.file().into_iter().find(|line| line["message"]["role"] == "toolResult").expect("a result");
    let texts: Vec<&str> = result["message"]["content"]
        .as_array()
        .expect("blocks")
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    assert_eq!(texts, ["did x", "user", "project"]);
    let (path, event, text) = place.world.reports.all().remove(0);
    assert!(path.ends_with("settings.local.json#PostToolUse.0.0"), "{path}");
    assert_eq!(
        (event.as_str(), text.as_str()),
        ("tool_result", "the hook sleep 600 did not end within 200ms and was killed")
    );
}

#[tokio::test]
async fn what_tau_cannot_run_is_named() {
    let place = on();
    place.file(".claude/settings.json", &hooks("PreToolUse", "work", json!({"type": "prompt", "prompt": "ok?"})));
    place.file(".claude/settings.local.json", &hooks("PostToolUse", "(work", command("echo no >&2; exit 2")));
    let running = place.start().await;
    running.say("Go on.").await;
    assert_eq!(result_of(&running), "did x");
    let reports: Vec<String> = place.world.reports.all().into_iter().map(|(_, _, text)| text).collect();
    assert!(
        reports[0].ends_with("settings.json#PreToolUse.0.0\": tau runs commands, and this is of the type `prompt`"),
        "{reports:?}"
    );
    assert!(reports[1].contains("its matcher is no regular expression that tau knows"), "{reports:?}");
}

#[tokio::test]
async fn a_guard_for_tools_that_cannot_be_told_is_asked_about_every_one() {
    let place = on();
    let guard = command("echo 'not this' >&2; exit 2");
    place.file(".claude/settings.json", &hooks("PreToolUse", "^(?!read)", guard));
    assert_eq!(place.result().await, "not this");
}
