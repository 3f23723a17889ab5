use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::Message;
use tau_examples::Todo;
use tau_hooks::HostView;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::{SessionStart, SessionTree};
use tau_hooks::payload::{SessionStartEvent, SessionStartReason, SessionTreeEvent};
use tau_session::{EntryBody, NewSession, Session};
use tau_testkit::{HostAction, Stage, StaticHost};
use tau_tools::{Invocation, Progress, ToolOutput};
use tokio_util::sync::CancellationToken;

async fn stage_with(host: StaticHost) -> Stage {
    let stage = Stage::with_host(host);
    stage.load(&Todo).expect("it can be loaded");
    start(&stage).await;
    stage
}

async fn start(stage: &Stage) {
    let event = SessionStartEvent { reason: SessionStartReason::Startup, previous_session_file: None };
    stage.fire::<SessionStart>(event).await;
}

/// Calls the tool and records its result in the session, as an agent does.
async fn call(stage: &Stage, args: Value) -> Result<String, String> {
    let tool = stage.hooks.tools().into_iter().map(|(_, tool)| tool).find(|tool| tool.spec().name == "todo");
    let invocation = Invocation {
        id: "c1".into(),
        args,
        cancel: CancellationToken::new(),
        progress: Progress::ignore(),
        nested: tau_tools::NestedCalls::default(),
    };
    let result = tool.expect("there is such a tool").execute(invocation).await;
    let (output, is_error) = match &result {
        Ok(output) => (output.clone(), false),
        Err(failure) => (ToolOutput::text(&failure.message), true),
    };
    let message: Message = serde_json::from_value(json!({
        "role": "toolResult", "toolCallId": "c1", "toolName": "todo", "content": output.content,
        "details": output.details, "isError": is_error,
    }))
    .expect("it is a message");
    stage.host.session().append(EntryBody::message(Arc::new(message))).expect("it can be appended");
    result.map(|output| output.content[0].as_text().unwrap_or_default().to_owned()).map_err(|failure| failure.message)
}

async fn list(stage: &Stage) -> String {
    call(stage, json!({ "action": "list" })).await.expect("listing works")
}

async fn add(stage: &Stage, text: &str) {
    call(stage, json!({ "action": "add", "text": text })).await.expect("adding works");
}

#[tokio::test]
async fn the_model_keeps_its_list() {
    let stage = stage_with(StaticHost::new()).await;
    assert_eq!(list(&stage).await, "Nothing to do.");
    add(&stage, "write").await;
    add(&stage, "test").await;
    let done = call(&stage, json!({ "action": "done", "id": 1 })).await;
    assert_eq!(done.as_deref(), Ok("[x] 1. write\n[ ] 2. test"));
    assert_eq!(stage.hooks.status.line().as_deref(), Some("1/2 done"));
    call(&stage, json!({ "action": "open", "id": 1 })).await.expect("it is there");
    call(&stage, json!({ "action": "remove", "id": 2 })).await.expect("it is there");
    add(&stage, "ship").await;
    assert_eq!(list(&stage).await, "[ ] 1. write\n[ ] 2. ship");
    call(&stage, json!({ "action": "clear" })).await.expect("clearing works");
    assert_eq!((list(&stage).await, stage.hooks.status.line()), ("Nothing to do.".to_owned(), None));
}

#[tokio::test]
async fn mistakes_of_the_model_are_explained_and_change_nothing() {
    let stage = stage_with(StaticHost::new()).await;
    add(&stage, "write").await;
    for (args, why) in [
        (json!({ "action": "done", "id": 7 }), "there is no item 7"),
        (json!({ "action": "remove", "id": 7 }), "there is no item 7"),
        (json!({ "action": "add", "text": " " }), "`text` is empty"),
        (json!({ "action": "add" }), "missing field `text`"),
        (
            json!({ "action": "fly" }),
            "unknown variant `fly`, expected one of `list`, `add`, `done`, `open`, `remove`, `clear`",
        ),
    ] {
        assert_eq!(call(&stage, args).await, Err(why.to_owned()));
    }
    assert_eq!(list(&stage).await, "[ ] 1. write");
    start(&stage).await;
    assert_eq!(list(&stage).await, "[ ] 1. write", "failed calls record no list");
}

#[tokio::test]
async fn the_list_is_there_again_when_the_session_is_opened_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let session = Session::create(dir.path(), dir.path(), NewSession::default()).expect("a session");
    session.persist().expect("it can be written");
    let file = session.file().expect("it has a file").to_owned();
    let stage = stage_with(StaticHost::new().with_session(session)).await;
    add(&stage, "write").await;
    add(&stage, "test").await;
    drop(stage);

    let session = Session::open(&file).expect("it can be opened");
    let stage = stage_with(StaticHost::new().with_session(session)).await;
    assert_eq!(stage.hooks.status.line().as_deref(), Some("0/2 done"));
    assert_eq!(list(&stage).await, "[ ] 1. write\n[ ] 2. test");
}

#[tokio::test]
async fn the_list_follows_the_branch() {
    let stage = stage_with(StaticHost::new()).await;
    let session = stage.host.session();
    add(&stage, "write").await;
    let fork = session.leaf().expect("there is a leaf");
    add(&stage, "on the first branch").await;
    let first = session.leaf().expect("there is a leaf");

    let moved = async |to: &str| {
        session.set_leaf(to).expect("there is such an entry");
        let event = SessionTreeEvent {
            new_leaf_id: Some(to.to_owned()),
            old_leaf_id: None,
            summary_entry: None,
            from_extension: None,
        };
        stage.fire::<SessionTree>(event).await;
    };
    moved(&fork).await;
    assert_eq!(list(&stage).await, "[ ] 1. write");
    add(&stage, "on the second branch").await;
    assert_eq!(list(&stage).await, "[ ] 1. write\n[ ] 2. on the second branch");
    moved(&first).await;
    assert_eq!(list(&stage).await, "[ ] 1. write\n[ ] 2. on the first branch");
}

#[tokio::test]
async fn the_user_may_look_at_the_list_and_clear_it() {
    let stage = stage_with(StaticHost::new()).await;
    let user = stage.user(|_| None);
    add(&stage, "write").await;
    let run = async |args: &str| {
        assert_eq!(stage.hooks.run_command("todos", args, CancellationToken::new()).await, Some(true));
        tokio::task::yield_now().await;
        user.notices().pop().expect("something is shown")
    };
    assert_eq!(run("").await, (NotifyLevel::Info, "[ ] 1. write".to_owned()));
    assert_eq!(stage.host.take_actions(), []);
    assert_eq!(run(" clear ").await, (NotifyLevel::Info, "Nothing to do.".to_owned()));
    let entry = HostAction::AppendEntry { custom_type: "todo".into(), data: Some(json!({ "todos": [] })) };
    assert_eq!(stage.host.take_actions(), [entry]);

    // The entry counts when the list is restored, for it is later than the model's last record.
    start(&stage).await;
    assert_eq!(list(&stage).await, "Nothing to do.");
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
}
