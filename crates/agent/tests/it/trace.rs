//! What records of a trace say they belong to.

use serde_json::json;
use tau_hooks::{TraceIds, TraceRecord};

use crate::common::tools::with_work;
use crate::common::{World, calls};

/// Event, turn, request and tool call of each record, with the runs numbered in the order in which they began.
fn places(records: &[TraceRecord]) -> Vec<String> {
    let mut runs = Vec::new();
    let mut place = |record: &TraceRecord| {
        let TraceIds { run_id, turn, request, .. } = &record.ids;
        let run = run_id.as_ref().map_or_else(String::new, |id| {
            if !runs.contains(id) {
                runs.push(id.clone());
            }
            format!(" run {}", runs.iter().position(|run| run == id).expect("it is there") + 1)
        });
        let number = |what: &str, n: &Option<u32>| n.map_or_else(String::new, |n| format!(" {what} {n}"));
        let call = record.ids.tool_call_id.as_ref().map_or_else(String::new, |id| format!(" call {id}"));
        format!("{}{run}{}{}{call}", record.event, number("turn", turn), number("request", request))
    };
    records.iter().map(&mut place).collect()
}

#[tokio::test]
async fn records_name_their_session_run_turn_request_and_tool_call() {
    let world = World::new(json!([calls([("c1", "work", json!({}))]), "Done.", "Again."]));
    with_work(&world);
    world.extend("watch", |registrar| {
        for event in ["input", "context", "tool_call", "tool_result", "turn_end", "agent_settled", "session_shutdown"] {
            registrar.on_json(event, |_, _| std::future::ready(Ok(None)));
        }
    });
    let running = world.start().await;
    running.say("Hi").await;
    running.say("And?").await;
    let first = running.session.session().id().to_owned();
    running.say("/new").await;
    let second = running.session.session().id().to_owned();
    let records = world.hooks.dispatcher.trace.records();
    assert_eq!(
        places(&records),
        [
            "input",
            "context run 1 turn 1",
            "tool_call run 1 turn 1 request 1 call c1",
            "tool_result run 1 turn 1 request 1 call c1",
            "turn_end run 1 turn 1 request 1",
            "context run 1 turn 2 request 1",
            "turn_end run 1 turn 2 request 2",
            "agent_settled",
            "input",
            "context run 2 turn 1",
            "turn_end run 2 turn 1 request 1",
            "agent_settled",
            "input",
            "session_shutdown",
        ]
    );
    assert!(records.iter().all(|record| record.ids.session_id.as_deref() == Some(&*first)));
    world.hooks.dispatcher.trace.set_capacity(0);
    world.hooks.dispatcher.trace.set_capacity(8);
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    let records = world.hooks.dispatcher.trace.records();
    let sessions: Vec<_> = records.iter().map(|record| record.ids.session_id.as_deref()).collect();
    assert_eq!((sessions, first == second), (vec![Some(&*second)], false));
}
