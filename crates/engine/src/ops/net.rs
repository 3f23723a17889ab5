//! Sockets: TCP and Unix, connecting and listening. Bytes flow through the stream ops.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;

use rquickjs::{Ctx, IntoJs, Object, Value};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

use super::{OpError, Stream};
use crate::ops::table::{Host, Promised, ops, typed};

ops! {
    /// Sockets.
    pub static OPS: watched;

    /// Listens for connections; gives the number and the address.
    fn netListen(address, port, backlog) = net_listen, Refused;
    /// Listens on a socket in the file system.
    fn netListenUnix(path) = net_listen_unix, Refused;
    /// The next connection; nothing when the listener was closed.
    fn netAccept(rid) = net_accept, Recorded;
    /// Stops listening.
    fn netCloseListener(rid) = net_close_listener, Pure;
    /// Opens a connection.
    fn netConnect(address, port, localAddress, localPort) = net_connect, Refused;
    /// Opens a connection to a socket in the file system.
    fn netConnectUnix(path) = net_connect_unix, Refused;
}

/// A socket's end: an address and a port, or a path.
#[derive(Debug, Clone, Default)]
struct End {
    address: Option<String>,
    port: Option<u16>,
    family: Option<&'static str>,
}

impl From<SocketAddr> for End {
    fn from(address: SocketAddr) -> Self {
        let family = if address.is_ipv6() { "IPv6" } else { "IPv4" };
        Self { address: Some(address.ip().to_string()), port: Some(address.port()), family: Some(family) }
    }
}

/// What JavaScript learns of a socket: its number and its two ends.
struct Opened {
    rid: u32,
    local: End,
    remote: End,
}

typed! {
    Opened = "{ rid: number; localAddress?: string; localPort?: number; localFamily?: string; remoteAddress?: string; remotePort?: number; remoteFamily?: string }";
}

impl<'js> IntoJs<'js> for Opened {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let object = Object::new(ctx.clone())?;
        object.set("rid", self.rid)?;
        object.set("localAddress", self.local.address)?;
        object.set("localPort", self.local.port)?;
        object.set("localFamily", self.local.family)?;
        object.set("remoteAddress", self.remote.address)?;
        object.set("remotePort", self.remote.port)?;
        object.set("remoteFamily", self.remote.family)?;
        Ok(object.into_value())
    }
}

enum Acceptor {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// A socket that others connect to.
struct Listener {
    acceptor: Acceptor,
    closed: CancellationToken,
    /// The file of a Unix socket; goes with it.
    file: Option<PathBuf>,
}

impl Listener {
    fn new(acceptor: Acceptor, file: Option<PathBuf>) -> Rc<Self> {
        Rc::new(Self { acceptor, closed: CancellationToken::new(), file })
    }

    fn close(&self) {
        self.closed.cancel();
        if let Some(file) = &self.file {
            // Somebody else may have removed it.
            let _ = std::fs::remove_file(file);
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if !self.closed.is_cancelled() {
            self.close();
        }
    }
}

/// A connection and the addresses of its ends, before it gets a number.
struct Connection {
    stream: Rc<Stream>,
    local: End,
    remote: End,
}

impl Connection {
    fn tcp(stream: TcpStream) -> Self {
        let local = stream.local_addr().map(End::from).unwrap_or_default();
        let remote = stream.peer_addr().map(End::from).unwrap_or_default();
        // Programs here exchange small messages; waiting to fill packets only delays them.
        let _ = stream.set_nodelay(true);
        let (reader, writer) = stream.into_split();
        Self { stream: Stream::new(Some(Box::new(reader)), Some(Box::new(writer))), local, remote }
    }

    fn unix(stream: UnixStream) -> Self {
        let (reader, writer) = stream.into_split();
        let stream = Stream::new(Some(Box::new(reader)), Some(Box::new(writer)));
        Self { stream, local: End::default(), remote: End::default() }
    }
}

fn listen_tcp(address: &str, port: u16, backlog: u32) -> std::io::Result<TcpListener> {
    let ip: IpAddr = address.parse().map_err(|_| std::io::Error::from(std::io::ErrorKind::InvalidInput))?;
    let socket = if ip.is_ipv6() { TcpSocket::new_v6()? } else { TcpSocket::new_v4()? };
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::new(ip, port))?;
    socket.listen(backlog)
}

async fn connect_tcp(address: &str, port: u16, local: Option<(String, u16)>) -> std::io::Result<TcpStream> {
    let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidInput);
    let ip: IpAddr = address.parse().map_err(|_| invalid())?;
    let socket = if ip.is_ipv6() { TcpSocket::new_v6()? } else { TcpSocket::new_v4()? };
    if let Some((address, port)) = local {
        socket.bind(SocketAddr::new(address.parse().map_err(|_| invalid())?, port))?;
    }
    socket.connect(SocketAddr::new(ip, port)).await
}

fn net_listen<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    address: String,
    port: u16,
    backlog: u32,
) -> rquickjs::Result<Opened> {
    let listener =
        listen_tcp(&address, port, backlog).map_err(|error| OpError::io(&error, "listen", None).throw(&ctx))?;
    let local = listener.local_addr().map(End::from).unwrap_or_default();
    let rid = host.resources().add(Listener::new(Acceptor::Tcp(listener), None));
    rquickjs::Result::Ok(Opened { rid, local, remote: End::default() })
}

fn net_listen_unix<'js>(ctx: Ctx<'js>, Host(host): Host, path: String) -> rquickjs::Result<Opened> {
    let file = host.resolve(&path);
    let listener = UnixListener::bind(&file);
    let listener = listener.map_err(|error| OpError::io(&error, "listen", None).throw(&ctx))?;
    let rid = host.resources().add(Listener::new(Acceptor::Unix(listener), Some(file)));
    rquickjs::Result::Ok(Opened { rid, local: End::default(), remote: End::default() })
}

fn net_accept<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32) -> rquickjs::Result<Promised<'js, Option<Opened>>> {
    let listener = host.resources().get::<Listener>(rid).map_err(|error| error.throw(&ctx))?;
    let owner = Rc::clone(&host);
    host.spawn(&ctx, async move {
        let accept = async {
            match &listener.acceptor {
                Acceptor::Tcp(listener) => listener.accept().await.map(|(stream, _)| Connection::tcp(stream)),
                Acceptor::Unix(listener) => listener.accept().await.map(|(stream, _)| Connection::unix(stream)),
            }
        };
        let accepted = tokio::select! {
            biased;
            () = listener.closed.cancelled() => return Ok(None),
            accepted = accept => accepted.map_err(|error| OpError::io(&error, "accept", None))?,
        };
        let Connection { stream, local, remote } = accepted;
        Ok(Some(Opened { rid: owner.resources().add(stream), local, remote }))
    })
}

fn net_close_listener(Host(host): Host, rid: u32) {
    if let Some(listener) = host.resources().close(rid).and_then(|closed| closed.downcast::<Listener>().ok()) {
        listener.close();
    }
}

fn net_connect<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    address: String,
    port: u16,
    local_address: Option<String>,
    local_port: Option<u16>,
) -> rquickjs::Result<Promised<'js, Opened>> {
    let owner = Rc::clone(&host);
    let local = match (local_address, local_port) {
        (None, None) => None,
        (address, port) => Some((address.unwrap_or_else(|| "0.0.0.0".to_owned()), port.unwrap_or(0))),
    };
    host.spawn(&ctx, async move {
        let stream = connect_tcp(&address, port, local).await;
        let stream = stream.map_err(|error| OpError::io(&error, "connect", None))?;
        let Connection { stream, local, remote } = Connection::tcp(stream);
        Ok(Opened { rid: owner.resources().add(stream), local, remote })
    })
}

fn net_connect_unix<'js>(ctx: Ctx<'js>, Host(host): Host, path: String) -> rquickjs::Result<Promised<'js, Opened>> {
    let owner = Rc::clone(&host);
    let path = host.resolve(&path);
    host.spawn(&ctx, async move {
        let stream = UnixStream::connect(path).await.map_err(|error| OpError::io(&error, "connect", None))?;
        let Connection { stream, local, remote } = Connection::unix(stream);
        Ok(Opened { rid: owner.resources().add(stream), local, remote })
    })
}
