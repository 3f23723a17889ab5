//! Where the browser brings the code: an address of this machine that lives as long as a login.

use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

use super::failure::Failure;
use super::paste::{Code, Returned, returned};

/// Most bytes of a request's head.
const MOST: usize = 16 * 1024;
/// How long a browser may take to say what it wants. Some connect in advance and never ask.
const PATIENCE: Duration = Duration::from_secs(60);

/// The listening address.
pub(super) struct Callback {
    listener: TcpListener,
    /// Where the browser is sent: with the port.
    pub(super) url: Url,
}

impl Callback {
    /// Listens at the port of an address of this machine, or at a free one where it names none.
    pub(super) async fn listen(wanted: &Url) -> Result<Self, Failure> {
        let port = wanted.port().unwrap_or(0);
        let failed = |error: std::io::Error| {
            let at = if port == 0 { String::new() } else { format!(" at port {port}") };
            Failure::Here(format!("this machine does not let tau listen{at} for the browser: {error}"))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let mut url = wanted.clone();
        if url.set_port(Some(port)).is_err() {
            return Err(Failure::Here(format!("{wanted} can have no port")));
        }
        Ok(Self { listener, url })
    }

    /// The code that the browser brings. Requests for something else, and those of another login, are answered and ignored.
    pub(super) async fn code(&self, host: &str, state: Option<&str>) -> Result<Code, Failure> {
        let mut visits = JoinSet::new();
        loop {
            let visit = tokio::select! {
                accepted = self.listener.accept() => {
                    // A connection that breaks while it is made is the browser's affair.
                    if let Ok((stream, _)) = accepted {
                        visits.spawn(tokio::time::timeout(PATIENCE, target(stream)));
                    }
                    continue;
                }
                Some(visit) = visits.join_next() => visit,
            };
            let Ok(Ok(Some((stream, target)))) = visit else { continue };
            let Some(url) = self.url.join(&target).ok().filter(|url| url.path() == self.url.path()) else {
                answer(stream, "404 Not Found", "Nothing is at this address.").await;
                continue;
            };
            match returned(&url, host, state) {
                Ok(Returned::Code(code)) => {
                    answer(stream, "200 OK", "tau has what it needs. You can close this page.").await;
                    return Ok(code);
                }
                Err(Failure::OtherLogin) => {
                    answer(stream, "400 Bad Request", "This address belongs to another login.").await;
                }
                Ok(Returned::Nothing) | Err(Failure::NoCode) => {
                    answer(stream, "400 Bad Request", "This address holds no code.").await;
                }
                Err(failure) => {
                    answer(stream, "200 OK", "You are not logged in. tau says why.").await;
                    return Err(failure);
                }
            }
        }
    }
}

/// What a browser asks for, if it asks for a page.
async fn target(mut stream: TcpStream) -> Option<(TcpStream, String)> {
    let (mut head, mut piece) = (Vec::new(), [0; 2048]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        head.extend_from_slice(&piece[..read]);
        if head.len() > MOST {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let mut words = head.lines().next()?.split(' ');
    let target = (words.next()? == "GET").then(|| words.next())??;
    // An address of another server would be joined as it is.
    (target.starts_with('/') && !target.starts_with("//")).then(|| (stream, target.to_owned()))
}

async fn answer(mut stream: TcpStream, status: &str, text: &str) {
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>tau</title>\
         <body style=\"font: 1.2em sans-serif; margin: 20vh auto; max-width: 30em\"><p>{text}</p></body></html>"
    );
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\n\
         Connection: close\r\n\r\n",
        page.len()
    );
    // A browser that is gone does not need the page.
    if stream.write_all(format!("{head}{page}").as_bytes()).await.is_ok() {
        drop(stream.shutdown().await);
    }
}
