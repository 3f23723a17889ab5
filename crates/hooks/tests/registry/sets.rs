//! Sets of extensions that are loaded in one order and work in another.

use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::events::{AgentStart, EventId};
use tau_hooks::payload::Empty;
use tau_hooks::{ActionError, Ctx, FlagKind, FlagSpec, FlagValue, HandlerError, Owner, Registrar, dialect};
use tau_testkit::Stage;

use super::{spec, tool};

type Calls = Arc<Mutex<Vec<String>>>;

fn note(registrar: &mut Registrar, calls: &Calls) {
    let calls = Arc::clone(calls);
    registrar.on::<AgentStart>(move |_, ctx| {
        calls.lock().push(ctx.owner().name.to_string());
        async {}
    });
}

fn load(stage: &Stage, name: &str, calls: &Calls) -> Arc<Owner> {
    let owner = Owner::new(format!("/ext/{name}.ts"), name, &dialect::PI);
    let loaded = stage.hooks.load_with(owner, |registrar| {
        note(registrar, calls);
        tool(registrar, "search");
        Ok(())
    });
    loaded.expect("it can be loaded")
}

fn paths(names: &[&str]) -> Vec<Arc<str>> {
    names.iter().map(|name| format!("/ext/{name}.ts").into()).collect()
}

async fn called(stage: &Stage, calls: &Calls) -> Vec<String> {
    stage.fire::<AgentStart>(Empty {}).await;
    std::mem::take(&mut *calls.lock())
}

#[tokio::test]
async fn the_order_of_a_set_decides_who_is_called_first_and_who_wins() {
    let (stage, calls) = (Stage::new(), Calls::default());
    stage.add("native", |registrar| note(registrar, &calls));
    stage.hooks.begin_set();
    let user = load(&stage, "user", &calls);
    load(&stage, "project", &calls);
    stage.hooks.finish_set(&paths(&["project", "user"]), &[], &[]);

    assert_eq!(called(&stage, &calls).await, ["project", "user", "native"]);
    let winner = stage.hooks.tools().into_iter().map(|(owner, _)| owner.name.to_string()).collect::<Vec<_>>();
    assert_eq!(winner, ["project"]);
    assert_eq!(
        stage.take_report_texts(),
        [
            "Extension error (/ext/user.ts): Tool \"search\" is also registered by /ext/project.ts; the first one is used \
          [load]"
        ]
    );

    // A set in which nobody is new has nothing to tell.
    stage.hooks.begin_set();
    stage.hooks.finish_set(&paths(&["project", "user"]), &[], &[]);
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());

    // What an extension adds later takes its place too.
    let handlers = stage.hooks.dispatcher.handlers(EventId::AgentStart);
    let handler = handlers[0].handler.clone();
    stage.hooks.dispatcher.add(EventId::AgentStart, user, handler, "user.ts:9".into());
    assert_eq!(called(&stage, &calls).await, ["project", "user", "user", "native"]);
}

#[tokio::test]
async fn a_registration_may_take_its_time_and_is_all_or_nothing() {
    let (stage, calls) = (Stage::new(), Calls::default());
    let owner = |name: &str| Owner::new(format!("/ext/{name}.ts"), name, &dialect::PI);
    let mut slow = stage.hooks.registrar(owner("slow"));
    note(&mut slow, &calls);
    tokio::task::yield_now().await;
    assert_eq!(called(&stage, &calls).await, Vec::<String>::new());
    let slow = slow.commit().expect("it can be loaded");
    assert_eq!(called(&stage, &calls).await, ["slow"]);
    assert!(!slow.is_gone());

    let mut given_up = stage.hooks.registrar(owner("given_up"));
    note(&mut given_up, &calls);
    let api = given_up.api();
    assert_eq!(api.host().map(drop), Err(ActionError::Loading));
    drop(given_up);
    assert_eq!(api.host().map(drop), Err(ActionError::FailedToLoad("/ext/given_up.ts".into())));

    let mut bad = stage.hooks.registrar(owner("bad"));
    note(&mut bad, &calls);
    let mut no_object = spec("broken");
    no_object.parameters = serde_json::json!({ "type": "string" });
    bad.tool(no_object, |_, _| async { Ok(tau_tools::ToolOutput::text("")) });
    let error = bad.commit().map(drop).expect_err("no schema of an object");
    let text = "Tool \"broken\" registered by extension \"/ext/bad.ts\" must define an object parameter schema.";
    assert_eq!(error, HandlerError::msg(text));
    assert_eq!(called(&stage, &calls).await, ["slow"]);
}

#[test]
fn a_flag_has_a_value_while_its_extension_is_registered() {
    let stage = Stage::new();
    let mut registrar = stage.hooks.registrar(Owner::new("/ext/a.ts", "a", &dialect::PI));
    let flag = |name: &str| FlagSpec {
        name: name.to_owned(),
        description: String::new(),
        kind: FlagKind::Boolean,
        default: Some(FlagValue::Boolean(false)),
    };
    registrar.flag(flag("plan")).and_then(|registrar| registrar.flag(flag("fast"))).expect("they fit");
    stage.hooks.set_flags([("plan".to_owned(), FlagValue::Boolean(true))].into());
    assert_eq!(registrar.flag_value("plan"), Some(FlagValue::Boolean(true)));
    assert_eq!(registrar.flag_value("fast"), Some(FlagValue::Boolean(false)));
    assert_eq!(registrar.flag_value("other"), None);
}

#[tokio::test]
async fn a_context_that_was_kept_is_stale_when_its_extension_is_gone() {
    let stage = Stage::new();
    let kept: Arc<Mutex<Option<Ctx>>> = Arc::default();
    let keep = Arc::clone(&kept);
    let owner = stage.add("ext", |registrar| {
        let keep = Arc::clone(&keep);
        registrar.on::<AgentStart>(move |_, ctx| {
            *keep.lock() = Some(ctx);
            async {}
        });
    });
    stage.fire::<AgentStart>(Empty {}).await;
    let ctx = kept.lock().take().expect("the handler was called");
    assert_eq!(ctx.check(), Ok(()));
    assert_eq!(ctx.reload().await, Err(ActionError::WouldDeadlock("reload")));
    stage.hooks.unload(&owner);
    assert_eq!(ctx.check(), Err(ActionError::Stale));
    assert_eq!(ctx.wait_for_idle().await, Err(ActionError::Stale));
    assert_eq!(ctx.reload().await, Err(ActionError::Stale));
    let ran = ctx.exec("true", &[], tau_hooks::ExecOptions::default()).await;
    assert_eq!((ran.code, ran.stderr), (1, ActionError::Stale.to_string()));
    assert_eq!(stage.host.actions(), []);
}
