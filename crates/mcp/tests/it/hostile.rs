//! Servers that do what they must not.

use std::time::Duration;

use serde_json::json;
use tau_mcp::manager::Reach;
use tau_mcp::{Entry, State};
use tokio_util::sync::CancellationToken;

use crate::server::Play;
use crate::support::{NOISE, Stage, entry, one, play, with};

fn methods(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn impatient(name: &str, behaviour: &Play) -> Entry {
    entry(name, with(play(behaviour), json!({"timeout": 0.5})))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_floods_is_heard_to_the_end_and_kept_in_bounds() {
    let stage = one(&Play::default());
    assert_eq!(stage.text("s", "flood", "").await, "flooded");
    assert_eq!(stage.text("s", "echo", "still there").await, "still there");
    stage.manager.close().await;
    let log = |name: &str| std::fs::metadata(stage.folder.path().join(name)).map_or(0, |about| about.len());
    assert!(log("mcp.log") <= 5 << 20 && log("mcp.log.1") <= 5 << 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large_ends_the_connection_and_says_so() {
    let stage = one(&Play::default());
    let error = stage.call("s", "huge", "").await;
    assert_eq!(error, Err("MCP connection closed: a message of the server was larger than 16 MiB".to_owned()));
    assert_eq!(stage.text("s", "echo", "again").await, "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_never_answers_is_given_up() {
    let silent = |at: &str| Play { silent: methods(&[at]), ..Play::default() };
    let stage = Stage::new(vec![
        impatient("handshake", &silent("initialize")),
        impatient("list", &silent("tools/list")),
        impatient("call", &silent("tools/call")),
    ]);
    let (state, error) = stage.settled("handshake").await;
    assert_eq!((state, error), (State::Failed, Some(format!("the server was not ready within 0.5 seconds{NOISE}"))));
    let (state, error) = stage.settled("list").await;
    let told = "its tools cannot be listed: MCP request timed out after 500ms";
    assert_eq!((state, error.as_deref()), (State::Failed, Some(told)));
    assert_eq!(stage.call("call", "echo", "").await, Err("MCP request timed out after 500ms".to_owned()));
    // The connection is as good as before.
    assert_eq!(stage.settled("call").await.0, State::Connected);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_dies_in_any_phase_is_reported_with_what_it_wrote() {
    let dies = |at: &str| Play { dies_at: methods(&[at]), ..Play::default() };
    let stage = Stage::new(vec![
        entry("handshake", play(&dies("initialize"))),
        entry("ready", play(&dies("notifications/initialized"))),
        entry("list", play(&dies("tools/list"))),
        entry("call", play(&dies("tools/call"))),
        entry("none", json!({"command": "/there/is/no/such/program"})),
    ]);
    let (state, error) = stage.settled("handshake").await;
    let told = format!(
        "the server ended before it was ready (exit code 3){NOISE}\nand to its standard error:\nit dies at initialize"
    );
    assert_eq!((state, error), (State::Failed, Some(told)));
    for (name, at) in [("ready", "notifications/initialized"), ("list", "tools/list")] {
        let (state, error) = stage.settled(name).await;
        let told = format!(
            "its tools cannot be listed: MCP connection closed: server \"{name}\" ended before it answered (exit code 3); the \
             next call starts the server again. It wrote:\nit dies at {at}"
        );
        assert_eq!((state, error), (State::Failed, Some(told)), "{name}");
    }
    let told = "MCP connection closed: server \"call\" ended during the call (exit code 3); the call may have taken effect, \
                and the next call starts the server again. It wrote:\nit dies at tools/call";
    assert_eq!(stage.call("call", "echo", "").await, Err(told.to_owned()));
    let (state, error) = stage.settled("none").await;
    assert_eq!(state, State::Failed);
    assert!(
        error.is_some_and(|error| error.starts_with("the program \"/there/is/no/such/program\" cannot be started"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_killed_during_a_call_is_reported_with_the_signal() {
    let stage = one(&Play::default());
    let error = stage.call("s", "kill", "").await.expect_err("an end");
    assert!(error.contains("server \"s\" ended during the call (signal: 9 (SIGKILL)"), "{error}");
    // What it wrote is foreign, and there may be much of it.
    assert!(error.ends_with("line 98 <end>\nline 99 <end>") && !error.contains('\u{1b}'), "{error}");
    assert!(error.lines().count() <= 21 && error.len() < 8_000, "{}", error.len());
    assert_eq!(stage.text("s", "echo", "again").await, "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_no_server_is_shown_by_its_first_lines() {
    let shell = |script: &str| json!({"command": "sh", "args": ["-c", script], "timeout": 5});
    let stage = Stage::new(vec![
        entry(
            "banner",
            shell("printf 'Welcome\\033[31m to the shell\\n\\n%0300d\\n' 7; seq 100; exec cat > /dev/null & exit"),
        ),
        entry("usage", shell("printf 'usage: it [-h]'; echo 'no such option' >&2; exit 2")),
    ]);
    let (state, error) = stage.settled("banner").await;
    let error = error.expect("an error");
    assert_eq!(state, State::Failed);
    assert!(error.contains("(exit code 0)") && error.contains("check its \"command\" and \"args\""), "{error}");
    assert!(error.contains("\nWelcome to the shell\n000") && error.ends_with("…\n1\n2\n3"), "{error}");
    let told = "the server ended before it was ready (exit code 2); check its \"command\" and \"args\", as it wrote what is no \
                message of the protocol:\nusage: it [-h]\nand to its standard error:\nno such option";
    assert_eq!(stage.settled("usage").await, (State::Failed, Some(told.to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_at_the_first_unknown_request_gets_a_handshake() {
    let stage = one(&Play { dies_at: methods(&["server/discover"]), ..Play::default() });
    assert_eq!(stage.settled("s").await, (State::Connected, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn noise_is_no_protocol() {
    let says =
        ["", "hello", "{", "[]", "{\"jsonrpc\":\"2.0\"}", "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}", "\u{1b}[2J"];
    let stage = one(&Play { says: says.map(str::to_owned).into(), ..Play::default() });
    assert_eq!(stage.settled("s").await, (State::Connected, None));
    // Answers to what is not awaited are noise, too: they may be late.
    let error = "{\"jsonrpc\":\"2.0\",\"id\":98,\"error\":{\"code\":-32601,\"message\":\"no\"}}";
    let stage = one(&Play { says: methods(&[error, "hello", "{", "[]"]), ..Play::default() });
    assert_eq!(stage.settled("s").await, (State::Connected, None));
    assert_eq!(stage.text("s", "echo", "calm").await, "calm");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_the_wrong_form_are_errors() {
    let answers = |method: &str, answer: serde_json::Value| Play {
        answers: serde_json::Map::from_iter([(method.to_owned(), answer)]),
        ..Play::default()
    };
    let stage = Stage::new(vec![
        entry("version", play(&Play { version: Some("1999-01-01".to_owned()), ..Play::default() })),
        entry("init", play(&answers("initialize", json!([1])))),
        entry("list", play(&answers("tools/list", json!({"tools": "many"})))),
        entry(
            "some",
            play(&answers(
                "tools/list",
                json!({"tools": [
            1, {"name": "no_schema"}, {"name": "fine", "inputSchema": {}}, {"name": "fine", "inputSchema": {}}]}),
            )),
        ),
        entry("endless", play(&answers("tools/list", json!({"tools": [], "nextCursor": "x"})))),
        entry("call", play(&answers("tools/call", json!({"nothing": 1})))),
    ]);
    for (name, told) in [
        ("version", "the server speaks version 1999-01-01 of the protocol, which tau does not know"),
        ("init", "what the server answers is no answer to the handshake"),
        ("list", "its tools cannot be listed: the answer of the server cannot be understood: tools is no list"),
        (
            "endless",
            "its tools cannot be listed: the answer of the server cannot be understood: the list does not go on",
        ),
    ] {
        let (state, error) = stage.settled(name).await;
        assert_eq!((state, error.as_deref()), (State::Failed, Some(told)), "{name}");
    }
    stage.settled("some").await;
    let tools: Vec<String> = stage.server("some").tools().iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(tools, ["fine"]);
    let left_out = stage.server("some").current().and_then(|connection| connection.left_out());
    let told = "one has no name; the inputSchema of no_schema is no object; fine is there twice";
    assert_eq!(left_out.as_deref(), Some(told));
    assert_eq!(stage.call("call", "echo", "").await, Ok(json!({"nothing": 1})));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_read_fails_its_call_at_once() {
    let stage = one(&Play::default());
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}{}}}", "[".repeat(300), "]".repeat(300));
    for (answer, told) in [
        (deep.as_str(), "it is nested too deep"),
        (r#"{"jsonrpc":"2.0","id":ID,"error":"no"}"#, "its error has no code and message"),
        (r#"{"jsonrpc":"2.0","id":ID,"error":{"code":"x","message":"m"}}"#, "its error has no code and message"),
        (r#"{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"m"}}"#, "it has a result and an error"),
        (r#"{"id":ID,"result":{"content":[]}}"#, "it does not say \"jsonrpc\": \"2.0\""),
        (r#"{"jsonrpc":"2.0","id":ID}"#, "it has neither a result nor an error"),
        (
            r#"[{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}]"#,
            "it is one of several in one message, which the protocol does not allow",
        ),
    ] {
        let told = format!("the answer of the server cannot be understood: {told}");
        assert_eq!(stage.call("s", "raw", answer).await, Err(told), "{answer}");
    }
    assert_eq!(stage.text("s", "echo", "still there").await, "still there");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_asks_and_does_not_read_is_given_up() {
    let stage = Stage::new(vec![impatient("s", &Play { deaf: true, ..Play::default() })]);
    let (state, error) = stage.settled("s").await;
    let told = "its tools cannot be listed: MCP request timed out after 500ms";
    assert_eq!((state, error.as_deref()), (State::Failed, Some(told)));
    stage.manager.close().await;
}

/// A program of another group is not killed with the server, and holds its pipe for half a minute.
#[tokio::test(flavor = "multi_thread")]
async fn what_holds_the_errors_of_a_server_does_not_delay_the_end() {
    let stage = one(&Play { holds_errors: true, ..Play::default() });
    assert_eq!(stage.settled("s").await, (State::Connected, None));
    tokio::time::timeout(Duration::from_secs(20), stage.manager.close()).await.expect("an end");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_writes_is_shown_without_its_secrets() {
    let says = methods(&["the token is hunter2-secret, again hunter2-secret"]);
    let mut config = play(&Play { says, dies_at: methods(&["initialize"]), ..Play::default() });
    config["env"]["TOKEN"] = json!("hunter2-secret");
    let stage = Stage::new(vec![entry("s", config)]);
    let (state, error) = stage.settled("s").await;
    let told = format!(
        "the server ended before it was ready (exit code 3){NOISE}\nthe token is …, again …\nand to its standard \
         error:\nthe token is …, again …\nit dies at initialize"
    );
    assert_eq!((state, error), (State::Failed, Some(told)));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_announces_changes_all_the_time_is_asked_less_and_less() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record");
    let stage = one(&Play { restless: true, record: Some(record.display().to_string()), ..Play::default() });
    stage.settled("s").await;
    let lists = || std::fs::read_to_string(&record).unwrap_or_default().matches("tools/list").count();
    while lists() < 3 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(stage.text("s", "echo", "calm").await, "calm");
    assert!(lists() < 10, "{}", lists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_leaves_running_ends_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let left = folder.path().join("left");
    let stage = one(&Play { leaves: Some(left.display().to_string()), stays: true, ..Play::default() });
    assert_eq!(stage.settled("s").await, (State::Connected, None));
    let pid: i32 = std::fs::read_to_string(&left).expect("a number").parse().expect("a number");
    stage.manager.close().await;
    // The kernel may need a moment until a process that was killed is gone.
    while is_running(pid) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn is_running(pid: i32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = state.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().next().map(str::to_owned));
    state.is_some_and(|state| state != "Z" && state != "X")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_servers_of_all_kinds_are_settled_together() {
    let kinds = [
        Play::default(),
        Play { silent: methods(&["initialize"]), ..Play::default() },
        Play { dies_at: methods(&["initialize"]), ..Play::default() },
        Play { silent: methods(&["tools/list"]), ..Play::default() },
    ];
    let entries = (0..100).map(|n| {
        let config = if n % 4 == 2 || n >= 20 { json!({"command": "false"}) } else { play(&kinds[n % 4]) };
        entry(&format!("s{n}"), with(config, json!({"timeout": 20})))
    });
    let mut entries: Vec<Entry> = entries.collect();
    for entry in entries.iter_mut().skip(1).step_by(2) {
        entry.config.timeout = Duration::from_secs(1);
    }
    let stage = Stage::new(entries);
    assert!(stage.manager.settled(&Reach::All, &CancellationToken::new()).await);
    let connected = stage.manager.servers().iter().filter(|server| server.status().state == State::Connected).count();
    assert_eq!(connected, 5);
    stage.manager.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_ends_when_nobody_waits_any_more() {
    let stage = one(&Play { silent: methods(&["initialize"]), ..Play::default() });
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(!stage.manager.settled(&Reach::All, &cancel).await);
    assert!(stage.manager.settled(&Reach::Words(vec!["mcp__other__x".to_owned()]), &CancellationToken::new()).await);
    // The server is given up at once, although it has a minute.
    stage.manager.close().await;
}
