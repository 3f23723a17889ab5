//! `tau models`: the list, and newer lists.

use serde_json::{Value, json};
use tau_testkit::loopback::{LoopbackServer, Reply};

use crate::support::{Done, Place};

#[test]
fn models_that_can_be_asked_are_listed() {
    let place = Place::new();
    let done = place.tau(["models", "haiku", "5.5"]).env("ANTHROPIC_API_KEY", "sk-a").env("GEMINI_API_KEY", "g").run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let rows: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(rows.len(), 2, "{}", done.stdout);
    assert!(rows[0].starts_with("provider") && rows[1].starts_with("anthropic  claude-haiku-5-5"), "{}", done.stdout);
    let listed = place.tau(["--list-models", "haiku 5.5"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    assert_eq!(listed.stdout, done.stdout);

    let done = place.tau(["models", "haiku-5-5", "--json"]).env("ANTHROPIC_API_KEY", "sk-a").run();
    let models: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(models.as_array().map(Vec::len), Some(1));
    assert_eq!((&models[0]["provider"], &models[0]["contextWindow"]), (&json!("anthropic"), &json!(1_000_000)));

    let done = place.tau(["models", "--force"]).run();
    assert!(done.code == Some(1) && done.stderr.contains("--force is for `update`"), "{}", done.stderr);
}

/// A public list in which Groq has one model more, and every provider only what is named here.
fn list(provider: &str, models: Value) -> String {
    json!({provider: {"models": models}}).to_string()
}

fn entry(id: &str) -> Value {
    json!({"id": id, "name": "New", "reasoning": true, "tool_call": true,
        "modalities": {"input": ["text"], "output": ["text"]}, "cost": {"input": 1, "output": 2},
        "limit": {"context": 123_000, "output": 4_000}})
}

#[test]
fn a_newer_list_is_kept_and_used_from_then_on() {
    let place = Place::new();
    place.write("work/list.json", list("groq", json!({"brand-new": entry("brand-new")})));
    let refused = place.tau(["models", "update", "list.json"]).run();
    assert!(refused.code == Some(1) && refused.stderr.contains("has 1 of the 41 providers"), "{}", refused.stderr);
    assert!(!place.root().join("agent/tau/catalogue.json").exists());

    let done = place.tau(["models", "update", "list.json", "--force"]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.starts_with("groq:\n  new: brand-new\nWritten to "), "{}", done.stdout);
    let listed = place.tau(["models", "brand-new"]).env("GROQ_API_KEY", "k").run();
    assert!(listed.stdout.contains("groq      brand-new  123K"), "{}", listed.stdout);
    let again = place.tau(["models", "update", "list.json", "--force"]).run();
    assert_eq!(again, Done::ok("Nothing has changed.\n"));

    place.write("agent/tau/catalogue.json", "{broken");
    let done = place.tau(["models", "brand-new"]).env("GROQ_API_KEY", "k").run();
    assert!(done.stderr.contains("tau/catalogue.json, line 1"), "{}", done.stderr);
    let done = place.tau(["models", "update", "list.json", "--force"]).run();
    assert!(done.code == Some(1) && done.stderr.contains("Remove the file to begin anew"), "{}", done.stderr);
}

#[test]
fn a_list_comes_from_an_address_only_when_it_is_asked_for() {
    let place = Place::new();
    let server = LoopbackServer::start([]);
    let url = format!("{}/api.json", server.url());
    let offline = place.tau(["models", "update", &url, "--offline"]).run();
    assert!(offline.code == Some(1) && offline.stderr.contains("tau is offline"), "{}", offline.stderr);
    assert_eq!(server.requests().len(), 0);
    // The server has an endpoint of this name only.
    let url = format!("{}/chat/completions", server.url());
    server.push(Reply::http_error(302, "").header("location", "/next/chat/completions"));
    server.push(Reply::http_error(200, list("groq", json!({"brand-new": entry("brand-new")}))));
    let done = place.tau(["models", "update", &url, "--force"]).run();
    assert!(done.stdout.starts_with("groq:\n  new: brand-new\n"), "{}", done.stderr);
    let paths: Vec<String> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/chat/completions", "/next/chat/completions"]);
    server.push(Reply::http_error(404, "no"));
    let done = place.tau(["models", "update", &url]).run();
    assert!(done.code == Some(1) && done.stderr.contains("answered with status 404"), "{}", done.stderr);
    let done = place.tau(["models", "update", "ftp://example.org/x"]).run();
    assert!(done.stderr.contains("is not an http or https address"), "{}", done.stderr);
}
