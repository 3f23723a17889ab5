//! Every event of the table: when it fires, what it carries, what its results do, and what a failure means.
//!
//! Driven from [`TABLE`]: a row that fires, takes results and has no case here is a failure.

mod effects;

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;

use serde_json::json;
use tau_hooks::events::{EventId, TABLE};
use tau_hooks::table::{Deadline, Delivery, Failure, Fires};
use tau_hooks::{HandlerError, Limits, Mode};

use crate::common::names;
use tau_agent_testkit::tour::{BESIDE, EXPECTED, GOLDEN, tour};

type Case = fn() -> Pin<Box<dyn Future<Output = ()>>>;

/// What results of handlers do to the session; `None` for events whose handlers only observe.
fn effect(event: EventId) -> Option<Case> {
    macro_rules! case {
        ($name:ident) => {
            Some(|| Box::pin(effects::$name()))
        };
    }
    match event {
        EventId::ProjectTrust => case!(project_trust),
        EventId::SessionDirectory => case!(session_directory),
        EventId::ResourcesDiscover => case!(resources_discover),
        EventId::Input => case!(input),
        EventId::BeforeAgentStart => case!(before_agent_start),
        EventId::AgentBeforeSettle => case!(agent_before_settle),
        EventId::TurnEnd => case!(turn_end),
        EventId::Context => case!(context),
        EventId::ContextWithSystem => case!(context_with_system),
        EventId::BeforeProviderHeaders => case!(before_provider_headers),
        EventId::BeforeProviderRequest => case!(before_provider_request),
        EventId::MessageEnd => case!(message_end),
        EventId::ToolCall => case!(tool_call),
        EventId::ToolResult => case!(tool_result),
        EventId::UserBash => case!(user_bash),
        EventId::CacheWarmingDecision => case!(cache_warming_decision),
        EventId::SessionBeforeCompact => case!(session_before_compact),
        EventId::SessionCompacting => case!(session_compacting),
        EventId::SessionBeforeSwitch => case!(session_before_switch),
        EventId::SessionBeforeFork => case!(session_before_fork),
        EventId::SessionBeforeTree => case!(session_before_tree),
        _ => None,
    }
}

#[tokio::test]
async fn every_event_that_fires_does_what_its_row_says() {
    let mut pending = 0;
    for row in TABLE {
        match row.fires {
            Fires::With(feature) => {
                pending += 1;
                println!("pending: {} comes with {feature}", row.name);
            }
            Fires::Now => match effect(row.id) {
                Some(case) => {
                    assert!(row.fold.takes_results(), "{}", row.name);
                    case().await;
                }
                None => assert!(!row.fold.takes_results(), "{} takes results and has no case", row.name),
            },
        }
    }
    println!("{pending} of {} events are pending", TABLE.len());
}

#[tokio::test]
async fn events_fire_in_the_documented_order() {
    let done = tour(|_| {}).await;
    assert!(done.came_to_its_end());
    assert_eq!(done.names(), *EXPECTED);
    assert_eq!(done.reports, []);
    let fired: BTreeSet<&str> = EXPECTED.iter().chain(BESIDE).copied().collect();
    assert_eq!(
        names(&done.beside).into_iter().collect::<BTreeSet<_>>(),
        BESIDE.iter().map(|name| (*name).to_owned()).collect()
    );
    let now: BTreeSet<&str> = TABLE.iter().filter(|row| row.fires == Fires::Now).map(|row| row.name).collect();
    assert_eq!(fired, now);
}

#[tokio::test]
async fn payloads_are_the_documented_ones() {
    let mut done = tour(|_| {}).await;
    done.golden.add_all(&done.events);
    done.golden.check(GOLDEN);
}

/// An observer that returns everything a handler of any event may return.
#[tokio::test]
async fn what_observers_return_is_ignored() {
    let undisturbed = tour(|_| {}).await;
    for row in TABLE.iter().filter(|row| row.fires == Fires::Now && !row.fold.takes_results()) {
        let done = tour(|registrar| {
            registrar.on_json(row.name, |_, _| async {
                let message = json!({"role": "user", "content": "x", "customType": "x"});
                Ok(Some(json!({"block": true, "cancel": true, "continue": true, "action": "handled", "messages": [],
                    "message": message, "content": [], "isError": true, "entries": []})))
            });
        })
        .await;
        assert_eq!(done.names(), undisturbed.names(), "{}", row.name);
        assert_eq!(done.conversation, undisturbed.conversation, "{}", row.name);
        assert_eq!(done.reports, [], "{}", row.name);
    }
}

/// What is wrong with a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    Throws,
    Panics,
    Hangs,
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_fails_is_reported_and_changes_nothing_else() {
    let undisturbed = tour(|_| {}).await;
    let limits = Limits::default();
    for row in TABLE.iter().filter(|row| row.fires == Fires::Now && row.failure == Failure::Report) {
        for trouble in [Trouble::Throws, Trouble::Panics, Trouble::Hangs] {
            let done = tour(|registrar| {
                registrar.on_json(row.name, move |_, _| async move {
                    match trouble {
                        Trouble::Throws => Err(HandlerError::msg("probe failed")),
                        Trouble::Panics => std::panic::panic_any("probe panicked"),
                        Trouble::Hangs => std::future::pending().await,
                    }
                });
            })
            .await;
            let what = format!("{} {trouble:?}", row.name);
            assert_eq!(done.names(), undisturbed.names(), "{what}");
            assert_eq!(done.conversation, undisturbed.conversation, "{what}");
            let message = match trouble {
                Trouble::Throws => "probe failed".to_owned(),
                Trouble::Panics => "panicked: probe panicked".to_owned(),
                Trouble::Hangs => {
                    let limit = limits.hard(row.deadline, Mode::Json).expect("a limit outside the terminal");
                    let setting = row.deadline.setting().expect("a setting");
                    format!("did not answer within {limit:?}, the limit of {setting}")
                }
            };
            let report = ("<native:probe>".to_owned(), row.name.to_owned(), message);
            // An observer that hangs is left alone from then on, and what could fail with every token is said once.
            let left_alone = trouble == Trouble::Hangs && row.deadline == Deadline::Observe;
            let times = if left_alone || row.delivery == Delivery::Queued {
                1
            } else {
                EXPECTED.iter().filter(|name| **name == row.name).count()
            };
            // That a handler is slow is said before that it is given up.
            let is_final = |(_, _, message): &(String, String, String)| !message.contains("is still busy");
            let reports: Vec<_> = done.reports.into_iter().filter(is_final).collect();
            assert_eq!(reports, vec![report; times], "{what}");
        }
    }
}

#[tokio::test]
async fn a_gate_whose_handler_fails_stays_shut() {
    for row in TABLE.iter().filter(|row| row.fires == Fires::Now && row.failure == Failure::Block) {
        let done = tour(|registrar| {
            registrar.on_json(row.name, |_, _| async { Err(HandlerError::msg("probe failed")) });
        })
        .await;
        // Whoever watches comes last and does not hear of what was stopped before.
        let (shut, trusted, worked) = match row.id {
            // The tool waits for the decision on the cache.
            EventId::ToolCall => {
                (&["tool_call", "cache_warming_decision", "tool_execution_update", "tool_result"][..], true, 0)
            }
            EventId::ProjectTrust => (&["project_trust"][..], false, 1),
            EventId::UserBash => (&["user_bash"][..], true, 1),
            other => panic!("{other} is a gate without a case"),
        };
        let expected: Vec<&str> = EXPECTED.iter().copied().filter(|name| !shut.contains(name)).collect();
        assert_eq!(done.names(), expected);
        assert_eq!((done.trusted, done.worked.len()), (trusted, worked), "{}", row.name);
        let report = ("<native:probe>".to_owned(), row.name.to_owned(), "probe failed".to_owned());
        assert_eq!(done.reports, [report]);
    }
}
