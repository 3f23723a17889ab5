//! Tools that come and go while a conversation runs.

use serde_json::{Value, json};
use tau_ai::{ToolDeclaration, WrittenMessages};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::request;
use crate::wire::support::{answer, messages};

fn tool(name: &str) -> ToolDeclaration {
    let fields = json!({"name": name, "description": "d", "parameters": {"type": "object", "properties": {}}});
    serde_json::from_value(fields).expect("a tool")
}

/// What a conversation sends whose tools are these, one list a request: the tools beside it, and its items in short.
async fn conversation(compat: Value, requests: &[&[&str]]) -> Vec<String> {
    let server = LoopbackServer::start(requests.iter().map(|_| Reply::text("ok")));
    let written = WrittenMessages::default();
    let all = messages(Value::Array(
        (0..requests.len()).map(|n| json!({"role": "user", "content": format!("prompt {n}")})).collect(),
    ));
    for (at, tools) in requests.iter().enumerate() {
        let mut request = request(&server, json!({ "compat": compat }));
        request.messages = all[..=at].to_vec();
        request.tools = tools.iter().map(|name| tool(name)).collect();
        request.options.written = written.clone();
        answer(request).await;
    }
    server.requests().iter().map(|request| short(&request.body)).collect()
}

fn short(body: &Value) -> String {
    let names = |tools: &Value| {
        let names = tools.as_array().into_iter().flatten().map(|tool| tool["name"].as_str().unwrap_or("?"));
        names.collect::<Vec<_>>().join(",")
    };
    let item = |item: &Value| match item["type"].as_str() {
        Some("additional_tools") => format!("[{}]", names(&item["tools"])),
        Some("tool_search_output") => format!("found[{}]", names(&item["tools"])),
        Some(other) => other.to_owned(),
        None if item["role"] == "user" => item["content"][0]["text"].as_str().unwrap_or("?").replace("prompt ", "p"),
        // Of notices only what is particular to them.
        None => match item["content"].as_str().unwrap_or("?") {
            "Be brief." => "system".to_owned(),
            text => format!("({})", text.rsplit_once(": ").map_or("new", |(_, names)| names)),
        },
    };
    let items: Vec<String> = body["input"].as_array().into_iter().flatten().map(item).collect();
    format!("{} | {}", names(&body["tools"]), items.join(" "))
}

#[tokio::test]
async fn they_stand_where_they_came_and_went() {
    let compat = json!({"supportsMidConvoSystemMessages": true, "supportsAdditionalTools": true});
    let sent = conversation(compat, &[&["a"], &["a", "b"], &["b"], &["b", "c"]]).await;
    assert_eq!(
        sent,
        [
            " | [a] system p0",
            " | [a] system p0 (new) [b] p1",
            " | [a] system p0 (new) [b] p1 (a.) p2",
            " | [a] system p0 (new) [b] p1 (a.) p2 (a.) [c] p3",
        ]
    );
}

#[tokio::test]
async fn new_ones_may_be_what_a_search_found() {
    let compat = json!({"supportsToolSearch": true});
    let sent = conversation(compat, &[&["a"], &["a", "b"], &["b"], &["b", "c"]]).await;
    let search = "tool_search_call found";
    assert_eq!(
        sent,
        [
            "a | system p0".to_owned(),
            format!("a | system p0 {search}[b] p1"),
            "b | system p0 p1 p2".to_owned(),
            format!("b | system p0 p1 p2 {search}[c] p3"),
        ]
    );
}

#[tokio::test]
async fn elsewhere_all_stand_beside_the_conversation() {
    let sent = conversation(json!({"supportsAdditionalTools": true}), &[&["a"], &["a", "b"], &[]]).await;
    assert_eq!(sent, ["a | system p0", "a,b | system p0 p1", " | system p0 p1 p2"]);
}

#[tokio::test]
async fn what_a_tool_insists_on_and_cannot_have_is_said() {
    let server = LoopbackServer::start([]);
    let mut request = request(&server, json!({}));
    let mut insists = tool("a");
    insists.constrained_sampling =
        serde_json::from_value(json!({"type": "json_schema", "strict": "require"})).expect("a form");
    request.tools = [insists].into();
    let text = answer(request).await.error_message.expect("a failure");
    assert!(text.starts_with("The tool \"a\" needs arguments that strictly fit"), "{text}");
}
