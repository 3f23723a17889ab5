//! How expressions are looked for: what is wrong with them, and how often which part of a text is looked at.

use std::sync::Arc;

use serde_json::json;
use tau_hooks::NewSessionRequest;

use super::{rule, told_by_request, triggered};
use crate::common::World;
use crate::common::expressions::{ENDLESS, expressions};

#[tokio::test]
async fn an_invalid_expression_is_told_with_its_line_and_the_others_count() {
    let world = World::new(json!(["I panic.", "Fine."]));
    rule(&world, "broken", "description: x\ncondition: \"(\"");
    rule(&world, "calm", "condition:\n  - \"[\"\n  - panic");
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(told_by_request(&running)[1], [["calm"]]);
    let path = |name: &str| world.home.agent_dir().join(format!("rules/{name}.md")).display().to_string();
    let report = |name: &str, line: usize, source: &str| {
        let text = format!("{}:{line}: the expression \"{source}\" is passed over: that is no expression", path(name));
        (path(name), "resources".to_owned(), text)
    };
    assert_eq!(world.reports.all(), [report("broken", 3, "("), report("calm", 3, "[")]);
}

#[tokio::test]
async fn an_expression_without_end_is_told_once_and_off_from_then_on() {
    let engine = expressions();
    let mut world = World::new(json!([[{"text": "abcdefghijkl", "chunk": 1}], "More.", "I panic.", "Fine.", "Again."]));
    world.patterns = Some(Arc::clone(&engine) as _);
    rule(&world, "calm", "condition: panic");
    rule(&world, "endless", &format!("condition: \"{ENDLESS}\""));
    let running = world.start().await;
    running.say("One").await;
    running.say("Two").await;
    let looks =
        |expression: usize| engine.looks.all().iter().filter(|(_, tried)| tried.expression == expression).count();
    assert_eq!(looks(1), 1);
    running.say("Three").await;
    assert_eq!((triggered(&running.events.all()), looks(1)), (vec![json!(["calm"])], 1));
    let reports = world.reports.all();
    let path = world.home.agent_dir().join("rules/endless.md").display().to_string();
    let text =
        format!("{path}:2: the expression \"{ENDLESS}\" takes too long and is off until the rules are read again");
    assert_eq!(reports, [(path, "ttsr".to_owned(), text)]);
    running.session.new_session(NewSessionRequest::default()).await.expect("a new session");
    running.say("Four").await;
    assert_eq!((looks(1), world.reports.all().len()), (2, 2));
}

#[tokio::test]
async fn a_long_answer_is_not_looked_through_at_every_piece() {
    let engine = expressions();
    let mut world = World::new(json!([[{"text": "0123456789abcde\n", "repeat_delta": 4000, "chunk": 16}]]));
    world.patterns = Some(Arc::clone(&engine) as _);
    rule(&world, "calm", "condition: panic");
    let running = world.start().await;
    running.say("How?").await;
    let looks = engine.looks.all();
    let (length, _) = *looks.last().expect("looks");
    assert_eq!((length, looks.len()), (64_000, 4001));
    let looked: usize = looks.iter().map(|(length, tried)| length - tried.from).sum();
    // A look-back at every piece, and from the beginning each time the text has doubled.
    assert!(looked <= looks.len() * (1024 + 16) + 4 * length, "{looked} units were looked at");
    let from_the_beginning = looks.iter().filter(|(length, tried)| tried.from == 0 && *length > 2048).count();
    assert!(from_the_beginning <= 8, "{from_the_beginning}");
}

#[tokio::test]
async fn a_match_that_begins_far_back_is_found_in_the_end() {
    let text = format!("begin{} end", "x".repeat(3000));
    let world = World::new(json!([[{"text": text, "chunk": 50}], "Fine."]));
    rule(&world, "long", "condition: \"^begin[^y]* end\"");
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(triggered(&running.events.all()).len(), 1);
}

#[tokio::test]
async fn nobody_without_rules_pays() {
    let engine = expressions();
    let mut world = World::new(json!(["I panic."]));
    world.patterns = Some(Arc::clone(&engine) as _);
    world.home.write(".cursor/rules/style.mdc", "---\nglobs: *.ts\nalwaysApply: true\n---\nTabs.");
    rule(&world, "ordinary", "description: none of the stream");
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!((engine.starts.all(), world.reports.all()), (vec![], vec![]));
}

#[tokio::test]
async fn rules_can_be_switched_off_and_need_something_that_looks() {
    let off = World::new(json!(["I panic."])).settings(json!({"ttsr": {"enabled": false}}));
    let mut without = World::new(json!(["I panic."]));
    without.patterns = None;
    for world in [off, without] {
        rule(&world, "calm", "condition: panic");
        let running = world.start().await;
        running.say("How?").await;
        assert_eq!((running.script.requests().len(), world.reports.all()), (1, vec![]));
    }
}
