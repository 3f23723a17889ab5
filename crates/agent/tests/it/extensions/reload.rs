//! A reload: all or nothing up to the point of no return, and gates that stay shut over it.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::{Prompted, ReloadError};
use tau_hooks::ActionError;
use tau_hooks::events::EventId;

use crate::common::scripts::FakeScripts;
use crate::common::tools::recording;
use crate::common::{Log, Running, World, calls};

const BEGIN: &str = "hear session_start\nhear session_shutdown\nhear resources_discover";

struct Place {
    world: World,
    scripts: Arc<FakeScripts>,
}

/// A home with these scripts of the user, and a native extension with the tool `work`.
fn place(replies: Value, scripts: &[(&str, &str)]) -> (Place, Log<Value>) {
    let world = World::new(replies);
    let place = Place { world, scripts: FakeScripts::new(false) };
    for (name, text) in scripts {
        place.write(name, text);
    }
    let ran = Log::default();
    let calls = ran.clone();
    place.world.extend("native", move |registrar| recording(registrar, "work", &calls));
    (place, ran)
}

impl Place {
    fn write(&self, name: &str, text: &str) {
        self.world.home.write_agent(&format!("extensions/{name}.ts"), text);
    }

    fn remove(&self, name: &str) {
        let path = self.world.home.agent_dir().join(format!("extensions/{name}.ts"));
        std::fs::remove_file(path).expect("a file to remove");
    }

    async fn start(&self) -> Running {
        self.world.load_scripts(&self.scripts).await;
        self.world.start().await
    }

    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/extensions/", self.world.home.agent_dir().display()), "")
    }

    fn names(&self) -> Vec<String> {
        self.world.hooks.extensions().iter().map(|owner| owner.name.to_string()).collect()
    }

    /// Why the gate for tool calls is shut although nobody decided so.
    async fn gate(&self) -> Option<String> {
        let call = tau_hooks::payload::ToolCallEvent {
            tool_name: "work".into(),
            tool_call_id: "c1".into(),
            parent_tool_call_id: None,
            input: json!({}),
        };
        let scope = tau_hooks::Scope::new(Arc::new(tau_testkit::StaticHost::new()));
        let done = self.world.hooks.dispatcher.dispatch::<tau_hooks::events::ToolCall>(&scope, || call).await;
        Some(self.short(&tau_testkit::Fired::from(done).shut?.reason()))
    }
}

#[tokio::test]
async fn the_order_of_a_reload() {
    let (place, _) = place(json!([]), &[("a", BEGIN), ("b", "")]);
    let running = place.start().await;
    assert_eq!(
        place.scripts.take(),
        ["made", "runtime 1", "loaded a", "loaded b", "a: session_start startup", "a: resources_discover startup"]
    );
    place.write("c", BEGIN);
    place.remove("b");
    let done = running.session.reload().await.expect("a reload");
    assert_eq!((done.extensions, done.failures), (3, vec![]));
    assert_eq!(
        place.scripts.take(),
        [
            "checked",
            "a: session_shutdown reload",
            "shut down",
            "runtime 2",
            "loaded a",
            "loaded c",
            "a: session_start reload",
            "c: session_start reload",
            "a: resources_discover reload",
            "c: resources_discover reload",
        ]
    );
    assert_eq!(place.names(), ["a", "c", "native"]);
    assert_eq!(place.world.reports.all(), []);
}

#[tokio::test]
async fn what_cannot_be_loaded_leaves_everything_as_it_was() {
    let (place, _) = place(json!([]), &[("a", BEGIN), ("bad", "syntax from the start")]);
    let running = place.start().await;
    place.scripts.take();
    place.world.reports.take();
    place.write("a", &format!("{BEGIN}\nsyntax too many commas"));
    let error = running.session.reload().await.expect_err("it cannot be compiled");
    assert_eq!(
        place.short(&error.to_string()),
        "Nothing was reloaded and the extensions of before stay. Failed to load extension \"a.ts\": too many commas \
         (a.ts:4)"
    );
    assert_eq!(place.scripts.take(), ["checked"]);
    assert_eq!(place.names(), ["a", "native"]);

    // What was broken before is no reason, and is told again.
    place.write("a", BEGIN);
    let done = running.session.reload().await.expect("a reload");
    let failures = done.failures.iter().map(|failure| place.short(&failure.to_string())).collect::<Vec<_>>();
    assert_eq!(failures, ["Failed to load extension \"bad.ts\": from the start (bad.ts:1)"]);
    assert_eq!(place.names(), ["a", "native"]);
}

#[tokio::test]
async fn a_guard_that_fails_keeps_its_gate_shut_and_one_that_is_gone_opens_it() {
    let replies = json!([calls([("c1", "work", json!({}))]), "Blocked.", calls([("c2", "work", json!({}))]), "Done."]);
    let (place, ran) = place(replies, &[("guard", "block other not this one")]);
    let running = place.start().await;
    assert_eq!(place.gate().await, None);

    place.write("guard", "block other x\nthrow no key");
    running.session.reload().await.expect("only the factory fails");
    let why =
        "Blocked: extension guard.ts is not loaded: it guarded this and could not be loaded again: no key (guard.ts:2)";
    assert_eq!(place.gate().await, Some(why.to_owned()));
    running.say("Work").await;
    assert_eq!(ran.all(), Vec::<Value>::new());

    // It stays so until it loads, or is taken away on purpose.
    running.session.reload().await.expect("a reload");
    assert_eq!(place.gate().await, Some(why.to_owned()));
    place.remove("guard");
    running.session.reload().await.expect("a reload");
    assert_eq!(place.gate().await, None);
    running.say("Work").await;
    assert_eq!(ran.all(), [json!({})]);
}

#[tokio::test]
async fn a_required_extension_shuts_the_gates_while_it_is_not_there() {
    let (place, _) = place(json!([]), &[]);
    let place = Place { world: place.world.settings(json!({"tau": {"required": ["audit"]}})), ..place };
    let running = place.start().await;
    let missing = "Blocked: extension audit is not loaded: tau.required names it, but it is not installed";
    assert_eq!(place.gate().await, Some(missing.to_owned()));
    place.write("audit", "throw closed today");
    running.session.reload().await.expect("a reload");
    let why = "Blocked: extension audit is not loaded: it is required but Failed to load extension \"audit.ts\": closed today \
               (audit.ts:1)";
    assert_eq!(place.gate().await, Some(why.to_owned()));
    place.write("audit", "");
    running.session.reload().await.expect("a reload");
    assert_eq!(place.gate().await, None);
}

#[tokio::test]
async fn what_a_script_kept_is_stale_and_a_command_may_reload() {
    let (place, _) = place(json!([]), &[("a", "hear session_start\nreload again")]);
    let running = place.start().await;
    place.scripts.take();
    let kept = place.scripts.contexts.lock()[0].clone();
    assert_eq!(kept.check(), Ok(()));
    assert_eq!(running.say("/again").await, Prompted::Command { failed: false });
    assert_eq!(kept.check(), Err(ActionError::Stale));
    assert_eq!(
        place.scripts.take(),
        [
            "checked",
            "shut down",
            "runtime 2",
            "loaded a",
            "a: session_start reload",
            "a: reload gave Ok(()), check gives Err(Stale)",
        ]
    );
    assert_eq!(place.scripts.contexts.lock()[1].check(), Ok(()));
}

#[tokio::test]
async fn the_built_in_command_takes_up_what_changed_on_the_disk() {
    let (place, _) = place(json!([]), &[("a", "tool one")]);
    let running = place.start().await;
    let active = || tau_hooks::HostView::active_tools(&*running.session);
    assert_eq!(active(), ["one", "work"]);
    // A tool that the user switched off stays off.
    tau_hooks::HostActions::set_active_tools(&*running.session, &["work".to_owned()]);
    place.write("a", "tool one\ntool two");
    place.world.home.write_agent("prompts/review.md", "Review it.");
    place.world.home.write_agent("settings.json", r#"{"steeringMode": "all"}"#);
    assert_eq!(
        running.say("/reload").await,
        Prompted::Builtin("Reloaded. Extensions: 2, skills: 0, prompt templates: 1".into())
    );
    assert_eq!(active(), ["work", "two"]);
    let mode = running.session.settings().snapshot().steering_mode();
    assert_eq!(mode, tau_hooks::QueueMode::All);
    place.write("b", "throw not ready");
    assert_eq!(
        running.say("/reload").await,
        Prompted::Builtin("Reloaded. Extensions: 2, skills: 0, prompt templates: 1, extensions that failed: 1".into())
    );
}

#[tokio::test]
async fn nothing_is_reloaded_during_a_run_or_after_the_end() {
    let replies = json!([calls([("c1", "work", json!({}))]), "Done."]);
    let (place, _) = place(replies, &[("a", "")]);
    let reloads: Log<Result<(), ActionError>> = Log::default();
    let noted = reloads.clone();
    place.world.extend("late", move |registrar| {
        let noted = noted.clone();
        registrar.on::<tau_hooks::events::TurnStart>(move |_, ctx| {
            let noted = noted.clone();
            async move { noted.push(ctx.host().reload().await) }
        });
    });
    let running = place.start().await;
    running.say("Work").await;
    let busy = Err(ActionError::Refused(ReloadError::Busy.to_string()));
    assert_eq!(reloads.all(), [busy.clone(), busy]);
    place.scripts.take();
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    assert_eq!(place.scripts.take(), ["shut down"]);
    assert_eq!(running.session.reload().await, Err(ReloadError::ShuttingDown));
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_does_not_end_keeps_nobody_waiting() {
    let (place, _) = place(json!([]), &[("a", &format!("stay\n{BEGIN}"))]);
    let running = place.start().await;
    place.scripts.take();
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    assert_eq!(place.scripts.take(), ["a: session_shutdown quit", "shut down"]);
}

#[tokio::test]
async fn prompts_of_the_reload_s_own_events_wait_for_its_end() {
    let (place, _) = place(json!(["Hello."]), &[("a", "hear agent_start")]);
    place.world.extend("greets", |registrar| {
        let api = registrar.api();
        registrar.on::<tau_hooks::events::SessionStart>(move |event, _| {
            let sent = match event.reason {
                tau_hooks::payload::SessionStartReason::Reload => api.send_user_message("Hi", None),
                _ => Ok(()),
            };
            async move { Ok(sent?) }
        });
    });
    let running = place.start().await;
    place.scripts.take();
    running.session.reload().await.expect("a reload");
    running.session.wait_until_idle().await;
    assert_eq!(place.scripts.take(), ["checked", "shut down", "runtime 2", "loaded a", "a: agent_start"]);
    assert!(!place.world.hooks.dispatcher.has_handlers(EventId::ToolCall));
}
