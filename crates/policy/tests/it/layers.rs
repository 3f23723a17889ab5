//! Rules of the user and the project on top of the shipped ones.

use std::path::Path;

use tau_policy::rules::{Origin, RuleFile};
use tau_policy::{Dir, FileUse, Policy, Source, Text, UseKind};

use crate::support::{Scene, said};

fn file(rules: &str, off: &str) -> RuleFile {
    let text = format!("{{\n\"rules\": [{rules}],\n\"off\": [{off}]\n}}");
    RuleFile::parse(Path::new("/x/policy.json"), &text).expect("a rule file")
}

fn user(rules: &str) -> Policy {
    Policy::with_layers(Some(file(rules, "")), None, Vec::new(), None)
}

const ALLOW: &str = r#"{"id": "mine", "action": "allow", "when": {"program": ["rm", "python"]}}"#;

#[test]
fn an_allow_rule_answers_what_is_asked_and_takes_back_no_block() {
    let scene = Scene::new();
    let policy = user(ALLOW);
    assert_eq!(said(&scene.judge_by(&policy, "rm -rf src")), "");
    assert_eq!(said(&scene.judge_by(&policy, "python x")), "python: block");
    assert_eq!(said(&scene.judge_by(&policy, "rm -rf src;sudo ls")), "sudo: ask");
}

#[test]
fn an_allow_rule_needs_to_know_everything() {
    let scene = Scene::new();
    let policy = user(ALLOW);
    let asks = "rm-recursive: ask";
    assert_eq!(said(&scene.judge_by(&policy, "rm -rf $x")), asks);
    assert_eq!(said(&scene.judge_by(&policy, "rm -rf *")), asks);
    assert_eq!(said(&scene.judge_by(&policy, "<shell:bash> rm -rf x")), asks);
    assert_eq!(said(&scene.judge_by(&policy, "<file:/x.sh> rm -rf x")), asks);
    assert_eq!(said(&scene.judge_by(&policy, "<elsewhere:ssh> rm -rf x")), asks);
    assert_eq!(said(&scene.judge_by(&policy, "<loop> rm -rf x")), "");
    let mut evaluation = scene.evaluation("rm -rf x");
    evaluation.invocations[0].directory = Dir::Unknown;
    assert_eq!(said(&policy.judge(evaluation, &scene)), asks);
    let mut evaluation = scene.evaluation("rm -rf x");
    evaluation.invocations[0].environment = vec![("LD_PRELOAD".to_owned(), Some(Text::unknown(Source::Local)))];
    assert_eq!(said(&policy.judge(evaluation, &scene)), asks);
}

#[test]
fn an_allow_rule_may_answer_for_some_rules_only() {
    let scene = Scene::new();
    let policy = user(r#"{"id": "mine", "action": "allow", "answers": "rm-recursive", "when": {"program": "rm"}}"#);
    assert_eq!(said(&scene.judge_by(&policy, "rm -rf src")), "");
    assert_eq!(said(&scene.judge_by(&policy, "rm -rf .git/hooks")), "paths: ask");
}

#[test]
fn a_project_that_is_not_trusted_only_tightens() {
    let scene = Scene::new();
    let rules = format!(
        "{ALLOW},\n{},\n{}",
        r#"{"id": "no-make", "action": "block", "message": "no make", "when": {"program": "make"}}"#,
        r#"{"id": "no-timeout", "action": "rewrite", "rewrite": "drop-timeout", "message": "m", "when": {"program": "x"}}"#,
    );
    let policy = |is_trusted| Policy::with_layers(None, Some((file(&rules, "\"sudo\""), is_trusted)), Vec::new(), None);
    let says = |is_trusted, command| {
        let verdict = scene.judge_by(&policy(is_trusted), command);
        (said(&verdict), verdict.drops_timeout)
    };
    let plain = |text: &str| (text.to_owned(), false);
    assert_eq!(says(false, "make"), plain("no-make: block"));
    assert_eq!(says(false, "rm -rf src"), plain("rm-recursive: ask"));
    assert_eq!(says(false, "sudo ls"), plain("sudo: ask"));
    assert_eq!(says(false, "x"), plain(""));
    assert_eq!(says(true, "make"), plain("no-make: block"));
    assert_eq!(says(true, "rm -rf src"), plain(""));
    assert_eq!(says(true, "sudo ls"), plain(""));
    assert_eq!(says(true, "x"), ("no-timeout: rewrite".to_owned(), true));
    let rule = policy(false).rule("mine", &scene).expect("a rule");
    assert_eq!(
        (rule.origin, rule.place, rule.inactive.as_deref()),
        (Origin::Project, Some(("/x/policy.json".into(), 2)), Some("the project is not trusted"))
    );
}

#[test]
fn rules_are_listed_with_what_keeps_them_from_acting() {
    let mut scene = Scene::new();
    scene.programs.remove("prek");
    let policy = Policy::with_layers(Some(file("", "\"sudo\"")), None, Vec::new(), None);
    let of = |id: &str| {
        let rule = policy.rule(id, &scene).expect("a rule");
        (rule.inactive, rule.missing)
    };
    assert_eq!(of("sudo"), (Some("/x/policy.json switches it off".to_owned()), Vec::new()));
    assert_eq!(of("pre-commit"), (None, vec!["program:prek".to_owned()]));
    assert_eq!(of("python"), (None, Vec::new()));
    assert_eq!(policy.rule("nothing", &scene), None);
    assert_eq!(policy.rules(&scene).len(), tau_policy::catalogue().len());
}

#[test]
fn rules_apply_where_their_scope_says() {
    let scene = Scene::new();
    let rule = |scope: &str| {
        let rule = r#"{"id": "a", "action": "block", "message": "m", "when": {"program": "x"}, "scope": SCOPE}"#;
        said(&scene.judge_by(&user(&rule.replace("SCOPE", scope)), "x"))
    };
    assert_eq!(rule(r#"{"directory": "**/project"}"#), "a: block");
    assert_eq!(rule(r#"{"directory": "~/**"}"#), "");
    assert_eq!(rule(r#"{"repository": "**"}"#), "");
}

#[test]
fn tools_are_judged_by_rules_of_the_user() {
    let scene = Scene::new();
    let policy = user(
        r#"{"id": "env", "action": "block", "message": "{path} holds secrets", "when": {"reads": ["*.env", "path:**/.env"]}},
           {"id": "yes", "action": "allow", "answers": "paths", "when": {"writes": "class:git"}}"#,
    );
    let of = |path: &str, kind| {
        let file = FileUse { tool: "x".to_owned(), path: path.into(), kind };
        let findings = policy.judge_file(&file, &scene).findings;
        findings.into_iter().map(|finding| finding.message).collect::<Vec<_>>()
    };
    assert_eq!(of("src/.env", UseKind::Read), ["src/.env holds secrets"]);
    assert_eq!(of("src/.env", UseKind::Write), Vec::<String>::new());
    assert_eq!(of(".git/config", UseKind::Write), Vec::<String>::new());
}
