//! Stages without a session: its parts, a host that stands still, and a run.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::{AssistantMessage, Message, ModelRegistry, ThinkingLevel, ValueResolver};
use tau_hooks::events::Context;
use tau_hooks::payload::{ContextResult, Outcome, StreamingBehavior};
use tau_hooks::{Hooks, Host, Mode, Registrar};
use tau_session::{NewSession, Session};
use tau_testkit::host::extension;
use tau_testkit::{StaticHost, TempHome};
use tokio::runtime::Handle;

use super::context::make_context;
use super::last::Last;
use super::run::queued_next;
use super::run_state::Run;
use super::tell::{queue, take_follow_ups, take_steering};
use super::todo::todo_reminder;
use super::turn::Turn;
use crate::parts::{
    Activity, Choices, Conversation, Events, Family, KeptCommand, Lifecycle, Live, Parts, Prompting, Queued, Selection,
    Services, ToolChoice, ToolSet, Warming,
};
use crate::resources::LoadOptions;
use crate::settings::{Environment, SettingsStore};

/// What stages work on, with a run.
struct Stand {
    _home: TempHome,
    live: Live,
    run: Run,
}

impl Stand {
    fn new(settings: Value) -> Self {
        let home = TempHome::new();
        home.write_agent("settings.json", settings.to_string());
        let env = Environment::new(home.home(), home.cwd());
        let hooks = Hooks::new();
        let settings = Arc::new(SettingsStore::open(&env, true));
        let models = Arc::new(ModelRegistry::new(Arc::new(NoValues)));
        let session = Session::in_memory(&env.cwd, NewSession::default()).expect("a session");
        let runtime = Handle::current();
        let tools = ToolSet::new(Vec::new(), Selection::new(ToolChoice::default(), None));
        let host: Arc<dyn Host> = Arc::new(StaticHost::in_dir(&env.cwd));
        hooks.bind(&host);
        let parts = Arc::new(Parts {
            mode: Mode::Print,
            extensions: None,
            temp_dir: None,
            events: Events::default(),
            conversation: Conversation::new(Arc::new(session), env),
            activity: Activity::default(),
            choices: Choices::new(None, ThinkingLevel::Off, Vec::new(), tools),
            prompting: Prompting::new(LoadOptions::default(), None),
            lifecycle: Lifecycle::new(&runtime, &hooks),
            family: Family::new(None),
            warming: Warming::default(),
            services: Services::new(settings, models, runtime, tau_ai::Sources::default()).at(1_000),
            hooks,
        });
        let run = Run::begin(&parts).expect("no run is under way");
        Self { _home: home, live: Live { host, parts }, run }
    }

    fn turn(&self) -> Turn<'_> {
        Turn::new(&self.live, &self.run)
    }
}

struct NoValues;

impl ValueResolver for NoValues {
    fn env(&self, _: &str) -> Option<String> {
        None
    }
    fn command(&self, _: &str) -> Result<String, String> {
        Err("there are no commands".to_owned())
    }
}

fn message(message: Value) -> Arc<Message> {
    Arc::new(serde_json::from_value(message).expect("a message"))
}

fn user(text: &str) -> Arc<Message> {
    message(json!({"role": "user", "content": text, "timestamp": 7}))
}

fn queued(text: &str) -> Queued {
    Queued { message: user(text), text: Some(text.to_owned()) }
}

fn texts(messages: &[Arc<Message>]) -> Vec<Value> {
    messages.iter().map(|message| json!(**message)["content"].clone()).collect()
}

#[tokio::test]
async fn a_request_has_what_handlers_of_context_left_and_the_history_stays() {
    let stand = Stand::new(json!({}));
    for text in ["one", "two", "three"] {
        stand.live.conversation.keep(user(text)).expect("a session in memory takes everything");
    }
    let drops_the_first = extension("drops", |registrar: &mut Registrar| {
        registrar.on::<Context>(|mut event, _| async move {
            event.messages.drop_front(1);
            Some(ContextResult { messages: Some(event.messages) })
        });
        Ok(())
    });
    stand.live.hooks.load(&drops_the_first).expect("it can be loaded");
    let context = make_context(&stand.turn()).await;
    assert_eq!(texts(&context.messages), [json!("two"), json!("three")]);
    assert_eq!(stand.live.conversation.history().len(), 3);
}

#[tokio::test]
async fn steering_goes_first_and_an_aborted_run_takes_nothing() {
    let stand = Stand::new(json!({}));
    let turn = stand.turn();
    queue(&turn, StreamingBehavior::FollowUp, queued("later")).expect("a run is under way");
    queue(&turn, StreamingBehavior::Steer, queued("now")).expect("a run is under way");
    // Steering is taken when the next turn begins.
    assert_eq!(queued_next(&turn).map(|messages| messages.len()), Some(0));
    assert_eq!(texts(&take_steering(&turn)), [json!("now")]);
    assert_eq!(queued_next(&turn).as_deref().map(texts), Some(vec![json!("later")]));
    queue(&turn, StreamingBehavior::Steer, queued("too late")).expect("a run is under way");
    stand.run.cancel.cancel();
    assert_eq!(queued_next(&turn), None);
    assert!(stand.run.close());
    assert!(queue(&turn, StreamingBehavior::Steer, queued("idle")).is_err());
}

#[tokio::test]
async fn a_run_is_not_closed_while_something_waits_for_it() {
    let stand = Stand::new(json!({}));
    queue(&stand.live, StreamingBehavior::FollowUp, queued("more")).expect("a run is under way");
    assert!(!stand.run.close());
    assert!(Run::begin(&stand.live.parts).is_none());
    assert_eq!(texts(&take_follow_ups(&stand.live)), [json!("more")]);
    assert!(stand.run.close());
    assert!(Run::begin(&stand.live.parts).is_some());
}

#[tokio::test]
async fn a_command_of_the_user_waits_for_the_results_of_open_calls() {
    let stand = Stand::new(json!({}));
    let conversation = &stand.live.conversation;
    let call = json!({"type": "toolCall", "id": "c1", "name": "ls", "arguments": {}});
    conversation.keep(answer(json!([call]))).expect("a session in memory takes everything");
    let command = message(json!({"role": "bashExecution", "command": "ls", "output": "", "cancelled": false,
        "truncated": false, "exitCode": 0, "timestamp": 7}));
    let KeptCommand::Parked(written) = conversation.keep_command(command) else { panic!("it does not wait") };
    let result = json!({"role": "toolResult", "toolCallId": "c1", "toolName": "ls", "content": [], "isError": false,
        "timestamp": 7});
    conversation.keep(message(result)).expect("a session in memory takes everything");
    conversation.close_calls();
    assert!(written.await.expect("it is written").is_ok());
    let roles: Vec<String> = conversation.history().iter().map(|message| message.role().to_owned()).collect();
    assert_eq!(roles, ["assistant", "toolResult", "bashExecution"]);
}

#[tokio::test]
async fn the_model_is_reminded_of_open_items_as_often_as_settings_say() {
    let stand = Stand::new(json!({"todo": {"reminders": {"enabled": true, "max": 1}}}));
    let turn = stand.turn();
    let todos = json!([{"content": "Write it", "status": "pending"}, {"content": "Plan it", "status": "completed"}]);
    let result = json!({"role": "toolResult", "toolCallId": "c1", "toolName": "todo_write", "content": [],
        "details": {"todos": todos}, "isError": false, "timestamp": 7});
    turn.conversation.keep(message(result)).expect("a session in memory takes everything");
    turn.conversation.keep(answer(json!([]))).expect("a session in memory takes everything");
    let last = Last::of(&turn.conversation.history());
    let reminder = todo_reminder(&turn, Outcome::Completed, last.as_ref()).await.expect("a reminder");
    let reminder = json!(*reminder);
    assert_eq!((&reminder["customType"], &reminder["timestamp"]), (&json!("todo-reminder"), &json!(1_000)));
    assert_eq!(reminder["details"]["todos"][0]["content"], json!("Write it"));
    assert_eq!(reminder["details"]["todos"].as_array().map(Vec::len), Some(1));
    assert_eq!(todo_reminder(&turn, Outcome::Completed, last.as_ref()).await, None);
}

fn answer(content: Value) -> Arc<Message> {
    let mut answer = AssistantMessage::empty();
    answer.content = serde_json::from_value(content).expect("the blocks of an answer");
    Arc::new(Message::Assistant(answer))
}
