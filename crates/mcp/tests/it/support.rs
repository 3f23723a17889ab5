//! Managers to test with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tau_http::{Clients, Policy};
use tau_mcp::config::Values;
use tau_mcp::connection::{Call, CallError};
use tau_mcp::manager::{NoLogins, NoMemory, Server};
use tau_mcp::{Entry, Manager, Scope, ServerConfig, ServerLog, State, World};
use tempfile::TempDir;

use crate::server::{PLAY, Play};

/// Nothing but what a test says.
pub struct NoValues;

impl Values for NoValues {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn command(&self, _: &str) -> Result<String, String> {
        Err("there are no commands".to_owned())
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }
}

/// The error about a stand-in server that is not ready: it is a program of tests, which prints that first.
pub const NOISE: &str =
    "; check its \"command\" and \"args\", as it wrote what is no message of the protocol:\nrunning 1 test";

/// A folder, and servers in it.
pub struct Stage {
    pub folder: TempDir,
    pub manager: Manager,
}

pub fn clients() -> Arc<Clients> {
    let policy = Policy { connect: Duration::from_secs(15), silence: None, proxy: None, authorities: None };
    Arc::new(Clients::following(policy))
}

pub fn world(folder: &Path) -> World {
    World {
        cwd: folder.to_owned(),
        environment: std::env::vars_os().collect(),
        values: Arc::new(NoValues),
        log: ServerLog::new(folder.join("mcp.log")),
        clients: clients(),
        logins: Arc::new(NoLogins),
        elicit: None,
        memory: Arc::new(NoMemory),
    }
}

/// The entry of a server that plays.
pub fn play(play: &Play) -> Value {
    let exe = std::env::current_exe().expect("this program");
    json!({ "command": exe, "args": ["--exact", "server::plays", "--nocapture"],
        "env": { PLAY: serde_json::to_string(play).expect("a play") } })
}

pub fn entry(name: &str, config: Value) -> Entry {
    let config = ServerConfig::parse(name, config).expect("an entry");
    Entry { name: name.to_owned(), config, scope: Scope::Global, source: "test".to_owned(), changed_by: None }
}

/// As an entry, with more keys.
pub fn with(mut entry: Value, keys: Value) -> Value {
    for (key, value) in keys.as_object().into_iter().flatten() {
        entry[key] = value.clone();
    }
    entry
}

impl Stage {
    pub fn new(entries: Vec<Entry>) -> Self {
        Self::in_world(entries, |world| world)
    }

    pub fn in_world(entries: Vec<Entry>, change: impl FnOnce(World) -> World) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let manager = Manager::new(change(world(folder.path())));
        manager.set(entries);
        Self { folder, manager }
    }

    pub fn server(&self, name: &str) -> Arc<Server> {
        self.manager.server(name).expect("a server")
    }

    /// Waits until a server is connected or has failed.
    pub async fn settled(&self, name: &str) -> (State, Option<String>) {
        let server = self.server(name);
        server.settled().await;
        let status = server.status();
        (status.state, status.error)
    }

    pub async fn call(&self, name: &str, tool: &str, text: &str) -> Result<Value, String> {
        let call = Call::default();
        let client = self.server(name).client(&call.cancel).await?;
        let args = Map::from_iter([("text".to_owned(), Value::from(text))]);
        client.call_tool(tool, args, &call).await.map_err(|error: CallError| error.to_string())
    }

    /// The text of the result of a call.
    pub async fn text(&self, name: &str, tool: &str, text: &str) -> String {
        let result = self.call(name, tool, text).await.expect("a result");
        result["content"][0]["text"].as_str().expect("a text").to_owned()
    }
}

/// The one server `s`.
pub fn one(play_: &Play) -> Stage {
    Stage::new(vec![entry("s", play(play_))])
}
