//! What a script after a tool can say.

use serde_json::{Value, json};
use tau_tools::{Invocation, ToolFailure, ToolOutput};

use super::{Place, one, place, place_with, result_of};
use crate::common::calls;
use crate::common::tools::spec;

const POST: &str = ".claude/hooks/post/work.sh";

fn sh(line: &str) -> String {
    format!("#!/bin/sh\ncat > /dev/null\n{line}\n")
}

/// The blocks of the result that the model read.
async fn blocks(place: &Place) -> Value {
    let running = place.start().await;
    running.say("Go on.").await;
    let file = running.file();
    let result = file.iter().find(|line| line["message"]["role"] == "toolResult").expect("a result");
    result["message"]["content"].clone()
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[tokio::test]
async fn a_script_adds_to_the_result_or_replaces_it() {
    let cases = [
        ("", json!([text("did x")])),
        ("echo fine", json!([text("did x")])),
        ("echo 'please test' >&2; exit 2", json!([text("did x"), text("please test")])),
        ("exit 2", json!([text("did x")])),
        (r#"echo '{"decision": "block", "reason": "look again"}'"#, json!([text("did x"), text("look again")])),
        (r#"echo '{"decision": "approve", "reason": "good"}'"#, json!([text("did x")])),
        (
            r#"echo '{"hookSpecificOutput": {"additionalContext": "by the way"}}'"#,
            json!([text("did x"), text("by the way")]),
        ),
        (r#"echo '{"hookSpecificOutput": {"updatedToolOutput": "hidden"}}'"#, json!([text("hidden")])),
        (r#"echo '{"updatedMCPToolOutput": {"content": [{"type": "text", "text": "a"}]}}'"#, json!([text("a")])),
        (
            r#"echo '{"updatedToolOutput": {"lines": 3}, "decision": "block", "reason": "r"}'"#,
            json!([text("{\"lines\":3}"), text("r")]),
        ),
    ];
    for (line, expected) in cases {
        let place = place().hook(POST, &sh(line));
        assert_eq!(blocks(&place).await, expected, "{line}");
        assert_eq!(place.reports(), [], "{line}");
    }
}

#[tokio::test]
async fn a_script_that_fails_is_told_and_the_result_stays() {
    let cases = [
        ("echo hm >&2; exit 1", "the hook post/work.sh exited with code 1; command: POST; it wrote: hm"),
        ("exit 127", "the hook post/work.sh could not be started: exit code 127"),
        (
            "echo '{'",
            "the hook post/work.sh gave an answer that is no JSON: EOF while parsing an object at line 2 column 0",
        ),
        ("sleep 600", "the hook post/work.sh did not end within 300ms and was killed"),
    ];
    for (line, why) in cases {
        let place = place().settings(json!({"tau": {"shellHooks": {"timeoutMs": 300}}})).hook(POST, &sh(line));
        assert_eq!(blocks(&place).await, json!([text("did x")]), "{line}");
        let why = why.replace("POST", &place.world.home.cwd().join(POST).display().to_string());
        assert_eq!(place.reports(), one("post/work.sh", "tool_result", &why), "{line}");
    }
}

#[tokio::test]
async fn what_an_answer_says_besides_something_wrong_holds() {
    let line = r#"echo '{"decision": "blocked", "continue": "no", "updatedToolOutput": "redacted"}'"#;
    let place = place().hook(POST, &sh(line));
    assert_eq!(blocks(&place).await, json!([text("redacted")]));
    let told = "the hook post/work.sh decided `blocked`, which is not a decision; the decisions are allow, approve, \
                ask, block, defer and deny";
    assert_eq!(place.reports(), one("post/work.sh", "tool_result", told));
}

#[tokio::test]
async fn each_script_sees_what_the_one_before_made_of_the_result() {
    let add = |word: &str| sh(&format!("echo '{word}' >&2; exit 2"));
    let seen = "#!/bin/sh\ncat > seen.json\n";
    let place = place()
        .hook(".claude/hooks/post/*.sh", &add("one"))
        .hook(POST, &add("two"))
        .hook(".claude/hooks/post/work.zsh", seen);
    let blocks = blocks(&place).await;
    assert_eq!((blocks, place.reports()), (json!([text("did x"), text("one"), text("two")]), vec![]));
    let seen = std::fs::read_to_string(place.world.home.cwd().join("seen.json")).expect("what it was told");
    let seen: Value = serde_json::from_str(&seen).expect("JSON");
    assert_eq!(seen["tool_output"], "did x\none\ntwo");
}

#[tokio::test]
async fn a_failed_call_may_be_looked_at_and_stays_as_it_is() {
    let place = place_with(json!([calls([("1", "fail", json!({}))]), "Done."]));
    place.world.extend("fail", |registrar| {
        registrar.tool(spec("fail"), |_: Invocation, _| {
            std::future::ready(Err::<ToolOutput, _>(ToolFailure::new("it broke")))
        });
    });
    let line = "#!/bin/sh\ncat > seen.json\necho '{\"hookSpecificOutput\": {\"updatedToolOutput\": \"fine\"}, \"continue\": false}'\n";
    let place = place.hook(".claude/hooks/post/fail.sh", line);
    let running = place.start().await;
    running.say("Go on.").await;
    assert_eq!((result_of(&running).as_str(), running.asked().len()), ("it broke", 2));
    let seen = std::fs::read_to_string(place.world.home.cwd().join("seen.json")).expect("what it was told");
    let seen: Value = serde_json::from_str(&seen).expect("JSON");
    assert_eq!(
        [&seen["hook_event_name"], &seen["error"], &seen["tool_response"]["isError"]],
        [&json!("PostToolUseFailure"), &json!("it broke"), &json!(true)]
    );
}

#[tokio::test]
async fn a_script_can_end_the_run_and_the_result_stays() {
    let place = place().hook(POST, &sh(r#"echo '{"continue": false, "stopReason": "enough"}'"#));
    let running = place.start().await;
    running.say("Go on.").await;
    assert_eq!((result_of(&running).as_str(), running.asked().len()), ("did x", 1));
}
