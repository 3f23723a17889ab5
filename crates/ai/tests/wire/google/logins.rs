//! Requests to Vertex AI that authenticate with a login of Google Cloud.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use tau_ai::Clock;
use tempfile::TempDir;

const PEM: &str = include_str!("service-account-key.pem");

fn token(name: &str) -> Reply {
    Reply::http_error(200, json!({"access_token": name, "expires_in": 3600, "token_type": "Bearer"}).to_string())
}

fn file(dir: &TempDir, value: &Value) -> String {
    let path = dir.path().join("login.json");
    std::fs::write(&path, value.to_string()).expect("a file");
    path.to_string_lossy().into_owned()
}

fn user(server: &LoopbackServer) -> Value {
    json!({"type": "authorized_user", "client_id": "id", "client_secret": "s3cret-of-client",
        "refresh_token": "s3cret/refresh", "quota_project_id": "payer", "token_uri": format!("{}/token", server.url())})
}

/// A request without a key, with variables.
fn keyless(server: &LoopbackServer, env: &[(&str, &str)]) -> StreamRequest {
    let mut request = request(model("google-vertex", server, "gemini-4-argon", json!({})));
    request.options.api_key = None;
    request.options.env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    request
}

/// Sends requests over one format, as a session does.
async fn send(api: &Arc<dyn tau_ai::StreamApi>, request: StreamRequest) -> Option<String> {
    let items: Vec<_> = futures_util::StreamExt::collect(api.stream(request)).await;
    crate::wire::support::final_message(&items).error_message
}

fn bearers(server: &LoopbackServer) -> Vec<String> {
    let header = |request: RecordedRequest| request.headers.get("authorization").cloned();
    server.requests().into_iter().filter_map(header).collect()
}

#[tokio::test]
async fn a_users_login_gives_tokens_that_are_kept_until_they_expire() {
    let server = LoopbackServer::start([
        token("token-no-1"),
        Reply::text("a"),
        Reply::text("b"),
        token("token-no-2"),
        Reply::text("c"),
        Reply::http_error(401, r#"{"error": {"code": 401, "message": "No token-no-2 here"}}"#),
        token("token-no-3"),
        Reply::text("d"),
    ]);
    let dir = TempDir::new().expect("a folder");
    let path = file(&dir, &user(&server));
    let now = Arc::new(AtomicI64::new(1_000_000));
    let api = crate::wire::support::api("google-vertex");
    let ask = async |ms: i64| {
        now.store(ms, Ordering::Relaxed);
        let mut request = keyless(&server, &[("GOOGLE_APPLICATION_CREDENTIALS", &path)]);
        let now = Arc::clone(&now);
        request.options.sources.clock = Clock::of(move || now.load(Ordering::Relaxed));
        send(&api, request).await
    };
    assert_eq!(ask(1_000_000).await, None);
    assert_eq!(ask(1_000_000 + 3_299_000).await, None, "five minutes before it expires it is renewed");
    assert_eq!(ask(1_000_000 + 3_300_000).await, None);
    let refused = ask(5_000_000).await.expect("a refusal");
    assert_eq!(refused, r#"401 {"error":{"code":401,"message":"No … here"}}"#, "a token is a secret");
    assert_eq!(ask(5_000_000).await, None);
    let used =
        ["Bearer token-no-1", "Bearer token-no-1", "Bearer token-no-2", "Bearer token-no-2", "Bearer token-no-3"];
    assert_eq!(bearers(&server), used);
    let requests = server.requests();
    assert_eq!(
        requests[0].body,
        json!("grant_type=refresh_token&client_id=id&client_secret=s3cret-of-client&refresh_token=s3cret%2Frefresh")
    );
    assert_eq!(requests[1].headers["x-goog-user-project"], "payer");
    assert_eq!(requests[1].path, "/v1beta/publishers/google/models/gemini-4-argon:streamGenerateContent?alt=sse");
}

#[tokio::test]
async fn a_service_account_signs_for_its_tokens() {
    let server = LoopbackServer::start([token("token-no-1"), Reply::text("ok")]);
    let dir = TempDir::new().expect("a folder");
    let address = format!("{}/token", server.url());
    let account = json!({"type": "service_account", "client_email": "a@b.iam.gserviceaccount.com", "private_key": PEM,
        "private_key_id": "k1", "token_uri": address});
    let path = file(&dir, &account);
    let mut request =
        keyless(&server, &[("GOOGLE_APPLICATION_CREDENTIALS", &path), ("GOOGLE_CLOUD_QUOTA_PROJECT", "q")]);
    request.options.sources.clock = Clock::of(|| 1_700_000_000_500);
    assert_eq!(send(&crate::wire::support::api("google-vertex"), request).await, None);
    assert_eq!(bearers(&server), ["Bearer token-no-1"]);
    assert_eq!(server.requests()[1].headers["x-goog-user-project"], "q");

    let form = server.requests()[0].body.as_str().expect("a form").to_owned();
    let signed = form
        .strip_prefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=")
        .expect("an assertion");
    let parts: Vec<&str> = signed.split('.').collect();
    let part = |at: usize| URL_SAFE_NO_PAD.decode(parts[at]).expect("base64");
    let read = |at: usize| serde_json::from_slice::<Value>(&part(at)).expect("JSON");
    assert_eq!(read(0), json!({"alg": "RS256", "typ": "JWT", "kid": "k1"}));
    assert_eq!(
        read(1),
        json!({"iss": "a@b.iam.gserviceaccount.com", "scope": "https://www.googleapis.com/auth/cloud-platform",
            "aud": address, "iat": 1_700_000_000, "exp": 1_700_003_600})
    );
    let der: String = PEM.lines().filter(|line| !line.starts_with("-----")).collect();
    let key = RsaKeyPair::from_pkcs8(&STANDARD.decode(der).expect("base64")).expect("a key");
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public_key().as_ref());
    public.verify(format!("{}.{}", parts[0], parts[1]).as_bytes(), &part(2)).expect("its signature");
}

#[tokio::test]
async fn a_machine_of_google_cloud_has_a_login_of_its_own() {
    let server = LoopbackServer::start([token("token-no-1"), Reply::text("ok")]);
    let host = server.url().replace("http://", "");
    let mut request = keyless(&server, &[("GCE_METADATA_HOST", &host), ("HOME", "/nowhere")]);
    request.options.api_key = Some(tau_ai::Secret::new("gcp-vertex-credentials"));
    assert_eq!(send(&crate::wire::support::api("google-vertex"), request).await, None);
    let asked = &server.requests()[0];
    assert_eq!((&*asked.method, &*asked.headers["metadata-flavor"]), ("GET", "Google"));
    assert!(asked.path.starts_with("/computeMetadata/v1/instance/service-accounts/default/token"), "{}", asked.path);
    assert_eq!(bearers(&server), ["Bearer token-no-1"]);
}

#[tokio::test]
async fn configured_headers_authenticate_without_a_login() {
    let server = LoopbackServer::start([Reply::text("ok")]);
    let mut request = keyless(&server, &[]);
    request.options.headers.insert("Authorization".to_owned(), "Bearer mine".to_owned());
    assert_eq!(send(&crate::wire::support::api("google-vertex"), request).await, None);
    assert_eq!(bearers(&server), ["Bearer mine"]);
}

#[tokio::test]
async fn what_is_wrong_with_a_login_is_said_without_its_secrets() {
    let dir = TempDir::new().expect("a folder");
    let api = crate::wire::support::api("google-vertex");
    let failed = async |replies: Vec<Reply>, path: &str| {
        let server = LoopbackServer::start(replies);
        if Path::new(path).exists() {
            file(&dir, &user(&server));
        }
        let text = send(&api, keyless(&server, &[("GOOGLE_APPLICATION_CREDENTIALS", path)])).await.expect("a failure");
        assert!(!text.contains("s3cret"), "{text}");
        text
    };
    let path = file(&dir, &json!({}));
    let gone = Reply::http_error(400, r#"{"error": "invalid_grant", "error_description": "Token has been revoked."}"#);
    assert_eq!(
        failed(vec![gone], &path).await,
        format!(
            "The Google Cloud credentials in {path} cannot be used: 127.0.0.1 refused: invalid_grant: Token has been \
             revoked.. Log in again with `gcloud auth application-default login`, or take another file"
        )
    );
    let busy = failed(vec![Reply::http_error(503, "")], &path).await;
    assert_eq!(busy, "503 127.0.0.1 gave no token: ");
    assert!(tau_ai::is_passing_error(&busy));
    let missing = failed(vec![], "/nowhere/login.json").await;
    assert!(
        missing.starts_with("The Google Cloud credentials in /nowhere/login.json cannot be used: No such file"),
        "{missing}"
    );
    let server = LoopbackServer::start([]);
    let nowhere = keyless(&server, &[("GCE_METADATA_HOST", "127.0.0.1:1"), ("HOME", "/nowhere")]);
    assert_eq!(
        send(&api, nowhere).await.expect("a failure"),
        "No Google Cloud credentials: there is no file of credentials, and this machine is not one of Google Cloud. Set \
         GOOGLE_CLOUD_API_KEY, log in with `gcloud auth application-default login`, or name the file of a service account \
         in GOOGLE_APPLICATION_CREDENTIALS."
    );
}
