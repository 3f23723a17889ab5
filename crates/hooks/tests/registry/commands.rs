//! Slash commands and command-line flags.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::events::AgentStart;
use tau_hooks::payload::Empty;
use tau_hooks::{ActionError, Command, Completion, FlagKind, FlagSpec, FlagValue, HandlerError, Registrar};
use tau_testkit::Stage;
use tau_testkit::host::extension;
use tokio_util::sync::CancellationToken;

use super::load;

fn command(registrar: &mut Registrar, name: &str) {
    registrar.command(name, "does it", |_, _| async { Ok(()) });
}

fn names(stage: &Stage) -> Vec<(String, String)> {
    let commands = stage.hooks.commands().into_iter();
    commands.map(|entry| (entry.name, entry.owner.name.to_string())).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, owner)| ((*name).to_owned(), (*owner).to_owned())).collect()
}

async fn run(stage: &Stage, name: &str, args: &str) -> Option<bool> {
    stage.hooks.run_command(name, args, CancellationToken::new()).await
}

#[test]
fn commands_of_one_name_are_numbered() {
    let stage = Stage::new();
    load(&stage, "one", |registrar| {
        command(registrar, "deploy");
        command(registrar, "plan");
    });
    load(&stage, "two", |registrar| command(registrar, "deploy"));
    assert_eq!(names(&stage), pairs(&[("deploy:1", "one"), ("plan", "one"), ("deploy:2", "two")]));
    assert_eq!(
        stage.take_report_texts(),
        ["Extension error (<native:two>): Command \"/deploy\" is also registered by <native:one>; both get a number \
          behind their name [load]"]
    );
    // Alone it has its name back.
    stage.hooks.unload(&stage.hooks.extensions()[0]);
    assert_eq!(names(&stage), pairs(&[("deploy", "two")]));
}

#[test]
fn a_number_that_somebody_has_as_a_name_is_left_out() {
    let stage = Stage::new();
    load(&stage, "one", |registrar| command(registrar, "x"));
    load(&stage, "two", |registrar| command(registrar, "x:1"));
    load(&stage, "three", |registrar| command(registrar, "x"));
    assert_eq!(names(&stage), pairs(&[("x:2", "one"), ("x:1", "two"), ("x:3", "three")]));
}

#[test]
fn within_an_extension_the_last_command_of_a_name_counts() {
    let stage = Stage::new();
    load(&stage, "one", |registrar| {
        command(registrar, "deploy");
        registrar.command("deploy", "does it better", |_, _| async { Ok(()) });
    });
    let commands = stage.hooks.commands();
    let descriptions = commands.iter().map(|entry| entry.command.description.as_deref()).collect::<Vec<_>>();
    assert_eq!((names(&stage), descriptions), (pairs(&[("deploy", "one")]), vec![Some("does it better")]));
}

#[tokio::test]
async fn a_command_gets_its_arguments_and_may_wait_for_the_session() {
    let stage = Stage::new();
    let log = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&log);
    stage.add("one", move |registrar| {
        let notes = Arc::clone(&notes);
        registrar.command("greet", "greets", move |args, ctx| {
            let notes = Arc::clone(&notes);
            async move {
                ctx.wait_for_idle().await?;
                notes.lock().push(format!("{}: {args}", ctx.owner().name));
                Ok(())
            }
        });
    });
    assert_eq!(run(&stage, "greet", "the  world").await, Some(true));
    assert_eq!(run(&stage, "missing", "").await, None);
    assert_eq!(run(&stage, "gree", "").await, None);
    assert_eq!(*log.lock(), ["one: the  world"]);
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
}

#[tokio::test]
async fn a_handler_must_not_wait_for_the_session() {
    let stage = Stage::new();
    let refused = Arc::new(Mutex::new(None));
    let note = Arc::clone(&refused);
    stage.add("one", move |registrar| {
        let note = Arc::clone(&note);
        registrar.on::<AgentStart>(move |_, ctx| {
            let note = Arc::clone(&note);
            async move {
                *note.lock() = ctx.wait_for_idle().await.err();
            }
        });
    });
    stage.fire::<AgentStart>(Empty {}).await;
    let refused = refused.lock().clone().expect("it is refused");
    assert_eq!(refused, ActionError::WouldDeadlock("waitForIdle"));
    assert_eq!(
        refused.to_string(),
        "`waitForIdle` cannot be used in an event handler: the session waits for the handler, so it would wait for \
         itself"
    );
}

#[tokio::test]
async fn a_failing_command_is_reported_and_counts_as_run() {
    let stage = Stage::new();
    stage.add("one", |registrar| {
        registrar.command("fails", "", |_, _| async { Err(HandlerError::msg("no such host")) }).command(
            "panics",
            "",
            |_, _| async { panic!("boom") },
        );
        let call = |_: String, _| -> tau_hooks::BoxFuture<_> { panic!("boom at once") };
        let handler: tau_hooks::CommandHandler = Arc::new(call);
        registrar.add_command(Command { name: "breaks".into(), description: None, handler, completer: None });
    });
    for name in ["fails", "panics", "breaks"] {
        assert_eq!(run(&stage, name, "").await, Some(false));
    }
    assert_eq!(
        stage.take_report_texts(),
        [
            "Extension error (command:fails): no such host [command at <native:one>]",
            "Extension error (command:panics): panicked: boom [command at <native:one>]",
            "Extension error (command:breaks): panicked: boom at once [command at <native:one>]",
        ]
    );
}

#[tokio::test]
async fn numbered_commands_run_the_extension_they_belong_to() {
    let stage = Stage::new();
    let log = Arc::new(Mutex::new(Vec::new()));
    for name in ["one", "two"] {
        let log = Arc::clone(&log);
        let loaded = stage.load(&extension(name, move |registrar| {
            let log = Arc::clone(&log);
            registrar.command("who", "", move |_, ctx| {
                log.lock().push(ctx.owner().name.to_string());
                async { Ok(()) }
            });
            Ok(())
        }));
        loaded.expect("it can be loaded");
    }
    for (name, worked) in [("who:2", Some(true)), ("who:1", Some(true)), ("who", None)] {
        assert_eq!(run(&stage, name, "").await, worked, "{name}");
    }
    assert_eq!(*log.lock(), ["two", "one"]);
}

#[tokio::test]
async fn a_command_completes_its_arguments() {
    let stage = Stage::new();
    let completion = |value: &str| Completion { value: value.into(), label: value.into(), description: None };
    stage.add("one", move |registrar| {
        registrar.add_command(Command {
            name: "deploy".into(),
            description: None,
            handler: Arc::new(|_, _| Box::pin(async { Ok(()) })),
            completer: Some(Arc::new(move |prefix| {
                let all = ["staging", "production"].into_iter().filter(|name| name.starts_with(&prefix));
                let found = all.map(completion).collect::<Vec<_>>();
                Box::pin(async move { Ok(found) })
            })),
        });
    });
    let completer = stage.hooks.commands()[0].command.completer.clone().expect("there is one");
    assert_eq!(completer("st".into()).await, Ok(vec![completion("staging")]));
}

fn flag(name: &str, default: Option<FlagValue>) -> FlagSpec {
    let kind = match default {
        Some(FlagValue::Boolean(_)) => FlagKind::Boolean,
        _ => FlagKind::String,
    };
    FlagSpec { name: name.to_owned(), description: String::new(), kind, default }
}

#[test]
fn a_flag_has_the_value_of_the_command_line_or_its_default() {
    let stage = Stage::new();
    let owner = stage.add("one", |registrar| {
        let text = FlagValue::String("dev".into());
        registrar.flag(flag("env", Some(text))).expect("the default fits");
        registrar.flag(flag("fast", Some(FlagValue::Boolean(true)))).expect("the default fits");
        registrar.flag(flag("none", None)).expect("no default fits");
    });
    let api = stage.hooks.api(&owner);
    let values = || ["env", "fast", "none", "unknown"].map(|name| api.flag(name));
    let (text, yes) = (|text: &str| Some(FlagValue::String(text.into())), Some(FlagValue::Boolean(true)));
    assert_eq!(values(), [text("dev"), yes, None, None]);
    let given = [("env", FlagValue::String("prod".into())), ("fast", FlagValue::Boolean(false))];
    stage.hooks.set_flags(given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    assert_eq!(values(), [text("prod"), Some(FlagValue::Boolean(false)), None, None]);
    stage.hooks.unload(&owner);
    assert_eq!(values(), [None, None, None, None]);
}

#[test]
fn an_extension_sees_its_own_flags_only() {
    let stage = Stage::new();
    let one = stage.add("one", |registrar| {
        registrar.flag(flag("env", None)).expect("it fits");
    });
    let two = stage.add("two", |_| {});
    stage.hooks.set_flags(HashMap::from([("env".to_owned(), FlagValue::String("prod".into()))]));
    let value = |owner| stage.hooks.api(owner).flag("env");
    assert_eq!((value(&one), value(&two)), (Some(FlagValue::String("prod".into())), None));
}

#[test]
fn of_two_flags_the_first_is_listed_and_both_see_the_value() {
    let stage = Stage::new();
    load(&stage, "one", |registrar| {
        registrar.flag(flag("env", Some(FlagValue::String("1".into())))).expect("it fits");
    });
    load(&stage, "two", |registrar| {
        registrar.flag(flag("env", Some(FlagValue::String("2".into())))).expect("it fits");
    });
    let specs = stage.hooks.flag_specs().into_iter().map(|(owner, spec)| (owner.name.to_string(), spec));
    assert_eq!(specs.collect::<Vec<_>>(), [("one".to_owned(), flag("env", Some(FlagValue::String("1".into()))))]);
    assert_eq!(
        stage.take_report_texts(),
        ["Extension error (<native:two>): Flag \"--env\" is also registered by <native:one>; the first one is used \
          [load]"]
    );
    stage.hooks.set_flags(HashMap::from([("env".to_owned(), FlagValue::String("given".into()))]));
    for owner in stage.hooks.extensions() {
        assert_eq!(stage.hooks.api(&owner).flag("env"), Some(FlagValue::String("given".into())));
    }
}

#[test]
fn a_default_of_the_wrong_type_fails_the_registration() {
    let stage = Stage::new();
    let wrong = extension("one", |registrar| {
        let default = Some(FlagValue::Boolean(true));
        registrar.flag(FlagSpec { default, ..flag("env", None) })?;
        Ok(())
    });
    let error = stage.load(&wrong).map(drop).expect_err("it fails");
    assert_eq!(
        error.to_string(),
        "Failed to load extension \"<native:one>\": Invalid default for flag \"env\": expected string, got boolean"
    );
}
