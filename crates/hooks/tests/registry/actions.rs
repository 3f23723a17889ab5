//! Actions: not while loading, not after the end, and in between by way of the host.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;
use tau_ai::ThinkingLevel;
use tau_hooks::payload::{CustomDraft, StreamingBehavior};
use tau_hooks::{ActionError, Api, DeliverAs, ExecOptions, ExecResult, Hooks, Owner, SendOptions, dialect};
use tau_testkit::host::{extension, model};
use tau_testkit::{HostAction, Stage, StaticHost};
use tau_tools::ToolOutput;

use super::{invocation, spec};

const LOADING: &str = "Extension runtime not initialized. Action methods cannot be called during extension loading.";
const STALE: &str = "This extension ctx is stale after session replacement or reload.";

fn draft() -> CustomDraft {
    CustomDraft { custom_type: "note".into(), content: "text".into(), display: true, details: None }
}

/// The outcome of every action.
async fn every_action(api: &Api) -> Vec<Result<(), ActionError>> {
    vec![
        api.send_message(draft(), SendOptions::default()),
        api.send_user_message("hello", None),
        api.append_entry("state", None).map(drop),
        api.set_session_name("name"),
        api.session_name().map(drop),
        api.set_label("e1", Some("label")),
        api.exec("true", &[], ExecOptions::default()).await.map(drop),
        api.active_tools().map(drop),
        api.all_tools().map(drop),
        api.set_active_tools(&[]),
        api.commands().map(drop),
        api.set_model(Arc::new(model("p", "m"))).await.map(drop),
        api.thinking_level().map(drop),
        api.set_thinking_level(ThinkingLevel::High),
        api.host().map(drop),
    ]
}

fn assert_all(outcomes: &[Result<(), ActionError>], expected: &ActionError) {
    assert_eq!(outcomes, vec![Err(expected.clone()); outcomes.len()]);
}

/// Calls every action during the registration of an extension.
fn while_loading(hooks: &Arc<Hooks>) -> Vec<Result<(), ActionError>> {
    let outcomes = Mutex::new(Vec::new());
    let loaded = hooks.load(&extension("early", |registrar| {
        let api = registrar.api();
        let actions = every_action(&api);
        *outcomes.lock() = futures_util::FutureExt::now_or_never(actions).expect("refusals come at once");
        Ok(())
    }));
    loaded.expect("it can be loaded all the same");
    outcomes.into_inner()
}

#[test]
fn no_action_works_while_loading() {
    let hooks = Hooks::new();
    assert_all(&while_loading(&hooks), &ActionError::Loading);
    assert_eq!(ActionError::Loading.to_string(), LOADING);
}

#[test]
fn no_action_works_while_loading_into_a_running_session() {
    let stage = Stage::new();
    assert_all(&while_loading(&stage.hooks), &ActionError::Loading);
    assert_eq!(stage.host.actions(), []);
}

#[test]
fn an_action_that_fails_while_loading_fails_the_registration_with_its_text() {
    let stage = Stage::new();
    let early = extension("early", |registrar| {
        registrar.api().send_user_message("hello", None)?;
        Ok(())
    });
    let error = stage.load(&early).map(drop).expect_err("it fails");
    assert_eq!(error.to_string(), format!("Failed to load extension \"<native:early>\": {LOADING}"));
}

#[tokio::test]
async fn no_action_works_after_the_end() {
    let stage = Stage::new();
    let owner = stage.add("ext", |_| {});
    let api = stage.hooks.api(&owner);
    assert!(api.host().is_ok());
    stage.hooks.unload(&owner);
    // Another one of the same name does not bring the old one back.
    stage.add("ext", |_| {});
    assert_all(&every_action(&api).await, &ActionError::Stale);
    assert!(ActionError::Stale.to_string().starts_with(STALE));
    assert_eq!(stage.host.actions(), []);
}

#[tokio::test]
async fn no_action_works_after_a_failed_registration() {
    let stage = Stage::new();
    let kept = Mutex::new(None);
    let failed = stage.hooks.load_with(Owner::native("ext", &dialect::PI), |registrar| {
        *kept.lock() = Some(registrar.api());
        Err("no".parse::<u8>().expect_err("no number").into())
    });
    failed.expect_err("it fails");
    let api = kept.into_inner().expect("it was kept");
    let error = ActionError::FailedToLoad("<native:ext>".into());
    assert_all(&every_action(&api).await, &error);
    assert_eq!(error.to_string(), "Extension \"<native:ext>\" failed to load and its API is no longer active.");
}

#[tokio::test]
async fn no_action_works_when_the_session_is_gone() {
    let Stage { hooks, host, .. } = Stage::new();
    let owner = hooks.load(&extension("ext", |_| Ok(()))).expect("it can be loaded");
    let api = hooks.api(&owner);
    drop(host);
    assert_all(&every_action(&api).await, &ActionError::Stale);
    drop(hooks);
    assert_all(&every_action(&api).await, &ActionError::Stale);
    assert!(matches!(api.events(), Err(ActionError::Stale)));
    assert_eq!(api.flag("f"), None);
}

#[tokio::test]
async fn a_tool_of_an_extension_that_is_gone_says_so() {
    let stage = Stage::new();
    let owner = stage.add("ext", |registrar| {
        registrar.tool(spec("search"), |_, _| async { Ok(ToolOutput::text("found")) });
    });
    let tool = stage.hooks.tools()[0].1.clone();
    assert_eq!(tool.execute(invocation()).await, Ok(ToolOutput::text("found")));
    stage.hooks.unload(&owner);
    let stale = tool.execute(invocation()).await.map_err(|failure| failure.message);
    assert_eq!(stale, Err(ActionError::Stale.to_string()));
}

#[tokio::test]
async fn actions_reach_the_session() {
    let host = StaticHost::new().with_tools(vec![spec("read"), spec("bash")]).with_exec(|program, args, options| {
        let cwd = options.cwd.as_deref().map(|cwd| cwd.display().to_string()).unwrap_or_default();
        ExecResult { stdout: format!("{program} {} in {cwd}", args.join(" ")), ..ExecResult::default() }
    });
    let stage = Stage::with_host(host);
    let owner = stage.add("ext", |_| {});
    let api = stage.hooks.api(&owner);
    let options = SendOptions { trigger_turn: Some(true), deliver_as: Some(DeliverAs::NextTurn) };
    assert_eq!(api.send_message(draft(), options), Ok(()));
    assert_eq!(api.send_user_message("hello", Some(StreamingBehavior::Steer)), Ok(()));
    let entry = api.append_entry("state", Some(json!({ "n": 1 }))).expect("it is appended");
    assert_eq!(api.set_label(&entry, Some("here")), Ok(()));
    assert_eq!(api.set_session_name("work"), Ok(()));
    assert_eq!(api.session_name(), Ok(Some("work".to_owned())));
    assert_eq!(api.set_label("nope", None), Err(ActionError::Refused("Entry nope not found".into())));
    let ran = api.exec("git", &["status", "-s"], ExecOptions { cwd: Some("/w".into()), ..Default::default() }).await;
    assert_eq!(ran.map(|ran| ran.stdout), Ok("git status -s in /w".to_owned()));
    assert_eq!(api.set_active_tools(&["bash".to_owned(), "unknown".to_owned()]), Ok(()));
    assert_eq!(api.active_tools(), Ok(vec!["bash".to_owned()]));
    assert_eq!(api.set_model(Arc::new(model("p", "m"))).await, Ok(true));
    assert_eq!(api.set_thinking_level(ThinkingLevel::Max), Ok(()));
    assert_eq!(api.thinking_level(), Ok(ThinkingLevel::High), "the nearest one that the model has");

    let session = tau_hooks::HostView::session(&*stage.host);
    assert_eq!((session.label(&entry).as_deref(), session.entries().len()), (Some("here"), 3));
    assert_eq!(
        stage.host.take_actions(),
        [
            HostAction::SendMessage { message: draft(), options },
            HostAction::SendUserMessage { content: "hello".into(), options: Some(StreamingBehavior::Steer).into() },
            HostAction::AppendEntry { custom_type: "state".into(), data: Some(json!({ "n": 1 })) },
            HostAction::SetLabel { entry_id: entry, label: Some("here".into()) },
            HostAction::SetSessionName("work".into()),
            HostAction::SetLabel { entry_id: "nope".into(), label: None },
            HostAction::Exec {
                program: "git".into(),
                args: vec!["status".into(), "-s".into()],
                cwd: Some("/w".into())
            },
            HostAction::SetActiveTools(vec!["bash".into(), "unknown".into()]),
            HostAction::SetModel("p/m".into()),
            HostAction::SetThinkingLevel(ThinkingLevel::Max),
        ]
    );
}
