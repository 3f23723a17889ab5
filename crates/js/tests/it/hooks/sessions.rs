//! What hooks are told of sessions: that they begin, are replaced, branch and end.

use serde_json::{Value, json};
use tau_hooks::Mode;
use tau_hooks::dialogs::{DialogAnswer, DialogEvent};

use super::{Hooked, omp, original, pi};
use crate::bus::heard;
use crate::common::{World, messages};

fn talking(replies: Value) -> World {
    let mut world = World::new(replies);
    world.mode = Mode::Rpc;
    world
}

/// Emits every event of these names, without its entries.
fn telling(events: &[&str]) -> String {
    let on = |event: &&str| {
        format!(
            "pi.on('{event}', ({{ type, entries, preparation, branchEntries, ...rest }}, ctx) => pi.events.emit('log', {{ type, entries: entries?.length, ...rest }}));"
        )
    };
    events.iter().map(on).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn original_hooks_are_told_of_sessions_as_they_once_were() {
    let body = format!(
        "{}\npi.on('session', (event, ctx) => {{ if (event.reason === 'switch') pi.events.emit('log', [event.sessionFile === ctx.sessionFile, event.entries[0].type, event.entries.filter((entry) => entry.type === 'message').map((entry) => entry.message.role)]); }});
pi.on('branch', (event) => pi.events.emit('log', event.entries[event.targetTurnIndex].message.content[0].text));",
        telling(&["session", "branch"])
    );
    let hooked = Hooked::found(talking(json!(["one", "two"])), &[original(&body)]).await;
    let running = hooked.say("first").await;
    running.say("second").await;
    let file = running.session.session().file().expect("a file").display().to_string();
    let start = heard(&hooked.log, 1).await.remove(0);
    assert_eq!(
        start,
        json!({"type": "session", "entries": start["entries"], "reason": "start", "sessionFile": file, "previousSessionFile": null})
    );

    let second = running
        .session
        .session()
        .entries()
        .into_iter()
        .filter(|entry| entry.kind() == tau_session::EntryKind::Message && !entry.is_system())
        .nth(2);
    let second = second.expect("the second prompt").id().as_str().to_owned();
    running.session.fork(&second, tau_hooks::payload::ForkPosition::Before).await.expect("a fork");
    let told = heard(&hooked.log, 4).await;
    let index = told[0]["targetTurnIndex"].as_u64().expect("a place");
    assert_eq!(
        told[0],
        json!({"type": "branch", "entries": told[0]["entries"], "targetTurnIndex": index, "targetEntryId": second})
    );
    assert_eq!(told[1], "second");
    let forked = running.session.session().file().expect("a file").display().to_string();
    assert_eq!(
        told[2],
        json!({"type": "session", "entries": told[2]["entries"], "reason": "switch", "sessionFile": forked, "previousSessionFile": file})
    );
    assert_eq!(told[3], json!([true, "session", ["user", "assistant"]]));

    running.say("/new").await;
    let cleared = heard(&hooked.log, 1).await.remove(0);
    let file = running.session.session().file().map(|file| file.display().to_string());
    assert_eq!(
        cleared,
        json!({"type": "session", "entries": 0, "reason": "clear", "sessionFile": file, "previousSessionFile": forked})
    );
    assert_eq!(hooked.told(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_dialect_has_its_own_way_not_to_rewind() {
    let hook = |event: &str| format!("pi.on('{event}', () => ({{ skipConversationRestore: true }}));");
    let cases = [
        // Forked, and the conversation stays.
        (pi(&hook("session_before_fork")), true, 4),
        (omp(&hook("session_before_branch")), true, 4),
        // Nothing happens.
        (original(&hook("branch")), false, 4),
    ];
    for (source, forks, length) in cases {
        let hooked = Hooked::found(talking(json!(["one", "two"])), &[source]).await;
        let running = hooked.say("first").await;
        running.say("second").await;
        let before = running.session.session().file().map(ToOwned::to_owned);
        let second = running
            .session
            .session()
            .entries()
            .into_iter()
            .filter(|entry| entry.kind() == tau_session::EntryKind::Message && !entry.is_system())
            .nth(2);
        let second = second.expect("the second prompt").id().as_str().to_owned();
        running.session.fork(&second, tau_hooks::payload::ForkPosition::Before).await.expect("an answer");
        let after = running.session.session().file().map(ToOwned::to_owned);
        assert_eq!((before != after, running.conversation().len()), (forks, length));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_of_oh_my_pi_are_told_of_sessions_under_their_names() {
    let events = [
        "session_start",
        "session_before_switch",
        "session_switch",
        "session_before_branch",
        "session_branch",
        "session_shutdown",
    ];
    let hooked = Hooked::found(talking(json!(["one"])), &[omp(&telling(&events))]).await;
    let running = hooked.say("first").await;
    let first = running.session.fork_points()[0].0.clone();
    running.session.fork(&first, tau_hooks::payload::ForkPosition::Before).await.expect("a fork");
    running.say("/new").await;
    let told = hooked.log.all();
    let names: Vec<(&str, &Value)> =
        told.iter().map(|event| (event["type"].as_str().unwrap_or_default(), &event["reason"])).collect();
    let (none, new) = (Value::Null, json!("new"));
    let starts = names.iter().filter(|(name, _)| *name == "session_start").count();
    let rest: Vec<_> = names.iter().filter(|(name, _)| *name != "session_start").copied().collect();
    assert_eq!(starts, 1);
    assert_eq!(
        rest,
        [
            ("session_before_branch", &none),
            ("session_branch", &none),
            ("session_before_switch", &new),
            ("session_switch", &new)
        ]
    );
    assert_eq!(told[1]["entryId"], json!(first));
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    assert_eq!(hooked.log.all().last().map(|event| event["type"].clone()), Some(json!("session_shutdown")));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cancels_is_the_last_who_is_asked() {
    let first = "pi.on('session_before_switch', () => { pi.events.emit('log', 'first'); return { cancel: true }; });";
    let second = "pi.on('session_before_switch', () => { pi.events.emit('log', 'second'); });";
    for sources in [[omp(first), omp(second)], [pi(first), omp(second)]] {
        let hooked = Hooked::found(talking(json!(["one"])), &sources).await;
        let running = hooked.say("hi").await;
        running.say("/new").await;
        assert_eq!(running.conversation(), messages([("user", "hi"), ("assistant", "one")]));
        assert_eq!(hooked.log.all(), [json!("first")]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_message_before_a_run_counts_or_all_do() {
    let hook = |text: &str| {
        format!(
            "pi.on('before_agent_start', (event) => {{ pi.events.emit('log', [event.prompt, 'systemPrompt' in event]); return {{ message: {{ customType: 't', content: '{text}', display: true }}, systemPrompt: 'ANOTHER {text}' }}; }});"
        )
    };
    let cases = [
        ([pi(&hook("A")), pi(&hook("B"))], vec!["A", "B"], Some("ANOTHER B"), true),
        ([omp(&hook("A")), omp(&hook("B"))], vec!["A"], None, false),
        ([pi(&hook("A")), omp(&hook("B"))], vec!["A", "B"], Some("ANOTHER A"), true),
    ];
    for (sources, texts, prompt, shown) in cases {
        let hooked = Hooked::found(talking(json!(["one"])), &sources).await;
        let running = hooked.say("hi").await;
        let custom = running.conversation().into_iter().filter(|(role, _)| role == "custom").map(|(_, text)| text);
        assert_eq!(custom.collect::<Vec<_>>(), texts);
        assert_eq!(hooked.log.all()[0], json!(["hi", shown]));
        let request = running.script.requests()[0].to_string();
        assert_eq!(request.contains("ANOTHER"), prompt.is_some());
        assert!(prompt.is_none_or(|prompt| request.contains(prompt)), "{request}");
    }
    // The original hooks have no such event.
    let hooked = Hooked::found(talking(json!(["one"])), &[original(&hook("A"))]).await;
    let running = hooked.say("hi").await;
    assert_eq!(running.conversation(), messages([("user", "hi"), ("assistant", "one")]));
}

#[tokio::test(flavor = "multi_thread")]
async fn text_may_be_put_behind_the_system_prompt() {
    let hook = |text: &str, message: &str| {
        omp(&format!("pi.on('before_agent_start', async () => ({{ systemPromptAppend: '{text}'{message} }}));"))
    };
    let message = ", message: { customType: 't', content: 'M', display: true }";
    let another = pi("pi.on('before_agent_start', () => ({ systemPrompt: 'ANOTHER' }));");
    for (sources, prompt) in
        [(vec![hook("A", ""), hook("B", message)], "\n\nA\n\nB"), (vec![another, hook("A", message)], "ANOTHER\n\nA")]
    {
        let hooked = Hooked::found(talking(json!(["one"])), &sources).await;
        let running = hooked.say("hi").await;
        let system = running.script.requests()[0]["system"].as_str().expect("a prompt").to_owned();
        assert!(system.ends_with(prompt), "{system}");
        assert_eq!(running.conversation(), messages([("user", "hi"), ("custom", "M"), ("assistant", "one")]));
        assert_eq!(hooked.told(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_conversation_of_a_request_is_passed_along() {
    let drop = "pi.on('context', ({ messages }) => ({ messages: messages.filter((message) => !(message.role === 'custom' && message.customType === 'debug-only')) }));";
    let broken = "pi.on('context', () => { throw new Error('broken'); });";
    let add = "pi.on('context', ({ messages }) => ({ messages: [...messages, { role: 'user', content: [{ type: 'text', text: 'ADDED' }], timestamp: 0 }] }));";
    let send = "pi.on('before_agent_start', () => ({ message: { customType: 'debug-only', content: 'DEBUG', display: true } }));";
    let body = [send, drop, broken, add].join("\n");
    let hooked = Hooked::found(talking(json!(["one"])), &[omp(&body)]).await;
    let running = hooked.say("hi").await;
    assert_eq!(running.asked()[0], messages([("user", "hi"), ("user", "ADDED")]));
    assert_eq!(running.conversation(), messages([("user", "hi"), ("custom", "DEBUG"), ("assistant", "one")]));
    assert_eq!(hooked.told(), [("context".to_owned(), "broken".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_what_is_said_about_a_summary_the_last_object_counts() {
    let hooks = [
        omp(
            "pi.on('session.compacting', ({ sessionId, messages }) => { pi.events.emit('log', [typeof sessionId, messages.length > 0]); return { context: ['CONTEXT'] }; });",
        ),
        omp("pi.on('session.compacting', () => ({ prompt: 'PROMPT' }));"),
    ];
    let hooked = Hooked::found(
        talking(json!(["one", "two", "three", "SUMMARY"])).settings(json!({"compaction": {"keepRecentTokens": 1}})),
        &hooks,
    )
    .await;
    let running = hooked.say("first").await;
    running.say("second").await;
    running.say("/compact").await;
    assert_eq!(heard(&hooked.log, 1).await, [json!(["string", true])]);
    let request = running.script.requests()[2].to_string();
    assert_eq!((request.contains("PROMPT"), request.contains("CONTEXT")), (true, false), "{request}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_line_is_in_order_and_clean() {
    let body = "pi.on('agent_start', (event, ctx) => {
  ctx.ui.setStatus('b', 'a\\tb\\n  c'); ctx.ui.setStatus('a', '\\u001b[31mred\\u001b[39m'); ctx.ui.setStatus('gone', 'x'); ctx.ui.setStatus('gone', undefined);
});";
    let hooked = Hooked::found(talking(json!(["one"])), &[omp(body)]).await;
    let _back_end = hooked.world.hooks.dialogs.subscribe();
    hooked.say("hi").await;
    assert_eq!(hooked.world.hooks.status.line().as_deref(), Some("\u{1b}[31mred\u{1b}[39m a b c"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_original_hook_has_its_time_and_no_more() {
    let slow = "pi.on('tool_result', () => new Promise((done) => setTimeout(() => done({ content: [{ type: 'text', text: 'LATE' }] }), 60000)));";
    let next = "pi.on('tool_result', () => { pi.events.emit('log', 'next'); });
pi.on('tool_call', () => new Promise((done) => setTimeout(() => done({ block: true, reason: 'after a while' }), 1300)));";
    let world = super::calling("bash", json!({"command": "echo out"})).settings(json!({"hookTimeout": 1000}));
    let hooked = Hooked::found(
        world,
        &[original(slow), original(&next.replace("{ block: true, reason: 'after a while' }", "undefined"))],
    )
    .await;
    let running = hooked.say("hi").await;
    assert_eq!(super::results(&running)[0].0.trim(), "out");
    assert_eq!(heard(&hooked.log, 1).await, [json!("next")]);
    assert_eq!(hooked.told(), [("tool_result".to_owned(), "Hook timed out after 1000ms".to_owned())]);

    // Who asks whether a tool may run takes as long as it needs.
    let world = super::calling("bash", json!({"command": "echo out"})).settings(json!({"hookTimeout": 1000}));
    let hooked = Hooked::found(world, &[original(next)]).await;
    let running = hooked.say("hi").await;
    assert_eq!(super::results(&running)[0].0, "after a while");
    assert_eq!(hooked.told(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_that_know_other_reasons_are_called_for_them() {
    let body = "pi.on('session', async (event, ctx) => {
  pi.events.emit('log', [event.reason, event.type, Array.isArray(event.entries), event.sessionFile === ctx.sessionFile]);
  if (event.reason === 'before_clear' || event.reason === 'before_branch') return { cancel: true };
  if (event.reason === 'before_compact') {
    const index = event.entries.findIndex((entry) => entry.id === event.firstKeptEntryId);
    return { compactionEntry: { type: 'compaction', summary: 'MINE', firstKeptEntryIndex: index, tokensBefore: event.tokensBefore } };
  }
  if (event.reason === 'compact' || event.reason === 'shutdown') return undefined;
});";
    let world = talking(json!(["one", "two"])).settings(json!({"compaction": {"keepRecentTokens": 1}}));
    let hooked = Hooked::found(world, &[original(body)]).await;
    let running = hooked.say("first").await;
    running.say("second").await;
    running.say("/new").await;
    assert_eq!(running.conversation().len(), 4);
    let last =
        running.session.session().entries().into_iter().rfind(|entry| entry.kind() == tau_session::EntryKind::Message);
    let last = last.expect("a message").parent_id().expect("a parent").as_str().to_owned();
    running.session.fork(&last, tau_hooks::payload::ForkPosition::Before).await.expect("an answer");
    assert_eq!(running.conversation().len(), 4);
    running.say("/compact").await;
    let summary = running.file().into_iter().find(|line| line["type"] == "compaction").expect("a compaction");
    assert_eq!(summary["summary"], "MINE");
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    let told = heard(&hooked.log, 6).await;
    let reasons = ["start", "before_clear", "before_branch", "before_compact", "compact", "shutdown"];
    assert_eq!(told, reasons.map(|reason| json!([reason, "session", true, true])));
    assert_eq!(hooked.told(), []);
}

/// The time in which the user thinks is not the hook's.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_may_be_answered_when_the_time_of_a_hook_is_over() {
    let body = "pi.on('branch', async (event, ctx) => {
  const choice = await ctx.ui.select('Branch?', ['Yes', 'No']);
  pi.events.emit('log', choice);
  return { skipConversationRestore: choice === 'No' };
});";
    let world = talking(json!(["one"])).settings(json!({"hookTimeout": 1000}));
    let hooked = Hooked::found(world, &[original(body)]).await;
    let mut back_end = hooked.world.hooks.dialogs.subscribe();
    let running = hooked.say("first").await;
    let before = running.session.session().file().map(ToOwned::to_owned);
    let entries = running.session.session().entries();
    let first = entries.iter().find(|entry| entry.kind() == tau_session::EntryKind::Message).expect("the prompt");
    let user = async {
        while let Some(event) = back_end.recv().await {
            if let DialogEvent::Opened(request) = event {
                tokio::time::sleep(std::time::Duration::from_millis(1300)).await;
                let _ = back_end.answer(request.id(), DialogAnswer::Value("No".to_owned()));
                break;
            }
        }
    };
    let (forked, ()) =
        tokio::join!(running.session.fork(first.id().as_str(), tau_hooks::payload::ForkPosition::Before), user);
    forked.expect("an answer");
    assert_eq!(heard(&hooked.log, 1).await, [json!("No")]);
    assert_eq!(running.session.session().file().map(ToOwned::to_owned), before);
    assert_eq!(hooked.told(), []);
}
