//! The slots of the status line.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use tau_agent_testkit::tools::{spec, with_work};
use tau_agent_testkit::{Log, World};
use tau_ai::{Clock, Sources};
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{
    ChildHooks, ChildLoader, ChildPrompt, ChildRequest, HandlerError, Hooks, HostSessions as _, Mode, Owner,
};
use tau_orchestrator::MODULES;
use tau_orchestrator::shared::container::is_container;
use tau_orchestrator::shared::repository::facts_of;
use tau_session::Session;
use tau_tools::ToolOutput;
use tokio::sync::Notify;

use crate::screen::{first, notices};
use crate::world::{call, load, with};

const NOON: i64 = 1_700_000_000_000;

fn status(mode: Mode, replies: Value) -> World {
    with(&["status-line"], mode, replies)
}

fn slots(hooks: &Hooks) -> BTreeMap<String, String> {
    hooks.status.entries().into_iter().map(|entry| (entry.key, entry.text)).collect()
}

/// Waits until a slot says this.
pub async fn until(hooks: &Hooks, key: &str, wanted: impl Fn(&str) -> bool) -> String {
    let mut changes = hooks.status.subscribe();
    loop {
        if let Some(text) = slots(hooks).remove(key).filter(|text| wanted(text)) {
            return text;
        }
        changes.changed().await.expect("a session");
    }
}

pub async fn git_says(world: &World, wanted: &str) {
    until(&world.hooks, "3-git", |text| text == wanted).await;
}

fn try_git(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(arguments);
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    command.output().expect("git runs")
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = try_git(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The folder of a world as a repository with a commit of these files.
pub fn repository(world: &World, files: &[&str]) {
    let folder = world.home.cwd();
    git(&folder, &["init", "--quiet", "--initial-branch=main", "."]);
    for file in files {
        std::fs::write(folder.join(file), format!("{file}, and enough to be known again\n").repeat(20))
            .expect("a file");
    }
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message", "first"]);
}

#[tokio::test]
async fn the_slots_follow_prompts_and_tools() {
    let world = status(Mode::Rpc, json!([call("make", json!({})), "Done."]));
    repository(&world, &["a", "b"]);
    let folder = world.home.cwd();
    std::fs::write(folder.join("a"), "changed\n").expect("a file");
    std::fs::remove_file(folder.join("b")).expect("a file");
    std::fs::write(folder.join("c"), "new\n").expect("a file");
    git(&folder, &["add", "c"]);
    world.extend("tools", |registrar| {
        registrar.tool(spec("make"), |_, ctx| async move {
            std::fs::write(ctx.cwd().join("d"), "made\n").expect("a file");
            Ok(ToolOutput::text("made"))
        });
    });
    let running = world.start().await;
    git_says(&world, "main ~1 +1 -1").await;
    assert_eq!(slots(&world.hooks).contains_key("4-container"), is_container());
    assert!(!slots(&world.hooks).contains_key("0-time"));
    running.say("Go").await;
    let time = until(&world.hooks, "0-time", |_| true).await;
    assert!(time.starts_with("⏱ ") && time.ends_with(" (just now)"), "{time}");
    git_says(&world, "main ~1 +1 -1 ?1").await;
    let keys: Vec<String> = slots(&world.hooks).into_keys().filter(|key| key != "4-container").collect();
    assert_eq!(keys, ["0-time", "3-git"]);
}

#[tokio::test]
async fn other_heads_and_names_are_seen_when_git_writes_them() {
    let world = status(Mode::Tui, json!([]));
    repository(&world, &["a"]);
    let folder = world.home.cwd();
    let _running = world.start().await;
    git_says(&world, "main").await;
    git(&folder, &["mv", "a", "b"]);
    git_says(&world, "main ~1").await;
    git(&folder, &["commit", "--quiet", "--message", "second"]);
    git(&folder, &["checkout", "--quiet", "--detach"]);
    let id = git(&folder, &["rev-parse", "HEAD"]);
    let text = until(&world.hooks, "3-git", |text| text.starts_with('@') && !text.ends_with('…')).await;
    assert!(text.len() > 5 && id.starts_with(&text[1..]), "{text} {id}");
    git(&folder, &["checkout", "--quiet", "-b", "other", "HEAD~1"]);
    std::fs::write(folder.join("b"), "another\n").expect("a file");
    git(&folder, &["add", "b"]);
    git(&folder, &["commit", "--quiet", "--message", "third"]);
    assert!(!try_git(&folder, &["merge", "--quiet", "main"]).status.success());
    until(&world.hooks, "3-git", |text| text.starts_with("other merging !") && !text.ends_with('…')).await;
}

#[tokio::test]
async fn without_files_or_without_a_repository_nothing_is_counted() {
    let world = status(Mode::Rpc, json!([]));
    git(&world.home.cwd(), &["init", "--quiet", "--bare", "--initial-branch=trunk", "."]);
    let _running = world.start().await;
    git_says(&world, "trunk").await;

    let world = status(Mode::Rpc, json!(["Fine."]));
    let running = world.start().await;
    facts_of(&world.home.cwd()).look().await;
    running.say("Go").await;
    until(&world.hooks, "0-time", |_| true).await;
    assert!(!slots(&world.hooks).contains_key("3-git"));
    git(&world.home.cwd(), &["init", "--quiet", "--initial-branch=main", "."]);
    git_says(&world, "main").await;
}

#[tokio::test]
async fn a_repository_that_cannot_be_read_is_reported_once() {
    let world = status(Mode::Rpc, json!(["One.", "Two."]));
    repository(&world, &["a"]);
    std::fs::write(world.home.cwd().join(".git/config"), "[core\n").expect("a file");
    let told = notices(&world);
    let running = world.start().await;
    git_says(&world, "git unreadable").await;
    let (level, text) = first(&told).await;
    assert!(level == NotifyLevel::Warning && text.contains(".git"), "{text}");
    running.say("Go").await;
    running.say("On").await;
    facts_of(&world.home.cwd()).look().await;
    assert_eq!(told.all().len(), 1);
}

/// A clock that a test moves, how often somebody waited for it, and what lets the wait end.
fn clock() -> (Sources, Arc<AtomicI64>, Arc<AtomicUsize>, Arc<Notify>) {
    let (now, waits, fires) = (Arc::new(AtomicI64::new(NOON)), Arc::<AtomicUsize>::default(), Arc::new(Notify::new()));
    let (shown, counted, waited) = (Arc::clone(&now), Arc::clone(&waits), Arc::clone(&fires));
    let reaches = move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        let waited = Arc::clone(&waited);
        Box::pin(async move { waited.notified().await }) as futures_util::future::BoxFuture<'static, ()>
    };
    let clock = Clock::with_timers(move || shown.load(Ordering::SeqCst), reaches);
    (Sources { clock, ..Sources::default() }, now, waits, fires)
}

fn with_clock(mode: Mode, sources: Sources) -> World {
    let mut world = World::new(json!([call("work", json!({})), "Fine.", "Fine."])).with_sources(sources);
    world.mode = mode;
    load(&world, &["status-line"]);
    with_work(&world);
    world
}

#[tokio::test]
async fn the_age_of_the_prompt_grows_by_a_timer() {
    let (sources, now, _, fires) = clock();
    let world = with_clock(Mode::Rpc, sources);
    let running = world.start().await;
    running.say("Go").await;
    until(&world.hooks, "0-time", |text| text.ends_with("(just now)")).await;
    for (minutes, age) in [(3, "(3m ago)"), (125, "(2h ago)")] {
        now.store(NOON + minutes * 60_000, Ordering::SeqCst);
        fires.notify_one();
        until(&world.hooks, "0-time", |text| text.ends_with(age)).await;
    }
    running.say("Again").await;
    until(&world.hooks, "0-time", |text| text.ends_with("(just now)")).await;
}

#[tokio::test]
async fn for_one_answer_there_are_no_slots_and_no_timers() {
    for mode in [Mode::Print, Mode::Json] {
        let (sources, _, waits, _) = clock();
        let world = with_clock(mode, sources);
        repository(&world, &["a"]);
        let running = world.start().await;
        running.say("Go").await;
        assert!(slots(&world.hooks).is_empty() && world.hooks.tasks.running().is_empty());
        assert_eq!(waits.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn a_session_that_is_continued_knows_its_last_prompt() {
    let (sources, now, _, _) = clock();
    let world = with_clock(Mode::Rpc, sources.clone());
    let running = world.start().await;
    running.say("Go").await;
    let file = running.session.session().file().expect("a file").to_owned();
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    now.store(NOON + 5 * 60_000, Ordering::SeqCst);
    let again = with_clock(Mode::Rpc, sources).in_home_of(world);
    let again = again.resume(Session::open(&file).expect("a session"));
    let _running = again.start().await;
    until(&again.hooks, "0-time", |text| text.ends_with("(5m ago)")).await;
}

/// Loads the module into a child, and keeps the child's hooks.
struct InChild(Log<Arc<Hooks>>);

#[async_trait]
impl ChildLoader for InChild {
    async fn load(&self, into: &ChildHooks) -> Result<(), HandlerError> {
        let hooks = into.hooks()?;
        let module = MODULES.iter().find(|module| module.name == "builtin:status-line").expect("the module");
        assert!(module.in_children);
        hooks.load(&*(module.make)()).map_err(HandlerError::msg)?;
        self.0.push(hooks);
        Ok(())
    }
}

#[tokio::test]
async fn a_child_has_slots_of_its_own() {
    let world = status(Mode::Tui, json!(["Done."]));
    repository(&world, &["a"]);
    world.extend("opener", |_| {});
    let running = world.start().await;
    git_says(&world, "main").await;
    let opener: Arc<Owner> =
        world.hooks.extensions().into_iter().find(|owner| &*owner.name == "opener").expect("the opener");
    let hooks = Log::default();
    let mut request = ChildRequest::new("worker");
    request.own.push(Box::new(InChild(hooks.clone())));
    let child = running.session.open_child(request, opener).await.unwrap_or_else(|error| panic!("{error}"));
    child.prompt(ChildPrompt { text: "Work".to_owned(), ..ChildPrompt::default() }).await.expect("a run");
    child.wait_for_idle().await;
    let own = hooks.all().pop().expect("hooks");
    until(&own, "0-time", |text| text.ends_with("(just now)")).await;
    until(&own, "3-git", |text| text == "main").await;
    assert!(!slots(&world.hooks).contains_key("0-time"));
    child.close().await;
    assert!(world.reports.all().is_empty(), "{:?}", world.reports.all());
}

#[tokio::test]
async fn a_long_task_ends_with_a_notification_in_a_terminal() {
    if cfg!(target_os = "macos") {
        return;
    }
    for (mode, minutes, expected) in [
        (Mode::Tui, 2, Some("--app-name=tau -- Task completed (project) after 2m 0s")),
        (Mode::Tui, 0, None),
        (Mode::Rpc, 2, None),
    ] {
        let (sources, now, _, _) = clock();
        let mut world = World::new(json!([call("wait", json!({})), "Fine."])).with_sources(sources);
        world.mode = mode;
        load(&world, &["status-line"]);
        world.extend("tools", move |registrar| {
            let now = Arc::clone(&now);
            registrar.tool(spec("wait"), move |_, _| {
                now.fetch_add(minutes * 60_000, Ordering::SeqCst);
                async { Ok(ToolOutput::text("waited")) }
            });
        });
        // A program that shows notifications, and says so in a file.
        let folder = world.home.root().join("programs");
        std::fs::create_dir(&folder).expect("a folder");
        let program = folder.join("notify-send");
        std::fs::write(&program, "#!/bin/sh\nprintf '%s' \"$*\" > \"$0.said\"\n").expect("a program");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        let path = format!("{}:/usr/bin:/bin", folder.display());
        world.hooks.variables.set("PATH", Some(&path));
        let running = world.start().await;
        running.say("Go").await;
        while world.hooks.tasks.running().iter().any(|task| &*task.name == "notification") {
            tokio::task::yield_now().await;
        }
        let said = std::fs::read_to_string(folder.join("notify-send.said")).ok();
        let place = world.home.cwd().file_name().expect("a name").to_string_lossy().into_owned();
        let expected = expected.map(|text| text.replace("(project)", &format!("({place})")));
        assert_eq!(said, expected, "{mode:?}");
    }
}
