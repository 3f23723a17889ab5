//! Servers on this machine, found by what they answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::{LocalServer, LocalServers, ModelRegistry, ProviderConfig};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use crate::registry::support::registry;

/// Answers with the JSON of a path, or as `otherwise` says; its address.
async fn serve(answers: BTreeMap<&'static str, String>, otherwise: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let answers = Arc::new(answers);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let answers = Arc::clone(&answers);
            tokio::spawn(async move {
                let mut socket = BufReader::new(socket);
                let (mut path, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    if socket.read_line(&mut line).await.unwrap_or(0) == 0 || line == "\r\n" {
                        break;
                    }
                    if path.is_empty() {
                        path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                    }
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap_or(0);
                    }
                }
                let mut body = vec![0; length];
                socket.read_exact(&mut body).await.expect("the body");
                let key = format!("{path} {}", String::from_utf8_lossy(&body));
                let found = answers.get(key.trim());
                let status = if found.is_some() { "200 OK" } else { "404 Not Found" };
                let text = found.map_or(otherwise, String::as_str);
                let reply =
                    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}", text.len());
                // A client that has seen enough is gone by now.
                drop(socket.write_all(reply.as_bytes()).await);
            });
        }
    });
    address
}

fn answers(list: &[(&'static str, Value)]) -> BTreeMap<&'static str, String> {
    list.iter().map(|(path, answer)| (*path, answer.to_string())).collect()
}

async fn find(places: String) -> Vec<LocalServer> {
    let env = |name: &str| (name == "TAU_LOCAL_SERVERS").then(|| places.clone());
    LocalServers::of(env).expect("places").find().await
}

/// Provider, id, window, most tokens of an answer, whether it thinks and sees.
fn lines(registry: &ModelRegistry) -> Vec<String> {
    let models = registry.available();
    let line = |model: &Arc<tau_ai::Model>| {
        format!(
            "{}/{} {} {} {} {}",
            model.provider,
            model.id,
            model.context_window,
            model.max_tokens,
            model.reasoning,
            model.accepts_images()
        )
    };
    models.iter().map(line).collect()
}

#[tokio::test]
async fn each_kind_is_known_by_its_answers() {
    let ollama = serve(
        answers(&[
            ("/api/tags", json!({"models": [{"model": "big:1"}, {"model": "embed"}, {"name": "loaded"}, {"model": "set"}]})),
            ("/api/ps", json!({"models": [{"model": "loaded", "context_length": 4096}]})),
            (
                "/api/show {\"model\":\"big:1\"}",
                json!({"capabilities": ["completion", "tools", "thinking", "vision"], "model_info": {"qwen.context_length": 262_144}}),
            ),
            ("/api/show {\"model\":\"embed\"}", json!({"capabilities": ["embedding"]})),
            ("/api/show {\"model\":\"loaded\"}", json!({"model_info": {"llama.context_length": 131_072}})),
            (
                "/api/show {\"model\":\"set\"}",
                json!({"parameters": "stop \"x\"\nnum_ctx                        16384", "model_info": {"a.context_length": 1}}),
            ),
        ]),
        "",
    )
    .await;
    let studio = serve(
        answers(&[(
            "/api/v0/models",
            json!({"data": [
                {"id": "eyes", "type": "vlm", "max_context_length": 32_768, "loaded_context_length": 8000},
                {"id": "e", "type": "embeddings"}, {"id": "plain", "type": "llm", "max_context_length": 4000}]}),
        )]),
        "",
    )
    .await;
    let llama = serve(
        answers(&[
            ("/props", json!({"default_generation_settings": {"n_ctx": 2048}, "modalities": {"vision": true}})),
            ("/v1/models", json!({"data": [{"id": "tiny.gguf"}]})),
        ]),
        "",
    )
    .await;
    let vllm = serve(
        answers(&[("/v1/models", json!({"data": [{"id": "org/m", "max_model_len": 40_960}, {"id": "no window"}]}))]),
        "",
    )
    .await;
    let places = format!("ollama={ollama},lmstudio=http://{studio}, llama.cpp={llama}/v1,vllm={vllm}/");
    let registry = registry(&[]);
    for server in find(places).await {
        assert_eq!(registry.add_local_server(&server), Ok(true));
        assert_eq!(registry.add_local_server(&server), Ok(false), "it is there already");
    }
    assert_eq!(
        lines(&registry),
        [
            "ollama/big:1 262144 16384 true true",
            "ollama/loaded 4096 1024 false false",
            "ollama/set 16384 4096 false false",
            "lmstudio/eyes 8000 2000 false true",
            "lmstudio/plain 4000 1000 false false",
            "llama.cpp/tiny.gguf 2048 512 false true",
            "vllm/org/m 40960 10240 false false",
        ]
    );
    let model = registry.find("llama.cpp", "tiny.gguf").expect("the model");
    assert_eq!(model.base_url, format!("http://{llama}/v1"));
    assert!(registry.auth(&model).expect("a credential").api_key.is_some());
}

/// Ids are shown in terminals, which obey control characters.
#[tokio::test]
async fn ids_with_control_characters_are_left_out() {
    let odd = ["\u{1b}]0;title\u{7}", "two\nlines", "a\u{9b}b", "nul\0"];
    let named = |field: &str| {
        let mut models: Vec<Value> =
            odd.iter().map(|id| json!({field: id, "type": "llm", "max_model_len": 5})).collect();
        models.push(json!({field: "plain", "type": "llm", "max_model_len": 5}));
        models
    };
    let ollama = serve(answers(&[("/api/tags", json!({"models": named("model")}))]), "").await;
    let studio = serve(answers(&[("/api/v0/models", json!({"data": named("id")}))]), "").await;
    let llama = serve(
        answers(&[
            ("/props", json!({"default_generation_settings": {"n_ctx": 2048}})),
            ("/v1/models", json!({"data": named("id")})),
        ]),
        "",
    )
    .await;
    let vllm = serve(answers(&[("/v1/models", json!({"data": named("id")}))]), "").await;
    let registry = registry(&[]);
    for server in find(format!("ollama={ollama},lmstudio={studio},llama.cpp={llama},vllm={vllm}")).await {
        assert_eq!(registry.add_local_server(&server), Ok(true));
    }
    let ids: Vec<String> =
        registry.available().iter().map(|model| format!("{}/{}", model.provider, model.id)).collect();
    assert_eq!(ids, ["ollama/plain", "lmstudio/plain", "llama.cpp/plain", "vllm/plain"]);
}

#[tokio::test]
async fn other_programs_at_these_ports_are_no_servers() {
    let page = serve(BTreeMap::new(), "<html>hello</html>").await;
    let odd = serve(
        answers(&[
            ("/api/tags", json!({"models": "none"})),
            ("/props", json!([1, 2])),
            ("/v1/models", json!({"data": [{"id": 7, "max_model_len": -1}, {"id": "", "max_model_len": 5}]})),
            ("/api/v0/models", json!({"data": [{"type": "llm"}, "x"]})),
        ]),
        "",
    )
    .await;
    // It takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let places: Vec<String> =
        [page, odd, silent.local_addr().expect("an address").to_string(), "127.0.0.1:9".to_owned()]
            .iter()
            .flat_map(|address| tau_ai::LOCAL_SERVERS.map(|name| format!("{name}={address}")))
            .collect();
    assert_eq!(find(places.join(",")).await.len(), 0);
}

#[tokio::test]
async fn what_the_user_says_of_a_server_stays() {
    let llama = serve(
        answers(&[
            ("/props", json!({"default_generation_settings": {"n_ctx": 2048}})),
            ("/v1/models", json!({"data": [{"id": "found"}]})),
        ]),
        "",
    )
    .await;
    let servers = find(format!("llama.cpp={llama}")).await;
    let mine = |name: &str, url: String| -> ModelRegistry {
        let registry = registry(&[]);
        let config: ProviderConfig = serde_json::from_value(json!({
            "baseUrl": url, "api": "openai-completions", "apiKey": "k", "models": [{"id": "mine"}],
        }))
        .expect("a provider");
        registry.register_provider(name, config).expect("a provider");
        registry
    };
    for registry in [mine("here", format!("http://{llama}/v1/")), mine("llama.cpp", "http://127.0.0.1:1".to_owned())] {
        assert_eq!(registry.add_local_server(&servers[0]), Ok(false));
        assert_eq!(registry.available().len(), 1);
    }
}

/// A user who asks for a model of a server that is not there reads where tau looked, and what to do.
#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let other = serve(BTreeMap::new(), "{}").await;
    let empty = serve(answers(&[("/api/tags", json!({"models": []}))]), "").await;
    let taken = serve(answers(&[("/v1/models", json!({"data": [{"id": "m", "max_model_len": 9000}]}))]), "").await;
    let said = async |places: String, pattern: &str| {
        let registry = registry(&[]);
        let port = taken.rsplit(':').next().expect("a port");
        let mine = json!({"providers": {"mine": {"baseUrl": format!("http://localhost:{port}/v1"), "apiKey": "k",
            "api": "openai-completions", "models": [{"id": "m"}]}}});
        registry.load_models_json(&mine.to_string()).expect("valid");
        let env = |name: &str| (name == "TAU_LOCAL_SERVERS").then(|| places.clone());
        let places = LocalServers::of(env).expect("places").look().await;
        let problems = places.problems();
        assert_eq!(registry.add_local_places(&places), []);
        (registry.resolve_pattern(None, pattern).expect_err("nothing to ask").to_string(), problems)
    };
    for (places, pattern, expected) in [
        (
            "ollama=127.0.0.1:1".to_owned(),
            "ollama/qwen3",
            "no Ollama answers at http://127.0.0.1:1; start it with `ollama serve`, or say where it is with OLLAMA_HOST or \
             TAU_LOCAL_SERVERS=ollama=ADDRESS"
                .to_owned(),
        ),
        (
            format!("llama.cpp={other}"),
            "llama.cpp",
            format!("what answers at http://{other} is not llama.cpp; say where it is with TAU_LOCAL_SERVERS=llama.cpp=ADDRESS"),
        ),
        (
            format!("ollama={empty}"),
            "Ollama/x:high",
            format!("Ollama at http://{empty} has no model that can chat and call tools; get one with `ollama pull qwen3`"),
        ),
        (
            "lmstudio=box.example:99".to_owned(),
            "lmstudio/x",
            "http://box.example:99 is another machine, where tau looks for no LM Studio; define a provider with this \"baseUrl\" \
             in models.json"
                .to_owned(),
        ),
    ] {
        let (said, problems) = said(places, pattern).await;
        assert_eq!(said, format!("Model \"{pattern}\" cannot be used: {expected}"));
        assert_eq!(problems, [format!("TAU_LOCAL_SERVERS: {expected}")]);
    }
    let (left_out, problems) = said("ollama=127.0.0.1:1".to_owned(), "vllm/x").await;
    let why = "tau does not look for vLLM, because TAU_LOCAL_SERVERS leaves it out; add vllm=127.0.0.1:8000 to it";
    assert_eq!((left_out, problems.len()), (format!("Model \"vllm/x\" cannot be used: {why}"), 1));
    // The user's own provider has the same address, which has two names.
    let (said, problems) = said(format!("vllm={taken}"), "vllm/m").await;
    let why = format!("vLLM at http://{taken} is the provider mine here; ask for mine/ID");
    assert_eq!((said, problems.len()), (format!("Model \"vllm/m\" cannot be used: {why}"), 0));
}

#[test]
fn places_come_from_the_environment() {
    let of = |name: &'static str, value: &'static str| {
        LocalServers::of(move |asked| (asked == name).then(|| value.to_owned()))
    };
    let count = |name, value| format!("{:?}", of(name, value).expect("places")).matches("provider:").count();
    assert_eq!(count("OTHER", ""), 4);
    assert_eq!(count("TAU_LOCAL_SERVERS", ""), 0);
    assert_eq!(count("TAU_LOCAL_SERVERS", "vllm=localhost"), 1);
    assert_eq!(count("OLLAMA_HOST", "box.example"), 4);
    assert_eq!(count("OLLAMA_HOST", "0.0.0.0"), 4);
    let error = of("TAU_LOCAL_SERVERS", "vllm=localhost,what").expect_err("no address");
    assert_eq!(
        error.to_string(),
        "TAU_LOCAL_SERVERS: cannot read \"what\"; write NAME=ADDRESS, with one of the names ollama, lmstudio, llama.cpp, vllm"
    );
}
