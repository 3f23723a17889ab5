//! The HTTP client behind `fetch`: one request and one answer. Redirects and everything else the web platform says
//! about them is TypeScript.

mod body;
mod error;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rquickjs::{Array, Ctx, IntoJs, Object, Value};
use serde_json::Value as Json;
use tau_http::{Clients, Policy};
use tokio::io::DuplexStream;
use tokio_util::sync::CancellationToken;

use super::{Bytes, Json as JsonArg, OpError, Stream, defect};
use crate::ops::OpHost;
use crate::ops::table::{Host, Promised, ops, typed};

ops! {
    /// The HTTP client behind `fetch`.
    pub static OPS: watched;

    /// The number of a stream to write a request's body to.
    fn fetchBodyOpen() = fetch_body_open, Pure;
    /// Ends a request.
    fn fetchAbort(id) = fetch_abort, Pure;
    /// Sends a request; gives the head of the answer.
    fn fetchStart(request: "HttpRequest", bytes) = fetch_start, Refused;
}

/// How long a connection may take, as in Node.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the other side may send nothing, as in Node.
const SILENCE: Duration = Duration::from_secs(300);
/// The variables for proxies.
const PROXIES: [&str; 6] = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// How much of a streamed request body may wait.
const UPLOAD_BUFFER: usize = 64 * 1_024;

/// The head of an answer; the body is read by number.
struct Answer {
    status: u16,
    status_text: String,
    headers: Vec<(String, String)>,
    rid: u32,
}

impl<'js> IntoJs<'js> for Answer {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let headers = Array::new(ctx.clone())?;
        for (index, (name, value)) in self.headers.into_iter().enumerate() {
            let pair = Array::new(ctx.clone())?;
            pair.set(0, name)?;
            pair.set(1, value)?;
            headers.set(index, pair)?;
        }
        let answer = Object::new(ctx.clone())?;
        answer.set("status", self.status)?;
        answer.set("statusText", self.status_text)?;
        answer.set("headers", headers)?;
        answer.set("rid", self.rid)?;
        Ok(answer.into_value())
    }
}

typed! {
    Answer = "{ status: number; statusText: string; headers: [string, string][]; rid: number }";
}

/// What the requests of one engine share.
struct Fetches {
    clients: Clients,
    /// How to stop requests whose answer has not come.
    running: RefCell<HashMap<u32, CancellationToken>>,
    /// The reading ends of streamed bodies, by the number of the writing end.
    uploads: RefCell<HashMap<u32, DuplexStream>>,
}

impl Fetches {
    /// Those of an engine. What the engine's environment says counts when the first request is made, as in Node.
    fn of(host: &OpHost) -> Rc<Self> {
        host.part_or_else(|| {
            let env = host.env();
            let value = |name: &str| env.get(name).filter(|value| !value.is_empty()).cloned();
            // The client reads the variables of the process by itself, each for its scheme.
            let is_known = PROXIES.iter().any(|name| tau_tools::variable(name).is_some());
            let policy = Policy {
                connect: CONNECT,
                silence: Some(SILENCE),
                proxy: PROXIES.iter().find_map(|name| value(name)).filter(|_| !is_known),
                authorities: value("NODE_EXTRA_CA_CERTS").map(PathBuf::from),
            };
            let clients = Clients::new(policy);
            Rc::new(Self { clients, running: RefCell::default(), uploads: RefCell::default() })
        })
    }
}

/// What JavaScript asks for.
struct Wanted {
    method: reqwest::Method,
    url: reqwest::Url,
    headers: HeaderMap,
}

impl Wanted {
    fn read(request: &Json) -> Result<Self, OpError> {
        let invalid = |what: &str| OpError::type_error("UND_ERR_INVALID_ARG", format!("invalid {what}"));
        let method = request["method"].as_str().unwrap_or("GET");
        let method = method.parse().map_err(|_| invalid("method"))?;
        let url = request["url"].as_str().unwrap_or_default().parse().map_err(|_| invalid("URL"))?;
        let mut headers = HeaderMap::new();
        for pair in request["headers"].as_array().into_iter().flatten() {
            let name = pair[0].as_str().unwrap_or_default();
            if is_managed(name) {
                continue;
            }
            let value: Vec<u8> = pair[1].as_str().unwrap_or_default().chars().map(latin1).collect();
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid("header name"))?;
            headers.append(name, HeaderValue::from_bytes(&value).map_err(|_| invalid("header value"))?);
        }
        Ok(Self { method, url, headers })
    }
}

/// Headers that belong to the connection, which is not the program's.
fn is_managed(name: &str) -> bool {
    ["connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"]
        .iter()
        .any(|managed| name.eq_ignore_ascii_case(managed))
}

/// A header's characters are bytes.
fn latin1(char: char) -> u8 {
    u8::try_from(u32::from(char)).unwrap_or(b'?')
}

fn header_text(value: &HeaderValue) -> String {
    value.as_bytes().iter().map(|byte| char::from(*byte)).collect()
}

impl Fetches {
    async fn send(
        &self,
        wanted: Wanted,
        bytes: Option<Bytes>,
        upload: Option<DuplexStream>,
    ) -> Result<reqwest::Response, OpError> {
        let Wanted { method, url, headers } = wanted;
        let client = self
            .clients
            .get(&url)
            .await
            .map_err(|error| OpError::new("UND_ERR", format!("the HTTP client could not be set up: {error}")))?;
        let mut request = client.request(method, url.clone()).headers(headers);
        if let Some(upload) = upload {
            request = request.body(body::upload(upload));
        } else if let Some(Bytes(bytes)) = bytes {
            if bytes.is_empty() {
                // Some servers wait for a body when nothing says that there is none.
                request = request.header(reqwest::header::CONTENT_LENGTH, 0);
            }
            request = request.body(bytes);
        }
        request.send().await.map_err(|error| error::describe(&error, &url))
    }
}

fn fetch_body_open(Host(host): Host) -> u32 {
    let (writer, reader) = tokio::io::duplex(UPLOAD_BUFFER);
    let rid = host.resources().add(Stream::writable(writer));
    Fetches::of(&host).uploads.borrow_mut().insert(rid, reader);
    rid
}

fn fetch_abort(Host(host): Host, id: u32) {
    if let Some(token) = Fetches::of(&host).running.borrow_mut().remove(&id) {
        token.cancel();
    }
}

fn fetch_start<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    request: JsonArg,
    bytes: Option<Bytes>,
) -> rquickjs::Result<Promised<'js, Answer>> {
    let fetches = Fetches::of(&host);
    let id = request.0["id"].as_u64().and_then(|id| u32::try_from(id).ok());
    let id = id.ok_or_else(|| defect(&ctx, "a request of fetch has no number"))?;
    let upload = request.0["bodyRid"].as_u64().and_then(|rid| u32::try_from(rid).ok());
    let upload = upload.and_then(|rid| fetches.uploads.borrow_mut().remove(&rid));
    let wanted = Wanted::read(&request.0).map_err(|error| error.throw(&ctx))?;
    let token = CancellationToken::new();
    fetches.running.borrow_mut().insert(id, token.clone());
    let (owner, keeper) = (fetches, Rc::clone(&host));
    host.spawn(&ctx, async move {
        let send = owner.send(wanted, bytes, upload);
        let sent = tokio::select! {
            biased;
            () = token.cancelled() => Err(OpError::new("ABORT_ERR", "The operation was aborted")),
            sent = send => sent,
        };
        owner.running.borrow_mut().remove(&id);
        let response = sent?;
        let status = response.status();
        let headers = response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), header_text(value)));
        Ok(Answer {
            status: status.as_u16(),
            status_text: status.canonical_reason().unwrap_or_default().to_owned(),
            headers: headers.collect(),
            rid: keeper.resources().add(Stream::readable(body::Download::new(response, keeper.memory()))),
        })
    })
}
