//! Ways in which a child might escape the gates of its parent.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tau_hooks::dialect::{OMP, ORIGINAL};
use tau_hooks::events::{ToolCall, UserBash};
use tau_hooks::payload::{BashResult, ToolCallResult, UserBashResult};
use tau_hooks::{ChildError, ChildPrompt, ChildRequest, HandlerError, Hooks, Host, Scope};
use tau_tools::bash::{BashExec, BashExecError, BashOperations};
use tau_tools::{NestedCall, Progress};
use tokio_util::sync::CancellationToken;

use super::{Family, gate, results, worker, working};
use crate::common::tools::{Barrier, recording, spec};
use crate::common::{Log, World, calls};

type Asked = Log<(String, Value)>;

/// The gates that were asked, by the child that asked.
fn asked_by(asked: &Asked) -> Vec<String> {
    asked.all().into_iter().map(|(child, _)| child).collect()
}

/// A child that loads no extension has the gates of its parent, by every set of rules.
#[tokio::test]
async fn a_child_without_extensions_passes_the_gates_of_its_parent() {
    for (dialect, reason) in [(&tau_hooks::dialect::PI, "not work"), (&OMP, "not work"), (&ORIGINAL, "not work")] {
        let (asked, ran) = (Asked::default(), Log::default());
        let world = World::new(working(1));
        world.extend_as(dialect, "guard", |registrar| gate(registrar, &asked, true));
        let family = Family::start(world).await;
        let child = family.open(worker("reviewer", &ran)).await;
        child.prompt("Go".into()).await.expect("a run");
        assert_eq!(results(&*child), [reason], "{}", dialect.id);
        assert_eq!((asked.all(), ran.all()), (vec![("reviewer".to_owned(), json!({"text": "x"}))], vec![]));
    }
}

/// What the child's own extensions say does not open what the parent shuts, and what they make of the arguments is what
/// the parent's gates see.
#[tokio::test]
async fn own_extensions_open_nothing_and_hide_nothing() {
    let (asked, ran) = (Asked::default(), Log::default());
    let world = World::new(working(1));
    world.extend("guard", |registrar| gate(registrar, &asked, true));
    let family = Family::start(world).await;
    let request = worker("reviewer", &ran).with("guard", |registrar| {
        registrar.on_json("tool_call", |_, _| async { Ok(Some(json!({"block": false}))) });
        registrar.on::<ToolCall>(|_, _| async {
            Some(ToolCallResult { input: Some(json!({"text": "something else"})), ..ToolCallResult::default() })
        });
        Ok(())
    });
    let child = family.open(request).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!((results(&*child), ran.all()), (vec!["not work".to_owned()], vec![]));
    assert_eq!(asked.all(), [("reviewer".to_owned(), json!({"text": "something else"}))]);
}

/// A child adds gates: what they forbid the parent is not asked about.
#[tokio::test]
async fn a_child_adds_gates() {
    let (asked, ran) = (Asked::default(), Log::default());
    let world = World::new(working(1));
    world.extend("guard", |registrar| gate(registrar, &asked, false));
    let family = Family::start(world).await;
    let own = Asked::default();
    let of_child = own.clone();
    let request = worker("reviewer", &ran).with("strict", move |registrar| {
        gate(registrar, &of_child, true);
        Ok(())
    });
    let child = family.open(request).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!(
        (results(&*child), asked_by(&own), asked_by(&asked)),
        (vec!["not work".to_owned()], vec!["reviewer".to_owned()], vec![])
    );
}

/// The parent's gate is asked with the child's context, wherever the child works.
#[tokio::test]
async fn another_folder_is_no_way_around() {
    let ran = Log::default();
    let folders: Log<(String, bool)> = Log::default();
    let world = World::new(working(2));
    let seen = folders.clone();
    world.extend("guard", move |registrar| {
        let seen = seen.clone();
        registrar.on::<ToolCall>(move |_, ctx| {
            seen.push((ctx.cwd().display().to_string(), ctx.host().is_project_trusted()));
            async { Some(ToolCallResult::block("no")) }
        });
    });
    let [untrusted, trusted] = ["elsewhere", "trusted"].map(|name| {
        let file = world.home.write(&format!("{name}/.pi/settings.json"), "{}");
        file.ancestors().nth(2).expect("a folder").to_path_buf()
    });
    world.home.write_agent("trust.json", json!({trusted.display().to_string(): true}).to_string());
    let family = Family::start(world).await;
    for (folder, is_trusted) in [(untrusted, false), (trusted, true)] {
        let request = ChildRequest { cwd: Some(folder.clone()), ..worker("away", &ran) };
        let child = family.open(request).await;
        child.prompt("Go".into()).await.expect("a run");
        assert_eq!((results(&*child), ran.all()), (vec!["no".to_owned()], vec![]));
        assert_eq!(folders.take(), [(folder.display().to_string(), is_trusted)]);
    }
}

/// A tool of the child that is called as one of the parent is asked about like that one, and so is one that a tool calls.
#[tokio::test]
async fn other_tools_and_tools_of_tools_are_asked_about() {
    let (asked, ran) = (Asked::default(), Log::default());
    let world = World::new(json!([calls([("1", "wrap", json!({}))]), "Done."]));
    world.extend("guard", |registrar| {
        let asked = asked.clone();
        registrar.on::<ToolCall>(move |call, _| {
            asked.push((call.tool_name.clone(), json!(call.parent_tool_call_id)));
            let block = (call.tool_name == "work").then(|| ToolCallResult::block("not by anybody"));
            async move { block }
        });
    });
    let family = Family::start(world).await;
    let request = worker("wrapper", &ran).with("wrap", |registrar| {
        registrar.tool(spec("wrap"), |_, ctx| async move {
            let call = NestedCall {
                name: "work".to_owned(),
                args: json!({"text": "x"}),
                cancel: CancellationToken::new(),
                progress: Progress::ignore(),
                own: None,
            };
            Ok(ctx.execute_tool(call).await.output)
        });
        Ok(())
    });
    let child = family.open(request).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!((results(&*child), ran.all()), (vec!["not by anybody".to_owned()], vec![]));
    assert_eq!(asked.all(), [("wrap".to_owned(), Value::Null), ("work".to_owned(), json!("1"))]);
}

/// A gate that fails, hangs or is gone stays shut for the child, too.
#[tokio::test(start_paused = true)]
async fn a_gate_that_cannot_decide_stays_shut() {
    for (name, hangs, reason) in [
        ("throws", false, "no idea"),
        (
            "hangs",
            true,
            "Blocked: extension <native:guard> did not answer within 200ms, the limit of tau.limits.handlerMs",
        ),
    ] {
        let ran = Log::default();
        let world = World::new(working(1)).settings(json!({"tau": {"limits": {"handlerMs": 200}}}));
        world.extend("guard", move |registrar| {
            registrar.on::<ToolCall>(move |_, _| async move {
                if hangs {
                    std::future::pending::<()>().await;
                }
                Err::<(), _>(HandlerError::msg("no idea"))
            });
        });
        let family = Family::start(world).await;
        let child = family.open(worker("reviewer", &ran)).await;
        child.prompt("Go".into()).await.expect("a run");
        assert_eq!((results(&*child), ran.all()), (vec![reason.to_owned()], vec![]), "{name}");
    }
}

/// The abort of a call while the parent's gate is asked keeps the tool from running.
#[tokio::test]
async fn an_abort_while_the_gate_is_asked_opens_nothing() {
    let (ran, at_gate) = (Log::default(), Barrier::default());
    let world = World::new(working(1));
    let reached = at_gate.clone();
    world.extend("guard", move |registrar| {
        let at_gate = reached.clone();
        registrar.on::<ToolCall>(move |_, _| {
            let at_gate = at_gate.clone();
            async move { at_gate.stay().await }
        });
    });
    let family = Family::start(world).await;
    let child = family.open(worker("reviewer", &ran)).await;
    let running = Arc::clone(&child);
    let run = tokio::spawn(async move { running.prompt("Go".into()).await });
    at_gate.reached(1).await;
    child.abort();
    run.await.expect("no panic").expect("a run");
    assert_eq!((results(&*child), ran.all()), (vec!["Operation aborted".to_owned()], vec![]));
}

/// Each gate of the sessions above is asked once, the nearest first, and all of them have a say.
#[tokio::test]
async fn a_child_of_a_child_passes_the_gates_of_both() {
    for block in [None, Some("middle"), Some("top")] {
        let (top, middle, ran) = (Asked::default(), Asked::default(), Log::default());
        let world = World::new(working(1));
        world.extend("guard", |registrar| gate(registrar, &top, block == Some("top")));
        let family = Family::start(world).await;
        let of_middle = middle.clone();
        let request = ChildRequest::new("outer").with("guard", move |registrar| {
            gate(registrar, &of_middle, block == Some("middle"));
            Ok(())
        });
        let child = family.open(request).await;
        let inner = child.host().open_child(worker("inner", &ran), Arc::clone(&family.opener)).await;
        let inner = inner.unwrap_or_else(|error| panic!("{error}"));
        inner.prompt("Go".into()).await.expect("a run");
        let expected = |asked: bool| if asked { vec!["inner".to_owned()] } else { vec![] };
        assert_eq!(asked_by(&middle), expected(true), "{block:?}");
        assert_eq!(asked_by(&top), expected(block != Some("middle")), "{block:?}");
        assert_eq!(ran.all().len(), usize::from(block.is_none()), "{block:?}");
        assert_eq!(inner.info().depth, 2);
    }
}

/// Two children ask the parent's gates at the same time.
#[tokio::test]
async fn two_children_at_once_are_told_apart() {
    let (ran, at_gate) = (Log::default(), Barrier::default());
    let asked: Log<String> = Log::default();
    let world = World::new(json!([
        calls([("1", "work", json!({"text": "a"}))]),
        calls([("1", "work", json!({"text": "b"}))]),
        "Done.",
        "Done."
    ]));
    let (reached, seen) = (at_gate.clone(), asked.clone());
    world.extend("guard", move |registrar| {
        let (at_gate, seen) = (reached.clone(), seen.clone());
        registrar.on::<ToolCall>(move |_, ctx| {
            let (at_gate, seen) = (at_gate.clone(), seen.clone());
            async move {
                let name = ctx.child().expect("a child").name.to_string();
                at_gate.stay().await;
                seen.push(name.clone());
                (name == "bad").then(|| ToolCallResult::block("not bad"))
            }
        });
    });
    let family = Family::start(world).await;
    let [good, bad] = [family.open(worker("good", &ran)).await, family.open(worker("bad", &ran)).await];
    let runs = [&good, &bad].map(|child| {
        let child = Arc::clone(child);
        tokio::spawn(async move { child.prompt("Go".into()).await })
    });
    at_gate.reached(2).await;
    at_gate.open();
    at_gate.open();
    for run in runs {
        run.await.expect("no panic").expect("a run");
    }
    let mut names = asked.all();
    names.sort();
    assert_eq!(names, ["bad", "good"]);
    assert_eq!((ran.all().len(), results(&*bad)), (1, vec!["not bad".to_owned()]));
}

/// A gate may ask a second session before it answers, also about a call of a child: that is the child's child.
#[tokio::test]
async fn a_gate_can_ask_a_child_of_its_own() {
    let ran = Log::default();
    // The worker's call, what the advisor says, and the end.
    let world = World::new(json!([calls([("1", "work", json!({"text": "x"}))]), "no", "Done."]));
    world.extend("advised", |registrar| {
        registrar.on::<ToolCall>(|_, ctx| async move {
            let advisor = ctx.open_child(ChildRequest { no_tools: true, ..ChildRequest::new("advisor") }).await;
            let advisor = advisor.map_err(HandlerError::msg)?;
            advisor.prompt("May it?".into()).await.map_err(HandlerError::msg)?;
            let says = advisor.last_text().unwrap_or_default();
            advisor.close().await;
            Ok((says != "yes").then(|| ToolCallResult::block(format!("the advisor says {says}"))))
        });
    });
    let family = Family::start(world).await;
    let child = family.open(worker("worker", &ran)).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!((results(&*child), ran.all()), (vec!["the advisor says no".to_owned()], vec![]));
}

/// A gate that opens a child which needs that very gate would go on for ever: the sessions end at a certain depth, and
/// what is asked there is blocked.
#[tokio::test]
async fn a_gate_that_asks_itself_ends() {
    let ran: Log<Value> = Log::default();
    let refused: Log<String> = Log::default();
    let calls = (0..8).map(|_| calls([("1", "work", json!({"text": "x"}))]));
    let world = World::new(calls.chain((0..8).map(|_| json!("Done."))).collect());
    let (noted, tools) = (refused.clone(), ran.clone());
    world.extend("advised", move |registrar| {
        let (noted, tools) = (noted.clone(), tools.clone());
        registrar.on::<ToolCall>(move |_, ctx| {
            let (noted, tools) = (noted.clone(), tools.clone());
            async move {
                let advisor = match ctx.open_child(worker("advisor", &tools)).await {
                    Ok(advisor) => advisor,
                    Err(error) => {
                        noted.push(error.to_string());
                        return Err(HandlerError::msg(error));
                    }
                };
                advisor.prompt("May it?".into()).await.map_err(HandlerError::msg)?;
                Err::<(), _>(HandlerError::msg("nobody could say"))
            }
        });
    });
    let family = Family::start(world).await;
    let child = family.open(worker("worker", &ran)).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!((results(&*child), ran.all()), (vec!["nobody could say".to_owned()], vec![]));
    assert_eq!(refused.all(), ["child sessions are limited to 8 levels"]);
}

/// A parent that has ended has no gates that could be asked.
#[tokio::test]
async fn a_parent_that_is_gone_blocks() {
    let hooks = Hooks::new();
    let child = Hooks::child_of(&hooks, &"orphan".into());
    let host = Arc::new(tau_testkit::StaticHost::new()) as Arc<dyn Host>;
    let ask = || async {
        let call = || tau_hooks::payload::ToolCallEvent {
            tool_name: "work".to_owned(),
            tool_call_id: "1".to_owned(),
            parent_tool_call_id: None,
            input: json!({}),
        };
        let done = child.dispatcher.dispatch::<ToolCall>(&Scope::new(Arc::clone(&host)), call).await;
        tau_testkit::Fired::from(done).shut.map(|shut| shut.reason())
    };
    let why = |why: &str| Some(format!("Blocked: {why}, so nobody can ask its gates"));
    assert_eq!(ask().await, None);
    hooks.begin_set();
    assert_eq!(ask().await, why("the parent session is loading its extensions"));
    hooks.finish_set(&[], &[], &[]);
    assert_eq!(ask().await, None);
    hooks.end();
    assert_eq!(ask().await, why("the parent session has ended"));
    drop(hooks);
    assert_eq!(ask().await, why("the parent session has ended"));
}

/// What the user required of the parent is required for its children, and so is a gate whose guard is missing.
#[tokio::test]
async fn a_missing_guard_of_the_parent_blocks() {
    let ran = Log::default();
    let family = Family::start(World::new(working(2))).await;
    let child = family.open(worker("reviewer", &ran)).await;
    family.world.hooks.dispatcher.shut_gates("guard", "tau.required names it, but it is not installed");
    child.prompt("Go".into()).await.expect("a run");
    let reason = "Blocked: extension guard is not loaded: tau.required names it, but it is not installed";
    assert_eq!((results(&*child), ran.all()), (vec![reason.to_owned()], vec![]));
    let command = child.run_bash("true".to_owned(), false).await;
    assert!(matches!(&command, Err(ChildError::Bash(why)) if why == reason), "{command:?}");
}

/// Commands of the user in a child pass the parent's gates, and the parent has the last word about where they run.
#[tokio::test]
async fn commands_of_the_user_pass_the_gates_of_the_parent() {
    let world = World::new(json!([]));
    let asked: Log<String> = Log::default();
    let seen = asked.clone();
    world.extend("guard", move |registrar| {
        let seen = seen.clone();
        registrar.on::<UserBash>(move |command, _| {
            seen.push(command.command.clone());
            async move {
                match command.command.as_str() {
                    "rm" => Err(HandlerError::msg("not rm")),
                    "elsewhere" => Ok(Some(says("by the parent"))),
                    _ => Ok(None),
                }
            }
        });
    });
    let family = Family::start(world).await;
    let request = ChildRequest::new("shell").with("own", |registrar| {
        registrar.on::<UserBash>(|_, _| async { Some(says("by the child")) });
        Ok(())
    });
    let child = family.open(request).await;
    let run = |command: &str| {
        let (child, command) = (Arc::clone(&child), command.to_owned());
        async move { child.run_bash(command, false).await.map(|done| done.output).map_err(|error| error.to_string()) }
    };
    assert_eq!(run("rm").await, Err("not rm".to_owned()));
    assert_eq!(run("elsewhere").await, Ok("by the parent".to_owned()));
    assert_eq!(run("ls").await, Ok("by the child".to_owned()));
    assert_eq!(asked.all(), ["rm", "elsewhere", "ls"]);
}

fn says(output: &str) -> UserBashResult {
    let output = output.to_owned();
    let result = BashResult { output, exit_code: Some(0), cancelled: false, truncated: false, full_output_path: None };
    UserBashResult { result: Some(result), ..UserBashResult::default() }
}

/// A parent that ends while a child is at work: the child's call finds its gates shut, and the child ends.
#[tokio::test]
async fn the_end_of_the_parent_blocks_what_is_on_its_way() {
    let (ran, at_gate) = (Log::default(), Barrier::default());
    let world = World::new(working(1));
    let family = Family::start(world).await;
    let reached = at_gate.clone();
    let request = worker("reviewer", &ran).with("slow", move |registrar| {
        let at_gate = reached.clone();
        // Still at work when the parent is gone, and then in favour.
        registrar.on::<ToolCall>(move |_, _| {
            let at_gate = at_gate.clone();
            async move { at_gate.stay().await }
        });
        Ok(())
    });
    let child = family.open(request).await;
    let running = Arc::clone(&child);
    let run = tokio::spawn(async move { running.prompt(ChildPrompt::from("Go")).await });
    at_gate.reached(1).await;
    let parent = Arc::clone(&family.parent.session);
    let end = tokio::spawn(async move { parent.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await });
    end.await.expect("no panic");
    at_gate.open();
    drop(run.await.expect("no panic"));
    child.ended().cancelled().await;
    assert_eq!(ran.all(), Vec::<Value>::new());
    assert!(matches!(child.prompt("More".into()).await, Err(ChildError::Ended)));
    assert!(matches!(family.refused(ChildRequest::new("late")).await, ChildError::Ending));
}

/// A reload ends children: their gates are the parent's, which are about to be others.
#[tokio::test]
async fn a_reload_of_the_parent_ends_its_children() {
    let ran = Log::default();
    let family = Family::start(World::new(working(1))).await;
    let child = family.open(worker("reviewer", &ran)).await;
    family.parent.session.reload().await.expect("a reload");
    tokio::time::timeout(Duration::from_secs(60), child.ended().cancelled()).await.expect("the child ends");
    assert!(matches!(child.prompt("Go".into()).await, Err(ChildError::Ended)));
    assert_eq!(ran.all(), Vec::<Value>::new());
}

/// A box around the commands of the parent's model is around those of its children's, too.
#[tokio::test]
async fn a_box_around_commands_is_around_those_of_children() {
    for is_there in [true, false] {
        let world = World::new(json!([calls([("1", "bash", json!({"command": "echo boxed: $BOXED"}))]), "Done."]));
        let world = world.with_builtin_tools();
        world.extend("box", move |registrar| {
            registrar.wrap_bash(
                move |inner| if is_there { Ok(Arc::new(Boxed(inner))) } else { Err(HandlerError::msg("no box")) },
            );
        });
        let family = Family::start(world).await;
        let child = family.open(ChildRequest::new("child")).await;
        let inner = child.host().open_child(ChildRequest::new("inner"), Arc::clone(&family.opener)).await;
        let inner = inner.unwrap_or_else(|error| panic!("{error}"));
        inner.prompt("Go".into()).await.expect("a run");
        let blocked = "Blocked: extension <native:box> could not start the command: no box";
        assert_eq!(results(&*inner), [if is_there { "boxed: yes\n" } else { blocked }]);
    }
}

struct Boxed(Arc<dyn BashOperations>);

#[async_trait::async_trait]
impl BashOperations for Boxed {
    async fn exec(&self, command: &str, cwd: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        self.0.exec(&format!("BOXED=yes; {command}"), cwd, exec).await
    }
}

/// What is noted of a gate that was asked about a child names the session of the child.
#[tokio::test]
async fn records_of_gates_name_the_session_of_the_child() {
    let (asked, ran) = (Asked::default(), Log::default());
    let world = World::new(working(1));
    world.extend("guard", |registrar| gate(registrar, &asked, false));
    let family = Family::start(world).await;
    let child = family.open(worker("worker", &ran)).await;
    child.prompt("Go".into()).await.expect("a run");
    let records = family.world.hooks.dispatcher.trace.records();
    let of_child: Vec<_> = records.iter().map(|record| record.ids.session_id.as_deref().map(str::to_owned)).collect();
    assert_eq!(of_child, [Some(child.host().session().id().to_owned())]);
    let run = child.host().session().id() != family.parent.session.session().id();
    assert!(run && records[0].ids.run_id.is_some());
}

/// What children's calls leave in the record of the parent.
#[tokio::test]
async fn nobody_listening_costs_the_parent_nothing() {
    let ran = Log::default();
    let family = Family::start(World::new(working(1))).await;
    let child = family.open(worker("reviewer", &ran)).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!(results(&*child), ["did x"]);
    assert_eq!(ran.all(), [json!({"text": "x"})]);
    assert!(family.world.hooks.dispatcher.trace.records().is_empty());
}

#[tokio::test]
async fn recorded_tools_of_the_parent_are_not_the_childs() {
    let ran = Log::default();
    let world = World::new(json!([calls([("1", "work", json!({"text": "x"}))]), "Done."]));
    world.extend("work", |registrar| recording(registrar, "work", &ran));
    let family = Family::start(world).await;
    let child = family.open(ChildRequest::new("bare")).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!((results(&*child), ran.all()), (vec!["Tool work not found".to_owned()], vec![]));
}
