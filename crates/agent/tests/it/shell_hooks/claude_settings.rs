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
    let told = wanted.result_of_hook(".claude/settings.json").await;
    assert_eq!(told, "Tool execution was blocked by a hook: HOOK#PreToolUse.0.0 gives no reason");
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

#[tokio::test]
async fn a_rule_says_for_which_calls_a_command_runs() {
    for (rule, blocked) in [("Bash(rm *)", true), ("Bash(ls *)", false), ("Bash", true), ("Edit(*.ts)", false)] {
        let mut place = super::place_with(json!([
            crate::common::calls([("1", "bash", json!({"command": "echo a > out && rm out"}))]),
            "Done."
        ]))
        .settings(json!({"tau": {"shellHooks": {"claudeSettings": true}}}));
        place.world = place.world.with_builtin_tools();
        let entry = json!({"type": "command", "command": "echo 'not this' >&2; exit 2", "if": rule});
        place.file(".claude/settings.json", &hooks("PreToolUse", "Bash", entry));
        assert_eq!(place.result().await == "not this", blocked, "{rule}");
    }
}

#[tokio::test]
async fn nobody_waits_for_a_command_in_the_background() {
    let place = on();
    let fifo = place.world.home.cwd().join("gate");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo");
    assert!(made.success());
    // It ends only when somebody writes, which nobody does before the run is over.
    let entry = json!({"type": "command", "command": "cat gate > heard; exit 2", "async": true});
    place.file(".claude/settings.json", &hooks("PreToolUse", "work", entry));
    let running = place.start().await;
    running.say("Go on.").await;
    assert_eq!(result_of(&running), "did x");
    let news = tokio::task::spawn_blocking(move || std::fs::write(fifo, "news"));
    news.await.expect("a thread").expect("somebody reads");
    let exited = |(_, _, text): &(String, String, String)| text.contains("exited with code 2");
    while !place.world.reports.all().iter().any(exited) {
        tokio::task::yield_now().await;
    }
    assert_eq!(std::fs::read_to_string(place.world.home.cwd().join("heard")).expect("it ran"), "news");
}

#[tokio::test]
async fn the_same_command_of_two_files_runs_once() {
    let place = on();
    let text = hooks("PreToolUse", "work", command("echo ran >> runs"));
    let user = place.world.home.home().join(".claude");
    std::fs::create_dir_all(&user).expect("a folder");
    std::fs::write(user.join("settings.json"), &text).expect("settings");
    place.file(".claude/settings.json", &text);
    place.file(".claude/settings.local.json", &hooks("PreToolUse", "", command("echo ran >> runs")));
    let extensions = place.load().await;
    place.world.start().await.say("Go on.").await;
    // Another matcher is another hook.
    assert_eq!(std::fs::read_to_string(place.world.home.cwd().join("runs")).expect("it ran"), "ran\nran\n");
    let found = extensions.found();
    let skipped = found.skipped.first().expect("the repeated one");
    assert_eq!(skipped.reason, "the same command is there already");
    assert!(skipped.path.ends_with(".claude/settings.json#PreToolUse.0.0"), "{skipped:?}");
}

#[tokio::test]
async fn an_older_name_of_a_tool_is_one_of_its_names() {
    for matcher in ["MultiEdit", "Write|MultiEdit", "^Multi"] {
        let call = json!({"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]});
        let mut place = super::place_with(json!([crate::common::calls([("1", "edit", call)]), "Done."]))
            .settings(json!({"tau": {"shellHooks": {"claudeSettings": true}}}));
        place.world = place.world.with_builtin_tools();
        place.file("a.txt", "one\n");
        let guard = "grep -q '\"new_string\":\"two\"' && { echo 'not this' >&2; exit 2; }";
        place.file(".claude/settings.json", &hooks("PreToolUse", matcher, command(guard)));
        assert_eq!(place.result().await, "not this", "{matcher}");
    }
}

#[tokio::test]
async fn events_that_tau_does_not_have_are_named_and_misspelt_ones_reported() {
    let place = on();
    let groups = json!([{"hooks": [command("exit 2")]}]);
    let settings = json!({"hooks": {"SubagentStop": groups, "PreToolUsed": groups}});
    place.file(".claude/settings.json", &settings.to_string());
    let extensions = place.load().await;
    let found = extensions.found();
    let reasons: Vec<&str> = found.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
    let misspelt = "`PreToolUsed` is no event of hooks, so its commands never run; did you mean `PreToolUse`?";
    assert_eq!(reasons, ["tau has no moment like SubagentStop of Claude Code", misspelt]);
    assert!(found.diagnostics.iter().any(|told| told.to_string().ends_with(misspelt)), "{:?}", found.diagnostics);
    assert_eq!(place.world.start().await.say("Go on.").await, tau_agent::Prompted::Ran);
}

#[tokio::test]
async fn a_file_in_which_nothing_would_run_asks_for_no_trust() {
    let trust = |place: &Place| tau_agent::trust::resources_needing_trust(&place.world.env()).len();
    for (settings, files) in [
        (json!({"hooks": {"PreToolUse": [], "SubagentStop": [{"hooks": [command("exit 0")]}]}}), 0),
        (json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "ok?"}]}]}}), 0),
        (json!({"hooks": {"Stop": [{"hooks": [command("exit 0")]}]}}), 1),
    ] {
        let place = on();
        place.file(".claude/settings.json", &settings.to_string());
        place.load().await;
        assert_eq!(trust(&place), files, "{settings}");
    }
}

#[tokio::test]
async fn the_files_of_plugins_are_read_too() {
    let place = on();
    let home = place.world.home.home().to_path_buf();
    let write = |path: &str, text: &str| {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, text).expect("a file");
    };
    write("plugins/one/hooks/hooks.json", &hooks("PreToolUse", "work", command("\"${CLAUDE_PLUGIN_ROOT}/say.sh\"")));
    write("plugins/one/say.sh", "#!/bin/sh\necho 'by the plugin' >&2\nexit 2\n");
    super::executable(&home.join("plugins/one/say.sh"));
    let list = json!({"plugins": {"one@shop": {"installPath": "~/plugins/one"}}});
    write(".claude/plugins/installed_plugins.json", &list.to_string());
    assert_eq!(place.result().await, "by the plugin");
}

#[tokio::test]
async fn a_matcher_that_is_the_name_of_no_tool_is_named_once() {
    // What is nearly the name of a tool is reported by every start, the others when the first tool runs.
    let start = "settings.json";
    for (matcher, place_of_it, expected) in [
        (
            "Bash(touch:*)",
            start,
            "PreToolUse.0: its matcher `Bash(touch:*)` fits no tool; write the matcher `Bash`, and `\"if\": \"Bash(touch:*)\"` beside the command",
        ),
        ("!Write", start, "PreToolUse.0: its matcher `!Write` fits no tool; did you mean `Write`?"),
        ("Bash\n", start, "PreToolUse.0: its matcher `Bash\\n` fits no tool; did you mean `Bash`?"),
        // The tools of this test are not there yet when the file is read.
        ("Wrk", start, "PreToolUse.0: its matcher `Wrk` is the name of no tool"),
        (
            "^zzzzzz$",
            "settings.json#PreToolUse.0.0",
            "its matcher `^zzzzzz$` is the name of no tool, so this hook never runs",
        ),
    ] {
        let two = crate::common::calls([("1", "work", json!({"text": "x"})), ("2", "work", json!({"text": "y"}))]);
        let place =
            super::place_with(json!([two, "Done."])).settings(json!({"tau": {"shellHooks": {"claudeSettings": true}}}));
        place.file(".claude/settings.json", &hooks("PreToolUse", matcher, command("exit 2")));
        assert_eq!(place.result().await, "did x\ndid y", "{matcher}");
        let (path, _, text) = place.world.reports.all().remove(0);
        assert_eq!(text, expected);
        assert!(path.ends_with(place_of_it), "{path}");
        assert_eq!(place.world.reports.all().len(), 1, "{matcher}");
    }
    // Such tools come and go, or are those of another program.
    for matcher in ["mcp__github__.*", "NotebookEdit", "Bash", "Edit|Write", "Task"] {
        let place = on();
        place.file(".claude/settings.json", &hooks("PreToolUse", matcher, command("exit 2")));
        assert_eq!(place.result().await, "did x", "{matcher}");
        assert_eq!(place.world.reports.all(), [], "{matcher}");
    }
}

#[tokio::test]
async fn commands_that_are_switched_off_are_named() {
    let place = place();
    place.file(".claude/settings.json", &hooks("PreToolUse", "", command("exit 2")));
    let found = place.load().await.found();
    let reasons: Vec<&str> = found.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
    assert_eq!(reasons, ["its commands run only when the setting tau.shellHooks.claudeSettings is true"]);
}

/// Until the user decides, each start says that guards of Claude Code do not run.
#[tokio::test]
async fn commands_that_nobody_decided_about_are_reported() {
    let warned = |settings: Value| async move {
        let place = super::place_with(json!(["Done."])).settings(settings);
        place.file(".claude/settings.json", &hooks("PreToolUse", "", command("exit 2")));
        place.file(".claude/settings.local.json", r#"{"model": "sonnet"}"#);
        place.load().await;
        place.world.reports.all()
    };
    let undecided = warned(json!({})).await;
    assert_eq!(undecided.len(), 1, "{undecided:?}");
    let (file, _, text) = &undecided[0];
    assert!(file.ends_with(".claude/settings.json"), "{undecided:?}");
    assert!(text.contains("tau does not run its hooks; set tau.shellHooks.claudeSettings"), "{undecided:?}");
    assert_eq!(warned(json!({"tau": {"shellHooks": {"claudeSettings": false}}})).await, []);
}
