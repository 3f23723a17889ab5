//! The client behind `WebSocket`: messages in and out of one connection.

use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use rquickjs::{Array, Ctx, IntoJs, Object, Value};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue, Request, Uri};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, error::ProtocolError};
use tokio_util::sync::CancellationToken;

use super::{Bytes, Charged, OpError, charge};
use crate::ops::table::{Host, Promised, ops, typed};

ops! {
    /// The client behind `WebSocket`.
    pub static OPS: watched;

    /// Opens a connection.
    fn wsConnect(url, protocols, headers) = ws_connect, Refused;
    /// Sends a message.
    fn wsSend(rid, bytes, text) = ws_send, Refused;
    /// The next message, or how the connection ended.
    fn wsRecv(rid) = ws_recv, Recorded;
    /// Says goodbye; the answer comes as the last message.
    fn wsClose(rid, code, reason) = ws_close, Refused;
}

/// The longest message that is taken, in bytes: what a broken server sends must not fill the memory.
const LONGEST: usize = 128 * 1_024 * 1_024;

/// How long the other side may take to hang up after both have said goodbye.
const GOODBYE: Duration = Duration::from_secs(3);

trait Transport: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Transport for T {}

type Stream = WebSocketStream<Box<dyn Transport>>;

/// An open connection.
struct Socket {
    reader: Mutex<SplitStream<Stream>>,
    writer: Mutex<SplitSink<Stream, Message>>,
    closed: CancellationToken,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

/// What `wsConnect` gives.
struct Opened {
    rid: u32,
    protocol: String,
    extensions: String,
}

typed! {
    Opened = "{ rid: number; protocol: string; extensions: string }";
    Received = "{ type: \"text\"; data: string } | { type: \"binary\"; data: Uint8Array } | { type: \"close\"; code: number; reason: string; clean: boolean }";
}

impl<'js> IntoJs<'js> for Opened {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let object = Object::new(ctx.clone())?;
        object.set("rid", self.rid)?;
        object.set("protocol", self.protocol)?;
        object.set("extensions", self.extensions)?;
        Ok(object.into_value())
    }
}

/// What `wsRecv` gives.
enum Received {
    Text(String),
    Binary(Vec<u8>),
    Close { code: u16, reason: String, clean: bool },
}

impl Received {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::Close { reason: text, .. } => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }
}

impl<'js> IntoJs<'js> for Received {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let object = Object::new(ctx.clone())?;
        match self {
            Self::Text(text) => {
                object.set("type", "text")?;
                object.set("data", text)?;
            }
            Self::Binary(bytes) => {
                object.set("type", "binary")?;
                object.set("data", Bytes(bytes))?;
            }
            Self::Close { code, reason, clean } => {
                object.set("type", "close")?;
                object.set("code", code)?;
                object.set("reason", reason)?;
                object.set("clean", clean)?;
            }
        }
        Ok(object.into_value())
    }
}

fn failed(error: impl std::fmt::Display) -> OpError {
    OpError::message(error.to_string())
}

/// What connections over TLS trust; reading the system's certificates takes a while.
fn trust() -> Result<Arc<ClientConfig>, OpError> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(known) = CONFIG.get() {
        return Ok(Arc::clone(known));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = rustls_platform_verifier::Verifier::new(Arc::clone(&provider)).map_err(failed)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Arc::clone(CONFIG.get_or_init(|| Arc::new(config))))
}

/// A connection to where the address points.
async fn dial(uri: &Uri) -> Result<Box<dyn Transport>, OpError> {
    let secure = uri.scheme_str() == Some("wss");
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
    let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
    let stream = TcpStream::connect((host.as_str(), port)).await.map_err(|error| {
        if error.raw_os_error().is_none() {
            return OpError::new("ENOTFOUND", format!("getaddrinfo ENOTFOUND {host}"));
        }
        let mut described = OpError::io(&error, "connect", None);
        described.message = format!("connect {} {host}:{port}", described.code.clone().unwrap_or_default());
        described
    })?;
    // Small messages should not wait for each other.
    let _ = stream.set_nodelay(true);
    if !secure {
        return Ok(Box::new(stream));
    }
    let config = tokio::task::spawn_blocking(trust).await.map_err(failed)??;
    let name = ServerName::try_from(host).map_err(failed)?;
    let stream = tokio_rustls::TlsConnector::from(config).connect(name, stream).await;
    Ok(Box::new(stream.map_err(|error| OpError::new("ERR_SSL", error.to_string()))?))
}

fn request(url: &str, protocols: &[String], headers: Vec<(String, String)>) -> Result<Request<()>, OpError> {
    let mut request = url.into_client_request().map_err(failed)?;
    let target = request.headers_mut();
    if !protocols.is_empty() {
        target.insert("sec-websocket-protocol", HeaderValue::from_str(&protocols.join(", ")).map_err(failed)?);
    }
    for (name, value) in headers {
        target.insert(
            HeaderName::from_bytes(name.as_bytes()).map_err(failed)?,
            HeaderValue::from_str(&value).map_err(failed)?,
        );
    }
    Ok(request)
}

async fn connect(request: Request<()>, longest: usize) -> Result<(Socket, String, String), OpError> {
    let transport = dial(request.uri()).await?;
    let config = WebSocketConfig::default().max_message_size(Some(longest)).max_frame_size(Some(longest));
    let handshake = tokio_tungstenite::client_async_with_config(request, transport, Some(config)).await;
    let (stream, response) = handshake.map_err(|error| match error {
        Error::Http(response) => {
            OpError::message(format!("Received network error or non-101 status code: {}", response.status().as_u16()))
        }
        other => failed(other),
    })?;
    let header = |name: &str| {
        let value = response.headers().get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let (protocol, extensions) = (header("sec-websocket-protocol"), header("sec-websocket-extensions"));
    let (writer, reader) = stream.split();
    let socket = Socket { reader: Mutex::new(reader), writer: Mutex::new(writer), closed: CancellationToken::new() };
    Ok((socket, protocol, extensions))
}

impl Socket {
    /// The next message, or how the connection ended.
    async fn receive(&self) -> Result<Received, OpError> {
        let mut reader = self.reader.lock().await;
        let lost = || Received::Close { code: 1_006, reason: String::new(), clean: false };
        let mut ended = None;
        loop {
            let message = tokio::select! {
                biased;
                () = self.closed.cancelled() => return Ok(ended.unwrap_or_else(lost)),
                () = tokio::time::sleep(GOODBYE), if ended.is_some() => return Ok(ended.unwrap_or_else(lost)),
                message = reader.next() => message,
            };
            match message {
                Some(Ok(Message::Text(text))) => return Ok(Received::Text(text.as_str().to_owned())),
                Some(Ok(Message::Binary(bytes))) => return Ok(Received::Binary(bytes.to_vec())),
                Some(Ok(Message::Close(frame))) => {
                    // Answering is done by reading on until the connection is gone.
                    ended = Some(match frame {
                        Some(CloseFrame { code, reason }) => {
                            Received::Close { code: code.into(), reason: reason.as_str().to_owned(), clean: true }
                        }
                        None => Received::Close { code: 1_005, reason: String::new(), clean: true },
                    });
                }
                Some(Ok(_)) => {}
                None | Some(Err(Error::ConnectionClosed | Error::AlreadyClosed)) => {
                    return Ok(ended.unwrap_or_else(lost));
                }
                Some(Err(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) | Error::Io(_))) => {
                    return Ok(ended.unwrap_or_else(lost));
                }
                // After the goodbye nothing that goes wrong matters.
                Some(Err(error)) => return ended.ok_or_else(|| failed(error)),
            }
        }
    }

    async fn send(&self, message: Message) -> Result<(), OpError> {
        let mut writer = self.writer.lock().await;
        tokio::select! {
            biased;
            () = self.closed.cancelled() => Err(OpError::new("EPIPE", "the connection is closed")),
            sent = writer.send(message) => sent.map_err(failed),
        }
    }
}

/// `[[name, value], …]`.
fn pairs(list: &Array<'_>) -> rquickjs::Result<Vec<(String, String)>> {
    list.iter::<Array<'_>>().map(|pair| pair.and_then(|pair| Ok((pair.get(0)?, pair.get(1)?)))).collect()
}

fn ws_connect<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    url: String,
    protocols: Vec<String>,
    headers: Array<'js>,
) -> rquickjs::Result<Promised<'js, Opened>> {
    let request = request(&url, &protocols, pairs(&headers)?).map_err(|error| error.throw(&ctx))?;
    let owner = Rc::clone(&host);
    // While it comes in, a message is counted nowhere.
    let longest = LONGEST.min(host.memory().limit() / 4);
    host.spawn(&ctx, async move {
        let (socket, protocol, extensions) = connect(request, longest).await?;
        Ok(Opened { rid: owner.resources().add(Rc::new(socket)), protocol, extensions })
    })
}

fn ws_send<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    bytes: Bytes,
    text: bool,
) -> rquickjs::Result<Promised<'js, ()>> {
    let socket = host.resources().get::<Socket>(rid).map_err(|error| error.throw(&ctx))?;
    let message =
        if text { Message::text(String::from_utf8_lossy(&bytes.0).into_owned()) } else { Message::binary(bytes.0) };
    host.spawn(&ctx, async move { socket.send(message).await })
}

fn ws_recv<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32) -> rquickjs::Result<Promised<'js, Charged<Received>>> {
    let socket = host.resources().get::<Socket>(rid).map_err(|error| error.throw(&ctx))?;
    let memory = Arc::clone(host.memory());
    host.spawn(&ctx, async move {
        let received = socket.receive().await?;
        let counted = charge(&memory, received.bytes(), "the message")?;
        Ok(Charged::new(received, counted))
    })
}

fn ws_close<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    code: Option<u16>,
    reason: String,
) -> rquickjs::Result<Promised<'js, ()>> {
    let socket = host.resources().get::<Socket>(rid).map_err(|error| error.throw(&ctx))?;
    let frame = code.map(|code| CloseFrame { code: CloseCode::from(code), reason: reason.into() });
    host.spawn(&ctx, async move { socket.send(Message::Close(frame)).await })
}
