//! Why a request got no answer, as far as the errors of the libraries tell.

use std::error::Error;
use std::io::{self, ErrorKind};

/// What kept a request from its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The host has no address.
    NoHost,
    /// Nothing listens at the address.
    Refused,
    /// The two sides agree on no encrypted connection, or the certificate is not trusted.
    Tls,
    /// It took too long.
    TimedOut,
    /// Anything else.
    Other,
}

/// A request without an answer. Holds no address: that may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// What kept it from one.
    pub reason: Reason,
    /// Whether there was no connection yet.
    pub connects: bool,
    /// The innermost error, in its own words.
    pub root: String,
}

impl Unanswered {
    /// What an error of a client says.
    pub fn of(error: reqwest::Error) -> Self {
        let (timed_out, connects) = (error.is_timeout(), error.is_connect());
        // The query of an address may hold a key.
        let error = error.without_url();
        let (mut reason, mut root) = (None, String::new());
        let mut next: Option<&(dyn Error + 'static)> = Some(&error);
        while let Some(error) = next {
            root = error.to_string();
            // The library has no type for this.
            if root.contains("dns error") {
                reason = Some(Reason::NoHost);
            }
            reason = reason.or_else(|| of_system(error.downcast_ref()?));
            next = error.source();
        }
        let reason = reason.unwrap_or(if timed_out { Reason::TimedOut } else { Reason::Other });
        Self { reason, connects, root }
    }
}

fn of_system(error: &io::Error) -> Option<Reason> {
    if error.kind() == ErrorKind::ConnectionRefused {
        return Some(Reason::Refused);
    }
    // What is inside of such an error is not its source. An error of TLS travels in several of them.
    let inner = error.get_ref()?;
    if inner.is::<rustls::Error>() { Some(Reason::Tls) } else { of_system(inner.downcast_ref()?) }
}

#[cfg(test)]
mod tests {
    use reqwest::Client;

    use super::*;

    async fn asked(url: &str) -> Unanswered {
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = Client::builder().no_proxy().tls_certs_only([]).build().expect("a client");
        Unanswered::of(client.get(url).send().await.expect_err("no answer"))
    }

    #[tokio::test]
    async fn reasons_are_told_apart() {
        let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = closed.local_addr().expect("an address").port();
        let talker = std::thread::spawn(move || {
            let (mut stream, _) = closed.accept().expect("a connection");
            io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("an answer");
        });
        let tls = asked(&format!("https://127.0.0.1:{port}/?key=secret")).await;
        assert_eq!((tls.reason, tls.connects), (Reason::Tls, true), "{tls:?}");
        talker.join().expect("an end");
        let refused = asked(&format!("http://127.0.0.1:{port}/?key=secret")).await;
        assert_eq!((refused.reason, refused.connects), (Reason::Refused, true), "{refused:?}");
        assert!(!refused.root.contains("secret") && !tls.root.contains("secret"));
        let nowhere = asked("http://no-such-host.invalid/").await;
        assert_eq!((nowhere.reason, nowhere.connects), (Reason::NoHost, true), "{nowhere:?}");
    }
}
