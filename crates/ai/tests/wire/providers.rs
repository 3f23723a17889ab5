//! What each provider of `openai-completions` gets: `providers.json` has the servers, the snapshot the bodies, which
//! `conformance/tests/completions.test.mjs` compares with those of pi.

use serde_json::{Value, json};
use tau_ai::{CacheRetention, ThinkingLevel, ToolDeclaration};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::support::{answer, messages, model_at, request};

/// Three tools: as it is, strict where that is possible, and with a grammar where that is possible.
fn tools(cases: &Value) -> Vec<ToolDeclaration> {
    let mut tools = cases["tools"].clone();
    for tool in tools.as_array_mut().expect("a list") {
        tool["constrained_sampling"] = tool["constrainedSampling"].take();
    }
    serde_json::from_value(tools).expect("tools")
}

/// A conversation with reasoning, calls without text, and a prompt behind a result, with a model.
fn conversation(cases: &Value, provider: &str, id: &str) -> Value {
    let mut messages = cases["conversation"].clone();
    for message in messages.as_array_mut().expect("a list") {
        message["provider"] = json!(provider);
        message["model"] = json!(id);
    }
    messages
}

#[tokio::test]
async fn every_server_gets_what_it_understands() {
    let cases: Value = serde_json::from_str(include_str!("providers.json")).expect("JSON");
    let server = LoopbackServer::start([]);
    let mut lines = Vec::new();
    for case in cases["servers"].as_array().expect("a list") {
        for level in [ThinkingLevel::Off, ThinkingLevel::High] {
            let field = |name: &str| case[name].as_str().unwrap_or_default();
            let (provider, id) = (field("provider"), if field("id").is_empty() { "m" } else { field("id") });
            let mut extra = json!({"provider": provider, "id": id, "reasoning": true});
            extra.as_object_mut().expect("fields").extend(case["model"].as_object().cloned().unwrap_or_default());
            // The name of the host in the path stands for the host.
            let url = format!("{}/{}", server.url(), field("host"));
            let mut request = request(model_at("openai-completions", url.trim_end_matches('/'), extra));
            request.messages = messages(conversation(&cases, provider, id));
            request.tools = if case["tools"] == false { [].into() } else { tools(&cases).into() };
            request.options.thinking = level;
            request.options.session_id = Some("session-1".to_owned());
            request.options.cache_retention =
                if field("cache") == "long" { CacheRetention::Long } else { CacheRetention::Short };
            server.push(Reply::text("ok"));
            answer(request).await;
            let sent = server.requests().pop().expect("a request");
            let mut body = sent.body;
            let names = ["session_id", "x-session-id", "x-session-affinity", "x-client-request-id"];
            for (name, value) in sent.headers.iter().filter(|(name, _)| names.contains(&name.as_str())) {
                body[format!("header {name}")] = json!(value);
            }
            lines.push(format!("{}, thinking {level}\n  {body}", field("name")));
        }
    }
    insta::assert_snapshot!("providers", lines.join("\n"));
}
