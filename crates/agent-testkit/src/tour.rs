//! One session in which every event fires that can fire.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use tau_agent::{UserCommand, session_directory};
use tau_ai::Message;
use tau_hooks::dialogs::{DialogAnswer, DialogEvent};
use tau_hooks::events::{BeforeAgentStart, CacheWarmingDecision};
use tau_hooks::payload::{BeforeAgentStartResult, CustomDraft, ForkPosition, SessionShutdownReason};
use tau_hooks::{DeliverAs, Hooks, Registrar, SendOptions, TreeMove};
use tau_session::EntryBody;
use tau_testkit::GoldenTrace;
use tau_tools::{Invocation, Leftovers, ToolOutput};
use tokio::sync::Notify;

use crate::tools::{did, spec};
use crate::{Log, Running, World, calls, names};

/// What fires in [`tour`], in order, with its payloads: what was accepted last.
pub const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/tour.jsonl");

/// The order in which events fire in [`tour`], but those of [`BESIDE`].
pub static EXPECTED: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let name = |line: &'static str| {
        let name = line.strip_prefix("{\"type\":\"").and_then(|rest| rest.split('"').next());
        name.unwrap_or_else(|| panic!("{GOLDEN}: a line without a type in front: {line}"))
    };
    include_str!("../golden/tour.jsonl").lines().map(name).collect()
});

/// The events of a tour, each once, by name.
pub fn events() -> Vec<&'static str> {
    EXPECTED.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
}

/// Events that keep an order among themselves and fire beside the others: nobody waits for them before a message begins.
pub const BESIDE: &[&str] = &["provider_stream_event"];

/// What a tour came to.
pub struct Toured {
    /// Whether the project was trusted.
    pub trusted: bool,
    pub events: Vec<Value>,
    /// Events of [`BESIDE`].
    pub beside: Vec<Value>,
    pub reports: Vec<(String, String, String)>,
    /// The arguments of the calls that ran.
    pub worked: Vec<Value>,
    /// Role and text of every message, but those of tool results.
    pub conversation: Vec<(String, String)>,
    pub golden: GoldenTrace,
}

impl Toured {
    pub fn names(&self) -> Vec<String> {
        names(&self.events)
    }

    /// Whether every session that began was told of its end, once, and nothing came after the last end.
    pub fn came_to_its_end(&self) -> bool {
        let names = self.names();
        let count = |wanted: &str| names.iter().filter(|name| *name == wanted).count();
        let last = names.last().is_some_and(|name| name == "session_shutdown");
        last && count("session_shutdown") == count("session_start")
    }
}

/// Takes the tour with one more extension, `probe`, in front of the others.
pub async fn tour(probe: impl Fn(&mut Registrar) + Send + Sync) -> Toured {
    let world = world();
    world.extend("probe", probe);
    tour_in(world).await
}

/// What the tour starts from.
pub fn world() -> World {
    let mut working = calls([("call-a", "work", json!({"text": "hard"}))]);
    working.as_array_mut().expect("steps").insert(0, json!("On it."));
    let busy = json!([{"error": {"message": "Overloaded", "status": 529}}]);
    let full = json!(["Again.", {"usage": {"input": 1_000_000, "output": 1}}]);
    let settings = json!({"compaction": {"keepRecentTokens": 1}, "retry": {"baseDelayMs": 1},
        "todo": {"reminders": {"max": 1}}});
    let told = ["A forbidden word.", "A fine word.", "Nothing is left."];
    let world =
        World::new(json!([working, "All done.", told[0], told[1], told[2], busy, full, "A summary.", "Of the turn."]));
    let world = world.with_own_timers();
    world.home.write_agent("rules/words.md", "---\ncondition: forbidden\n---\nSay it in other words.");
    world.settings(settings)
}

/// Takes the tour with whatever extensions are loaded already.
pub async fn tour_in(world: World) -> Toured {
    let decided = Arc::new(Notify::new());
    let worked = guide(&world, &decided);
    let events = world.watch();
    // The last one to hear of it.
    world.extend("usher", |registrar| {
        let decided = Arc::clone(&decided);
        registrar.on::<CacheWarmingDecision>(move |_, _| {
            decided.notify_one();
            std::future::ready(None)
        });
    });
    answer_yes(&world.hooks);

    let trusted = world.ask_for_trust().await;
    let found = session_directory(&world.hooks, &world.env(), world.mode, &Leftovers::default())
        .await
        .expect("a session in memory");
    assert_eq!(found, None);
    let running = world.start().await;
    for line in ["/name Tour", "/thinking high", "/model scripted/other", "/serve", "/ask now", "Do the work."] {
        running.say(line).await;
    }
    note_list(&running, &json!([{"id": "1", "content": "Tidy up", "status": "pending"}]));
    running.say("Tell me a word.").await;
    note_list(&running, &json!([]));
    // A guard may stop it.
    let _ = running.session.run_bash(UserCommand::parse("!true").expect("a command"), None).await;
    running.say("Do it again.").await;
    // There is nothing left to do, unless an extension spoiled the compaction before.
    let _ = running.session.compact(None).await;
    let conversation = running.conversation().into_iter().filter(|(role, _)| role != "toolResult").collect();
    let prompt = running.session.fork_points()[0].0.clone();
    running.session.navigate_tree(&prompt, TreeMove::default()).await.expect("a move");
    running.session.fork(&prompt, ForkPosition::At).await.expect("a fork");
    running.say("/new").await;
    running.session.shut_down(SessionShutdownReason::Quit).await;
    running.session.shut_down(SessionShutdownReason::Quit).await;

    let is_beside = |event: &Value| event["type"].as_str().is_some_and(|name| BESIDE.contains(&name));
    let (beside, events) = events.all().into_iter().partition(is_beside);
    Toured {
        trusted,
        events,
        beside,
        reports: world.reports.all(),
        worked: worked.all(),
        conversation,
        golden: world.golden(),
    }
}

/// Puts a list of what is to be done into the session, as a tool would.
fn note_list(running: &Running, todos: &Value) {
    let result = json!({"role": "toolResult", "toolCallId": "gone", "toolName": "list", "content": [], "isError": false,
        "timestamp": 1, "details": {"todos": todos}});
    let result: Message = serde_json::from_value(result).expect("a message");
    running.session.session().append(EntryBody::message(result)).expect("an entry");
}

fn draft(text: &str) -> CustomDraft {
    CustomDraft { custom_type: "note".to_owned(), content: text.into(), display: true, details: None }
}

/// The extension that makes things happen.
fn guide(world: &World, decided: &Arc<Notify>) -> Log<Value> {
    let worked: Log<Value> = Log::default();
    let calls = worked.clone();
    let hooks = Arc::downgrade(&world.hooks);
    world.extend("guide", move |registrar| {
        let hooks = hooks.clone();
        registrar.command("serve", "Registers a server.", move |_, ctx| {
            let mut late = hooks.upgrade().expect("the hooks").registrar(Arc::clone(ctx.owner()));
            let done = late.mcp_server("files", json!({"command": "serve"})).map(|_| ());
            late.commit_late().expect("a server");
            ctx.host().mcp_servers_changed();
            async move { Ok(done?) }
        });
        let (calls, timers, decided) = (calls.clone(), world.timers.clone(), Arc::clone(decided));
        registrar.tool(spec("work"), move |invocation: Invocation, _| {
            calls.push(invocation.args.clone());
            let (timers, decided) = (timers.clone(), Arc::clone(&decided));
            async move {
                // It takes so long that the prompt would leave the provider's cache.
                if let Some(timers) = timers {
                    timers.notify_one();
                    decided.notified().await;
                }
                invocation.progress.report(ToolOutput::text("half"));
                Ok(ToolOutput::text(did(&invocation)).with_details(json!({"steps": 2})))
            }
        });
        let api = registrar.api();
        registrar.command("ask", "Asks.", move |_, ctx| {
            let api = api.clone();
            async move {
                assert!(ctx.ui().confirm("Sure?", "Really?").await);
                let options = SendOptions { deliver_as: Some(DeliverAs::NextTurn), ..SendOptions::default() };
                Ok(api.send_message(draft("for the next turn"), options)?)
            }
        });
        registrar.on::<BeforeAgentStart>(|_, _| async {
            Some(BeforeAgentStartResult { message: Some(draft("to begin with")), ..BeforeAgentStartResult::default() })
        });
    });
    worked
}

/// A user who says yes.
fn answer_yes(hooks: &Arc<Hooks>) {
    let mut back_end = hooks.dialogs.subscribe();
    tokio::spawn(async move {
        while let Some(event) = back_end.recv().await {
            if let DialogEvent::Opened(request) = event {
                // The question may be gone already.
                let _ = back_end.answer(request.id(), DialogAnswer::Confirmed(true));
            }
        }
    });
}
