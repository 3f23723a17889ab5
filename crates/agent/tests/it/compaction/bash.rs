//! Shell commands of the user.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tau_agent::{BashError, UserCommand};
use tau_hooks::Handle;
use tau_hooks::HandlerError;
use tau_hooks::events::UserBash;
use tau_hooks::payload::{BashResult, UserBashResult};
use tau_tools::bash::{BashExec, BashExecError, BashOperations};

use super::told;
use crate::common::tools::{Barrier, waiting};
use crate::common::{Log, Running, World, calls, messages};

async fn run(running: &Running, typed: &str) -> Result<BashResult, BashError> {
    running.session.run_bash(UserCommand::parse(typed).expect("a command"), Some("cmd".into())).await
}

#[tokio::test]
async fn output_is_streamed_and_the_model_sees_it_next() {
    let world = World::new(json!(["Seen."]));
    let seen = world.watch();
    let running = world.start().await;
    seen.take();
    running.events.take();
    let result = run(&running, "! echo out; echo err >&2; exit 3").await.expect("a result");
    let expected = BashResult { output: "out\nerr\n".to_owned(), exit_code: Some(3), ..BashResult::default() };
    assert_eq!(result, expected);
    let cwd = world.home.cwd().display().to_string();
    assert_eq!(
        seen.all(),
        [
            json!({"type": "user_bash", "command": "echo out; echo err >&2; exit 3", "excludeFromContext": false, "cwd": cwd})
        ]
    );
    let told = running.events.all();
    assert!(told.iter().all(|event| event["type"] == "bash_execution_update" && event["id"] == "cmd"), "{told:?}");
    assert_eq!(told.iter().filter_map(|event| event["delta"].as_str()).collect::<String>(), "out\nerr\n");
    let hidden = run(&running, "!!echo secret").await.expect("a result");
    assert_eq!(hidden.output, "secret\n");
    running.say("What did it say?").await;
    let text = "Ran `echo out; echo err >&2; exit 3`\n```\nout\nerr\n\n```\n\nCommand exited with code 3";
    assert_eq!(running.asked()[0], messages([("user", text), ("user", "What did it say?")]));
    let kept: Vec<Value> =
        running.file().into_iter().filter(|line| line["message"]["role"] == "bashExecution").collect();
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[1]["message"]["excludeFromContext"], json!(true));
    assert_eq!(kept[0]["message"].get("excludeFromContext"), None);
}

/// Runs nothing, but says so.
struct Elsewhere(Log<String>);

#[async_trait]
impl BashOperations for Elsewhere {
    async fn exec(&self, command: &str, _: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        self.0.push(command.to_owned());
        (exec.on_data)(b"from elsewhere");
        Ok(Some(0))
    }
}

#[tokio::test]
async fn extensions_can_run_it_elsewhere_or_give_its_result() {
    let world = World::new(json!([]));
    let ran: Log<String> = Log::default();
    let log = ran.clone();
    world.extend("remote", move |registrar| {
        let log = log.clone();
        registrar.on::<UserBash>(move |event, _| {
            let operations: Arc<dyn BashOperations> = Arc::new(Elsewhere(log.clone()));
            let result = BashResult { output: "no need".to_owned(), exit_code: Some(0), ..BashResult::default() };
            async move {
                match event.command.as_str() {
                    "remote" => Some(UserBashResult { operations: Some(Handle::new(operations)), result: None }),
                    "known" => Some(UserBashResult { operations: None, result: Some(result) }),
                    "odd" => Some(UserBashResult { operations: Some(Handle::new(7)), result: None }),
                    _ => None,
                }
            }
        });
    });
    let world = world.settings(json!({"shellCommandPrefix": "shopt -s x"}));
    let running = world.start().await;
    assert_eq!(run(&running, "!remote").await.expect("a result").output, "from elsewhere");
    assert_eq!(run(&running, "!known").await.expect("a result").output, "no need");
    let odd = run(&running, "!odd").await.expect_err("nothing to run it with");
    assert!(matches!(odd, BashError::Blocked(_)), "{odd}");
    assert_eq!(ran.all(), ["shopt -s x\nremote"]);
    let kept: Vec<String> = running
        .session
        .history()
        .iter()
        .map(|message| serde_json::to_value(message).expect("json")["command"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(kept, ["remote", "known"]);
}

#[tokio::test]
async fn a_guard_that_fails_stops_it() {
    let world = World::new(json!([]));
    let marker = world.home.cwd().join("ran");
    world.extend("guard", |registrar| {
        registrar.on_json("user_bash", |event, _| async move {
            match event["command"].as_str() {
                Some(command) if command.contains("throw") => Err(HandlerError::msg("not now")),
                Some(command) if command.contains("empty") => Ok(Some(json!({"result": null}))),
                _ => Ok(Some(json!({"outcome": "fine"}))),
            }
        });
    });
    let running = world.start().await;
    for (command, why) in [
        ("!touch ran # throw", "not now"),
        ("!touch ran # empty", "exactly one of `operations` and `result` is needed"),
        ("!touch ran", "exactly one of `operations` and `result` is needed"),
    ] {
        let error = run(&running, command).await.expect_err("it was stopped");
        assert!(error.to_string().contains(why), "{command}: {error}");
    }
    assert!(!marker.exists());
    assert_eq!(running.session.history().len(), 0);
}

#[tokio::test]
async fn it_can_be_aborted() {
    let world = World::new(json!([]));
    let running = world.start().await;
    let session = Arc::clone(&running.session);
    let command = UserCommand { command: "echo begun; sleep 600".to_owned(), exclude_from_context: false };
    let task = tokio::spawn(async move { session.run_bash(command, None).await });
    while running.events.all().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert!(running.session.is_bash_running());
    running.session.abort_bash();
    let result = task.await.expect("the task").expect("a result");
    assert_eq!((result.output.as_str(), result.exit_code, result.cancelled), ("begun\n", None, true));
    assert!(!running.session.is_bash_running());
    assert_eq!(told(&running, &["bash_execution_update"])[0].get("id"), None);
}

#[tokio::test]
async fn while_a_tool_runs_it_is_kept_behind_the_result() {
    let barrier = Barrier::default();
    let world = World::new(json!([calls([("1", "slow", json!({}))]), "Done.", "Next."]));
    world.extend("work", |registrar| waiting(registrar, "slow", &barrier));
    let running = world.start().await;
    let task = running.say_later("Hi");
    barrier.reached(1).await;
    let session = Arc::clone(&running.session);
    let command = UserCommand::parse("!echo meanwhile").expect("a command");
    let bash = tokio::spawn(async move { session.run_bash(command, Some("cmd".into())).await });
    while told(&running, &["bash_execution_update"]).is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert_eq!(running.conversation().len(), 2);
    barrier.open();
    bash.await.expect("the task").expect("a result");
    let written = running.file().iter().filter(|line| line["message"]["role"] == "bashExecution").count();
    assert_eq!(written, 1, "it is in the file when it is answered");
    task.await.expect("the task").expect("a run");
    let mut roles: Vec<String> = running.conversation().into_iter().map(|(role, _)| role).collect();
    // Whether the command or the run is over first is chance; it is never between the call and its result.
    let at = roles.iter().position(|role| role == "bashExecution").expect("the command");
    assert!(at > 2, "{roles:?}");
    roles.remove(at);
    assert_eq!(roles, ["user", "assistant", "toolResult", "assistant"]);
    assert_eq!(running.script.requests().len(), 2);
}
