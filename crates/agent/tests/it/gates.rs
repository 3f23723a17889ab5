//! A gate never fails open: whatever keeps a handler of `tool_call` from deciding, the tool does not run, the model
//! reads why, the call is told to have ended once, and the session goes on.

use std::time::Duration;

use serde_json::{Value, json};
use tau_hooks::events::{Input, ToolCall};
use tau_hooks::payload::ToolCallResult;
use tau_hooks::{HandlerError, Mode, Registrar};

use crate::common::tools::recording;
use crate::common::{Log, World, calls, messages};

/// What keeps the handler from deciding.
type Trouble = fn(&mut Registrar);

/// What one call came to behind a gate in trouble.
struct Shut {
    ran: Vec<Value>,
    reports: Vec<(String, String, String)>,
}

/// One call behind a gate in trouble, then a prompt without calls. Checks all that is the same for every trouble.
async fn behind(world: World, trouble: Option<Trouble>, reason: &str) -> Shut {
    let ran = Log::default();
    if let Some(trouble) = trouble {
        world.extend("gate", trouble);
    }
    let asked_after: Log<Value> = Log::default();
    let later = asked_after.clone();
    world.extend("work", |registrar| {
        recording(registrar, "work", &ran);
        let later = later.clone();
        registrar.on_json("tool_call", move |event, _| {
            later.push(event);
            std::future::ready(Ok(None))
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    running.say("Still there?").await;

    assert_eq!(asked_after.all(), Vec::<Value>::new(), "a gate behind a shut one is not asked");
    let expected = messages([
        ("user", "Hi"),
        ("assistant", r#"work({"text":"x"})"#),
        ("toolResult", reason),
        ("assistant", "I see."),
        ("user", "Still there?"),
        ("assistant", "Yes."),
    ]);
    assert_eq!(running.file_messages(), expected);
    assert_eq!(running.asked()[1], expected[..3]);
    let ends: Vec<Value> = running
        .events
        .all()
        .into_iter()
        .filter(|event| event["type"].as_str().is_some_and(|name| name.starts_with("tool_execution")))
        .collect();
    assert_eq!(
        ends,
        [
            json!({"type": "tool_execution_start", "toolCallId": "1", "toolName": "work", "args": {"text": "x"}}),
            json!({"type": "tool_execution_end", "toolCallId": "1", "toolName": "work",
                "result": {"content": [{"type": "text", "text": reason}], "details": {}}, "isError": true}),
        ]
    );
    Shut { ran: ran.all(), reports: world.reports.all() }
}

fn world() -> World {
    World::new(json!([calls([("1", "work", json!({"text": "x"}))]), "I see.", "Yes."]))
}

async fn check(trouble: Trouble, reason: &str, report: &str) {
    let shut = behind(world(), Some(trouble), reason).await;
    assert_eq!(shut.ran, Vec::<Value>::new());
    assert_eq!(shut.reports, [("<native:gate>".to_owned(), "tool_call".to_owned(), report.to_owned())]);
}

#[tokio::test]
async fn a_handler_that_throws() {
    let trouble: Trouble = |registrar| {
        registrar.on::<ToolCall>(|_, _| async { Err::<(), _>(HandlerError::msg("no idea")) });
    };
    check(trouble, "no idea", "no idea").await;
}

#[tokio::test]
async fn a_handler_that_throws_later() {
    let trouble: Trouble = |registrar| {
        registrar.on::<ToolCall>(|_, _| async {
            tokio::task::yield_now().await;
            Err::<(), _>(HandlerError::msg("no idea"))
        });
    };
    check(trouble, "no idea", "no idea").await;
}

#[tokio::test]
async fn a_handler_that_panics() {
    let reason = "Blocked: extension <native:gate> panicked: oh";
    let trouble: Trouble = |registrar| {
        registrar.on_json("tool_call", |_, _| async { std::panic::panic_any("oh") });
    };
    check(trouble, reason, "panicked: oh").await;
    let trouble: Trouble = |registrar| {
        registrar.on_json("tool_call", |_, _| async {
            tokio::task::yield_now().await;
            std::panic::panic_any("oh".to_owned())
        });
    };
    check(trouble, reason, "panicked: oh").await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs() {
    let trouble: Trouble = |registrar| {
        registrar.on::<ToolCall>(|_, _| std::future::pending::<()>());
    };
    let world = world().settings(json!({"tau": {"limits": {"handlerMs": 200, "softMs": 50}}}));
    let shut = behind(
        world,
        Some(trouble),
        "Blocked: extension <native:gate> did not answer within 200ms, the limit of tau.limits.handlerMs",
    )
    .await;
    assert_eq!(shut.ran, Vec::<Value>::new());
    let reports: Vec<(&str, bool)> = shut
        .reports
        .iter()
        .map(|(extension, event, message)| {
            assert_eq!((extension.as_str(), event.as_str()), ("<native:gate>", "tool_call"));
            (message.split(" after ").next().unwrap_or_default(), message.contains("200ms"))
        })
        .collect();
    assert_eq!(
        reports,
        [
            ("`tool_call` handler is still busy", false),
            ("did not answer within 200ms, the limit of tau.limits.handlerMs", true)
        ]
    );
}

/// Without a terminal there is a limit even when no setting gives one.
#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_without_a_setting() {
    let trouble: Trouble = |registrar| {
        registrar.on::<ToolCall>(|_, _| std::future::pending::<()>());
    };
    let started = tokio::time::Instant::now();
    let shut = behind(
        world(),
        Some(trouble),
        "Blocked: extension <native:gate> did not answer within 600s, the limit of tau.limits.handlerMs",
    )
    .await;
    assert_eq!(shut.ran, Vec::<Value>::new());
    assert!(started.elapsed() >= Duration::from_secs(600));
}

/// In the terminal the user goes on without the handler; the gate stays shut all the same.
#[tokio::test(start_paused = true)]
async fn a_handler_that_the_user_skips() {
    let trouble: Trouble = |registrar| {
        registrar.on::<ToolCall>(|_, _| std::future::pending::<()>());
    };
    let mut world = world();
    world.mode = Mode::Tui;
    let hooks = std::sync::Arc::clone(&world.hooks);
    let user = tokio::spawn(async move {
        loop {
            if let Some(call) = hooks.dispatcher.running().first() {
                return hooks.dispatcher.skip(call.id).map(|path| path.to_string());
            }
            tokio::time::sleep(Duration::from_secs(3600)).await;
        }
    });
    let shut = behind(world, Some(trouble), "Blocked: extension <native:gate> was skipped by the user").await;
    assert_eq!(shut.ran, Vec::<Value>::new());
    assert_eq!(user.await.expect("the user"), Some("<native:gate>".to_owned()));
}

#[tokio::test]
async fn a_handler_that_answers_nonsense() {
    let nonsense: [(Trouble, &str); 6] = [
        (|r| answer(r, || json!("block")), "an object is needed, not a string"),
        (|r| answer(r, || json!(true)), "an object is needed, not `true`"),
        (|r| answer(r, || json!([{"block": true}])), "an object is needed, not an array"),
        (|r| answer(r, || json!({"block": "yes"})), "invalid type: string \"yes\", expected a boolean"),
        (|r| answer(r, || json!({"block": null})), "invalid type: null, expected a boolean"),
        (|r| answer(r, || json!({"block": false, "reason": 1})), "invalid type: integer `1`, expected a string"),
    ];
    for (trouble, what) in nonsense {
        let text = format!("returned a malformed result: {what}");
        check(trouble, &format!("Blocked: extension <native:gate> {text}"), &text).await;
    }
}

fn answer(registrar: &mut Registrar, result: fn() -> Value) {
    registrar.on_json("tool_call", move |_, _| std::future::ready(Ok(Some(result()))));
}

/// An answer without a field of the event, or with a reason alone, is as good as `{}`, and the user reads that it blocked
/// nothing.
#[tokio::test]
async fn a_handler_that_answers_with_unknown_fields_only() {
    let answers: [(Trouble, &str); 4] = [
        (
            |r| answer(r, || json!({"reason": "no"})),
            "answered with `reason` and without `block`, so it blocked nothing; to block, add `block: true`",
        ),
        (
            |r| answer(r, || json!({"terminate": true})),
            "answered with `terminate` and without `block`, so it blocked nothing; to block, add `block: true`",
        ),
        (
            |r| answer(r, || json!({"blocked": true})),
            "answered with the unknown field `blocked` and with no field of `tool_call`, so it blocked nothing; did you mean \
             `block`?",
        ),
        (
            |r| answer(r, || json!({"decision": "deny"})),
            "answered with the unknown field `decision` and with no field of `tool_call`, so it blocked nothing",
        ),
    ];
    for (trouble, told) in answers {
        let world = world();
        let ran = Log::default();
        world.extend("gate", |registrar| {
            trouble(registrar);
            recording(registrar, "work", &ran);
        });
        let reports = world.reports.clone();
        world.start().await.say("Hi").await;
        assert_eq!(ran.all(), [json!({"text": "x"})]);
        let reports: Vec<String> = reports.all().into_iter().map(|(_, _, message)| message).collect();
        assert_eq!(reports, [told]);
    }
}

/// `null`, an empty object and `block: false` are decisions to let the call through.
#[tokio::test]
async fn a_handler_that_allows() {
    for allow in [|| Value::Null, || json!({}), || json!({"block": false})] {
        let world = world();
        let ran = Log::default();
        world.extend("gate", |registrar| {
            answer(registrar, allow);
            recording(registrar, "work", &ran);
        });
        world.start().await.say("Hi").await;
        assert_eq!(ran.all(), [json!({"text": "x"})]);
        assert_eq!(world.reports.all(), []);
    }
}

#[tokio::test]
async fn a_required_extension_that_is_not_there() {
    let world = world();
    world.hooks.require(&["guard".to_owned().into()], &[]);
    let why = "tau.required names it, but it is not installed";
    let shut = behind(world, None, &format!("Blocked: extension guard is not loaded: {why}")).await;
    assert_eq!(shut.ran, Vec::<Value>::new());
    assert_eq!(shut.reports, [("guard".to_owned(), "load".to_owned(), why.to_owned())]);
}

#[tokio::test]
async fn a_guard_that_does_not_come_back() {
    let world = world();
    world.extend("guard", |registrar| {
        registrar.on::<ToolCall>(|_, _| async { None::<ToolCallResult> });
    });
    let owner = world.hooks.extensions().remove(0);
    world.hooks.unload(&owner);
    let failed = world.hooks.load_with(owner, |_| Err(HandlerError::msg("syntax error")));
    assert!(failed.is_err());
    let reason =
        "Blocked: extension <native:guard> is not loaded: it guarded this and could not be loaded again: syntax error";
    let shut = behind(world, None, reason).await;
    assert_eq!(shut.ran, Vec::<Value>::new());
}

/// An empty reason and none give the standard text, with the name of who blocked.
#[tokio::test]
async fn a_block_without_a_reason() {
    for result in [|| json!({"block": true}), || json!({"block": true, "reason": ""})] {
        let world = world();
        let ran = Log::default();
        world.extend("gate", |registrar| {
            answer(registrar, result);
            recording(registrar, "work", &ran);
        });
        let running = world.start().await;
        running.say("Hi").await;
        assert_eq!(ran.all(), Vec::<Value>::new());
        assert_eq!(running.asked()[1][2].1, "Tool execution was blocked: <native:gate> gives no reason");
    }
}

/// Other handlers that fail do not stand in the way.
#[tokio::test]
async fn only_gates_block() {
    let world = world();
    let ran = Log::default();
    world.extend("broken", |registrar| {
        recording(registrar, "work", &ran);
        registrar.on::<Input>(|_, _| async { Err::<(), _>(HandlerError::msg("broken")) });
        for event in ["tool_execution_start", "tool_result", "tool_execution_end", "message_end", "turn_end"] {
            registrar.on_json(event, |_, _| async { Err(HandlerError::msg("broken")) });
        }
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(ran.all(), [json!({"text": "x"})]);
    assert_eq!(running.asked()[1][2], ("toolResult".to_owned(), "did x".to_owned()));
}
