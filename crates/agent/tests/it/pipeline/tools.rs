//! Tool calls: what keeps one from running, in which order they run, and what they may ask for.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tau_hooks::events::ToolCall;
use tau_tools::{ExecutionMode, Invocation, Progress, Tool, ToolFailure, ToolOutput, ToolSpec};

use crate::common::tools::{Barrier, did, recording, spec};
use crate::common::{Log, World, brief_list, calls, messages, outline};

/// The results of calls that no tool ran for; checks that no gate was asked and that every call began and ended.
async fn refused(reply: Value, tool: ToolSpec) -> Vec<String> {
    let world = World::new(json!([reply, "Done."]));
    let ran: Log<Value> = Log::default();
    world.extend("work", |registrar| {
        let ran = ran.clone();
        registrar.tool(tool.clone(), move |invocation: Invocation, _| {
            ran.push(invocation.args);
            std::future::ready(Ok(ToolOutput::default()))
        });
    });
    let seen = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(ran.all(), Vec::<Value>::new());
    let seen = outline(&seen.all());
    assert_eq!(seen.iter().filter(|line| line.starts_with("tool_call") || line.starts_with("tool_result")).count(), 0);
    let count = |what: &str| seen.iter().filter(|line| line.starts_with(what)).count();
    let results = brief_list(&running.script.requests()[1]["messages"]);
    let results: Vec<String> =
        results.into_iter().filter(|(role, _)| role == "toolResult").map(|(_, text)| text).collect();
    assert_eq!((count("tool_execution_start"), count("tool_execution_end")), (results.len(), results.len()));
    for line in running.file().iter().filter(|line| line["message"]["role"] == "toolResult") {
        assert_eq!((&line["message"]["isError"], &line["message"]["details"]), (&json!(true), &json!({})));
    }
    results
}

#[tokio::test]
async fn an_unknown_tool() {
    assert_eq!(refused(calls([("1", "nothing", json!({}))]), spec("work")).await, ["Tool nothing not found"]);
}

#[tokio::test]
async fn arguments_that_do_not_fit() {
    let mut tool = spec("work");
    tool.parameters = json!({"type": "object", "required": ["path"], "properties": {
        "path": {"type": "string"}, "lines": {"type": "array", "items": {"type": "number"}}}});
    let reply = calls([("1", "work", json!({})), ("2", "work", json!({"path": "a", "lines": ["x"]}))]);
    assert_eq!(
        refused(reply, tool).await,
        [
            "Validation failed for tool \"work\":\n  - path: missing\n\n\
             Received arguments:\n{}",
            "Validation failed for tool \"work\":\n  - lines.0: expected number, got string\n\n\
             Received arguments:\n{\n  \"path\": \"a\",\n  \"lines\": [\n    \"x\"\n  ]\n}",
        ]
    );
}

#[tokio::test]
async fn a_reference_that_leads_nowhere_matters_only_where_it_is_used() {
    let mut tool = spec("work");
    tool.parameters = json!({"type": "object", "properties": {
        "text": {"type": "string"}, "other": {"$ref": "#/$defs/none"}}});
    let world =
        World::new(json!([calls([("1", "work", json!({"text": "a"})), ("2", "work", json!({"other": 1}))]), "Done."]));
    let ran = Log::default();
    world.extend("work", |registrar| {
        let ran = ran.clone();
        registrar.tool(tool.clone(), move |invocation: Invocation, _| {
            ran.push(invocation.args.clone());
            std::future::ready(Ok(ToolOutput::text(did(&invocation))))
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(ran.all(), [json!({"text": "a"})]);
    let last = running.file().into_iter().rfind(|line| line["message"]["role"] == "toolResult").expect("a result");
    let text = last["message"]["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("\n  - other: unresolved reference #/$defs/none\n"), "{text}");
}

#[tokio::test]
async fn an_answer_that_hit_the_limit_of_tokens() {
    let reply = json!([{"tool_call": {"id": "1", "name": "work", "raw_arguments": "{\"text\": \"ha"}},
        {"stop_reason": "length"}]);
    let text = "Tool call \"work\" was not executed: the response hit the output token limit, so its arguments may be \
                truncated. Re-issue the tool call with complete arguments.";
    assert_eq!(refused(reply, spec("work")).await, [text]);
}

#[tokio::test]
async fn arguments_that_are_no_json_object() {
    for (raw, reason) in [
        ("{\"text\": \"ha", "Tool arguments ended before their JSON was complete"),
        ("[1]", "Tool arguments must be a JSON object"),
        ("{\"text\": 1]", "Tool arguments are not valid JSON: expected `,` or `}` at line 1 column 11"),
    ] {
        let world = World::new(json!([[{"tool_call": {"id": "1", "name": "work", "raw_arguments": raw}}], "Done."]));
        let ran = Log::default();
        world.extend("work", |registrar| {
            let ran = ran.clone();
            registrar.tool(spec("work"), move |invocation: Invocation, _| {
                ran.push(invocation.args.clone());
                std::future::ready(Ok(ToolOutput::text(did(&invocation))))
            });
        });
        let running = world.start().await;
        running.say("Hi").await;
        assert_eq!(ran.all(), Vec::<Value>::new());
        let error = format!("{reason}\n\nReceived arguments:\n{raw}");
        let messages = running.file();
        let call = messages.iter().find(|line| line["message"]["role"] == "assistant").expect("an answer");
        let call = &call["message"]["content"][0];
        assert_eq!((&call["arguments"], &call["argumentsError"]), (&json!({}), &json!(error)));
        let result = messages.iter().find(|line| line["message"]["role"] == "toolResult").expect("a result");
        assert_eq!(result["message"]["isError"], json!(true));
        let text = format!("Invalid arguments for tool \"work\": {error}");
        assert_eq!(result["message"]["content"][0]["text"], json!(text));
    }
}

#[tokio::test]
async fn a_text_that_hit_the_limit_of_tokens_ends_the_run() {
    let world = World::new(json!([[{"text": "Half an ans"}, {"stop_reason": "length"}]]));
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(running.file_messages(), messages([("user", "Hi"), ("assistant", "Half an ans")]));
    assert_eq!(running.file().last().expect("an entry")["message"]["stopReason"], json!("length"));
}

/// A tool whose model still uses the names of an earlier version.
struct Renamed(ToolSpec, Log<Value>);

#[async_trait]
impl Tool for Renamed {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    async fn prepare_arguments(&self, raw: Value) -> Result<Value, ToolFailure> {
        Ok(json!({"text": raw["old"]}))
    }
    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        self.1.push(invocation.args.clone());
        Ok(ToolOutput::text(did(&invocation)))
    }
}

#[tokio::test]
async fn arguments_are_prepared_then_validated_then_shown_to_the_gate() {
    let world = World::new(json!([calls([("1", "work", json!({"old": 7}))]), "Done."]));
    let (ran, asked) = (Log::default(), Log::default());
    world.extend("work", |registrar| {
        registrar.add_tool(Arc::new(Renamed(spec("work"), ran.clone())));
        let asked = asked.clone();
        registrar.on::<ToolCall>(move |event, _| {
            asked.push(event.input);
            std::future::ready(())
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    // Prepared, and the number made a text as the schema wants it.
    assert_eq!(asked.all(), [json!({"text": "7"})]);
    assert_eq!(ran.all(), [json!({"text": "7"})]);
    // What was said stays what was said.
    let events = running.events.all();
    let start = events.iter().find(|event| event["type"] == "tool_execution_start").expect("a start");
    assert_eq!(start["args"], json!({"old": 7}));
    assert_eq!(running.conversation()[1].1, r#"work({"old":7})"#);
}

/// Two calls; the first ends only when the second has begun, which needs both to be at work.
async fn two_at_once(mode: ExecutionMode, settings: Value) -> Vec<String> {
    let two = calls([("1", "work", json!({"text": "a"})), ("2", "other", json!({"text": "b"}))]);
    let world = World::new(json!([two, "Done."])).settings(settings);
    let together = mode == ExecutionMode::Parallel;
    world.extend("work", |registrar| {
        let second = Barrier::default();
        let first = second.clone();
        registrar.tool(spec("work"), move |invocation: Invocation, _| {
            let second = second.clone();
            async move {
                if together {
                    second.reached(1).await;
                }
                Ok(ToolOutput::text(did(&invocation)))
            }
        });
        let other = ToolSpec { execution_mode: mode, ..spec("other") };
        registrar.tool(other, move |invocation: Invocation, _| {
            first.reach();
            std::future::ready(Ok(ToolOutput::text(did(&invocation))))
        });
    });
    let seen = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(
        running.asked()[1][2..],
        messages([("toolResult", "did a"), ("toolResult", "did b")]),
        "results are in the order of the calls"
    );
    let seen = outline(&seen.all());
    let begin = seen.iter().position(|line| line.starts_with("tool_execution_start")).expect("a call");
    let end = seen.iter().position(|line| line == "turn_end").expect("an end");
    seen[begin..end].to_vec()
}

const ONE_BY_ONE: [&str; 12] = [
    "tool_execution_start 1",
    "tool_call 1",
    "tool_result 1",
    "tool_execution_end 1",
    "message_start toolResult did a",
    "message_end toolResult did a",
    "tool_execution_start 2",
    "tool_call 2",
    "tool_result 2",
    "tool_execution_end 2",
    "message_start toolResult did b",
    "message_end toolResult did b",
];

#[tokio::test]
async fn side_by_side_calls_are_taken_up_in_order_and_end_as_they_are_done() {
    let parallel = json!({"tau": {"toolExecution": "parallel"}});
    assert_eq!(
        two_at_once(ExecutionMode::Parallel, parallel).await,
        [
            "tool_execution_start 1",
            "tool_call 1",
            "tool_execution_start 2",
            "tool_call 2",
            "tool_result 2",
            "tool_execution_end 2",
            "tool_result 1",
            "tool_execution_end 1",
            "message_start toolResult did a",
            "message_end toolResult did a",
            "message_start toolResult did b",
            "message_end toolResult did b",
        ]
    );
}

#[tokio::test]
async fn one_tool_that_wants_to_be_alone_makes_all_calls_wait() {
    let parallel = json!({"tau": {"toolExecution": "parallel"}});
    assert_eq!(two_at_once(ExecutionMode::Sequential, parallel).await, ONE_BY_ONE);
    assert_eq!(two_at_once(ExecutionMode::Sequential, json!({})).await, ONE_BY_ONE);
}

/// The number of requests of a run whose first answer makes calls that end like this: `(tool asks to end, blocked
/// with a wish to end)`.
async fn requests_after(ends: [bool; 2], blocked: Option<bool>) -> usize {
    let two = calls([("1", "work", json!({"text": "0"})), ("2", "work", json!({"text": "1"}))]);
    let world = World::new(json!([two, "Done."]));
    world.extend("work", |registrar| {
        registrar.tool(spec("work"), move |invocation: Invocation, _| {
            let terminate = if invocation.args["text"] == "0" { ends[0] } else { ends[1] };
            std::future::ready(Ok(ToolOutput { terminate, ..ToolOutput::text(did(&invocation)) }))
        });
        registrar.on_json("tool_call", move |event, _| {
            let block = event["input"]["text"] == "1" && blocked.is_some();
            let result = json!({"block": block, "reason": "no", "terminate": blocked == Some(true)});
            std::future::ready(Ok(Some(result)))
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert!(running.session.is_idle());
    running.script.requests().len()
}

#[tokio::test]
async fn a_run_ends_when_every_call_asks_for_it() {
    assert_eq!(requests_after([true, true], None).await, 1);
    assert_eq!(requests_after([true, false], None).await, 2);
    assert_eq!(requests_after([true, false], Some(true)).await, 1);
    assert_eq!(requests_after([true, true], Some(false)).await, 2);
}

#[tokio::test]
async fn a_tool_that_panics_is_a_tool_that_failed() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Done."]));
    world.extend("work", |registrar| {
        registrar.tool(spec("work"), |_, _| async { panic!("oh") });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(running.asked()[1][2..], messages([("toolResult", "Tool work crashed")]));
    assert_eq!(running.script.unplayed(), 0);
}

/// Partial results come in order, and none after the end.
#[tokio::test]
async fn partial_results_come_before_the_result() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Done."]));
    let late_again: Log<Progress> = Log::default();
    world.extend("work", |registrar| {
        let late = late_again.clone();
        registrar.tool(spec("work"), move |invocation: Invocation, _| {
            let late = late.clone();
            async move {
                for n in 0..300 {
                    invocation.progress.report(ToolOutput::text(n.to_string()));
                }
                late.push(invocation.progress.clone());
                Ok(ToolOutput::text("done"))
            }
        });
        let late = late_again.clone();
        registrar.on_json("tool_result", move |_, _| {
            late.all().iter().for_each(|progress: &Progress| progress.report(ToolOutput::text("too late")));
            std::future::ready(Ok(None))
        });
    });
    let seen = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    for events in [seen.all(), running.events.all()] {
        let texts: Vec<String> = events
            .iter()
            .filter(|event| event["type"] == "tool_execution_update")
            .map(|event| event["partialResult"]["content"][0]["text"].as_str().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(texts, (0..300).map(|n| n.to_string()).collect::<Vec<_>>());
    }
}

/// The active tools are what the model is told of, from the next request on.
#[tokio::test]
async fn tools_can_be_switched_between_requests() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), calls([("2", "work", json!({}))]), "Done."]));
    world.extend("work", |registrar| {
        recording(registrar, "work", &Log::default());
        recording(registrar, "other", &Log::default());
        registrar.on_json("tool_result", |_, ctx| async move {
            ctx.host().set_active_tools(&["other".to_owned(), "no such tool".to_owned()]);
            Ok(None)
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let declared: Vec<Vec<String>> = running
        .script
        .requests()
        .iter()
        .map(|request| {
            let tools = request["tools"].as_array().into_iter().flatten();
            tools.map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
        })
        .collect();
    assert_eq!(declared, [vec!["work", "other"], vec!["other"], vec!["other"]]);
    assert_eq!(running.asked()[2].last().map(|(_, text)| text.as_str()), Some("Tool work not found"));
}

/// Arguments that cannot be used do not fill the context.
#[tokio::test]
async fn what_the_model_reads_again_of_its_arguments_is_short() {
    let nested = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let deep = format!("{{\"deep\": {nested}}}");
    let broken = format!("{{\"text\": \"{}", "x".repeat(1_000_000));
    let mut tool = spec("work");
    tool.parameters = json!({"type": "object", "required": ["path"]});
    for raw in [deep, broken] {
        let reply = json!([{"tool_call": {"id": "1", "name": "work", "raw_arguments": raw}}]);
        let texts = refused(reply, tool.clone()).await;
        assert!(texts[0].contains("Received arguments:\n{"), "{}", texts[0]);
        assert!(texts[0].len() < 2 * tau_ai::MAX_RECEIVED, "{}", texts[0].len());
    }
}
