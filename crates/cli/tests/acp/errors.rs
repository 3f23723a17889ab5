//! What tau can do, and what it says when it cannot.

use std::path::Path;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    AuthenticateRequest, CloseSessionRequest, DeleteSessionRequest, ListSessionsRequest, LoadSessionRequest,
    NewSessionRequest, SessionId, SetSessionModeRequest,
};
use serde_json::json;

use crate::editor::{able, edit, with};
use crate::place::Place;

fn told(error: Error) -> (i32, String) {
    (error.code.into(), error.message)
}

#[tokio::test]
async fn what_tau_can_do_is_what_it_says() {
    let place = Place::new();
    with(&place, "replies: []", &[] as &[&str], async |editor| {
        let answer = editor.initialize(able()).await;
        let text = serde_json::to_string_pretty(&answer).expect("JSON");
        insta::assert_snapshot!(text.replace(env!("CARGO_PKG_VERSION"), "[version]"));
    })
    .await;
}

#[tokio::test]
async fn a_session_that_is_not_there_is_named() {
    let place = Place::new();
    with(&place, "replies: []", &[] as &[&str], async |editor| {
        let id = SessionId::new("nowhere");
        let text = "There is no session nowhere; session/new begins one, session/list shows those that were saved.";
        let missing = || (-32002, text.to_owned());
        let error = editor.prompt(&id, "Hello").await.expect_err("no session");
        assert_eq!(error.data, Some(json!({"sessionId": "nowhere"})));
        assert_eq!(told(error), missing());
        let error = editor.send(LoadSessionRequest::new(id.clone(), place.work())).await;
        assert_eq!(error.map_err(told), Err(missing()));
        let error = editor.send(SetSessionModeRequest::new(id.clone(), "low")).await;
        assert_eq!(error.map_err(told), Err(missing()));
        assert_eq!(editor.send(CloseSessionRequest::new(id.clone())).await.map_err(told), Err(missing()));
        assert_eq!(editor.send(DeleteSessionRequest::new(id)).await.map_err(told), Err(missing()));
        let request = ListSessionsRequest::new().cursor("x".to_owned());
        assert_eq!(editor.send(request).await.map_err(told), Err((-32602, "x is no cursor of tau.".to_owned())));
    })
    .await;
}

#[tokio::test]
async fn a_directory_must_be_there() {
    let place = Place::new();
    with(&place, "replies: []", &[] as &[&str], async |editor| {
        let refused = async |cwd: &Path| told(editor.send(NewSessionRequest::new(cwd)).await.expect_err("refused"));
        let (code, text) = refused(Path::new("work")).await;
        assert_eq!((code, &*text), (-32602, "The working directory must be absolute: work"));
        let (code, text) = refused(&place.root().join("gone")).await;
        assert_eq!((code, &*place.normal(&text)), (-32602, "The working directory does not exist: /ROOT/gone"));
    })
    .await;
}

#[tokio::test]
async fn without_a_model_the_user_is_told_to_bring_a_key() {
    let place = Place::new();
    let ended = edit(place.tau(["acp"]), able(), async |editor| {
        let authenticate =
            async |method: &'static str| editor.send(AuthenticateRequest::new(method)).await.map_err(told);
        let (code, text) = told(editor.send(NewSessionRequest::new(place.work())).await.expect_err("no model"));
        assert_eq!((code, text.starts_with("No model can be used. Set an API key")), (-32000, true));
        assert_eq!(authenticate("api-key").await.map_err(|(code, _)| code).map(drop), Err(-32000));
        let other = (-32602, "There is no way to authenticate called other; there is api-key.".to_owned());
        assert_eq!(authenticate("other").await.map(drop), Err(other));
        place.write("agent/auth.json", r#"{"anthropic": {"type": "api_key", "key": "k"}}"#);
        assert_eq!(authenticate("api-key").await.map(drop), Ok(()));
        editor.begin(&place).await;
    });
    let ended = ended.await;
    assert!(ended.status.success(), "{ended:?}");
}

#[tokio::test]
async fn arguments_that_have_no_place_are_refused() {
    let place = Place::new();
    let failed = |args: &[&str]| {
        let done = place.tau(args).run();
        (done.code, done.stdout, done.stderr)
    };
    let text = "Error: --continue has no place in `tau acp`; see `tau acp --help`\n";
    assert_eq!(failed(&["acp", "-c"]), (Some(1), String::new(), text.to_owned()));
    let (code, help, stderr) = failed(&["acp", "--help"]);
    assert_eq!((code, help.lines().next(), &*stderr), (Some(0), Some("Usage: tau acp [options]"), ""));
    let ended = edit(crate::editor::play(&place, "replies: []", ["Do this"]), able(), async |editor| {
        let error = editor.send(NewSessionRequest::new(place.work())).await.expect_err("refused");
        let text = "tau acp takes no prompts on its command line; remove them from the editor's settings.";
        assert_eq!(told(error), (-32603, text.to_owned()));
    });
    assert!(ended.await.status.success());
}
