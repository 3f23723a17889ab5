//! Extensions over a replacement: they begin anew on the engine that is there, or on another one elsewhere.

use std::fs;
use std::sync::Arc;

use serde_json::json;
use tau_hooks::ActionError;
use tau_session::{NewSession, Session};

use crate::common::World;
use crate::common::scripts::FakeScripts;

const BEGIN: &str = "hear session_start\nhear session_shutdown\nhear session_switch\nhear resources_discover";

fn place(replies: serde_json::Value, text: &str) -> (World, Arc<FakeScripts>) {
    let world = World::new(replies);
    world.home.write_agent("extensions/a.ts", text);
    (world, FakeScripts::new(false))
}

#[tokio::test]
async fn the_factories_run_again_on_the_same_engine() {
    let (world, scripts) = place(json!(["1."]), &format!("{BEGIN}\ntool work"));
    world.load_scripts(&scripts).await;
    let running = world.start().await;
    running.say("One").await;
    scripts.take();
    let context = scripts.contexts.lock()[0].clone();
    running.say("/new").await;
    assert_eq!(
        scripts.take(),
        [
            "a: session_shutdown new",
            "loaded a",
            "a: session_start new",
            "a: session_switch new",
            "a: resources_discover startup",
        ]
    );
    assert_eq!(context.check(), Err(ActionError::Stale));
    let fresh = scripts.contexts.lock().last().expect("a context").clone();
    assert_eq!(fresh.check(), Ok(()));
    assert_eq!(fresh.session().id(), running.session.session().id());
    assert_eq!(world.hooks.extensions().len(), 1);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn hooks_of_the_older_dialects_stay_as_they_are() {
    let hears = "hear session_start\nhear session_switch\nhear session_shutdown";
    let (world, scripts) = place(json!(["1.", "2."]), BEGIN);
    world.home.write_agent("extensions/b.ts", format!("dialect omp\n{hears}"));
    world.home.write_agent("extensions/c.ts", "dialect original\nhear session\nblock work not now");
    world.load_scripts(&scripts).await;
    let running = world.start().await;
    assert_eq!(
        scripts.take()[5..],
        ["a: session_start startup", "b: session_start startup", "c: session start", "a: resources_discover startup"]
    );
    let kept = scripts.contexts.lock()[1].clone();
    running.say("/new").await;
    assert_eq!(
        scripts.take(),
        [
            "a: session_shutdown new",
            "loaded a",
            "a: session_start new",
            "c: session clear",
            "a: session_switch new",
            "b: session_switch new",
            "a: resources_discover startup",
        ]
    );
    assert_eq!(kept.check(), Ok(()));
    assert_eq!(kept.session().id(), running.session.session().id(), "what they kept is about the session that is open");
    assert_eq!(world.hooks.extensions().len(), 3);
    running.session.reload().await.expect("a reload");
    let told = scripts.take();
    let starts = told.iter().filter(|line| line.contains(": session")).collect::<Vec<_>>();
    assert_eq!(
        starts,
        [
            "a: session_shutdown reload",
            "b: session_shutdown reload",
            "a: session_start reload",
            "b: session_start reload",
            "c: session start",
        ]
    );
    assert!(kept.check().is_err());
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn a_guard_that_does_not_begin_again_leaves_its_gate_shut() {
    let (world, scripts) = place(json!([]), "block other no");
    world.load_scripts(&scripts).await;
    let running = world.start().await;
    world.home.write_agent("extensions/a.ts", "block other no\nthrow no key");
    running.say("/new").await;
    let call = tau_hooks::payload::ToolCallEvent {
        tool_name: "work".into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input: json!({}),
    };
    let scope = tau_hooks::Scope::new(Arc::new(tau_testkit::StaticHost::new()));
    let done = world.hooks.dispatcher.dispatch::<tau_hooks::events::ToolCall>(&scope, || call).await;
    let why = tau_testkit::Fired::from(done).shut.expect("a shut gate").reason();
    assert!(why.contains("could not be loaded again: no key"), "{why}");
}

#[tokio::test]
async fn another_directory_has_its_own_engine_and_its_own_extensions() {
    let (world, scripts) = place(json!([]), BEGIN);
    world.home.write(".pi/extensions/here.ts", BEGIN);
    let there = world.home.cwd().parent().expect("a parent").join("other");
    fs::create_dir_all(there.join(".pi/extensions")).expect("a directory");
    fs::write(there.join(".pi/extensions/there.ts"), BEGIN).expect("a file");
    // What the command line says of one folder says nothing of another.
    let real = there.canonicalize().expect("its path").display().to_string();
    world.home.write_agent("trust.json", json!({real: true}).to_string());
    let file = there.join("there.jsonl");
    let session = Session::create(&there, &there, NewSession { file: Some(file.clone()), ..NewSession::default() });
    session.and_then(|session| session.persist()).expect("a file");
    world.load_scripts(&scripts).await;
    let running = world.start().await;
    scripts.take();
    running.session.switch_session(&file).await.expect("the session");
    assert_eq!(
        scripts.take(),
        [
            "here: session_shutdown resume",
            "a: session_shutdown resume",
            "shut down",
            "runtime 2",
            // Those of the user are there to be asked before anything of the project.
            "loaded a",
            "loaded there",
            "there: session_start resume",
            "a: session_start resume",
            "there: session_switch resume",
            "a: session_switch resume",
            "there: resources_discover startup",
            "a: resources_discover startup",
        ]
    );
    let names: Vec<String> = world.hooks.extensions().iter().map(|owner| owner.name.to_string()).collect();
    assert_eq!(names, ["there", "a"]);
    assert_eq!(world.reports.all(), []);
}
