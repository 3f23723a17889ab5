//! What the caller gets, and what the message keeps.

use serde_json::{Value, json};
use tau_ai::Usage;
use tau_hooks::events::ToolResult;
use tau_hooks::payload::ToolResultResult;
use tau_tools::{Invocation, NestedOutcome, ToolFailure, ToolOutput};

use super::{calling, kept, outer, record, trace, world};
use crate::common::tools::{recording, spec};
use crate::common::{Log, World, calls, messages};

/// What came of a call, without its time.
fn seen(outcome: &NestedOutcome) -> Value {
    let mut outcome = outcome.to_json().expect("JSON");
    outcome.as_object_mut().expect("an object").remove("durationMs");
    outcome
}

#[tokio::test]
async fn a_nested_call_passes_what_a_call_of_the_model_passes() {
    let world = world();
    let (outcomes, ran): (Log<NestedOutcome>, Log<Value>) = Default::default();
    world.extend("tools", |registrar| {
        calling(registrar, vec![("work", json!({"text": 7}))], &outcomes);
        recording(registrar, "work", &ran);
    });
    let heard = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    let expected = ["start c1", "call c1", "start c1/1", "call c1/1", "result c1/1", "end c1/1", "result c1", "end c1"];
    assert_eq!(trace(&heard.all()), expected);
    let told: Vec<&str> =
        expected.into_iter().filter(|line| !line.starts_with("call") && !line.starts_with("result")).collect();
    assert_eq!(trace(&running.events.all()), told);
    // Its arguments were made to fit, and the caller reads them as it gave them.
    assert_eq!(ran.all(), [json!({"text": "7"})]);
    assert_eq!(
        outcomes.all().iter().map(seen).collect::<Vec<_>>(),
        [json!({
            "toolCall": {"type": "toolCall", "id": "c1/1", "name": "work", "arguments": {"text": 7}},
            "result": {"content": [{"type": "text", "text": "did 7"}]},
            "isError": false,
        })]
    );
    assert!(outcomes.all()[0].duration.is_some());
    // No message comes of it, and nothing of it reaches the model.
    let expected = [("user", "Hi"), ("assistant", "outer({})"), ("toolResult", "all called"), ("assistant", "Done.")];
    assert_eq!(running.file_messages(), messages(expected));
    assert_eq!(
        record(&running),
        json!({"calls": [{"id": "c1/1", "name": "work", "status": "ok", "arguments": {"text": 7}}], "complete": true})
    );
    assert!(kept(&running)["durationMs"].is_u64());
    let end = heard.all().into_iter().find(|event| event["type"] == "tool_execution_end").expect("an end");
    assert!(end["durationMs"].is_u64(), "{end}");
}

#[tokio::test]
async fn whatever_goes_wrong_is_an_outcome() {
    let world = world();
    let outcomes = Log::default();
    world.extend("tools", |registrar| {
        let all = vec![
            ("nothing", json!({})),
            ("work", json!("text")),
            ("work", json!({"text": "no"})),
            ("broken", json!({})),
            ("crashing", json!({})),
        ];
        calling(registrar, all, &outcomes);
        recording(registrar, "work", &Log::default());
        registrar.tool(spec("broken"), |_: Invocation, _| async { Err::<ToolOutput, _>(ToolFailure::new("it broke")) });
        registrar.tool(spec("crashing"), |_: Invocation, _| async { panic!("oh") });
        registrar.on_json("tool_call", |event, _| async move {
            Ok((event["input"]["text"] == "no").then(|| json!({"block": true, "reason": "not today"})))
        });
    });
    let heard = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    let outcomes = outcomes.all();
    let texts: Vec<String> = outcomes.iter().map(|outcome| outcome.output.texts()).collect();
    assert_eq!(texts[0], "Tool nothing not found");
    assert!(texts[1].starts_with("Validation failed for tool \"work\":"), "{}", texts[1]);
    assert_eq!(texts[2..], ["not today", "it broke", "Tool crashing crashed"]);
    assert!(outcomes.iter().all(|outcome| outcome.output.is_error));
    // Only a tool that ran took time.
    let times: Vec<bool> = outcomes.iter().map(|outcome| outcome.duration.is_some()).collect();
    assert_eq!(times, [false, false, false, true, true]);
    let heard = trace(&heard.all());
    let of = |id: &str| -> Vec<String> {
        let lines = heard.iter().map(|line| line.strip_suffix(" failed").unwrap_or(line));
        lines.filter_map(|line| line.strip_suffix(id)).map(str::to_owned).collect()
    };
    assert_eq!(of(" c1/1"), ["start", "end"]);
    assert_eq!(of(" c1/2"), ["start", "end"]);
    // The extension that blocks is asked before the one that listens.
    assert_eq!(of(" c1/3"), ["start", "end"]);
    assert_eq!(of(" c1/4"), ["start", "call", "result", "end"]);
    let record = record(&running);
    let errors: Vec<&Value> = record["calls"].as_array().into_iter().flatten().map(|call| &call["error"]).collect();
    assert_eq!(errors[2..], [&json!("not today"), &json!("it broke"), &json!("Tool crashing crashed")]);
    assert_eq!(record["complete"], json!(true));
}

/// What a caller and front ends get of a result with data after a handler returned this.
async fn after(result: ToolResultResult) -> (Option<Value>, bool) {
    let world = world();
    let outcomes = Log::default();
    world.extend("tools", |registrar| {
        calling(registrar, vec![("facts", json!({}))], &outcomes);
        registrar.tool(spec("facts"), |_: Invocation, _| async {
            Ok(ToolOutput::text("secret").with_structured_content(json!({"fact": "secret"})))
        });
        let result = result.clone();
        registrar.on::<ToolResult>(move |event, _| {
            let result = (event.tool_name == "facts").then(|| result.clone());
            std::future::ready(result)
        });
    });
    let heard = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    let outcome = outcomes.all().remove(0);
    let ends = |events: Vec<Value>| {
        events.into_iter().find(|event| event["type"] == "tool_execution_end" && event["toolCallId"] == "c1/1")
    };
    for end in [ends(heard.all()), ends(running.events.all())] {
        let result = &end.expect("an end")["result"];
        assert_eq!(result.get("structuredContent"), outcome.output.structured_content.as_ref());
    }
    assert!(!running.file().iter().any(|line| line.to_string().contains("structuredContent")));
    (outcome.output.structured_content, outcome.output.is_error)
}

#[tokio::test]
async fn data_that_a_handler_did_not_speak_of_goes_with_what_it_changed() {
    let content = || Some(vec![tau_ai::ContentBlock::text("redacted")]);
    let kept = Some(json!({"fact": "secret"}));
    assert_eq!(after(ToolResultResult::default()).await, (kept.clone(), false));
    let details = ToolResultResult { details: Some(json!({})), ..ToolResultResult::default() };
    assert_eq!(after(details).await, (kept.clone(), false));
    let same = ToolResultResult { is_error: Some(false), ..ToolResultResult::default() };
    assert_eq!(after(same).await, (kept, false));
    assert_eq!(after(ToolResultResult { content: content(), ..ToolResultResult::default() }).await, (None, false));
    let flipped = ToolResultResult { is_error: Some(true), ..ToolResultResult::default() };
    assert_eq!(after(flipped).await, (None, true));
    let other = Some(json!({"fact": "redacted"}));
    let both =
        ToolResultResult { content: content(), structured_content: other.clone(), ..ToolResultResult::default() };
    assert_eq!(after(both).await, (other.clone(), false));
    let all =
        ToolResultResult { is_error: Some(true), structured_content: other.clone(), ..ToolResultResult::default() };
    assert_eq!(after(all).await, (other, true));
}

#[tokio::test]
async fn a_result_that_says_it_is_an_error_is_one_with_all_it_has() {
    let world = World::new(json!([calls([("1", "soft", json!({}))]), "Done."]));
    world.extend("tools", |registrar| {
        registrar.tool(spec("soft"), |_: Invocation, _| async {
            let output = ToolOutput::text("no luck").with_details(json!({"why": 7}));
            Ok(ToolOutput { is_error: true, ..output.with_structured_content(json!([1])) })
        });
    });
    let heard = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    let message = kept(&running);
    assert_eq!((&message["isError"], &message["details"]), (&json!(true), &json!({"why": 7})));
    assert_eq!(running.script.requests()[1]["messages"][2]["isError"], json!(true));
    let heard = heard.all();
    let result = heard.iter().find(|event| event["type"] == "tool_result").expect("a result");
    assert_eq!((&result["isError"], &result["structuredContent"]), (&json!(true), &json!([1])));
    let end = heard.iter().find(|event| event["type"] == "tool_execution_end").expect("an end");
    assert_eq!((&end["isError"], &end["result"]["structuredContent"]), (&json!(true), &json!([1])));
}

#[tokio::test]
async fn what_nested_calls_used_is_the_callers() {
    fn usage(input: u64) -> Option<Usage> {
        Some(Usage { input, total_tokens: input, ..Usage::default() })
    }
    let world = world();
    world.extend("tools", |registrar| {
        outer(registrar, |ctx| async move {
            ctx.execute_tool(tau_tools::NestedCall::new("middle", json!({}))).await;
            Ok(ToolOutput { usage: usage(1), ..ToolOutput::text("sum") })
        });
        registrar.tool(spec("middle"), |_: Invocation, ctx| async move {
            let inner = ctx.execute_tool(tau_tools::NestedCall::new("inner", json!({}))).await;
            assert_eq!(inner.output.usage, usage(100));
            Ok(ToolOutput { usage: usage(10), ..ToolOutput::text("part") })
        });
        registrar.tool(spec("inner"), |_: Invocation, _| async {
            Ok(ToolOutput { usage: usage(100), ..ToolOutput::text("piece") })
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(kept(&running)["usage"]["input"], json!(111));
    let record = record(&running);
    let ids: Vec<&Value> = record["calls"].as_array().into_iter().flatten().map(|call| &call["id"]).collect();
    assert_eq!(ids, ["c1/1", "c1/1/1"]);
}

#[tokio::test]
async fn partial_results_reach_the_caller_and_everybody_else() {
    let world = world();
    let partials: Log<String> = Log::default();
    world.extend("tools", |registrar| {
        let partials = partials.clone();
        outer(registrar, move |ctx| {
            let partials = partials.clone();
            async move {
                let progress = tau_tools::Progress::new(move |partial: ToolOutput| partials.push(partial.texts()));
                ctx.execute_tool(tau_tools::NestedCall { progress, ..tau_tools::NestedCall::new("slow", json!({})) })
                    .await;
                Ok(ToolOutput::text("done"))
            }
        });
        registrar.tool(spec("slow"), |invocation: Invocation, _| async move {
            invocation.progress.report(ToolOutput::text("half"));
            invocation.progress.report(ToolOutput::text("most"));
            Ok(ToolOutput::text("all"))
        });
    });
    let heard = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(partials.all(), ["half", "most"]);
    let expected = ["start c1", "start c1/1", "update c1/1", "update c1/1", "end c1/1", "end c1"];
    assert_eq!(trace(&running.events.all()), expected);
    assert_eq!(trace(&heard.all()).iter().filter(|line| *line == "update c1/1").count(), 2);
}

/// The tools that can be called are those that are active, and nobody else can call them.
#[tokio::test]
async fn tools_are_there_while_a_tool_is_at_work() {
    let world = world();
    let (names, late): (Log<Vec<String>>, Log<tau_hooks::Ctx>) = Default::default();
    world.extend("tools", |registrar| {
        recording(registrar, "work", &Log::default());
        recording(registrar, "idle", &Log::default());
        let (names, late) = (names.clone(), late.clone());
        outer(registrar, move |ctx| {
            let (names, late) = (names.clone(), late.clone());
            async move {
                ctx.host().set_active_tools(&["work".to_owned(), "outer".to_owned()]);
                names.push(ctx.tools().into_iter().map(|spec| spec.name).collect());
                let idle = ctx.execute_tool(tau_tools::NestedCall::new("idle", json!({}))).await;
                assert_eq!(idle.output.texts(), "Tool idle not found");
                late.push(ctx);
                Ok(ToolOutput::text("done"))
            }
        });
        registrar.on_json("tool_result", |_, ctx| async move {
            assert!(ctx.tools().is_empty());
            Ok(None)
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(names.all(), [["work", "outer"]]);
    let before = running.events.all().len();
    let ctx = late.all().remove(0);
    let outcome = ctx.execute_tool(tau_tools::NestedCall::new("work", json!({}))).await;
    assert_eq!(outcome.output.texts(), "Tool work was not run: the call c1 that asked for it is over");
    assert_eq!((outcome.output.is_error, running.events.all().len()), (true, before));
}

/// What a message has no room for is in the trace.
#[tokio::test]
async fn the_trace_has_every_call() {
    let world = world();
    world.extend("tools", |registrar| {
        outer(registrar, |ctx| async move {
            for _ in 0..300 {
                ctx.execute_tool(tau_tools::NestedCall::new("work", json!({}))).await;
            }
            ctx.execute_tool(tau_tools::NestedCall::new("nothing", json!({}))).await;
            Ok(ToolOutput::text("done"))
        });
        recording(registrar, "work", &Log::default());
    });
    let running = world.start().await;
    running.say("Hi").await;
    let record = record(&running);
    assert_eq!((record["calls"].as_array().map(Vec::len), &record["complete"]), (Some(256), &json!(false)));
    let traced: Vec<Value> = world.hooks.dispatcher.trace.records().iter().map(|record| json!(record)).collect();
    let traced: Vec<&Value> = traced.iter().filter(|record| record["toolCall"].is_object()).collect();
    assert_eq!(traced.len(), 301);
    assert_eq!(traced[256]["toolCall"], json!({"id": "c1/257", "name": "work"}));
    assert_eq!((&traced[0]["outcome"], &traced[300]["error"]), (&json!("nothing"), &json!("tool_failed")));
    assert_eq!((&traced[0]["extension"], &traced[0]["event"]), (&json!("<runtime>"), &json!("tool_execution_end")));
}

#[tokio::test]
async fn a_summary_lists_the_files_of_nested_calls() {
    let replies = json!([calls([("c1", "outer", json!({}))]), "Done.", "Second.", "A summary."]);
    let world = World::new(replies).with_builtin_tools().settings(json!({"compaction": {"keepRecentTokens": 4}}));
    world.home.write("notes.txt", "one\n");
    world.extend("outer", |registrar| {
        let all = vec![("read", json!({"path": "notes.txt"})), ("write", json!({"path": "new.txt", "content": "x"}))];
        calling(registrar, all, &Log::default());
    });
    let running = world.start().await;
    running.say("First question").await;
    running.say("Second question").await;
    running.session.compact(None).await.expect("a compaction");
    let line = running.file().into_iter().find(|line| line["type"] == "compaction").expect("an entry");
    assert_eq!(line["details"], json!({"readFiles": ["notes.txt"], "modifiedFiles": ["new.txt"]}));
}
