//! An authorization server on the loopback interface: codes with PKCE, codes for devices, refresh tokens that are good
//! once, the key exchange of OpenRouter, and the token exchange of workloads.
//!
//! It runs on a thread of its own, so that tests of whole programs can use it. A test plays the browser with [`browse`].

mod browser;
mod state;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use url::form_urlencoded;

pub use browser::{browse, sent_to};
use state::Known;

/// How the server answers who asks for tokens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Behaviour {
    /// As it should.
    #[default]
    Works,
    /// As it should, after this time.
    Slow(Duration),
    /// Not at all.
    Silent,
    /// It refuses, with these words of the protocol.
    Refuses(&'static str, &'static str),
    /// With this text and status 200.
    Says(&'static str),
}

/// The server. It stops when it is dropped.
pub struct AuthorizationServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    known: Mutex<Known>,
    behaviour: Mutex<Behaviour>,
    asked: Mutex<Vec<String>>,
}

impl AuthorizationServer {
    /// Starts a server on a free port of 127.0.0.1. Its tokens live for so long.
    ///
    /// # Panics
    /// When the loopback interface cannot be bound.
    #[expect(clippy::expect_used, reason = "a test without its server cannot go on")]
    pub fn start(life: Duration) -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("bind 127.0.0.1");
        let address = listener.local_addr().expect("the bound address");
        listener.set_nonblocking(true).expect("a nonblocking socket");
        let shared = Arc::new(Shared { known: Mutex::new(Known::new(life)), ..Shared::default() });
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
        Self { address, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// The root, without a path: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What `models.json` says of it, with both ways to sign in.
    pub fn description(&self) -> Value {
        let url = self.url();
        json!({
            "name": "Corp account", "clientId": "tau-test", "scopes": ["models"],
            "authorizationUrl": format!("{url}/authorize"),
            "deviceAuthorizationUrl": format!("{url}/device"),
            "tokenUrl": format!("{url}/token"),
        })
    }

    /// Answers differently from now on.
    pub fn behave(&self, behaviour: Behaviour) {
        *self.shared.behaviour.lock() = behaviour;
    }

    /// A login as it stands in `auth.json`: with a refresh token of this server, expired since long ago.
    pub fn expired_login(&self) -> Value {
        let refresh = self.shared.known.lock().refresh_token();
        json!({"type": "oauth", "access": "token-access-of-long-ago", "refresh": refresh, "expires": 5})
    }

    /// What was asked for, in order: the grant types, and the paths of other requests.
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().clone()
    }

    /// The access token that was given out last.
    pub fn last_token(&self) -> String {
        self.shared.known.lock().last_token()
    }

    /// The user types the code of a device.
    pub fn enter(&self, user_code: &str) {
        self.shared.known.lock().enter(user_code);
    }
}

impl Drop for AuthorizationServer {
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

type Fields = BTreeMap<String, String>;

fn fields(text: &[u8]) -> Fields {
    form_urlencoded::parse(text).into_owned().collect()
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    let (head, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let path = head.uri.path();
    let mut given = fields(head.uri.query().unwrap_or_default().as_bytes());
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(Value::Object(body)) => {
            given.extend(body.into_iter().filter_map(|(name, value)| Some((name, value.as_str()?.to_owned()))));
        }
        _ => given.extend(fields(&bytes)),
    }
    let what = given.get("grant_type").map_or(path, String::as_str);
    shared.asked.lock().push(what.rsplit(':').next().unwrap_or(what).to_owned());
    // A page is shown whatever happens to tokens.
    if let "/authorize" | "/auth" = path {
        return redirect(shared.known.lock().authorize(&given));
    }
    let behaviour = shared.behaviour.lock().clone();
    match behaviour {
        Behaviour::Works => {}
        Behaviour::Slow(time) => tokio::time::sleep(time).await,
        Behaviour::Silent => std::future::pending().await,
        Behaviour::Refuses(error, description) => {
            return said(
                StatusCode::BAD_REQUEST,
                &json!({"error": error, "error_description": description}).to_string(),
            );
        }
        Behaviour::Says(text) => return said(StatusCode::OK, text),
    }
    let mut known = shared.known.lock();
    let done = match path {
        "/token" => known.token(&given),
        "/device" => Ok(known.device(&format!("http://{}/enter", header(&head, "host")))),
        "/api/v1/auth/keys" => known.key(&given),
        "/v1/oauth/token" => known.exchange(&given),
        _ => Err("invalid_request"),
    };
    match done {
        Ok(body) => said(StatusCode::OK, &body.to_string()),
        Err(error) => said(StatusCode::BAD_REQUEST, &json!({"error": error}).to_string()),
    }
}

fn header(head: &axum::http::request::Parts, name: &str) -> String {
    head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

fn said(status: StatusCode, text: &str) -> Response {
    let mut response = Response::new(Body::from(text.to_owned()));
    *response.status_mut() = status;
    response
}

fn redirect(to: Result<String, &'static str>) -> Response {
    match to.map(|to| (to.parse::<axum::http::HeaderValue>(), to)) {
        Ok((Ok(location), _)) => {
            let mut response = said(StatusCode::FOUND, "");
            response.headers_mut().insert("location", location);
            response
        }
        Ok((Err(_), to)) => said(StatusCode::BAD_REQUEST, &to),
        Err(error) => said(StatusCode::BAD_REQUEST, error),
    }
}
