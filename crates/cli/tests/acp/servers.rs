//! MCP servers that an editor hands over with a session.

use std::os::unix::fs::PermissionsExt;

use agent_client_protocol::v1::schema::{
    EnvVariable, HttpHeader, LoadSessionRequest, McpServer, McpServerHttp, McpServerSse, McpServerStdio,
    NewSessionRequest, StopReason,
};
use serde_json::json;
use tau_testkit::{mcp_script, refusing_address};

use crate::editor::{Editor, with};
use crate::place::Place;

/// A server with one tool, as a script of the shell. The tool says what is in a variable, and the file `$LOG` when the server
/// ends.
fn program() -> String {
    let tools = r#"{"tools":[{"name":"greet","inputSchema":{"type":"object"}}]}"#;
    let said = r#"{"content":[{"type":"text","text":"'"$1 $GREETING"'"}]}"#;
    let script = mcp_script(r#"{"tools":{}}"#, &[("tools/list", tools), ("tools/call", said)]);
    format!("{script}echo ended >> \"$LOG\"\n")
}

const SCRIPT: &str = r#"
replies:
  - - tool_call: {name: codemode, arguments: {code: "text((await tools.mcp__My_server__greet({})).content[0].text)"}}
  - Over.
"#;

fn server(place: &Place) -> McpServer {
    let file = place.write("server", program());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let log = place.root().join("log").display().to_string();
    let env = vec![EnvVariable::new("GREETING", "!echo ${HOME}"), EnvVariable::new("LOG", log)];
    McpServer::Stdio(McpServerStdio::new("My server", file).args(vec!["~/x".to_owned()]).env(env))
}

/// What the tool said, in the first result that is shown.
async fn greeted(editor: &Editor, id: &agent_client_protocol::v1::schema::SessionId) -> String {
    assert_eq!(editor.prompt(id, "Go").await, Ok(StopReason::EndTurn));
    editor.said(id).join("\n")
}

#[tokio::test]
async fn a_program_is_connected_for_the_session_with_its_values_as_they_are() {
    let place = Place::new();
    let server = server(&place);
    let mut session = None;
    let stderr = with(&place, SCRIPT, &[] as &[&str], async |editor| {
        let request = NewSessionRequest::new(place.work()).mcp_servers(vec![server.clone()]);
        let opened = editor.send(request).await.expect("a session");
        assert_eq!(opened.meta, None);
        let said = greeted(&editor, &opened.session_id).await;
        assert!(said.contains("~/x !echo ${HOME}"), "{said}");
        session = Some(opened.session_id);
    });
    assert_eq!(stderr.await, "");
    assert_eq!(place.read("log"), "ended\n");
    // A session that is opened again has what is handed over then.
    let id = session.expect("a session");
    let stderr = with(&place, SCRIPT, &[] as &[&str], async |editor| {
        editor.send(LoadSessionRequest::new(id.clone(), place.work()).mcp_servers(vec![server])).await.expect("one");
        let said = greeted(&editor, &id).await;
        assert!(said.contains("~/x !echo ${HOME}"), "{said}");
    });
    assert_eq!(stderr.await, "");
    assert_eq!(place.read("log"), "ended\nended\n");
}

#[tokio::test]
async fn what_cannot_be_connected_is_said() {
    let place = Place::new();
    let stderr = with(&place, "replies: []", &[] as &[&str], async |editor| {
        let old = McpServer::Sse(McpServerSse::new("old", "https://example.org/sse"));
        let request = NewSessionRequest::new(place.work()).mcp_servers(vec![old]);
        let meta = editor.send(request).await.expect("a session").meta.expect("a remark");
        let text = "tau reaches MCP servers as programs and by streamable HTTP, so these are not used: old.";
        assert_eq!(json!(meta), json!({"tau": {"ignored": text, "ignoredMcpServers": ["old"]}}));
    });
    let told = "Warning: tau reaches MCP servers as programs and by streamable HTTP, so these are not used: old.\n";
    assert_eq!(stderr.await, told);
}

#[tokio::test]
async fn the_user_may_do_without_servers() {
    let place = Place::new();
    let server = server(&place);
    with(&place, "replies: []", &["--no-mcp"], async |editor| {
        let request = NewSessionRequest::new(place.work()).mcp_servers(vec![server]);
        let meta = editor.send(request).await.expect("a session").meta.expect("a remark");
        let text = "MCP servers are switched off, so these are not used: My_server.";
        assert_eq!(json!(meta), json!({"tau": {"ignored": text, "ignoredMcpServers": ["My_server"]}}));
    })
    .await;
    assert!(!place.root().join("log").exists());
}

#[tokio::test]
async fn an_address_gets_the_headers_of_the_editor() {
    let place = Place::new();
    let (url, heard) = refusing_address();
    with(&place, "replies: []", &[] as &[&str], async |editor| {
        let header = HttpHeader::new("X-Key", "${HOME}");
        let web = McpServer::Http(McpServerHttp::new("web", url).headers(vec![header]));
        editor.send(NewSessionRequest::new(place.work()).mcp_servers(vec![web])).await.expect("a session");
        let head = tokio::task::spawn_blocking(|| heard.join()).await.expect("a thread").expect("a request");
        assert!(head.starts_with("POST /mcp HTTP/1.1\r\n") && head.contains("x-key: ${HOME}\r\n"), "{head}");
    })
    .await;
}
