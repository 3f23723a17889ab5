//! Hooks of the older dialects in real sessions.

mod api;
mod detection;
mod dialogs;
mod examples;
mod library;
mod messages;
mod sessions;
mod together;
mod tools;

use serde_json::{Value, json};
use tau_script::LoadOutcome;

use crate::bus::hear;
use crate::common::{Log, Running, World, calls, text_of, to_json};
use crate::support::Scripts;

/// A hook for oh-my-pi with this body.
pub fn omp(body: &str) -> String {
    module("HookAPI", "@oh-my-pi/pi-coding-agent/hooks", body)
}

/// An original hook of pi with this body.
pub fn original(body: &str) -> String {
    format!("// @hook-dialect original\n{}", module("HookAPI", "@mariozechner/pi-coding-agent/hooks", body))
}

/// An extension with this body.
pub fn pi(body: &str) -> String {
    module("ExtensionAPI", "@earendil-works/pi-coding-agent", body)
}

fn module(api: &str, package: &str, body: &str) -> String {
    format!("import type {{ {api} }} from '{package}';\nexport default function (pi: {api}) {{\n{body}\n}}\n")
}

/// A session with modules in this order, and what they emit on the channel `log`.
pub struct Hooked {
    pub world: World,
    pub scripts: Scripts,
    pub log: Log<Value>,
    pub outcomes: Vec<LoadOutcome>,
}

impl Hooked {
    pub async fn new(world: World, modules: &[String]) -> Self {
        let scripts = Scripts::new(&world);
        let names: Vec<String> = (1..=modules.len()).map(|number| format!("hook{number}.ts")).collect();
        let files: Vec<(&str, &str)> = names.iter().zip(modules).map(|(name, source)| (&**name, &**source)).collect();
        let outcomes = scripts.load(&world, &files).await;
        for outcome in &outcomes {
            assert!(outcome.result.is_ok(), "{outcome:?}");
        }
        let log = hear(&world, "log");
        Self { world, scripts, log, outcomes }
    }

    /// The same with modules in the user's folder of extensions, which a program takes along from session to session.
    pub async fn found(world: World, modules: &[String]) -> Self {
        let scripts = Scripts::new(&world);
        for (number, source) in (1..).zip(modules) {
            world.home.write_agent(&format!("extensions/hook{number}.ts"), source);
        }
        let extensions = scripts.load_found_in(&world).await;
        assert_eq!(extensions.failures(), []);
        let log = hear(&world, "log");
        Self { world, scripts, log, outcomes: Vec::new() }
    }

    /// Starts the session and says something.
    pub async fn say(&self, text: &str) -> Running {
        let running = self.world.start().await;
        running.say(text).await;
        running
    }

    /// What the user was told: event and message.
    pub fn told(&self) -> Vec<(String, String)> {
        self.scripts.told.all().into_iter().map(|(_, event, message, _)| (event, message)).collect()
    }
}

/// A model that calls a tool once, then says `done`; with the tools that tau has.
pub fn calling(name: &str, arguments: Value) -> World {
    World::new(json!([calls([("c1", name, arguments)]), "done"])).with_builtin_tools()
}

/// The results of tools in the conversation: text, details, whether it is an error.
pub fn results(running: &Running) -> Vec<(String, Value, bool)> {
    let messages = running.session.history().iter().map(to_json).collect::<Vec<_>>();
    let results = messages.iter().filter(|message| message["role"] == "toolResult");
    let one = |message: &Value| (text_of(&message["content"]), message["details"].clone(), message["isError"] == true);
    results.map(one).collect()
}
