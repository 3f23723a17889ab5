//! What the results of handlers do to a session.

use serde_json::{Value, json};
use tau_ai::{ContentBlock, Message, MessageContent};
use tau_hooks::events::{
    AgentBeforeSettle, BeforeAgentStart, BeforeProviderHeaders, BeforeProviderRequest, Context,
    ContextWithSystem, Input, MessageEnd, ResourcesDiscover, SessionDirectory, ToolCall, ToolResult, TurnEnd,
};
use tau_hooks::payload::{
    BeforeAgentStartResult, BeforeProviderHeadersResult, BeforeProviderRequestResult, BoundaryResult, ContextResult,
    CustomDraft, EntryDraft, InputResult, MessageEndResult, ResourcesDiscoverResult, SessionDirectoryResult,
    ToolCallResult, ToolResultResult,
};
use tau_tools::ToolFailure;

use crate::common::tools::{recording, spec};
use crate::common::{Log, World, brief_list, calls, messages};

/// The last directory wins, and the session file goes there.
pub async fn session_directory() {
    let world = World::new(json!(["Hello."]));
    world.extend("dirs", |registrar| {
        for dir in ["first", "kept/here", ""] {
            registrar.on::<SessionDirectory>(move |event, _| async move {
                assert!(event.cwd.ends_with("/project"));
                Some(SessionDirectoryResult { session_dir: Some(dir.to_owned()) })
            });
        }
    });
    let dir = asked_directory(&world).await;
    assert_eq!(dir, world.home.cwd().join("kept/here"));
    let running = world.start_in(dir.clone()).await;
    running.say("Hi").await;
    assert_eq!(running.session.session().file().and_then(|file| file.parent()), Some(dir.as_path()));
    assert_eq!(running.file_messages(), messages([("user", "Hi"), ("assistant", "Hello.")]));
    assert_eq!(world.home.session_files(), Vec::<std::path::PathBuf>::new());
}

async fn asked_directory(world: &World) -> std::path::PathBuf {
    let dir = tau_agent::session_directory(&world.hooks, &world.env(), world.mode).await.expect("a session in memory");
    dir.expect("a directory")
}

/// Skills and templates of all handlers can be used.
pub async fn resources_discover() {
    let world = World::new(json!(["One.", "Two."]));
    world.home.write("more/dig/SKILL.md", "---\nname: dig\ndescription: Digs.\n---\nUse a spade.\n");
    world.home.write("more/greet.md", "Say hello to $1.\n");
    world.extend("bringer", |registrar| {
        registrar.on::<ResourcesDiscover>(|_, _| async {
            Some(ResourcesDiscoverResult { skill_paths: vec!["more/dig".to_owned()], ..Default::default() })
        });
        registrar.on::<ResourcesDiscover>(|_, _| async {
            Some(ResourcesDiscoverResult { prompt_paths: vec!["more/greet.md".to_owned()], ..Default::default() })
        });
    });
    let running = world.start().await;
    running.say("/greet Ada").await;
    running.say("/skill:dig deep").await;
    let dir = world.home.cwd().join("more/dig");
    let skill = format!(
        "<skill name=\"dig\" location=\"{0}/SKILL.md\">\nReferences are relative to {0}.\n\nUse a spade.\n</skill>\n\ndeep",
        dir.display()
    );
    assert_eq!(
        running.asked()[1],
        messages([("user", "Say hello to Ada."), ("assistant", "One."), ("user", &skill)])
    );
    let system = running.script.requests()[0]["system"].as_str().expect("a prompt").to_owned();
    assert!(system.contains("<name>dig</name>"), "{system}");
}

/// Transforms are chained, images included; what a handler swallows goes no further.
pub async fn input() {
    let world = World::new(json!(["One."]));
    world.extend("rewrite", |registrar| {
        registrar.on::<Input>(|event, _| async move {
            match event.text.as_str() {
                "secret" => Some(InputResult::Handled),
                text => {
                    let images = Some(vec![ContentBlock::image("AA==", "image/png")]);
                    Some(InputResult::Transform { text: format!("{text}?"), images })
                }
            }
        });
        registrar.on::<Input>(|event, _| async move {
            assert_ne!(event.text, "secret");
            Some(InputResult::Transform { text: event.text.to_uppercase(), images: None })
        });
    });
    let running = world.start().await;
    assert_eq!(running.say("secret").await, tau_agent::Prompted::Handled);
    assert_eq!(running.events.all(), Vec::<Value>::new());
    running.say("why").await;
    assert_eq!(running.asked(), [messages([("user", "WHY?|(image)")])]);
    assert_eq!(running.file_messages(), messages([("user", "WHY?|(image)"), ("assistant", "One.")]));
}

/// Messages of all handlers are kept, in order; the prompt is passed along and holds for this run only.
pub async fn before_agent_start() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("start", |registrar| {
        for name in ["a", "b"] {
            registrar.on::<BeforeAgentStart>(move |event, ctx| async move {
                if event.prompt != "first" {
                    return None;
                }
                assert!(ctx.host().is_idle() || event.images.is_none());
                let message = CustomDraft {
                    custom_type: name.to_owned(),
                    content: format!("note {name}").into(),
                    display: false,
                    details: Some(json!({"n": name})),
                };
                let system_prompt = Some(format!("{}+{name}", event.system_prompt));
                Some(BeforeAgentStartResult { message: Some(message), system_prompt, ..Default::default() })
            });
        }
    });
    let running = world.start().await;
    running.say("first").await;
    running.say("second").await;
    let requests = running.script.requests();
    let first = requests[0]["system"].as_str().expect("a prompt");
    let second = requests[1]["system"].as_str().expect("a prompt");
    assert_eq!(first, format!("{second}+a+b"));
    assert!(second.starts_with("You are a test."), "{second}");
    assert_eq!(running.asked()[0], messages([("user", "first"), ("user", "note a"), ("user", "note b")]));
    let customs: Vec<Value> = running.file().into_iter().filter(|line| line["type"] == "custom_message").collect();
    assert_eq!(customs.len(), 2);
    assert_eq!(
        (&customs[1]["customType"], &customs[1]["content"], &customs[1]["display"], &customs[1]["details"]),
        (&json!("b"), &json!("note b"), &json!(false), &json!({"n": "b"}))
    );
}

/// Entries are appended and one more run takes place, as often as a handler asks.
pub async fn agent_before_settle() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("again", |registrar| {
        registrar.on::<AgentBeforeSettle>(|event, _| async move {
            let asked = event.boundary.context.context_messages.iter().filter(|m| m.role() == "user").count();
            let notes = event.boundary.context.context_messages.iter().filter(|m| m.role() == "custom").count();
            let entry = EntryDraft::CustomMessage {
                custom_type: "more".to_owned(),
                content: "go on".into(),
                display: true,
                details: None,
            };
            (asked == 1 && notes == 0)
                .then(|| BoundaryResult { entries: Some(vec![entry]), go_on: Some(true) })
        });
        // The preview is up to date after every handler.
        registrar.on::<AgentBeforeSettle>(|event, _| async move {
            assert_eq!(event.boundary.context.can_continue, !event.boundary.entries.is_empty());
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let expected = messages([("user", "Hi"), ("assistant", "One."), ("custom", "go on"), ("assistant", "Two.")]);
    assert_eq!(running.file_messages(), expected);
    assert_eq!(running.conversation(), expected);
    let starts = running.outline().iter().filter(|line| *line == "agent_start").count();
    assert_eq!((starts, running.outline().last().map(String::as_str)), (2, Some("agent_settled")));
    assert_eq!(world.reports.all(), []);
}

/// Entries are appended in order, `context_edit` changes what the model sees, and a wish to go on without anything
/// to answer is refused with a report.
pub async fn turn_end() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("edit", |registrar| {
        registrar.on::<TurnEnd>(|event, _| async move {
            let first = event.boundary.context.context_messages.item(0).and_then(|item| item.entry_id.clone());
            if event.response.as_assistant().is_some_and(|answer| answer.texts().eq(["Two."])) {
                return Some(BoundaryResult { go_on: Some(true), ..BoundaryResult::default() });
            }
            let target_id = first.expect("the user's entry");
            let replacement = Some(tau_hooks::payload::Replacement { content: MessageContent::from("Hello") });
            let entries = vec![
                EntryDraft::Custom { custom_type: "state".to_owned(), data: Some(json!(7)) },
                EntryDraft::ContextEdit { target_id, replacement },
                EntryDraft::CustomMessage {
                    custom_type: "more".to_owned(),
                    content: "and?".into(),
                    display: false,
                    details: None,
                },
            ];
            Some(BoundaryResult { entries: Some(entries), go_on: Some(true) })
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(running.asked()[1], messages([("user", "Hello"), ("assistant", "One."), ("user", "and?")]));
    let kinds: Vec<Value> = running.file().iter().skip(3).map(|line| line["type"].clone()).collect();
    assert_eq!(kinds, ["message", "message", "custom", "context_edit", "custom_message", "message"]);
    let appended = running.outline().iter().filter(|line| *line == "entry_appended").count();
    assert_eq!(appended, 3);
    assert_eq!(
        world.reports.all(),
        [(
            "extensions".to_owned(),
            "turn_end".to_owned(),
            "asked to go on, but there is nothing the model could answer to".to_owned()
        )]
    );
}

/// Other messages for one request only: neither the session nor the next request knows of them.
pub async fn context() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("shorten", |registrar| {
        registrar.on::<Context>(|mut event, _| async move {
            if event.messages.len() > 1 {
                return None;
            }
            match event.messages.edit(0) {
                Some(Message::User(user)) => user.content = "changed".into(),
                other => panic!("{other:?}"),
            }
            Some(ContextResult { messages: Some(event.messages) })
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    running.say("Again").await;
    assert_eq!(
        running.asked(),
        [
            messages([("user", "changed")]),
            messages([("user", "Hi"), ("assistant", "One."), ("user", "Again")]),
        ]
    );
    assert_eq!(running.file_messages()[0], ("user".to_owned(), "Hi".to_owned()));
}

/// The head is the system prompt of this request. Without it there is none, which is reported.
pub async fn context_with_system() {
    let world = World::new(json!(["One.", "Two.", "Three."]));
    world.extend("head", |registrar| {
        registrar.on::<ContextWithSystem>(|mut event, _| async move {
            match event.messages.len() {
                2 => match event.messages.edit(0) {
                    Some(Message::System(head)) => head.content = "Be brief.".into(),
                    other => panic!("{other:?}"),
                },
                4 => event.messages.drop_front(1),
                _ => return None,
            }
            Some(ContextResult { messages: Some(event.messages) })
        });
    });
    let running = world.start().await;
    for text in ["1", "2", "3"] {
        running.say(text).await;
    }
    let requests = running.script.requests();
    assert_eq!((&requests[0]["system"], &requests[1]["system"]), (&json!("Be brief."), &Value::Null));
    assert!(requests[2]["system"].as_str().is_some_and(|text| text.starts_with("You are a test.")));
    assert_eq!(running.asked()[1], messages([("user", "1"), ("assistant", "One."), ("user", "2")]));
    let text = "the system message was removed; this request has no system prompt";
    let event = "context_with_system".to_owned();
    assert_eq!(world.reports.all(), [(event.clone(), event, text.to_owned())]);
}

/// Headers are added, replaced and removed.
pub async fn before_provider_headers() {
    let world = World::new(json!(["One."]));
    world.extend("headers", |registrar| {
        registrar.on::<BeforeProviderHeaders>(|mut event, _| async move {
            event.headers.insert("x-one".to_owned(), Some("1".to_owned()));
            event.headers.insert("x-two".to_owned(), Some("2".to_owned()));
            Some(BeforeProviderHeadersResult { headers: Some(event.headers) })
        });
        registrar.on::<BeforeProviderHeaders>(|mut event, _| async move {
            assert_eq!(event.headers.get("x-one"), Some(&Some("1".to_owned())));
            event.headers.insert("x-one".to_owned(), None);
            Some(BeforeProviderHeadersResult { headers: Some(event.headers) })
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let headers: Vec<Value> = running.script.request_headers().iter().map(|headers| json!(headers)).collect();
    assert_eq!(headers, [json!({"x-two": "2"})]);
}

/// Bodies are passed along.
pub async fn before_provider_request() {
    let world = World::new(json!(["One."]));
    world.extend("body", |registrar| {
        for mark in ["a", "b"] {
            registrar.on::<BeforeProviderRequest>(move |mut event, _| async move {
                let system = event.payload["system"].as_str().expect("a prompt").len();
                event.payload["system"] = if mark == "a" { json!("A") } else { json!(format!("{system}B")) };
                Some(BeforeProviderRequestResult(event.payload))
            });
        }
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(running.script.requests()[0]["system"], json!("1B"));
}

/// The replacement is what is kept, shown and sent again. One of another role is refused.
pub async fn message_end() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("replace", |registrar| {
        registrar.on::<MessageEnd>(|event, _| async move {
            let mut message = Message::clone(&event.message);
            match &mut message {
                Message::Assistant(answer) => answer.content.push(ContentBlock::text("(checked)")),
                Message::User(_) => message = serde_json::from_value(json!({"role": "assistant", "content": []}))?,
                _ => return Ok(None),
            }
            Ok(Some(MessageEndResult { message: Some(message.into()) }))
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    running.say("And?").await;
    let expected = messages([("user", "Hi"), ("assistant", "One.|(checked)"), ("user", "And?")]);
    assert_eq!(running.asked()[1], expected);
    assert_eq!(running.file_messages()[..3], expected);
    assert!(running.outline().contains(&"message_end assistant One.|(checked)".to_owned()));
    let report = (
        "<native:replace>".to_owned(),
        "message_end".to_owned(),
        "returned a malformed result: the replacement has role \"assistant\" but the message has role \"user\""
            .to_owned(),
    );
    assert_eq!(world.reports.all(), vec![report; 2]);
}

/// A call is blocked with the reason, or runs with the arguments as handlers left them; what was shown when it was
/// taken up stays what the model sent.
pub async fn tool_call() {
    let world = World::new(json!([
        calls([("1", "work", json!({"text": "no"})), ("2", "work", json!({"text": "yes"}))]),
        "Done."
    ]));
    let ran = Log::default();
    world.extend("gate", |registrar| {
        recording(registrar, "work", &ran);
        registrar.on::<ToolCall>(|event, _| async move {
            (event.input["text"] == "no").then(|| ToolCallResult::block("not here"))
        });
        registrar.on::<ToolCall>(|event, _| async move {
            assert_ne!(event.input["text"], "no");
            Some(ToolCallResult::with_input(json!({"text": "changed"})))
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(ran.all(), [json!({"text": "changed"})]);
    let results = &running.asked()[1][2..];
    assert_eq!(results, messages([("toolResult", "not here"), ("toolResult", "did changed")]));
    let started: Vec<Value> =
        running.events.all().into_iter().filter(|event| event["type"] == "tool_execution_start").collect();
    assert_eq!((&started[0]["args"], &started[1]["args"]), (&json!({"text": "no"}), &json!({"text": "yes"})));
    let ends: Vec<Value> =
        running.events.all().into_iter().filter(|event| event["type"] == "tool_execution_end").collect();
    assert_eq!(
        ends[0]["result"],
        json!({"content": [{"type": "text", "text": "not here"}], "details": {}})
    );
    assert_eq!((&ends[0]["isError"], &ends[1]["isError"]), (&json!(true), &json!(false)));
}

/// Fields are patched one by one, also of failures, and reach the end event, the message and the model.
pub async fn tool_result() {
    let world = World::new(json!([
        calls([("1", "work", json!({"text": "a"})), ("2", "missing_file", json!({}))]),
        "Done."
    ]));
    world.extend("filter", |registrar| {
        recording(registrar, "work", &Log::default());
        registrar.tool(spec("missing_file"), |_, _| async {
            Err(ToolFailure::new("no such file"))
        });
        registrar.on::<ToolResult>(|event, _| async move {
            let text = if event.is_error { "none, but never mind" } else { "patched" };
            Some(ToolResultResult { content: Some(vec![ContentBlock::text(text)]), ..Default::default() })
        });
        registrar.on::<ToolResult>(|event, _| async move {
            assert_ne!(event.content, [ContentBlock::text("did a")]);
            Some(ToolResultResult {
                details: Some(json!({"was": event.is_error})),
                is_error: Some(!event.is_error),
                ..Default::default()
            })
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let request = &running.script.requests()[1];
    assert_eq!(
        brief_list(&request["messages"])[2..],
        messages([("toolResult", "patched"), ("toolResult", "none, but never mind")])
    );
    let fields = |message: &Value| (message["isError"].clone(), message["details"].clone());
    let results: Vec<Value> = running.file().iter().map(|line| line["message"].clone()).collect();
    let results: Vec<&Value> = results.iter().filter(|message| message["role"] == "toolResult").collect();
    assert_eq!(fields(results[0]), (json!(true), json!({"was": false})));
    assert_eq!(fields(results[1]), (json!(false), json!({"was": true})));
    let ends: Vec<Value> =
        running.events.all().into_iter().filter(|event| event["type"] == "tool_execution_end").collect();
    assert_eq!(
        (&ends[1]["result"], &ends[1]["isError"]),
        (
            &json!({"content": [{"type": "text", "text": "none, but never mind"}], "details": {"was": true}}),
            &json!(false)
        )
    );
}
