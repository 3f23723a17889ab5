//! Servers of the web: those that do what they should, and those that do not.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, Response};
use axum::routing::any;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_mcp::State;

use crate::support::{Stage, entry, with};

/// A request as a server saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    pub fn rpc(&self) -> String {
        self.json()["method"].as_str().unwrap_or_default().to_owned()
    }
}

pub type Reply = Response<Body>;

pub fn reply(status: u16, kind: &str, body: impl Into<String>) -> Reply {
    let builder = Response::builder().status(status).header("content-type", kind);
    builder.body(Body::from(body.into())).expect("a reply")
}

pub fn json_reply(body: &Value) -> Reply {
    reply(200, "application/json", body.to_string())
}

/// An address on this machine that answers with a function.
pub struct Site {
    pub address: SocketAddr,
    pub seen: Arc<Mutex<Vec<Seen>>>,
}

impl Site {
    pub async fn new(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
        let handler = any(move |request: Request| {
            let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
            async move {
                let (parts, body) = request.into_parts();
                let body = axum::body::to_bytes(body, usize::MAX).await.expect("a body");
                let path = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
                let body = String::from_utf8_lossy(&body).into_owned();
                let one = Seen { method: parts.method, path, headers: parts.headers, body };
                log.lock().push(one.clone());
                answer(&one)
            }
        });
        let app = Router::new().fallback(handler);
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, seen }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().clone()
    }
}

/// What an honest server answers to a message; nothing to a notification.
pub fn honest(seen: &Seen) -> Reply {
    let message = seen.json();
    let answer = |result: Value| json_reply(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
    match (seen.method.as_str(), seen.rpc().as_str()) {
        ("POST", "initialize") => {
            let mut reply = answer(json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}}));
            reply.headers_mut().insert("mcp-session-id", "one".parse().expect("a value"));
            reply
        }
        ("POST", "tools/list") => answer(json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})),
        ("POST", "tools/call") => {
            answer(json!({"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}))
        }
        ("POST", method) if message.get("id").is_some() => {
            let error = json!({"code": -32601, "message": format!("no method {method}")});
            json_reply(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}))
        }
        ("POST", _) => reply(202, "text/plain", ""),
        ("DELETE", _) => reply(200, "text/plain", ""),
        _ => reply(405, "text/plain", ""),
    }
}

fn web(name: &str, url: &str, keys: Value) -> Stage {
    Stage::new(vec![entry(name, with(json!({"url": url}), keys))])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_reached_with_headers_and_its_session_ends() {
    let site = Site::new(honest).await;
    let stage = web("s", &site.url("/mcp"), json!({"headers": {"Authorization": "Bearer k", "X-Own": "v"}}));
    assert_eq!(stage.text("s", "echo", "hello").await, "hello");
    stage.manager.close().await;
    let seen = site.seen();
    assert!(seen.iter().all(|one| one.header("authorization").as_deref() == Some("Bearer k")));
    assert!(seen.iter().all(|one| one.header("x-own").as_deref() == Some("v")));
    assert!(seen.iter().all(|one| one.header("user-agent").is_some_and(|agent| agent.starts_with("tau/"))));
    let call = seen.iter().find(|one| one.rpc() == "tools/call").expect("a call");
    assert_eq!(call.header("mcp-session-id").as_deref(), Some("one"));
    assert_eq!(call.header("mcp-protocol-version").as_deref(), Some("2025-11-25"));
    assert!(seen.iter().any(|one| one.method == Method::DELETE));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_the_server_forgot_begins_anew_and_no_call_is_repeated() {
    let forgotten = Mutex::new(false);
    let site = Site::new(move |seen| {
        if seen.rpc() == "tools/call" && !std::mem::replace(&mut *forgotten.lock(), true) {
            return reply(404, "text/plain", "who are you?");
        }
        honest(seen)
    })
    .await;
    let stage = web("s", &site.url("/mcp"), json!({}));
    let gone = format!(
        "MCP request failed: {} does not know the session any more (HTTP 404); the next call begins another one",
        site.url("/mcp")
    );
    assert_eq!(stage.call("s", "echo", "once").await, Err(gone));
    assert_eq!(stage.text("s", "echo", "again").await, "again");
    let count = |method: &str| site.seen().iter().filter(|one| one.rpc() == method).count();
    assert_eq!((count("initialize"), count("tools/call")), (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn passing_failures_of_the_start_are_tried_again() {
    let left = Mutex::new(2);
    let site = Site::new(move |seen| {
        let mut left = left.lock();
        if seen.rpc() == "server/discover" && *left > 0 {
            *left -= 1;
            return reply(503, "text/plain", "busy");
        }
        honest(seen)
    })
    .await;
    let stage = web("s", &site.url("/mcp"), json!({}));
    assert_eq!(stage.settled("s").await, (State::Connected, None));
    let refusing = Site::new(|_| reply(500, "text/html", format!("<h1>{}</h1>", "x".repeat(100_000)))).await;
    let stage = web("s", &refusing.url("/mcp"), json!({}));
    let (state, error) = stage.settled("s").await;
    assert_eq!((state, refusing.seen().len()), (State::Failed, 3));
    assert!(error.as_ref().is_some_and(|error| error.contains("500") && error.len() < 600), "{error:?}");
    let nobody = web("s", "http://127.0.0.1:1/mcp", json!({}));
    assert_eq!(nobody.settled("s").await.0, State::Failed);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_never_repeated() {
    let site =
        Site::new(|seen| if seen.rpc() == "tools/call" { reply(503, "text/plain", "busy") } else { honest(seen) })
            .await;
    let stage = web("s", &site.url("/mcp"), json!({}));
    let error = stage.call("s", "echo", "").await.expect_err("an error");
    assert!(error.contains("503"), "{error}");
    assert_eq!(site.seen().iter().filter(|one| one.rpc() == "tools/call").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_followed_at_home_only() {
    let site = Site::new(|seen| {
        if seen.path == "/mcp" {
            let mut away = reply(307, "text/plain", "");
            away.headers_mut().insert("location", "/mcp/".parse().expect("a value"));
            return away;
        }
        honest(seen)
    })
    .await;
    let stage = web("s", &site.url("/mcp"), json!({}));
    assert_eq!(stage.settled("s").await, (State::Connected, None));

    let thief = Site::new(honest).await;
    let place = thief.url("/mcp");
    for status in [301, 302, 303, 307, 308] {
        let place = place.clone();
        let site = Site::new(move |_| {
            let mut away = reply(status, "text/plain", "");
            away.headers_mut().insert("location", place.parse().expect("a value"));
            away
        })
        .await;
        let stage = web("s", &site.url("/mcp"), json!({"headers": {"Authorization": "Bearer secret"}}));
        assert_eq!(stage.settled("s").await.0, State::Failed, "{status}");
    }
    assert_eq!(thief.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_given_with_all_that_is_in_it_in_either_way() {
    let result = json!({"content": [{"type": "text", "text": "a", "own": 1}], "own": {"x": [1.5]}});
    let told = result.clone();
    let site = Site::new(move |seen| {
        let answer = json!({"jsonrpc": "2.0", "id": seen.json()["id"], "result": told});
        match seen.json()["params"]["arguments"]["text"].as_str() {
            Some("stream") => reply(200, "text/event-stream", format!("data: {answer}\n\n")),
            Some("document") => json_reply(&answer),
            _ => honest(seen),
        }
    })
    .await;
    let stage = web("s", &site.url("/mcp"), json!({}));
    for way in ["stream", "document"] {
        assert_eq!(stage.call("s", "echo", way).await.as_ref(), Ok(&result), "{way}");
    }
}

type Answering = Box<dyn Fn(&Seen) -> Reply + Send + Sync>;

#[tokio::test(flavor = "multi_thread")]
async fn large_and_broken_answers_are_errors_and_the_server_stays() {
    let with_header = |mut reply: Reply, name: &'static str, value: &str| {
        reply.headers_mut().insert(name, value.parse().expect("a value"));
        reply
    };
    let answers: [(&str, Answering, &str); 13] = [
        (
            "large",
            Box::new(|seen| {
                let text = "x".repeat(17 << 20);
                json_reply(
                    &json!({"jsonrpc": "2.0", "id": seen.json()["id"], "result": {"content": [{"type": "text", "text": text}]}}),
                )
            }),
            "the answer of ADDRESS is larger than 16 MiB",
        ),
        (
            "html",
            Box::new(|_| reply(203, "Text/HTML; charset=utf-8", "<html><title>Sign in</title>")),
            "ADDRESS answers with HTTP 203 and text/html (Sign in), which is no message of the protocol",
        ),
        (
            "broken",
            Box::new(|_| reply(200, "application/json", "{")),
            "ADDRESS answers with HTTP 200 and application/json ({), which is no message of the protocol",
        ),
        (
            "nothing",
            Box::new(|_| reply(200, "application/json", "")),
            "ADDRESS answers with HTTP 200 and application/json that is empty, which is no message of the protocol",
        ),
        (
            "packed",
            Box::new(|_| {
                let body = Body::from(vec![0x1f, 0x8b, 8, 0, 0, 0, 0xff, 0xfe]);
                Response::builder().header("content-type", "application/json").body(body).expect("a reply")
            }),
            "ADDRESS answers with HTTP 200 and application/json (8 bytes of binary data), which is no message",
        ),
        (
            "not packed",
            Box::new(move |_| {
                with_header(reply(200, "application/json", "{ }".repeat(20)), "content-encoding", "gzip")
            }),
            "ADDRESS answers with HTTP 200 and application/json that is not compressed in the way that its header says",
        ),
        (
            "packed otherwise",
            Box::new(move |_| with_header(reply(200, "application/json", "{}"), "content-encoding", "zip")),
            "ADDRESS answers with HTTP 200 and application/json in the encoding \"zip\", which is no message",
        ),
        (
            "error",
            Box::new(|seen| {
                reply(
                    200,
                    "application/json",
                    format!(r#"{{"jsonrpc":"2.0","id":{},"error":"no"}}"#, seen.json()["id"]),
                )
            }),
            "the answer of the server cannot be understood: its error has no code and message",
        ),
        (
            "header",
            Box::new(move |_| with_header(reply(200, "application/json", "{}"), "x-large", &"x".repeat(4_000_000))),
            "the connection to ADDRESS broke: ",
        ),
        (
            "page",
            Box::new(|_| reply(502, "text/html", "<html><title>Bad Gateway</title>")),
            "ADDRESS answers with HTTP 502 (Bad Gateway); try again later",
        ),
        (
            "empty",
            Box::new(|_| reply(200, "text/event-stream", "")),
            "the answer of the server cannot be understood: its stream of events ended before the answer",
        ),
        (
            "noise",
            Box::new(|_| reply(200, "text/event-stream", "data: hello\n\ndata: {\n\n")),
            "its stream of events ended before the answer; it holds what is no message: hello",
        ),
        (
            "event",
            Box::new(|seen| {
                let id = &seen.json()["id"];
                reply(200, "text/event-stream", format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id}}}\n\n"))
            }),
            "the answer of the server cannot be understood: it has neither a result nor an error",
        ),
    ];
    let expected: Vec<(&str, &str)> = answers.iter().map(|(name, _, told)| (*name, *told)).collect();
    let site = Site::new(move |seen| {
        let kind = seen.json()["params"]["arguments"]["text"].as_str().map(str::to_owned);
        let answer = answers.iter().find(|(name, ..)| kind.as_deref() == Some(name));
        answer.map_or_else(|| honest(seen), |(_, answer, _)| answer(seen))
    })
    .await;
    let stage = web("s", &site.url("/mcp"), json!({"timeout": 20}));
    for (name, told) in expected {
        let error = stage.call("s", "echo", name).await.expect_err("an error");
        let told = told.replace("ADDRESS", &site.url("/mcp"));
        assert!(error.contains(&told) && error.len() < 700, "{name}: {error}");
        assert_eq!(stage.text("s", "echo", "fine").await, "fine", "after {name}: {error}");
    }
    // It was the same session all the time.
    assert_eq!(site.seen().iter().filter(|one| one.rpc() == "initialize").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_of_a_session_that_cannot_be_used_is_refused() {
    let long = "x".repeat(100_000);
    for (id, told) in [
        (long.as_str(), "it is 100000 bytes long, and 4096 are the most"),
        ("a b", "it must consist of visible ASCII characters"),
        ("", "it must consist of visible ASCII characters"),
    ] {
        let kept = id.to_owned();
        let site = Site::new(move |seen| {
            let mut reply = honest(seen);
            if reply.headers().contains_key("mcp-session-id") {
                reply.headers_mut().insert("mcp-session-id", kept.parse().expect("a value"));
            }
            reply
        })
        .await;
        let (state, error) = web("s", &site.url("/mcp"), json!({})).settled("s").await;
        let told = format!(
            "{} gives the session an id that cannot be used: {told}; report this to those who run the server",
            site.url("/mcp")
        );
        assert_eq!((state, error), (State::Failed, Some(told)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_cannot_be_reached_is_named_with_what_to_do() {
    let (state, error) = web("s", "http://127.0.0.1:1/mcp?key=hidden", json!({})).settled("s").await;
    let told =
        "nothing listens at http://127.0.0.1:1/mcp (connection refused); start the server, or correct its \"url\"";
    assert_eq!((state, error.as_deref()), (State::Failed, Some(told)));
    let site = Site::new(honest).await;
    let url = site.url("/mcp").replace("http:", "https:");
    let (state, error) = web("s", &url, json!({})).settled("s").await;
    let error = error.expect("an error");
    assert_eq!(state, State::Failed);
    assert!(error.starts_with(&format!("there is no secure connection to {url}: ")), "{error}");
    assert!(error.contains("the https of its \"url\"") && !error.contains("client error"), "{error}");
    let nowhere = Site::new(|_| reply(404, "text/html", "<title>Not here</title>")).await;
    let (_, error) = web("s", &nowhere.url("/"), json!({})).settled("s").await;
    let told = format!("{} answers with HTTP 404 (Not here); check the \"url\" of the server", nowhere.url("/"));
    assert_eq!(error, Some(told));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_wants_a_login_says_so() {
    for challenge in [Some("Bearer resource_metadata=\"http://x/y\""), None] {
        let site = Site::new(move |_| {
            let mut refusal = reply(401, "text/plain", "who are you?");
            if let Some(challenge) = challenge {
                refusal.headers_mut().insert("www-authenticate", challenge.parse().expect("a value"));
            }
            refusal
        })
        .await;
        let stage = web("s", &site.url("/mcp"), json!({}));
        assert_eq!(stage.settled("s").await.0, State::NeedsSignIn);
        assert_eq!(stage.server("s").status().challenge.as_deref(), challenge);
        let told = "MCP server \"s\" needs a sign-in; the user can run `tau mcp login s`";
        assert_eq!(stage.call("s", "echo", "").await, Err(told.to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_of_an_entry_are_in_no_error() {
    let secret = "s3cr3t-value";
    for keys in [json!({"headers": {"X": format!("{secret}\n")}}), json!({"headers": {"Mcp-Session-Id": secret}})] {
        let site = Site::new(honest).await;
        let stage = web("s", &site.url(&format!("/mcp?key={secret}")), keys);
        let (state, error) = stage.settled("s").await;
        assert_eq!(state, State::Failed);
        assert!(!error.clone().unwrap_or_default().contains(secret), "{error:?}");
    }
    let stage = web("s", &format!("http://127.0.0.1:1/mcp?key={secret}"), json!({}));
    let (_, error) = stage.settled("s").await;
    assert!(!error.clone().unwrap_or_default().contains(secret), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_in_place_of_a_handshake_is_told() {
    for kind in ["text/html", "text/plain"] {
        let site = Site::new(move |_| reply(200, kind, "<html>hello</html>")).await;
        let (state, error) = web("s", &site.url("/"), json!({})).settled("s").await;
        let told = format!(
            "{} answers with HTTP 200 and {kind}, which is no message of the protocol; check the \"url\" of the server, and \
             the proxy if you use one",
            site.url("/")
        );
        assert_eq!((state, error), (State::Failed, Some(told)));
    }
}
