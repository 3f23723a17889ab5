//! The life of a session as each dialect knows it.

use serde_json::{Value, json};
use tau_ai::Message;
use tau_hooks::Messages;
use tau_hooks::dialect::{Dialect, OMP, ORIGINAL, PI};
use tau_hooks::events::{
    SessionBeforeFork, SessionBeforeSwitch, SessionBeforeTree, SessionCompact, SessionCompacting, SessionFork,
    SessionShutdown, SessionStart, SessionSwitch, SessionTree,
};
use tau_hooks::payload::{
    CompactReason, ForkPosition, SessionBeforeForkEvent, SessionBeforeForkResult, SessionBeforeSwitchEvent,
    SessionBeforeTreeEvent, SessionCompactEvent, SessionCompactingEvent, SessionCompactingResult, SessionForkEvent,
    SessionShutdownEvent, SessionShutdownReason, SessionStartEvent, SessionStartReason, SessionSwitchEvent,
    SessionTreeEvent, SwitchReason, TreePreparation,
};
use tau_session::{EntryBody, NewSession, Session};
use tau_testkit::{StaticHost, TempHome};

use super::{Log, load, on, stage, stage_on};

fn switch() -> SessionBeforeSwitchEvent {
    SessionBeforeSwitchEvent { reason: SwitchReason::Resume, target_session_file: Some("/b.jsonl".into()) }
}

fn fork(entry: &str) -> SessionBeforeForkEvent {
    SessionBeforeForkEvent { entry_id: entry.into(), position: ForkPosition::Before }
}

fn started(reason: SessionStartReason) -> SessionStartEvent {
    let previous_session_file = (reason != SessionStartReason::Startup).then(|| "/a.jsonl".to_owned());
    SessionStartEvent { reason, previous_session_file }
}

#[tokio::test]
pub(super) async fn whoever_cancels_first_ends_the_round() {
    for dialect in [&PI, &OMP] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "session_before_switch"), &log, json!({ "cancel": true }));
        on(&stage, dialect, ("b", "session_before_switch"), &log, json!({ "cancel": false }));
        let done = stage.fire::<SessionBeforeSwitch>(switch()).await;
        assert_eq!((log.take().len(), done.output.and_then(|output| output.cancel)), (1, Some(true)), "{}", dialect.id);
    }
}

#[tokio::test]
pub(super) async fn a_later_result_takes_the_place_of_an_earlier_one() {
    let (stage, log) = (stage(), Log::default());
    on(&stage, &OMP, ("a", "session_before_branch"), &log, json!({ "skipConversationRestore": true }));
    on(&stage, &OMP, ("b", "session_before_branch"), &log, json!({}));
    let done = stage.fire::<SessionBeforeFork>(fork("e1")).await;
    assert_eq!(done.output, Some(SessionBeforeForkResult::default()));
}

#[tokio::test]
pub(super) async fn what_to_leave_of_a_conversation_means_another_thing_to_each() {
    let skip = json!({ "skipConversationRestore": true });
    let kept = SessionBeforeForkResult { cancel: None, skip_conversation_restore: Some(true) };
    let aborted = SessionBeforeForkResult { cancel: Some(true), skip_conversation_restore: None };
    for (dialect, event, expected) in
        [(&PI, "session_before_fork", &kept), (&OMP, "session_before_branch", &kept), (&ORIGINAL, "branch", &aborted)]
    {
        let (stage, log) = (stage(), Log::default());
        let stopper = on(&stage, dialect, ("a", event), &log, skip.clone());
        let done = stage.fire::<SessionBeforeFork>(fork("e1")).await;
        assert_eq!(done.output.as_ref(), Some(expected), "{}", dialect.id);
        let by = done.stopped_by.map(|owner| std::sync::Arc::ptr_eq(&owner, &stopper));
        assert_eq!(by, (dialect.id == "original").then_some(true));
    }
}

#[tokio::test]
pub(super) async fn original_hooks_of_a_branch_are_all_asked_and_the_last_one_decides() {
    for (answers, cancel) in [([json!({ "skipConversationRestore": true }), json!({})], None)]
        .into_iter()
        .chain([([json!({}), json!({ "skipConversationRestore": true })], Some(true))])
        .chain([([json!({ "skipConversationRestore": true }), json!(null)], Some(true))])
        .chain([([json!({ "cancel": true }), json!(null)], None)])
    {
        let (stage, log) = (stage(), Log::default());
        let names = ["a", "b"];
        for (name, answer) in names.iter().zip(&answers) {
            on(&stage, &ORIGINAL, (name, "branch"), &log, answer.clone());
        }
        let done = stage.fire::<SessionBeforeFork>(fork("e1")).await;
        let said = done.output.unwrap_or_default();
        assert_eq!((log.take().len(), said.cancel), (2, cancel), "{answers:?}");
    }
}

/// Which reasons of a start a handler hears of, after the first one.
async fn heard(dialect: &'static Dialect, event: &str) -> Vec<Value> {
    use SessionStartReason::{Fork, New, Reload, Resume, Startup};
    let (stage, log) = (stage(), Log::default());
    on(&stage, dialect, ("a", event), &log, json!(null));
    for reason in [Startup, New, Resume, Fork, Reload] {
        stage.fire::<SessionStart>(started(reason)).await;
    }
    log.take().into_iter().map(|event| event["reason"].clone()).collect()
}

#[tokio::test]
pub(super) async fn a_start_is_told_as_each_dialect_has_it() {
    assert_eq!(heard(&PI, "session_start").await, ["startup", "new", "resume", "fork", "reload"]);
    assert_eq!(heard(&OMP, "session_start").await, ["startup", "reload"]);
    assert_eq!(heard(&ORIGINAL, "session").await, ["start", "clear", "switch", "switch", "start"]);
}

#[tokio::test]
pub(super) async fn whoever_is_loaded_for_a_session_is_told_that_it_starts() {
    let (stage, log) = (stage(), Log::default());
    on(&stage, &OMP, ("old", "session_start"), &log, json!(null));
    stage.fire::<SessionStart>(started(SessionStartReason::Startup)).await;
    on(&stage, &OMP, ("new", "session_start"), &log, json!(null));
    on(&stage, &ORIGINAL, ("new", "session"), &log, json!(null));
    log.take();
    stage.fire::<SessionStart>(started(SessionStartReason::Resume)).await;
    let told = log.take();
    assert_eq!(told.iter().map(|event| &event["type"]).collect::<Vec<_>>(), ["session_start", "session"]);
    assert_eq!((&told[1]["reason"], &told[1]["previousSessionFile"]), (&json!("start"), &json!(null)));
}

#[tokio::test]
pub(super) async fn the_end_is_told_when_the_program_ends() {
    use SessionShutdownReason::{Fork, New, Quit, Reload, Resume};
    for (dialect, expected) in [(&PI, vec![New, Resume, Fork, Reload, Quit]), (&OMP, vec![Reload, Quit])] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "session_shutdown"), &log, json!(null));
        for reason in [New, Resume, Fork, Reload, Quit] {
            stage.fire::<SessionShutdown>(SessionShutdownEvent { reason, target_session_file: None }).await;
        }
        let reasons = log.take().into_iter().map(|event| serde_json::from_value(event["reason"].clone()).unwrap());
        assert_eq!(reasons.collect::<Vec<SessionShutdownReason>>(), expected, "{}", dialect.id);
    }
}

#[tokio::test]
pub(super) async fn branches_have_their_older_names() {
    let (stage, log) = (stage(), Log::default());
    for event in ["session_before_branch", "session_branch", "session_before_fork", "session_fork", "session_switch"] {
        on(&stage, &OMP, (event, event), &log, json!(null));
    }
    stage.fire::<SessionBeforeFork>(fork("e1")).await;
    stage.fire::<SessionFork>(SessionForkEvent { previous_session_file: Some("/a".into()) }).await;
    let event = SessionSwitchEvent { reason: SwitchReason::New, previous_session_file: None };
    stage.fire::<SessionSwitch>(event).await;
    let expected = [
        json!({ "type": "session_before_branch", "entryId": "e1", "position": "before" }),
        json!({ "type": "session_branch", "previousSessionFile": "/a" }),
        json!({ "type": "session_switch", "reason": "new" }),
    ];
    assert_eq!(log.take(), expected);
}

#[tokio::test]
pub(super) async fn who_wrote_a_summary_is_told_under_both_names() {
    let (stage, log) = (stage(), Log::default());
    on(&stage, &OMP, ("a", "session_compact"), &log, json!(null));
    on(&stage, &OMP, ("b", "session_tree"), &log, json!(null));
    let event = SessionCompactEvent {
        compaction_entry: json!({}),
        from_extension: true,
        reason: CompactReason::Manual,
        will_retry: false,
    };
    stage.fire::<SessionCompact>(event).await;
    let tree =
        |from_extension| SessionTreeEvent { new_leaf_id: None, old_leaf_id: None, summary_entry: None, from_extension };
    stage.fire::<SessionTree>(tree(Some(false))).await;
    stage.fire::<SessionTree>(tree(None)).await;
    let seen = log.take();
    let names = |event: &Value| (event.get("fromExtension").cloned(), event.get("fromHook").cloned());
    let all = seen.iter().map(names).collect::<Vec<_>>();
    let both = |value: bool| (Some(json!(value)), Some(json!(value)));
    assert_eq!(all, [both(true), both(false), (None, None)]);
}

#[tokio::test]
pub(super) async fn of_two_wishes_for_a_summary_the_last_counts_as_a_whole() {
    let (stage, log) = (stage(), Log::default());
    on(&stage, &OMP, ("a", "session.compacting"), &log, json!({ "context": ["keep"] }));
    on(&stage, &OMP, ("b", "session.compacting"), &log, json!({ "prompt": "short" }));
    let event = || SessionCompactingEvent { session_id: "s".into(), messages: Messages::new() };
    let done = stage.fire::<SessionCompacting>(event()).await;
    let last = SessionCompactingResult { prompt: Some("short".into()), ..SessionCompactingResult::default() };
    assert_eq!((log.take().len(), done.output), (2, Some(last)));

    // Another dialect's wish is beside it.
    on(&stage, &PI, ("c", "session.compacting"), &log, json!({ "context": ["theirs"] }));
    let both = SessionCompactingResult {
        context: Some(vec!["theirs".into()]),
        prompt: Some("short".into()),
        ..SessionCompactingResult::default()
    };
    assert_eq!(stage.fire::<SessionCompacting>(event()).await.output, Some(both));
}

#[tokio::test]
pub(super) async fn a_move_in_the_tree_has_no_bookmark_in_the_older_dialect() {
    let answer = json!({ "label": "here", "customInstructions": "x", "summary": { "summary": "s" } });
    for (dialect, label) in [(&PI, Some("here")), (&OMP, None)] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "session_before_tree"), &log, answer.clone());
        let event = SessionBeforeTreeEvent { preparation: TreePreparation::default() };
        let output = stage.fire::<SessionBeforeTree>(event).await.output.expect("a result");
        assert_eq!((output.label.as_deref(), output.summary.map(|summary| summary.summary)), (label, Some("s".into())));
    }
}

/// A session with a file: two prompts, an answer, and another branch behind the first prompt.
fn tree(home: &TempHome) -> (Session, Vec<String>) {
    let new = NewSession { id: Some("s1".into()), ..NewSession::default() };
    let session = Session::create(&home.session_dir(), &home.cwd(), new).expect("a session");
    let user = |text: &str| {
        let message = json!({ "role": "user", "content": text, "timestamp": 1 });
        EntryBody::message(serde_json::from_value::<Message>(message).expect("a message"))
    };
    let mut ids = Vec::new();
    let mut append = |body: EntryBody| ids.push(session.append(body).expect("an entry").id().to_string());
    append(user("one"));
    append(user("two"));
    append(EntryBody::thinking_level_change("low"));
    let first = ids[0].clone();
    let other = session.append_with_parent(Some(&first), user("other")).expect("an entry");
    session.set_leaf(&ids[2]).expect("a leaf");
    let kept = ids[1].clone();
    ids.push(session.append(EntryBody::compaction("sum", Some(&kept), 9)).expect("an entry").id().to_string());
    ids.push(other.id().to_string());
    session.persist().expect("a file");
    (session, ids)
}

#[tokio::test]
pub(super) async fn original_hooks_get_the_branch_as_a_list() {
    let home = TempHome::new();
    let (session, ids) = tree(&home);
    let file = session.file().expect("a file").display().to_string();
    let header = json!({
        "type": "session", "id": "s1", "timestamp": session.header().timestamp, "cwd": home.cwd(),
        "thinkingLevel": "off", "provider": "acme", "modelId": "m1",
    });
    let stage = stage_on(StaticHost::new().with_model("acme", "m1").with_session(session));
    let log = Log::default();
    on(&stage, &ORIGINAL, ("a", "session"), &log, json!(null));
    on(&stage, &ORIGINAL, ("b", "branch"), &log, json!(null));
    stage.fire::<SessionStart>(started(SessionStartReason::Startup)).await;
    stage.fire::<SessionBeforeFork>(fork(&ids[1])).await;
    stage.fire::<SessionBeforeFork>(fork(&ids[4])).await;
    stage.fire::<SessionBeforeFork>(fork("nobody")).await;
    let mut seen = log.take();
    let entries = |event: &Value| {
        let all = event["entries"].as_array().expect("entries");
        all.iter().map(|entry| entry["id"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let path = ["s1", &ids[0], &ids[1], &ids[2], &ids[3]];
    assert_eq!(entries(&seen[0]), path);
    assert_eq!(seen[0]["entries"][0], header);
    let compaction = &seen[0]["entries"][4];
    assert_eq!((&compaction["firstKeptEntryIndex"], &compaction["tokensBefore"]), (&json!(2), &json!(9)));

    // The index leads to the entry, also in another branch.
    for (event, id, expected) in [(1, &ids[1], &path[..]), (2, &ids[4], &["s1", &ids[0], &ids[4]])] {
        let index = seen[event]["targetTurnIndex"].as_u64().expect("an index") as usize;
        assert_eq!(entries(&seen[event]), expected);
        assert_eq!([&seen[event]["entries"][index]["id"], &seen[event]["targetEntryId"]], [id, id]);
    }
    assert_eq!(seen[3]["targetTurnIndex"], -1);

    seen[0]["entries"] = json!([]);
    let expected = json!({
        "type": "session", "reason": "start", "entries": [], "sessionFile": file, "previousSessionFile": null,
    });
    assert_eq!(seen[0], expected);
    seen[1]["entries"] = json!([]);
    assert_eq!(seen[1], json!({ "type": "branch", "targetTurnIndex": 2, "targetEntryId": ids[1], "entries": [] }));
}

#[tokio::test]
pub(super) async fn a_session_in_memory_has_no_file_and_an_empty_one_no_entries() {
    let (stage, log) = (stage(), Log::default());
    on(&stage, &ORIGINAL, ("a", "session"), &log, json!(null));
    stage.fire::<SessionStart>(started(SessionStartReason::Startup)).await;
    stage.fire::<SessionStart>(started(SessionStartReason::New)).await;
    let seen = log.take();
    assert_eq!((&seen[0]["sessionFile"], seen[0]["entries"].as_array().map(Vec::len)), (&json!(null), Some(1)));
    let cleared = json!({
        "type": "session", "reason": "clear", "entries": [], "sessionFile": null, "previousSessionFile": "/a.jsonl",
    });
    assert_eq!(seen[1], cleared);
}

#[tokio::test]
pub(super) async fn a_native_hook_may_use_the_types_of_the_events() {
    let (stage, log) = (stage(), Log::default());
    let noted = log.clone();
    load(&stage, &ORIGINAL, "typed", move |registrar| {
        let log = noted.clone();
        registrar.on::<SessionBeforeFork>(move |event, _| {
            log.add(event.entry_id);
            async { Some(SessionBeforeForkResult { skip_conversation_restore: Some(true), ..Default::default() }) }
        });
    });
    let done = stage.fire::<SessionBeforeFork>(fork("e1")).await;
    assert_eq!((log.take(), done.output.and_then(|output| output.cancel)), (vec![json!("e1")], Some(true)));
}
