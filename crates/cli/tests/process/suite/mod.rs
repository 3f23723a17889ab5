//! The suite `builtin:orchestrator` as a package: switched on, filtered, listed, required, and off by default.

mod twins;

use serde_json::{Value, json};

use crate::support::{Done, Place};

/// What the model reads when it asks the user a question.
fn asked(place: &Place, args: &[&str]) -> (String, String) {
    let script = "replies: [[{tool_call: {name: ask_user, arguments: {question: Now?}}}], fine]";
    let done = place.play(script, args.iter().copied().chain(["--mode", "json", "x"])).run();
    let results = done.events().into_iter().filter(|event| event["type"] == "tool_execution_end");
    let texts: Vec<String> =
        results.map(|event| event["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()).collect();
    (texts.join("|"), done.stderr)
}

const OFF: &str = "Tool ask_user not found";
const ON: &str = "No UI available for user interaction";

fn settings(place: &Place, path: &str, settings: &Value) {
    place.write(path, settings.to_string());
}

#[test]
fn it_is_off_until_settings_or_a_flag_name_it() {
    let place = Place::new();
    assert_eq!(asked(&place, &[]), (OFF.to_owned(), String::new()));
    for flag in ["builtin:ask-user", "builtin:orchestrator"] {
        assert_eq!(asked(&place, &["-e", flag]), (ON.to_owned(), String::new()), "{flag}");
    }
    for on in [
        json!({"packages": ["builtin:orchestrator"]}),
        json!({"packages": [{"source": "builtin:orchestrator", "extensions": ["ask-user"]}]}),
        json!({"packages": [{"source": "builtin:orchestrator", "extensions": ["ask-*"]}]}),
        json!({"extensions": ["builtin:ask-user"]}),
    ] {
        settings(&place, "agent/settings.json", &on);
        assert_eq!(asked(&place, &[]), (ON.to_owned(), String::new()), "{on}");
        assert_eq!(asked(&place, &["-ne"]).0, OFF, "{on}");
    }
    for off in [
        json!({"packages": [{"source": "builtin:orchestrator", "extensions": ["!ask-user"]}]}),
        json!({"packages": [{"source": "builtin:orchestrator", "extensions": []}]}),
        json!({"packages": ["builtin:orchestrator"], "extensions": ["-builtin:ask-user"]}),
    ] {
        settings(&place, "agent/settings.json", &off);
        assert_eq!(asked(&place, &[]), (OFF.to_owned(), String::new()), "{off}");
    }
}

/// A module may be a gate, so a project switches none off that the user switched on.
#[test]
fn a_project_adds_modules_and_takes_none_away() {
    let place = Place::new();
    let on = json!({"packages": ["builtin:orchestrator"]});
    settings(&place, "work/.pi/settings.json", &on);
    assert_eq!(asked(&place, &["--approve"]).0, ON);
    assert_eq!(asked(&place, &["--no-approve"]).0, OFF);
    settings(&place, "agent/settings.json", &on);
    for off in [
        json!({"packages": [{"source": "builtin:orchestrator", "extensions": []}]}),
        json!({"extensions": ["-builtin:ask-user"]}),
    ] {
        settings(&place, "work/.pi/settings.json", &off);
        assert_eq!(asked(&place, &["--approve"]).0, ON, "{off}");
    }
}

#[test]
fn it_is_installed_listed_switched_and_removed_as_other_packages_are() {
    let place = Place::new();
    let run = |args: &[&str]| place.tau(args).run();
    assert_eq!(run(&["install", "builtin:orchestrator"]), Done::ok("Installed builtin:orchestrator\n"));
    let read = || serde_json::from_str::<Value>(&place.read("agent/settings.json")).expect("JSON");
    assert_eq!(read()["packages"], json!(["builtin:orchestrator"]));
    assert_eq!(run(&["list"]), Done::ok("User packages:\n  builtin:orchestrator\n    part of tau\n"));
    assert!(run(&["config"]).stdout.contains("[x] builtin:ask-user"));
    assert_eq!(run(&["update", "builtin:orchestrator"]).code, Some(0));
    assert_eq!(run(&["config", "disable", "ask-user"]), Done::ok("Disabled builtin:ask-user\n"));
    assert!(run(&["config"]).stdout.contains("[ ] builtin:ask-user"));
    assert_eq!(run(&["config", "enable", "builtin:ask-user"]).code, Some(0));
    assert_eq!(run(&["config", "disable", "builtin:orchestrator"]), Done::ok("Disabled builtin:orchestrator\n"));
    assert_eq!(run(&["remove", "builtin:orchestrator"]), Done::ok("Removed builtin:orchestrator\n"));
    assert_eq!(read()["packages"], json!([]));
    let wrong = run(&["install", "builtin:orchestratr"]);
    assert!(
        wrong.stderr.contains("tau has no package builtin:orchestratr; did you mean builtin:orchestrator?"),
        "{wrong:?}"
    );
    let wrong = run(&["install", "builtin:ask-user"]);
    assert!(wrong.code == Some(1) && wrong.stderr.contains("tau config enable builtin:ask-user"), "{wrong:?}");
}

#[test]
fn unknown_names_are_reported_with_the_nearest_one() {
    let place = Place::new();
    let reported = |on: Value| {
        settings(&place, "agent/settings.json", &on);
        asked(&place, &[]).1
    };
    for (on, text) in [
        (
            json!({"packages": ["builtin:orchestratr"]}),
            "there is no builtin:orchestratr; did you mean builtin:orchestrator?",
        ),
        (json!({"packages": ["builtin:ask-user"]}), "builtin:ask-user is no package; name it in `extensions`"),
        (
            json!({"packages": [{"source": "builtin:orchestrator", "extensions": ["ask_user"]}]}),
            "builtin:orchestrator has no module ask_user; did you mean ask-user?",
        ),
        (
            json!({"packages": [{"source": "builtin:orchestrator", "prompts": []}]}),
            "builtin:orchestrator has modules only, so `prompts` chooses nothing; name modules in `extensions`",
        ),
        (json!({"extensions": ["builtin:ask_user"]}), "there is no builtin:ask_user; did you mean builtin:ask-user?"),
    ] {
        let said = reported(on.clone());
        assert!(said.contains(text), "{on}: {said}");
    }
    let place = Place::new();
    let done = place.tau(["-e", "builtin:ask_user", "-p", "x"]).run();
    assert!(done.code == Some(1) && done.stderr.contains("builtin:ask-user"), "{done:?}");
}

#[test]
fn what_is_required_and_switched_off_shuts_the_gates() {
    let place = Place::new();
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran}}}], fine]";
    let run = |on: Value| {
        settings(&place, "agent/settings.json", &on);
        let done = place.play(script, ["--mode", "json", "x"]).run();
        let end = done.events().into_iter().find(|event| event["type"] == "tool_execution_end").expect("a result");
        end["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    for name in ["builtin:ask-user", "builtin:orchestrator"] {
        let required = json!({"required": [name]});
        assert_eq!(run(json!({"tau": required, "packages": ["builtin:orchestrator"]})), "ran\n", "{name}");
        let said = run(json!({ "tau": required }));
        assert!(
            said.contains("is not loaded: tau.required names it, but it is not on: switch it on in the settings"),
            "{said}"
        );
        assert!(said.contains("extension builtin:") && !said.contains("ran\n"), "{name}: {said}");
    }
}

/// A child has fewer modules, and is not held to those that it never has.
#[test]
fn a_child_is_held_to_the_modules_that_children_have() {
    let place = Place::new();
    let on =
        json!({"packages": ["builtin:orchestrator"], "tau": {"required": ["builtin:orchestrator", "builtin:btw"]}});
    settings(&place, "agent/settings.json", &on);
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran}}}], fine]";
    let run = || {
        let done = place.play(script, ["--mode", "json", "x"]).env("PI_SUBAGENT_CHILD", "1").run();
        let end = done.events().into_iter().find(|event| event["type"] == "tool_execution_end").expect("a result");
        end["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(run(), "ran\n");
    settings(&place, "agent/settings.json", &json!({"tau": {"required": ["builtin:ask-user"]}}));
    assert!(run().contains("builtin:ask-user is not loaded"));
}

/// A package that is part of tau has no files, so nothing else is chosen by patterns.
#[test]
fn modules_are_listed_with_what_they_handle() {
    let place = Place::new();
    settings(&place, "agent/settings.json", &json!({"packages": ["builtin:orchestrator"]}));
    let listed = place.tau(["hooks", "list"]).run().stdout;
    let expected = "Part of tau\n  builtin:autocomplete\n    source   builtin:orchestrator\n    handles  ";
    assert!(listed.starts_with(expected), "{listed}");
    let json: Value = serde_json::from_str(&place.tau(["hooks", "list", "--json"]).run().stdout).expect("JSON");
    let line = json["builtIn"].as_array().expect("a list").iter().find(|one| one["name"] == "builtin:status-line");
    assert_eq!(line.expect("the module")["handlers"]["session_start"], 1);
}

/// A child in this program has the modules that its parent has, as far as children have them.
#[test]
fn a_child_session_has_the_modules_that_are_for_children() {
    let place = Place::new();
    let extension = place.write(
        "opener.ts",
        r#"
import { createAgentSession, SessionManager } from "@earendil-works/pi-coding-agent";
export default (pi) => pi.registerCommand("child", {
  handler: async (_args, ctx) => {
    const { session } = await createAgentSession({ cwd: ctx.cwd, sessionManager: SessionManager.inMemory(ctx.cwd) });
    await session.prompt("Go");
    for (const message of session.messages) if (message.role === "toolResult") console.log(message.content[0].text);
    session.dispose();
  },
});
"#,
    );
    let script = "replies: [[{tool_call: {name: ask_user, arguments: {question: Now?}}}], fine, [{tool_call: {name: ask_user, \
                  arguments: {question: Now?}}}], fine]";
    let child = |args: &[&str]| {
        let path = extension.display().to_string();
        let done = place.play(script, [args, &["-e", &path, "-p", "/child"]].concat()).run();
        format!("{}{}", done.stdout, done.stderr)
    };
    assert!(child(&[]).contains(OFF));
    assert!(child(&["-e", "builtin:ask-user"]).contains(ON));
    settings(&place, "agent/settings.json", &json!({"packages": ["builtin:orchestrator"]}));
    assert!(child(&[]).contains(ON));
    settings(
        &place,
        "agent/settings.json",
        &json!({"packages": [{"source": "builtin:orchestrator", "extensions": ["!ask-user"]}]}),
    );
    assert!(child(&[]).contains(OFF));
}

/// What a module declares is known to `tau config` where the module is on.
#[test]
fn settings_of_a_module_are_listed_and_explained() {
    let place = Place::new();
    let config = |args: &[&str]| place.tau(["config"].iter().chain(args)).run();
    let key = "tau.extensions.project-settings.dream_interval_hours";
    assert!(!config(&["list"]).stdout.contains(key));
    settings(&place, "agent/settings.json", &json!({"packages": ["builtin:orchestrator"]}));
    assert!(config(&["list"]).stdout.contains(&format!("{key} = 3  (default)\n")));
    let set = config(&["set", key, "99"]);
    assert!(set.code == Some(0) && set.stderr.contains("it is no value that this key takes"), "{set:?}");
    assert_eq!(config(&["set", key, "6"]), Done::ok(""));
    assert!(config(&["why", key]).stdout.starts_with(&format!("{key} = 6\n")));
    // The command of a session reads the same file.
    let done = place.play("replies: []", ["-p", "/pi-config-settings dream_interval_hours"]).run();
    assert!(done.code == Some(0) && done.stderr.contains("dream_interval_hours = 6  (user "), "{done:?}");
}

/// The session above shows and changes settings.
#[test]
fn a_child_in_a_process_of_its_own_has_no_command_for_settings() {
    let place = Place::new();
    settings(&place, "agent/settings.json", &json!({"packages": ["builtin:orchestrator"]}));
    let run = || place.play("replies: [fine]", ["-p", "/pi-config-settings co_author"]);
    let done = run().run();
    assert!(done.stdout.is_empty() && done.stderr.contains("co_author = false  (default)"), "{done:?}");
    // There it is a prompt as any other.
    assert_eq!(run().env("PI_SUBAGENT_CHILD", "1").run(), Done::ok("fine\n"));
}

/// A repository can have links, and tau writes a project's setting by itself.
#[test]
fn a_project_has_no_setting_written_outside_of_it() {
    let place = Place::new();
    let on = json!({"packages": ["builtin:orchestrator"]});
    settings(&place, "agent/settings.json", &on);
    place.write("work/.pi/extensions/x.ts", "export default () => {}");
    place.write("work/.pi-co-author", "");
    std::os::unix::fs::symlink("../../agent/settings.json", place.work().join(".pi/settings.json")).expect("a link");
    let done = place.play("replies: [fine]", ["--approve", "-p", "x"]).run();
    assert!(done.stderr.contains("a link leads out of the project, so tau does not write there"), "{done:?}");
    assert_eq!(place.read("agent/settings.json"), on.to_string());
    assert_eq!(place.read("work/.pi-co-author"), "");
}
