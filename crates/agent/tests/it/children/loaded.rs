//! Children that load extensions from files: copies of their parent's, and others.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_agent::extensions::ScriptHostMaker;
use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallResult;
use tau_hooks::{ChildExtensions, ChildRequest};
use tau_script::ScriptHost;

use super::{Family, results, worker, working};
use crate::common::scripts::FakeScripts;
use crate::common::{Log, World, calls};

/// Engines of a program: one for each session that asks.
#[derive(Clone, Default)]
struct Engines(Arc<Mutex<Vec<Arc<FakeScripts>>>>);

impl Engines {
    fn maker(&self) -> ScriptHostMaker {
        let all = Arc::clone(&self.0);
        Arc::new(move |_: &_| {
            let host = FakeScripts::new(false);
            all.lock().push(Arc::clone(&host));
            host as Arc<dyn ScriptHost>
        })
    }

    /// What was said in each engine since it was last asked.
    fn take(&self) -> Vec<Vec<String>> {
        self.0.lock().iter().map(|host| host.take()).collect()
    }

    /// The same, but only the calls that a gate was asked about.
    fn asked(&self) -> Vec<Vec<String>> {
        let calls = |said: Vec<String>| said.into_iter().filter(|text| text.contains("tool_call")).collect();
        self.take().into_iter().map(calls).collect()
    }
}

async fn family(replies: Value, files: &[(&str, &str)]) -> (Family, Engines) {
    let world = World::new(replies);
    for (name, text) in files {
        world.home.write_agent(&format!("extensions/{name}.ts"), text);
    }
    let engines = Engines::default();
    world.load_found_by(engines.maker()).await;
    (Family::start(world).await, engines)
}

fn files(paths: &[String]) -> ChildExtensions {
    ChildExtensions { discover: false, paths: paths.to_vec() }
}

/// A child without extensions of its own starts nothing that runs scripts.
#[tokio::test]
async fn a_child_without_extensions_starts_no_engine() {
    let ran = Log::default();
    let (family, engines) = family(working(1), &[("guard", "block work not here")]).await;
    let child = family.open(worker("child", &ran)).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!((results(&*child), engines.take().len()), (vec!["not here".to_owned()], 1));
}

/// Beside other extensions than in the parent a gate may decide otherwise, so the original is asked, too.
#[tokio::test]
async fn a_copy_beside_other_extensions_is_asked_and_so_is_the_original() {
    let ran = Log::default();
    let (family, engines) = family(working(1), &[("guard", "hear tool_call"), ("other", "hear tool_call")]).await;
    let path = family.world.home.agent_dir().join("extensions/guard.ts").display().to_string();
    let child = family.open(ChildRequest { extensions: files(&[path]), ..worker("child", &ran) }).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!(ran.all().len(), 1);
    let (guard, other) = ("guard: tool_call".to_owned(), "other: tool_call".to_owned());
    assert_eq!(engines.asked(), [vec![guard.clone(), other], vec![guard]]);
}

/// All that the child finds by itself is a copy, so its engine is asked in the place of the parent's.
#[tokio::test]
async fn a_child_that_finds_the_same_extensions_asks_each_once() {
    let ran = Log::default();
    let (family, engines) = family(working(1), &[("guard", "hear tool_call"), ("other", "hear tool_call")]).await;
    let extensions = ChildExtensions { discover: true, paths: Vec::new() };
    let child = family.open(ChildRequest { extensions, ..worker("child", &ran) }).await;
    child.prompt("Go".into()).await.expect("a run");
    let both = vec!["guard: tool_call".to_owned(), "other: tool_call".to_owned()];
    assert_eq!((ran.all().len(), engines.asked()), (1, vec![vec![], both]));
}

/// A file of the same name that says something else is another extension, and so is one that changed since the parent
/// loaded it.
#[tokio::test]
async fn a_copy_with_other_content_is_no_copy() {
    let ran = Log::default();
    let (family, engines) = family(working(2), &[("guard", "hear tool_call\nblock work not here")]).await;
    let elsewhere = family.world.home.write("elsewhere/guard.ts", "hear tool_call");
    let place = family.world.home.agent_dir().join("extensions/guard.ts");
    for path in [elsewhere, place.clone()] {
        std::fs::write(&place, "hear tool_call").expect("a file");
        let extensions = files(&[path.display().to_string()]);
        let child = family.open(ChildRequest { extensions, ..worker("child", &ran) }).await;
        child.prompt("Go".into()).await.expect("a run");
        assert_eq!((results(&*child), ran.all()), (vec!["not here".to_owned()], vec![]));
        let asked = engines.asked();
        assert_eq!(
            (asked[0].clone(), asked.last().cloned()),
            (vec!["guard: tool_call".to_owned()], asked.first().cloned())
        );
    }
}

/// What the child's own extensions make of the arguments after a copy saw them, the original sees.
#[tokio::test]
async fn a_copy_that_saw_other_arguments_does_not_count() {
    let ran = Log::default();
    let (family, engines) = family(working(1), &[("guard", "hear tool_call")]).await;
    let path = family.world.home.agent_dir().join("extensions/guard.ts").display().to_string();
    let request = ChildRequest { extensions: files(&[path]), ..worker("child", &ran) };
    // Native extensions are asked behind those of files.
    let request = request.with("rewriter", |registrar| {
        registrar.on::<ToolCall>(|_, _| async {
            Some(ToolCallResult { input: Some(json!({"text": "evil"})), ..ToolCallResult::default() })
        });
        Ok(())
    });
    let child = family.open(request).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!(ran.all(), [json!({"text": "evil"})]);
    let once = vec!["guard: tool_call".to_owned()];
    assert_eq!(engines.asked(), [once.clone(), once]);
}

/// The parent's gates are asked in the parent's engine while the child's extensions are in their own.
#[tokio::test]
async fn a_reload_of_the_child_keeps_the_gates_of_its_parent() {
    let ran = Log::default();
    let (family, _) = family(working(1), &[("guard", "block work not here")]).await;
    let path = family.world.home.write("own.ts", "reload again\nhear session_start").display().to_string();
    let child = family.open(ChildRequest { extensions: files(&[path]), ..worker("child", &ran) }).await;
    child.host().reload().await.expect("a reload");
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!((results(&*child), ran.all()), (vec!["not here".to_owned()], vec![]));
}

/// What a child does not load is not gone: a guard that fails to load in a later session of the user still shuts its gates.
#[tokio::test]
async fn a_child_forgets_no_guard() {
    let (family, _) = family(json!([]), &[("guard", "block work not here"), ("other", "hear session_start")]).await;
    let memory = || std::fs::read_to_string(family.world.home.agent_dir().join("tau/gates.json")).expect("a memory");
    let before = memory();
    assert!(before.contains("guard.ts"), "{before}");
    let other = family.world.home.agent_dir().join("extensions/other.ts").display().to_string();
    let child = family.open(ChildRequest { extensions: files(&[other]), ..ChildRequest::new("child") }).await;
    child.close().await;
    assert_eq!((memory(), family.world.reports.all()), (before, vec![]));
}

/// A script that guards the parent runs in the parent's folder, whatever lies in the folder of the child.
#[cfg(unix)]
#[tokio::test]
async fn scripts_of_the_parent_guard_the_child() {
    let ran = Log::default();
    let world = World::new(json!([calls([("1", "work", json!({"text": "x"}))]), "Done."]));
    let world = world.settings(json!({"tau": {"shellHooks": {"claudeSettings": true}}}));
    let hooks = json!({"hooks": {"PreToolUse": [
        {"matcher": "*", "hooks": [{"type": "command", "command": "./guard.sh"}]}
    ]}});
    world.home.write(".claude/settings.json", hooks.to_string());
    let script = |folder: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt;
        let path = world.home.write(&format!("{folder}/guard.sh"), text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
        path
    };
    script(".", "#!/bin/sh\necho \"not from $(basename \"$PWD\")\" >&2\nexit 2\n");
    let away = script("away", "#!/bin/sh\nexit 0\n").parent().expect("a folder").to_path_buf();
    let engines = Engines::default();
    world.load_found_by(engines.maker()).await;
    let family = Family::start(world).await;
    let child = family.open(ChildRequest { cwd: Some(away), ..worker("child", &ran) }).await;
    child.prompt("Go".into()).await.expect("a run");
    let folder = family.world.home.cwd().file_name().expect("a name").to_string_lossy().into_owned();
    let said = results(&*child).concat();
    assert!(said.contains(&format!("not from {folder}")), "{said}");
    assert_eq!(ran.all(), Vec::<Value>::new());
}
