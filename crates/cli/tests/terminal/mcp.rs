//! Servers of MCP in a terminal: the warning of the start, the menu, calls, and prompts as templates.

use serde_json::{Value, json};

use super::Seat;
use crate::place::Place;

const NOTHING: &str = "replies: []";

/// A server with a tool and a prompt, as a script of the shell.
pub(crate) const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case "$line" in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},"instructions":"It greets.","serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"greet","description":"Greets somebody.","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) answer '{"content":[{"type":"text","text":"one\ntwo\nthree\nfour\nfive\nsix\nseven"}]}' ;;
    *'"prompts/list"'*) answer '{"prompts":[{"name":"welcome","description":"Welcomes a guest.","arguments":[{"name":"guest","required":true}]}]}' ;;
    *'"prompts/get"'*) answer '{"messages":[{"role":"user","content":{"type":"text","text":"Welcome our guest warmly."}}]}' ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;

fn with_servers(more: Value) -> Place {
    let place = Place::new();
    let mut servers = json!({"hall": {"command": place.program("server", SERVER), "exposure": "direct"}});
    for (name, server) in more.as_object().into_iter().flatten() {
        servers[name] = server.clone();
    }
    place.write("agent/mcp.json", json!({"mcpServers": servers}).to_string());
    place
}

#[test]
fn servers_that_are_not_there_are_named_once_and_the_menu_says_why() {
    let broken = json!({"command": "sh", "args": ["-c", "echo the key is missing >&2"]});
    let mut seat = Seat::new(with_servers(json!({"broken": broken})), NOTHING, &[]);
    seat.is_ready();
    let screen = seat.shows("Run /mcp to fix.");
    let why = "broken: the server ended before it was ready (exit code 0); it wrote: the key is missing";
    // The line is longer than the screen is wide.
    let said: Vec<&str> = screen.split_whitespace().collect();
    let expected = format!("Warning: MCP servers need attention: {why} Run /mcp to fix.");
    assert!(said.join(" ").contains(&expected), "{screen}");
    seat.types("/mcp\r");
    seat.shows("enter open · escape close");
    seat.until("states", |screen| screen.contains("connected · 1 tool · direct · global") && screen.contains("failed"));
    seat.types("\x1b[B\r");
    let screen = seat.shows("MCP server broken");
    assert!(screen.contains("the key is missing") && screen.contains("→ Connect"), "{screen}");
    // Left page by page; the list is as it was.
    seat.types("\x1b");
    seat.until("the list", |screen| screen.contains("→ broken") && screen.contains("hall "));
    seat.types("\x1b");
    seat.until("the editor", |screen| !screen.contains("escape close"));
    let said = seat.all_rows().join("\n").matches("need attention").count();
    assert_eq!(said, 1);
}

#[test]
fn a_server_is_switched_off_and_its_page_follows() {
    for size in [(100, 30), (40, 20)] {
        let mut seat = Seat::of_size(with_servers(json!({})), NOTHING, &[], size);
        seat.is_ready();
        seat.types("/mcp\r");
        seat.until("the list", |screen| screen.contains("→ hall") && screen.contains("connected"));
        seat.types("\r");
        let screen = seat.until("its page", |screen| screen.contains("connected ·") && screen.contains("Prompts"));
        assert!(screen.contains("It greets.") && !screen.contains("Sign"), "{screen}");
        seat.types("\x1b[A");
        seat.shows("→ Disable in all projects");
        seat.types("\r");
        seat.until("disabled", |screen| screen.contains("disabled ·") && screen.contains("→ Enable in all projects"));
        let file = std::fs::read_to_string(seat.place.root().join("agent/mcp.json")).expect("a file");
        let file: Value = serde_json::from_str(&file).expect("JSON");
        assert_eq!(file["mcpServers"]["hall"]["enabled"], false);
        seat.types("\x1b");
        seat.shows("→ hall");
        seat.types("\x1b");
        seat.until("the editor", |screen| !screen.contains("escape close"));
    }
}

/// A server may let a prompt wait for ever; the text comes back.
#[test]
fn escape_stops_a_prompt_that_waits_for_its_server() {
    let silent = SERVER.replace("*'\"prompts/get\"'*) answer", "*'\"prompts/get\"'*) : ;; *'\"never\"'*) answer");
    let place = Place::new();
    let entry = json!({"command": place.program("server", &silent)});
    place.write("agent/mcp.json", json!({"mcpServers": {"hall": entry}}).to_string());
    let mut seat = Seat::new(place, "replies: [Hello.]", &[]);
    seat.is_ready();
    seat.types("/mcp\r");
    seat.until("connected", |screen| screen.contains("→ hall") && screen.contains("connected"));
    seat.types("\x1b");
    seat.until("the editor", |screen| !screen.contains("escape close"));
    seat.types("/hall:welcome Ada\r");
    seat.until("it waits", |screen| !screen.lines().any(|line| line.starts_with("/hall:welcome Ada")));
    seat.types("\x1b");
    seat.until("the text again", |screen| screen.contains("/hall:welcome Ada"));
    seat.types("\x15hi\r");
    seat.shows("Hello.");
}

#[test]
fn a_call_shows_the_server_the_tool_and_the_first_lines() {
    let script = "replies:\n  - [{tool_call: {name: mcp__hall__greet, arguments: {name: Ada}}}]\n  - Done.";
    let mut seat = Seat::new(with_servers(json!({})), script, &["Go"]);
    let screen = seat.shows("Done.");
    assert!(screen.contains("✓ hall/greet name=\"Ada\""), "{screen}");
    assert!(screen.contains("five") && !screen.contains("six") && screen.contains("2 more lines"), "{screen}");
}

#[test]
fn a_prompt_is_suggested_written_by_the_menu_and_sent() {
    let mut seat = Seat::new(with_servers(json!({})), "replies: [Hello.]", &[]);
    seat.is_ready();
    seat.types("/mcp\r");
    seat.until("the list", |screen| screen.contains("→ hall") && screen.contains("connected"));
    seat.types("\r");
    seat.until("its page", |screen| screen.contains("→ Tools") && screen.contains("Prompts"));
    seat.types("\x1b[B\r");
    seat.shows("→ /hall:welcome");
    seat.types("\r");
    seat.until("the prompt", |screen| screen.contains("/hall:welcome") && !screen.contains("Prompts of"));
    // Without its argument it is not sent, and it is in the editor again.
    seat.types("\r");
    let screen = seat.shows("guest is missing: it takes <guest>");
    assert!(screen.lines().any(|line| line.trim_start().starts_with("/hall:welcome")), "{screen}");
    seat.types(" Ada\r");
    seat.shows("Welcome our guest warmly.");
    seat.shows("Hello.");
    seat.types("/hall:");
    seat.shows("<guest> — Welcomes a guest.");
}
