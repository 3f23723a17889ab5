//! Calls that are made at once: gates are asked one at a time, tools run side by side unless one wants to be alone.

use futures_util::future::join_all;
use serde_json::{Value, json};
use tau_hooks::events::ToolCall;
use tau_tools::{ExecutionMode, Invocation, NestedCall, ToolOutput, ToolSpec};

use super::{outer, trace, world};
use crate::common::tools::{Barrier, did, spec, waiting};
use crate::common::{Log, World};

/// A tool that calls `work` three times at once.
fn three_at_once(world: &World) {
    world.extend("outer", |registrar| {
        outer(registrar, |ctx| async move {
            let call = |text: &str| ctx.execute_tool(NestedCall::new("work", json!({"text": text})));
            let made = [call("a"), call("b"), call("c")];
            let outcomes = join_all(made).await;
            Ok(ToolOutput::text(outcomes.iter().map(|outcome| outcome.output.texts()).collect::<Vec<_>>().join(", ")))
        });
    });
}

/// A tool that ends only when this many calls of it are at work, and notes how many were at once.
fn work(world: &World, mode: ExecutionMode, together: usize) -> Log<usize> {
    let (most, barrier) = (Log::default(), Barrier::default());
    let at_work: Log<()> = Log::default();
    world.extend("work", |registrar| {
        let (most, barrier, at_work) = (most.clone(), barrier.clone(), at_work.clone());
        registrar.tool(ToolSpec { execution_mode: mode, ..spec("work") }, move |invocation: Invocation, _| {
            let (most, barrier, at_work) = (most.clone(), barrier.clone(), at_work.clone());
            async move {
                at_work.push(());
                barrier.reach();
                barrier.reached(together).await;
                // Whoever could run beside this one has had time to begin.
                for _ in 0..50 {
                    tokio::task::yield_now().await;
                }
                most.push(at_work.all().len());
                at_work.take();
                Ok(ToolOutput::text(did(&invocation)))
            }
        });
    });
    most
}

#[tokio::test]
async fn gates_are_asked_one_at_a_time_in_the_order_of_the_calls() {
    let world = world();
    three_at_once(&world);
    work(&world, ExecutionMode::Parallel, 3);
    let asked: Log<String> = Log::default();
    world.extend("gate", |registrar| {
        let asked = asked.clone();
        registrar.on::<ToolCall>(move |call, _| {
            let asked = asked.clone();
            async move {
                asked.push(format!("asked about {}", call.tool_call_id));
                // The first question takes longest.
                let turns = 40
                    / call.tool_call_id.len().max(1)
                    / (1 + call.input["text"].as_str().map_or(0, |text| usize::from(text.as_bytes()[0] - b'a')));
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
                asked.push(format!("answered about {}", call.tool_call_id));
            }
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let expected =
        ["c1", "c1/1", "c1/2", "c1/3"].map(|id| [format!("asked about {id}"), format!("answered about {id}")]);
    assert_eq!(asked.all(), expected.concat());
    assert_eq!(running.conversation()[2].1, "did a, did b, did c");
}

#[tokio::test]
async fn tools_run_side_by_side_unless_they_want_to_be_alone() {
    for (mode, settings, together) in [
        (ExecutionMode::Parallel, json!({}), 3),
        (ExecutionMode::Parallel, json!({"tau": {"toolExecution": "parallel"}}), 3),
        (ExecutionMode::Parallel, json!({"tau": {"toolExecution": "sequential"}}), 1),
        (ExecutionMode::Sequential, json!({}), 1),
        (ExecutionMode::Sequential, json!({"tau": {"toolExecution": "parallel"}}), 1),
    ] {
        let world = world().settings(settings.clone());
        three_at_once(&world);
        let most = work(&world, mode, together);
        let heard = world.watch();
        let running = world.start().await;
        running.say("Hi").await;
        assert_eq!(most.all().iter().max(), Some(&together), "{settings} {mode:?}");
        assert_eq!(running.conversation()[2].1, "did a, did b, did c");
        let heard = trace(&heard.all());
        let place = |line: &str| heard.iter().position(|other| other == line).expect(line);
        match together {
            // Whoever is asked for all calls before one is done has asked in time.
            3 => assert!(place("call c1/3") < place("result c1/1")),
            _ => assert!(place("end c1/1") < place("result c1/2")),
        }
        // With the setting not even a gate is asked before the call before is over.
        if settings["tau"]["toolExecution"] == "sequential" {
            assert!(place("end c1/1") < place("start c1/2"));
        }
    }
}

/// A call that keeps others waiting does not wait for itself.
#[tokio::test]
async fn inside_a_call_that_runs_alone_nothing_waits() {
    let world = world();
    let barrier = Barrier::default();
    world.extend("tools", |registrar| {
        outer(registrar, |ctx| async move {
            let calls = [
                ctx.execute_tool(NestedCall::new("alone", json!({}))),
                ctx.execute_tool(NestedCall::new("alone", json!({}))),
            ];
            let outcomes = join_all(calls).await;
            Ok(ToolOutput::text(outcomes.iter().map(|outcome| outcome.output.texts()).collect::<Vec<_>>().join(", ")))
        });
        let alone = ToolSpec { execution_mode: ExecutionMode::Sequential, ..spec("alone") };
        registrar.tool(alone, |invocation: Invocation, ctx| async move {
            let calls = [("inner", "x"), ("inner", "y")]
                .map(|(name, text)| ctx.execute_tool(NestedCall::new(name, json!({"text": text}))));
            let outcomes = join_all(calls).await;
            assert!(invocation.id.starts_with("c1/"));
            Ok(ToolOutput::text(outcomes.iter().map(|outcome| outcome.output.texts()).collect::<Vec<_>>().join("+")))
        });
        let barrier = barrier.clone();
        let inner = ToolSpec { execution_mode: ExecutionMode::Sequential, ..spec("inner") };
        registrar.tool(inner, move |invocation: Invocation, _| {
            let barrier = barrier.clone();
            async move {
                barrier.reach();
                // Both of one caller are at work at once.
                barrier.reached(2).await;
                Ok(ToolOutput::text(did(&invocation)))
            }
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(running.conversation()[2].1, "did x+did y, did x+did y");
}

/// The rest of a message waits for the user; what a tool calls does not.
#[tokio::test]
async fn a_steering_message_does_not_skip_nested_calls() {
    let world = world();
    let barrier = Barrier::default();
    let outcomes: Log<Value> = Log::default();
    world.extend("tools", |registrar| {
        waiting(registrar, "slow", &barrier);
        let outcomes = outcomes.clone();
        outer(registrar, move |ctx| {
            let outcomes = outcomes.clone();
            async move {
                for _ in 0..2 {
                    let outcome = ctx.execute_tool(NestedCall::new("slow", json!({}))).await;
                    outcomes.push(outcome.output.texts().into());
                }
                Ok(ToolOutput::text("done"))
            }
        });
    });
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    running.queue("Stop that", tau_hooks::payload::StreamingBehavior::Steer).await.expect("it is queued");
    barrier.open();
    barrier.reached(2).await;
    barrier.open();
    run.await.expect("a run").expect("it goes on");
    running.session.wait_until_idle().await;
    assert_eq!(outcomes.all(), [json!("did nothing"), json!("did nothing")]);
}
