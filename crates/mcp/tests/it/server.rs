//! A server that does what a test wants. It is this program, started again.

use std::io::{BufRead, Write};
use std::process::exit;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The variable that makes a server of the test below.
pub const PLAY: &str = "TAU_MCP_TEST_PLAY";

/// What the server does.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Play {
    /// Its tools, beside those that every one has.
    pub tools: Vec<Value>,
    /// So many more tools, `many_0` and so on.
    pub many: usize,
    /// How to use it.
    pub instructions: Option<String>,
    /// The version that it speaks.
    pub version: Option<String>,
    /// Methods that it leaves without an answer.
    pub silent: Vec<String>,
    /// Methods at which it ends.
    pub dies_at: Vec<String>,
    /// Answers to methods, in place of its own.
    pub answers: serde_json::Map<String, Value>,
    /// Lines that it writes before anything else.
    pub says: Vec<String>,
    /// Whether it keeps running when it is asked to end.
    pub stays: bool,
    /// A file to which it writes what it gets.
    pub record: Option<String>,
    /// A file with the number of a program that it leaves running.
    pub leaves: Option<String>,
    /// Whether it has resources.
    pub resources: bool,
    /// Whether it says that its tools are others, again and again.
    pub restless: bool,
    /// Whether it asks without an end once it is ready, and reads nothing any more.
    pub deaf: bool,
    /// Whether it leaves a program of another group running that holds its standard error.
    pub holds_errors: bool,
    /// Its prompts.
    pub prompts: Vec<Value>,
    /// What a prompt becomes; otherwise a message with its name and arguments.
    pub prompt: Option<Value>,
    /// Whether it asks the user for no more than a yes.
    pub consent: bool,
    /// Whether it has no handshake, and asks the user in the place of a result.
    pub stateless: bool,
    /// A file that says that it was started before. The first time, it answers the first request as if it were the second one.
    pub late: Option<String>,
}

#[test]
fn plays() {
    let Ok(play) = std::env::var(PLAY) else { return };
    let play: Play = serde_json::from_str(&play).expect("a play");
    Server { play, tools: 0, first: Value::Null }.run();
}

struct Server {
    play: Play,
    /// How often its tools have changed.
    tools: usize,
    /// The id of the first request.
    first: Value,
}

fn send(message: &Value) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{message}").and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

fn text(text: impl ToString) -> Value {
    json!({ "content": [{ "type": "text", "text": text.to_string() }] })
}

impl Server {
    fn run(mut self) {
        if let Some(file) = &self.play.leaves {
            #[expect(clippy::zombie_processes, reason = "it is there to be left behind")]
            let child = std::process::Command::new("sleep").arg("600").spawn().expect("a program");
            std::fs::write(file, child.id().to_string()).expect("a file");
        }
        if self.play.holds_errors {
            let mut sleep = std::process::Command::new("setsid");
            sleep.args(["sleep", "30"]).stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
            #[expect(clippy::zombie_processes, reason = "it is there to be left behind")]
            sleep.spawn().expect("a program");
        }
        for line in &self.play.says {
            println!("{line}");
            eprintln!("{line}");
        }
        // Locked for one line at a time: a question waits for its answer in the middle.
        while let Some(line) = next_line() {
            if let Some(file) = &self.play.record {
                let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file).expect("a file");
                writeln!(file, "{line}").expect("a line");
            }
            let message: Value = serde_json::from_str(&line).expect("JSON");
            self.take(&message);
        }
        if self.play.stays {
            loop {
                std::thread::park();
            }
        }
        exit(0);
    }

    fn take(&mut self, message: &Value) {
        let Some(method) = message["method"].as_str() else { return };
        if self.play.dies_at.iter().any(|at| at == method) {
            eprintln!("it dies at {method}");
            exit(3);
        }
        if self.play.deaf && method == "notifications/initialized" {
            (0..20_000).for_each(|n| send(&json!({ "jsonrpc": "2.0", "id": n, "method": "ping" })));
            loop {
                std::thread::park();
            }
        }
        let Some(id) = message.get("id") else { return };
        if method == "tools/call" && message["params"]["name"] == "raw" {
            let line = message["params"]["arguments"]["text"].as_str().unwrap_or_default();
            println!("{}", line.replace("ID", &id.to_string()));
            return;
        }
        if let Some(file) = self.play.late.clone().filter(|file| !std::path::Path::new(file).exists()) {
            if method == "initialize" {
                std::fs::write(file, "").expect("a file");
                let result = discovered();
                return send(&json!({ "jsonrpc": "2.0", "id": self.first, "result": result }));
            }
            self.first = id.clone();
            return send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "?" } }));
        }
        if self.play.silent.iter().any(|other| other == method) {
            return;
        }
        let done = match self.play.answers.get(method) {
            Some(answer) => Ok(answer.clone()),
            None => self.answer(method, &message["params"]),
        };
        match done {
            Ok(Value::Null) => {}
            Ok(result) => send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })),
            Err((code, why)) => send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } })),
        }
    }

    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, (i32, String)> {
        match method {
            "server/discover" if self.play.stateless => Ok(discovered()),
            "initialize" => {
                let mut capabilities = json!({ "tools": { "listChanged": true } });
                if self.play.resources {
                    capabilities["resources"] = json!({});
                }
                if !self.play.prompts.is_empty() {
                    capabilities["prompts"] = json!({ "listChanged": true });
                    capabilities["completions"] = json!({});
                }
                let version = self.play.version.clone().unwrap_or_else(|| "2025-11-25".to_owned());
                let mut result = json!({ "protocolVersion": version, "capabilities": capabilities,
                    "serverInfo": { "name": "play", "version": "1" } });
                if let Some(text) = &self.play.instructions {
                    result["instructions"] = json!(text);
                }
                Ok(result)
            }
            "tools/list" => {
                if self.play.restless {
                    self.changes(1000);
                }
                let mut tools: Vec<Value> =
                    ["echo", "hang", "die", "flood", "huge", "fails", "progress", "roots", "env", "change", "ask"]
                        .map(|name| {
                            json!({ "name": name, "description": format!("It does {name}."),
                        "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
                        "annotations": { "readOnlyHint": true } })
                        })
                        .into();
                tools.extend(self.play.tools.clone());
                tools.extend((0..self.play.many).map(|n| {
                    json!({ "name": format!("many_{n}"), "description": "It does much.", "inputSchema": {
                        "type": "object", "required": ["path"], "properties": {
                            "path": { "type": "string", "description": "Where" },
                            "depth": { "type": "integer", "minimum": 0, "default": 1 },
                            "kind": { "anyOf": [{ "type": "string" }, { "type": "null" }] } } } })
                }));
                if self.tools > 0 {
                    tools.retain(|tool| tool["name"] != "echo");
                    tools.push(json!({ "name": format!("new_{}", self.tools), "inputSchema": { "type": "object" } }));
                }
                Ok(json!({ "tools": tools }))
            }
            "tools/call" => self.call(params),
            "prompts/list" => {
                let mut prompts = self.play.prompts.clone();
                if self.tools > 0 {
                    prompts = vec![json!({ "name": format!("new_{}", self.tools) })];
                }
                Ok(json!({ "prompts": prompts }))
            }
            "prompts/get" if params["name"] == "fails" => Err((-32602, "it is\u{1b}[31m wrong".to_owned())),
            "prompts/get" => Ok(match &self.play.prompt {
                Some(messages) => json!({ "messages": messages }),
                None => json!({ "messages": [{ "role": "user", "content": { "type": "text",
                    "text": format!("{}: {}", params["name"].as_str().unwrap_or_default(), params["arguments"]) } }] }),
            }),
            "completion/complete" => {
                let text = params["argument"]["value"].as_str().unwrap_or_default();
                let values = ["src/a.rs", "src/two words"].into_iter().filter(|value| value.starts_with(text));
                Ok(json!({ "completion": { "values": values.collect::<Vec<_>>() } }))
            }
            "resources/list" => Ok(json!({ "resources": [
                { "uri": "docs://a", "name": "a", "_meta": { "x": 1 } },
                { "uri": "ui://app", "name": "app" }] })),
            "resources/templates/list" => {
                Ok(json!({ "resourceTemplates": [{ "uriTemplate": "docs://{name}", "name": "docs" }] }))
            }
            "resources/read" => Ok(json!({ "contents": [{ "uri": params["uri"], "text": "the text" }] })),
            _ => Err((-32601, "Method not found".to_owned())),
        }
    }

    fn changes(&self, times: usize) {
        for _ in 0..times {
            send(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
        }
    }

    fn call(&mut self, params: &Value) -> Result<Value, (i32, String)> {
        let token = &params["_meta"]["progressToken"];
        let progress = |n: usize, message: &str| {
            send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": token, "progress": n, "total": 3, "message": message } }));
        };
        match params["name"].as_str().unwrap_or_default() {
            "echo" => Ok(text(params["arguments"]["text"].as_str().unwrap_or_default())),
            "hang" => Ok(Value::Null),
            "die" => {
                eprintln!("it dies");
                exit(3);
            }
            "kill" => {
                (0..100).for_each(|n| eprintln!("\u{1b}[31mline {n} <end>\u{1b}[0m"));
                let pid = std::process::id().to_string();
                std::process::Command::new("kill").args(["-9", &pid]).status().expect("a program");
                Ok(Value::Null)
            }
            "flood" => {
                let line = "x".repeat(100);
                for n in 0..100_000 {
                    send(&json!({ "jsonrpc": "2.0", "method": "notifications/message",
                        "params": { "level": "info", "data": format!("{line}{n}") } }));
                    if n % 100 == 0 {
                        // It asks, and does not read the answers before it is done.
                        send(&json!({ "jsonrpc": "2.0", "id": format!("q{n}"), "method": "ping" }));
                        self.changes(1);
                    }
                }
                Ok(text("flooded"))
            }
            "huge" => Ok(text("x".repeat(17 << 20))),
            "fails" => Ok(
                json!({ "isError": true, "content": [{ "type": "text", "text": "it failed" }], "structuredContent": { "why": 1 } }),
            ),
            "progress" => {
                (1..=3).for_each(|n| progress(n, &format!("step {n}")));
                Ok(text("done"))
            }
            "hurry" => {
                (1..=20_000).for_each(|n| progress(n, ""));
                Ok(text("done"))
            }
            "roots" => {
                send(&json!({ "jsonrpc": "2.0", "id": "mine", "method": "roots/list" }));
                Ok(text(answer_to("mine")))
            }
            "ask" if self.play.stateless => Ok(match params.get("inputResponses") {
                Some(responses) => text(format!("{responses} {}", params["requestState"])),
                None => json!({ "resultType": "input_required", "requestState": "asked", "inputRequests": {
                    "who": { "method": "elicitation/create", "params": { "mode": "form", "message": "Who are you?",
                        "requestedSchema": { "type": "object", "required": ["name"],
                            "properties": { "name": { "type": "string" }, "age": { "type": "integer" } } } } } } }),
            }),
            "ask" if self.play.consent => {
                send(&json!({ "jsonrpc": "2.0", "id": "ask", "method": "elicitation/create", "params": {
                    "message": "May it?", "requestedSchema": { "type": "object", "properties": {} } } }));
                Ok(text(answer_to("ask")))
            }
            "ask" => {
                send(&json!({ "jsonrpc": "2.0", "id": "ask", "method": "elicitation/create", "params": {
                    "message": "Who are you?", "requestedSchema": { "type": "object", "required": ["name"],
                        "properties": { "name": { "type": "string" }, "age": { "type": "integer" } } } } }));
                Ok(text(answer_to("ask")))
            }
            "interrogate" => {
                let accepted = (0..30).filter(|n| {
                    let id = format!("q{n}");
                    send(&json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": {
                        "message": "Again?", "requestedSchema": { "type": "object", "properties": {} } } }));
                    answer_to(&id).contains("accept")
                });
                Ok(text(accepted.count()))
            }
            "env" => {
                Ok(text(std::env::var(params["arguments"]["text"].as_str().unwrap_or_default()).unwrap_or_default()))
            }
            "change" => {
                self.tools += 1;
                self.changes(1);
                if !self.play.prompts.is_empty() {
                    send(&json!({ "jsonrpc": "2.0", "method": "notifications/prompts/list_changed" }));
                }
                Ok(text("changed"))
            }
            "MCP error" => Err((-32602, "MCP error -32602: no tool".to_owned())),
            other => Err((-32602, format!("no tool {other}"))),
        }
    }
}

/// What a server without handshake says of itself.
fn discovered() -> Value {
    json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "play", "version": "1" } } })
}

fn next_line() -> Option<String> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).unwrap_or_default();
    (read > 0).then(|| line.trim_end().to_owned())
}

/// What this program answers to a question of the server.
fn answer_to(id: &str) -> String {
    loop {
        let Some(line) = next_line() else { exit(0) };
        let message: Value = serde_json::from_str(&line).expect("JSON");
        if message["id"] == id {
            let answer = if message.get("result").is_some() { &message["result"] } else { &message["error"]["code"] };
            return answer.to_string();
        }
    }
}
