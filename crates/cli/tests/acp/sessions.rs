//! Several sessions in one process, and their end.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use agent_client_protocol::v1::schema::{ClientCapabilities, CloseSessionRequest, StopReason};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::editor::{play, with};
use crate::place::{Place, ended};

/// Says where it is and how its session ends.
fn witness(name: &str) -> String {
    format!(
        r#"import {{ appendFileSync }} from "node:fs";
export default (pi) => {{
  globalThis.shared = (globalThis.shared ?? 0) + 1;
  pi.registerTool({{
    name: "where", label: "Where", description: "Says where",
    parameters: {{ type: "object", properties: {{}} }},
    execute: async (id, params, signal, onUpdate, ctx) => ({{
      content: [{{ type: "text", text: `{name} ${{ctx.cwd.split("/").pop()}} ${{globalThis.shared}}` }}],
    }}),
  }});
  pi.on("session_shutdown", (event, ctx) => appendFileSync(ctx.cwd + "/../ends", `{name} ${{event.reason}}\n`));
}};"#
    )
}

fn place() -> Place {
    let place = Place::new();
    place.write("one/.pi/extensions/own.ts", witness("one"));
    place.write("two/.pi/extensions/own.ts", witness("two"));
    place
}

const SCRIPT: &str = r#"
replies:
  - - {delay_ms: 50}
    - tool_call: {name: where, arguments: {}}
  - Over.
"#;

#[tokio::test]
async fn each_session_has_its_directory_and_its_extensions() {
    let place = place();
    with(&place, SCRIPT, &["--approve"], async |editor| {
        let one = editor.open(&place.root().join("one")).await.session_id;
        let two = editor.open(&place.root().join("two")).await.session_id;
        let (first, second) = tokio::join!(editor.prompt(&one, "Go"), editor.prompt(&two, "Go"));
        assert_eq!((first, second), (Ok(StopReason::EndTurn), Ok(StopReason::EndTurn)));
        assert_eq!(editor.said(&one), ["Where (completed) one one 1", "says: Over."]);
        assert_eq!(editor.said(&two), ["Where (completed) two two 1", "says: Over."]);
        editor.send(CloseSessionRequest::new(one.clone())).await.expect("closed");
        assert_eq!(place.read("ends"), "one quit\n");
        assert_eq!(editor.prompt(&one, "Hello?").await.map_err(|error| i32::from(error.code)), Err(-32002));
        assert_eq!(editor.prompt(&two, "/session").await, Ok(StopReason::EndTurn));
    })
    .await;
    assert_eq!(place.read("ends"), "one quit\ntwo quit\n");
}

/// Writes lines, and reads answers up to that of the last one.
fn exchange(stdin: &mut impl Write, stdout: &mut impl BufRead, lines: &[serde_json::Value]) -> serde_json::Value {
    let mut answer = serde_json::Value::Null;
    for line in lines {
        writeln!(stdin, "{line}").expect("tau reads");
        loop {
            let mut text = String::new();
            assert_ne!(stdout.read_line(&mut text).expect("tau writes"), 0);
            answer = serde_json::from_str(&text).expect("JSON");
            if answer["id"] == line["id"] && answer.get("method").is_none() {
                break;
            }
        }
    }
    answer
}

fn request(id: u32, method: &str, params: serde_json::Value) -> serde_json::Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// The first requests of any client.
fn greeting(cwd: &Path) -> [serde_json::Value; 2] {
    let client = ClientCapabilities::new();
    [
        request(1, "initialize", json!({"protocolVersion": 1, "clientCapabilities": client})),
        request(2, "session/new", json!({"cwd": cwd, "mcpServers": []})),
    ]
}

#[test]
fn a_signal_ends_all_sessions_in_order() {
    let place = place();
    let mut child = play(&place, SCRIPT, ["--approve"]).spawn();
    let (mut stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut stdout = BufReader::new(stdout);
    exchange(&mut stdin, &mut stdout, &greeting(&place.root().join("one")));
    let two = request(3, "session/new", json!({"cwd": place.root().join("two"), "mcpServers": []}));
    exchange(&mut stdin, &mut stdout, &[two]);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, Signal::TERM).expect("a process to signal");
    assert_eq!(ended(child.wait().expect("its end")), Ok(143));
    let mut ends: Vec<String> = place.read("ends").lines().map(str::to_owned).collect();
    ends.sort();
    assert_eq!(ends, ["one quit", "two quit"]);
}

#[test]
fn the_end_of_the_input_ends_a_session_at_work() {
    let place = place();
    let script = r#"replies: [[{text: "On and on. ", repeat_delta: 100000, delta_ms: 20}]]"#;
    let mut child = play(&place, script, ["--approve"]).spawn();
    let (mut stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut stdout = BufReader::new(stdout);
    let answer = exchange(&mut stdin, &mut stdout, &greeting(&place.root().join("one")));
    let prompt = json!({"sessionId": answer["result"]["sessionId"], "prompt": [{"type": "text", "text": "Go"}]});
    writeln!(stdin, "{}", request(3, "session/prompt", prompt)).expect("tau reads");
    let mut line = String::new();
    while !line.contains("agent_message_chunk") {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).expect("tau writes"), 0);
    }
    drop(stdin);
    let copied = std::io::copy(&mut stdout, &mut std::io::sink());
    copied.expect("tau writes until it ends");
    assert_eq!(ended(child.wait().expect("its end")), Ok(0));
    assert_eq!(place.read("ends"), "one quit\n");
    let said = crate::place::transcript(&place.session());
    assert!(said[1].starts_with("assistant: On and on.") && said[1].ends_with("(aborted)"), "{said:?}");
}
