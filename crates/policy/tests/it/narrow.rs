//! "Allow always": the narrowest rule, and the file it stands in.

use std::path::Path;

use tau_policy::rules::{RuleFile, with_rule, without_rule};
use tau_policy::{Narrow, Policy, narrow};

use crate::support::{Scene, said};

fn narrowed(scene: &Scene, command: &str) -> Option<Narrow> {
    let verdict = scene.judge(command);
    narrow(&verdict.findings[0], &verdict.evaluation)
}

fn policy_with(rule: &Narrow) -> Policy {
    let path = Path::new("policy.json");
    let text = with_rule(path, "", &rule.rule).expect("a rule file");
    Policy::with_layers(Some(RuleFile::parse(path, &text).expect("rules")), None, Vec::new(), None)
}

#[test]
fn it_allows_exactly_what_was_asked_there_and_nothing_else() {
    let mut scene = Scene::new();
    let rule = narrowed(&scene, "rm -rf build").expect("a rule");
    let directory = scene.project().display().to_string();
    assert_eq!(rule.scope, format!("`rm -rf build` in {directory}, for the rule rm-recursive"));
    assert!(rule.id.starts_with("allow-rm-rf-build-"), "{}", rule.id);
    let policy = policy_with(&rule);
    let asks = "rm-recursive: ask";
    assert_eq!(said(&scene.judge_by(&policy, "rm -rf build")), "");
    for command in
        ["rm -rf build src", "rm -fr build", "rm -rf $x", "<wrapper:xargs> rm -rf build", "/bin/rm -rf build"]
    {
        assert!(said(&scene.judge_by(&policy, command)).contains(asks), "{command}");
    }
    let mut evaluation = scene.evaluation("rm -rf build");
    evaluation.invocations[0].directory = tau_policy::Dir::Known(scene.project().join("src"));
    assert_eq!(said(&policy.judge(evaluation, &scene)), asks);
    scene.programs.clear();
    assert_eq!(said(&scene.judge_by(&policy, "rm -rf build;sudo ls")), "sudo: ask");
}

#[test]
fn a_wrapper_is_part_of_what_is_allowed() {
    let scene = Scene::new();
    let verdict = scene.judge("<shell:bash> rm -rf build");
    let rule = narrow(&verdict.findings[0], &verdict.evaluation).expect("a rule");
    let policy = policy_with(&rule);
    assert_eq!(said(&scene.judge_by(&policy, "<shell:bash> rm -rf build")), "");
    assert_eq!(said(&scene.judge_by(&policy, "rm -rf build")), "rm-recursive: ask");
    assert_eq!(said(&scene.judge_by(&policy, "<shell:zsh> rm -rf build")), "rm-recursive: ask");
}

#[test]
fn there_is_none_for_what_is_unknown_blocked_or_several_things() {
    let scene = Scene::new();
    let commands = [
        "rm -rf $x",
        "python x",
        "rm -rf a;rm -rf b",
        "<elsewhere:ssh> rm -rf x",
        "<file:/x.sh> rm -rf x",
        "rm -rf x >log",
    ];
    assert_eq!(commands.map(|command| narrowed(&scene, command)), [None, None, None, None, None, None]);
}

#[test]
fn rules_are_added_and_removed_and_everything_else_stays() {
    let path = Path::new("policy.json");
    let rule = |id: &str| serde_json::json!({"id": id, "action": "allow", "when": {"program": "x"}});
    let texts = [
        "",
        "{}",
        "{ // mine\n}",
        "{\n  \"off\": [\"sudo\"] // why\n}\n",
        "{\n  \"rules\": [] }",
        "{\n  \"rules\": [\n    // none yet\n  ]\n}\n",
        "{\n  \"rules\": [\n    {\"id\": \"a\", \"action\": \"allow\", \"when\": {\"program\": \"y\"}} // a\n  ],\n}\n",
        "{\n  \"rules\": [\n    {\"id\": \"a\", \"action\": \"allow\", \"when\": {\"program\": \"y\"}}, // a\n  ],\n}\n",
    ];
    let mut shown = String::new();
    for text in texts {
        let one = with_rule(path, text, &rule("new")).expect("a rule file");
        let two = with_rule(path, &one, &rule("newer")).expect("a rule file");
        let back = without_rule(path, &two, "newer").expect("a rule file").expect("the rule");
        let ids = |text: &str| RuleFile::parse(path, text).expect("rules").ids().join(" ");
        assert_eq!(ids(&two), format!("{} newer", ids(&one)), "{two}");
        assert_eq!(ids(&back), ids(&one), "{back}");
        shown.push_str(&format!("{two}\n--- without\n{back}\n=======\n"));
    }
    insta::assert_snapshot!(shown);
    assert_eq!(without_rule(path, "{}", "x"), Ok(None));
    assert!(with_rule(path, "{", &rule("x")).is_err());
    let twice = with_rule(path, "", &rule("x")).expect("a rule file");
    assert!(with_rule(path, &twice, &rule("x")).is_err());
}
