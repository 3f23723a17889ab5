//! What extensions offer beside handlers, tools and commands.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::json;
use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallEvent;
use tau_hooks::{
    BoxFuture, Command, Completer, Completion, Finding, FindingLevel, HandlerError, Hooks, PromptSight, wrap_bash,
};
use tau_testkit::Stage;
use tau_testkit::host::extension;
use tau_tools::OpError;
use tau_tools::bash::{BashExec, BashExecError, BashOperations};
use tokio_util::sync::CancellationToken;

/// Notes what it is asked to run, in front of what it passes on.
struct Step {
    name: &'static str,
    ran: Arc<Mutex<Vec<String>>>,
    inner: Option<Arc<dyn BashOperations>>,
}

#[async_trait]
impl BashOperations for Step {
    async fn exec(&self, command: &str, cwd: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        self.ran.lock().push(format!("{}: {command}", self.name));
        match &self.inner {
            Some(inner) => inner.exec(&format!("{} {command}", self.name), cwd, exec).await,
            None if command.ends_with("fails") => Err(OpError::new("no such place").into()),
            None if command.ends_with("panics") => panic!("what a day"),
            None => Ok(Some(7)),
        }
    }
}

/// Runs a command as the bash tool does: who was asked, and what came of it.
async fn run(
    stage: &Stage,
    ran: &Arc<Mutex<Vec<String>>>,
    command: &str,
) -> (Vec<String>, Result<Option<i32>, String>) {
    run_in(&stage.hooks, ran, command).await
}

async fn run_in(
    hooks: &Hooks,
    ran: &Arc<Mutex<Vec<String>>>,
    command: &str,
) -> (Vec<String>, Result<Option<i32>, String>) {
    let own = Arc::new(Step { name: "own", ran: Arc::clone(ran), inner: None });
    let exec =
        BashExec { on_data: Arc::new(|_| {}), cancel: CancellationToken::new(), timeout: None, env: None, pace: None };
    let done = wrap_bash(hooks, own).exec(command, Path::new("/"), exec).await;
    (std::mem::take(&mut *ran.lock()), done.map_err(|error| error.to_string()))
}

/// Wraps commands and notes it.
fn wrapping(stage: &Stage, name: &'static str, ran: &Arc<Mutex<Vec<String>>>) -> Arc<tau_hooks::Owner> {
    stage.add(name, |registrar| {
        let ran = Arc::clone(ran);
        registrar.wrap_bash(move |inner| Ok(Arc::new(Step { name, ran: Arc::clone(&ran), inner: Some(inner) })));
    })
}

#[tokio::test]
async fn those_who_wrap_commands_are_asked_from_the_last_to_the_first() {
    let (stage, ran) = (Stage::new(), Arc::default());
    assert_eq!(run(&stage, &ran, "ls").await, (vec!["own: ls".to_owned()], Ok(Some(7))));
    wrapping(&stage, "a", &ran);
    wrapping(&stage, "b", &ran);
    assert_eq!(
        run(&stage, &ran, "ls").await,
        (["b: ls", "a: b ls", "own: a b ls"].map(str::to_owned).to_vec(), Ok(Some(7)))
    );
    assert_eq!(run(&stage, &ran, "fails").await.1, Err("no such place".to_owned()));
}

#[tokio::test]
async fn a_command_does_not_run_when_its_wrapper_fails() {
    type Wrap = fn() -> Result<Arc<dyn BashOperations>, HandlerError>;
    let failing: [(Wrap, &str); 2] =
        [(|| Err(HandlerError::msg("no box")), "no box"), (|| panic!("boxes"), "panicked: boxes")];
    for (wrap, why) in failing {
        let (stage, ran) = (Stage::new(), Arc::default());
        wrapping(&stage, "inner", &ran);
        stage.add("bad", |registrar| {
            registrar.wrap_bash(move |_| wrap());
        });
        wrapping(&stage, "outer", &ran);
        let (asked, done) = run(&stage, &ran, "ls").await;
        assert_eq!(asked, ["outer: ls"]);
        assert_eq!(done, Err(format!("Blocked: extension <native:bad> could not start the command: {why}")));
    }
    let (stage, ran) = (Stage::new(), Arc::default());
    wrapping(&stage, "a", &ran);
    let (_, done) = run(&stage, &ran, "panics").await;
    let why = done.expect_err("it did not run");
    assert_eq!(why, "Blocked: extension <native:a> could not start the command: panicked: what a day");
}

/// What boxes the commands of a session boxes those of its children, nearer to the command than what they bring along.
#[tokio::test]
async fn a_child_wraps_commands_within_those_of_its_parent() {
    let (parent, ran) = (Stage::new(), Arc::default());
    let boxed = wrapping(&parent, "box", &ran);
    let hooks = Hooks::child_of(&parent.hooks, &"child".into());
    let inner = Hooks::child_of(&hooks, &"inner".into());
    let own = extension("own", {
        let ran = Arc::clone(&ran);
        move |registrar| {
            let ran = Arc::clone(&ran);
            registrar.wrap_bash(move |inner| {
                Ok(Arc::new(Step { name: "own-box", ran: Arc::clone(&ran), inner: Some(inner) }))
            });
            Ok(())
        }
    });
    inner.load(&own).expect("an extension");
    let all = (["own-box: ls", "box: own-box ls", "own: box own-box ls"].map(str::to_owned).to_vec(), Ok(Some(7)));
    assert_eq!(run_in(&inner, &ran, "ls").await, all);
    parent.hooks.unload(&boxed);
    let missing = Err("Blocked: an extension that guards commands is not loaded".to_owned());
    assert_eq!(run_in(&inner, &ran, "ls").await, (vec![], missing));
    // The same when the box cannot be made: what the child brings along might do without it.
    parent.hooks.finish_set(&[], &[], &[]);
    parent.add("box", |registrar| {
        registrar.wrap_bash(|_| Err(HandlerError::msg("no box")));
    });
    let failed = Err("Blocked: extension <native:box> could not start the command: no box".to_owned());
    assert_eq!(run_in(&inner, &ran, "ls").await, (vec![], failed));
    parent.hooks.end();
    let (asked, ended) = run_in(&inner, &ran, "ls").await;
    assert_eq!((asked, ended.expect_err("nothing runs").contains("has ended")), (vec![], true));
}

#[tokio::test]
async fn while_a_wrapper_is_missing_no_tool_runs() {
    let (stage, ran) = (Stage::new(), Arc::default());
    let owner = wrapping(&stage, "box", &ran);
    let call = || ToolCallEvent {
        tool_name: "bash".into(),
        tool_call_id: "c".into(),
        parent_tool_call_id: None,
        input: json!({}),
    };
    assert!(stage.fire::<ToolCall>(call()).await.shut.is_none());
    stage.hooks.unload(&owner);
    let shut = stage.fire::<ToolCall>(call()).await.shut.expect("the gate is shut");
    assert_eq!(&*shut.extension, "<native:box>");
    // A call that has passed the gate already.
    let (asked, done) = run(&stage, &ran, "ls").await;
    assert_eq!((asked, done), (vec![], Err("Blocked: an extension that guards commands is not loaded".to_owned())));
    wrapping(&stage, "box", &ran);
    assert!(stage.fire::<ToolCall>(call()).await.shut.is_none());
    assert_eq!(run(&stage, &ran, "ls").await.1, Ok(Some(7)));
}

#[tokio::test(start_paused = true)]
async fn checks_are_run_and_one_that_cannot_is_a_finding() {
    let stage = Stage::new();
    stage.add("ext", |registrar| {
        registrar
            .check("fine", |_| async { Ok(vec![Finding::fine("all there"), Finding::note("old").at("/bin/x")]) })
            .check("fails", |_| async { Err(HandlerError::msg("no disk")) })
            .check("panics", |_| async { panic!("what a day") })
            .check("hangs", |_| std::future::pending());
    });
    let found = stage.hooks.run_checks().await;
    let all: Vec<(String, Vec<(FindingLevel, String)>)> = found
        .into_iter()
        .map(|(_, name, findings)| (name, findings.into_iter().map(|one| (one.level, one.what)).collect()))
        .collect();
    let problem = |name: &str, why: &str| {
        let what = format!("the check `{name}` of <native:ext> failed: {why}");
        (name.to_owned(), vec![(FindingLevel::Problem, what)])
    };
    let fine = vec![(FindingLevel::Fine, "all there".to_owned()), (FindingLevel::Note, "old".to_owned())];
    assert_eq!(
        all,
        [
            ("fine".to_owned(), fine),
            problem("fails", "no disk"),
            problem("panics", "panicked: what a day"),
            problem("hangs", "did not end within 30s"),
        ]
    );
}

fn completion(value: &str) -> Completion {
    Completion { value: value.to_owned(), label: value.to_owned(), description: None }
}

#[tokio::test]
async fn a_command_is_completed_by_its_own_completer_and_then_by_others() {
    let stage = Stage::new();
    stage.add("owner", |registrar| {
        let own: Completer = Arc::new(|prefix| -> BoxFuture<_> {
            Box::pin(async move { Ok(vec![completion(&format!("{prefix}1")), completion("both")]) })
        });
        let handler: tau_hooks::CommandHandler = Arc::new(|_, _| Box::pin(std::future::ready(Ok(()))));
        registrar.add_command(Command { name: "deploy".into(), description: None, handler, completer: Some(own) });
    });
    stage.add("other", |registrar| {
        registrar
            .completer("deploy", |prefix| async move { vec![completion("both"), completion(&format!("{prefix}2"))] })
            .completer("model", |_| async { vec![completion("fast")] })
            .completer("name", |_| async { panic!("what a day") });
    });
    let complete = async |command: &str| -> Vec<String> {
        stage.hooks.complete(command, "x").await.into_iter().map(|one| one.value).collect()
    };
    assert_eq!(complete("deploy").await, ["x1", "both", "x2"]);
    assert_eq!(complete("model").await, ["fast"]);
    assert_eq!(complete("unknown").await, [""; 0]);
    assert_eq!(stage.take_report_texts(), [""; 0]);
    assert_eq!(complete("name").await, [""; 0]);
    let told = stage.take_report_texts();
    assert!(told.len() == 1 && told[0].contains("<native:other>") && told[0].contains("what a day"), "{told:?}");
}

#[tokio::test]
async fn a_completer_that_takes_its_time_holds_nothing_up() {
    let stage = Stage::new();
    let (goes_on, waits) = tokio::sync::watch::channel(false);
    stage.add("slow", move |registrar| {
        let waits = waits.clone();
        registrar.completer("deploy", move |_| {
            let mut waits = waits.clone();
            async move {
                waits.wait_for(|goes_on| *goes_on).await.expect("the test is there");
                vec![completion("slow"), completion("both")]
            }
        });
    });
    stage.add("quick", |registrar| {
        registrar.completer("deploy", |_| async { vec![completion("both"), completion("quick")] });
    });
    let values = |found: Vec<Completion>| found.into_iter().map(|one| one.value).collect::<Vec<_>>();
    let so_far = std::cell::RefCell::new(Vec::new());
    let part = |found| {
        so_far.borrow_mut().push(values(found));
        goes_on.send_replace(true);
    };
    let all = values(stage.hooks.complete_as_found("deploy", "", part).await);
    assert_eq!(so_far.into_inner(), [["both", "quick"]]);
    assert_eq!(all, ["slow", "both", "quick"]);
}

#[test]
fn pieces_of_the_prompt_stand_in_their_order_and_go_with_their_extension() {
    let stage = Stage::new();
    let add = |name: &'static str, pieces: &'static [(&'static str, i32)]| {
        stage.add(name, move |registrar| {
            for (piece, order) in pieces {
                let text = format!("{piece} of {name}");
                registrar.prompt_segment(piece, *order, move |_| Some(text.clone())).expect("a name");
            }
        })
    };
    let first = add("a", &[("late", 9), ("middle", 0)]);
    add("b", &[("early", -1), ("middle", 0)]);
    let sight = PromptSight { cwd: "/".into(), tools: Vec::new() };
    let texts = || -> Vec<String> {
        stage.hooks.prompt_segments().iter().filter_map(|(_, segment)| (segment.text)(&sight)).collect()
    };
    assert_eq!(texts(), ["early of b", "middle of a", "middle of b", "late of a"]);
    stage.hooks.unload(&first);
    assert_eq!(texts(), ["early of b", "middle of b"]);
}

#[test]
fn names_that_cannot_be_used_are_refused() {
    let stage = Stage::new();
    for name in ["", "Upper", "1st", "a b", "a/b"] {
        let loaded = stage.load(&extension("ext", move |registrar| {
            assert!(registrar.prompt_segment(name, 0, |_| None).is_err(), "{name}");
            registrar.subcommand(name, "", "", |_| async { Ok(0) }).map(drop)
        }));
        assert!(loaded.is_err(), "{name}");
    }
}
