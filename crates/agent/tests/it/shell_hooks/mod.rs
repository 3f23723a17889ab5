//! Shell hooks: real scripts in real folders, before and after the tools of a real session.

mod after;
mod before;
mod claude_settings;
mod failures;
mod moments;
mod reload;
mod told;

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::extensions::Extensions;

use crate::common::scripts::FakeScripts;
use crate::common::tools::recording;
use crate::common::{Log, Running, World, calls};

/// A home with hooks, and a tool `work` that remembers its calls.
struct Place {
    world: World,
    ran: Log<Value>,
}

/// The model calls `work` once and then says something.
fn place() -> Place {
    place_with(json!([calls([("1", "work", json!({"text": "x"}))]), "Done."]))
}

fn place_with(replies: Value) -> Place {
    let world = World::new(replies);
    let ran = Log::default();
    world.extend("tools", |registrar| recording(registrar, "work", &ran));
    Place { world, ran }
}

impl Place {
    fn settings(mut self, settings: Value) -> Self {
        self.world = self.world.settings(settings);
        self
    }

    /// A script of the project that may be run.
    fn hook(self, path: &str, text: &str) -> Self {
        executable(&self.file(path, text));
        self
    }

    /// A file of the project.
    fn file(&self, path: &str, text: &str) -> PathBuf {
        self.world.home.write(path, text)
    }

    async fn load(&self) -> Arc<Extensions> {
        self.world.load_scripts(&FakeScripts::new(false)).await
    }

    async fn start(&self) -> Running {
        self.load().await;
        self.world.start().await
    }

    /// Lets the model make its call, and gives what it read of it.
    async fn result(&self) -> String {
        let running = self.start().await;
        running.say("Go on.").await;
        result_of(&running)
    }

    /// As [`Place::result`], with `HOOK` for the path of a file of the project.
    async fn result_of_hook(&self, path: &str) -> String {
        let file = std::fs::canonicalize(self.world.home.cwd().join(path)).expect("the hook");
        self.result().await.replace(&file.display().to_string(), "HOOK")
    }

    /// What the tool was called with.
    fn ran(&self) -> Vec<Value> {
        self.ran.all()
    }

    /// What the user was told: the end of the path, the event, the text.
    fn reports(&self) -> Vec<(String, String, String)> {
        let short = |path: &str| path.rsplit_once("/hooks/").map_or(path, |(_, rest)| rest).to_owned();
        let all = self.world.reports.all();
        all.into_iter().map(|(path, event, text)| (short(&path), event, text)).collect()
    }
}

/// The results of tools in the conversation.
fn result_of(running: &Running) -> String {
    let results = running.conversation().into_iter().filter(|(role, _)| role == "toolResult");
    results.map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}

fn executable(path: &PathBuf) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
}

fn one(path: &str, event: &str, text: &str) -> [(String, String, String); 1] {
    [(path.to_owned(), event.to_owned(), text.to_owned())]
}

/// Whether there is a Python to run a script with.
fn has_python() -> bool {
    std::process::Command::new("python3").arg("--version").output().is_ok_and(|done| done.status.success())
}
