//! Extension commands, `input`, built-in commands, skills and templates: who sees a text first.

use serde_json::{Value, json};
use tau_agent::outcome::BuiltinOutcome;
use tau_agent::{PromptError, Prompted};
use tau_hooks::HandlerError;
use tau_hooks::events::Input;
use tau_hooks::payload::{InputEvent, InputResult, InputSource, StreamingBehavior};

use crate::common::tools::{Barrier, waiting};
use crate::common::{Log, World, calls, messages, names};

#[tokio::test]
async fn an_extension_command_runs_at_once_also_while_a_run_is_under_way() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Done."]));
    let (barrier, typed) = (Barrier::default(), Log::default());
    world.extend("commands", |registrar| {
        waiting(registrar, "work", &barrier);
        let typed = typed.clone();
        registrar.command("note", "Notes.", move |args, ctx| {
            typed.push((args, ctx.host().is_idle()));
            std::future::ready(Ok(()))
        });
    });
    let seen = world.watch();
    let running = world.start().await;
    assert_eq!(running.say("/note  first\nline ").await, Prompted::Command { failed: false });
    assert_eq!(names(&seen.take()), ["session_start", "resources_discover"]);
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    let (before, told) = (seen.all().len(), running.events.all().len());
    // The name ends at a space only.
    assert_eq!(
        running.session.prompt(tau_agent::Prompt::new("/note b")).await.expect("a command"),
        Prompted::Command { failed: false }
    );
    assert_eq!((seen.all().len(), running.events.all().len()), (before, told));
    barrier.open();
    assert_eq!(run.await.expect("the run").expect("a run"), Prompted::Ran);
    assert_eq!(typed.all(), [(" first\nline ".to_owned(), true), ("b".to_owned(), false)]);
}

#[tokio::test]
async fn a_command_that_fails_is_reported_and_counts_as_run() {
    let world = World::new(json!([]));
    world.extend("commands", |registrar| {
        registrar.command("bad", "Fails.", |_, _| async { Err(HandlerError::msg("no")) });
    });
    let running = world.start().await;
    assert_eq!(running.say("/bad x").await, Prompted::Command { failed: true });
    assert_eq!(world.reports.all(), [("command:bad".to_owned(), "command".to_owned(), "no".to_owned())]);
    assert_eq!(running.events.all(), Vec::<Value>::new());
}

#[tokio::test]
async fn builtin_commands_are_looked_up_in_what_input_made_of_the_text() {
    let world = World::new(json!(["Hello."]));
    world.extend("alias", |registrar| {
        registrar.on::<Input>(|event, _| async move {
            let name = event.text.strip_prefix("call it ")?;
            Some(InputResult::Transform { text: format!("/name {name}"), images: None })
        });
    });
    let running = world.start().await;
    let done = running.say("call it Plan B").await;
    assert_eq!(done, Prompted::Builtin("Session name: Plan B".into()));
    assert_eq!(running.session.session().session_name().as_deref(), Some("Plan B"));
    assert_eq!(running.script.requests(), Vec::<Value>::new());
    assert_eq!(running.events.all(), [json!({"type": "session_info_changed", "name": "Plan B"})]);
    assert_eq!(running.say("/name").await, Prompted::Builtin("Plan B".into()));
}

#[tokio::test]
async fn text_of_an_extension_is_never_a_command_and_never_expanded() {
    let world = World::new(json!(["One.", "Two.", "Three."]));
    world.home.write_agent("prompts/greet.md", "Say hello.");
    let ran = Log::default();
    world.extend("commands", |registrar| {
        let ran = ran.clone();
        registrar.command("note", "Notes.", move |args, _| {
            ran.push(args);
            std::future::ready(Ok(()))
        });
    });
    let running = world.start().await;
    for text in ["/name x", "/note x", "/greet"] {
        assert_eq!(running.say_as_extension(text).await.expect("a run"), Prompted::Ran);
    }
    assert_eq!(
        running.asked()[2],
        messages([
            ("user", "/name x"),
            ("assistant", "One."),
            ("user", "/note x"),
            ("assistant", "Two."),
            ("user", "/greet")
        ])
    );
    assert_eq!(running.session.session().session_name(), None);
    assert_eq!(ran.all(), Vec::<String>::new());
}

#[tokio::test]
async fn an_unknown_command_is_text() {
    let world = World::new(json!(["One.", "Two."]));
    let running = world.start().await;
    // `/quit` takes no argument, so with one it is text.
    for text in ["/nothing here", "/quit smoking"] {
        assert_eq!(running.say(text).await, Prompted::Ran);
    }
    let expected = messages([("user", "/nothing here"), ("assistant", "One."), ("user", "/quit smoking")]);
    assert_eq!(running.asked()[1], expected);
    assert!(!running.session.exit_requested().is_cancelled());
    assert_eq!(running.say("/quit").await, Prompted::Builtin(BuiltinOutcome::Nothing));
    assert!(running.session.exit_requested().is_cancelled());
}

#[tokio::test]
async fn skills_and_templates_are_expanded_after_input() {
    let world = World::new(json!(["One.", "Two.", "Three."]));
    world.home.write_agent("prompts/greet.md", "---\ndescription: Greets.\n---\nSay hello to $1 and $2.\n");
    let skill =
        world.home.write_agent("skills/dig/SKILL.md", "---\nname: dig\ndescription: Digs.\n---\nUse a spade.\n");
    let texts = Log::default();
    let sink = texts.clone();
    world.extend("look", move |registrar| {
        let sink = sink.clone();
        registrar.on::<Input>(move |event, _| {
            sink.push(event.text.clone());
            let hit = event.text == "shorthand";
            std::future::ready(hit.then(|| InputResult::Transform { text: "/greet Ada Bob".to_owned(), images: None }))
        });
    });
    let running = world.start().await;
    for text in ["shorthand", "/skill:dig here", "/skill:unknown x"] {
        running.say(text).await;
    }
    assert_eq!(texts.all(), ["shorthand", "/skill:dig here", "/skill:unknown x"]);
    let folder = skill.parent().expect("a folder").display();
    let dig = format!(
        "<skill name=\"dig\" location=\"{}\">\nReferences are relative to {folder}.\n\nUse a spade.\n</skill>\n\nhere",
        skill.display()
    );
    assert_eq!(
        running.asked()[2],
        messages([
            ("user", "Say hello to Ada and Bob."),
            ("assistant", "One."),
            ("user", &dig),
            ("assistant", "Two."),
            ("user", "/skill:unknown x")
        ])
    );
}

#[tokio::test]
async fn a_busy_session_wants_to_know_what_to_do_with_a_text() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Done."]));
    let (barrier, inputs) = (Barrier::default(), Log::default());
    world.extend("look", |registrar| {
        waiting(registrar, "work", &barrier);
        let inputs = inputs.clone();
        registrar.on::<Input>(move |event, _| {
            inputs.push(event);
            std::future::ready(())
        });
    });
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    let refused = running.session.prompt(tau_agent::Prompt::new("Now what?")).await.expect_err("it is busy");
    assert!(matches!(refused, PromptError::Busy));
    assert_eq!(
        refused.to_string(),
        "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message."
    );
    running.queue("later", StreamingBehavior::FollowUp).await.expect("a queue");
    barrier.open();
    run.await.expect("the run").expect("a run");
    let event = |text: &str, streaming_behavior| InputEvent {
        text: text.to_owned(),
        images: None,
        source: InputSource::Interactive,
        streaming_behavior,
    };
    assert_eq!(
        inputs.all(),
        [event("Hi", None), event("Now what?", None), event("later", Some(StreamingBehavior::FollowUp))]
    );
}

#[tokio::test]
async fn waiting_for_the_session_is_refused_where_it_would_wait_for_itself() {
    let world = World::new(json!(["Hello."]));
    let answers = Log::default();
    world.extend("wait", |registrar| {
        for event in ["input", "message_end", "turn_end", "agent_settled"] {
            let answers = answers.clone();
            registrar.on_json(event, move |_, ctx| {
                let answers = answers.clone();
                async move {
                    answers.push(ctx.wait_for_idle().await.map_err(|error| error.to_string()));
                    Ok(None)
                }
            });
        }
        let answers = answers.clone();
        registrar.command("wait", "Waits.", move |_, ctx| {
            let answers = answers.clone();
            async move {
                answers.push(ctx.wait_for_idle().await.map_err(|error| error.to_string()));
                Ok(())
            }
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let text = "`waitForIdle` cannot be used in an event handler: the session waits for the handler, so it would wait for itself";
    // `input`, the ends of two messages, the end of the turn, settled.
    assert_eq!(answers.take(), vec![Err::<(), String>(text.to_owned()); 5]);
    assert_eq!(running.say("/wait").await, Prompted::Command { failed: false });
    assert_eq!(answers.all(), [Ok(())]);
}

#[tokio::test]
async fn a_command_waits_for_the_run_that_is_under_way() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Done."]));
    let (barrier, seen) = (Barrier::default(), Log::default());
    world.extend("wait", |registrar| {
        waiting(registrar, "work", &barrier);
        let seen = seen.clone();
        registrar.command("wait", "Waits.", move |_, ctx| {
            let seen = seen.clone();
            async move {
                ctx.wait_for_idle().await?;
                seen.push((ctx.host().is_idle(), ctx.session().context().messages.len()));
                Ok(())
            }
        });
    });
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    let command = running.say_later("/wait");
    tokio::task::yield_now().await;
    assert_eq!(seen.all(), []);
    barrier.open();
    run.await.expect("the run").expect("a run");
    command.await.expect("the command").expect("a command");
    assert_eq!(seen.all(), [(true, 4)]);
}
