//! What users read, and what servers learn of them.

use std::sync::Arc;

use serde_json::json;
use tau_agent_testkit::World;
use tau_hooks::Mode;
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind, NotifyLevel, UiCall};
use tau_mcp::extension::{Options, extension};

use crate::server::Play;
use crate::session::{call, loaded, results};
use crate::support::{play, with};

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_of_the_user_is_no_failure_of_the_extension() {
    let mut world = World::new(json!([]));
    world.mode = Mode::Rpc;
    let world = loaded(world, json!({"s": with(play(&Play::default()), json!({"exposure": "direct"}))}));
    let mut front_end = world.hooks.dialogs.subscribe();
    let running = world.start().await;
    for (line, told) in [
        ("/mcp foo", "usage: /mcp, "),
        ("/mcp login", "usage: /mcp, "),
        ("/mcp reconnect none", "there is no MCP server \"none\"; there are: s"),
        ("/mcp login s", "MCP server \"s\" does not use OAuth"),
    ] {
        running.say(line).await;
        let (text, level) = loop {
            match front_end.recv().await.expect("a notice") {
                DialogEvent::Ui(event) => match &event.call {
                    UiCall::Notify { message, level } => break (message.clone(), level.clone()),
                    _ => continue,
                },
                _ => continue,
            }
        };
        assert!(text.starts_with(told), "{line}: {text}");
        assert_eq!(level, Some(NotifyLevel::Warning), "{line}");
    }
    assert_eq!(world.reports.all(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_problem_has_one_name_in_front_of_it() {
    let world = loaded(World::new(json!(["One."])), json!({"s": {"command": "/there/is/none"}}));
    let running = world.start().await;
    running.say("a").await;
    // The answer does not wait for a server that is not there.
    let is_told = |(_, _, text): &(String, String, String)| text.starts_with("MCP server \"s\" is not connected: ");
    while !world.reports.all().iter().any(is_told) {
        tokio::task::yield_now().await;
    }
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    let told: Vec<String> = world.reports.all().into_iter().map(|(_, _, text)| text).collect();
    assert!(!told.iter().any(|text| text.contains("MCP: ")), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_models_json_names_reach_servers_that_name_them_and_no_others() {
    let get = |server: &str, name: &str| call(&format!("mcp__{server}__env"), json!({"text": name}));
    let replies = [
        get("plain", "MY_KEY"),
        get("plain", "MY_HEADER"),
        get("plain", "MY_BARE"),
        get("plain", "MY_LOGIN"),
        get("plain", "MY_OTHER"),
        get("named", "MY_KEY"),
    ];
    let replies: Vec<_> = replies.into_iter().chain([json!("Done.")]).collect();
    let world = World::new(json!(replies));
    let provider = json!({"baseUrl": "http://127.0.0.1:1", "apiKey": "$MY_KEY", "headers": {"X": "a-${MY_HEADER}", "Y": "MY_BARE"}});
    world.home.write_agent("auth.json", json!({"mine": {"type": "api_key", "key": "MY_LOGIN"}}).to_string());
    world.home.write_agent("models.json", json!({"providers": {"mine": provider}}).to_string());
    let server = with(play(&Play::default()), json!({"exposure": "hidden", "toolExposure": {"env": "direct"}}));
    let mut named = server.clone();
    named["env"]["MY_KEY"] = json!("${MY_KEY}");
    world.home.write_agent("mcp.json", json!({"mcpServers": {"plain": server, "named": named}}).to_string());
    let own = [("MY_KEY", "k"), ("MY_HEADER", "h"), ("MY_BARE", "b"), ("MY_LOGIN", "l"), ("MY_OTHER", "o")]
        .map(|(name, value)| (name.into(), value.into()));
    let options = Options::new(world.home.agent_dir());
    let environment = options.environment.iter().cloned().chain(own).collect();
    world.hooks.load(&extension(Options { environment, ..options })).expect("an extension that loads");
    let running = world.start().await;
    running.say("a").await;
    // A secret that a server names is in no result either, so that it is not shown by chance.
    assert_eq!(results(&running), ["", "", "", "", "o", "k"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_shown_with_how_far_it_is() {
    let replies = json!([call("mcp__s__progress", json!({})), "Done."]);
    let server = with(play(&Play::default()), json!({"exposure": "direct"}));
    let world = loaded(World::new(replies), json!({"s": server}));
    let running = world.start().await;
    running.say("a").await;
    let mut updates = running.events.all().into_iter().filter(|event| event["type"] == "tool_execution_update");
    let last = updates.next_back().expect("an update");
    assert_eq!(last["partialResult"]["content"][0]["text"], "step 3 (3/3)", "{last}");
}

/// What a server learns when the user answers its dialogs like this.
async fn answered(server: &Play, answer: impl Fn(&DialogKind) -> DialogAnswer + Send + Sync + 'static) -> String {
    let mut world = World::new(json!([call("mcp__s__ask", json!({})), "Done."]));
    world.mode = Mode::Rpc;
    let server = with(play(server), json!({"exposure": "hidden", "toolExposure": {"ask": "direct"}}));
    let world = Arc::new(loaded(world, json!({"s": server})));
    let mut front_end = world.hooks.dialogs.subscribe();
    let user = tokio::spawn(async move {
        while let Some(event) = front_end.recv().await {
            if let DialogEvent::Opened(request) = event {
                front_end.answer(request.id(), answer(&request.kind)).expect("an open question");
            }
        }
    });
    let running = world.start().await;
    running.say("a").await;
    user.abort();
    results(&running).concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_user_declines_is_declined_at_the_server() {
    let consent = Play { consent: true, ..Play::default() };
    let choose = |wanted: &'static str| {
        move |kind: &DialogKind| match kind {
            DialogKind::Select { options, .. } => {
                assert!(options.iter().any(|option| option == wanted), "{options:?}");
                DialogAnswer::Value(wanted.to_owned())
            }
            _ => DialogAnswer::Cancelled,
        }
    };
    assert_eq!(answered(&consent, choose("Decline")).await, r#"{"action":"decline"}"#);
    assert_eq!(answered(&consent, choose("Accept")).await, r#"{"action":"accept","content":{}}"#);
    assert_eq!(answered(&consent, |_: &DialogKind| DialogAnswer::Cancelled).await, r#"{"action":"cancel"}"#);
    assert_eq!(answered(&Play::default(), |_: &DialogKind| DialogAnswer::Cancelled).await, r#"{"action":"cancel"}"#);
}
