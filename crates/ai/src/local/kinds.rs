//! The servers that are known, and how each lists its models.

use std::net::IpAddr;

use futures_util::future::{BoxFuture, FutureExt, join_all};
use reqwest::Url;
use serde_json::{Value, json};

use super::ask::Asker;
use crate::{CostConfig, InputKind, JsonMap, LOCAL_SERVERS, ModelConfig};

/// Most models of one server that are looked at.
const MAX_MODELS: usize = 200;
/// Of an unknown context window, in tokens: what servers of this kind begin with.
const USUAL_WINDOW: u64 = 8192;
/// Most tokens of an answer, whatever the window.
const MAX_ANSWER: u64 = 16_384;

/// A kind of server.
#[derive(Debug)]
pub(super) struct Kind {
    /// The name of its provider.
    pub provider: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// How it is started.
    pub start: &'static str,
    /// How it gets a model.
    pub fill: &'static str,
    /// Where it usually listens.
    pub port: u16,
    /// The variable with another address.
    pub variable: Option<&'static str>,
    /// Its models; `None` when something else answers.
    pub models: for<'a> fn(&'a Asker<'a>) -> BoxFuture<'a, Option<Vec<ModelConfig>>>,
}

/// All kinds, the one to prefer first.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        provider: LOCAL_SERVERS[0],
        name: "Ollama",
        start: "start it with `ollama serve`",
        fill: "get one with `ollama pull qwen3`",
        port: 11_434,
        variable: Some("OLLAMA_HOST"),
        models: |asker| ollama(asker).boxed(),
    },
    Kind {
        provider: LOCAL_SERVERS[1],
        name: "LM Studio",
        start: "start its server with `lms server start`",
        fill: "get one with `lms get`",
        port: 1234,
        variable: None,
        models: |asker| lm_studio(asker).boxed(),
    },
    Kind {
        provider: LOCAL_SERVERS[2],
        name: "llama.cpp",
        start: "start it with `llama-server -m FILE`",
        fill: "start it with one, `llama-server -m FILE`",
        port: 8080,
        variable: None,
        models: |asker| llama_cpp(asker).boxed(),
    },
    Kind {
        provider: LOCAL_SERVERS[3],
        name: "vLLM",
        start: "start it with `vllm serve MODEL`",
        fill: "start it with one, `vllm serve MODEL`",
        port: 8000,
        variable: None,
        models: |asker| vllm(asker).boxed(),
    },
];

/// An address as people write it: with or without scheme and port. A server that listens everywhere is asked here.
pub(super) fn address(text: &str, port: u16) -> Option<Url> {
    // A port alone is one of this machine.
    let text = match text.strip_prefix(':').unwrap_or(text).parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => text.to_owned(),
    };
    let text = if text.contains("://") { text } else { format!("http://{text}") };
    let mut url = Url::parse(&text).ok()?;
    let is_any = match url.host()? {
        url::Host::Ipv4(address) => address.is_unspecified(),
        url::Host::Ipv6(address) => address.is_unspecified(),
        url::Host::Domain(_) => false,
    };
    if is_any {
        url.set_ip_host(IpAddr::from([127, 0, 0, 1])).ok()?;
    }
    if url.port().is_none() && !text.trim_end_matches('/').ends_with(":80") {
        url.set_port(Some(port)).ok()?;
    }
    Some(url)
}

/// Whether an address is one of this machine.
pub(super) fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// What is known of a model.
struct Found<'v> {
    id: &'v str,
    window: Option<u64>,
    sees: bool,
    thinks: bool,
}

fn model(found: &Found<'_>) -> ModelConfig {
    let window = found.window.filter(|window| *window > 0).unwrap_or(USUAL_WINDOW);
    let input = if found.sees { vec![InputKind::Text, InputKind::Image] } else { vec![InputKind::Text] };
    let compat = json!({
        "supportsStore": false, "supportsDeveloperRole": false, "supportsReasoningEffort": found.thinks,
        "maxTokensField": "max_tokens",
    });
    ModelConfig {
        id: found.id.to_owned(),
        reasoning: Some(found.thinks),
        input: Some(input),
        cost: Some(CostConfig::default()),
        context_window: Some(window),
        max_tokens: Some((window / 4).clamp(1, MAX_ANSWER)),
        extra: JsonMap::from_iter([("compat".to_owned(), compat)]),
        ..ModelConfig::default()
    }
}

fn list<'v>(answer: &'v Value, field: &str) -> Option<impl Iterator<Item = &'v Value>> {
    Some(answer.get(field)?.as_array()?.iter().take(MAX_MODELS))
}

fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value
        .get(field)?
        .as_str()
        .filter(|text| !text.is_empty() && text.len() <= 512 && !text.chars().any(char::is_control))
}

fn has(list: Option<&Value>, word: &str) -> Option<bool> {
    Some(list?.as_array()?.iter().any(|entry| entry == word))
}

async fn ollama(asker: &Asker<'_>) -> Option<Vec<ModelConfig>> {
    let tags = asker.get("/api/tags").await?;
    // What is loaded says how large its window really is.
    let loaded = asker.get("/api/ps").await.unwrap_or_default();
    let shown = list(&tags, "models")?.filter_map(|tag| text(tag, "model").or_else(|| text(tag, "name"))).map(|id| {
        let loaded = &loaded;
        async move {
            let show = asker.post("/api/show", &json!({ "model": id })).await.unwrap_or_default();
            let capabilities = show.get("capabilities");
            // One that cannot converse, or cannot call tools, is of no use here.
            if has(capabilities, "completion") == Some(false) || has(capabilities, "tools") == Some(false) {
                return None;
            }
            let running = list(loaded, "models")
                .and_then(|mut models| models.find(|model| text(model, "model") == Some(id)))
                .and_then(|model| model.get("context_length")?.as_u64());
            Some(model(&Found {
                id,
                window: running.or_else(|| parameter(&show, "num_ctx")).or_else(|| trained_window(&show)),
                sees: has(capabilities, "vision").unwrap_or_default(),
                thinks: has(capabilities, "thinking").unwrap_or_default(),
            }))
        }
    });
    Some(join_all(shown).await.into_iter().flatten().collect())
}

/// A number of the model file, which is a text of lines.
fn parameter(show: &Value, name: &str) -> Option<u64> {
    let lines = show.get("parameters")?.as_str()?.lines();
    lines.filter_map(|line| line.trim().strip_prefix(name)).find_map(|rest| rest.trim().parse().ok())
}

/// `<architecture>.context_length`.
fn trained_window(show: &Value) -> Option<u64> {
    let info = show.get("model_info")?.as_object()?;
    info.iter().find(|(name, _)| name.ends_with(".context_length"))?.1.as_u64()
}

async fn lm_studio(asker: &Asker<'_>) -> Option<Vec<ModelConfig>> {
    let answer = asker.get("/api/v0/models").await?;
    let models = list(&answer, "data")?.filter(|entry| matches!(text(entry, "type"), Some("llm" | "vlm")));
    let models = models.filter_map(|entry| {
        let number = |field: &str| entry.get(field).and_then(Value::as_u64);
        Some(model(&Found {
            id: text(entry, "id")?,
            window: number("loaded_context_length").or_else(|| number("max_context_length")),
            sees: text(entry, "type") == Some("vlm"),
            thinks: false,
        }))
    });
    Some(models.collect())
}

async fn llama_cpp(asker: &Asker<'_>) -> Option<Vec<ModelConfig>> {
    let props = asker.get("/props").await?;
    let window = props.pointer("/default_generation_settings/n_ctx")?.as_u64();
    let sees = props.pointer("/modalities/vision").and_then(Value::as_bool).unwrap_or_default();
    let answer = asker.get("/v1/models").await?;
    let models = list(&answer, "data")?.filter_map(|entry| text(entry, "id"));
    Some(models.map(|id| model(&Found { id, window, sees, thinks: false })).collect())
}

async fn vllm(asker: &Asker<'_>) -> Option<Vec<ModelConfig>> {
    let answer = asker.get("/v1/models").await?;
    let models = list(&answer, "data")?.filter_map(|entry| {
        let window = Some(entry.get("max_model_len")?.as_u64()?);
        Some(model(&Found { id: text(entry, "id")?, window, sees: false, thinks: false }))
    });
    Some(models.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, expected) in [
            ("127.0.0.1", "http://127.0.0.1:11434/"),
            ("0.0.0.0:9999", "http://127.0.0.1:9999/"),
            ("http://[::]:7", "http://127.0.0.1:7/"),
            ("localhost:1", "http://localhost:1/"),
            ("9000", "http://127.0.0.1:9000/"),
            (":9000", "http://127.0.0.1:9000/"),
            ("http://127.0.0.1:80", "http://127.0.0.1/"),
            ("https://box.example/v1", "https://box.example:11434/v1"),
        ] {
            assert_eq!(address(text, 11_434).map(|url| url.to_string()).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(address("http://", 1), None);
        assert!(!is_here(&address("box.example", 1).expect("an address")));
        assert!(is_here(&address("[::1]", 1).expect("an address")));
    }
}
