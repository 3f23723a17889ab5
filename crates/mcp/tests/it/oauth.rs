//! Signing in: at honest servers, and at those that want what they must not get.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_ai::{LoginNotice, LoginQuestion, LoginUi};
use tau_mcp::auth::{SignIn, StoredLogins, key, sign_in};
use tau_mcp::config::OAuthConfig;
use tau_mcp::manager::Logins;
use tau_mcp::{State, World};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::support::{Stage, clients, entry};
use crate::web::{Reply, Seen, Site, honest, json_reply, reply};

/// What a server does otherwise than an honest one.
#[derive(Default, Clone)]
struct Tricks {
    /// The authorization server that the resource names.
    server: Option<String>,
    /// The token endpoint that the authorization server names.
    token: Option<String>,
    /// The issuer that its description names.
    issuer: Option<String>,
    /// How long tokens live.
    expires: Option<u64>,
    /// Tokens are not renewed.
    refuses: Arc<AtomicBool>,
    renewals: Arc<AtomicUsize>,
    /// Whether it registers no clients.
    registers_nobody: bool,
    /// Methods of PKCE.
    methods: Option<Value>,
}

/// A server with its own authorization server.
async fn guarded(tricks: Tricks) -> Site {
    let place: Arc<Mutex<String>> = Arc::default();
    let here = Arc::clone(&place);
    let current: Arc<Mutex<usize>> = Arc::new(Mutex::new(0));
    let site = Site::new(move |seen: &Seen| -> Reply {
        let base = here.lock().clone();
        let path = seen.path.split('?').next().unwrap_or_default();
        match path {
            "/mcp" => {
                let valid = format!("Bearer token-{}", current.lock());
                if seen.header("authorization").is_some_and(|given| given == valid) {
                    return honest(seen);
                }
                let mut refusal = reply(401, "text/plain", "");
                let challenge = format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\", scope=\"read\"");
                refusal.headers_mut().insert("www-authenticate", challenge.parse().expect("a value"));
                refusal
            }
            "/.well-known/oauth-protected-resource/mcp" => json_reply(&json!({"resource": format!("{base}/mcp"),
                "authorization_servers": [tricks.server.clone().unwrap_or_else(|| base.clone())], "scopes_supported": ["read"]})),
            "/.well-known/oauth-authorization-server" => json_reply(&json!({
                "issuer": tricks.issuer.clone().unwrap_or_else(|| base.clone()),
                "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": tricks.token.clone().unwrap_or_else(|| format!("{base}/token")),
                "registration_endpoint": format!("{base}/register"),
                "code_challenge_methods_supported": tricks.methods.clone().unwrap_or_else(|| json!(["S256"])),
                "authorization_response_iss_parameter_supported": true,
                "response_types_supported": ["code"]})),
            "/register" if tricks.registers_nobody => reply(403, "text/plain", "no"),
            "/register" => {
                let mut answer = seen.json();
                answer["client_id"] = json!("client-1");
                reply(201, "application/json", answer.to_string())
            }
            "/token" => {
                let is_renewal = seen.body.contains("grant_type=refresh_token");
                if is_renewal {
                    tricks.renewals.fetch_add(1, Ordering::SeqCst);
                    if tricks.refuses.load(Ordering::SeqCst) {
                        return reply(400, "application/json", json!({"error": "invalid_grant"}).to_string());
                    }
                }
                let mut current = current.lock();
                *current += 1;
                let mut answer = json!({"access_token": format!("token-{current}"), "token_type": "Bearer",
                    "refresh_token": format!("refresh-{current}")});
                if let Some(seconds) = tricks.expires.filter(|_| *current == 1) {
                    answer["expires_in"] = json!(seconds);
                }
                json_reply(&answer)
            }
            _ => reply(404, "text/plain", ""),
        }
    })
    .await;
    *place.lock() = site.url("");
    site
}

/// A browser that comes back with what a function makes of the page.
struct Browser<F>(F, Mutex<Vec<String>>);

type Back = Vec<(&'static str, String)>;

#[async_trait]
impl<F: Fn(&Url) -> Back + Send + Sync> LoginUi for Browser<F> {
    fn show(&self, notice: LoginNotice) {
        let LoginNotice::Url { url, .. } = notice else { return };
        self.1.lock().push(url.clone());
        let page = Url::parse(&url).expect("a page");
        let mut back = Url::parse(&param(&page, "redirect_uri")).expect("an address");
        back.query_pairs_mut().extend_pairs(self.0(&page));
        tokio::spawn(
            async move { reqwest::Client::builder().no_proxy().build().expect("a client").get(back).send().await },
        );
    }

    async fn ask(&self, _: LoginQuestion) -> Option<String> {
        std::future::pending().await
    }
}

fn param(page: &Url, name: &str) -> String {
    page.query_pairs().find(|(other, _)| other == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

fn issuer(page: &Url) -> String {
    page.origin().ascii_serialization()
}

fn honest_back(page: &Url) -> Back {
    vec![("code", "the-code".to_owned()), ("state", param(page, "state")), ("iss", issuer(page))]
}

struct Home {
    folder: TempDir,
    logins: Arc<StoredLogins>,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let logins = Arc::new(StoredLogins::new(folder.path(), clients()));
        Self { folder, logins }
    }

    async fn sign_in<F: Fn(&Url) -> Back + Send + Sync + 'static>(
        &self,
        site: &Site,
        back: F,
    ) -> Result<String, String> {
        let browser = Arc::new(Browser(back, Mutex::default()));
        self.sign_in_by(site, Arc::clone(&browser) as _).await?;
        let page = browser.1.lock().last().cloned();
        Ok(page.unwrap_or_default())
    }

    async fn sign_in_by(&self, site: &Site, ui: Arc<dyn LoginUi>) -> Result<(), String> {
        let url = site.url("/mcp");
        // What the server says when it is asked without a login.
        let challenge = format!(
            "Bearer resource_metadata=\"{}\", scope=\"read\"",
            site.url("/.well-known/oauth-protected-resource/mcp")
        );
        let what = SignIn {
            name: "s",
            url: &url,
            oauth: &OAuthConfig::default(),
            client_secret: None,
            challenge: Some(challenge),
            patience: Duration::from_secs(20),
            ui,
            cancel: CancellationToken::new(),
        };
        sign_in(&self.logins, &what).await.map_err(|error| error.to_string())
    }

    fn stage(&self, site: &Site) -> Stage {
        let logins: Arc<dyn Logins> = Arc::clone(&self.logins) as _;
        Stage::in_world(vec![entry("s", json!({"url": site.url("/mcp")}))], |world| World { logins, ..world })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_is_made_kept_and_used() {
    let (site, home) = (guarded(Tricks::default()).await, Home::new());
    let stage = home.stage(&site);
    assert_eq!(stage.settled("s").await.0, State::NeedsSignIn);
    let page = Url::parse(&home.sign_in(&site, honest_back).await.expect("a login")).expect("a page");
    assert_eq!(param(&page, "code_challenge_method"), "S256");
    assert_eq!((param(&page, "resource"), param(&page, "scope")), (site.url("/mcp"), "read".to_owned()));
    let registered = site.seen().into_iter().find(|one| one.path == "/register").expect("a registration").json();
    assert_eq!(
        (&registered["client_name"], &registered["token_endpoint_auth_method"]),
        (&json!("tau"), &json!("none"))
    );
    // The login is known to a session that waited for it.
    stage.manager.retry_signed_in();
    assert_eq!(stage.settled("s").await, (State::Connected, None));
    assert_eq!(stage.text("s", "echo", "in").await, "in");
    let file = home.logins.path();
    assert!(file.starts_with(home.folder.path()));
    assert_eq!(file.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&file).expect("a file");
    let kept: Value = serde_json::from_str(&text).expect("JSON");
    assert!(kept.get(key("s", &site.url("/mcp"))).is_some(), "{kept}");
    assert!(home.logins.file().remove(&key("s", &site.url("/mcp"))).expect("a file"));
    assert!(!home.logins.file().remove(&key("s", &site.url("/mcp"))).expect("a file"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_back_must_be_of_this_login_and_this_server() {
    let (site, home) = (guarded(Tricks::default()).await, Home::new());
    let no_token = |error: &str| {
        assert!(!home.logins.path().exists(), "{error}");
        assert!(!site.seen().iter().any(|one| one.path == "/token"), "{error}");
    };
    let wrong = home.sign_in(&site, |page| {
        vec![("code", "c".to_owned()), ("state", param(page, "state")), ("iss", "https://evil.example".to_owned())]
    });
    let error = wrong.await.expect_err("an error");
    assert!(error.contains("mismatch") && error.contains("evil.example"), "{error}");
    no_token(&error);
    let missing = home.sign_in(&site, |page| vec![("code", "c".to_owned()), ("state", param(page, "state"))]);
    let error = missing.await.expect_err("an error");
    assert!(error.contains("issuer"), "{error}");
    no_token(&error);
    let refused =
        home.sign_in(&site, |page| vec![("error", "access_denied".to_owned()), ("state", param(page, "state"))]);
    let error = refused.await.expect_err("an error");
    assert!(error.contains("access_denied"), "{error}");
    no_token(&error);
}

/// Somebody else comes to the address of this login first, with a code of theirs.
struct Intruder;

#[async_trait]
impl LoginUi for Intruder {
    fn show(&self, notice: LoginNotice) {
        let LoginNotice::Url { url, .. } = notice else { return };
        let page = Url::parse(&url).expect("a page");
        let back = Url::parse(&param(&page, "redirect_uri")).expect("an address");
        tokio::spawn(async move {
            let client = reqwest::Client::builder().no_proxy().build().expect("a client");
            let wrong = vec![("code", "stolen".to_owned()), ("state", "another".to_owned()), ("iss", issuer(&page))];
            for pairs in [wrong, honest_back(&page)] {
                let mut back = back.clone();
                back.query_pairs_mut().extend_pairs(pairs);
                client.get(back).send().await.expect("an answer");
            }
        });
    }

    async fn ask(&self, _: LoginQuestion) -> Option<String> {
        std::future::pending().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_with_the_state_of_another_login_is_not_used() {
    let (site, home) = (guarded(Tricks::default()).await, Home::new());
    home.sign_in_by(&site, Arc::new(Intruder)).await.expect("a login");
    let asked: Vec<String> =
        site.seen().iter().filter(|one| one.path == "/token").map(|one| one.body.clone()).collect();
    assert!(asked.len() == 1 && asked[0].contains("code=the-code"), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_login_goes_where_it_is_not_encrypted() {
    let home = Home::new();
    for tricks in [
        Tricks { token: Some("http://evil.example/token".to_owned()), ..Tricks::default() },
        Tricks { server: Some("http://evil.example".to_owned()), ..Tricks::default() },
        Tricks { issuer: Some("https://evil.example".to_owned()), ..Tricks::default() },
        Tricks { methods: Some(json!(["plain"])), ..Tricks::default() },
    ] {
        let site = guarded(tricks).await;
        let error = home.sign_in(&site, honest_back).await.expect_err("an error");
        assert!(!site.seen().iter().any(|one| one.path == "/token"), "{error}");
        assert!(!home.logins.path().exists(), "{error}");
    }
}

/// Nothing listens there.
const NOWHERE: &str = "http://127.0.0.1:1/token";

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_fails_says_where_and_what_to_do() {
    let home = Home::new();
    let nowhere = "nothing listens at http://127.0.0.1:1/token (connection refused)";
    let site = guarded(Tricks { token: Some(NOWHERE.to_owned()), ..Tricks::default() }).await;
    let error = home.sign_in(&site, honest_back).await.expect_err("an error");
    assert!(error.ends_with(&format!("{nowhere}; sign in again once that is fixed")), "{error}");
    let away = "http://127.0.0.1:1".to_owned();
    let site = guarded(Tricks { server: Some(away), ..Tricks::default() }).await;
    let error = home.sign_in(&site, honest_back).await.expect_err("an error");
    assert!(
        error.contains("nothing listens at http://127.0.0.1:1/") && error.contains("authServerMetadataUrl"),
        "{error}"
    );
    let site = guarded(Tricks { registers_nobody: true, ..Tricks::default() }).await;
    let error = home.sign_in(&site, honest_back).await.expect_err("an error");
    assert!(error.contains("\"oauth\": {\"clientId\": "), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_cannot_be_renewed_says_where_and_how_to_sign_in() {
    let (site, home) = (guarded(Tricks { expires: Some(1), ..Tricks::default() }).await, Home::new());
    home.sign_in(&site, honest_back).await.expect("a login");
    // The authorization server has moved away since.
    let file = home.logins.path();
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, text.replace(&site.url("/token"), NOWHERE)).expect("a file");
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let (state, error) = home.stage(&site).settled("s").await;
    let error = error.expect("an error");
    assert_eq!(state, State::Failed);
    assert!(error.starts_with(&format!("there is no token for {}: ", site.url("/mcp"))), "{error}");
    let told = "nothing listens at http://127.0.0.1:1/token (connection refused); sign in anew: tau mcp login s";
    assert!(error.ends_with(told), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ends_is_renewed_once_however_many_ask() {
    let tricks = Tricks { expires: Some(1), ..Tricks::default() };
    let renewals = Arc::clone(&tricks.renewals);
    let (site, home) = (guarded(tricks).await, Home::new());
    home.sign_in(&site, honest_back).await.expect("a login");
    // Each has what a process of its own has.
    let others: Vec<_> = (0..5).map(|_| StoredLogins::new(home.folder.path(), clients())).collect();
    let server = entry("s", json!({"url": site.url("/mcp")}));
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let tokens = others.iter().map(|logins| {
        let tokens = logins.tokens(&server, &site.url("/mcp"), None).expect("tokens");
        async move { tokens.token().await }
    });
    let all = futures_util::future::join_all(tokens).await;
    assert!(all.iter().all(|token| *token == Ok(Some("token-2".to_owned()))), "{all:?}");
    assert_eq!(renewals.load(Ordering::SeqCst), 1);
    // One that the server refuses is renewed once, too.
    let tokens = others.iter().map(|logins| {
        let tokens = logins.tokens(&server, &site.url("/mcp"), None).expect("tokens");
        async move { tokens.instead_of("token-2").await }
    });
    let all = futures_util::future::join_all(tokens).await;
    assert!(all.iter().all(|token| *token == Ok(Some("token-3".to_owned()))), "{all:?}");
    assert_eq!(renewals.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_is_over_is_asked_for_anew() {
    let tricks = Tricks::default();
    let refuses = Arc::clone(&tricks.refuses);
    let (site, home) = (guarded(tricks).await, Home::new());
    home.sign_in(&site, honest_back).await.expect("a login");
    refuses.store(true, Ordering::SeqCst);
    let server = entry("s", json!({"url": site.url("/mcp")}));
    let tokens = home.logins.tokens(&server, &site.url("/mcp"), None).expect("tokens");
    assert_eq!(tokens.instead_of("token-1").await, Ok(None));
    assert!(!home.logins.file().has(&key("s", &site.url("/mcp"))).expect("a file"));
    assert_eq!(home.stage(&site).settled("s").await.0, State::NeedsSignIn);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_stays_and_is_named() {
    let (site, home) = (guarded(Tricks::default()).await, Home::new());
    let file = home.logins.path();
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(&file, "{ not JSON").expect("a file");
    let error = home.sign_in(&site, honest_back).await.expect_err("an error");
    assert!(error.contains("mcp-auth.json: the file is damaged"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "{ not JSON");
}
