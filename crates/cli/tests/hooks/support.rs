//! A home with hooks, and the program in it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tau_rpc::Prompt;
use tau_testkit::{RpcClient, TempHome};

/// A home with hooks that the command line names.
pub struct Place {
    pub home: TempHome,
    hooks: Vec<String>,
}

/// A run of print or JSON mode that is over.
pub struct Done {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Self {
        Self { home: TempHome::new(), hooks: Vec::new() }
    }

    /// With a hook that `--hook` names.
    pub fn hook(mut self, name: &str, source: &str) -> Self {
        let path = self.home.write_agent(&format!("named/{name}"), source);
        self.hooks.extend(["--hook".to_owned(), path.display().to_string()]);
        self
    }

    fn command(&self, script: &str, args: &[&str]) -> Command {
        let script = self.home.write_agent("script.yaml", script);
        let mut command = Command::new(env!("CARGO_BIN_EXE_tau"));
        command.env_clear().envs(self.home.vars()).current_dir(self.home.cwd());
        command.arg("--script").arg(script).args(&self.hooks).args(args);
        command
    }

    /// In RPC mode.
    pub fn rpc(&self, script: &str, args: &[&str]) -> RpcClient {
        RpcClient::start(self.command(script, args).args(["--mode", "rpc"]))
    }

    /// In print or JSON mode, as the arguments say.
    pub fn run(&self, script: &str, args: &[&str]) -> Done {
        let output = self.command(script, args).stdin(Stdio::null()).output().expect("tau starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Done { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// What hooks wrote into a file of the project, a line each.
    pub fn lines(&self, file: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.home.cwd().join(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Whether the project has a file.
    pub fn has(&self, file: &str) -> bool {
        self.home.cwd().join(file).exists()
    }

    /// Runs git in the project, as somebody without settings; gives what it says.
    pub fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.env_clear().envs(self.home.vars()).current_dir(self.home.cwd());
        command.args(["-c", "user.name=n", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]).args(args);
        let output = command.output().expect("git");
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

impl Done {
    /// The lines of JSON mode.
    pub fn events(&self) -> Vec<Value> {
        let event = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.stdout.lines().map(event).collect()
    }
}

/// Sends a prompt and waits until the session has settled; gives what was told meanwhile.
pub fn prompt(client: &RpcClient, message: &str) -> Vec<Value> {
    let mark = client.mark();
    client.call(text(message)).expect("the prompt is taken");
    client.event(mark, "agent_settled");
    client.records().split_off(mark)
}

/// A prompt for when nothing is under way.
pub fn text(message: &str) -> Prompt {
    Prompt { message: message.to_owned(), images: None, streaming_behavior: None }
}

/// The results of the tool calls that ended: name, text, whether it is an error.
pub fn results(records: &[Value]) -> Vec<(String, String, bool)> {
    let ended = records.iter().filter(|record| record["type"] == "tool_execution_end");
    let result = |record: &Value| {
        let name = record["toolName"].as_str().expect("a name").to_owned();
        (name, texts(&record["result"]["content"]), record["isError"].as_bool().expect("an outcome"))
    };
    ended.map(result).collect()
}

/// What the model said last; an error when that is what it came to.
pub fn answer(records: &[Value]) -> String {
    let ends = |record: &&Value| record["type"] == "message_end" && record["message"]["role"] == "assistant";
    let message = &records.iter().rfind(ends).expect("an answer")["message"];
    assert_eq!(message["errorMessage"], Value::Null);
    texts(&message["content"])
}

/// The texts of a message's content.
pub fn texts(content: &Value) -> String {
    let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

/// What users were notified of: each notice and its kind.
pub fn notices(records: &[Value]) -> Vec<(String, String)> {
    let of = |record: &Value, name: &str, or: &str| record[name].as_str().unwrap_or(or).to_owned();
    let notices = records.iter().filter(|record| record["method"] == "notify");
    notices.map(|record| (of(record, "message", ""), of(record, "notifyType", "info"))).collect()
}

/// The titles of the dialogs that users were shown.
pub fn asked(records: &[Value]) -> Vec<String> {
    let dialogs = records.iter().filter(|record| {
        record["type"] == "extension_ui_request"
            && ["select", "confirm", "input", "editor"].iter().any(|method| record["method"] == *method)
    });
    dialogs.map(|record| record["title"].as_str().expect("a title").to_owned()).collect()
}

/// All session files, the oldest first.
pub fn session_files(home: &TempHome) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![home.session_dir()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
