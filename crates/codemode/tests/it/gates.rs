//! No call without its gates.

use serde_json::{Value, json};
use tau_agent_testkit::Log;
use tau_agent_testkit::tools::{recording, spec};
use tau_hooks::dialect::{OMP, ORIGINAL, PI};
use tau_hooks::events::{ToolCall, ToolResult};
use tau_hooks::payload::{ToolCallResult, ToolResultResult};
use tau_tools::{Invocation, ToolFailure, ToolOutput, ToolSpec};

use crate::world::{load, output, result, say, scripted, with_replies};

#[tokio::test]
async fn a_script_reads_why_a_gate_blocks_and_may_go_on() {
    let world = scripted(&[
        "try { await tools.work({text: 'no'}) } catch (e) { text(e.message) } return await tools.work({text: 'yes'})",
    ]);
    let (ran, asked): (Log<Value>, Log<(String, Option<String>)>) = Default::default();
    world.extend("work", |registrar| recording(registrar, "work", &ran));
    world.extend("gate", |registrar| {
        let asked = asked.clone();
        registrar.on::<ToolCall>(move |call, _| {
            asked.push((call.tool_name.clone(), call.parent_tool_call_id.clone()));
            let block = (call.input["text"] == "no").then(|| ToolCallResult::block("not this one"));
            async move { block }
        });
    });
    load(&world);
    let running = say(&world).await;
    assert_eq!(output(&running), "==> text 1/2 <==\nnot this one\n==> text 2/2 <==\ndid yes");
    assert_eq!(ran.all(), [json!({"text": "yes"})]);
    let parent = Some("call_1".to_owned());
    let all = [("codemode".to_owned(), None), ("work".to_owned(), parent.clone()), ("work".to_owned(), parent)];
    assert_eq!(asked.all(), all);
    let calls = &result(&running)["nestedCalls"]["calls"];
    assert_eq!((&calls[0]["status"], &calls[1]["status"]), (&json!("error"), &json!("ok")));
}

/// Gates of each dialect, and what each of them does that does not decide.
#[tokio::test]
async fn a_gate_that_does_not_decide_stays_shut() {
    for dialect in [&PI, &OMP, &ORIGINAL] {
        for way in ["throws", "panics", "nonsense"] {
            let world = scripted(&["return await tools.work({})"]);
            let ran = Log::default();
            world.extend("work", |registrar| recording(registrar, "work", &ran));
            world.extend_as(dialect, "gate", |registrar| {
                registrar.on_json("tool_call", move |event, _| async move {
                    if event["toolName"] == "codemode" {
                        return Ok(None);
                    }
                    match way {
                        "throws" => Err(tau_hooks::HandlerError::msg("the gate failed")),
                        "panics" => panic!("the gate panicked"),
                        _ => Ok(Some(json!({"block": "perhaps"}))),
                    }
                });
            });
            load(&world);
            let running = say(&world).await;
            assert_eq!(ran.all(), [] as [Value; 0], "{} {way}", dialect.id);
            assert!(result(&running)["isError"] == true, "{} {way}: {}", dialect.id, output(&running));
        }
    }
}

#[tokio::test]
async fn a_gate_that_hangs_holds_up_nobody_for_ever() {
    let script = "// @options: {\"timeout_ms\": 100}\nawait tools.work({})";
    let world = scripted(&[script, "return 'next'"]);
    let ran = Log::default();
    world.extend("work", |registrar| recording(registrar, "work", &ran));
    world.extend("gate", |registrar| {
        registrar.on::<ToolCall>(|call, _| async move {
            if call.tool_name == "work" {
                std::future::pending::<()>().await;
            }
        });
    });
    load(&world);
    let running = say(&world).await;
    let text = output(&running);
    assert!(text.starts_with("Script error:\nScript timed out: its limit of 100 ms has passed"), "{text}");
    assert!(text.ends_with("(they are not undone): work (cancelled)"), "{text}");
    assert_eq!(result(&running)["nestedCalls"]["calls"][0]["status"], "unfinished");
    assert_eq!(ran.all(), [] as [Value; 0]);
    running.say("Again").await;
    assert_eq!(output(&running), "next");
}

#[tokio::test]
async fn what_a_filter_takes_out_does_not_reach_a_script() {
    let world = scripted(&[
        "text(await tools.text({})); text(await tools.data({})); try { text(await tools.flipped({})) } catch (e) { text('! ' + e.message) }",
    ]);
    world.extend("tools", |registrar| {
        for name in ["text", "data", "flipped"] {
            let spec = ToolSpec { output_schema: (name != "text").then(|| json!({"type": "object"})), ..spec(name) };
            registrar.tool(spec, |_: Invocation, _| async {
                Ok(ToolOutput::text("a secret").with_structured_content(json!({"secret": 1})))
            });
        }
    });
    world.extend("filter", |registrar| {
        registrar.on::<ToolResult>(|result, _| async move {
            let redacted = || Some(vec![tau_ai::ContentBlock::text("[redacted]")]);
            match result.tool_name.as_str() {
                "text" | "data" => Some(ToolResultResult { content: redacted(), ..ToolResultResult::default() }),
                "flipped" => Some(ToolResultResult { is_error: Some(true), ..ToolResultResult::default() }),
                _ => None,
            }
        });
    });
    load(&world);
    let running = say(&world).await;
    let expected = "==> text 1/3 <==\n[redacted]\n==> text 2/3 <==\n[redacted]\n==> text 3/3 <==\n! a secret";
    assert_eq!(output(&running), expected);
}

#[tokio::test]
async fn ten_thousand_calls_pass_ten_thousand_gates() {
    let world = scripted(&[
        "const all = await Promise.allSettled(Array.from({length: 10000}, (_, n) => tools.work({text: String(n)}))); return all.filter((one) => one.status === 'fulfilled').length",
    ]);
    let (ran, asked): (Log<Value>, Log<()>) = Default::default();
    world.extend("work", |registrar| recording(registrar, "work", &ran));
    world.extend("gate", |registrar| {
        let asked = asked.clone();
        registrar.on::<ToolCall>(move |call, _| {
            if call.tool_name == "work" {
                asked.push(());
            }
            async {}
        });
    });
    load(&world);
    let running = say(&world).await;
    assert_eq!(output(&running), "10000");
    assert_eq!((ran.all().len(), asked.all().len()), (10_000, 10_000));
    assert_eq!(result(&running)["nestedCalls"]["complete"], false);
}

/// The end of a script cancels what it did not wait for: a call whose gate answers later does not run.
#[tokio::test]
async fn nothing_runs_after_the_end() {
    let world = scripted(&["tools.work({}); tools.slow({}); return 'over'", "return 'next'"]);
    let ran = Log::default();
    world.extend("work", |registrar| {
        recording(registrar, "work", &ran);
        registrar.tool(spec("slow"), |invocation: Invocation, _| async move {
            invocation.cancel.cancelled().await;
            Err::<ToolOutput, _>(ToolFailure::aborted())
        });
    });
    world.extend("gate", |registrar| {
        registrar.on::<ToolCall>(|call, ctx| async move {
            if call.tool_name == "work" {
                ctx.signal().cancelled().await;
            }
        });
    });
    load(&world);
    let running = say(&world).await;
    assert_eq!(output(&running), "over");
    assert_eq!(ran.all(), [] as [Value; 0]);
    let events = running.events.all();
    let ends: Vec<&str> = events
        .iter()
        .filter(|event| event["type"] == "tool_execution_end")
        .filter_map(|event| event["toolCallId"].as_str())
        .collect();
    assert_eq!(ends.last(), Some(&"call_1"), "{ends:?}");
    running.say("Again").await;
    assert_eq!(output(&running), "next");
}

#[tokio::test]
async fn an_abort_ends_the_script_and_its_calls() {
    let run = |code: &str| json!([{"tool_call": {"name": "codemode", "arguments": {"code": code}}}]);
    let world = with_replies(json!([run("await tools.wait({})"), run("return 'next'"), "Done."]));
    let barrier = tau_agent_testkit::tools::Barrier::default();
    world.extend("wait", |registrar| {
        let barrier = barrier.clone();
        registrar.tool(spec("wait"), move |invocation: Invocation, _| {
            let barrier = barrier.clone();
            async move {
                barrier.reach();
                invocation.cancel.cancelled().await;
                Err::<ToolOutput, _>(ToolFailure::aborted())
            }
        });
    });
    load(&world);
    let running = world.start().await;
    let run = running.say_later("Go");
    barrier.reached(1).await;
    running.session.abort();
    run.await.expect("no panic").expect("a run");
    running.session.wait_until_idle().await;
    assert!(output(&running).starts_with("Script error:\nScript aborted"), "{}", output(&running));
    running.say("Again").await;
    assert_eq!(output(&running), "next");
}

#[tokio::test]
async fn the_name_of_codemode_opens_nothing() {
    let world = scripted(&["try { await tools.codemode({code: '1'}) } catch (e) { return e.message }"]);
    load(&world);
    let running = say(&world).await;
    assert!(output(&running).starts_with("tools.codemode does not exist."), "{}", output(&running));
}
