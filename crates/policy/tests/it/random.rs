//! Nothing panics, whatever it is given.

use std::path::Path;

use proptest::prelude::*;
use tau_policy::rules::{Action, Finding, Origin, RuleFile, with_rule, without_rule};
use tau_policy::{Evaluation, Policy, Site, Span, narrow, show};

use crate::support::{Scene, script};

/// Texts that look like rule files.
fn ruleish() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(":"),
        Just(","),
        Just("\"rules\""),
        Just("\"id\""),
        Just("\"when\""),
        Just("\"action\""),
        Just("\"block\""),
        Just("\"program\""),
        Just("\"a\""),
        Just("\"off\""),
        Just("\"sudo\""),
        Just("1"),
        Just("null"),
        Just("// c\n"),
        Just("/* ü */"),
        Just(" "),
        Just("\"\\u00fc\""),
        Just("\""),
        Just("\"*[\""),
        Just("\"permissions\""),
        Just("\"deny\""),
        Just("\"Bash(ü *)\""),
    ];
    proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_text_is_a_rule_file_or_has_a_problem_in_it(text in prop_oneof![any::<String>(), ruleish()]) {
        for read in [RuleFile::parse(Path::new("x"), &text), RuleFile::claude(Path::new("x"), &text)] {
            if let Err(problem) = read {
                prop_assert!(problem.line <= text.matches('\n').count() + 1, "{problem}");
            }
        }
        let rule = serde_json::json!({"id": "new", "action": "allow", "when": {"program": "x"}});
        if let Ok(new) = with_rule(Path::new("x"), &text, &rule) {
            prop_assert!(without_rule(Path::new("x"), &new, "new").is_ok_and(|back| back.is_some()), "{}", new);
        }
    }

    #[test]
    fn any_place_in_any_text_is_shown_without_control_characters(
        text in any::<String>(),
        message in any::<String>(),
        spans in proptest::collection::vec((0_usize..3, 0_usize..60, 0_usize..60), 0..4),
    ) {
        let site = |(script, start, end): (usize, usize, usize)| Site { script, span: Span { start, end } };
        let finding = Finding {
            rule: "a".to_owned(),
            origin: Origin::User,
            group: None,
            action: Action::Warn,
            message,
            sites: spans.into_iter().map(site).collect(),
            invocations: vec![7],
            instead: None,
        };
        let evaluation = Evaluation { scripts: vec![script(&text)], ..Evaluation::default() };
        let shown = show(&finding, &evaluation);
        prop_assert!(!shown.contains(|ch: char| ch.is_control() && ch != '\n' && ch != '\t'), "{shown:?}");
        prop_assert_eq!(narrow(&finding, &evaluation), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_words_are_judged(words in proptest::collection::vec(r"(rm|git|sleep|-[a-z]{1,3}|--[a-z]{1,4}|[$*./~ü=]{1,4}|<loop>|>[a-z/$]{1,3}|/tmp/x){1,2}", 1..6)) {
        let scene = Scene::new();
        let verdict = scene.judge_by(&Policy::shipped(), &words.join(" "));
        let strongest = verdict.findings.iter().map(|finding| finding.action).max().unwrap_or(Action::Allow);
        prop_assert_eq!(verdict.action, strongest);
        for finding in &verdict.findings {
            prop_assert!(!show(finding, &verdict.evaluation).is_empty());
        }
    }
}
