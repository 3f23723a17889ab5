//! `tau doctor`: what is found, missing and wrong, each with what to do.

use serde_json::Value;

use crate::support::{Place, Tau};

/// The findings of a check, as pairs of level and text, with the steps.
fn findings(report: &Value, check: &str) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let checks = report["checks"].as_array().expect("checks");
    let found = checks.iter().find(|found| found["check"] == check).unwrap_or_else(|| panic!("{check}: {report}"));
    let all = found["findings"].as_array().expect("findings").iter();
    all.map(|finding| (text(&finding["level"]), text(&finding["what"]), text(&finding["nextStep"]))).collect()
}

fn report(tau: Tau) -> (Option<i32>, Value) {
    let done = tau.run();
    let report = serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    (done.code, report)
}

#[test]
fn a_place_without_a_key_is_told_where_to_get_one() {
    let place = Place::new();
    let (code, report) = report(place.tau(["doctor", "--json"]).env("TERM", "xterm-256color"));
    assert_eq!((code, &report["ok"]), (Some(1), &Value::Bool(false)));
    let models = findings(&report, "models");
    assert!(models[0].0 == "problem" && models[0].2.contains("ANTHROPIC_API_KEY"), "{models:?}");
    assert_eq!(findings(&report, "settings")[0].0, "fine");
    let terminal = findings(&report, "terminal");
    assert!(terminal.iter().any(|finding| finding.2.contains("export COLORTERM=truecolor")), "{terminal:?}");
    let people = place.tau(["doctor"]).run();
    assert_eq!(people.code, Some(1));
    assert!(people.stdout.contains("fix: Set an API key") && people.stdout.contains("TERM is not set"), "{people:?}");
}

#[test]
fn what_is_as_it_should_be_is_no_problem() {
    let place = Place::new();
    let tau = place.tau(["doctor", "--json"]).env("ANTHROPIC_API_KEY", "k");
    let (code, report) = report(tau.env("TERM", "xterm-256color").env("COLORTERM", "truecolor"));
    assert_eq!((code, &report["ok"]), (Some(0), &Value::Bool(true)), "{report}");
    assert!(findings(&report, "models")[0].1.contains("anthropic"), "{report}");
}

#[test]
fn broken_files_are_named() {
    let place = Place::new();
    place.write("agent/models.json", "{\n  broken");
    place.write("agent/settings.json", r#"{"steeringMode": 7}"#);
    place.write("agent/keybindings.json", r#"{"app.tools.expand": "ctrl+t"}"#);
    place.write("agent/extensions/bad.ts", "export default () => { throw new Error('it broke'); };");
    let (code, report) = report(place.tau(["doctor", "--json"]).env("TERM", "unknown"));
    assert_eq!(code, Some(1));
    let has = |check: &str, text: &str| {
        let all = findings(&report, check);
        let named = all.iter().any(|(level, what, step)| level == "problem" && what.contains(text) && !step.is_empty());
        assert!(named, "{check}: {text}: {all:?}");
    };
    has("models", "line 2");
    has("settings", "steeringMode");
    has("keys", "ctrl+t is a key of");
    has("extensions", "it broke");
    has("terminal", "TERM is `unknown`");
}

#[test]
fn checks_of_extensions_are_run() {
    let place = Place::new();
    let (_, report) = report(place.tau_with_scripts(&["doctor", "--json"]).env("TAU_TEST_NATIVE", "notes"));
    let paper = findings(&report, "paper");
    let expected = ("problem", "there is no paper", "Buy some.");
    assert_eq!(paper, [(expected.0.to_owned(), expected.1.to_owned(), expected.2.to_owned())]);
    let by = report["checks"].as_array().expect("checks").iter().find(|found| found["check"] == "paper");
    assert_eq!(by.expect("the check")["by"], "<native:notes>");
}

#[test]
fn programs_that_modules_of_the_suite_need_are_named() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"packages": ["builtin:orchestrator"]}"#);
    place.write("work/.pre-commit-config.yaml", "");
    let (_, report) = report(place.tau(["doctor", "--json"]).env("PATH", "/nowhere"));
    let programs = findings(&report, "programs");
    for (name, source) in [("gh is not installed", "https://cli.github.com"), ("prek is not installed", "https://")] {
        let named =
            programs.iter().any(|(level, what, step)| level == "note" && what.contains(name) && step.contains(source));
        assert!(named, "{name}: {programs:?}");
    }
}
