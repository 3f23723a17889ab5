//! `tau policy`: rules are tried and shown without a session.

use serde_json::{Value, json};

use crate::support::{Done, Place};

fn rule(id: &str, action: &str, program: &str) -> Value {
    json!({"id": id, "action": action, "message": format!("{program} is not for you"), "when": {"program": program}})
}

fn json_of(done: &Done) -> Value {
    serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"))
}

#[test]
fn the_exit_code_says_what_becomes_of_a_command() {
    let place = Place::new();
    place.write("agent/policy.json", json!({"rules": [rule("mine", "warn", "echo")]}).to_string());
    for (command, code, word) in [
        ("ls", 0, "allowed\n"),
        ("echo x", 0, "allowed with a warning\n"),
        ("sudo id", 1, "asks\n"),
        ("touch ran; git add .", 1, "blocked\n"),
    ] {
        let done = place.tau(["policy", "test", command]).run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(code), ""), "{command}: {done:?}");
        assert!(done.stdout.starts_with(word), "{command}: {done:?}");
    }
    assert!(!place.work().join("ran").exists());
}

#[test]
fn wrong_arguments_have_a_code_of_their_own() {
    let place = Place::new();
    for (args, text) in [
        (&["test"][..], "tau policy test needs a command"),
        (&["tset", "ls"], "there is no `tau policy tset`; known: test, explain, list"),
        (&["explain", "nothing"], "there is no rule \"nothing\"; `tau policy list` shows all"),
        (&["test", "ls", "-x"], "Unknown option: -x"),
        (&["test", "ls", "x"], "Unexpected argument: x"),
    ] {
        let done = place.tau(["policy"].iter().chain(args)).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{args:?}: {done:?}");
        assert!(done.stderr.contains(text), "{args:?}: {done:?}");
    }
}

#[test]
fn programs_read_the_same_as_json() {
    let place = Place::new();
    let done = place.tau(["policy", "test", "ls && git add .", "--json"]).run();
    assert_eq!(done.code, Some(1));
    let said = json_of(&done);
    assert_eq!((&said["command"], &said["action"]), (&json!("ls && git add ."), &json!("block")));
    let finding = &said["findings"][0];
    assert_eq!((&finding["origin"], &finding["action"]), (&json!("shipped"), &json!("block")));
    assert!(finding["message"].as_str().is_some_and(|text| text.contains("Stage specific files")), "{said}");
    assert!(finding["sites"][0]["text"].is_string(), "{said}");
    assert_eq!((&said["becomes"], &said["dropsTimeout"]), (&Value::Null, &json!(false)));
    let listed = json_of(&place.tau(["policy", "list", "--json"]).run());
    assert!(listed.as_array().is_some_and(|rules| rules.iter().any(|rule| rule["id"] == "repetition")), "{listed}");
}

#[test]
fn a_commit_becomes_one_that_names_the_agent() {
    let place = Place::new();
    let test = || place.tau(["policy", "test", "git commit -m x", "--json"]).env("PI_CO_AUTHOR", "1").run();
    let becomes = json_of(&test())["becomes"].as_str().map(str::to_owned).unwrap_or_default();
    assert!(becomes.starts_with("git commit --trailer 'Co-authored-by: PI ("), "{becomes}");
    assert!(becomes.ends_with(") <noreply@pi.dev>' -m x"), "{becomes}");
}

#[test]
fn rules_of_the_user_and_the_project_are_listed_with_their_places() {
    let place = Place::new();
    let file = json!({"rules": [rule("yes", "allow", "sudo"), rule("no-ls", "block", "ls")]});
    place.write("work/.pi/policy.json", file.to_string());
    place.write("agent/policy.json", json!({"off": ["repetition"]}).to_string());
    let list = |flag: &str| place.tau(["policy", "list", flag]).run().stdout;
    let text = list("--no-approve");
    assert!(text.contains("Rules in force\n") && text.contains("no-ls") && text.contains(".pi/policy.json:"), "{text}");
    assert!(text.contains("Rules that are not in force\n") && text.contains("repetition"), "{text}");
    let asks = |flag: &str| place.tau(["policy", "test", "sudo id", flag]).run().code;
    assert_eq!((asks("--no-approve"), asks("--approve")), (Some(1), Some(0)));
}

#[test]
fn a_rule_is_explained() {
    let place = Place::new();
    let done = place.tau(["policy", "explain", "repetition"]).run();
    assert!(done.code == Some(0) && done.stdout.starts_with("repetition\n  action   block\n"), "{done:?}");
    let all = place.tau(["policy", "explain"]).run();
    assert!(all.code == Some(0) && all.stdout.contains(done.stdout.trim()), "{all:?}");
}

#[test]
fn a_file_that_is_wrong_is_named_and_the_rules_of_tau_apply() {
    let place = Place::new();
    place.write("agent/policy.json", "{\n  \"rules\": [");
    let done = place.tau(["policy", "test", "git add ."]).run();
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.starts_with("Warning: ") && done.stderr.contains("policy.json:2:"), "{done:?}");
}
