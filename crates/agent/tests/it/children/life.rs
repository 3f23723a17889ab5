//! What ends a child.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tau_hooks::payload::Outcome;
use tau_hooks::{ChildError, ChildLife, ChildRequest, ChildSession};
use tau_tools::ToolOutput;

use super::{Family, worker};
use crate::common::tools::{Barrier, endless, spec};
use crate::common::{Log, World, calls};

async fn ends(child: &Arc<dyn ChildSession>) {
    // Far more than it takes; without it a mistake would hang.
    tokio::time::timeout(Duration::from_secs(60), child.ended().cancelled()).await.expect("the child ends");
    assert!(matches!(child.prompt("Go".into()).await, Err(ChildError::Ended)));
}

/// A tool `delegate` that opens a child, which calls an endless tool; the children that it opened.
fn delegating(world: &World, life: ChildLife, at_work: &Barrier) -> Log<Opened> {
    let children: Log<Opened> = Log::default();
    let (opened, at_work) = (children.clone(), at_work.clone());
    world.extend("delegate", move |registrar| {
        let (opened, at_work) = (opened.clone(), at_work.clone());
        registrar.tool(spec("delegate"), move |_, ctx| {
            let (opened, at_work) = (opened.clone(), at_work.clone());
            async move {
                let request = ChildRequest { life, no_builtin_tools: true, ..ChildRequest::new("delegate") };
                let request = request.with("endless", move |registrar| {
                    endless(registrar, "work", &at_work);
                    Ok(())
                });
                let child = ctx.open_child(request).await.map_err(tau_tools::ToolFailure::new)?;
                opened.push(Opened(Arc::clone(&child)));
                if life == ChildLife::Session {
                    tokio::spawn(async move { child.prompt("Go".into()).await });
                    return Ok(ToolOutput::text("started"));
                }
                child.prompt("Go".into()).await.map_err(tau_tools::ToolFailure::new)?;
                Ok(ToolOutput::text("done"))
            }
        });
    });
    children
}

#[derive(Clone)]
struct Opened(Arc<dyn ChildSession>);

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.info().name)
    }
}

#[tokio::test]
async fn an_abort_of_the_run_ends_the_child_that_was_opened_in_it() {
    let at_work = Barrier::default();
    let world = World::new(json!([calls([("1", "delegate", json!({}))]), calls([("2", "work", json!({}))])]));
    let children = delegating(&world, ChildLife::Run, &at_work);
    let family = Family::start(world).await;
    let run = family.parent.say_later("Go");
    at_work.reached(1).await;
    family.parent.session.abort();
    run.await.expect("no panic").expect("a run");
    let [Opened(child)] = &children.all()[..] else { panic!("one child") };
    ends(child).await;
    assert_eq!(child.outcome(), Outcome::Aborted);
}

/// A child in the background works on when the run it was opened in is aborted, and ends with the session.
#[tokio::test]
async fn a_child_in_the_background_ends_with_the_session() {
    let at_work = Barrier::default();
    // The order of the two requests behind the call is nobody's business.
    let world = World::new(json!([
        calls([("1", "delegate", json!({}))]),
        calls([("2", "work", json!({}))]),
        calls([("3", "work", json!({}))])
    ]));
    let children = delegating(&world, ChildLife::Session, &at_work);
    world.extend("work", |registrar| endless(registrar, "work", &at_work));
    let family = Family::start(world).await;
    let run = family.parent.say_later("Go");
    at_work.reached(2).await;
    family.parent.session.abort();
    run.await.expect("no panic").expect("a run");
    let [Opened(child)] = &children.all()[..] else { panic!("one child") };
    assert!(!child.ended().is_cancelled() && !child.host().is_idle());
    family.parent.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    ends(child).await;
}

#[tokio::test]
async fn an_abort_stops_what_an_older_child_is_at_and_leaves_it_open() {
    let at_work = Barrier::default();
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Again."]));
    let family = Family::start(world).await;
    let reached = at_work.clone();
    let request = ChildRequest { no_builtin_tools: true, ..ChildRequest::new("older") };
    let request = request.with("endless", move |registrar| {
        endless(registrar, "work", &reached);
        Ok(())
    });
    let child = family.open(request).await;
    let running = Arc::clone(&child);
    let run = tokio::spawn(async move { running.prompt("Go".into()).await });
    at_work.reached(1).await;
    family.parent.session.abort();
    run.await.expect("no panic").expect("a run");
    assert_eq!(child.outcome(), Outcome::Aborted);
    child.prompt("Again".into()).await.expect("a run");
    assert_eq!(child.last_text().as_deref(), Some("Again."));
}

#[tokio::test]
async fn the_end_of_the_extension_ends_its_children() {
    let ran: Log<Value> = Log::default();
    let family = Family::start(World::new(json!([]))).await;
    let child = family.open(worker("child", &ran)).await;
    let inner = child.host().open_child(ChildRequest::new("inner"), Arc::clone(&family.opener)).await;
    let inner = inner.unwrap_or_else(|error| panic!("{error}"));
    family.world.hooks.unload(&family.opener);
    ends(&child).await;
    ends(&inner).await;
    let late = family.refused(ChildRequest::new("late")).await;
    assert!(matches!(late, ChildError::Action(tau_hooks::ActionError::Stale)), "{late}");
}

#[tokio::test]
async fn a_new_session_ends_the_children_of_the_one_before() {
    let family = Family::start(World::new(json!([]))).await;
    let child = family.open(ChildRequest::new("child")).await;
    family.parent.say("/new").await;
    ends(&child).await;
}

#[tokio::test]
async fn extensions_of_a_child_are_told_once_that_it_ends_and_can_end_it() {
    let told: Log<String> = Log::default();
    let family = Family::start(World::new(json!([]))).await;
    let noted = told.clone();
    let request = ChildRequest::new("child").with("watch", move |registrar| {
        for name in ["session_start", "session_shutdown"] {
            let noted = noted.clone();
            registrar.on_json(name, move |event, _| {
                noted.push(format!("{name} {}", event["reason"].as_str().unwrap_or_default()));
                std::future::ready(Ok(None))
            });
        }
        Ok(())
    });
    let child = family.open(request).await;
    child.host().shutdown();
    ends(&child).await;
    tokio::join!(child.close(), child.close());
    assert_eq!(told.all(), ["session_start startup", "session_shutdown quit"]);
    assert!(!family.parent.session.exit_requested().is_cancelled(), "the program goes on");
}
