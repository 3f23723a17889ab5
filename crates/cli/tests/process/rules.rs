//! Stream rules in the real program.

use serde_json::{Value, json};

use crate::support::{Done, Place, kinds, transcript};

const SCRIPT: &str = r#"
replies:
  - [{text: "Where nothing can go wrong you may just call x.unwrap() here.", chunk: 4}]
  - - expect: {last_user_contains: "Return the error with `?`."}
    - text: "Use `?` here."
"#;

fn place() -> Place {
    let place = Place::new();
    place.write(
        "work/.omp/rules/no-unwrap.md",
        "---\nttsr_trigger: (?<=x)\\.unwrap\\(\\)\n---\nReturn the error with `?`.",
    );
    place
}

#[test]
fn the_answer_is_the_one_that_keeps_the_rule() {
    let place = place();
    let done = place.play(SCRIPT, ["--approve", "-p", "How?"]).run();
    assert_eq!(done, Done::ok("Use `?` here.\n"));
    assert_eq!(transcript(&place.session()), ["user: How?", "custom", "assistant: Use `?` here."]);
    // Nothing is told twice, also by another process.
    let script = "replies: [[{text: x.unwrap()}]]";
    assert_eq!(place.play(script, ["--approve", "-c", "-p", "Again?"]).run(), Done::ok("x.unwrap()\n"));
}

#[test]
fn json_mode_tells_what_happened() {
    let done = place().play(SCRIPT, ["--approve", "--mode", "json", "How?"]).run();
    let events = done.events();
    let ends: Vec<&Value> = events.iter().filter(|event| event["type"] == "agent_end").collect();
    assert_eq!(ends.iter().map(|end| &end["willRetry"]).collect::<Vec<_>>(), [&json!(true), &json!(false)]);
    assert_eq!(kinds(&events).iter().filter(|kind| **kind == "ttsr_triggered").count(), 1);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
}

#[test]
fn rules_of_a_project_need_trust() {
    let place = place();
    let done = place.play("replies: [[{text: x.unwrap()}]]", ["-p", "How?"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "x.unwrap()\n"));
    assert!(done.stderr.contains(".omp/rules/no-unwrap.md") && done.stderr.contains("--approve"), "{}", done.stderr);
}

#[test]
fn a_hook_hears_of_a_rule_and_an_expression_without_end_ends() {
    let place = place();
    place.write("agent/rules/endless.md", "---\ncondition: ^(.+)+!$\n---\nNever.");
    place.write(
        "hook.ts",
        "export default (pi) => { pi.on('ttsr_triggered', (event) => { console.error('heard ' + event.rules.map(rule => \
         [rule.name, rule.ttsrTrigger, rule.condition, rule._source.level].join(' '))); }); };",
    );
    let done = place.play(SCRIPT, ["--approve", "-e", "../hook.ts", "-p", "How?"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Use `?` here.\n"), "{}", done.stderr);
    let heard = r"heard no-unwrap (?<=x)\.unwrap\(\) (?<=x)\.unwrap\(\) project";
    assert!(done.stderr.contains(heard), "{}", done.stderr);
    assert_eq!(
        done.stderr.matches("endless.md:2: the expression \"^(.+)+!$\" takes too long").count(),
        1,
        "{}",
        done.stderr
    );
}

#[test]
fn the_list_of_the_model_is_there_when_it_is_named() {
    let script = r#"
replies:
  - - expect: {has_tools: todo_write}
    - tool_call: {name: todo_write, arguments: {todos: [{content: Sow, status: pending}]}}
  - - expect: {tool_result: {name: todo_write, is_error: false}}
    - text: done
"#;
    let place = Place::new();
    assert_eq!(place.play(script, ["--tools", "todo_write", "-p", "x"]).run(), Done::ok("done\n"));
}
