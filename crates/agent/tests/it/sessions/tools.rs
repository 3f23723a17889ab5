//! Which tools a session has: at its start, at another place of its tree, and when it is opened again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tau_agent::ToolChoice;
use tau_hooks::payload::ForkPosition;
use tau_hooks::{HostActions, HostView, NewSessionRequest, TreeMove};
use tau_session::Session;
use tau_tools::{Exposure, Invocation, Loadout, LoadoutChanges, Tool, ToolFailure, ToolOutput, ToolSpec};

use crate::common::tools::{recording, spec};
use crate::common::{Log, Running, World, calls};

const REPLIES: usize = 12;

/// A model that always answers, the built-in tools, and these of an extension.
fn world(tools: &'static [(&'static str, Exposure, bool)]) -> World {
    let replies: Vec<String> = (1..=REPLIES).map(|n| format!("{n}.")).collect();
    let world = World::new(json!(replies)).with_builtin_tools();
    world.extend("tools", move |registrar| {
        for &(name, exposure, default_active) in tools {
            let spec = ToolSpec { exposure, default_active, ..spec(name) };
            registrar.tool(spec, |_, _| std::future::ready(Ok(ToolOutput::text("done"))));
        }
    });
    world
}

fn reopened(running: &Running) -> Session {
    Session::open(running.session.session().file().expect("a file")).expect("a session")
}

/// The same program, started again with the session of the last one.
async fn again(world: World, running: &Running, choice: ToolChoice) -> Running {
    let mut world = world.resume(reopened(running));
    world.tools = choice;
    world.start().await
}

fn edits(entries: &[&str]) -> ToolChoice {
    ToolChoice { edits: entries.iter().map(|&entry| entry.to_owned()).collect(), ..ToolChoice::default() }
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

const EVERY: &[(&str, Exposure, bool)] = &[
    ("direct", Exposure::Direct, true),
    ("asleep", Exposure::Direct, false),
    ("model", Exposure::ModelOnly, true),
    ("script", Exposure::Codemode, true),
    ("found", Exposure::Deferred, true),
    ("gone", Exposure::Hidden, true),
];

#[tokio::test]
async fn the_model_is_told_of_tools_by_their_exposure() {
    let world = world(EVERY);
    let running = world.start().await;
    running.say("One").await;
    running.activate(&["found", "gone", "script", "asleep", "direct"]);
    running.say("Two").await;
    assert_eq!(running.declared(), ["read,bash,edit,write,direct,model", "direct,found,script,asleep"]);
    let prompt = running.session.system_prompt();
    let listed = |name: &str| prompt.contains(name);
    assert!(!listed("Does gone."), "{prompt}");

    let reached = || -> Vec<&str> {
        let names = EVERY.iter().map(|(name, ..)| *name).chain(["read"]);
        names.filter(|name| running.session.callable_tool(name).is_some()).collect()
    };
    assert_eq!(reached(), ["direct", "asleep", "script", "found"]);
    running.activate(&["read", "model"]);
    assert_eq!(reached(), ["script", "found", "read"]);
}

#[tokio::test]
async fn tools_are_named_to_be_active() {
    let default = |entries: &[&str]| world(EVERY).settings(json!({"defaultTools": entries}));
    let running = default(&["read", "asleep", "found", "gone"]).start().await;
    assert_eq!(running.active(), "read,asleep,found,direct,model");
    let running = default(&["+script", "-direct", "-bash"]).start().await;
    assert_eq!(running.active(), "read,edit,write,script,model");
    let mut named = world(EVERY);
    named.tools = ToolChoice { only: Some(strings(&["*e*", "script"])), ..ToolChoice::default() };
    assert_eq!(named.start().await.active(), "script,read,edit,write,grep,direct,asleep,model");
    let mut edited = world(EVERY);
    edited.tools = edits(&["+asleep", "+found", "-model"]);
    assert_eq!(edited.start().await.active(), "read,bash,edit,write,asleep,found,direct");
}

#[tokio::test]
async fn tools_keep_their_places() {
    let world = world(&[("bash", Exposure::Direct, true), ("last", Exposure::Direct, true)]);
    let running = world.start().await;
    assert_eq!(running.active(), "read,bash,edit,write,last", "a replacement takes the place of the tool");
    let all: Vec<String> = running.session.all_tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(all.join(","), "read,bash,edit,write,grep,find,ls,last");
    assert_eq!(running.session.tool_source("read").expect("a source").path, "builtin:read");
    running.activate(&["ls", "last", "write", "read", "ls", "unknown"]);
    assert_eq!(running.active(), "read,write,last,ls");
    running.activate(&["ls", "read", "bash"]);
    assert_eq!(running.active(), "read,ls,bash");
}

#[tokio::test]
async fn a_tool_that_becomes_direct_is_new() {
    let world = world(EVERY);
    let running = world.start().await;
    let owner = world.hooks.extensions().into_iter().next().expect("an extension");
    let register = |exposure: Exposure| {
        let mut late = world.hooks.registrar(owner.clone());
        late.tool(ToolSpec { exposure, ..spec("gone") }, |_, _| std::future::ready(Ok(ToolOutput::text(""))));
        late.commit_late().expect("a tool");
        running.session.tools_changed();
        running.active().contains("gone")
    };
    let steps = [Exposure::Direct, Exposure::Direct, Exposure::Hidden, Exposure::ModelOnly];
    assert_eq!(steps.map(register), [true, true, false, true]);
    running.activate(&["read"]);
    assert!(!register(Exposure::ModelOnly), "what was switched off stays off");
}

#[tokio::test]
async fn a_session_says_which_tools_it_has_when_nobody_could_know() {
    let plain = world(EVERY);
    let running = plain.start().await;
    running.say("One").await;
    assert_eq!(running.tool_records(), [], "the tools that every session has");
    running.activate(&["read", "script"]);
    running.activate(&["read"]);
    running.say("Two").await;
    running.activate(&["ls", "read"]);
    running.say("Three").await;
    let change = |added: &[&str], removed: &[&str]| (strings(added), strings(removed));
    let expected = [change(&["read", "script"], &["direct", "model"]), change(&[], &["script"]), change(&["ls"], &[])];
    assert_eq!(running.tool_records(), expected);
    let lines = running.file();
    let record = lines.iter().find(|line| line["message"]["role"] == "system").expect("a record");
    let fields: Vec<&String> = record["message"].as_object().expect("an object").keys().collect();
    assert_eq!(fields, ["role", "content", "timestamp", "toolsAdded", "toolsRemoved"]);
    let declared: Vec<&String> = record["message"]["toolsAdded"][0].as_object().expect("a tool").keys().collect();
    assert_eq!(declared, ["name", "description", "parameters"]);
    assert_eq!(running.session.session().context().messages.len(), 6, "the model does not see it");

    let other = world(EVERY).in_home_of(plain);
    let resumed = again(other, &running, ToolChoice::default()).await;
    assert_eq!(resumed.active(), "read,ls");
    resumed.say("Four").await;
    assert_eq!(resumed.tool_records().len(), 3, "nothing new to say");
}

#[tokio::test]
async fn a_change_during_a_run_is_recorded_between_requests() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Done.", "More."])).with_builtin_tools();
    world.extend("work", |registrar| {
        recording(registrar, "work", &Log::default());
        registrar.on_json("tool_result", |_, ctx| async move {
            ctx.host().set_active_tools(&["read".to_owned()]);
            Ok(None)
        });
        registrar.on_json("agent_end", |_, ctx| async move {
            ctx.host().set_active_tools(&["read".to_owned(), "ls".to_owned()]);
            Ok(None)
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let lines = running.file();
    let roles: Vec<&str> = lines.iter().filter_map(|line| line["message"]["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "toolResult", "system", "assistant", "system"]);
    let expected = [(strings(&["read"]), strings(&["work"])), (strings(&["ls"]), strings(&[]))];
    assert_eq!(running.tool_records(), expected);
}

#[tokio::test]
async fn tools_that_a_session_does_not_mention_come_in() {
    let first = world(&[("old", Exposure::Direct, true)]);
    let running = first.start().await;
    running.activate(&["read", "old"]);
    running.say("One").await;
    let second = world(&[
        ("old", Exposure::Direct, true),
        ("new", Exposure::Direct, true),
        ("asleep", Exposure::Direct, false),
        ("found", Exposure::Deferred, true),
    ]);
    let resumed = again(second.in_home_of(first), &running, ToolChoice::default()).await;
    assert_eq!(resumed.active(), "read,old,new");
    resumed.activate(&["read"]);
    let replacing = world(&[("bash", Exposure::Direct, true)]);
    let replaced = again(replacing, &resumed, ToolChoice::default()).await;
    assert_eq!(replaced.active(), "read", "what replaces a built-in tool is not new");
    let third = world(&[("old", Exposure::Direct, true), ("new", Exposure::Direct, true)]);
    let resumed = again(third, &resumed, ToolChoice::default()).await;
    assert_eq!(resumed.active(), "read");
}

#[tokio::test]
async fn flags_count_for_more_than_the_session() {
    let first = world(EVERY);
    let running = first.start().await;
    running.activate(&["read", "grep", "direct"]);
    running.say("One").await;
    let choices = [
        (edits(&["+ls", "-read"]), "direct,grep,ls"),
        (ToolChoice { exclude: strings(&["g*"]), ..ToolChoice::default() }, "read,direct"),
        (ToolChoice { only: Some(strings(&["bash"])), ..ToolChoice::default() }, "bash"),
        (ToolChoice { none: true, ..ToolChoice::default() }, ""),
        (ToolChoice { no_builtin: true, ..ToolChoice::default() }, "direct,model"),
    ];
    for (choice, expected) in choices {
        let resumed = again(world(EVERY), &running, choice.clone()).await;
        assert_eq!(resumed.active(), expected, "{choice:?}");
    }
}

#[tokio::test]
async fn a_session_whose_tools_are_all_gone_says_so_once() {
    let first = world(&[("mine", Exposure::Direct, true)]);
    let running = first.start().await;
    running.activate(&["mine"]);
    running.say("One").await;
    let second = world(&[]);
    let reports = second.reports.clone();
    let resumed = again(second, &running, ToolChoice::default()).await;
    resumed.say("Two").await;
    resumed.say("Three").await;
    let told = || reports.all().into_iter().map(|(_, _, text)| text).collect::<Vec<_>>();
    let missing = |name: &str| format!("no tool is active: nothing that can be active is named \"{name}\"");
    assert_eq!((resumed.active(), told()), (String::new(), vec![missing("mine")]));
    resumed.activate(&["read"]);
    resumed.activate(&["raed"]);
    resumed.activate(&[]);
    assert_eq!(told(), [missing("mine"), missing("raed")]);
}

/// What the user does not allow does not come back by a session, by its tree, or by an extension.
#[tokio::test]
async fn a_forbidden_tool_never_returns() {
    let first = world(EVERY);
    let running = first.start().await;
    running.activate(&["bash", "direct", "read"]);
    running.say("One").await;
    running.activate(&["read"]);
    running.say("Two").await;
    let forbidden = ToolChoice { exclude: strings(&["bash", "d*"]), ..ToolChoice::default() };
    let resumed = again(world(EVERY), &running, forbidden).await;
    let (point, _) = resumed.session.fork_points()[1].clone();
    resumed.session.navigate_tree(&point, TreeMove::default()).await.expect("a move");
    assert_eq!(resumed.active(), "read");
    resumed.activate(&["bash", "direct", "read"]);
    assert_eq!(resumed.active(), "read");
    assert!(resumed.session.callable_tool("direct").is_none());
}

#[tokio::test]
async fn a_place_in_the_tree_has_the_tools_of_then() {
    let world = world(EVERY);
    let running = world.start().await;
    running.say("One").await;
    running.activate(&["read", "grep"]);
    running.say("Two").await;
    running.activate(&["read"]);
    running.say("Three").await;
    let points: Vec<String> = running.session.fork_points().into_iter().map(|(id, _)| id).collect();
    let seen: Log<String> = Log::default();
    for point in points.iter().rev() {
        running.session.navigate_tree(point, TreeMove::default()).await.expect("a move");
        seen.push(running.active());
    }
    assert_eq!(seen.take(), ["read", "read,grep", "read,bash,edit,write,direct,model"]);
    // A new branch keeps the tools of the place where it begins.
    running.say("Other").await;
    assert_eq!(running.declared().last().map(String::as_str), Some("read,bash,edit,write,direct,model"));
}

#[tokio::test]
async fn a_fork_inherits_and_a_new_session_begins_anew() {
    let world = world(EVERY);
    let running = world.start().await;
    running.activate(&["read", "grep"]);
    running.say("One").await;
    running.say("Two").await;
    running.session.clone_session().await.expect("a clone");
    assert_eq!(running.active(), "read,grep");
    let (second, _) = running.session.fork_points()[1].clone();
    running.session.fork(&second, ForkPosition::Before).await.expect("a fork");
    assert_eq!(running.active(), "read,grep");
    let file = running.session.session().file().expect("a file").to_owned();
    running.session.new_session(NewSessionRequest::default()).await.expect("a new session");
    assert_eq!(running.active(), "read,bash,edit,write,direct,model");
    running.session.switch_session(&file).await.expect("the fork");
    assert_eq!(running.active(), "read,grep");
}

/// A fork of nothing but the tools of a session is no file yet.
#[tokio::test]
async fn a_record_of_tools_is_no_conversation() {
    let mut world = world(EVERY);
    world.tools = edits(&["-bash"]);
    let running = world.start().await;
    running.say("One").await;
    let (first, _) = running.session.fork_points()[0].clone();
    running.session.fork(&first, ForkPosition::Before).await.expect("a fork");
    assert!(!running.session.session().is_persisted());
    assert_eq!(running.active(), "read,edit,write,direct,model");
}

#[tokio::test]
async fn the_level_of_another_branch_is_not_that_of_the_user() {
    let world = World::new(json!(["1.", "2.", "3."]));
    let running = world.start().await;
    running.say("/thinking low").await;
    running.say("One").await;
    let place = running.session.session().leaf().expect("a leaf").to_string();
    running.say("/thinking high").await;
    running.say("Two").await;
    running.session.navigate_tree(&place, TreeMove::default()).await.expect("a move");
    let level = |session: &Session| session.choices().thinking_level;
    assert_eq!(level(&running.session.session()).as_deref(), Some("low"));
    running.say("Three").await;
    let levels: Vec<_> = running.script.requests().iter().map(|request| request["thinking"].clone()).collect();
    assert_eq!(level(&reopened(&running)).as_deref(), Some("high"), "{levels:?}");
    let resumed = World::new(json!([])).resume(reopened(&running)).start().await;
    assert_eq!(HostView::thinking_level(&*resumed.session).as_str(), "high");
}

/// A tool that shows `direct` with another description and hides `read`, and notes what it was told.
struct Chief {
    spec: ToolSpec,
    told: Log<Loadout>,
    fails: Arc<AtomicBool>,
}

#[async_trait::async_trait]
impl Tool for Chief {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepares_loadout(&self) -> bool {
        true
    }

    async fn prepare_loadout(&self, loadout: &Loadout) -> Result<LoadoutChanges, ToolFailure> {
        self.told.push(loadout.clone());
        if self.fails.load(Ordering::Relaxed) {
            return Err(ToolFailure::new("no idea"));
        }
        Ok(LoadoutChanges {
            descriptions: [("direct".to_owned(), "Shown otherwise.".to_owned())].into(),
            hidden_declarations: strings(&["read", "unknown"]),
        })
    }

    async fn execute(&self, _: Invocation) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput::text("done"))
    }
}

#[tokio::test]
async fn a_tool_says_how_others_are_shown() {
    let world = world(EVERY);
    let (told, fails): (Log<Loadout>, Arc<AtomicBool>) = Default::default();
    let chief = Arc::new(Chief { spec: spec("chief"), told: told.clone(), fails: Arc::clone(&fails) });
    world.extend("chief", move |registrar| {
        registrar.add_tool(Arc::clone(&chief) as Arc<dyn Tool>);
    });
    let running = world.start().await;
    let loadout = told.take().remove(0);
    assert_eq!(loadout.declared.join(","), "read,bash,edit,write,direct,model,chief");
    assert_eq!(loadout.callable.join(","), "read,bash,edit,write,direct,script,found,chief");
    assert_eq!(loadout.registered.len(), 14);
    running.say("One").await;
    assert!(!told.take().is_empty(), "asked before each run");
    assert_eq!(running.declared(), ["bash,edit,write,direct,model,chief"]);
    assert_eq!(running.active(), loadout.declared.join(","));
    assert!(running.session.callable_tool("read").is_some());
    let direct = &running.script.requests()[0]["tools"][3];
    assert_eq!(direct["description"], "Shown otherwise.");
    let options = running.session.system_prompt_options();
    assert_eq!(options["hiddenTools"], json!(["read"]));
    assert!(options["selectedTools"].as_array().expect("a list").contains(&json!("read")));

    running.activate(&["read", "direct"]);
    running.say("Two").await;
    assert_eq!(running.declared()[1], "read,direct", "it is not active");
    running.activate(&["read", "direct", "chief"]);
    fails.store(true, Ordering::Relaxed);
    running.say("Three").await;
    assert_eq!(running.declared()[2], "read,direct,chief");
    let failed = ("<native:chief>".to_owned(), "prepare_loadout".to_owned(), "no idea".to_owned());
    assert!(world.reports.all().contains(&failed), "{:?}", world.reports.all());
}

/// A tool that panics when it is asked how tools are shown, or does not answer.
struct Odd {
    spec: ToolSpec,
    hangs: Arc<AtomicBool>,
    asked: crate::common::tools::Barrier,
}

#[async_trait::async_trait]
impl Tool for Odd {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepares_loadout(&self) -> bool {
        true
    }

    async fn prepare_loadout(&self, _: &Loadout) -> Result<LoadoutChanges, ToolFailure> {
        assert!(self.hangs.load(Ordering::Relaxed), "no idea");
        self.asked.reach();
        std::future::pending().await
    }

    async fn execute(&self, _: Invocation) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput::text("done"))
    }
}

#[tokio::test]
async fn a_tool_that_panics_or_hangs_does_not_keep_the_session() {
    let world = World::new(json!(["One.", "Never."]));
    let (hangs, asked): (Arc<AtomicBool>, crate::common::tools::Barrier) = Default::default();
    let odd = Arc::new(Odd { spec: spec("odd"), hangs: Arc::clone(&hangs), asked: asked.clone() });
    world.extend("odd", move |registrar| {
        registrar.add_tool(Arc::clone(&odd) as Arc<dyn Tool>);
    });
    let running = world.start().await;
    let failed = ("<native:odd>".to_owned(), "prepare_loadout".to_owned(), "crashed: no idea".to_owned());
    assert_eq!(world.reports.take(), [failed]);
    running.say("One").await;
    assert_eq!(running.declared(), ["odd"]);
    hangs.store(true, Ordering::Relaxed);
    let run = running.say_later("Two");
    asked.reached(1).await;
    running.session.abort();
    run.await.expect("a task").expect("a run that was aborted");
    running.session.wait_until_idle().await;
    assert_eq!(running.script.requests().len(), 1);
}
