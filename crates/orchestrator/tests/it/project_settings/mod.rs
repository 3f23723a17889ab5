//! Settings of the suite, with the files of pi-config.

mod changes;
mod children;
mod command;
mod marker;
mod reading;

use std::path::Path;

use serde_json::{Value, json};
use tau_agent_testkit::{Log, World};
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind, UiCall};
use tau_hooks::{Api, Mode};
use tau_orchestrator::shared::settings::{Settings, Source, settings_of};

use crate::world::with;

const JSON: &str = "pi-config-settings.json";
const PROJECT_JSON: &str = ".pi/pi-config-settings.json";
const PROJECT_JSONC: &str = ".pi/pi-config-settings.jsonc";

fn world(mode: Mode) -> World {
    with(&["project-settings"], mode, json!([]))
}

/// Settings in tau's own file.
fn own(fields: Value) -> Value {
    json!({"tau": {"extensions": {"project-settings": fields}}})
}

/// What another module of the session reads.
fn reader(world: &World) -> Api {
    let apis = Log::default();
    let made = apis.clone();
    world.extend("reader", move |registrar| made.push(registrar.api()));
    apis.take().pop().expect("an api")
}

fn settings(api: &Api) -> Settings {
    settings_of(api).expect("settings")
}

fn co_author(api: &Api) -> (bool, Source) {
    let setting = settings(api).co_author();
    (setting.value, setting.source)
}

/// Waits until the setting `co_author` is this.
async fn until(api: &Api, wanted: bool) {
    while co_author(api).0 != wanted {
        tokio::task::yield_now().await;
    }
}

/// Waits until there are so many entries.
async fn entries(log: &Log<String>, count: usize) -> Vec<String> {
    loop {
        let all = log.all();
        if all.len() >= count {
            return all;
        }
        tokio::task::yield_now().await;
    }
}

/// A user who gives these answers, and leaves a question when there are no more. Gives what is shown: questions with their
/// options, and notices.
fn user(world: &World, answers: &[&str]) -> Log<String> {
    let (log, mut back_end) = (Log::default(), world.hooks.dialogs.subscribe());
    let shown = log.clone();
    let mut answers: Vec<String> = answers.iter().rev().map(|answer| (*answer).to_owned()).collect();
    tokio::spawn(async move {
        while let Some(event) = back_end.recv().await {
            match event {
                DialogEvent::Opened(request) => {
                    let answer = match &request.kind {
                        DialogKind::Select { title, options } => {
                            shown.push(format!("{title}\n{}", options.join("\n")));
                            // The beginning of an option chooses it.
                            let answer = answers.pop();
                            answer.map(|answer| {
                                let found = options.iter().find(|option| option.starts_with(&answer));
                                found.unwrap_or_else(|| panic!("{answer} is none of {options:?}")).clone()
                            })
                        }
                        DialogKind::Input { title, placeholder } => {
                            shown.push(format!("{title}\n{}", placeholder.as_deref().unwrap_or_default()));
                            answers.pop()
                        }
                        other => panic!("{other:?}"),
                    };
                    let answer = answer.map_or(DialogAnswer::Cancelled, DialogAnswer::Value);
                    back_end.answer(request.id(), answer).expect("it counts");
                }
                DialogEvent::Ui(event) => {
                    if let UiCall::Notify { message, .. } = &event.call {
                        shown.push(message.clone());
                    }
                }
                _ => {}
            }
        }
    });
    log
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}
