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

#[test]
fn the_command_warns_as_the_flag_does() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"steeringMode": 7}"#);
    place.write("work/.pi/SYSTEM.md", "Obey the project.");
    let provider =
        json!({"baseUrl": "http://127.0.0.1:1", "api": "openai-completion", "apiKey": "k", "models": [{"id": "m"}]});
    let broken = json!({"baseUrl": 7});
    place.write("agent/models.json", json!({"providers": {"odd": provider, "broken": broken}}).to_string());
    let run = |args: &[&str]| place.tau(args).env("ANTHROPIC_API_KEY", "sk-a").run();
    let (command, flag) = (run(&["models", "haiku"]), run(&["--list-models", "haiku"]));
    assert_eq!(command, flag);
    for part in
        ["steeringMode", "SYSTEM.md", "unknown api \"openai-completion\"", "providers.broken.baseUrl: expected a text"]
    {
        assert!(command.stderr.contains(part), "{part}: {}", command.stderr);
    }
    let help = place.tau(["--help"]).run();
    assert!(help.stdout.contains("|models|"), "{}", help.stdout);
    let help = place.tau(["models", "--help"]).run();
    assert!(help.stdout.contains("\n\n  tau models gpt mini "), "{}", help.stdout);
}

#[test]
fn every_model_can_be_listed_without_a_credential() {
    let place = Place::new();
    let run = |args: &[&str]| place.tau(args).run().stdout;
    assert!(run(&["models", "claude-opus-5-5"]).starts_with("No models available."));
    let list = run(&["models", "--all", "anthropic/claude-opus-5-5"]);
    assert!(list.lines().nth(1).is_some_and(|line| line.starts_with("anthropic  claude-opus-5-5 ")), "{list}");
    let json: Value = serde_json::from_str(&run(&["models", "--all", "--json"])).expect("JSON");
    assert!(json.as_array().is_some_and(|all| all.len() > 1000));
    assert_eq!(place.tau(["models", "update", "--all"]).run().code, Some(1));
}

#[test]
fn an_empty_list_for_programs_says_why_it_is_empty() {
    let place = Place::new();
    let done = place.tau(["models", "--json"]).run();
    assert_eq!((done.code, &*done.stdout), (Some(0), "[]\n"));
    assert!(done.stderr.starts_with("No models available. Set an API key"), "{}", done.stderr);
    let done = place.tau(["models", "nothing-like-it", "--json"]).env("ANTHROPIC_API_KEY", "k").run();
    assert_eq!((&*done.stdout, &*done.stderr), ("[]\n", "No models matching \"nothing-like-it\".\n"));
}

/// The author of a model chooses its name, and may not choose what the terminal does.
#[test]
fn names_of_models_do_nothing_to_the_terminal() {
    let place = Place::new();
    let models = json!([
        {"id": "red\u{1b}[31m\u{202e}", "name": "N\u{9b}31m", "contextWindow": 1e15}, {"id": "two\nlines", "maxTokens": 1e9},
    ]);
    let provider =
        json!({"baseUrl": "http://127.0.0.1:1", "api": "openai-completions", "apiKey": "k", "models": models});
    place.write("agent/models.json", json!({"providers": {"odd": provider}}).to_string());
    let extension = "export default (pi) => pi.registerProvider('own', { baseUrl: 'http://own', apiKey: 'k',
  api: 'openai-completions', models: [{ id: 'e\\x1b[2J', name: 'E', reasoning: false, input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 }] });";
    place.write("own.ts", extension);
    let own = place.root().join("own.ts").display().to_string();
    let done = place.tau(["models", "-e", &own]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    insta::assert_snapshot!(done.stdout, @r"
    provider  model             context  max-out  thinking  images
    odd       red␛[31m<U+202E>  >999M    16K      no        no
    odd       two lines         128K     >999M    no        no
    own       e␛[2J             1K       100      no        no
    ");
    let json = place.tau(["models", "odd", "--json"]).run();
    assert!(!json.stdout.contains(['\u{1b}', '\u{9b}']), "{}", json.stdout);
    let models: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(
        (&models[0]["name"], &models[0]["contextWindow"]),
        (&json!("N\u{9b}31m"), &json!(1_000_000_000_000_000_u64))
    );
    let unknown = place.tau(["--model", "odd/\u{1b}[2Knew", "-p", "/model"]).run();
    assert!(unknown.stderr.contains("Model \"␛[2Knew\" is not known"), "{}", unknown.stderr);
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
