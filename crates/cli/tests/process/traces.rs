//! The canonical traces: every event that an extension hears, with all it is told, and every event that the session
//! tells, in one order. The scenarios and the extensions are those with which `conformance/` compares tau with pi.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use tau_testkit::GoldenTrace;
use tau_testkit::loopback::{LoopbackServer, Reply, ReplyUsage};

use crate::signals::{send, stderr};
use crate::support::{Place, ended, events};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/traces")
}

fn scenarios() -> Vec<Value> {
    let text = fs::read_to_string(folder().join("scenarios.json")).expect("the scenarios");
    let table: Value = serde_json::from_str(&text).expect("JSON");
    table["scenarios"].as_array().expect("a list").clone()
}

/// An answer of the model as the scenarios write it.
fn reply(step: &Value) -> Reply {
    if let Some(error) = step.get("error") {
        let status = error["status"].as_u64().and_then(|status| u16::try_from(status).ok()).expect("a status");
        return Reply::http_error(status, error["body"].to_string());
    }
    let count = |name: &str, standard| step["usage"][name].as_u64().unwrap_or(standard);
    let usage = ReplyUsage { input: count("input", 100), output: count("output", 20), ..ReplyUsage::default() };
    let mut reply = Reply::new().usage(usage);
    if let Some(deltas) = step["text"].as_array() {
        reply = reply.then_text(deltas.iter().filter_map(Value::as_str).collect::<String>()).split_deltas(8);
    }
    for call in step["toolCalls"].as_array().into_iter().flatten() {
        let text = |name: &str| call[name].as_str().expect("a text").to_owned();
        reply = reply.tool_call(text("id"), text("name"), call["args"].clone());
    }
    reply
}

fn models(origin: &str) -> Value {
    let model = |id: &str| {
        json!({"id": id, "name": id, "reasoning": true, "input": ["text", "image"], "contextWindow": 200_000,
            "maxTokens": 8192, "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}})
    };
    let provider = |api: &str, base: String, id: &str| json!({"baseUrl": base, "api": api, "apiKey": "loop-key", "models": [model(id)]});
    json!({"providers": {
        "loop-anthropic": provider("anthropic-messages", origin.to_owned(), "loop-a"),
        "loop-openai": provider("openai-completions", format!("{origin}/v1"), "loop-o"),
    }})
}

/// Sends the signal as soon as the trace shows the event.
fn send_later(child: &Child, trace: &Path, signal: &Value) {
    let line = format!("{{\"type\":{}", signal["after"]);
    while !fs::read_to_string(trace).expect("the trace").contains(&line) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(signal["name"], "SIGTERM");
    send(child, Signal::TERM);
}

/// Handlers hear how messages and results grow a little later than front ends do: what stands between two other events
/// is brought in the order that handlers come first.
fn in_order(mut lines: Vec<Value>) -> Vec<Value> {
    let is_update = |line: &Value| {
        let name = line.get("hook").unwrap_or(&line["type"]);
        name == "message_update" || name == "tool_execution_update"
    };
    // A busy machine writes the last updates after the extension has heard of the end.
    let is_end = |line: &Value| line["hook"].as_str().is_some_and(|name| name.ends_with("_end"));
    let is_told = |line: &Value| line.get("hook").is_none() && is_update(line);
    for at in (0..lines.len()).rev() {
        let late = if is_end(&lines[at]) { lines[at + 1..].iter().take_while(|line| is_told(line)).count() } else { 0 };
        lines[at..=at + late].rotate_left(1);
    }
    let mut done = Vec::with_capacity(lines.len());
    for group in lines.chunk_by(|a, b| is_update(a) && is_update(b)) {
        let (hooks, told): (Vec<_>, Vec<_>) = group.iter().cloned().partition(|line| line.get("hook").is_some());
        done.extend(hooks.into_iter().chain(told));
    }
    done
}

/// Leaves of usage what tells two apart, and takes out what depends on the day and on the build.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "usage" if value["totalTokens"].is_number() => *value = value["totalTokens"].take(),
                    "date" => *value = json!("<date>"),
                    "user-agent" => *value = json!("tau/<version>"),
                    _ => shorten(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

fn check(name: &str) {
    let scenario = scenarios().into_iter().find(|scenario| scenario["name"] == name).expect("the scenario");
    let place = Place::new();
    let script = scenario["script"].as_array().expect("a script");
    let server = LoopbackServer::start(script.iter().map(reply));
    place.write("agent/models.json", models(&server.url()).to_string());
    let mut settings = scenario.get("settings").cloned().unwrap_or_else(|| json!({}));
    if scenario["parallel"] == true {
        settings["tau"] = json!({"toolExecution": "parallel"});
    }
    place.write("agent/settings.json", settings.to_string());

    let trace = place.write("trace.jsonl", "");
    let mut args: Vec<String> =
        ["--model", "loop-anthropic/loop-a", "--mode", "json", "--tools", "work", "--system-prompt", "You are a test."]
            .map(str::to_owned)
            .to_vec();
    for extension in ["recorder.mjs", "acts.mjs"] {
        args.extend(["--extension".to_owned(), folder().join(extension).display().to_string()]);
    }
    let prompts = scenario["prompts"].as_array().expect("prompts");
    args.extend(prompts.iter().map(|prompt| prompt.as_str().expect("a text").to_owned()));
    let mut tau = place.tau(args).env("TRACE_FILE", &trace);
    if let Some(act) = scenario["act"].as_str() {
        tau = tau.env("TRACE_ACT", act);
    }
    let mut child = tau.spawn_into(OpenOptions::new().append(true).open(&trace).expect("the trace"));
    let code = match scenario.get("signal") {
        Some(signal) => {
            send_later(&child, &trace, signal);
            143
        }
        None => 0,
    };
    // That a request is made again is among the events; standard error has it in words.
    let said = stderr(&mut child);
    let complaints: String = said.lines().filter(|line| !line.starts_with("The request failed")).collect();
    assert_eq!((ended(child.wait().expect("an end")), complaints.as_str()), (Ok(code), ""));
    assert_eq!(server.unused(), 0, "{name}");

    let mut lines = events(&fs::read_to_string(&trace).expect("the trace"));
    lines.retain(|line| line["type"] != "session");
    lines.iter_mut().for_each(shorten);
    let prompt = lines.iter().find_map(|line| line["told"]["systemPrompt"].as_str()).expect("a prompt").to_owned();
    let sessions = place.work().display().to_string().replace('/', "-");
    let mut golden = GoldenTrace::new()
        .hide(prompt, "<prompt>")
        .hide(place.root().display().to_string(), "<root>")
        .hide(sessions, "<folder>");
    golden.add_all(in_order(lines));
    golden.check(format!("tests/golden/traces/{name}.jsonl"));
}

macro_rules! traces {
    ($($test:ident $name:literal),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*

        #[test]
        fn every_scenario_has_a_golden_trace() {
            let names: Vec<String> =
                scenarios().iter().map(|scenario| scenario["name"].as_str().expect("a name").to_owned()).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

traces! {
    plain "plain",
    tools "tools",
    a_blocked_call "blocked-call",
    a_failed_tool "failed-tool",
    a_mended_tool "mended-tool",
    invalid_calls "invalid-calls",
    parallel_calls "parallel-calls",
    steering "steering",
    steering_skips "steering-skips",
    follow_up "follow-up",
    notes "notes",
    boundaries "boundaries",
    choices "choices",
    messages_while_idle "messages-while-idle",
    new "new",
    resume "resume",
    fork_before "fork-before",
    fork_at "fork-at",
    tree "tree",
    tree_user "tree-user",
    compact_manual "compact-manual",
    compact_failed "compact-failed",
    compact_threshold "compact-threshold",
    compact_overflow "compact-overflow",
    retry "retry",
    reload "reload",
    shutdown_by_signal "shutdown-by-signal",
}
