//! Strict tools in the formats of Anthropic and Google.

use serde_json::{Value, json};
use tau_ai::{StreamRequest, ToolDeclaration};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::support::{answer, model, request};

/// A tool that asks for a strict schema.
fn tool(strict: &str) -> ToolDeclaration {
    ToolDeclaration {
        name: "read".to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"}, "limit": {"type": "number"}}}),
        constrained_sampling: serde_json::from_value(json!({"type": "json_schema", "strict": strict}))
            .expect("what a tool asks for"),
    }
}

fn strict_schema() -> Value {
    json!({"type": "object", "required": ["path", "limit"], "additionalProperties": false, "properties": {
        "path": {"type": "string"}, "limit": {"anyOf": [{"type": "number"}, {"type": "null"}]}}})
}

fn anthropic(server: &LoopbackServer, strict: &str, compat: Value) -> StreamRequest {
    let mut request = request(model("anthropic-messages", server, json!({"compat": compat})));
    request.tools = [tool(strict)].into();
    request
}

#[tokio::test]
async fn anthropic_says_it_of_each_tool() {
    let server = LoopbackServer::start([Reply::text("a"), Reply::text("b"), Reply::text("c")]);
    let mut bounded = tool("prefer");
    bounded.parameters["properties"]["limit"]["minimum"] = json!(1);
    let supported = json!({"supportsStrictTools": true});
    for (compat, tool, strict) in [
        (supported.clone(), tool("prefer"), true),
        (json!({}), tool("prefer"), false),
        // The provider's strict schemas have no bounds.
        (supported.clone(), bounded, false),
    ] {
        let mut request = anthropic(&server, "prefer", compat);
        request.tools = [tool.clone()].into();
        assert_eq!(answer(request).await.error_message, None);
        let sent = server.requests().pop().expect("a request").body["tools"][0].clone();
        assert_eq!(sent.get("strict"), strict.then(|| json!(true)).as_ref());
        assert_eq!(sent["input_schema"], if strict { strict_schema() } else { tool.parameters });
    }
    let insists = answer(anthropic(&server, "require", json!({}))).await.error_message.expect("no strict tools");
    assert_eq!(insists, "The tool \"read\" needs arguments that strictly fit, but the model has no strict tools");
}

#[tokio::test]
async fn a_provider_that_cannot_hold_so_many_tools_gets_them_as_they_are() {
    let refusal = |text: &str| {
        let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": text}});
        Reply::http_error(400, error.to_string())
    };
    let too_many = || refusal("Too many strict tools (21). The limit is 20.");
    let server = LoopbackServer::start([
        too_many(),
        Reply::text("a"),
        Reply::text("b"),
        too_many(),
        refusal("no such thing"),
        too_many(),
    ]);
    let supported = json!({"supportsStrictTools": true});
    let request = anthropic(&server, "prefer", supported.clone());
    let first = answer(request.clone()).await;
    assert_eq!((&first.error_message, first.texts().collect::<String>()), (&None, "a".to_owned()));
    let note = &first.extra["diagnostics"][0];
    assert_eq!(note["type"], "anthropic_strict_tools_fallback");
    // The conversation remembers it.
    assert_eq!(answer(request.clone()).await.error_message, None);
    assert!(answer(request).await.error_message.is_some(), "nothing is left to give up");
    let strict: Vec<bool> =
        server.requests().iter().map(|request| request.body["tools"][0].get("strict").is_some()).collect();
    assert_eq!(strict, [true, false, false, false]);
    for strict in ["prefer", "require"] {
        assert!(answer(anthropic(&server, strict, supported.clone())).await.error_message.is_some(), "{strict}");
    }
    assert_eq!(server.requests().len(), 6, "other refusals, and tools that insist, are sent once");
}

#[tokio::test]
async fn google_validates_all_calls() {
    let server = LoopbackServer::start((0..6).map(|_| Reply::text("a")));
    for api in ["google-generative-ai", "google-vertex"] {
        for (id, asks, strict) in
            [("gemini-3-pro-preview", true, true), ("gemini-2.5-pro", true, false), ("gemini-4-argon", false, false)]
        {
            let at = json!({"id": id, "baseUrl": format!("{}/v1beta", server.url())});
            let mut request = request(model(api, &server, at));
            let mut tool = tool("prefer");
            tool.constrained_sampling = tool.constrained_sampling.filter(|_| asks);
            request.tools = [tool.clone()].into();
            assert_eq!(answer(request).await.error_message, None);
            let body = server.requests().pop().expect("a request").body;
            let mode = body.pointer("/toolConfig/functionCallingConfig/mode");
            assert_eq!(mode, strict.then(|| json!("VALIDATED")).as_ref(), "{id}");
            let schema = &body["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"];
            assert_eq!(*schema, if strict { strict_schema() } else { tool.parameters }, "{id}");
        }
    }
}
