//! A whole session, because a child needs one.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::settings::{Environment, SettingsStore};
use tau_agent::{AgentSession, Prompt, SessionOptions, ToolChoice};
use tau_ai::scripted::{PROVIDER, ScriptedApi};
use tau_ai::{Message, ModelRegistry, ProviderConfig, ValueResolver};
use tau_examples::{ProtectedPaths, SecondOpinion};
use tau_hooks::{Hooks, Mode};
use tau_session::{NewSession, Session};
use tau_testkit::TempHome;

struct NoValues;

impl ValueResolver for NoValues {
    fn env(&self, _: &str) -> Option<String> {
        None
    }
    fn command(&self, _: &str) -> Result<String, String> {
        Err("there are no commands".to_owned())
    }
}

#[tokio::test]
async fn the_answer_of_the_second_session_is_the_result_and_its_cost_is_added() {
    let home = TempHome::new();
    let cost = json!({"input": 100_000, "output": 100_000, "cacheRead": 0, "cacheWrite": 0});
    let replies = json!([
        [{"tool_call": {"name": "second_opinion", "arguments": {"question": "Is it right?"}}}],
        [{"text": "It is wrong."}, {"usage": {"input": 7, "output": 3}}],
        "I see."
    ]);
    let script = json!({"model": {"id": "planner", "cost": cost}, "replies": replies}).to_string();
    let script = ScriptedApi::from_json("script", &script).expect("a script");
    let model = Arc::new(script.model());
    let models = ModelRegistry::new(Arc::new(NoValues));
    let provider = ProviderConfig {
        api: Some(PROVIDER.to_owned()),
        stream: Some(Arc::new(script.clone())),
        keyless: true,
        ..ProviderConfig::default()
    };
    models.register_provider(PROVIDER, provider).expect("a provider");
    let hooks = Hooks::new();
    hooks.load(&SecondOpinion).expect("the extension");
    hooks.load(&ProtectedPaths::default()).expect("a gate");
    let mut env = Environment::new(home.home(), home.cwd());
    env.vars = home.vars();
    let options = SessionOptions {
        settings: Arc::new(SettingsStore::open(&env, false)),
        mode: Mode::Print,
        hooks,
        extensions: None,
        models: Arc::new(models),
        session: Arc::new(Session::in_memory(&home.cwd(), NewSession::default()).expect("a session")),
        model: Some(model),
        thinking: None,
        scoped_models: Vec::new(),
        tools: ToolChoice::default(),
        resources: tau_agent::resources::LoadOptions::default(),
        name: None,
        temp_dir: Some(home.temp_dir()),
        patterns: None,
        env,
    };
    let session = AgentSession::start(options).await.expect("a session");
    session.prompt(Prompt::new("Ask somebody.")).await.expect("a run");

    let history = session.history();
    let result = history.iter().find_map(|message| match message {
        Message::ToolResult(result) => Some(result.clone()),
        _ => None,
    });
    let result = result.expect("a result");
    assert_eq!(result.content[0].as_text(), Some("It is wrong."));
    let usage = result.usage.expect("what it cost");
    assert_eq!((usage.input, usage.output, usage.cost.total), (7, 3, 1.0));
    let of_child = &script.requests()[1];
    let tools: Vec<&str> =
        of_child["tools"].as_array().into_iter().flatten().filter_map(|tool: &Value| tool["name"].as_str()).collect();
    assert_eq!(tools, ["read", "grep", "find", "ls"]);
}
