//! The program with a home of its own and a scripted model, and a client that drives it.

use std::process::Command;

use serde_json::Value;
use tau_rpc::Prompt;
use tau_session::Session;
use tau_testkit::{RpcClient, TempHome};

/// tau in RPC mode, with a script in place of a model.
pub fn start(home: &TempHome, script: &str, args: &[&str]) -> RpcClient {
    RpcClient::start(&mut command(home, script, args))
}

pub fn command(home: &TempHome, script: &str, args: &[&str]) -> Command {
    let script = home.write_agent("script.yaml", script);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tau"));
    command.env_clear().envs(home.vars()).current_dir(home.cwd());
    command.args(["--mode", "rpc", "--script"]).arg(script).args(args);
    command
}

/// As [`start`], with an extension.
pub fn start_with(home: &TempHome, script: &str, extension: &str) -> RpcClient {
    let path = home.write_agent("here/extension.ts", extension).display().to_string();
    start(home, script, &["-e", &path])
}

/// A prompt for when nothing is under way.
pub fn text(message: &str) -> Prompt {
    Prompt { message: message.to_owned(), images: None, streaming_behavior: None }
}

/// Sends a prompt and waits until the session has settled; gives what was told meanwhile.
pub fn run(client: &RpcClient, message: &str) -> Vec<Value> {
    let mark = client.mark();
    client.call(text(message)).expect("the prompt is taken");
    client.event(mark, "agent_settled");
    client.records().split_off(mark)
}

/// The types of records, updates of a message and responses left out.
pub fn kinds(records: &[Value]) -> Vec<&str> {
    let kinds = records.iter().map(|record| record["type"].as_str().expect("a type"));
    kinds.filter(|kind| !matches!(*kind, "message_update" | "response")).collect()
}

/// All session files, the oldest first, and what is in them.
pub fn sessions(home: &TempHome) -> Vec<Session> {
    let mut files = Vec::new();
    let mut folders = vec![home.session_dir()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files.iter().map(|file| Session::open(file).expect("a session")).collect()
}

/// The roles and texts of a session's messages.
pub fn transcript(session: &Session) -> Vec<String> {
    let line = |message: Value| {
        let blocks = message["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        format!("{}: {}", message["role"].as_str().unwrap_or_default(), texts.join(" "))
    };
    session.context().messages.iter().map(|item| line(serde_json::to_value(&*item.message).expect("JSON"))).collect()
}
