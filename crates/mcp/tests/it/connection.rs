//! Servers that do what they should.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tau_mcp::connection::Lifecycle;
use tau_mcp::connection::{Call, Elicit, Field, Reply};
use tau_mcp::manager::{Memory, Remembered};
use tau_mcp::{Entry, Manager, State, World};
use tokio_util::sync::CancellationToken;

use crate::server::Play;
use crate::support::{Stage, entry, one, play, with, world};

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_connected_listed_and_called() {
    let stage = one(&Play { instructions: Some("Use it well.".to_owned()), ..Play::default() });
    assert_eq!(stage.settled("s").await, (State::Connected, None));
    let server = stage.server("s");
    assert_eq!(server.instructions().as_deref(), Some("Use it well."));
    assert_eq!(server.tools()[0].name, "echo");
    assert_eq!(stage.text("s", "echo", "hello").await, "hello");
    let failed = stage.call("s", "fails", "").await.expect("a result");
    assert_eq!((&failed["isError"], &failed["structuredContent"]), (&json!(true), &json!({"why": 1})));
    assert_eq!(stage.call("s", "none", "").await, Err("MCP error -32602: no tool none".to_owned()));
    // Some servers write it themselves.
    assert_eq!(stage.call("s", "MCP error", "").await, Err("MCP error -32602: no tool".to_owned()));
    stage.manager.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_given_with_all_that_is_in_it() {
    let stage = one(&Play::default());
    let result = json!({"content": [{"type": "text", "text": "a", "own": 1, "annotations": {"priority": 0.7}}],
        "own": {"x": [1.5]}, "_meta": {"m": 1}, "structuredContent": null});
    let answer = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result}}}"#);
    assert_eq!(stage.call("s", "raw", &answer).await, Ok(result));
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_told_in_its_order() {
    let stage = one(&Play::default());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let call = Call { progress: Some(Arc::new(move |progress| log.lock().push(progress.progress))), ..Call::default() };
    let client = stage.server("s").client(&call.cancel).await.expect("a client");
    client.call_tool("progress", Map::new(), &call).await.expect("a result");
    let seen = seen.lock().clone();
    assert!(seen.is_sorted() && seen.last() == Some(&3.0), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_told_no_more_often_than_people_read() {
    let stage = one(&Play::default());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let call = Call { progress: Some(Arc::new(move |progress| log.lock().push(progress.progress))), ..Call::default() };
    let client = stage.server("s").client(&call.cancel).await.expect("a client");
    let begin = std::time::Instant::now();
    client.call_tool("hurry", Map::new(), &call).await.expect("a result");
    let (seen, took) = (seen.lock().clone(), begin.elapsed());
    assert_eq!(seen.last(), Some(&20_000.0));
    assert!(seen.len() as u128 <= took.as_millis() / 100 + 2, "{} in {took:?}", seen.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_learns_the_folder_and_nothing_else() {
    let stage = one(&Play::default());
    let roots: Value = serde_json::from_str(&stage.text("s", "roots", "").await).expect("JSON");
    let (folder, name) = (stage.folder.path(), stage.folder.path().file_name().expect("a name"));
    let told = json!({ "roots": [{ "uri": format!("file://{}", folder.display()), "name": name.to_str() }] });
    assert_eq!(roots, told);
    // Nobody is there to be asked.
    assert_eq!(stage.text("s", "ask", "").await, "-32601");
}

struct Answers;

#[async_trait]
impl Elicit for Answers {
    async fn ask(&self, field: &Field, _: &CancellationToken) -> Reply {
        assert_eq!((field.server.as_str(), field.message.as_str()), ("s", "Who are you?"));
        if field.is_optional { Reply::Nothing } else { Reply::Value(json!("me")) }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_answers_questions_of_a_server() {
    let elicit: Option<Arc<dyn Elicit>> = Some(Arc::new(Answers));
    let stage = Stage::in_world(vec![entry("s", play(&Play::default()))], |world| World { elicit, ..world });
    assert_eq!(stage.text("s", "ask", "").await, r#"{"action":"accept","content":{"name":"me"}}"#);
}

/// Accepts everything until it has had enough.
struct Patience {
    most: usize,
    asked: Mutex<Vec<bool>>,
}

#[async_trait]
impl Elicit for Patience {
    async fn ask(&self, field: &Field, _: &CancellationToken) -> Reply {
        let mut asked = self.asked.lock();
        asked.push(field.is_again);
        if asked.len() > self.most { Reply::Refuse } else { Reply::Value(json!(true)) }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_of_one_call_have_an_end() {
    for (most, accepted, asked) in [(100, "20", 20), (2, "2", 3)] {
        let user = Arc::new(Patience { most, asked: Mutex::default() });
        let elicit: Option<Arc<dyn Elicit>> = Some(Arc::clone(&user) as _);
        let stage = Stage::in_world(vec![entry("s", play(&Play::default()))], |world| World { elicit, ..world });
        assert_eq!(stage.text("s", "interrogate", "").await, accepted);
        let seen = user.asked.lock().clone();
        assert_eq!((seen.len(), seen[0], seen[1]), (asked, false, true));
        // Another call may ask anew, unless the user wants no more questions of the server.
        let again = if most == 2 { "0" } else { "20" };
        assert_eq!(stage.text("s", "interrogate", "").await, again);
    }
}

/// Answers after the time of a call.
struct Slow;

#[async_trait]
impl Elicit for Slow {
    async fn ask(&self, _: &Field, _: &CancellationToken) -> Reply {
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        Reply::Value(json!("me"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_waits_for_the_user_as_long_as_that_takes() {
    let elicit: Option<Arc<dyn Elicit>> = Some(Arc::new(Slow));
    let entries = vec![entry("s", with(play(&Play::default()), json!({"timeout": 1})))];
    let stage = Stage::in_world(entries, |world| World { elicit, ..world });
    assert!(stage.text("s", "ask", "").await.contains("accept"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_handshake_asks_in_the_place_of_a_result() {
    let elicit: Option<Arc<dyn Elicit>> = Some(Arc::new(Answers));
    let servers = vec![entry("s", play(&Play { stateless: true, ..Play::default() }))];
    let stage = Stage::in_world(servers, |world| World { elicit, ..world });
    let told = r#"{"who":{"action":"accept","content":{"name":"me"}}} "asked""#;
    assert_eq!(stage.text("s", "ask", "").await, told);
    assert_eq!(stage.text("s", "echo", "hello").await, "hello");
    // Where nobody is there to be asked.
    let stage = one(&Play { stateless: true, ..Play::default() });
    let error = stage.call("s", "ask", "").await.expect_err("no result");
    assert!(error.ends_with("that nobody is there to answer"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_answers_too_late_to_be_understood_is_started_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let late = Some(folder.path().join("late").display().to_string());
    let stage = one(&Play { late, stateless: true, ..Play::default() });
    assert_eq!(stage.settled("s").await, (State::Connected, None));
    assert_eq!(stage.text("s", "echo", "hello").await, "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_expected_is_connected_once_somebody_waits_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let manager = Manager::new(world(folder.path()));
    manager.expect(vec![entry("s", play(&Play::default())), entry("other", play(&Play::default()))]);
    let server = |name: &str| manager.server(name).expect("a server");
    assert_eq!(server("s").status().state, State::Starting);
    server("s").settled().await;
    assert_eq!((server("s").status().state, server("other").status().state), (State::Connected, State::Starting));
    manager.begin();
    server("other").settled().await;
    assert_eq!(server("other").status().state, State::Connected);
    manager.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_of_the_session_reach_a_server_but_for_keys() {
    let change = |world: World| World {
        environment: [
            ("ANTHROPIC_API_KEY", "k"),
            ("ANTHROPIC_AUTH_TOKEN", "k"),
            ("AWS_SECRET_ACCESS_KEY", "k"),
            ("OTHER", "o"),
        ]
        .map(|(n, v)| (n.into(), v.into()))
        .into(),
        ..world
    };
    let stage = Stage::in_world(vec![entry("s", play(&Play::default()))], change);
    assert_eq!(stage.text("s", "env", "OTHER").await, "o");
    for name in ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY"] {
        assert_eq!(stage.text("s", "env", name).await, "", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_that_change_are_listed_again() {
    let stage = one(&Play::default());
    let mut changes = stage.manager.changes();
    assert_eq!(stage.text("s", "change", "").await, "changed");
    let has_new = || stage.server("s").tools().iter().any(|tool| tool.name == "new_1");
    while !has_new() {
        changes.changed().await.expect("a change");
    }
    assert!(!stage.server("s").tools().iter().any(|tool| tool.name == "echo"));
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_are_listed_and_read() {
    let stage = one(&Play { resources: true, ..Play::default() });
    let call = Call::default();
    let client = stage.server("s").client(&call.cancel).await.expect("a client");
    let all = client.all_resources(false).await.expect("resources");
    assert_eq!(all.len(), 2);
    let contents = client.read_resource("docs://a", &call).await.expect("contents");
    assert_eq!(contents, [json!({"uri": "docs://a", "text": "the text"})]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_lost_is_connected_again_by_the_next_call() {
    let stage = one(&Play::default());
    let error = stage.call("s", "die", "").await.expect_err("an end");
    assert!(error.starts_with("MCP connection closed: server \"s\" ended during the call (exit code 3)"), "{error}");
    assert_eq!(stage.text("s", "echo", "again").await, "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_given_up_is_cancelled_at_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record");
    let stage = one(&Play { record: Some(record.display().to_string()), ..Play::default() });
    let call = Call::default();
    let client = stage.server("s").client(&call.cancel).await.expect("a client");
    let cancel = call.cancel.clone();
    let (done, ()) = tokio::join!(client.call_tool("hang", Map::new(), &call), async move { cancel.cancel() });
    assert!(done.is_err());
    let call = Call::default();
    let cancel = call.cancel.clone();
    let hanging = client.call_tool("hang", Map::new(), &call);
    let cancelling = async {
        let reached = || std::fs::read_to_string(&record).unwrap_or_default().contains("\"name\":\"hang\"");
        while !reached() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (done, ()) = tokio::join!(hanging, cancelling);
    assert_eq!(done.map_err(|error| error.to_string()), Err("the call was cancelled".to_owned()));
    stage.manager.close().await;
    let record = std::fs::read_to_string(&record).expect("a record");
    assert!(record.contains("notifications/cancelled"), "{record}");
}

#[derive(Default)]
struct Kept(Mutex<Option<Remembered>>);

impl Memory for Kept {
    fn recall(&self, _: &Entry) -> Option<Remembered> {
        self.0.lock().clone()
    }

    fn keep(&self, _: &Entry, remembered: Remembered) {
        *self.0.lock() = Some(remembered);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_remembered_begins_the_next_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record");
    let config = play(&Play {
        record: Some(record.display().to_string()),
        instructions: Some("First\u{1b}[1m <b>line</b>\nsecond".to_owned()),
        ..Play::default()
    });
    let memory = Arc::new(Kept::default());
    for round in 0..2 {
        let kept: Arc<dyn Memory> = Arc::clone(&memory) as _;
        let stage = Stage::in_world(vec![entry("s", config.clone())], |world| World { memory: kept, ..world });
        assert_eq!(stage.server("s").summary().is_some(), round == 1);
        stage.settled("s").await;
        stage.manager.close().await;
        let first = Remembered {
            summary: Some("First bline/b".to_owned()),
            lifecycle: Lifecycle::Handshake,
            prompts: Vec::new(),
        };
        assert_eq!(memory.recall(&entry("s", config.clone())), Some(first));
    }
    let record = std::fs::read_to_string(&record).expect("a record");
    let discovered = record.matches("server/discover").count();
    let begun = record.matches("\"initialize\"").count();
    assert_eq!((discovered, begun), (1, 2), "{record}");
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_are_switched_off_or_gone_are_not_there() {
    let stage = Stage::new(vec![
        entry("off", with(play(&Play::default()), json!({"enabled": false}))),
        entry("s", play(&Play::default())),
    ]);
    assert_eq!(stage.settled("off").await, (State::Disabled, None));
    assert_eq!(stage.call("off", "echo", "").await, Err("MCP server \"off\" is disabled".to_owned()));
    stage.settled("s").await;
    let before = stage.server("s");
    let connection = before.current().expect("a connection");
    // The same entry keeps the connection, another one does not.
    stage.manager.set(vec![entry("s", with(play(&Play::default()), json!({"exposure": "direct"})))]);
    assert!(Arc::ptr_eq(&stage.server("s").current().expect("a connection"), &connection));
    stage.manager.set(vec![entry("s", with(play(&Play::default()), json!({"timeout": 7})))]);
    connection.lost().cancelled().await;
    assert_eq!(stage.text("s", "echo", "new").await, "new");
    assert!(stage.manager.server("off").is_none());
}
