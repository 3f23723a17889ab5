//! What a child asks for beyond its parent is refused.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use tau_agent::ToolChoice;
use tau_hooks::{Beyond, ChildError, ChildExtensions, ChildRequest, HostSessions};

use super::{Family, results, worker, working};
use crate::common::scripts::FakeScripts;
use crate::common::{Log, World};

fn beyond(error: ChildError) -> Beyond {
    match error {
        ChildError::BeyondParent(beyond) => beyond,
        error => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_forbidden_tool_is_out_of_reach_by_every_way() {
    let ran = Log::default();
    let mut world = World::new(working(1)).with_builtin_tools();
    world.tools = ToolChoice { exclude: vec!["bash".to_owned(), "work".to_owned()], ..ToolChoice::default() };
    let family = Family::start(world).await;
    let wanted = ChildRequest { tools: Some(vec!["read".to_owned(), "bash".to_owned()]), ..ChildRequest::new("named") };
    assert_eq!(beyond(family.refused(wanted).await), Beyond::Tool("bash".to_owned()));
    assert_eq!(beyond(family.refused(worker("own", &ran)).await), Beyond::Tool("work".to_owned()));
    // What nobody names is left out.
    let child = family.open(ChildRequest::new("plain")).await;
    assert_eq!(child.host().active_tools(), ["read", "edit", "write"]);
    child.host().set_active_tools(&["bash".to_owned(), "read".to_owned()]);
    assert_eq!(child.host().active_tools(), ["read"]);
    // Neither does a child of it have more.
    let inner = ChildRequest { tools: Some(vec!["bash".to_owned()]), ..ChildRequest::new("inner") };
    let inner = child.host().open_child(inner, family.opener.clone()).await.err().expect("a refusal");
    assert_eq!(beyond(inner), Beyond::Tool("bash".to_owned()));
}

/// A tool that comes later, or with an extension that the child finds, is left out as well.
#[tokio::test]
async fn a_forbidden_tool_of_an_extension_is_left_out() {
    let mut world = World::new(working(1));
    world.tools = ToolChoice { exclude: vec!["work".to_owned()], no_builtin: true, ..ToolChoice::default() };
    let scripts = FakeScripts::new(false);
    world.load_scripts(&scripts).await;
    let path = world.home.write("more.ts", "tool work\ntool play").display().to_string();
    let family = Family::start(world).await;
    let extensions = ChildExtensions { discover: false, paths: vec![path] };
    let child = family.open(ChildRequest { extensions, no_builtin_tools: true, ..ChildRequest::new("child") }).await;
    assert_eq!(child.host().active_tools(), ["play"]);
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!(results(&*child), ["Tool work not found"]);
}

#[tokio::test]
async fn trust_is_never_more_than_the_users() {
    let world = World::new(json!([]));
    let folder = world.home.write("elsewhere/.pi/settings.json", json!({"theme": "light"}).to_string());
    let folder = folder.ancestors().nth(2).expect("a folder").to_path_buf();
    let mut family = Family::start(world).await;
    let at = |cwd: &std::path::Path, trusted| ChildRequest {
        cwd: Some(cwd.to_path_buf()),
        trusted,
        ..ChildRequest::new("child")
    };
    assert_eq!(beyond(family.refused(at(&folder, Some(true))).await), Beyond::Trust(folder.clone()));
    let child = family.open(at(&folder, None)).await;
    assert!(!child.host().is_project_trusted());
    assert_eq!(child.host().settings()["theme"], json!(null));
    // The parent's own folder is as trusted as for the parent, by whichever name.
    let link = family.world.home.root().join("link");
    symlink(family.world.home.cwd(), &link).expect("a link");
    for name in [family.world.home.cwd(), link] {
        assert!(family.open(at(&name, None)).await.host().is_project_trusted());
        assert!(!family.open(at(&name, Some(false))).await.host().is_project_trusted());
    }
    family.world.trusted = false;
    let parent = family.world.start().await;
    let here = family.world.home.cwd();
    let refused = parent.session.open_child(at(&here, Some(true)), family.opener.clone()).await.err();
    assert_eq!(beyond(refused.expect("a refusal")), Beyond::Trust(here));
}

#[tokio::test]
async fn settings_that_guard_only_tighten() {
    let settings = json!({"tau": {"limits": {"handlerMs": 500}, "shellHooks": {"strict": true}}, "theme": "dark"});
    let family = Family::start(World::new(json!([])).settings(settings)).await;
    let with = |settings| ChildRequest { settings, ..ChildRequest::new("child") };
    let weaker = with(json!({"tau": {"shellHooks": {"strict": false}}}));
    assert_eq!(beyond(family.refused(weaker).await), Beyond::Setting("tau.shellHooks".to_owned()));
    let wanted = json!({"tau": {"limits": {"handlerMs": 9000, "loadMs": 7}}, "theme": "light"});
    let child = family.open(with(wanted)).await;
    let has = child.host().settings();
    assert_eq!(has["tau"]["limits"], json!({"handlerMs": 500, "loadMs": 7}));
    assert_eq!((&has["tau"]["shellHooks"], &has["theme"]), (&json!({"strict": true}), &json!("light")));
}

#[tokio::test]
async fn folders_are_checked() {
    let world = World::new(json!([]));
    let file = world.home.write("file", "");
    let family = Family::start(world).await;
    let missing = family.world.home.root().join("missing");
    for cwd in [missing, file] {
        let request = ChildRequest { cwd: Some(cwd.clone()), ..ChildRequest::new("child") };
        let error = family.refused(request).await;
        assert!(matches!(&error, ChildError::Folder { path, .. } if *path == cwd), "{error}");
    }
    let other = family.world.home.root().join("other");
    fs::create_dir(&other).expect("a folder");
    let request = ChildRequest { agent_dir: Some(other.clone()), ..ChildRequest::new("child") };
    assert_eq!(beyond(family.refused(request).await), Beyond::AgentDir(other));
    let own = family.world.env().agent_dir();
    family.open(ChildRequest { agent_dir: Some(own), ..ChildRequest::new("child") }).await;
}

/// What the parent requires is looked after in the parent; what only the child's folder requires, in the child.
#[tokio::test]
async fn required_extensions_are_required_where_they_are_named() {
    let ran = Log::default();
    let world = World::new(working(2)).settings(json!({"tau": {"required": ["guard"]}}));
    world.extend("guard", |_| {});
    let file = world.home.write("elsewhere/.pi/settings.json", json!({"tau": {"required": ["own"]}}).to_string());
    let folder = file.ancestors().nth(2).expect("a folder").to_path_buf();
    world.home.write_agent("trust.json", json!({folder.display().to_string(): true}).to_string());
    let family = Family::start(world).await;
    let child = family.open(worker("here", &ran)).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!((results(&*child), ran.take().len()), (vec!["did x".to_owned()], 1));
    let child = family.open(ChildRequest { cwd: Some(folder), ..worker("there", &ran) }).await;
    child.prompt("Go".into()).await.expect("a run");
    let reason = "Blocked: extension own is not loaded: tau.required names it, but it is not installed";
    assert_eq!((results(&*child), ran.all()), (vec![reason.to_owned()], vec![]));
}

#[tokio::test]
async fn sessions_do_not_nest_without_end_nor_in_any_number() {
    let family = Family::start(World::new(json!([]))).await;
    let mut deepest = family.open(ChildRequest::new("1")).await;
    let mut all = vec![deepest.clone()];
    for depth in 2..=8 {
        let next = deepest.host().open_child(ChildRequest::new(depth.to_string()), family.opener.clone()).await;
        deepest = next.unwrap_or_else(|error| panic!("{depth}: {error}"));
        all.push(deepest.clone());
    }
    let error = deepest.host().open_child(ChildRequest::new("9"), family.opener.clone()).await.err();
    assert!(matches!(error, Some(ChildError::TooDeep(8))), "{error:?}");
    all[0].close().await;
    for child in &all {
        child.ended().cancelled().await;
    }
}

/// What is left of a child, which somebody may keep, does not take the place of another one.
#[tokio::test]
async fn a_child_that_was_closed_makes_room() {
    let family = Family::start(World::new(json!([]))).await;
    let mut kept = Vec::new();
    for number in 0..270 {
        let child = family.open(ChildRequest::new(number.to_string())).await;
        child.close().await;
        kept.push((child.host(), child));
    }
    let mut open = Vec::new();
    for number in 0..256 {
        open.push(family.open(ChildRequest::new(number.to_string())).await);
    }
    assert!(matches!(family.refused(ChildRequest::new("more")).await, ChildError::TooMany(256)));
}

/// A child works in the folder that it was opened for: there it was decided what it trusts.
#[tokio::test]
async fn a_child_stays_in_its_folder() {
    let world = World::new(json!([]));
    let away = world.home.root().join("away");
    fs::create_dir(&away).expect("a folder");
    let session = tau_session::Session::create(&away, &away, tau_session::NewSession::default()).expect("a session");
    session.append(tau_session::EntryBody::session_info("away")).expect("an entry");
    session.persist().expect("a file");
    let file = session.file().expect("a file").to_path_buf();
    let family = Family::start(world).await;
    let child = family.open(ChildRequest::new("child")).await;
    let error = child.host().switch_session(&file).await.expect_err("a refusal");
    assert_eq!(
        error.to_string(),
        "A child session stays in its folder; open another one for a session in another folder."
    );
}
