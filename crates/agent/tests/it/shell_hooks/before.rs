//! What a script before a tool can say.

use serde_json::{Value, json};
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind, UiCall};

use super::{has_python, one, place, place_with, result_of};
use crate::common::calls;

const DENY: &str = r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not today"}}'"#;

fn sh(line: &str) -> String {
    format!("#!/bin/sh\ncat > /dev/null\n{line}\n")
}

#[tokio::test]
async fn silence_and_exit_code_zero_allow() {
    for line in ["", "echo all is well", "echo '{}'", r#"echo '{"decision": "approve"}'"#] {
        let place = place().hook(".claude/hooks/pre/work.sh", &sh(line));
        assert_eq!(place.result().await, "did x", "{line}");
        assert_eq!((place.ran(), place.reports()), (vec![json!({"text": "x"})], vec![]), "{line}");
    }
}

#[tokio::test]
async fn exit_code_two_blocks_with_what_is_on_standard_error() {
    let place = place().hook(".claude/hooks/pre/work.sh", &sh("echo '{ignored'; echo '  too risky  ' >&2; exit 2"));
    assert_eq!(place.result().await, "too risky");
    assert_eq!((place.ran(), place.reports()), (vec![], vec![]));
    let silent = super::place().hook(".claude/hooks/pre/work.sh", &sh("exit 2"));
    let text = silent.result_of_hook(".claude/hooks/pre/work.sh").await;
    assert_eq!(text, "Tool execution was blocked by a hook: HOOK gives no reason");
}

#[tokio::test]
async fn another_exit_code_is_told_each_time_and_changes_nothing() {
    let call = |id: &str| (id.to_owned(), "work", json!({"text": "x"}));
    let (first, second) = (call("1"), call("2"));
    let both = [(first.0.as_str(), first.1, first.2), (second.0.as_str(), second.1, second.2)];
    let place = place_with(json!([calls(both), "Done."]))
        .hook(".claude/hooks/pre/work.sh", &sh("echo 'no such rule' >&2; exit 1"));
    assert_eq!(place.result().await, "did x\ndid x");
    let script = place.world.home.cwd().join(".claude/hooks/pre/work.sh");
    let told = format!(
        "the hook pre/work.sh exited with code 1; the tool work was allowed to run; command: {}; it wrote: no such rule",
        script.display()
    );
    let told = one("pre/work.sh", "tool_call", &told);
    assert_eq!(place.reports(), [told.clone(), told].concat());
}

#[tokio::test]
async fn with_strict_every_exit_code_but_zero_blocks() {
    let strict = |on_failure: &str| json!({"tau": {"shellHooks": {"strict": true, "onFailure": on_failure}}});
    for on_failure in ["block", "allow"] {
        let place = place().settings(strict(on_failure)).hook(".claude/hooks/pre/work.sh", &sh("echo hm >&2; exit 1"));
        let script = place.world.home.cwd().join(".claude/hooks/pre/work.sh");
        let why = format!(
            "the hook pre/work.sh exited with code 1, and tau.shellHooks.strict is on; command: {}; it wrote: hm",
            script.display()
        );
        assert_eq!(place.result().await, why);
        assert_eq!((place.ran(), place.reports()), (vec![], one("pre/work.sh", "tool_call", &why).to_vec()));
    }
    let fine = place().settings(strict("block")).hook(".claude/hooks/pre/work.sh", &sh("exit 0"));
    assert_eq!(fine.result().await, "did x");
    // A hook that could not run is still a matter of `onFailure`.
    let gone = place().settings(strict("allow")).hook(".claude/hooks/pre/work.sh", "#!/no/such/shell\n");
    assert_eq!(gone.result().await, "did x");
}

#[tokio::test]
async fn a_no_holds_whatever_the_exit_code() {
    let place = place().hook(".claude/hooks/pre/work.sh", &sh(&format!("{DENY}; exit 1")));
    assert_eq!(place.result().await, "not today");
    assert_eq!(place.ran(), Vec::<Value>::new());
}

#[tokio::test]
async fn an_answer_that_cannot_be_understood_blocks_whatever_the_exit_code() {
    let allow = json!({"tau": {"shellHooks": {"onFailure": "allow"}}});
    for (answer, why) in [
        (r#"{"decision":"blok"}"#, "decided `blok`, which is not a decision"),
        (r#"{"Decision":"deny"}"#, "gave an answer with the field `Decision`"),
        (r#"{"decision":"approve"} {"decision":"deny"}"#, "gave an answer that is no JSON: trailing characters"),
        (r#"{"decision":"deny""#, "gave an answer that is no JSON: EOF"),
        (r#"hello {"decision":"deny"}"#, "wrote other text before its answer"),
    ] {
        let script = sh(&format!("printf '%s' '{answer}'; echo hm >&2; exit 1"));
        let place = place().hook(".claude/hooks/pre/work.sh", &script);
        let command = place.world.home.cwd().join(".claude/hooks/pre/work.sh");
        let result = place.result().await;
        assert!(result.starts_with(&format!("the hook pre/work.sh {why}")), "{result}");
        let exited = format!("; it exited with code 1; command: {}; it wrote: hm", command.display());
        assert!(result.ends_with(&exited), "{result}");
        assert_eq!((place.ran(), place.reports()), (vec![], one("pre/work.sh", "tool_call", &result).to_vec()));

        let place = super::place().settings(allow.clone()).hook(".claude/hooks/pre/work.sh", &script);
        assert_eq!(place.result().await, "did x", "{answer}");
        assert_eq!(place.reports().len(), 1, "{answer}");
        let strict = json!({"tau": {"shellHooks": {"onFailure": "allow", "strict": true}}});
        let place = super::place().settings(strict).hook(".claude/hooks/pre/work.sh", &script);
        let result = place.result().await;
        assert!(result.contains(why) && result.contains("tau.shellHooks.strict is on"), "{result}");
        assert_eq!(place.ran(), Vec::<Value>::new());
    }
}

#[tokio::test]
async fn json_denies_in_the_words_of_several_programs() {
    let lines = [
        (DENY, "not today"),
        (r#"echo '{"decision": "block", "reason": "old words"}'"#, "old words"),
        (r#"echo '{"decision": "deny", "reason": "other words"}'"#, "other words"),
        (r#"echo '{"permission": "deny", "agentMessage": "more words"}'"#, "more words"),
        (r#"echo '{"decision": "block"}'"#, "Tool execution was blocked by a hook: HOOK gives no reason"),
    ];
    for (line, reason) in lines {
        let place = place().hook(".claude/hooks/pre/work.sh", &sh(line));
        assert_eq!(place.result_of_hook(".claude/hooks/pre/work.sh").await, reason, "{line}");
        assert_eq!(place.ran(), Vec::<Value>::new(), "{line}");
    }
}

#[tokio::test]
async fn scripts_in_python_are_asked_too() {
    if !has_python() {
        eprintln!("there is no python3 here");
        return;
    }
    let script = "import json, sys\ncall = json.load(sys.stdin)\nif 'x' in call['tool_input']['text']:\n    print(json.dumps(\
                  {'hookSpecificOutput': {'permissionDecision': 'deny', 'permissionDecisionReason': 'no x'}}))\n";
    // Not executable: its name says what runs it.
    let place =
        place_with(json!([calls([("1", "work", json!({"text": "x"})), ("2", "work", json!({"text": "y"}))]), "Done."]));
    place.file(".claude/hooks/pre/work.py", script);
    assert_eq!(place.result().await, "no x\ndid y");
}

#[tokio::test]
async fn the_first_block_ends_the_round_and_silence_is_no_approval() {
    let place = place()
        .hook(".omp/hooks/pre/work.sh", &sh(r#"echo '{"decision": "approve"}'"#))
        .hook(".claude/hooks/pre/work.bash", &sh("echo one >&2; exit 2"))
        .hook(".claude/hooks/pre/work.zsh", &sh("touch asked; exit 0"));
    assert_eq!(place.result().await, "one");
    assert!(!place.world.home.cwd().join("asked").exists(), "nobody is asked behind a block");
}

#[tokio::test]
async fn the_user_is_asked_and_without_one_nothing_runs() {
    let ask =
        sh(r#"echo '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}'"#);
    let place = place().hook(".claude/hooks/pre/work.sh", &ask);
    let nobody = "The hook pre/work.sh wants the user to be asked about this, and nobody can be asked: sure?";
    assert_eq!(place.result().await, nobody);
    assert_eq!(place.ran(), Vec::<Value>::new());

    for (answer, expected) in [(true, "did x"), (false, "The user did not allow this: sure?")] {
        let place = super::place().hook(".claude/hooks/pre/work.sh", &ask);
        let mut back_end = place.world.hooks.dialogs.subscribe();
        let user = tokio::spawn(async move {
            loop {
                let event = back_end.recv().await?;
                if let DialogEvent::Opened(request) = event {
                    back_end.answer(request.id(), DialogAnswer::Confirmed(answer)).expect("an open question");
                    return Some(request.kind.clone());
                }
            }
        });
        assert_eq!(place.result().await, expected);
        let asked = user.await.expect("a user");
        let question =
            DialogKind::Confirm { title: "Allow work?".to_owned(), message: "sure?\n\n{\"text\":\"x\"}".to_owned() };
        assert_eq!(asked, Some(question));
    }
}

#[tokio::test]
async fn arguments_are_not_rewritten_unless_the_user_wants_it() {
    let rewrite =
        sh(r#"echo '{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"text": "y"}}}'"#);
    let place = place().hook(".claude/hooks/pre/work.sh", &rewrite);
    assert_eq!(place.result().await, "did x");
    let told = "it wanted to change the arguments of the tool, which is refused; the setting \
                tau.shellHooks.allowInputRewrite allows it";
    assert_eq!(place.reports(), one("pre/work.sh", "tool_call", told));

    let allow = json!({"tau": {"shellHooks": {"allowInputRewrite": true}}});
    let place = super::place().settings(allow.clone()).hook(".claude/hooks/pre/work.sh", &rewrite);
    assert_eq!(place.result().await, "did y");
    assert_eq!((place.ran(), place.reports()), (vec![json!({"text": "y"})], vec![]));

    let wrong = sh(r#"echo '{"hookSpecificOutput": {"updatedInput": {"text": ["no text"]}}}'"#);
    let place = super::place().settings(allow).hook(".claude/hooks/pre/work.sh", &wrong);
    let result = place.result().await;
    assert!(result.starts_with("the hook pre/work.sh wanted arguments that do not fit"), "{result}");
    assert_eq!(place.ran(), Vec::<Value>::new());
}

#[tokio::test]
async fn what_the_model_is_to_know_follows_the_result_and_skips_no_call() {
    let place =
        place_with(json!([calls([("1", "work", json!({"text": "x"})), ("2", "work", json!({"text": "y"}))]), "Done."]));
    let line = r#"echo '{"hookSpecificOutput": {"additionalContext": "mind the gap"}}'"#;
    let place = place.hook(".claude/hooks/pre/work.sh", &sh(line));
    let running = place.start().await;
    running.say("Go on.").await;
    assert_eq!(result_of(&running), "did x\ndid y");
    let asked: Vec<String> = running.asked()[1].iter().skip(2).map(|(_, text)| text.clone()).collect();
    assert_eq!(asked, ["did x", "did y", "mind the gap", "mind the gap"]);
}

#[tokio::test]
async fn a_script_can_end_the_run() {
    let line = r#"echo '{"continue": false, "stopReason": "that is enough"}'"#;
    let place = place().hook(".claude/hooks/pre/work.sh", &sh(line));
    let running = place.start().await;
    running.say("Go on.").await;
    assert_eq!(result_of(&running), "that is enough");
    assert_eq!((running.asked().len(), place.ran()), (1, vec![]));
    assert_eq!(place.reports(), one("pre/work.sh", "tool_call", "that is enough"), "nobody looks, so it is reported");
    let silent = super::place().hook(".claude/hooks/pre/work.sh", &sh(r#"echo '{"continue": false}'"#));
    assert_eq!(silent.result().await, "the hook pre/work.sh stopped the run");
}

#[tokio::test]
async fn a_message_for_the_user_is_shown() {
    let line = r#"echo '{"systemMessage": "look here", "suppressOutput": true}'"#;
    let place = place().hook(".claude/hooks/pre/work.sh", &sh(line));
    let mut back_end = place.world.hooks.dialogs.subscribe();
    assert_eq!(place.result().await, "did x");
    let mut notices = Vec::new();
    while let Some(event) = back_end.try_recv() {
        if let DialogEvent::Ui(event) = event
            && let UiCall::Notify { message, .. } = &event.call
        {
            notices.push(message.clone());
        }
    }
    assert_eq!((notices, place.reports()), (vec!["look here".to_owned()], vec![]));
}

/// What keeps the tool from running when a script answers so.
async fn refused(answer: &str) -> String {
    let place = place().hook(".claude/hooks/pre/work.sh", &sh(&format!("printf '%s' '{answer}'")));
    let result = place.result().await;
    assert_eq!(place.ran(), Vec::<Value>::new(), "{answer}");
    let told = place.reports();
    assert_eq!(told, one("pre/work.sh", "tool_call", &result), "{answer}");
    result
}

#[tokio::test]
async fn a_word_nobody_knows_blocks_and_is_named() {
    let known = "the decisions are allow, approve, ask, block, defer and deny";
    for answer in [
        r#"{"decision": "denied"}"#,
        r#"{"permission": "denied"}"#,
        r#"{"hookSpecificOutput": {"permissionDecision": "denied"}}"#,
        r#"{"decision": "approve", "hookSpecificOutput": {"permissionDecision": "denied"}}"#,
    ] {
        let expected = format!("the hook pre/work.sh decided `denied`, which is not a decision; {known}");
        assert_eq!(refused(answer).await, expected, "{answer}");
    }
    let defer = place().hook(".claude/hooks/pre/work.sh", &sh(r#"echo '{"decision": "defer"}'"#));
    assert_eq!((defer.result().await.as_str(), defer.reports()), ("did x", vec![]));
}

#[tokio::test]
async fn an_answer_that_can_be_read_in_two_ways_blocks() {
    let twice = refused(r#"{"decision": "block", "decision": "approve"}"#).await;
    assert!(twice.contains("the field `decision` is there twice"), "{twice}");
    let several = refused("{\"decision\": \"approve\"}\n{\"decision\": \"block\"}").await;
    assert!(several.contains("is no JSON"), "{several}");
    for (answer, why) in [
        (
            r#"{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "permissionDecision": "allow"}}"#,
            "gave an answer to the event `PermissionRequest`, which is not the one it was called for",
        ),
        (
            r#"{"permission_decision": "deny"}"#,
            "gave an answer with the field `permission_decision`, which is not a field of answers; did you mean \
             `permissionDecision`?",
        ),
        ("welcome\n{\"decision\": \"block\"}", "wrote other text before its answer, so the answer cannot be read"),
        ("welcome\n{\"decision\": \"deny\"", "wrote other text before its answer, so the answer cannot be read"),
        (r#"{"decision": {"behavior": "deny"}}"#, "gave an answer whose `decision` is not a text"),
        (r#"{"decision": null}"#, "gave an answer whose `decision` is not a text"),
        (r#"{"block": null}"#, "gave an answer whose `block` is not a boolean"),
        (r#"{"permission": null}"#, "gave an answer whose `permission` is not a text"),
        (r#"{"continue": null}"#, "gave an answer whose `continue` is not a boolean"),
        (r#"{"hookSpecificOutput": null}"#, "gave an answer whose `hookSpecificOutput` is not an object"),
    ] {
        assert_eq!(refused(answer).await, format!("the hook pre/work.sh {why}"), "{answer}");
    }
}

#[tokio::test]
async fn a_misspelt_decision_blocks_and_other_mistakes_are_reported() {
    for (field, meant) in [
        ("desicion", "decision"),
        ("permissionDecison", "permissionDecision"),
        ("hookSpecificOutputs", "hookSpecificOutput"),
        ("blocked", "block"),
        ("deny", "decision"),
    ] {
        let place = place().hook(".claude/hooks/pre/work.sh", &sh(&format!("echo '{{\"{field}\": true}}'")));
        let why = format!(
            "the hook pre/work.sh gave an answer with the field `{field}`, which is not a field of answers; did you mean \
             `{meant}`?"
        );
        assert_eq!(place.result().await, why);
        assert_eq!(place.ran(), Vec::<Value>::new());
    }
    for (answer, told) in [
        (r#"{"reason": 5}"#, "gave an answer whose `reason` is not a text"),
        (r#"{"systemMessage": ["look"]}"#, "gave an answer whose `systemMessage` is not a text"),
        (
            r#"{"reasn": "no"}"#,
            "gave an answer with the field `reasn`, which is not a field of answers; did you mean `reason`?",
        ),
        (
            r#"{"level": "info"}"#,
            "gave an answer with fields that are not fields of answers, such as `level`, and with no other",
        ),
    ] {
        let place = place().hook(".claude/hooks/pre/work.sh", &sh(&format!("echo '{answer}'")));
        assert_eq!(place.result().await, "did x", "{answer}");
        assert_eq!(place.reports(), one("pre/work.sh", "tool_call", &format!("the hook pre/work.sh {told}")));
    }
    // Some scripts pass on their input.
    let echo = place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\ncat\n");
    assert_eq!((echo.result().await.as_str(), echo.reports()), ("did x", vec![]));
}

#[tokio::test]
async fn a_no_in_an_unusual_place_is_a_no() {
    for answer in [
        r#"{"block": true, "reason": "as extensions do"}"#,
        r#"{"permissionDecision": "deny", "permissionDecisionReason": "as extensions do"}"#,
        r#"{"hookSpecificOutput": {"decision": "block", "reason": "as extensions do"}}"#,
    ] {
        let place = place().hook(".claude/hooks/pre/work.sh", &sh(&format!("echo '{answer}'")));
        assert_eq!(place.result().await, "as extensions do", "{answer}");
        assert_eq!((place.ran(), place.reports()), (vec![], vec![]), "{answer}");
    }
}

/// A call of `edit` with these edits, and what a file holds after it.
async fn edited(script: &str, rewrite: bool, edits: Value) -> (String, String) {
    let mut place = place_with(json!([calls([("1", "edit", json!({"path": "a.txt", "edits": edits}))]), "Done."]))
        .settings(json!({"tau": {"shellHooks": {"allowInputRewrite": rewrite}}}))
        .hook(".claude/hooks/pre/Edit.py", script);
    place.world = place.world.with_builtin_tools();
    let file = place.file("a.txt", "one two\n");
    let result = place.result().await;
    (result, std::fs::read_to_string(file).expect("a file"))
}

#[tokio::test]
async fn a_gate_on_contents_sees_all_that_an_edit_writes() {
    if !has_python() {
        eprintln!("there is no python3 here");
        return;
    }
    let gate = "#!/usr/bin/env python3\nimport json, sys\ncall = json.load(sys.stdin)['tool_input']\n\
                assert call['new_string'] == call['newText']\n\
                if 'SECRET' in call['new_string']:\n    sys.stderr.write('a secret')\n    sys.exit(2)\n";
    let edits = json!([{"oldText": "one", "newText": "1"}, {"oldText": "two", "newText": "SECRET"}]);
    assert_eq!(edited(gate, false, edits).await, ("a secret".to_owned(), "one two\n".to_owned()));
    let edits = json!([{"oldText": "one", "newText": "1"}, {"oldText": "two", "newText": "2"}]);
    assert_eq!(edited(gate, false, edits).await.1, "1 2\n");
}

#[tokio::test]
async fn an_edit_is_rewritten_in_the_words_of_the_script() {
    if !has_python() {
        eprintln!("there is no python3 here");
        return;
    }
    let rewrite = "#!/usr/bin/env python3\nimport json, sys\ncall = json.load(sys.stdin)['tool_input']\n\
                   new = {'file_path': call['file_path'], 'old_string': call['old_string'], 'new_string': call['new_string'].upper()}\n\
                   print(json.dumps({'hookSpecificOutput': {'permissionDecision': 'allow', 'updatedInput': new}}))\n";
    let one = json!([{"oldText": "one", "newText": "three"}]);
    assert_eq!(edited(rewrite, true, one.clone()).await.1, "THREE two\n");
    assert_eq!(edited(rewrite, false, one).await.1, "three two\n");
    let two = json!([{"oldText": "one", "newText": "three"}, {"oldText": "two", "newText": "four"}]);
    let (result, file) = edited(rewrite, true, two).await;
    assert!(result.contains("does not say which edit is meant"), "{result}");
    assert_eq!(file, "one two\n");
}
