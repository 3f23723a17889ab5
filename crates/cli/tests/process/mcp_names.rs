//! Names of servers and of their tools: those that clash, those that change nothing, and those in `--tools`.

use serde_json::{Value, json};

use crate::support::{Done, Place};
use crate::terminal::HALL;

fn with_server(more: &Value) -> Place {
    let place = Place::new();
    let mut servers = json!({"hall": {"command": place.program("server", HALL), "exposure": "direct"}});
    for (name, entry) in more.as_object().expect("servers") {
        servers[name] = entry.clone();
    }
    place.write("agent/mcp.json", json!({ "mcpServers": servers }).to_string());
    place
}

#[test]
fn a_list_names_prompts() {
    let listed = with_server(&json!({})).tau(["mcp", "list"]).run();
    assert!(listed.stdout.ends_with("  tools: greet\n  prompts: /hall:welcome\n"), "{listed:?}");
}

#[test]
fn a_server_whose_tools_would_be_called_like_those_of_another_is_not_added() {
    let place = with_server(&json!({"de-mo": {"command": "x"}}));
    let before = place.read("agent/mcp.json");
    let added = place.tau(["mcp", "add", "de_mo", "--", "serve"]).run();
    assert_eq!(added.code, Some(1), "{added:?}");
    assert!(added.stderr.starts_with("Error: there is a server \"de-mo\" in "), "{added:?}");
    assert_eq!(place.read("agent/mcp.json"), before);
    assert_eq!(place.tau(["mcp", "add", "de-mo", "--", "serve"]).run().code, Some(0));
}

#[test]
fn a_project_that_changes_a_server_that_is_not_there_is_told_so() {
    let place = with_server(&json!({}));
    place.write("work/.pi/mcp.json", json!({"mcpServers": {"hal": {"enabled": false}}}).to_string());
    let listed = place.tau(["mcp", "list", "--approve"]).run();
    let problem =
        "server \"hal\": your own mcp.json has no such server whose entry this could change; give it command or url";
    assert!(listed.code == Some(1) && listed.stdout.contains(problem), "{listed:?}");
}

/// Tools of servers come late, so a name is judged when they are there.
#[test]
fn tools_of_servers_in_flags_are_known_and_misspelt_ones_named() {
    let gone = json!({"gone": {"command": "sh", "args": ["-c", "exit 1"]}});
    let stderr = |place: &Place, flags: &[&str]| {
        let done = place.play("replies: [fine]", flags.iter().copied().chain(["-p", "x"])).run();
        assert_eq!(done.code, Some(0), "{done:?}");
        done.stderr
    };
    let place = with_server(&json!({}));
    for fine in
        [["--tools", "read,mcp__hall__greet"], ["-xt", "mcp__hall__greet"], ["-xt", "*gree*"], ["--tools", "mcp__*"]]
    {
        assert_eq!(stderr(&place, &fine), "", "{fine:?}");
    }
    let said = stderr(&place, &["-xt", "mcp__hall__gret"]);
    assert!(said.contains("\"mcp__hall__gret\" matches no tool; did you mean mcp__hall__greet?"), "{said}");
    assert!(stderr(&place, &["-xt", "*nothing*"]).contains("\"*nothing*\" matches no tool"));
    // Nobody knows what a server has that is not there, and other names are judged at once.
    let place = with_server(&gone);
    let said = stderr(&place, &["-xt", "mcp__gone__x,mcp__hall__y,nothing"]);
    assert!(!said.contains("\"mcp__gone__x\"") && said.contains("\"mcp__hall__y\" matches"), "{said}");
    assert!(said.contains("\"nothing\" matches no tool"), "{said}");
    // Without servers there is nothing to wait for.
    let said = stderr(&Place::new(), &["-xt", "mcp__hall__greet"]);
    assert!(said.contains("\"mcp__hall__greet\" matches no tool"), "{said}");
}

#[test]
fn an_extension_of_the_program_is_switched_by_its_short_name() {
    let place = Place::new();
    let done = place.tau(["config", "disable", "codemode"]).run();
    assert_eq!(done, Done::ok("Disabled builtin:codemode\n"));
    let settings: Value = serde_json::from_str(&place.read("agent/settings.json")).expect("JSON");
    assert_eq!(settings["extensions"], json!(["-builtin:codemode"]));
    assert_eq!(place.tau(["config", "disable", "codemod"]).run().code, Some(1));
}
