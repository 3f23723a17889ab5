//! Registries behind TLS: whose certificates are trusted, and what never leaves an encrypted connection.

use std::fs;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::server::TlsStream;

use crate::support::{Home, Registry, Reply, Seen};

/// Somebody who signs certificates.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// A registry on 127.0.0.1 with a certificate of this authority.
    async fn registry(&self) -> Registry {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("parameters");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.expect("versions").with_no_client_auth();
        let config = config.with_single_cert(vec![certificate.der().clone()], key).expect("a certificate");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Registry::serving("https", |tcp, app| {
            let listener = TlsListener { tcp, acceptor };
            tokio::spawn(async move { drop(axum::serve(listener, app).await) })
        })
        .await
    }
}

struct TlsListener {
    tcp: TcpListener,
    acceptor: TlsAcceptor,
}

impl axum::serve::Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let Ok((stream, address)) = self.tcp.accept().await else { continue };
            // Whoever does not trust us hangs up.
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.tcp.local_addr()
    }
}

fn publish(registry: &Registry) {
    registry.publish(json!({"name": "tool", "version": "1.0.0"}), &[]);
}

/// A user for whom nothing is repeated.
fn home(registry: &Registry, npmrc: &str) -> Home {
    let mut home = Home::new(registry);
    home.vars.insert("npm_config_fetch_retries".to_owned(), "0".to_owned());
    home.npmrc(npmrc);
    home
}

#[tokio::test]
async fn certificates_of_an_authority_of_ones_own() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let registry = ours.registry().await;
    publish(&registry);
    let dir = tempfile::tempdir().expect("temp dir");
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let (our_file, their_file) = (file("ours.pem", &ours.pem), file("theirs.pem", &theirs.pem));
    let both = file("both.pem", &format!("{}{}", theirs.pem, ours.pem));
    let inline = ours.pem.replace('\n', "\\n");
    for npmrc in
        [format!("cafile={our_file}"), format!("cafile={both}"), format!("ca=\"{inline}\""), "strict-ssl=false".into()]
    {
        let home = home(&registry, &npmrc);
        home.install("npm:tool").await.unwrap_or_else(|error| panic!("{npmrc}: {error}"));
        assert_eq!(registry.seen().len(), 2);
    }
    let mut more = home(&registry, "");
    more.vars.insert("NODE_EXTRA_CA_CERTS".to_owned(), our_file.clone());
    more.install("npm:tool").await.expect("installs");
    registry.seen();

    // `cafile` stands in place of the system's authorities, and of `ca`.
    for npmrc in [String::new(), format!("cafile={their_file}"), format!("ca=\"{inline}\"\ncafile={their_file}")] {
        let home = home(&registry, &npmrc);
        let before = home.tree();
        let error = home.install("npm:tool").await.expect_err("nobody trusts it").to_string();
        let expected = format!("the package tool: {}/tool cannot be reached: ", registry.base);
        assert!(error.starts_with(&expected) && error.to_lowercase().contains("certificate"), "{npmrc}: {error}");
        assert_eq!((registry.seen(), home.tree().len()), (vec![], before.len() + 2), "only a lock and an ignore file");
    }
    let bad = file("bad.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    let error = home(&registry, &format!("cafile={bad}")).install("npm:tool").await.expect_err("no certificate");
    assert!(error.to_string().starts_with("the settings for the network cannot be understood: "), "{error}");
}

#[tokio::test]
async fn no_redirect_leaves_the_encryption_or_takes_the_token_along() {
    let authority = Authority::new();
    let (registry, other, plain) = (authority.registry().await, authority.registry().await, Registry::start().await);
    [&registry, &other, &plain].into_iter().for_each(publish);
    let path = "/tool/-/tool-1.0.0.tgz";
    let dir = tempfile::tempdir().expect("temp dir");
    let file = dir.path().join("ca.pem");
    fs::write(&file, &authority.pem).expect("written");
    let host = registry.base.trim_start_matches("https:");
    let npmrc = format!("cafile={}\n{host}/:_authToken=s3cret\n", file.display());
    let seen = |path: &str, token: bool| Seen {
        path: path.to_owned(),
        authorization: token.then(|| "Bearer s3cret".to_owned()),
    };

    // To another host, encrypted: without the token.
    registry.reply(path, [Reply::Redirect(format!("{}{path}", other.base))]);
    let fresh = || home(&registry, &npmrc);
    fresh().install("npm:tool").await.expect("installs");
    assert_eq!(registry.seen(), [seen("/tool", true), seen(path, true)]);
    assert_eq!(other.seen(), [seen(path, false)]);

    // Without encryption: not at all, neither for the archive nor for what the registry says of the package.
    for moved in [path, "/tool"] {
        registry.reply(moved, [Reply::Redirect(format!("{}{moved}", plain.base))]);
        let error = fresh().install("npm:tool").await.expect_err("not encrypted").to_string();
        let expected = format!(
            "{}{moved} cannot be reached: it points to {}{moved}, which is not encrypted",
            registry.base, plain.base
        );
        assert!(error.contains(&expected), "{error}");
        assert_eq!(plain.seen(), []);
    }

    // Towards encryption there is nothing wrong.
    plain.reply("/tool", [Reply::Redirect(format!("{}/tool", other.base))]);
    let mut home = Home::new(&plain);
    home.npmrc(&npmrc);
    home.vars.insert("npm_config_registry".to_owned(), plain.base.clone());
    home.install("npm:tool").await.expect("installs");
    assert!(other.seen().iter().all(|seen| seen.authorization.is_none()));
}

/// A proxy that connects whoever asks for it, and keeps what it was asked.
async fn tunnel(asked: Arc<Mutex<Vec<String>>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let asked = Arc::clone(&asked);
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let mut head = Vec::new();
                loop {
                    let mut line = String::new();
                    match stream.read_line(&mut line).await {
                        Ok(0) | Err(_) => return,
                        Ok(_) if line.trim().is_empty() => break,
                        Ok(_) => head.push(line.trim().to_owned()),
                    }
                }
                let target = head[0].split(' ').nth(1).unwrap_or_default().to_owned();
                asked.lock().expect("lock").extend(head);
                let Ok(mut server) = TcpStream::connect(target).await else { return };
                if stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.is_ok() {
                    let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
                }
            });
        }
    });
    address
}

#[tokio::test]
async fn through_a_proxy_that_sees_nothing_but_the_host() {
    let authority = Authority::new();
    let registry = authority.registry().await;
    publish(&registry);
    let asked = Arc::default();
    let proxy = tunnel(Arc::clone(&asked)).await;
    let dir = tempfile::tempdir().expect("temp dir");
    let file = dir.path().join("ca.pem");
    fs::write(&file, &authority.pem).expect("written");
    let host = registry.base.trim_start_matches("https:");
    let npmrc =
        format!("cafile={}\nhttps-proxy=http://ada:hunter2@{proxy}\n{host}/:_authToken=s3cret\n", file.display());
    home(&registry, &npmrc).install("npm:tool").await.expect("installs");
    assert_eq!(registry.seen().len(), 2);
    let asked = asked.lock().expect("lock").join("\n");
    assert!(asked.starts_with(&format!("CONNECT {}", registry.base.trim_start_matches("https://"))), "{asked}");
    let lower = asked.to_lowercase();
    assert!(lower.contains("proxy-authorization: basic ywrhomh1bnrlcji="), "{asked}");
    assert!(!asked.contains("s3cret") && !asked.contains("tool"), "{asked}");
}
