//! Extensions that are part of the program: what they add, and how they are switched.

use serde_json::{Value, json};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::support::{Done, Place};

/// A model that runs a script with codemode.
const RUNS: &str = "replies:\n  - - expect: {has_tools: codemode}\n    - tool_call: {name: codemode, arguments: {code: \
                    \"return (await tools.bash({command: 'echo r$((1+1))n'})).output\"}}\n  - - expect: {tool_result: {name: \
                    codemode, is_error: false}}\n    - text: fine\n";

#[test]
fn a_script_calls_the_tools_of_the_program() {
    let place = Place::new();
    let done = place.play(RUNS, ["--tools", "+codemode", "-p", "x"]).run();
    assert_eq!(done, Done::ok("fine\n"));
    let lines = std::fs::read_to_string(&place.session_files()[0]).expect("a session");
    let results: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["message"].clone())
        .filter(|message| message["role"] == "toolResult")
        .collect();
    assert_eq!(results[0]["content"][1]["text"], "r2n\n");
    assert_eq!(results[0]["nestedCalls"]["calls"][0]["name"], "bash");
}

#[test]
fn a_plain_session_sends_what_it_sends_without_them() {
    let bodies = |args: &[&str]| {
        let server = LoopbackServer::start([Reply::text("Done.")]);
        let place = Place::new();
        let provider =
            json!({"api": "openai-completions", "baseUrl": server.url(), "apiKey": "key", "models": [{"id": "m"}]});
        place.write("agent/models.json", json!({"providers": {"local": provider}}).to_string());
        let args = args.iter().copied().chain(["--model", "local/m", "-p", "Go"]);
        assert_eq!(place.tau(args).run(), Done::ok("Done.\n"));
        let requests = server.requests();
        requests.iter().map(|request| place.normal(&request.body.to_string())).collect::<Vec<_>>()
    };
    let plain = bodies(&[]);
    assert_eq!(plain, bodies(&["-ne"]));
    assert!(!plain[0].contains("\"codemode\"") && !plain[0].contains("\"tool_search\""), "{}", plain[0]);
    assert!(bodies(&["--tools", "+codemode,+tool_search"])[0].contains("\"tool_search\""));
}

#[test]
fn flags_and_both_files_switch_them() {
    let place = Place::new();
    // One that is off has no tool of that name.
    let is_on = |args: &[&str]| {
        let args = ["--approve", "--tools", "+codemode"].iter().chain(args).copied().chain(["-p", "x"]);
        let done = place.play("replies: [fine]", args).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{done:?}");
        match done.stderr.as_str() {
            "" => true,
            told => {
                assert!(told.contains("\"+codemode\" matches no tool"), "{told}");
                false
            }
        }
    };
    let settings = |user: &[&str], project: &[&str]| {
        place.write("agent/settings.json", json!({"extensions": user}).to_string());
        place.write("work/.pi/settings.json", json!({"extensions": project}).to_string());
    };
    let (off, on) = ("-builtin:codemode", "builtin:codemode");
    assert!(is_on(&[]) && !is_on(&["-ne"]) && is_on(&["-ne", "-e", on]));
    settings(&[off], &[]);
    assert!(!is_on(&[]) && is_on(&["-e", on]));
    settings(&[off], &[on]);
    assert!(is_on(&[]));
    settings(&[on, off, "+builtin:codemode"], &[off]);
    assert!(!is_on(&[]));
    settings(&[off, on], &[]);
    assert!(is_on(&[]));
    settings(&["-builtin:tool-search"], &["!builtin:codemode"]);
    assert!(!is_on(&[]));
}

#[test]
fn config_lists_and_switches_them() {
    let place = Place::new();
    let config = |args: &[&str]| place.tau(["config"].iter().chain(args)).run();
    let listed = |codemode: char| {
        format!(
            "Built-in\n  [{codemode}] builtin:codemode  (the tool codemode: scripts that call other tools)\n  [x] \
             builtin:tool-search  (the tool tool_search: finds tools that are not declared)\n  [x] builtin:mcp  (MCP servers: \
             their tools, and the command /mcp)\nbuiltin:orchestrator\n  [ ] "
        )
    };
    let shows = |codemode: char| {
        let shown = config(&[]);
        assert!(shown.code == Some(0) && shown.stdout.starts_with(&listed(codemode)), "{shown:?}");
    };
    shows('x');
    assert_eq!(config(&["disable", "builtin:codemode"]), Done::ok("Disabled builtin:codemode\n"));
    shows(' ');
    assert_eq!(config(&["enable", "builtin:codemode"]), Done::ok("Enabled builtin:codemode\n"));
    shows('x');
    let file: Value = serde_json::from_str(&place.read("agent/settings.json")).expect("JSON");
    assert_eq!(file["extensions"], json!(["+builtin:codemode"]));
    assert_eq!(config(&["disable", "builtin:codmode"]).code, Some(1));
}

#[test]
fn an_extension_sees_where_they_come_from_and_may_take_their_place() {
    let place = Place::new();
    let looks = "export default (pi) => { pi.on('session_start', () => { const tool = pi.getAllTools().find((t) => \
                 t.name === 'codemode'); console.error(JSON.stringify([tool.sourceInfo.source, tool.sourceInfo.path, \
                 tool.exposure])); }); };\n";
    let file = place.write("work/looks.ts", looks).display().to_string();
    let done = place.play("replies: [fine]", ["-e", &file, "-p", "x"]).run();
    assert_eq!(done.stdout, "fine\n");
    assert!(done.stderr.contains(r#"["builtin","builtin:codemode","model-only"]"#), "{}", done.stderr);
    let replaces = "export default (pi) => { pi.registerTool({ name: 'codemode', label: 'x', description: 'Mine.', \
                    parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [{ type: 'text', \
                    text: 'mine' }] }) }); };\n";
    let file = place.write("work/replaces.ts", replaces).display().to_string();
    let script = "replies: [[{tool_call: {name: codemode, arguments: {}}}], [{expect: {tool_result: {name: codemode, \
                  is_error: false}}}, {text: fine}]]";
    let done = place.play(script, ["-e", &file, "-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{}", done.stderr);
    let expected = format!("the tool codemode of {file} takes the place of builtin:codemode, which is left out");
    assert!(done.stderr.contains(&expected), "{}", done.stderr);
}
