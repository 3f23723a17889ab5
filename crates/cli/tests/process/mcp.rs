//! `tau mcp`: servers in files, tried without a session.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use tau_testkit::{mcp_script, refusing_address};

use crate::support::{Done, Place};

/// A server with two tools and a prompt.
fn server() -> String {
    let tools = r#"{"tools":[{"name":"greet","inputSchema":{"type":"object"}},{"name":"drop","inputSchema":{"type":"object"}}]}"#;
    let said = r#"{"content":[{"type":"text","text":"hello"}]}"#;
    let prompts = r#"{"prompts":[{"name":"welcome","arguments":[{"name":"guest"}]}]}"#;
    let prompt = r#"{"messages":[{"role":"user","content":{"type":"text","text":"Welcome them."}}]}"#;
    let results = [("tools/list", tools), ("tools/call", said), ("prompts/list", prompts), ("prompts/get", prompt)];
    mcp_script(r#"{"tools":{},"prompts":{}}"#, &results)
}

fn file(place: &Place, path: &str) -> Value {
    serde_json::from_str(&place.read(path)).expect("JSON")
}

#[test]
fn servers_are_added_replaced_and_removed_and_the_rest_of_the_file_stays() {
    let place = Place::new();
    let path = place.write("agent/mcp.json", "{\"autoEnableCodemode\": false,  \"other\": [1.0]}\n");
    let shown = path.display();
    let add = ["mcp", "add", "files", "--env", "K=${V}", "--exposure", "direct", "--", "serve", "--url", "x"];
    let check = "Check it with: tau mcp list";
    assert_eq!(place.tau(add).run(), Done::ok(&format!("Added global MCP server \"files\" in {shown}.\n{check}\n")));
    let web = [
        "mcp",
        "add",
        "web",
        "--url",
        "https://x.org/mcp",
        "--bearer-token-env-var",
        "TOKEN",
        "--oauth-callback-port",
        "8765",
    ];
    assert_eq!(place.tau(web).run().code, Some(0));
    let servers = json!({
        "files": {"command": "serve", "args": ["--url", "x"], "env": {"K": "${V}"}, "exposure": "direct"},
        "web": {"url": "https://x.org/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}, "oauth": {"callbackPort": 8765}},
    });
    assert_eq!(
        file(&place, "agent/mcp.json"),
        json!({"autoEnableCodemode": false, "other": [1.0], "mcpServers": servers})
    );
    let again = place.tau(["mcp", "add", "files", "serve"]).run();
    assert!(again.stdout.starts_with("Replaced global MCP server \"files\" in "), "{again:?}");
    let sign_in = place.tau(["mcp", "add", "open", "--url", "https://y.org"]).run();
    assert!(sign_in.stdout.ends_with(". If it wants you to sign in: tau mcp login open\n"), "{sign_in:?}");
    let removed = place.tau(["mcp", "remove", "files"]).run();
    assert_eq!(removed, Done::ok(&format!("Removed global MCP server \"files\" from {shown}.\n")));
    let missing = place.tau(["mcp", "remove", "files"]).run();
    assert_eq!(missing, Done::failed(&format!("Error: there is no global MCP server \"files\" in {shown}")));
    for args in [
        &["mcp", "add", "a b", "x"][..],
        &["mcp", "add", "x"],
        &["mcp", "add", "x", "--url", "https://x.org", "--env", "A=secret", "--"],
        &["mcp", "add", "x", "--header", "A=secret", "--", "serve"],
        &["mcp", "add", "x", "--env", "=secret", "--", "serve"],
        &["mcp", "list", "--url", "x"],
    ] {
        let done = place.tau(args).run();
        assert!(done.code == Some(1) && !done.stderr.contains("secret"), "{args:?}: {done:?}");
    }
}

#[test]
fn servers_of_a_project_need_trust() {
    let place = Place::new();
    let added = place.tau(["mcp", "add", "-l", "mine", "serve"]).run();
    assert!(added.stdout.starts_with("Added project MCP server \"mine\" in "), "{added:?}");
    assert!(added.stdout.contains("The project is not trusted"), "{added:?}");
    let listed = place.tau(["mcp", "list"]).run();
    assert!(listed.stdout.contains(".pi/mcp.json is ignored: the project is not trusted"), "{listed:?}");
    assert!(!listed.stdout.contains("mine"), "{listed:?}");
    let listed = place.tau(["mcp", "list", "--approve"]).run();
    assert!(listed.stdout.starts_with("mine: failed (codemode, project)\n  serve\n"), "{listed:?}");
    assert_eq!(listed.code, Some(1));
}

#[test]
fn a_list_tries_every_server() {
    let place = Place::new();
    let none = place.tau(["mcp", "list"]).run();
    assert_eq!(none, Done::ok("There are no MCP servers. `tau mcp add` adds one.\n"));
    let server = place.write("server", server());
    std::fs::set_permissions(&server, std::fs::Permissions::from_mode(0o700)).expect("permissions");
    let fine = json!({"command": server, "toolExposure": {"drop": "hidden"}});
    place.write("agent/mcp.json", json!({"mcpServers": {"fine": fine}}).to_string());
    let listed = place.tau(["mcp", "list"]).run();
    let text = format!(
        "fine: connected, 2 tools (codemode, global)\n  {}\n  tools: greet, drop [hidden]\n  prompts: /fine:welcome\n",
        server.display()
    );
    assert_eq!(listed, Done::ok(&text));
    let bad = json!({"command": "sh", "args": ["-c", "echo why >&2"]});
    let servers =
        json!({"fine": fine, "bad": bad, "off": {"command": "x", "enabled": false}, "no": {"url": "ftp://x"}});
    place.write("agent/mcp.json", json!({"mcpServers": servers}).to_string());
    let listed = place.tau(["mcp", "list", "--json"]).run();
    assert_eq!(listed.code, Some(1));
    let list: Value = serde_json::from_str(&listed.stdout).expect("JSON");
    let states: Vec<_> = list["servers"]
        .as_array()
        .expect("servers")
        .iter()
        .map(|one| (one["name"].clone(), one["state"].clone()))
        .collect();
    assert_eq!(
        states,
        [("fine", "connected"), ("bad", "failed"), ("off", "disabled")].map(|(n, s)| (json!(n), json!(s)))
    );
    assert_eq!(list["servers"][0]["toolExposure"], json!({"drop": "hidden"}));
    assert_eq!(list["servers"][1]["error"], "the server ended before it was ready (exit code 0); it wrote:\nwhy");
    assert!(list["errors"][0].as_str().expect("an error").contains("\"ftp://x\" is not an http or https address"));
}

#[test]
fn a_server_without_a_sign_in_says_so() {
    let place = Place::new();
    place.write(
        "agent/mcp.json",
        json!({"mcpServers": {"one": {"command": "x"},
        "two": {"url": "https://x.org", "headers": {"authorization": "k"}}}})
        .to_string(),
    );
    let login = |args: &[&str]| place.tau(["mcp", "login"].iter().chain(args)).run();
    assert_eq!(login(&["one"]), Done::failed("Error: MCP server \"one\" is a program and has no sign-in"));
    assert!(login(&["two"]).stderr.contains("does not use OAuth"));
    assert_eq!(login(&["tow"]), Done::failed("Error: there is no MCP server \"tow\"; did you mean two?"));
    assert!(login(&["two", "--timeout", "no"]).stderr.contains("--timeout must be a number of seconds"));
}

/// A session of the program has the server's tools, with the gates of extensions in front of them.
#[test]
fn a_session_calls_tools_of_servers_behind_its_gates() {
    let place = Place::new();
    let path = place.program("server", server().trim_start_matches("#!/bin/sh\n"));
    let server = json!({"command": path, "exposure": "direct"});
    place.write("agent/mcp.json", json!({"mcpServers": {"s": server}}).to_string());
    let gate = "export default (pi) => pi.on('tool_call', (event) => event.toolName === 'mcp__s__drop' ? { block: true, reason: 'not that' } : undefined);";
    place.write("gate.ts", gate);
    let call = |name: &str| format!("[{{tool_call: {{name: mcp__s__{name}, arguments: {{}}}}}}]");
    let results = |args: &[&str], name: &str| {
        let script = format!("replies: [{}, fine]", call(name));
        let done = place.play(&script, args.iter().copied().chain(["--mode", "json", "x"])).run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
        let ends = done.events().into_iter().filter(|event| event["type"] == "tool_execution_end");
        ends.map(|event| event["result"]["content"][0]["text"].clone()).collect::<Vec<_>>()
    };
    let with_gate = ["-e", "../gate.ts"];
    assert_eq!(results(&with_gate, "greet"), ["hello"]);
    assert_eq!(results(&with_gate, "drop"), ["not that"]);
    assert_eq!(results(&["--no-mcp"], "greet"), ["Tool mcp__s__greet not found"]);
}

#[test]
fn a_server_gets_the_login_of_a_model_provider_that_its_entry_names() {
    let place = Place::new();
    place.write("agent/auth.json", json!({"anthropic": {"type": "api_key", "key": "the-key"}}).to_string());
    let (url, heard) = refusing_address();
    let entry = json!({"url": url, "auth": {"provider": "anthropic"}});
    place.write("agent/mcp.json", json!({"mcpServers": {"web": entry}}).to_string());
    let listed = place.tau(["mcp", "list"]).run();
    assert_eq!(listed.code, Some(1), "{listed:?}");
    let head = heard.join().expect("a request");
    assert!(head.contains("authorization: Bearer the-key\r\n"), "{head}");
}

/// Prompts of servers are templates in print mode too, and a server that is not there keeps one from being sent.
#[test]
fn a_prompt_of_a_server_is_sent_in_its_place() {
    let place = Place::new();
    let path = place.program("server", server().trim_start_matches("#!/bin/sh\n"));
    let gone = json!({"command": "sh", "args": ["-c", "exit 1"]});
    place.write("agent/mcp.json", json!({"mcpServers": {"s": {"command": path}, "gone": gone}}).to_string());
    let done = place.play("replies: [fine]", ["--mode", "json", "/s:welcome Ada"]).run();
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = done.events().into_iter().find(|event| event["type"] == "message_end").expect("a message");
    assert_eq!(said["message"]["content"][0]["text"], "Welcome them.");
    let done = place.play("replies: [fine]", ["-p", "/gone:welcome"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{done:?}");
    assert!(done.stderr.contains("/gone:welcome: MCP server \"gone\" is not connected: "), "{done:?}");
}
