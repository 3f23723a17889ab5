//! The gate in front of commands and files, from the model's call to what it reads.

mod asking;
mod children;
mod command;
mod files;
mod forge;
mod gate;
mod repetition;

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use tau_agent_testkit::{Log, Running, World};
use tau_hooks::Mode;
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind, UiCall};

use crate::world::{call, with};

/// A session in which the model runs these commands, one after the other.
fn commands(mode: Mode, commands: &[&str]) -> World {
    calls(mode, commands.iter().map(|command| call("bash", json!({"command": command}))).collect())
}

/// A session in which the model makes these calls.
fn calls(mode: Mode, mut replies: Vec<Value>) -> World {
    replies.push(json!("Done."));
    with(&["enforcement"], mode, Value::from(replies)).with_builtin_tools()
}

/// The results that the model reads, in order.
async fn results(world: &World) -> Vec<String> {
    let running = world.start().await;
    running.say("Go").await;
    results_of(&running)
}

fn results_of(running: &Running) -> Vec<String> {
    let all = running.conversation().into_iter().filter(|(role, _)| role == "toolResult");
    all.map(|(_, text)| text.trim().to_owned()).collect()
}

/// What the user is shown: questions with their options, and notices.
type Shown = Log<(String, Vec<String>)>;

/// A user who gives these answers, each the beginning of an option; `None` closes the question.
fn user(world: &World, answers: &[Option<&str>]) -> Shown {
    let (log, mut back_end) = (Log::default(), world.hooks.dialogs.subscribe());
    let shown: Shown = log.clone();
    let mut answers: Vec<Option<String>> = answers.iter().rev().map(|answer| answer.map(str::to_owned)).collect();
    tokio::spawn(async move {
        while let Some(event) = back_end.recv().await {
            match event {
                DialogEvent::Opened(request) => {
                    let DialogKind::Select { title, options } = &request.kind else { panic!("{request:?}") };
                    shown.push((title.clone(), options.clone()));
                    let begin = answers.pop().expect("an answer");
                    let option =
                        begin.map(|begin| options.iter().find(|one| one.starts_with(&begin)).expect("an option"));
                    let answer = option.map_or(DialogAnswer::Cancelled, |option| DialogAnswer::Value(option.clone()));
                    back_end.answer(request.id(), answer).expect("it counts");
                }
                DialogEvent::Ui(event) => {
                    if let UiCall::Notify { message, .. } = &event.call {
                        shown.push((message.clone(), Vec::new()));
                    }
                }
                _ => {}
            }
        }
    });
    log
}

/// A rule that is about a program.
fn rule(id: &str, action: &str, program: &str) -> Value {
    json!({"id": id, "action": action, "message": format!("{program} is not for you"), "when": {"program": program}})
}

/// The text of a rule file.
fn rules(rules: &[Value]) -> String {
    json!({ "rules": rules }).to_string()
}

/// Puts a program in front of others on the path of the session's commands: a script for `sh`.
fn program(world: &World, name: &str, script: &str) {
    let bin = world.home.root().join("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    std::fs::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).expect("a program");
    std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    world.extend("path", |registrar| registrar.api().set_variable("PATH", Some(&path)).expect("a variable"));
}
