//! Servers behind TLS that speak HTTP/2: whose certificates are trusted, and what they may do to a request.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use h2::Reason;
use h2::server::SendResponse;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use tau_ai::{AssistantMessage, HttpClient, HttpSettings, StopReason, builtin_apis_over};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::support::{content, final_message, messages, model_at, request};

/// What the server does with a request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    /// Answers it.
    Answer,
    /// Refuses it without a look.
    Refuse,
    /// Ends the connection, and says that it has not looked at the request.
    GoAway,
    /// Begins an answer, then ends the stream of it with an error.
    Reset,
    /// Begins an answer, then ends the connection with an error.
    Drop,
}

/// A server on 127.0.0.1 whose certificate is signed by an authority in a file.
struct Server {
    url: String,
    authority: tempfile::NamedTempFile,
    seen: Arc<std::sync::atomic::AtomicUsize>,
}

const HALF: &str = "data: {\"choices\": [{\"delta\": {\"content\": \"half\"}}]}\n\n";
const REST: &str =
    "data: {\"choices\": [{\"delta\": {\"content\": \" and half\"}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";

impl Server {
    async fn start(script: Vec<Act>) -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(&authority, params.self_signed(&key).expect("a certificate").pem()).expect("room");
        let issuer = Issuer::new(params, key);
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("parameters");
        let certificate = params.signed_by(&key, &issuer).expect("a certificate");
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.expect("versions").with_no_client_auth();
        let mut config = config.with_single_cert(vec![certificate.der().clone()], key).expect("a certificate");
        config.alpn_protocols = vec![b"h2".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bind");
        let url = format!("https://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let script = Arc::new(std::sync::Mutex::new(std::collections::VecDeque::from(script)));
        let counted = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                tokio::spawn(serve(acceptor.clone(), tcp, Arc::clone(&script), Arc::clone(&counted)));
            }
        });
        Self { url, authority, seen }
    }

    /// The answer to a prompt of so many bytes.
    async fn answer(&self, size: usize) -> AssistantMessage {
        let authorities = Some(self.authority.path().to_path_buf());
        self.answer_with(HttpSettings { authorities, ..HttpSettings::default() }, size).await
    }

    async fn answer_with(&self, settings: HttpSettings, size: usize) -> AssistantMessage {
        let mut request = request(model_at("openai-completions", &self.url, json!({})));
        request.messages = messages(json!([{"role": "user", "content": "x".repeat(size)}]));
        let apis = builtin_apis_over(Arc::new(HttpClient::new(settings)));
        let (_, api) = apis.into_iter().find(|(name, _)| *name == "openai-completions").expect("a format");
        final_message(&api.stream(request).collect::<Vec<_>>().await)
    }

    fn seen(&self) -> usize {
        self.seen.load(std::sync::atomic::Ordering::SeqCst)
    }
}

type Script = Arc<std::sync::Mutex<std::collections::VecDeque<Act>>>;

async fn serve(acceptor: TlsAcceptor, tcp: TcpStream, script: Script, seen: Arc<std::sync::atomic::AtomicUsize>) {
    // Who does not trust us hangs up.
    let Ok(mut tls) = acceptor.accept(tcp).await else { return };
    let goes_away = script.lock().expect("the script").pop_front_if(|act| *act == Act::GoAway).is_some();
    if goes_away {
        seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let mut request = [0; 1024];
        let read = tls.read(&mut request).await.expect("a request");
        assert!(read > 0);
        // Empty settings, then the end of the connection: no stream was looked at, and there is no error.
        let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
        let ends = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        tls.write_all(&[&settings[..], &ends[..]].concat()).await.expect("room");
        tls.flush().await.expect("room");
        // The client ends it.
        while tls.read(&mut request).await.is_ok_and(|read| read > 0) {}
        return;
    }
    let Ok(mut connection) = h2::server::handshake(tls).await else { return };
    let mut ending = None;
    loop {
        tokio::select! {
            accepted = connection.accept() => {
                let Some(Ok((request, respond))) = accepted else { return };
                seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                let act = script.lock().expect("the script").pop_front().unwrap_or(Act::Answer);
                let (done, told) = tokio::sync::oneshot::channel();
                tokio::spawn(act_on(act, request, respond, done));
                if act == Act::Drop {
                    ending = Some(told);
                }
            }
            _ = async { match ending.as_mut() { Some(told) => told.await, None => std::future::pending().await } } => {
                ending = None;
                connection.abrupt_shutdown(Reason::ENHANCE_YOUR_CALM);
            }
        }
    }
}

async fn act_on(
    act: Act,
    request: http::Request<h2::RecvStream>,
    mut respond: SendResponse<Bytes>,
    done: tokio::sync::oneshot::Sender<()>,
) {
    if act == Act::Refuse {
        respond.send_reset(Reason::REFUSED_STREAM);
        return;
    }
    let mut body = request.into_body();
    while let Some(Ok(piece)) = body.data().await {
        body.flow_control().release_capacity(piece.len()).expect("room");
    }
    let head = http::Response::builder().header("content-type", "text/event-stream").body(()).expect("a head");
    let mut stream = respond.send_response(head, false).expect("a stream");
    stream.send_data(Bytes::from_static(HALF.as_bytes()), false).expect("room");
    if act == Act::Answer {
        stream.send_data(Bytes::from_static(REST.as_bytes()), true).expect("room");
        return;
    }
    // What was written so far leaves before the end comes.
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    if act == Act::Reset {
        stream.send_reset(Reason::INTERNAL_ERROR);
    } else if done.send(()).is_ok() {
        // The connection ends the stream.
        std::future::pending::<()>().await;
    }
}

fn half() -> Value {
    json!([{"type": "text", "text": "half"}])
}

#[tokio::test]
async fn an_authority_that_the_user_names_is_trusted_and_no_other() {
    let server = Server::start(Vec::new()).await;
    let message = server.answer(10).await;
    assert_eq!(content(&message), json!([{"type": "text", "text": "half and half"}]), "{message:?}");
    let message = server.answer_with(HttpSettings::default(), 10).await;
    let text = message.error_message.as_deref().unwrap_or_default();
    assert!(text.starts_with("Connection error: test at 127.0.0.1:") && text.contains("certificate"), "{text}");

    let missing = HttpSettings { authorities: Some("/no/such/file.pem".into()), ..HttpSettings::default() };
    let text = server.answer_with(missing, 10).await.error_message.unwrap_or_default();
    assert!(text.starts_with("The HTTP client could not be set up: the certificates in /no/such/file.pem"), "{text}");
    assert_eq!(server.seen(), 1);
}

#[tokio::test]
async fn a_request_that_was_refused_without_a_look_is_sent_again() {
    // The second one is large enough to be sent in pieces.
    for size in [10, 1 << 20] {
        let server = Server::start(vec![Act::Refuse, Act::Refuse, Act::Answer]).await;
        let message = server.answer(size).await;
        assert_eq!((&message.stop_reason, server.seen()), (&StopReason::Stop, 3), "{size}: {message:?}");
        let server = Server::start(vec![Act::GoAway, Act::Answer]).await;
        let message = server.answer(size).await;
        assert_eq!((&message.stop_reason, server.seen()), (&StopReason::Stop, 2), "{size}: {message:?}");
    }
    let server = Server::start(vec![Act::Refuse; 20]).await;
    let message = server.answer(10).await;
    assert_eq!(message.stop_reason, StopReason::Error);
    assert!(message.is_retryable() && server.seen() < 20, "{message:?}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_error_that_keeps_what_came() {
    for act in [Act::Reset, Act::Drop] {
        let server = Server::start(vec![act]).await;
        let message = server.answer(10).await;
        let text = message.error_message.as_deref().unwrap_or_default();
        assert!(text.starts_with("Connection lost: test at 127.0.0.1:"), "{act:?}: {text}");
        assert!(message.is_retryable(), "{act:?}: {text}");
        assert_eq!((content(&message), server.seen()), (half(), 1), "{act:?}");
    }
}
