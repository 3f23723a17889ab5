//! Logins at an authorization server on this machine.

mod ui;
mod workload;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tau_ai::{JsonMap, LoginNotice, OAuth, OAuthServer, OAuthServerError, OpenRouter, ServerLogin, now_ms};
use tau_testkit::authorization::{AuthorizationServer, Behaviour, browse, sent_to};
use tokio_util::sync::CancellationToken;

use ui::Ui;

const HOUR: Duration = Duration::from_secs(3600);

fn login(mut description: Value, without: &str) -> ServerLogin {
    description.as_object_mut().expect("an object").remove(without);
    let server: OAuthServer = serde_json::from_value(description).expect("a server");
    server.check().expect("one that can be used");
    ServerLogin::new("corp", server, Arc::default())
}

async fn run(login: &dyn OAuth, ui: Ui) -> Result<JsonMap, String> {
    login.login(Arc::new(ui), CancellationToken::new()).await
}

fn token<'c>(credential: &'c JsonMap, name: &str) -> &'c str {
    credential[name].as_str().expect("a text")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_browser_brings_the_code() {
    let server = AuthorizationServer::start(HOUR);
    let login = login(server.description(), "deviceAuthorizationUrl");
    // Nobody types anything: the question stays open.
    let ui = Ui::new(|notice| {
        if let LoginNotice::Url { url, .. } = notice {
            let url = url.clone();
            assert!(url.contains("scope=models") && url.contains("client_id=tau-test"), "{url}");
            std::thread::spawn(move || {
                let wrong = url.replace("state=", "state=x");
                assert!(browse(&wrong).1.contains("another login"));
                let (end, page) = browse(&url);
                assert!(end.starts_with("http://127.0.0.1:") && page.contains("You can close this page."), "{page}");
            });
        }
    });
    let credential = run(&login, ui).await.expect("a login");
    assert_eq!(token(&credential, "access"), server.last_token());
    let expires = credential["expires"].as_i64().expect("a time");
    assert!((now_ms()..=now_ms() + 3_600_000).contains(&expires));
    assert_eq!(login.api_key(&credential).await, Ok(server.last_token()));
    let renewed = login.refresh(&credential, CancellationToken::new()).await.expect("a new one");
    assert_eq!(token(&renewed, "access"), server.last_token());
    assert_ne!(renewed["refresh"], credential["refresh"]);
    let refused = login.refresh(&credential, CancellationToken::new()).await.expect_err("good once");
    assert_eq!(refused, format!("{} refused: invalid_grant", server.url().replace("http://", "")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_pastes_the_code() {
    let server = AuthorizationServer::start(HOUR);
    let login = login(server.description(), "deviceAuthorizationUrl");
    for whole in [true, false] {
        // A browser on another machine ends at an address that nobody answers there.
        let ui = Ui::new(|_| ()).answering(move |url| {
            let end = sent_to(url).expect("an address");
            let code = end.split(['=', '&']).nth(1).expect("a code").to_owned();
            vec!["what is it?".to_owned(), if whole { end } else { code }]
        });
        let told = ui.told();
        let credential = run(&login, ui).await.expect("a login");
        assert_eq!(token(&credential, "access"), server.last_token());
        let told = told.lock().join("\n");
        assert!(told.contains("That is no authorization code and no address with one."), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_typed_on_another_device() {
    let server = Arc::new(AuthorizationServer::start(HOUR));
    let (device, both) = (login(server.description(), "authorizationUrl"), login(server.description(), ""));
    for (login, ui) in [(&device, Ui::new(|_| ())), (&both, Ui::new(|_| ()).without_browser())] {
        let entering = Arc::clone(&server);
        let ui = ui.on_notice(move |notice| {
            if let LoginNotice::DeviceCode { code, url } = notice {
                assert_eq!(*url, format!("{}/enter", entering.url()));
                entering.enter(code);
            }
        });
        let credential = run(login, ui).await.expect("a login");
        assert_eq!(token(&credential, "access"), server.last_token());
    }
    let chosen = Ui::new(|_| ()).answering(|_| vec!["device".to_owned()]);
    let entering = Arc::clone(&server);
    let chosen = chosen.on_notice(move |notice| {
        if let LoginNotice::DeviceCode { code, .. } = notice {
            entering.enter(code);
        }
    });
    run(&both, chosen).await.expect("a login");
}

#[tokio::test(flavor = "multi_thread")]
async fn openrouter_gives_a_key() {
    let server = AuthorizationServer::start(HOUR);
    let login = OpenRouter::at(&server.url(), Arc::default());
    let ui = Ui::new(|notice| {
        if let LoginNotice::Url { url, .. } = notice {
            let url = url.clone();
            std::thread::spawn(move || browse(&url));
        }
    });
    let credential = run(&login, ui).await.expect("a login");
    assert_eq!(login.api_key(&credential).await, Ok(server.last_token()));
    assert_eq!((token(&credential, "refresh"), credential["expires"].as_i64()), ("", Some(9_007_199_254_740_991)));
    server.behave(Behaviour::Refuses("bad", "No such code."));
    let ui = Ui::new(|_| ()).answering(|_| vec!["code-0".to_owned()]);
    let error = run(&login, ui).await.expect_err("refused");
    assert!(error.ends_with("refused: No such code. (status 400)"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_the_server_does_is_a_sentence() {
    let server = AuthorizationServer::start(HOUR);
    let login = login(server.description(), "authorizationUrl");
    let old: JsonMap = server.expired_login().as_object().expect("an object").clone();
    let host = server.url().replace("http://", "");
    let garbage =
        format!("{host} gave an answer (status 200) that no authorization server gives; is the address right?");
    for (behaviour, sentence) in [
        (Behaviour::Refuses("invalid_grant", "Revoked.\u{1b}"), format!("{host} refused: Revoked. (invalid_grant)")),
        (Behaviour::Says("<html>secret</html>"), garbage.clone()),
        (Behaviour::Says(""), garbage),
        (Behaviour::Says("{\"access_token\": 5}"), format!("the answer of {host} has no access token")),
        (
            Behaviour::Says(r#"{"access_token": "t", "token_type": "Bearer", "expires_in": -5}"#),
            format!("the answer of {host} cannot be used: its \"expires_in\" must be a number of seconds, 0 or more"),
        ),
        (
            Behaviour::Says(r#"{"access_token": "t\r\nx: y", "token_type": "Bearer", "expires_in": 5}"#),
            format!(
                "the answer of {host} cannot be used: its \"access_token\" holds a line break or another character that no token \
                 has"
            ),
        ),
        (
            Behaviour::Says(r#"{"access_token": "t", "refresh_token": "r\u0000", "token_type": "Bearer"}"#),
            format!(
                "the answer of {host} cannot be used: its \"refresh_token\" holds a line break or another character that no token \
                 has"
            ),
        ),
        (Behaviour::Says("[]"), format!("the answer of {host} has no access token")),
    ] {
        server.behave(behaviour.clone());
        let error = login.refresh(&old, CancellationToken::new()).await.expect_err("it fails");
        assert_eq!(error, sentence, "{behaviour:?}");
    }
    server.behave(Behaviour::Says("<html></html>"));
    let error = run(&login, Ui::new(|_| ())).await.expect_err("it fails");
    assert!(error.contains("is the address right?"), "{error}");
    drop(server);
    let error = login.refresh(&old, CancellationToken::new()).await.expect_err("nobody is there");
    assert!(error.starts_with(&format!("{host} cannot be reached: ")), "{error}");
}

/// The clock stands still but for who waits, so the limit is over at once.
#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_given_up() {
    let server = AuthorizationServer::start(HOUR);
    server.behave(Behaviour::Silent);
    let login = login(server.description(), "authorizationUrl");
    let old = server.expired_login().as_object().expect("an object").clone();
    let error = login.refresh(&old, CancellationToken::new()).await.expect_err("it says nothing");
    let host = server.url().replace("http://", "");
    assert_eq!(error, format!("{host} gave no answer within 30 seconds"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_may_leave() {
    let server = AuthorizationServer::start(HOUR);
    let login = login(server.description(), "deviceAuthorizationUrl");
    let gone = Ui::new(|_| ()).gone();
    assert_eq!(run(&login, gone).await, Err("the login was cancelled".to_owned()));
    let cancel = CancellationToken::new();
    let leaving = cancel.clone();
    let ui = Ui::new(move |_| leaving.cancel());
    assert_eq!(login.login(Arc::new(ui), cancel).await, Err("the login was cancelled".to_owned()));
    assert_eq!(server.asked(), Vec::<String>::new());
}

#[test]
fn servers_that_nobody_could_sign_in_at_safely_are_refused() {
    let check = |change: &dyn Fn(&mut Value)| {
        let mut server = serde_json::json!({
            "clientId": "c", "authorizationUrl": "https://a/x", "deviceAuthorizationUrl": "https://a/d", "tokenUrl": "https://a/t",
        });
        change(&mut server);
        serde_json::from_value::<OAuthServer>(server).expect("a server").check()
    };
    assert_eq!(check(&|_| ()), Ok(()));
    assert_eq!(check(&|server| server["clientId"] = " ".into()), Err(OAuthServerError::NoClient));
    assert_eq!(
        check(&|server| server["tokenUrl"] = "http://a/t".into()),
        Err(OAuthServerError::Open { key: "tokenUrl" })
    );
    assert_eq!(check(&|server| server["tokenUrl"] = "http://127.0.0.1:9/t".into()), Ok(()));
    let neither = check(&|server| {
        server["authorizationUrl"] = Value::Null;
        server["deviceAuthorizationUrl"] = Value::Null;
    });
    assert_eq!(neither, Err(OAuthServerError::NoWay));
    for (address, checked) in [
        ("http://127.0.0.1:8976/callback", Ok(())),
        ("http://localhost:8976", Ok(())),
        ("http://127.0.0.1/callback", Err(OAuthServerError::Elsewhere)),
        ("https://corp.example/callback", Err(OAuthServerError::Elsewhere)),
    ] {
        assert_eq!(check(&|server| server["redirectUrl"] = address.into()), checked, "{address}");
    }
}
