//! Model servers on this machine, which nobody configured.

use serde_json::json;
use tau_testkit::loopback::{LoopbackServer, Reply};

use crate::support::Place;

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

    let wrong = place.tau(["models"]).env("TAU_LOCAL_SERVERS", "nonsense").run();
    assert!(wrong.stderr.contains("TAU_LOCAL_SERVERS: cannot read \"nonsense\""), "{}", wrong.stderr);
}
