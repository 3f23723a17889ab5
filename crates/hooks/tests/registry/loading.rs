//! Loading and removing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tau_hooks::bus::{BusPayload, EngineId};
use tau_hooks::events::{AgentStart, EventId, ToolCall};
use tau_hooks::{FlagKind, FlagSpec, Handle, HandlerError, Hooks, LoadError, Owner, Provider, Registrar, dialect};
use tau_testkit::Stage;
use tau_testkit::host::extension;

use super::{spec, tool};

/// Registers one of everything, and leaves traces everywhere.
fn everything(stage: &Stage, registrar: &mut Registrar, heard: &Arc<AtomicUsize>) {
    registrar
        .on::<AgentStart>(|_, _| async {})
        .on_json("tool_call", |_, _| async { Ok(None) })
        .command("do", "", |_, _| async { Ok(()) })
        .shortcut("ctrl+x", "", |_| async { Ok(()) })
        .message_renderer("note", Handle::new(1))
        .tool_renderers("search", tau_hooks::ToolRenderers::default())
        .provider(Provider {
            name: "p".into(),
            config: json!({}),
            api: None,
            oauth: None,
            operations: tau_ai::Operations::default(),
            source: None,
        });
    tool(registrar, "search");
    let flag = FlagSpec { name: "f".into(), description: String::new(), kind: FlagKind::String, default: None };
    registrar.flag(flag).expect("it fits");
    let api = registrar.api();
    let (path, heard) = (Arc::clone(&api.owner().path), Arc::clone(heard));
    let listener = Arc::new(move |_| {
        heard.fetch_add(1, Ordering::Relaxed);
    });
    let bus = api.events().expect("the session is there");
    bus.on("news", EngineId::NATIVE, Arc::clone(&path), listener).detach();
    stage.hooks.status.set(path, "key", Some("busy".into()));
}

/// What is left of an extension.
fn leftovers(stage: &Stage, heard: &AtomicUsize) -> Vec<&'static str> {
    let hooks = &stage.hooks;
    let before = heard.load(Ordering::Relaxed);
    hooks.bus.emit("news", BusPayload::from(json!(1)), EngineId::NATIVE, &"test".into());
    let found = [
        ("typed handler", hooks.dispatcher.has_handlers(EventId::AgentStart)),
        ("JSON handler", hooks.dispatcher.has_handlers(EventId::ToolCall)),
        ("command", !hooks.commands().is_empty()),
        ("shortcut", !hooks.shortcuts().is_empty()),
        ("message renderer", hooks.message_renderer("note").is_some()),
        ("tool renderers", hooks.tool_renderers("search").is_some()),
        ("provider", !hooks.providers().is_empty()),
        ("tool", !hooks.tools().is_empty()),
        ("flag", !hooks.flag_specs().is_empty()),
        ("bus listener", heard.load(Ordering::Relaxed) > before),
        ("status", hooks.status.line().is_some()),
        ("extension", !hooks.extensions().is_empty()),
    ];
    found.into_iter().filter(|(_, there)| *there).map(|(what, _)| what).collect()
}

fn load(
    stage: &Stage,
    register: impl FnOnce(&mut Registrar) -> Result<(), HandlerError>,
) -> Result<Arc<Owner>, LoadError> {
    stage.hooks.load_with(Owner::native("ext", &dialect::PI), register)
}

#[test]
fn everything_is_there_after_loading_and_nothing_after_unloading() {
    let (stage, heard) = (Stage::new(), Arc::new(AtomicUsize::new(0)));
    let loaded = load(&stage, |registrar| {
        everything(&stage, registrar, &heard);
        Ok(())
    });
    assert_eq!(leftovers(&stage, &heard).len(), 12, "all of it");
    stage.hooks.unload(&loaded.expect("it can be loaded"));
    assert_eq!(leftovers(&stage, &heard), Vec::<&str>::new());
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
}

#[test]
fn nothing_takes_effect_before_the_registration_is_over() {
    let (stage, heard) = (Stage::new(), Arc::new(AtomicUsize::new(0)));
    let loaded = load(&stage, |registrar| {
        everything(&stage, registrar, &heard);
        assert_eq!(leftovers(&stage, &heard), ["bus listener", "status"]);
        Ok(())
    });
    loaded.expect("it can be loaded");
}

#[test]
fn nothing_stays_of_a_registration_that_fails_or_panics() {
    let (stage, heard) = (Stage::new(), Arc::new(AtomicUsize::new(0)));
    let failed = load(&stage, |registrar| {
        everything(&stage, registrar, &heard);
        Err(HandlerError::msg("no licence"))
    });
    assert_eq!(leftovers(&stage, &heard), Vec::<&str>::new());
    let panicked = load(&stage, |registrar| {
        everything(&stage, registrar, &heard);
        panic!("boom")
    });
    assert_eq!(leftovers(&stage, &heard), Vec::<&str>::new());
    let texts = [failed, panicked].map(|result| result.map(drop).expect_err("it fails").to_string());
    let expected =
        ["no licence", "panicked: boom"].map(|why| format!("Failed to load extension \"<native:ext>\": {why}"));
    assert_eq!(texts, expected);
    let reports = expected.map(|text| format!("Extension error (<native:ext>): {text} [load]"));
    assert_eq!(stage.take_report_texts(), reports);
}

#[test]
fn others_stay_when_one_fails() {
    let stage = Stage::new();
    stage.add("good", |registrar| tool(registrar, "search"));
    load(&stage, |_| Err(HandlerError::msg("no"))).expect_err("it fails");
    stage.add("better", |_| {});
    let names = stage.hooks.extensions().iter().map(|owner| owner.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names, ["good", "better"]);
    assert_eq!(stage.hooks.tools().len(), 1);
}

#[tokio::test]
async fn open_questions_of_an_extension_go_with_it() {
    let stage = Stage::new();
    let user = stage.user(|_| None);
    let owner = stage.add("asks", |registrar| {
        registrar.on::<AgentStart>(|_, ctx| async move {
            ctx.ui().confirm("Sure?", "").await;
            Ok(())
        });
    });
    let round = stage.fire::<AgentStart>(tau_hooks::payload::Empty {});
    let unload = async {
        while user.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(stage.hooks.dialogs.open_dialogs().len(), 1);
        stage.hooks.unload(&owner);
        stage.hooks.dialogs.open_dialogs().len()
    };
    tokio::select! {
        biased;
        left = unload => assert_eq!(left, 0),
        _ = round => panic!("nobody has answered"),
    }
}

#[test]
fn an_extension_has_the_rules_of_its_dialect() {
    let hooks = Hooks::new();
    let owner = hooks.load(&extension("ext", |registrar| {
        registrar.on::<ToolCall>(|_, _| async {});
        Ok(())
    }));
    let owner = owner.expect("it can be loaded");
    assert_eq!((owner.dialect.name, &*owner.path, &*owner.name), ("pi", "<native:ext>", "ext"));
    assert_eq!(hooks.tools().len(), 0);
}

#[test]
fn a_tool_shows_the_specification_it_was_registered_with() {
    let stage = Stage::new();
    stage.add("ext", |registrar| tool(registrar, "search"));
    assert_eq!(stage.hooks.tools()[0].1.spec(), &spec("search"));
}
