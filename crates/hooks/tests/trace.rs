//! The trace: one record per call of a handler, which names what changed and never shows it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tau_ai::{ContentBlock, Message, UserMessage};
use tau_hooks::events::{
    AgentStart, BeforeAgentStart, BeforeProviderHeaders, BeforeProviderRequest, Context, Input, MessageEnd, ToolCall,
    ToolResult, TurnEnd,
};
use tau_hooks::payload::*;
use tau_hooks::{
    Changes, Event, HandlerError, HistoryMessage, Messages, Prefix, RunIds, Scope, TraceOutcome, TraceReader,
    TraceRecord, TracedCall,
};
use tau_testkit::Stage;

fn records(stage: &Stage) -> Vec<TraceRecord> {
    stage.hooks.dispatcher.trace.records()
}

fn input(text: &str) -> InputEvent {
    InputEvent { text: text.into(), images: None, source: InputSource::Interactive, streaming_behavior: None }
}

fn user(text: &str) -> Message {
    Message::User(UserMessage { content: text.into(), timestamp: 1, extra: Default::default() })
}

fn history(texts: &[&str]) -> Messages {
    let item = |(at, text): (usize, &&str)| Arc::new(HistoryMessage::new(user(text), Some(format!("e{at}"))));
    texts.iter().enumerate().map(item).collect()
}

fn fields(changes: &Changes) -> Vec<&str> {
    changes.fields.iter().map(|field| &**field).collect()
}

/// Calls one handler that returns a result, and tells what it changed.
async fn changes<E: Event>(payload: E::Payload, output: E::Output) -> Changes {
    let stage = Stage::new();
    stage.add("ext", move |registrar| {
        let output = output.clone();
        registrar.on::<E>(move |_, _| std::future::ready(Some(output.clone())));
    });
    stage.fire::<E>(payload).await;
    let [record] = &records(&stage)[..] else { panic!("one call, one record") };
    record.changes.clone()
}

#[tokio::test]
async fn there_is_one_record_per_call_with_extension_event_and_outcome() {
    let stage = Stage::new();
    stage.add("a", |registrar| {
        registrar
            .on::<Input>(|_, _| async {})
            .on::<Input>(|_, _| async { Some(InputResult::Transform { text: "b".into(), images: None }) })
            .on::<AgentStart>(|_, _| async { Err::<(), _>(HandlerError::msg("boom")) });
    });
    stage.add("b", |registrar| {
        registrar
            .on::<Input>(|_, _| async { Some(InputResult::Continue) })
            .on::<Input>(|_, _| async { Some(InputResult::Handled) })
            .on::<Input>(|_, _| async {});
    });
    stage.fire::<Input>(input("a")).await;
    stage.fire::<AgentStart>(Empty {}).await;
    let records = records(&stage);
    let calls = records.iter().map(|record| {
        (record.seq, &*record.extension, record.event.name(), record.outcome.clone(), fields(&record.changes))
    });
    assert_eq!(
        calls.collect::<Vec<_>>(),
        [
            (1, "<native:a>", "input", TraceOutcome::Nothing, vec![]),
            (2, "<native:a>", "input", TraceOutcome::Result, vec!["text"]),
            (3, "<native:b>", "input", TraceOutcome::Result, vec![]),
            (4, "<native:b>", "input", TraceOutcome::Stopped, vec![]),
            (5, "<native:a>", "agent_start", TraceOutcome::Failed("failed".into()), vec![]),
        ]
    );
    assert!(records.is_sorted_by_key(|record| record.timestamp));
}

#[tokio::test]
async fn a_result_that_repeats_what_is_there_changes_nothing() {
    let same = InputResult::Transform { text: "hello".into(), images: None };
    assert_eq!(changes::<Input>(input("hello"), same).await, Changes::none());
    let messages = history(&["a", "b"]);
    let same = ContextResult { messages: Some(messages.clone()) };
    assert_eq!(changes::<Context>(ContextEvent { messages }, same).await, Changes::none());
}

#[tokio::test]
async fn a_text_shows_how_much_it_grew_and_how_much_of_its_front_stayed() {
    let changed = changes::<Input>(input("hello world"), InputResult::Transform { text: "hello".into(), images: None });
    let changed = changed.await;
    assert_eq!((fields(&changed), changed.byte_delta), (vec!["text"], -6));
    assert_eq!(changed.unchanged_prefix.map(|prefix| prefix.length), Some(5));

    let start = |prompt: &str| BeforeAgentStartEvent {
        message_type: StartedBy::User,
        message: None,
        prompt: "p".into(),
        images: None,
        system_prompt: prompt.into(),
        system_prompt_options: Value::Null,
    };
    let result = |prompt: &str| BeforeAgentStartResult { system_prompt: Some(prompt.into()), ..Default::default() };
    let appended = changes::<BeforeAgentStart>(start("stable"), result("stable, and more")).await;
    assert_eq!((fields(&appended), appended.byte_delta), (vec!["systemPrompt"], 10));
    let replaced = changes::<BeforeAgentStart>(start("stable"), result("Stable")).await;
    assert_eq!(replaced.byte_delta, 0);
    assert_eq!(
        [appended, replaced].map(|changes| changes.unchanged_prefix.map(|prefix| prefix.length)),
        [Some(6), Some(0)]
    );
}

#[tokio::test]
async fn a_request_body_shows_the_front_of_its_json() {
    let body = |last: &str| json!({ "model": "m", "messages": ["one", last] });
    let event = |last: &str| BeforeProviderRequestEvent { payload: body(last) };
    let changed = changes::<BeforeProviderRequest>(event("two"), BeforeProviderRequestResult(body("three"))).await;
    let prefix = changed.unchanged_prefix.expect("there is a prefix");
    assert_eq!((fields(&changed), changed.byte_delta), (vec!["payload"], 2));
    assert_eq!(prefix.length, r#"{"model":"m","messages":["one","t"#.len());

    // The same front part has the same hash, whatever follows it.
    let other = changes::<BeforeProviderRequest>(event("tw"), BeforeProviderRequestResult(body("three"))).await;
    assert_eq!(other.unchanged_prefix, Some(prefix));
    let shorter = changes::<BeforeProviderRequest>(event("x"), BeforeProviderRequestResult(body("three"))).await;
    assert_ne!(shorter.unchanged_prefix.map(|shorter| shorter.hash), Some(prefix.hash));
}

#[tokio::test]
async fn a_context_names_the_entries_that_changed_and_the_messages_in_front_that_did_not() {
    let messages = history(&["one", "two", "three", "four"]);
    let with = |change: &dyn Fn(&mut Messages)| {
        let mut changed = messages.clone();
        change(&mut changed);
        ContextResult { messages: Some(changed) }
    };
    let event = || ContextEvent { messages: messages.clone() };
    let replace = |list: &mut Messages, at: usize, text: &str| {
        *list.edit(at).expect("there is such a message") = user(text);
    };

    let edited = changes::<Context>(event(), with(&|list| replace(list, 2, "3"))).await;
    assert_eq!(
        (fields(&edited), edited.byte_delta, &edited.entry_ids[..]),
        (vec!["messages"], -4, &["e2".to_owned()][..])
    );
    let front = edited.unchanged_prefix.expect("there is a front part");
    assert_eq!(front.length, 2);

    let removed = changes::<Context>(event(), with(&|list| list.truncate(2))).await;
    assert_eq!((removed.entry_ids, removed.unchanged_prefix), (vec!["e2".to_owned(), "e3".to_owned()], Some(front)));

    let inserted = changes::<Context>(event(), with(&|list| list.insert(0, user("zero")))).await;
    let size = i64::try_from(serde_json::to_string(&user("zero")).expect("it is JSON").len()).expect("it is small");
    assert_eq!((inserted.entry_ids, inserted.byte_delta), (vec![], size));
    assert_eq!(inserted.unchanged_prefix.map(|prefix| prefix.length), Some(0));
}

#[tokio::test]
async fn an_in_place_change_of_arguments_is_recorded_with_its_author() {
    let call = ToolCallEvent {
        tool_name: "bash".into(),
        tool_call_id: "c".into(),
        parent_tool_call_id: None,
        input: json!({ "command": "ls" }),
    };
    let changed = changes::<ToolCall>(call, ToolCallResult::with_input(json!({ "command": "ls -a" }))).await;
    assert_eq!((fields(&changed), changed.byte_delta), (vec!["input"], 3));
}

#[tokio::test]
async fn each_field_of_a_tool_result_counts_for_itself() {
    let event = ToolResultEvent {
        tool_name: "read".into(),
        tool_call_id: "c".into(),
        parent_tool_call_id: None,
        input: json!({}),
        content: vec![ContentBlock::text("long text")],
        details: Some(json!({ "lines": 1 })),
        structured_content: None,
        is_error: false,
        usage: None,
    };
    let result = ToolResultResult {
        content: Some(vec![ContentBlock::text("text")]),
        details: Some(Value::Null),
        structured_content: None,
        is_error: Some(false),
        usage: None,
    };
    let changed = changes::<ToolResult>(event, result).await;
    let details = "null".len() as i64 - r#"{"lines":1}"#.len() as i64;
    assert_eq!(
        changed,
        Changes { fields: vec!["content".into(), "details".into()], byte_delta: -5 + details, ..Changes::none() }
    );
}

#[tokio::test]
async fn boundaries_and_messages_are_recorded_too() {
    let message = Arc::new(user("a"));
    let end = MessageEndResult { message: Some(Arc::new(user("abc"))) };
    let changed = changes::<MessageEnd>(MessageEndEvent { message: Arc::clone(&message) }, end).await;
    assert_eq!(changed, Changes { fields: vec!["message".into()], byte_delta: 2, ..Changes::none() });

    let turn = TurnEndEvent {
        turn_index: 0,
        message: Arc::clone(&message),
        response: message,
        tool_results: Messages::new(),
        message_entry_id: "e1".into(),
        tool_result_entry_ids: vec![],
        boundary: BoundaryState::default(),
    };
    let changed = changes::<TurnEnd>(turn, BoundaryResult { entries: Some(vec![]), go_on: Some(true) }).await;
    assert_eq!(changed, Changes { fields: vec!["continue".into()], byte_delta: -1, ..Changes::none() });
}

const SECRET: &str = "sk-5ecr3t";

/// Has secrets go through everything that handlers may change, and lets one fail with a secret in its message.
async fn leaky_round(stage: &Stage) {
    stage.add("leaky", |registrar| {
        registrar
            .on::<Input>(
                |event, _| async move { Some(InputResult::Transform { text: event.text + SECRET, images: None }) },
            )
            .on::<ToolCall>(|_, _| async { Some(ToolCallResult::block(SECRET)) })
            .on::<Context>(|mut event, _| async move {
                event.messages.push(user(SECRET));
                Some(ContextResult { messages: Some(event.messages) })
            })
            .on::<BeforeProviderHeaders>(|mut event, _| async move {
                event.headers.insert("authorization".into(), Some(SECRET.into()));
                Some(BeforeProviderHeadersResult { headers: Some(event.headers) })
            })
            .on::<AgentStart>(|_, _| async { Err::<(), _>(HandlerError::msg(SECRET)) });
    });
    stage.fire::<Input>(input(SECRET)).await;
    let call = ToolCallEvent {
        tool_name: "bash".into(),
        tool_call_id: "c".into(),
        parent_tool_call_id: None,
        input: json!({ "key": SECRET }),
    };
    stage.fire::<ToolCall>(call).await;
    stage.fire::<Context>(ContextEvent { messages: history(&["a", SECRET]) }).await;
    stage.fire::<BeforeProviderHeaders>(BeforeProviderHeadersEvent { headers: Default::default() }).await;
    stage.fire::<AgentStart>(Empty {}).await;
}

#[tokio::test]
async fn records_hold_no_contents() {
    let stage = Stage::new();
    leaky_round(&stage).await;
    let records = records(&stage);
    assert_eq!(records.len(), 5);
    for record in records {
        let json = serde_json::to_string(&record).expect("records are JSON");
        assert!(!json.contains(SECRET) && !format!("{record:?}").contains(SECRET), "{json}");
    }
}

#[tokio::test]
async fn a_file_gets_every_record_as_a_line() {
    let stage = Stage::new();
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("trace.jsonl");
    std::fs::write(&path, "what was there before\n").expect("a file");
    let trace = &stage.hooks.dispatcher.trace;
    trace.write_to(&path).expect("it can be opened");
    leaky_round(&stage).await;
    assert_eq!(trace.flush(), None);
    let text = std::fs::read_to_string(&path).expect("it can be read");
    let lines = without_volatile(&text);
    insta::assert_snapshot!(lines, @r#"
    what was there before
    {"seq":1,"timestamp":0,"extension":"<native:leaky>","event":"input","durationUs":0,"outcome":"result","fields":["text"],"byteDelta":9,"unchangedPrefix":{"length":9,"hash":0}}
    {"seq":2,"timestamp":0,"extension":"<native:leaky>","event":"tool_call","durationUs":0,"outcome":"stopped","byteDelta":0}
    {"seq":3,"timestamp":0,"extension":"<native:leaky>","event":"context","durationUs":0,"outcome":"result","fields":["messages"],"byteDelta":51,"unchangedPrefix":{"length":2,"hash":0}}
    {"seq":4,"timestamp":0,"extension":"<native:leaky>","event":"before_provider_headers","durationUs":0,"outcome":"result","fields":["headers"],"byteDelta":0}
    {"seq":5,"timestamp":0,"extension":"<native:leaky>","event":"agent_start","durationUs":0,"outcome":"failed","error":"failed","byteDelta":0}
    "#);
}

/// Replaces what is different each time by 0.
fn without_volatile(lines: &str) -> String {
    let mut out = Vec::new();
    for line in lines.lines() {
        let Ok(mut record) = serde_json::from_str::<Value>(line) else {
            out.push(line.to_owned());
            continue;
        };
        for volatile in ["timestamp", "durationUs"] {
            assert!(record[volatile].is_u64(), "{line}");
            record[volatile] = json!(0);
        }
        if let Some(hash) = record.pointer_mut("/unchangedPrefix/hash") {
            *hash = json!(0);
        }
        out.push(record.to_string());
    }
    out.join("\n")
}

#[tokio::test]
async fn a_file_that_cannot_be_written_does_not_disturb_anybody() {
    let stage = Stage::new();
    let trace = &stage.hooks.dispatcher.trace;
    let dir = tempfile::tempdir().expect("a directory");
    assert!(trace.write_to(dir.path()).is_err(), "a directory is no file");
    #[cfg(target_os = "linux")]
    {
        trace.write_to("/dev/full".as_ref()).expect("it can be opened");
        leaky_round(&stage).await;
        let why = trace.flush().expect("the disk is full");
        assert!(why.contains("No space left"), "{why}");
        assert_eq!(records(&stage).len(), 5);
    }
}

#[tokio::test]
async fn only_the_last_records_are_kept_in_memory() {
    let stage = Stage::new();
    stage.add("ext", |registrar| {
        registrar.on::<AgentStart>(|_, _| async {});
    });
    let fire = async |times: usize| {
        for _ in 0..times {
            stage.fire::<AgentStart>(Empty {}).await;
        }
        let records = records(&stage);
        (records.len(), records.first().map(|first| first.seq), records.last().map(|last| last.seq))
    };
    assert_eq!(fire(5000).await, (4096, Some(905), Some(5000)));
    stage.hooks.dispatcher.trace.set_capacity(3);
    assert_eq!(fire(0).await, (3, Some(4998), Some(5000)));
    assert_eq!(fire(1).await, (3, Some(4999), Some(5001)));
    stage.hooks.dispatcher.trace.set_capacity(0);
    assert_eq!(fire(1).await, (0, None, None));
    stage.hooks.dispatcher.trace.set_capacity(2);
    assert_eq!(fire(1).await, (1, Some(5003), Some(5003)));
}

#[test]
fn prefixes_of_equal_lists_are_equal() {
    let prefix = |texts: &[&str], last: &str| -> Option<Prefix> {
        let before = history(texts);
        let mut after = before.clone();
        after.push(user(last));
        before.changes(&after).unchanged_prefix
    };
    assert_eq!(prefix(&["a", "b"], "x"), prefix(&["a", "b"], "y"));
    assert_ne!(prefix(&["a", "b"], "x"), prefix(&["a", "c"], "x"));
}

/// What a reader makes of a text: each record as a line, each error as words.
fn read_back(text: &str) -> Vec<Result<String, String>> {
    let reader = TraceReader::new("t.jsonl", text.as_bytes());
    let line = |record: TraceRecord| serde_json::to_string(&record).expect("a record is JSON");
    reader.map(|read| read.map(line).map_err(|error| error.to_string())).collect()
}

#[tokio::test]
async fn a_written_trace_is_read_back_as_it_was_kept_in_memory() {
    let stage = Stage::new();
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("trace.jsonl");
    let trace = &stage.hooks.dispatcher.trace;
    trace.set_session("s1");
    trace.write_to(&path).expect("it can be opened");
    leaky_round(&stage).await;
    let call = TracedCall { id: "c/1".into(), name: "read".into() };
    let run = RunIds { run_id: Some("r1".into()), turn: Some(2), request: Some(3) };
    let scope = Scope { run, ..stage.scope() }.in_tool_call("c/1");
    trace.record_call(&scope, call, Duration::from_micros(7), true);
    assert_eq!(trace.flush(), None);
    let read: Result<Vec<_>, _> = TraceReader::open(&path).expect("it can be opened").collect();
    let kept: Vec<_> = records(&stage)
        .into_iter()
        // A file has whole microseconds.
        .map(|record| TraceRecord {
            duration: Duration::from_micros(record.duration.as_micros().try_into().expect("it is short")),
            ..record
        })
        .collect();
    assert_eq!(read.expect("nothing but records"), kept);
    assert_eq!(kept.len(), 6);
    let missing = TraceReader::open(&dir.path().join("none")).err().expect("no file").to_string();
    assert!(missing.contains("none: No such file"), "{missing}");
}

#[test]
fn a_record_keeps_its_ids_and_what_another_version_wrote() {
    let line = r#"{"seq":1,"timestamp":5,"sessionId":"s","runId":"r","turn":2,"request":3,"toolCallId":"c","extension":"/x.ts","event":"tool_call","durationUs":9,"outcome":"failed","error":"a_new_kind","fields":["input","a_new_field"],"byteDelta":-1,"cost":{"usd":0.5},"later":[1]}"#;
    assert_eq!(read_back(&format!("{line}\n\n{line}\n")), [Ok(line.to_owned()), Ok(line.to_owned())]);
    let older = r#"{"seq":1,"timestamp":5,"extension":"/x.ts","event":"input","durationUs":9,"outcome":"nothing","byteDelta":0}"#;
    assert_eq!(read_back(older), [Ok(older.to_owned())]);
}

#[test]
fn a_line_that_is_no_record_is_named_and_the_next_one_is_read() {
    let good = r#"{"seq":1,"timestamp":5,"extension":"/x.ts","event":"input","durationUs":9,"outcome":"nothing","byteDelta":0}"#;
    let strange = good.replace("input", "no_such_event");
    let text = format!("what was there before\n{good}\n{strange}\n[]\n\u{0}\n{good}\n{}", &good[..40]);
    let error = |line: usize, what: &str| Err(format!("t.jsonl:{line}: {what}"));
    assert_eq!(
        read_back(&text),
        [
            error(1, "expected value"),
            Ok(good.to_owned()),
            error(3, "unknown event `no_such_event`"),
            error(4, "invalid type: sequence, expected struct TraceRecord"),
            error(5, "expected value"),
            Ok(good.to_owned()),
            error(7, "the last record is cut off"),
        ]
    );
}
