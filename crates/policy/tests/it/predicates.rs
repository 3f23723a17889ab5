//! Each condition: what it says of what is known, and of what is not.

use tau_policy::{Opaque, Reason, Site, Source, Stdin, Text};

use crate::support::Scene;

fn check(rows: &[(&str, &str, &str)]) {
    let scene = Scene::new();
    let found: Vec<_> = rows.iter().map(|(when, command, _)| (*when, *command, scene.answer(when, command))).collect();
    assert_eq!(found, rows);
}

#[test]
fn programs_are_globs_on_names() {
    check(&[
        (r#"{"program": "mkfs.*"}"#, "/sbin/mkfs.ext4 x", "yes"),
        (r#"{"program": ["a", "b"]}"#, "b x", "yes"),
        (r#"{"program": "a"}"#, "$x y", "no"),
        (r#"{"program": "a"}"#, "b a", "no"),
    ]);
}

#[test]
fn options_are_found_in_every_spelling() {
    check(&[
        (r#"{"option": "-r"}"#, "x -fr", "yes"),
        (r#"{"option": "-r"}"#, "x -- -r", "no"),
        (r#"{"option": "--recursive"}"#, "x --recursive=always", "yes"),
        (r#"{"option": "--recursive"}"#, "x --recur", "yes"),
        (r#"{"option": "--recursive"}"#, "x --recursively", "no"),
        (r#"{"option": "--recursive"}"#, "x --rec$y", "maybe"),
        (r#"{"option": "--recursive"}"#, "x --no$y", "no"),
        (r#"{"option": "-delete"}"#, "x -delete", "yes"),
        (r#"{"option": "-r"}"#, "x $y", "maybe"),
        (r#"{"option": "-r"}"#, "x $@", "maybe"),
        (r#"{"option": "-r"}"#, "x -v$y", "maybe"),
        (r#"{"option": "-r"}"#, "x a$y", "no"),
        (r#"{"option": "-r"}"#, "x *", "no"),
        (r#"{"option": "-r", "takes-value": "-o"}"#, "x -or", "no"),
        (r#"{"option": "-r", "takes-value": "-o"}"#, "x -o -r", "no"),
        (r#"{"option": "-r", "takes-value": "-o"}"#, "x -ro y", "yes"),
        (r#"{"takes-value": "-m", "not": {"option": "--amend"}}"#, "git commit -m --amend", "yes"),
    ]);
}

#[test]
fn operands_are_words_paths_or_classes() {
    check(&[
        (r#"{"operand": "*.key"}"#, "x a.txt b.key", "yes"),
        (r#"{"operands": "*.key"}"#, "x a.txt b.key", "no"),
        (r#"{"operands": "*.key"}"#, "x a.key b.key", "yes"),
        (r#"{"operands": "*.key"}"#, "x", "no"),
        (r#"{"operand": "*.key"}"#, "x -a.key", "no"),
        (r#"{"operand": "*.key"}"#, "x $y", "maybe"),
        (r#"{"operand": "*.key"}"#, "x $y.txt", "no"),
        (r#"{"operand": "path:**/project/src/**"}"#, "x src/../src/a", "yes"),
        (r#"{"operand": "path:~/.ssh/*"}"#, "x HOME/.ssh/id", "yes"),
        (r#"{"operand": "path:~/.ssh/*"}"#, "<elsewhere:ssh> x HOME/.ssh/id", "no"),
        (r#"{"operand": "class:ssh"}"#, "x HOME/.ssh", "yes"),
        (r#"{"operand": "class:outside"}"#, "x /etc/hosts", "yes"),
        (r#"{"operand": "class:outside"}"#, "x src/a /dev/null", "no"),
        (r#"{"value": {"of": "-o", "is": "x*"}, "takes-value": "-o"}"#, "a -oxy", "yes"),
        (r#"{"value": {"of": "-o", "is": "x*"}, "takes-value": "-o"}"#, "a -o y", "no"),
    ]);
}

#[test]
fn words_are_counted_and_compared() {
    check(&[
        (r#"{"subcommand": ["config set", "remove"]}"#, "tau --x config set y", "yes"),
        (r#"{"subcommand": ["config set", "remove"]}"#, "tau config list", "no"),
        (r#"{"subcommand": ["config set", "remove"]}"#, "tau config", "no"),
        (r#"{"subcommand": "config set"}"#, "tau config $x", "maybe"),
        (r#"{"argument": "-de*"}"#, "find . -delete", "yes"),
        (r#"{"argument": "-delete"}"#, "find . -name", "no"),
        (r#"{"argv": ["a", "b c"]}"#, "a b", "no"),
        (r#"{"argv": ["a", "b"]}"#, "a b", "yes"),
        (r#"{"argv": ["a", "b"]}"#, "a b c", "no"),
        (r#"{"argv": ["a", "b"]}"#, "a $b", "no"),
        (r#"{"count": {"at-least": 2}}"#, "a b -c d", "yes"),
        (r#"{"count": {"at-least": 2}}"#, "a b -c", "no"),
        (r#"{"count": {"at-least": 2}}"#, "a $@", "maybe"),
        (r#"{"count": {"at-most": 0}}"#, "a -b", "yes"),
        (r#"{"count": {"at-most": 0}}"#, "a $x", "maybe"),
        (r#"{"count": {"at-most": 0}}"#, "a b $x", "no"),
    ]);
}

#[test]
fn ways_and_places_are_known() {
    check(&[
        (r#"{"via": "wrapper:sudo"}"#, "<wrapper:/usr/bin/sudo> a", "yes"),
        (r#"{"via": "wrapper:sudo"}"#, "<wrapper:xargs> a", "no"),
        (r#"{"via": ["loop", "pipe"]}"#, "<pipe> a", "yes"),
        (r#"{"via": "background"}"#, "<background> a", "yes"),
        (r#"{"via": "file:*/x.sh"}"#, "<file:/a/x.sh> a", "yes"),
        (r#"{"route": []}"#, "<loop> a", "yes"),
        (r#"{"route": []}"#, "<shell:bash> a", "no"),
        (r#"{"route": ["wrapper:sudo", "shell"]}"#, "<wrapper:sudo> <shell:bash> a", "yes"),
        (r#"{"route": ["wrapper:sudo"]}"#, "<wrapper:sudo> <shell:bash> a", "no"),
        (r#"{"redirect": {"to": "*.log"}}"#, "a >x.log", "yes"),
        (r#"{"redirect": {"kind": "append", "to": "*.log"}}"#, "a >x.log", "no"),
        (r#"{"redirect": {"to": "*.log"}}"#, "a >$x", "maybe"),
        (r#"{"redirect": {"to": "class:device"}}"#, "a >/dev/sda", "yes"),
        (r#"{"directory": "path:**/project"}"#, "a", "yes"),
        (r#"{"directory": "path:**/other"}"#, "a", "no"),
        (r#"{"writes": "path:/opt/**"}"#, "cp a /opt/b", "yes"),
        (r#"{"writes": "path:/opt/**"}"#, "cat /opt/b", "no"),
        (r#"{"seconds": {"more-than": 60}}"#, "sleep 1m 1", "yes"),
        (r#"{"seconds": {"more-than": 60}}"#, "sleep 1m", "no"),
    ]);
}

#[test]
fn conditions_are_combined() {
    check(&[
        (r#"{"program": "a", "option": "-x"}"#, "a -x", "yes"),
        (r#"{"program": "a", "option": "-x"}"#, "b -x", "no"),
        (r#"{"program": "a", "option": "-x"}"#, "a $y", "maybe"),
        (r#"{"any": [{"program": "a"}, {"program": "b"}]}"#, "b", "yes"),
        (r#"{"all": [{"program": "a"}, {"not": {"option": "-x"}}]}"#, "a", "yes"),
        (r#"{"all": [{"program": "a"}, {"not": {"option": "-x"}}]}"#, "a -x", "no"),
        (r#"{"all": [{"program": "a"}, {"not": {"option": "-x"}}]}"#, "a $y", "maybe"),
        (r#"{"program": "a", "has": "container"}"#, "a", "no"),
        (r#"{"program": "a", "has": "program:uv"}"#, "a", "yes"),
        (r#"{"program": "a", "has": "program:nothing"}"#, "a", "no"),
        // What it is about something else has no answer, so that its opposite has none either.
        (r#"{"not": {"effect": "commits"}}"#, "a", "no"),
        (r#"{"not": {"tool": "write"}}"#, "a", "no"),
    ]);
}

#[test]
fn variables_and_input_are_known() {
    let scene = Scene::new();
    let with = |value: Option<Text>, when: &str| {
        let mut evaluation = scene.evaluation("a");
        evaluation.invocations[0].environment = vec![("LANG".to_owned(), value)];
        scene.answer_of(when, evaluation)
    };
    assert_eq!(with(Some("C".into()), r#"{"variable": {"LANG": "C"}}"#), "yes");
    assert_eq!(with(Some("C".into()), r#"{"variable": {"LANG": "D"}}"#), "no");
    assert_eq!(with(Some("C".into()), r#"{"variable": {"LA*": "*"}}"#), "yes");
    assert_eq!(with(Some(Text::unknown(Source::Local)), r#"{"variable": {"LANG": "C"}}"#), "maybe");
    assert_eq!(with(None, r#"{"variable": {"LANG": null}}"#), "yes");
    assert_eq!(with(None, r#"{"variable": {"LANG": "*"}}"#), "no");
    let reads = |text: Text, when: &str| {
        let mut evaluation = scene.evaluation("a");
        evaluation.invocations[0].stdin = Stdin::Text(text);
        scene.answer_of(when, evaluation)
    };
    assert_eq!(reads("x".into(), r#"{"stdin": "text"}"#), "yes");
    assert_eq!(reads(Text::unknown(Source::Local), r#"{"stdin": "unknown"}"#), "yes");
    assert_eq!(reads(Text::unknown(Source::Remote), r#"{"stdin": ["text", "remote"]}"#), "yes");
    assert_eq!(scene.answer(r#"{"stdin": "inherited"}"#, "a"), "yes");
}

#[test]
fn what_is_opaque_is_asked_about_by_its_reason() {
    let scene = Scene::new();
    let says = |reason: Reason, is_remote: bool, when: &str| {
        let mut evaluation = scene.evaluation("");
        evaluation.invocations.clear();
        evaluation.opaque.push(Opaque { reason, site: Site::default(), is_remote, via: Vec::new() });
        scene.answer_of(when, evaluation)
    };
    assert_eq!(says(Reason::Syntax, false, r#"{"opaque": {"reason": "syntax"}}"#), "yes");
    assert_eq!(says(Reason::Program, false, r#"{"opaque": {"reason": ["syntax", "code"]}}"#), "no");
    assert_eq!(says(Reason::Program, true, r#"{"opaque": {"remote": true}}"#), "yes");
    assert_eq!(says(Reason::Program, false, r#"{"opaque": {"remote": true}}"#), "no");
    assert_eq!(scene.answer(r#"{"opaque": {}}"#, "a"), "no");
}
