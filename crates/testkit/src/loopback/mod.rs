//! A model server on the loopback interface that speaks the wire formats from a script.
//!
//! It answers the n-th request with the n-th [`Reply`], in the format of the path that was asked for
//! (`/v1/messages`, `/chat/completions`, `/responses` or `:streamGenerateContent`), and records what it was sent. It runs on a thread of its own, so
//! that blocking tests and tests of whole programs can use it too.

mod amazon;
mod anthropic;
mod body;
mod failing;
mod google;
mod openai;
mod reply;
mod responses;

use std::collections::{BTreeMap, VecDeque};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, Request, StatusCode};
use axum::response::Response;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

pub use amazon::{AMAZON_STREAM, amazon_frame};
pub use failing::{Failing, failing};
pub use reply::{End, Part, Reply, ReplyUsage};

/// The ends of paths of interfaces that answer with one document.
const DOCUMENTS: [&str; 7] =
    ["/systemone", "/run", "/decisions", "/tokenize", "/apply-template", "/completion", "/v1/models"];

/// A request as it arrived. Headers and body are complete, secrets included.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// For example `POST`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body; a string when it is no JSON.
    pub body: Value,
}

/// The server. It stops when it is dropped.
pub struct LoopbackServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    left: watch::Receiver<usize>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Shared {
    script: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<RecordedRequest>>,
    arrived: watch::Sender<usize>,
    left: watch::Sender<usize>,
}

impl LoopbackServer {
    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// # Panics
    /// When the loopback interface cannot be bound.
    #[expect(clippy::expect_used, reason = "a test without its server cannot go on")]
    pub fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("bind 127.0.0.1");
        let address = listener.local_addr().expect("the bound address");
        listener.set_nonblocking(true).expect("a nonblocking socket");
        let (left_sender, left) = watch::channel(0);
        let shared = Arc::new(Shared {
            script: Mutex::new(script.into_iter().collect()),
            requests: Mutex::new(Vec::new()),
            arrived: watch::channel(0).0,
            left: left_sender,
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let state = Arc::clone(&shared);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let thread = std::thread::spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let app = axum::Router::new().fallback(answer).with_state(state);
                tokio::select! {
                    _ = axum::serve(listener, app) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, shared, left, stop: Some(stop), thread: Some(thread) }
    }

    /// The root, without a path: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far, in order.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.requests.lock().clone()
    }

    /// Adds a reply to the end of the script.
    pub fn push(&self, reply: Reply) {
        self.shared.script.lock().push_back(reply);
    }

    /// How many replies of the script were not asked for.
    pub fn unused(&self) -> usize {
        self.shared.script.lock().len()
    }

    /// Waits until `count` requests have arrived.
    pub async fn arrived(&self, count: usize) {
        let mut arrived = self.shared.arrived.subscribe();
        // The sender lives as long as this server.
        let _ = arrived.wait_for(|seen| *seen >= count).await;
    }

    /// How many clients closed their connection before their reply was complete.
    pub fn disconnects(&self) -> usize {
        *self.left.borrow()
    }

    /// Waits until `count` clients closed their connection before their reply was complete.
    pub async fn disconnected(&self, count: usize) {
        let mut left = self.left.clone();
        let _ = left.wait_for(|seen| *seen >= count).await;
    }
}

impl Drop for LoopbackServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // A server that has ended need not be told.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    let (head, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let body: Value =
        serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    let path = head.uri.path().to_owned();
    let model = body["model"].as_str().unwrap_or_default().to_owned();
    let headers = head
        .headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    shared.requests.lock().push(RecordedRequest {
        method: head.method.as_str().to_owned(),
        path: head.uri.path_and_query().map_or_else(|| path.clone(), ToString::to_string),
        headers: headers.collect(),
        body,
    });
    shared.arrived.send_modify(|count| *count += 1);

    let encode = if path.ends_with("/messages") {
        anthropic::encode
    } else if path.ends_with("/chat/completions") {
        openai::encode
    } else if path.ends_with(":streamGenerateContent") || path.ends_with("/token") {
        // A login of Google Cloud asks for tokens: a reply with a status and a body.
        google::encode
    } else if path.ends_with("/converse-stream") || DOCUMENTS.iter().any(|end| path.ends_with(end)) {
        // Frames are no text, and documents no streams: replies bring them as they stand.
        |_: &Reply, _: &str| Vec::new()
    } else if path.ends_with("/responses") {
        responses::encode
    } else {
        return refuse(StatusCode::NOT_FOUND, &format!("the loopback server has no endpoint {path}"));
    };
    let Some(reply) = shared.script.lock().pop_front() else {
        let count = shared.requests.lock().len();
        let text = format!("the script of the loopback server ended before request {count}");
        return refuse(StatusCode::INTERNAL_SERVER_ERROR, &text);
    };
    let left = shared.left.clone();
    respond(reply, encode, &model, left).await
}

async fn respond(
    reply: Reply,
    encode: fn(&Reply, &str) -> Vec<String>,
    model: &str,
    left: watch::Sender<usize>,
) -> Response {
    let mut watchman = body::Watchman::new(left);
    tokio::time::sleep(reply.head_delay).await;
    if reply.never_answers {
        std::future::pending::<()>().await;
    }
    let mut response = match &reply.refusal {
        Some((status, text)) => {
            watchman.done();
            let body =
                if matches!(reply.end, End::Hang) { body::endless(text.clone()) } else { Body::from(text.clone()) };
            let mut response = Response::new(body);
            *response.status_mut() = StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
            response
        }
        None if reply.verbatim.is_some() => {
            watchman.done();
            let (kind, body) = reply.verbatim.clone().unwrap_or_default();
            let mut response = Response::new(Body::from(body));
            if let Ok(kind) = HeaderValue::from_str(&kind) {
                response.headers_mut().insert("content-type", kind);
            }
            response
        }
        None => {
            let events = encode(&reply, model);
            let mut response = Response::new(Body::from_stream(body::stream(&reply, events, watchman)));
            response.headers_mut().insert("content-type", HeaderValue::from_static("text/event-stream"));
            response
        }
    };
    for (name, value) in &reply.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn refuse(status: StatusCode, text: &str) -> Response {
    let body = json!({"type": "error", "error": {"type": "loopback_error", "message": text}});
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
    response
}
