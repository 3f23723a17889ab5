//! Reading rule files.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::rule::{Rule, RuleLevel, RuleSource, looks_like_stream_rule};
use crate::resources::Diagnostic;

fn read(text: &str) -> (Rule, Vec<String>) {
    let source = RuleSource {
        provider: "native",
        provider_name: "tau",
        path: PathBuf::from("/rules/calm.md"),
        level: RuleLevel::User,
    };
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let rule = Rule::parse(text, source, "calm".to_owned(), &mut diagnostics);
    (rule, diagnostics.iter().map(ToString::to_string).collect())
}

/// Conditions with their lines, scope and globs.
fn outline(text: &str) -> Value {
    let (rule, _) = read(text);
    let conditions: Vec<Value> = rule.conditions.iter().map(|c| json!([c.source, c.line])).collect();
    json!([conditions, rule.scope, rule.globs])
}

#[test]
fn conditions_have_three_names_and_the_newest_counts() {
    for key in ["condition", "ttsr_trigger", "ttsrTrigger"] {
        assert_eq!(outline(&format!("---\n{key}: panic\n---\n")), json!([[["panic", 2]], [], []]));
    }
    assert_eq!(
        outline("---\nttsr_trigger: old\ncondition: [new, '', new, newer]\n---\n"),
        json!([[["new", 3], ["newer", 3]], [], []])
    );
    assert_eq!(outline("---\ndescription: none\n---\ncondition: none"), json!([[], [], []]));
}

#[test]
fn lines_of_conditions_are_found_in_one_pass() {
    let conditions = "- b\n- 'it''s'\n- a\n- c, d\n";
    assert_eq!(
        outline(&format!("---\ndescription: a, b\ncondition:\n{conditions}---\n")),
        // The second is written otherwise than it reads.
        json!([[["b", 4], ["it's", 3], ["a", 6], ["c, d", 7]], [], []])
    );
    let many: String = (0..5000).map(|number| format!("- n{number}\n")).collect();
    let (rule, _) = read(&format!("---\ncondition:\n{many}---\n"));
    let lines: Vec<Option<usize>> = rule.conditions.iter().map(|condition| condition.line).collect();
    assert_eq!(lines, (3..5003).map(Some).collect::<Vec<_>>());
}

#[test]
fn a_rule_is_known_by_its_keys_without_being_parsed() {
    for head in [
        "condition: x",
        "a: b\n\"ttsr_trigger\" : x",
        "{a: b, 'ttsrTrigger': x}",
        "\r\ncondition: [[[",
        "? condition\n: x\ncondition:",
    ] {
        assert!(looks_like_stream_rule(&format!("\u{feff}<!-- note -->\n---\n{head}\n---\ntext")), "{head}");
    }
    for text in [
        "condition: x",
        "---\ndescription: a condition: x\n---\n",
        "---\na: b\n---\ncondition: x",
        "---\ncondition: x",
        "---\nprecondition: x\nconditions: x\n---\n",
    ] {
        assert!(!looks_like_stream_rule(text), "{text}");
    }
}

#[test]
fn conditions_that_name_files_are_scopes() {
    let scope = |glob: &str| json!([format!("tool:edit({glob})"), format!("tool:write({glob})")]);
    for glob in ["*.rs", "src/*", "src/{a,b}.rs"] {
        assert_eq!(
            outline(&format!("---\ncondition: \"{glob}\"\n---\n")),
            json!([[[".*", 2]], scope(glob), []]),
            "{glob}"
        );
    }
    assert_eq!(outline("---\ncondition: ['*.rs', panic]\n---\n"), json!([[["panic", 2]], scope("*.rs"), []]));
    for expression in ["a*", "*.rs|x", "[abc]", "\\\\.rs", "*. rs", "src/main.rs"] {
        let read = outline(&format!("---\ncondition: '{expression}'\n---\n"));
        assert_eq!(read[0][0][0], json!(expression), "{expression}");
    }
}

#[test]
fn lists_can_be_texts_with_commas() {
    let head =
        "---\ncondition: x\nscope: \"text, tool:edit(*.{a,b}), 'thinking'\"\nglobs: ['*.a', \"*.{b,c},*.d\"]\n---\n";
    assert_eq!(
        outline(head),
        json!([[["x", 2]], ["text", "tool:edit(*.{a,b})", "thinking"], ["*.a", "*.{b,c}", "*.d"]])
    );
}

#[test]
fn what_is_no_yaml_is_read_line_by_line() {
    let text = "---\r\nglobs: *.ts,*.tsx\r\nttsr_trigger: use: this [now]\r\ndescription: \"Say: so\"\r\nalwaysApply: true\r\n---\r\n\r\nBody\r\n";
    let (rule, diagnostics) = read(text);
    assert_eq!(outline(text), json!([[["use: this [now]", 3]], [], ["*.ts", "*.tsx"]]));
    assert_eq!(
        (rule.description.as_deref(), rule.always_apply, rule.content.as_str(), diagnostics),
        (Some("Say: so"), Some(true), "Body", vec![])
    );
}

#[test]
fn comments_are_left_out() {
    let (rule, _) = read("<!-- licence -->\n---\ncondition: \"<!--\"\n---\nOne<!-- not\nthis -->, two.<!-- open");
    assert_eq!((rule.content.as_str(), &rule.conditions[0].source[..]), ("One, two.<!-- open", "<!--"));
}

#[test]
fn an_unknown_mode_is_told() {
    let (rule, diagnostics) = read("---\ncondition: x\ninterruptMode: sometimes\n---\n");
    assert_eq!(rule.interrupt, None);
    assert_eq!(
        diagnostics,
        [
            "/rules/calm.md:3: interruptMode \"sometimes\" is none of always, prose-only, tool-only, never; the setting counts"
        ]
    );
}

proptest! {
    #[test]
    fn never_panics(text in "(<!--)?(---\n)?(condition|scope|globs): ?[\\s\\S]{0,60}(\n---)?[\\s\\S]{0,40}(<!--|-->)?") {
        read(&text);
    }
}
