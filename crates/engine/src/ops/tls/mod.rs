//! TLS without sockets: JavaScript moves the encrypted bytes, so that any duplex stream can carry a connection.

mod config;
mod verify;

use std::cell::RefCell;
use std::io::{Read, Write};
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, Function, Object};
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, Connection, ServerConnection};

use self::verify::Verdict;
use super::{Bytes, Json, List, OpError};
use crate::ops::table::{Host, ops};

ops! {
    /// TLS without sockets.
    pub static OPS: watched;

    /// The client's end of TLS: `{receive, send, take, end, info, certificates}`.
    fn tlsClient(name, options: "TlsClientOptions") -> "TlsEnd" = tls_client, Recorded;
    /// The server's end of TLS.
    fn tlsServer(options: "TlsServerOptions") -> "TlsEnd" = tls_server, Recorded;
    /// Whether certificates and key fit each other; throws where not.
    fn tlsCheckServer(options: "TlsServerOptions") = tls_check_server, Pure;
}

/// One connection, client or server.
struct Tls {
    connection: Connection,
    verdict: Arc<Verdict>,
}

/// What came out of encrypted bytes.
struct Received {
    data: Vec<u8>,
    /// The other side has said goodbye.
    closed: bool,
}

impl Tls {
    fn client(host: &str, options: &serde_json::Value) -> Result<Self, OpError> {
        let verdict = Arc::new(Verdict::default());
        let config = config::client(options, &verdict)?;
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| OpError::type_error("ERR_INVALID_ARG_VALUE", format!("Invalid server name: {host}")))?;
        let connection = ClientConnection::new(Arc::new(config), name).map_err(|error| describe(&error, &verdict))?;
        Ok(Self::new(connection.into(), verdict))
    }

    fn server(options: &serde_json::Value) -> Result<Self, OpError> {
        let verdict = Arc::new(Verdict::default());
        let config = config::server(options)?;
        let connection = ServerConnection::new(Arc::new(config)).map_err(|error| describe(&error, &verdict))?;
        Ok(Self::new(connection.into(), verdict))
    }

    fn new(mut connection: Connection, verdict: Arc<Verdict>) -> Self {
        // JavaScript's streams hold writers back, not this buffer.
        connection.set_buffer_limit(None);
        Self { connection, verdict }
    }

    /// Takes encrypted bytes.
    fn receive(&mut self, mut bytes: &[u8]) -> Result<Received, OpError> {
        let mut received = Received { data: Vec::new(), closed: false };
        let broken = |error: std::io::Error| OpError::message(error.to_string());
        while !bytes.is_empty() {
            if self.connection.read_tls(&mut bytes).map_err(broken)? == 0 {
                break;
            }
            let state = self.connection.process_new_packets().map_err(|error| describe(&error, &self.verdict))?;
            if state.plaintext_bytes_to_read() > 0 {
                let start = received.data.len();
                received.data.resize(start + state.plaintext_bytes_to_read(), 0);
                self.connection.reader().read_exact(&mut received.data[start..]).map_err(broken)?;
            }
            received.closed |= state.peer_has_closed();
        }
        Ok(received)
    }

    /// Takes text to encrypt.
    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.connection.writer().write_all(bytes)
    }

    /// The encrypted bytes that have to go out.
    fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while self.connection.wants_write() {
            // Writing to memory does not fail.
            if !matches!(self.connection.write_tls(&mut out), Ok(count) if count > 0) {
                break;
            }
        }
        out
    }

    fn info(&self) -> serde_json::Value {
        let protocol = self.connection.protocol_version().map(|version| match version {
            rustls::ProtocolVersion::TLSv1_2 => "TLSv1.2".to_owned(),
            rustls::ProtocolVersion::TLSv1_3 => "TLSv1.3".to_owned(),
            other => format!("{other:?}"),
        });
        let cipher = self.connection.negotiated_cipher_suite();
        let cipher = cipher.and_then(|suite| suite.suite().as_str()).map(|name| name.replace("TLS13_", "TLS_"));
        let alpn = self.connection.alpn_protocol().map(|name| String::from_utf8_lossy(name).into_owned());
        let name = match &self.connection {
            Connection::Server(server) => server.server_name().map(str::to_owned),
            Connection::Client(_) => None,
        };
        let problem =
            self.verdict.problem().map(|(code, message)| serde_json::json!({ "code": code, "message": message }));
        serde_json::json!({
            "handshaking": self.connection.is_handshaking(),
            "protocol": protocol,
            "cipher": cipher,
            "alpn": alpn,
            "servername": name,
            "problem": problem,
        })
    }
}

/// An error of a connection: with Node's code where the certificate is to blame.
fn describe(error: &rustls::Error, verdict: &Verdict) -> OpError {
    if let Some((code, message)) = verdict.problem() {
        return OpError::new(code, message);
    }
    match error {
        rustls::Error::AlertReceived(alert) => {
            let message = format!("tls alert: {alert:?}");
            OpError::new("ERR_SSL_ALERT", message)
        }
        rustls::Error::InvalidMessage(_) => OpError::new("ERR_SSL_WRONG_VERSION_NUMBER", error.to_string()),
        other => OpError::new("ERR_SSL_PROTOCOL_ERROR", other.to_string()),
    }
}

fn object<'js>(ctx: &Ctx<'js>, tls: Tls) -> rquickjs::Result<Object<'js>> {
    let tls = Rc::new(RefCell::new(tls));
    let object = Object::new(ctx.clone())?;
    let owner = Rc::clone(&tls);
    let receive = move |ctx: Ctx<'js>, bytes: Bytes| {
        let received = owner.borrow_mut().receive(&bytes.0).map_err(|error| error.throw(&ctx))?;
        let object = Object::new(ctx)?;
        object.set("data", Bytes(received.data))?;
        object.set("closed", received.closed)?;
        rquickjs::Result::Ok(object)
    };
    object.set("receive", Function::new(ctx.clone(), receive)?)?;
    let owner = Rc::clone(&tls);
    let send = move |ctx: Ctx<'js>, bytes: Bytes| {
        owner.borrow_mut().send(&bytes.0).map_err(|error| OpError::io(&error, "write", None).throw(&ctx))
    };
    object.set("send", Function::new(ctx.clone(), send)?)?;
    let owner = Rc::clone(&tls);
    object.set("take", Function::new(ctx.clone(), move || Bytes(owner.borrow_mut().take()))?)?;
    let owner = Rc::clone(&tls);
    object.set("end", Function::new(ctx.clone(), move || owner.borrow_mut().connection.send_close_notify())?)?;
    let owner = Rc::clone(&tls);
    object.set("info", Function::new(ctx.clone(), move || Json(owner.borrow().info()))?)?;
    let certificates = move || {
        let tls = tls.borrow();
        let chain = tls.connection.peer_certificates().unwrap_or_default();
        List(chain.iter().map(|certificate| Bytes(certificate.to_vec())).collect::<Vec<_>>())
    };
    object.set("certificates", Function::new(ctx.clone(), certificates)?)?;
    Ok(object)
}

fn tls_client<'js>(ctx: Ctx<'js>, Host(host): Host, name: String, options: Json) -> rquickjs::Result<Object<'js>> {
    // The system's certificates are read from disk the first time.
    let tls = host.without_deadline(|| Tls::client(&name, &options.0)).map_err(|error| error.throw(&ctx))?;
    object(&ctx, tls)
}

fn tls_server<'js>(ctx: Ctx<'js>, options: Json) -> rquickjs::Result<Object<'js>> {
    object(&ctx, Tls::server(&options.0).map_err(|error| error.throw(&ctx))?)
}

fn tls_check_server<'js>(ctx: Ctx<'js>, options: Json) -> rquickjs::Result<()> {
    config::server(&options.0).map(|_| ()).map_err(|error| error.throw(&ctx))
}
