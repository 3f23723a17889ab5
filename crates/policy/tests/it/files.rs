//! Rule files: what is wrong with them, and where.

use std::path::Path;

use tau_policy::rules::{RuleFile, Store};

/// The problem with the condition or the other keys of a rule.
fn problem(text: &str) -> String {
    match RuleFile::parse(Path::new("policy.json"), text) {
        Ok(file) => format!("no problem: {:?}", file.ids()),
        Err(problem) => problem.to_string(),
    }
}

fn with(part: &str) -> String {
    problem(&format!(
        "{{\"rules\": [\n  {{\"id\": \"a\", \"action\": \"block\", \"message\": \"m\",\n    {part}}}\n]}}"
    ))
}

#[test]
fn comments_and_trailing_commas_are_no_problem() {
    let text = "\u{feff}// mine\n{ \"rules\": [ /* one */ { \"id\": \"a\", \"when\": {\"program\": \"x\"}, \"action\": \"allow\", }, ],\n\
                \"off\": [\"sudo\",] }";
    assert_eq!(problem(text), "no problem: [\"a\"]");
    assert_eq!(problem("{}"), "no problem: []");
}

#[test]
fn each_mistake_has_a_place_and_the_nearest_name() {
    let problems = [
        problem(""),
        problem("{\"rules\": [}"),
        problem("{\"rules\": [1 2]}"),
        problem("{\"rules\": {}}"),
        problem("{\n  \"rulez\": []\n}"),
        problem("{\"off\": [\"sudp\"]}"),
        problem("{\"off\": [\"something-else-entirely\"]}").split(';').next().unwrap_or_default().to_owned(),
        problem("{\"rules\": [{\"action\": \"block\"}]}"),
        problem("{\"rules\": [{\"id\": \"a b\", \"action\": \"block\"}]}"),
        problem(
            "{\"rules\": [{\"id\": \"sudo\", \"action\": \"block\", \"message\": \"m\", \"when\": {\"program\": \"x\"}}]}",
        ),
        problem("{\"rules\": [], \"rules\": []}"),
        problem("{\"rules\": [] /* no end"),
        problem("{\"rules\": [\"\\x\"]}"),
        problem("{} {}"),
        with("\"when\": {\"program\": \"x\"}, \"acton\": 1"),
        with("\"when\": {\"program\": \"x\"}, \"needs\": \"uv\""),
        with("\"when\": {\"program\": \"x\"}, \"scope\": {\"directori\": \"/x\"}"),
        with("\"when\": {\"program\": \"x\"}, \"unknown\": \"maybe\""),
        with("\"when\": {\"program\": \"x\"}, \"rewrite\": \"trailer\""),
        with("\"when\": \"session\""),
        with("\"when\": {}"),
        with("\"when\": {\"programm\": \"x\"}"),
        with("\"when\": {\"program\": 1}"),
        with("\"when\": {\"program\": []}"),
        with("\"when\": {\"program\": \"[a\"}"),
        with("\"when\": {\"option\": \"r\"}"),
        with("\"when\": {\"operand\": \"class:shel\"}"),
        with("\"when\": {\"operand\": \"path:src\"}"),
        with("\"when\": {\"via\": \"wraper:sudo\"}"),
        with("\"when\": {\"effect\": \"commit\"}"),
        with("\"when\": {\"branch\": \"merge\"}"),
        with("\"when\": {\"count\": {}}"),
        with("\"when\": {\"count\": {\"at-least\": 1.5}}"),
        with("\"when\": {\"seconds\": {\"more-then\": 1}}"),
        with("\"when\": {\"opaque\": {\"reason\": \"sintax\"}}"),
        with("\"when\": {\"all\": []}"),
        with("\"when\": {\"not\": {\"any\": [{\"stdin\": \"txt\"}]}}"),
        with("\"when\": {\"program\": \"x\"}, \"instead\": null"),
        problem("{\"rules\": [{\"id\": \"a\", \"action\": \"blok\"}]}"),
        problem("{\"rules\": [{\"id\": \"a\", \"action\": \"block\", \"message\": \"{brunch}\"}]}"),
    ];
    insta::assert_snapshot!(problems.join("\n"));
}

#[test]
fn an_id_is_there_once() {
    let rule = "{\"id\": \"a\", \"action\": \"allow\", \"when\": {\"program\": \"x\"}}";
    let text = format!("{{\"rules\": [{rule},\n {rule}]}}");
    assert_eq!(problem(&text), "policy.json:2:2: the id \"a\" is there twice; choose another");
}

#[test]
fn a_bad_text_leaves_the_last_good_one_in_force() {
    let rule = |id: &str| {
        format!("{{\"rules\": [{{\"id\": \"{id}\", \"action\": \"allow\", \"when\": {{\"program\": \"x\"}}}}]}}")
    };
    let mut store = Store::new("policy.json");
    let state = |store: &Store| {
        let ids: Vec<String> =
            store.rules().map(|file| file.ids().iter().map(|id| (*id).to_owned()).collect()).unwrap_or_default();
        (ids.join(" "), store.problem().is_some())
    };
    assert!(store.update(Some(&rule("a"))));
    assert_eq!(state(&store), ("a".to_owned(), false));
    assert!(store.update(Some("{")));
    assert_eq!(state(&store), ("a".to_owned(), true));
    assert!(!store.update(Some("{")));
    assert!(store.update(Some(&rule("b"))));
    assert_eq!(state(&store), ("b".to_owned(), false));
    assert!(store.update(None));
    assert_eq!(state(&store), (String::new(), false));
}
