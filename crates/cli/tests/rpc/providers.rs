//! Model servers that fail, seen by a client: what it reads, and that the session goes on.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::mpsc;

use serde_json::{Value, json};
use tau_rpc::{Abort, GetLastAssistantText, GetSessionStats, GetState};
use tau_testkit::loopback::{LoopbackServer, Reply, ReplyUsage, failing};
use tau_testkit::{RpcClient, TempHome};

use super::support::{run, text};

const APIS: [&str; 2] = ["openai-completions", "anthropic-messages"];

/// A client of a tau that asks the server at this address.
fn start(home: &TempHome, url: &str, api: &str, retry: &Value) -> RpcClient {
    let path = if api == "openai-completions" { "/v1" } else { "" };
    let provider = json!({
        "baseUrl": format!("{url}{path}"), "api": api, "apiKey": "s3cret-value", "models": [{"id": "m"}],
    });
    home.write_agent("models.json", json!({"providers": {"local": provider}}).to_string());
    home.write_agent("settings.json", json!({"retry": retry}).to_string());
    let mut command = Command::new(env!("CARGO_BIN_EXE_tau"));
    command.env_clear().envs(home.vars()).current_dir(home.cwd());
    RpcClient::start(command.args(["--mode", "rpc", "--model", "local/m"]))
}

/// The answer works, and nothing is left of the one before.
fn goes_on(client: &RpcClient, server: &LoopbackServer, what: &str) {
    let state = client.call(GetState {}).expect("a state");
    assert!(!state.is_streaming && state.pending_message_count == 0, "{what}");
    server.push(Reply::text("Well again."));
    run(client, "And now?");
    let said = client.call(GetLastAssistantText {}).expect("an answer").text;
    assert_eq!(said.as_deref(), Some("Well again."), "{what}");
}

fn host(server: &LoopbackServer) -> String {
    server.url().replace("http://", "")
}

fn notices(records: &[Value]) -> Vec<&str> {
    let notices = records.iter().filter(|record| record["method"] == "notify" && record["notifyType"] == "error");
    notices.filter_map(|record| record["message"].as_str()).collect()
}

#[test]
fn no_failure_of_a_server_holds_the_session_up() {
    for api in APIS {
        let (home, server) = (TempHome::new(), LoopbackServer::start([]));
        let client = start(&home, &server.url(), api, &json!({"enabled": false}));
        for failing in failing() {
            let (what, sentence) = (failing.what, failing.sentence(&host(&server)));
            server.push(failing.reply);
            let told = run(&client, "Go");
            let end = told.iter().rfind(|record| record["type"] == "message_end").expect("an answer");
            let (reason, why) = (&end["message"]["stopReason"], end["message"]["errorMessage"].as_str());
            assert!(reason == "error" && why.is_some_and(|why| !why.is_empty()), "{api}, {what}: {end}");
            let said = notices(&told);
            let [said] = &said[..] else { panic!("{api}, {what}: one sentence, not {said:?}") };
            assert!(said.starts_with(&sentence) && said.len() < 700, "{api}, {what}: {said}, not {sentence}");
            let (_, next) = said.split_once('\n').expect("what to do next");
            assert!(next.ends_with('.') && !next.contains('\n'), "{api}, {what}: {said}");
            goes_on(&client, &server, what);
        }
        assert!(!home.cwd().join("ne").exists());
        assert_eq!(client.close().status.code(), Some(0));
    }
}

#[test]
fn an_answer_that_never_ends_is_over_when_it_is_aborted() {
    for api in APIS {
        let (home, server) = (TempHome::new(), LoopbackServer::start([]));
        let client = start(&home, &server.url(), api, &json!({"enabled": false}));
        for (what, reply) in [("no status", Reply::silence()), ("half an answer", Reply::text("Half").hang())] {
            let (mark, before) = (client.mark(), server.requests().len());
            server.push(reply);
            client.call(text("Go")).expect("the prompt is taken");
            match what {
                "half an answer" => drop(client.event(mark, "message_update")),
                _ => {
                    while server.requests().len() == before {
                        std::thread::yield_now();
                    }
                }
            }
            client.call(Abort {}).expect("it ends");
            client.event(mark, "agent_settled");
            goes_on(&client, &server, what);
        }
        // The end of the input ends it too.
        server.push(Reply::text("Half").hang());
        let mark = client.mark();
        client.call(text("Go")).expect("the prompt is taken");
        client.event(mark, "message_update");
        assert_eq!(client.close().status.code(), Some(0));
    }
}

#[test]
fn failures_that_pass_are_told_and_tried_again() {
    let (home, server) = (TempHome::new(), LoopbackServer::start([]));
    let client = start(&home, &server.url(), APIS[0], &json!({"baseDelayMs": 1, "maxRetries": 2}));
    for reply in [Reply::http_error(500, "out of memory"), Reply::text("Half an").cut(), Reply::text("Better")] {
        server.push(reply);
    }
    let told = run(&client, "Go");
    let retries: Vec<&Value> = told.iter().filter(|record| record["type"] == "auto_retry_start").collect();
    assert_eq!(retries.len(), 2);
    let end = told.iter().find(|record| record["type"] == "auto_retry_end").expect("the end of the retries");
    assert_eq!((&end["success"], notices(&told)), (&json!(true), vec![]));
    assert_eq!(client.call(GetLastAssistantText {}).expect("an answer").text.as_deref(), Some("Better"));
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn a_refusal_is_a_sentence_for_people_and_the_words_of_the_provider_for_programs() {
    let (home, server) = (TempHome::new(), LoopbackServer::start([]));
    let client = start(&home, &server.url(), APIS[0], &json!({"baseDelayMs": 1, "maxRetries": 1}));
    let refusal = json!({"error": {"message": format!("No. {}", "x".repeat(2000))}}).to_string();
    server.push(Reply::http_error(401, refusal));
    let told = run(&client, "Go");
    let end = told.iter().rfind(|record| record["type"] == "message_end").expect("an answer");
    assert!(end["message"]["errorMessage"].as_str().expect("an error").starts_with("401: {\"message\":\"No. xxx"));
    let said = notices(&told);
    let [sentence] = &said[..] else { panic!("one sentence: {said:?}") };
    let begin = format!("local/m at {} answered with status 401 (key from models.json): No. xxx", host(&server));
    let next = "xxx…\nCheck the key, or give another one with --api-key or `tau auth login local --api-key`.";
    assert!(sentence.starts_with(&begin) && sentence.ends_with(next) && sentence.len() < 600, "{sentence}");

    // One that is tried again is explained when it is given up, and only then.
    server.push(Reply::http_error(500, "out of memory"));
    server.push(Reply::http_error(500, "out of memory"));
    let told = run(&client, "Go");
    let sentence = format!(
        "local/m at {} answered with status 500 (key from models.json): out of memory\nThe provider has a problem: try again \
         later, or choose another model with --model.",
        host(&server)
    );
    assert_eq!(notices(&told), [sentence]);
    let end = client.close();
    assert_eq!(end.status.code(), Some(0));
    assert!(!format!("{:?}{}", end.records, end.stderr).contains("s3cret"), "{end:?}");
}

#[test]
fn a_server_that_counts_no_tokens_leaves_an_estimate() {
    for api in APIS {
        let (home, server) = (TempHome::new(), LoopbackServer::start([]));
        let client = start(&home, &server.url(), api, &json!({}));
        let long = "word ".repeat(2000);
        server.push(Reply::text(long.as_str()).usage(ReplyUsage { input: 0, output: 0, ..ReplyUsage::default() }));
        run(&client, "Go");
        let usage = client.call(GetSessionStats {}).expect("numbers").context_usage.expect("a model");
        assert!(usage.tokens.is_some_and(|tokens| tokens >= 2000), "{usage:?}");
        assert_eq!(client.close().status.code(), Some(0));
    }
}

/// A server that writes these bytes to one connection after another and closes it. Without bytes it closes at once.
fn bytes_server(answers: mpsc::Receiver<Option<&'static str>>) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for answer in answers {
            let (stream, _) = listener.accept().expect("a connection");
            let Some(answer) = answer else { continue };
            let mut reader = BufReader::new(&stream);
            let mut length = 0;
            for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().expect("a number");
                }
            }
            std::io::copy(&mut reader.take(length), &mut std::io::sink()).expect("a body");
            (&stream).write_all(answer.as_bytes()).expect("somebody who reads");
        }
    });
    url
}

#[test]
fn what_is_no_answer_at_all_is_an_error_too() {
    let (answers, receiver) = mpsc::channel();
    let home = TempHome::new();
    let client = start(&home, &bytes_server(receiver), APIS[0], &json!({"enabled": false}));
    for answer in [
        None,
        Some(""),
        Some("What?\n"),
        Some("HTTP/1.1 200"),
        Some(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {\"choices\": [{\"ind",
        ),
        Some("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100\r\n\r\ndata: {\"cho"),
        Some("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n40\r\ndata: "),
        Some("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    ] {
        answers.send(answer).expect("the server");
        let told = run(&client, "Go");
        let end = told.iter().rfind(|record| record["type"] == "message_end").expect("an answer");
        assert_eq!(end["message"]["stopReason"], "error", "{answer:?}: {end}");
        assert!(!client.call(GetState {}).expect("a state").is_streaming, "{answer:?}");
    }
    let good = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
                data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"Well.\"}, \"finish_reason\": \"stop\"}]}\n\n\
                data: [DONE]\n\n";
    answers.send(Some(good)).expect("the server");
    run(&client, "And now?");
    assert_eq!(client.call(GetLastAssistantText {}).expect("an answer").text.as_deref(), Some("Well."));
    assert_eq!(client.close().status.code(), Some(0));
}
