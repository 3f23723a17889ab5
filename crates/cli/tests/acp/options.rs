//! Modes and options.

use agent_client_protocol::v1::schema::{
    SessionConfigKind, SessionConfigOption, SessionId, SessionUpdate, SetSessionConfigOptionRequest,
    SetSessionModeRequest,
};

use crate::editor::{Editor, with};
use crate::place::Place;

const SCRIPT: &str = r#"
model: {reasoning: true}
replies: [{repeat: forever, steps: [{text: "ok"}]}]
"#;

/// Options with their values.
fn values(options: &[SessionConfigOption]) -> Vec<(String, String)> {
    let value = |option: &SessionConfigOption| match &option.kind {
        SessionConfigKind::Select(select) => select.current_value.to_string(),
        other => panic!("{other:?}"),
    };
    options.iter().map(|option| (option.id.to_string(), value(option))).collect()
}

fn pairs(values: &[(&str, &str)]) -> Vec<(String, String)> {
    values.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned())).collect()
}

/// The modes and options a client was told of without asking.
fn told(editor: &Editor, id: &SessionId) -> (Vec<String>, Vec<Vec<(String, String)>>) {
    let (mut modes, mut options) = (Vec::new(), Vec::new());
    for update in editor.updates(id) {
        match update {
            SessionUpdate::CurrentModeUpdate(update) => modes.push(update.current_mode_id.to_string()),
            SessionUpdate::ConfigOptionUpdate(update) => options.push(values(&update.config_options)),
            _ => {}
        }
    }
    (modes, options)
}

#[tokio::test]
async fn thinking_levels_are_modes_and_models_are_options() {
    let place = Place::new();
    place.write(
        "agent/models.json",
        r#"{"providers": {"near": {"baseUrl": "http://localhost:1", "api": "openai-completions", "apiKey": "k",
            "models": [{"id": "tiny", "reasoning": false}]}}}"#,
    );
    with(&place, SCRIPT, &["--thinking", "low"], async |editor| {
        let session = editor.open(&place.work()).await;
        let id = session.session_id;
        let modes = session.modes.expect("modes");
        assert_eq!(&*modes.current_mode_id.0, "low");
        let names: Vec<&str> = modes.available_modes.iter().map(|mode| &*mode.id.0).collect();
        assert_eq!(names, ["off", "minimal", "low", "medium", "high"]);
        let options = values(&session.config_options.expect("options"));
        assert_eq!(options, pairs(&[("model", "scripted/scripted"), ("thinking", "low")]));

        editor.send(SetSessionModeRequest::new(id.clone(), "high")).await.expect("a mode");
        let set = SetSessionConfigOptionRequest::new(id.clone(), "thinking", "minimal");
        let set = editor.send(set).await.expect("an option").config_options;
        assert_eq!(values(&set), pairs(&[("model", "scripted/scripted"), ("thinking", "minimal")]));
        let set = SetSessionConfigOptionRequest::new(id.clone(), "model", "near/tiny");
        let set = editor.send(set).await.expect("an option").config_options;
        assert_eq!(values(&set), pairs(&[("model", "near/tiny"), ("thinking", "off")]));
        editor.prompt(&id, "/session").await.expect("an answer");
        let (modes, options) = told(&editor, &id);
        assert_eq!(modes.last().map(String::as_str), Some("off"));
        assert_eq!(options.last(), Some(&pairs(&[("model", "near/tiny"), ("thinking", "off")])));
    })
    .await;
}

#[tokio::test]
async fn what_the_user_or_an_extension_changes_is_told() {
    let place = Place::new();
    place.write(
        "agent/extensions/think.ts",
        "export default (pi) => { pi.on('agent_start', () => { pi.setThinkingLevel('high'); }); };",
    );
    with(&place, SCRIPT, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        editor.prompt(&id, "/thinking low").await.expect("an answer");
        editor.prompt(&id, "Go").await.expect("an answer");
        let (modes, options) = told(&editor, &id);
        assert_eq!(modes, ["low", "high"]);
        assert_eq!(options.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn what_there_is_not_cannot_be_chosen() {
    let place = Place::new();
    with(&place, SCRIPT, &[] as &[&str], async |editor| {
        let id = editor.begin(&place).await;
        let refused = async |option: &'static str, value: &'static str| {
            let request = SetSessionConfigOptionRequest::new(id.clone(), option, value);
            let error = editor.send(request).await.expect_err("refused");
            (i32::from(error.code), error.message)
        };
        let bad = |text: &str| (-32602, text.to_owned());
        let levels = "There is no mode huge; the model has off, minimal, low, medium, high.";
        assert_eq!(refused("thinking", "huge").await, bad(levels));
        let text = "There is no model a/b with credentials; see `tau --list-models`.";
        assert_eq!(refused("model", "a/b").await, bad(text));
        assert_eq!(refused("colour", "red").await, bad("There is no option colour; there are model and thinking."));
        let request = SetSessionModeRequest::new(id.clone(), "huge");
        assert_eq!(editor.send(request).await.expect_err("refused").message, levels);
    })
    .await;
}
