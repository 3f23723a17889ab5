//! Hooks that let the outside in: a watched file, and an HTTP server.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;
use tau_rpc::NewSession;
use tau_testkit::RpcClient;

use super::support::{Place, answer, notices, prompt, text};

const WATCHER: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
import * as fs from "node:fs";
import { join } from "node:path";

export default function (pi: HookAPI) {
  pi.on("session", async (event, ctx) => {
    if (event.reason !== "start") return;
    const file = join(ctx.cwd, "trigger");
    fs.watch(file, () => {
      const wish = fs.readFileSync(file, "utf-8").trim();
      if (!wish) return;
      fs.writeFileSync(file, "");
      pi.send(`From outside: ${wish}`);
    });
    ctx.ui.notify(`watching ${file}`, "info");
  });
}
"#;

#[test]
fn a_file_wakes_the_agent() {
    let place = Place::new().hook("watcher.ts", WATCHER);
    let file = place.home.write("trigger", "");
    let client = place.rpc("replies: [[{text: 'I was told: {{user}}'}], [{text: 'Again: {{user}}'}]]", &[]);
    let said = client.wait_for(0, "the notice", |record| record["method"] == "notify");
    assert_eq!(said["message"], format!("watching {}", file.display()));
    for (wish, answered) in
        [("test it", "I was told: From outside: test it"), ("once more", "Again: From outside: once more")]
    {
        let mark = client.mark();
        std::fs::write(&file, format!("{wish}\n")).unwrap();
        assert_eq!(woken(&client, mark), answered);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "");
    }
    assert_eq!(client.close().status.code(), Some(0));
}

/// Says on which port it listens, in a notice.
const WEBHOOK: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
import * as http from "node:http";

export default function (pi: HookAPI) {
  let calls = 0;
  pi.on("session", async (event, ctx) => {
    if (event.reason !== "start") return ctx.ui.notify(`${event.reason} after ${calls} calls`, "info");
    const server = http.createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        calls += 1;
        pi.send(body || "Somebody called");
        response.writeHead(200);
        response.end(`Call ${calls}`);
      });
    });
    server.listen(0, "127.0.0.1", () => ctx.ui.notify(`port ${server.address().port}`, "info"));
  });
}
"#;

#[test]
fn a_web_request_wakes_the_agent_and_queues_while_it_works() {
    let place = Place::new().hook("webhook.ts", WEBHOOK);
    let script = r#"
replies:
  - [{text: "First: {{user}}"}]
  - [{text: "Second: {{user}}"}]
  - [{tool_call: {name: bash, arguments: {command: "while [ ! -e go ]; do sleep 0.02; done"}}}]
  - [{expect: {last_user: Stop it}}, {text: "I heard."}]
"#;
    let client = place.rpc(script, &[]);
    let port = port(&client, 0);
    let mark = client.mark();
    assert_eq!(post(port, "The build failed"), ("HTTP/1.1 200 OK".into(), "Call 1".into()));
    assert_eq!(woken(&client, mark), "First: The build failed");
    let mark = client.mark();
    assert_eq!(post(port, "").1, "Call 2");
    assert_eq!(woken(&client, mark), "Second: Somebody called");
    // While a run is under way, what comes in steers it.
    let mark = client.mark();
    client.call(text("Wait")).unwrap();
    client.event(mark, "tool_execution_start");
    assert_eq!(post(port, "Stop it").1, "Call 3");
    client.wait_for(mark, "the queue", |record| record["type"] == "queue_update" && record["steering"][0] == "Stop it");
    place.home.write("go", "");
    assert_eq!(woken(&client, mark), "I heard.");
    assert_eq!(client.close().status.code(), Some(0));
}

/// Hooks of this kind live as long as the program: a new session is news to them and no new beginning.
#[test]
fn a_server_serves_the_session_that_is_open() {
    let place = Place::new().hook("webhook.ts", WEBHOOK);
    let client = place.rpc("replies: [One, Two, '{{user}}']", &[]);
    let port = port(&client, 0);
    prompt(&client, "Hello");
    let mark = client.mark();
    post(port, "Go");
    assert_eq!(woken(&client, mark), "Two");
    client.call(NewSession { parent_session: None }).unwrap();
    let mark = client.mark();
    assert_eq!(post(port, "Are you there?"), ("HTTP/1.1 200 OK".into(), "Call 2".into()));
    let woken = woken(&client, mark);
    assert_eq!(woken, "Are you there?");
    let told: Vec<String> = notices(&client.records()).into_iter().map(|(text, _)| text).collect();
    assert_eq!(told[1..], ["clear after 1 calls"]);
    let end = client.close();
    assert_eq!((end.status.code(), end.stderr.as_str()), (Some(0), ""));
}

/// The same of oh-my-pi's hooks: what began with the first session goes on, and is told of the next.
#[test]
fn a_timer_goes_on_in_the_session_that_is_open() {
    let hook = r#"
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
import * as fs from "node:fs";

export default function (pi: HookAPI): void {
  let switched = 0;
  pi.on("session_start", async () => {
    const look = () => {
      if (!fs.existsSync("wish")) return;
      clearInterval(timer);
      pi.sendMessage({ customType: "wish", content: `after ${switched}`, display: true }, { triggerTurn: true });
    };
    const timer = setInterval(look, 10);
  });
  pi.on("session_switch", async (event) => { switched += 1; pi.appendEntry("switched", event.reason); });
}
"#;
    let place = Place::new().hook("timer.ts", hook);
    let client = place.rpc("replies: [One, [{expect: {contains: after 1}}, {text: Two}]]", &[]);
    prompt(&client, "Hello");
    client.call(NewSession { parent_session: None }).unwrap();
    let mark = client.mark();
    place.home.write("wish", "");
    assert_eq!(woken(&client, mark), "Two");
    assert_eq!(client.close().status.code(), Some(0));
}

/// The answer of the run that began by itself.
fn woken(client: &RpcClient, mark: usize) -> String {
    client.event(mark, "agent_settled");
    answer(&client.records()[mark..])
}

fn port(client: &RpcClient, mark: usize) -> u16 {
    let is_port = |record: &Value| record["message"].as_str().is_some_and(|text| text.starts_with("port "));
    let notice = client.wait_for(mark, "the port", is_port);
    notice["message"].as_str().unwrap().trim_start_matches("port ").parse().unwrap()
}

/// Sends a request; gives the status line and the body of the response.
fn post(port: u16, body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the hook listens");
    let length = body.len();
    write!(stream, "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
        .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    let (head, body) = response.split_once("\r\n\r\n").expect("a head");
    // The body may come in chunks; here it is one at most.
    let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        body.split("\r\n").nth(1).unwrap_or_default()
    } else {
        body
    };
    (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
}
