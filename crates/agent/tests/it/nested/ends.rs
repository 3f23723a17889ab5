//! What ends a nested call: an abort, a deadline, the return of its caller; and that its end comes before the caller's.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tau_tools::{NestedCall, NestedOutcome, ToolFailure, ToolOutput};
use tokio_util::sync::CancellationToken;

use super::{outer, record, trace, world};
use crate::common::tools::{Barrier, endless, recording};
use crate::common::{Log, World, calls};

/// A command that writes its number to `pid` and that of a child to `child`, and never ends.
const FOR_EVER: &str = "sleep 1000 & echo $! > child; echo $$ > pid; wait";

async fn until(done: impl Fn() -> bool) {
    while !done() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The numbers that [`FOR_EVER`] wrote, once it has.
async fn processes(world: &World) -> Vec<PathBuf> {
    written(&world.home.cwd()).await
}

/// As [`processes`]. A file is there before its number is in it.
async fn written(cwd: &Path) -> Vec<PathBuf> {
    let files = ["pid", "child"].map(|name| cwd.join(name));
    let read = |file: &PathBuf| std::fs::read_to_string(file).ok().filter(|text| text.ends_with('\n'));
    until(|| files.iter().all(|file| read(file).is_some())).await;
    files.iter().filter_map(read).map(|text| Path::new("/proc").join(text.trim())).collect()
}

/// Whether a process is gone; one that nobody has asked for yet is a zombie.
fn is_gone(process: &Path) -> bool {
    std::fs::read_to_string(process.join("stat")).map_or(true, |stat| stat.contains(") Z "))
}

#[tokio::test]
async fn an_abort_ends_nested_calls_and_their_processes() {
    let world = world().with_builtin_tools();
    let outcomes: Log<NestedOutcome> = Log::default();
    world.extend("outer", |registrar| {
        let outcomes = outcomes.clone();
        outer(registrar, move |ctx| {
            let outcomes = outcomes.clone();
            async move {
                let call = NestedCall::new("middle", json!({}));
                outcomes.push(ctx.execute_tool(call).await);
                Err(ToolFailure::aborted())
            }
        });
        registrar.tool(crate::common::tools::spec("middle"), |_: tau_tools::Invocation, ctx| async move {
            Ok(ctx.execute_tool(NestedCall::new("bash", json!({"command": FOR_EVER}))).await.output)
        });
    });
    let running = world.start().await;
    let run = running.say_later("Hi");
    let processes = processes(&world).await;
    running.session.abort();
    run.await.expect("a run").expect("it ends");
    running.session.wait_until_idle().await;
    until(|| processes.iter().all(|process| is_gone(process))).await;
    assert_eq!(outcomes.all()[0].output.texts(), "Command aborted");
    let told = trace(&running.events.all()).into_iter().filter(|line| !line.starts_with("update")).collect::<Vec<_>>();
    assert_eq!(
        told,
        ["start c1", "start c1/1", "start c1/1/1", "end c1/1/1 failed", "end c1/1 failed", "end c1 failed",]
    );
}

#[tokio::test]
async fn a_signal_of_the_caller_ends_a_call_and_nothing_else() {
    let world = world().with_builtin_tools();
    let (deadline, outcomes): (CancellationToken, Log<NestedOutcome>) = Default::default();
    world.extend("outer", |registrar| {
        let (deadline, outcomes) = (deadline.clone(), outcomes.clone());
        outer(registrar, move |ctx| {
            let (deadline, outcomes) = (deadline.clone(), outcomes.clone());
            async move {
                let call = NestedCall::new("bash", json!({"command": FOR_EVER}));
                outcomes.push(ctx.execute_tool(NestedCall { cancel: deadline.clone(), ..call }).await);
                // It has fired already: the call is not even taken up.
                let call = NestedCall::new("bash", json!({"command": "echo > ran"}));
                outcomes.push(ctx.execute_tool(NestedCall { cancel: deadline, ..call }).await);
                outcomes.push(ctx.execute_tool(NestedCall::new("bash", json!({"command": "echo on"}))).await);
                Ok(ToolOutput::text("done"))
            }
        });
    });
    // Somebody takes out what the call that was ended had to say: that too is waited for.
    world.extend("filter", |registrar| {
        registrar.on_json("tool_result", |event, _| async move {
            tokio::task::yield_now().await;
            let ended = event["toolCallId"] == "c1/1";
            Ok(ended.then(|| json!({"content": [{"type": "text", "text": "[hidden]"}]})))
        });
    });
    let running = world.start().await;
    let run = running.say_later("Hi");
    let processes = processes(&world).await;
    deadline.cancel();
    run.await.expect("a run").expect("it goes on");
    running.session.wait_until_idle().await;
    until(|| processes.iter().all(|process| is_gone(process))).await;
    let texts: Vec<String> = outcomes.all().iter().map(|outcome| outcome.output.texts()).collect();
    assert_eq!(texts, ["[hidden]", "Operation aborted", "on\n"]);
    assert!(!world.home.cwd().join("ran").exists());
    assert_eq!(running.conversation().last().map(|(_, text)| text.as_str()), Some("Done."));
}

#[tokio::test]
async fn a_timeout_of_the_command_ends_it() {
    let world = world().with_builtin_tools();
    let outcomes: Log<NestedOutcome> = Log::default();
    world.extend("outer", |registrar| {
        super::calling(registrar, vec![("bash", json!({"command": FOR_EVER, "timeout": 0.3}))], &outcomes);
    });
    let running = world.start().await;
    running.say("Hi").await;
    let text = outcomes.all()[0].output.texts();
    assert!(text.ends_with("Command timed out after 0.3 seconds"), "{text}");
    // It may have been stopped before it wrote anything.
    let read = |name: &str| std::fs::read_to_string(world.home.cwd().join(name)).ok();
    let processes: Vec<PathBuf> =
        ["pid", "child"].iter().filter_map(|name| read(name)).map(|pid| Path::new("/proc").join(pid.trim())).collect();
    until(|| processes.iter().all(|process| process == Path::new("/proc") || is_gone(process))).await;
}

/// Calls that a tool does not wait for.
#[tokio::test]
async fn a_caller_that_returns_early_ends_its_calls_before_it_ends() {
    let world = world().with_builtin_tools();
    let cwd = world.home.cwd();
    world.extend("tools", |registrar| {
        let cwd = cwd.clone();
        outer(registrar, move |ctx| {
            let cwd = cwd.clone();
            async move {
                let left = ctx.execute_tool(NestedCall::new("bash", json!({"command": FOR_EVER})));
                // Dropping the answer would end the call as well.
                tokio::spawn(left);
                ctx.execute_tool(NestedCall::new("work", json!({}))).await;
                // Ended before it wrote its numbers, it would leave nothing to look for.
                written(&cwd).await;
                Ok(ToolOutput::text("I do not wait"))
            }
        });
        recording(registrar, "work", &Log::default());
    });
    let heard = world.watch();
    let running = world.start().await;
    let run = running.say_later("Hi");
    let processes = processes(&world).await;
    run.await.expect("a run").expect("it goes on");
    running.session.wait_until_idle().await;
    until(|| processes.iter().all(|process| is_gone(process))).await;
    for events in [heard.all(), running.events.all()] {
        let told = trace(&events);
        let place = |line: &str| told.iter().position(|other| other == line).expect(line);
        assert!(place("end c1/1 failed") < place("end c1"), "{told:?}");
    }
    // Nobody hears more of it after its caller is over.
    let told = trace(&heard.all());
    assert_eq!(told.last().map(String::as_str), Some("end c1"));
    let record = record(&running);
    assert_eq!(
        record,
        json!({"complete": false, "calls": [
            {"id": "c1/1", "name": "bash", "status": "unfinished", "arguments": {"command": FOR_EVER}},
            {"id": "c1/2", "name": "work", "status": "ok", "arguments": {}},
        ]})
    );
    assert_eq!(running.conversation()[2].1, "I do not wait");
}

/// A gate may be asked about a call whose caller has returned: its answer changes nothing any more.
#[tokio::test]
async fn a_call_whose_gate_answers_late_does_not_run() {
    let world = World::new(json!([calls([("c1", "outer", json!({}))]), "Done.", "Yes."]));
    let (ran, barrier): (Log<Value>, Barrier) = Default::default();
    world.extend("tools", |registrar| {
        recording(registrar, "work", &ran);
        let asked = barrier.clone();
        outer(registrar, move |ctx| {
            let asked = asked.clone();
            async move {
                tokio::spawn(ctx.execute_tool(NestedCall::new("work", json!({}))));
                asked.reached(1).await;
                Ok(ToolOutput::text("I do not wait"))
            }
        });
        let barrier = barrier.clone();
        registrar.on_json("tool_call", move |event, _| {
            let barrier = barrier.clone();
            async move {
                if event["toolName"] == "work" {
                    barrier.stay().await;
                }
                Ok(None)
            }
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    barrier.open();
    running.say("Still there?").await;
    assert_eq!(ran.all(), Vec::<Value>::new());
    let told = trace(&running.events.all());
    assert_eq!(told, ["start c1", "start c1/1", "end c1/1 failed", "end c1"]);
}

/// An answer that is dropped is a call that nobody wants any more.
#[tokio::test]
async fn dropping_the_answer_ends_the_call() {
    let world = world();
    let barrier = Barrier::default();
    world.extend("tools", |registrar| {
        endless(registrar, "endless", &barrier);
        let barrier = barrier.clone();
        outer(registrar, move |ctx| {
            let barrier = barrier.clone();
            async move {
                let answer = ctx.execute_tool(NestedCall::new("endless", json!({})));
                barrier.reached(1).await;
                drop(answer);
                Ok(ToolOutput::text("done"))
            }
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(trace(&running.events.all()), ["start c1", "start c1/1", "end c1/1 failed", "end c1"]);
}

/// A tool that calls itself, and one that never waits, come to an end.
#[tokio::test]
async fn calls_nest_so_deep_and_are_so_many_and_no_more() {
    let world = world();
    let (deepest, many): (Log<String>, Log<String>) = Default::default();
    world.extend("tools", |registrar| {
        let (deepest, many) = (deepest.clone(), many.clone());
        registrar.tool(crate::common::tools::spec("deeper"), move |_: tau_tools::Invocation, ctx| {
            let deepest = deepest.clone();
            async move {
                let outcome = ctx.execute_tool(NestedCall::new("deeper", json!({}))).await;
                if outcome.id.is_empty() {
                    deepest.push(outcome.output.texts());
                }
                Ok(outcome.output)
            }
        });
        recording(registrar, "work", &Log::default());
        outer(registrar, move |ctx| {
            let many = many.clone();
            async move {
                ctx.execute_tool(NestedCall::new("deeper", json!({}))).await;
                let open: Vec<_> = (0..4100).map(|_| ctx.execute_tool(NestedCall::new("work", json!({})))).collect();
                for outcome in futures_util::future::join_all(open).await {
                    many.push(outcome.output.texts());
                }
                Ok(ToolOutput::text("done"))
            }
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(deepest.all(), ["Tool deeper was not run: nested tool calls are limited to 64 levels"]);
    let many = many.all();
    assert_eq!(many.iter().filter(|text| *text == "did nothing").count(), 4096);
    assert_eq!(
        many.last().map(String::as_str),
        Some("Tool work was not run: at most 4096 calls can be open at once; wait for some of them")
    );
}

/// A panic of tau itself in a task of a nested call: the call ends for everybody, and the run ends with an error.
#[tokio::test]
async fn a_panic_in_a_nested_call_ends_it_and_the_run() {
    let world = World::new(json!([calls([("c1", "outer", json!({}))]), "Better."]));
    let (done, outcomes): (std::sync::atomic::AtomicBool, Log<NestedOutcome>) = Default::default();
    world.hooks.dispatcher.reports.listen(move |report| {
        let first = report.event == "tool_execution_update" && !done.swap(true, std::sync::atomic::Ordering::SeqCst);
        assert!(!first, "the screen fell off");
    });
    world.extend("tools", |registrar| {
        let update = |_, _| std::future::ready(Err(tau_hooks::HandlerError::msg("no")));
        registrar.on_json("tool_execution_update", update);
        let work = |invocation: tau_tools::Invocation, _| async move {
            invocation.progress.report(ToolOutput::text("half"));
            Ok(ToolOutput::text("did it"))
        };
        registrar.tool(crate::common::tools::spec("work"), work);
        super::calling(registrar, vec![("work", json!({}))], &outcomes);
    });
    let running = world.start().await;
    let error = running.session.prompt(tau_agent::Prompt::new("Hi")).await.expect_err("a crash");
    assert!(error.to_string().contains("the screen fell off"), "{error}");
    running.session.wait_until_idle().await;
    assert!(outcomes.all()[0].output.is_error, "{:?}", outcomes.all());
    let told = trace(&running.events.all()).into_iter().filter(|line| line.contains("c1/1")).collect::<Vec<_>>();
    assert_eq!(told.iter().filter(|line| line.starts_with("end")).collect::<Vec<_>>(), ["end c1/1 failed"], "{told:?}");
    assert_eq!(running.events.all().pop().expect("an event"), json!({"type": "agent_settled", "aborted": false}));
    running.say("And now?").await;
    assert_eq!(running.conversation().pop().expect("an answer").1, "Better.");
}
