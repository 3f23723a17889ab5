//! Model servers on this machine, which nobody configured.

use serde_json::json;
use tau_testkit::loopback::{LoopbackServer, Reply};

use crate::support::Place;

#[test]
fn a_server_that_does_not_answer_is_named() {
    let place = Place::new();
    let run = |args: &[&str]| place.tau(args).env("TAU_LOCAL_SERVERS", "ollama=127.0.0.1:1").run();
    let why = "no Ollama answers at http://127.0.0.1:1; start it with `ollama serve`, or say where it is with OLLAMA_HOST or \
               TAU_LOCAL_SERVERS=ollama=ADDRESS";
    let warning = format!("Warning: TAU_LOCAL_SERVERS: {why}\n");
    let asked = run(&["--model", "ollama/qwen3", "-p", "Hi"]);
    let error = format!("{warning}Error: Model \"ollama/qwen3\" cannot be used: {why}\n");
    assert_eq!((asked.code, &*asked.stderr), (Some(1), &*error));
    let asked = run(&["--provider", "ollama", "-p", "Hi"]);
    assert!(
        asked.code == Some(1) && asked.stderr.ends_with(&format!("\"ollama\" cannot be used: {why}\n")),
        "{asked:?}"
    );
    place.write("agent/settings.json", r#"{"defaultProvider": "ollama", "defaultModel": "qwen3"}"#);
    let default = run(&["-p", "Hi"]);
    assert!(default.code == Some(1) && default.stderr.contains("the default model ollama/qwen3"), "{default:?}");
    assert!(default.stderr.contains(&format!("cannot be used: {why}.")), "{default:?}");
    let listed = run(&["models"]);
    assert!(listed.stderr.contains(&warning), "{listed:?}");
    let misspelt = run(&["--provider", "olama", "--model", "qwen3", "-p", "Hi"]);
    assert!(misspelt.stderr.contains("Did you mean ollama?"), "{misspelt:?}");
}

#[test]
fn a_server_on_this_machine_needs_no_key() {
    let list = json!({"object": "list", "data": [{"id": "org/m", "max_model_len": 40_960}]}).to_string();
    let models = std::iter::repeat_with(|| Reply::verbatim("application/json", list.clone()));
    let server = LoopbackServer::start(models.take(5));
    let place = Place::new();
    let places = format!("vllm={}", server.url());
    let run = |args: &[&str]| place.tau(args).env("TAU_LOCAL_SERVERS", &places).run();
    let note = "vllm is a server on this machine and needs no key";
    let checked = run(&["auth", "check", "--provider", "vllm"]);
    assert_eq!((checked.code, &*checked.stdout, &*checked.stderr), (Some(0), "ready\n", &*format!("{note}\n")));
    let checked = run(&["auth", "check", "--model", "vllm/org/m", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&checked.stdout).expect("JSON");
    assert_eq!(said, json!({"status": "ready", "provider": "vllm", "authType": "none"}));
    assert_eq!(run(&["auth", "status"]).stdout, "vllm  no key needed\n");
    let printed = run(&["auth", "print-api-key", "--provider", "vllm"]);
    assert_eq!((printed.code, printed.stderr), (Some(1), format!("Error: {note}\n")));
    let doctor = run(&["doctor"]);
    assert!(doctor.stdout.contains("vllm on this machine: no key is needed"), "{}", doctor.stdout);
    let login = run(&["auth", "login", "vllm"]);
    assert_eq!((login.code, login.stderr), (Some(1), format!("Error: {note}, so there is nothing to log in to\n")));
    drop(server);
    let gone = run(&["auth", "check", "--provider", "vllm", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&gone.stdout).expect("JSON");
    assert_eq!((gone.code, &said["reason"]), (Some(1), &json!("model_not_found")));
    assert!(gone.stderr.contains("no vLLM answers at "), "{}", gone.stderr);
}

/// A name that means nothing else is looked for on this machine, also where another provider has a key.
#[test]
fn a_model_of_this_machine_is_found_by_its_id() {
    let list = json!({"object": "list", "data": [{"id": "qwen3:latest", "max_model_len": 40_960}]}).to_string();
    let models = || Reply::verbatim("application/json", list.clone());
    let server = LoopbackServer::start([models(), Reply::text("One."), models(), Reply::text("Two.")]);
    let place = Place::new();
    for (pattern, answer) in [("qwen3:latest", "One.\n"), ("qwen3", "Two.\n")] {
        let places = format!("vllm={}", server.url());
        let run = place.tau(["--model", pattern, "-p", "Hi"]).env("TAU_LOCAL_SERVERS", &places);
        let done = run.env("ANTHROPIC_API_KEY", "k").run();
        assert_eq!((done.code, &*done.stdout), (Some(0), answer), "{done:?}");
    }
}

#[test]
fn a_server_is_found_when_models_are_listed_and_when_it_is_named() {
    let list = json!({"object": "list", "data": [{"id": "org/m", "max_model_len": 40_960}]}).to_string();
    let models = || Reply::verbatim("application/json", list.clone());
    let server = LoopbackServer::start([models(), models(), Reply::text("Hello from here."), models()]);
    let places = format!("vllm={}", server.url());
    let place = Place::new();

    let listed = place.tau(["--list-models", "vllm"]).env("TAU_LOCAL_SERVERS", &places).run();
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(listed.stdout.contains("org/m") && listed.stdout.contains("40K"), "{}", listed.stdout);

    let named = place.tau(["--model", "vllm/org/m", "-p", "Hi"]).env("TAU_LOCAL_SERVERS", &places).run();
    assert_eq!((named.code, named.stdout.as_str()), (Some(0), "Hello from here.\n"), "{}", named.stderr);

    let without = place.tau(["models"]).env("TAU_LOCAL_SERVERS", &places).run();
    assert!(without.stdout.contains("org/m"), "{}{}", without.stdout, without.stderr);
    let paths: Vec<String> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/v1/models", "/v1/models", "/v1/chat/completions", "/v1/models"]);

    let nowhere = place.tau(["models"]).env("TAU_LOCAL_SERVERS", "").run();
    assert!(nowhere.stdout.starts_with("No models available."), "{nowhere:?}");
    let wrong = place.tau(["models"]).env("TAU_LOCAL_SERVERS", "nonsense").run();
    assert!(wrong.stderr.contains("TAU_LOCAL_SERVERS: cannot read \"nonsense\""), "{}", wrong.stderr);
}
