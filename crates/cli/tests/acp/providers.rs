//! Model servers that fail, seen by an editor: what the user reads, and that the session goes on.

use agent_client_protocol::v1::schema::{SessionId, SessionUpdate, StopReason};
use serde_json::{Value, json};
use tau_testkit::loopback::{LoopbackServer, Reply, ReplyUsage, failing};

use crate::editor::{Editor, able, edit};
use crate::place::Place;

const APIS: [&str; 2] = ["openai-completions", "anthropic-messages"];

/// Lets an editor work with a tau that asks this server.
async fn with_server(api: &str, retry: Value, work: impl AsyncFnOnce(Editor, SessionId, &LoopbackServer)) {
    let (place, server) = (Place::new(), LoopbackServer::start([]));
    let path = if api == "openai-completions" { "/v1" } else { "" };
    let provider = json!({
        "baseUrl": format!("{}{path}", server.url()), "api": api, "apiKey": "s3cret-value", "models": [{"id": "m"}],
    });
    place.write("agent/models.json", json!({"providers": {"local": provider}}).to_string());
    place.write("agent/settings.json", json!({"retry": retry}).to_string());
    let ended = edit(place.tau(["acp", "--model", "local/m"]), able(), async |editor| {
        let id = editor.begin(&place).await;
        work(editor, id, &server).await;
    });
    let ended = ended.await;
    assert!(ended.status.success() && !ended.stderr.contains("s3cret"), "{ended:?}");
}

fn host(server: &LoopbackServer) -> String {
    server.url().replace("http://", "")
}

/// The answer works, and nothing is left of the one before.
async fn goes_on(editor: &Editor, id: &SessionId, server: &LoopbackServer, what: &str) {
    server.push(Reply::text("Well again."));
    assert_eq!(editor.prompt(id, "And now?").await, Ok(StopReason::EndTurn), "{what}");
    assert_eq!(editor.said(id).last().map(String::as_str), Some("says: Well again."), "{what}");
}

#[tokio::test]
async fn no_failure_of_a_server_holds_the_session_up() {
    for api in APIS {
        with_server(api, json!({"enabled": false}), async |editor, id, server| {
            for failing in failing() {
                let (what, sentence) = (failing.what, failing.sentence(&host(server)));
                server.push(failing.reply);
                let error = editor.prompt(&id, "Go").await.expect_err(what);
                assert_eq!(i32::from(error.code), -32603, "{api}, {what}");
                let said = error.message;
                assert!(said.starts_with(&sentence) && said.len() < 700, "{api}, {what}: {said}, not {sentence}");
                let (_, next) = said.split_once('\n').expect("what to do next");
                assert!(next.ends_with('.') && !next.contains('\n'), "{api}, {what}: {said}");
                goes_on(&editor, &id, server, what).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn an_answer_that_never_ends_is_over_when_it_is_cancelled() {
    for api in APIS {
        with_server(api, json!({"enabled": false}), async |editor, id, server| {
            for (what, reply) in [("no status", Reply::silence()), ("half an answer", Reply::text("Half").hang())] {
                let (told, asked) = (editor.updates(&id).len(), server.requests().len());
                server.push(reply);
                let stop = async {
                    match what {
                        "half an answer" => {
                            let half = |update: &SessionUpdate| matches!(update, SessionUpdate::AgentMessageChunk(_));
                            let mut updates = editor.updates(&id);
                            while !updates[told..].iter().any(half) {
                                tokio::task::yield_now().await;
                                updates = editor.updates(&id);
                            }
                        }
                        _ => server.arrived(asked + 1).await,
                    }
                    editor.cancel(&id);
                };
                let (done, ()) = tokio::join!(editor.prompt(&id, "Go"), stop);
                assert_eq!(done, Ok(StopReason::Cancelled), "{api}, {what}");
                goes_on(&editor, &id, server, what).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn failures_that_pass_are_tried_again() {
    with_server(APIS[0], json!({"baseDelayMs": 1, "maxRetries": 2}), async |editor, id, server| {
        server.push(Reply::http_error(500, "out of memory"));
        server.push(Reply::text("Half an").cut());
        server.push(Reply::text("Better"));
        assert_eq!(editor.prompt(&id, "Go").await, Ok(StopReason::EndTurn));
        assert_eq!(editor.said(&id).last().map(String::as_str), Some("says: Better"));
    })
    .await;
}

#[tokio::test]
async fn a_refusal_is_a_sentence() {
    with_server(APIS[0], json!({"baseDelayMs": 1, "maxRetries": 1}), async |editor, id, server| {
        let refusal = json!({"error": {"message": format!("No. {}", "x".repeat(2000))}}).to_string();
        server.push(Reply::http_error(401, refusal));
        let text = editor.prompt(&id, "Go").await.expect_err("refused").message;
        let begin = format!("local/m at {} answered with status 401 (key from models.json): No. xxx", host(server));
        let next = "xxx…\nCheck the key, or give another one with --api-key or `tau auth login local --api-key`.";
        assert!(text.starts_with(&begin) && text.ends_with(next) && text.len() < 600, "{text}");
        server.push(Reply::http_error(500, "out of memory"));
        server.push(Reply::http_error(500, "out of memory"));
        let text = editor.prompt(&id, "Go").await.expect_err("failed").message;
        let sentence = format!(
            "local/m at {} answered with status 500 (key from models.json): out of memory\nThe provider has a problem: try \
             again later, or choose another model with --model.",
            host(server)
        );
        assert_eq!(text, sentence);
        let told = format!("{:?}", editor.updates(&id));
        assert!(!told.contains("s3cret"), "{told}");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_counts_no_tokens_leaves_an_estimate() {
    for api in APIS {
        with_server(api, json!({}), async |editor, id, server| {
            let long = "word ".repeat(2000);
            server.push(Reply::text(long.as_str()).usage(ReplyUsage { input: 0, output: 0, ..ReplyUsage::default() }));
            assert_eq!(editor.prompt(&id, "Go").await, Ok(StopReason::EndTurn));
            let used = editor.updates(&id).into_iter().rev().find_map(|update| match update {
                SessionUpdate::UsageUpdate(usage) => Some(usage.used),
                _ => None,
            });
            assert!(used.is_some_and(|tokens| tokens >= 2000), "{api}: {used:?}");
        })
        .await;
    }
}
