//! The generated reference of the events in `docs/`.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tau_ai::{AssistantMessage, Message, MessageBuilder, ToolCallBlock};
use tau_hooks::Messages;
use tau_hooks::events::{EventId, TABLE};
use tau_hooks::generated::{events_json_schema, events_markdown, events_typescript, files};
use tau_hooks::payload::{
    BoundaryState, ContextEvent, EntryDraft, MessageUpdateEvent, Snapshot, StreamUpdate, ToolCallEvent, TurnEndEvent,
};

/// With `UPDATE_DOCS=1` in the environment the files are written instead.
#[test]
fn the_files_in_docs_are_those_of_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let update = std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1");
    let mut stale = Vec::new();
    for (path, wanted) in files() {
        let file = root.join(path);
        if update {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, wanted).unwrap();
        } else if fs::read_to_string(&file).ok().as_deref() != Some(&wanted) {
            stale.push(path);
        }
    }
    let empty: [&str; 0] = [];
    assert_eq!(stale, empty, "bring them up to date with UPDATE_DOCS=1 cargo test -p tau-hooks --test it generated");
}

#[test]
fn every_event_has_its_section() {
    let page = events_markdown();
    let sections = page.lines().filter_map(|line| line.strip_prefix("## ")).collect::<Vec<_>>();
    assert_eq!(sections, TABLE.iter().map(|row| row.name).collect::<Vec<_>>());
}

#[test]
fn every_reference_of_the_schema_leads_somewhere() {
    fn check(value: &Value, definitions: &serde_json::Map<String, Value>) -> usize {
        match value {
            Value::Object(map) => {
                let target = map.get("$ref").and_then(Value::as_str);
                if let Some(target) = target {
                    let name = target.strip_prefix("#/$defs/").unwrap();
                    assert!(definitions.contains_key(name), "{target}");
                }
                usize::from(target.is_some()) + map.values().map(|value| check(value, definitions)).sum::<usize>()
            }
            Value::Array(items) => items.iter().map(|value| check(value, definitions)).sum(),
            _ => 0,
        }
    }
    let schema = serde_json::from_str::<Value>(&events_json_schema()).unwrap();
    let definitions = schema["$defs"].as_object().unwrap();
    assert!(check(&schema, definitions) > TABLE.len());
    for (row, event) in TABLE.iter().zip(schema["oneOf"].as_array().unwrap()) {
        let name = event["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap();
        assert_eq!(definitions[name]["properties"]["type"]["const"], row.name);
        let result = definitions.contains_key(&format!("{}Result", name.strip_suffix("Event").unwrap()));
        assert!(!result || row.has_output(), "{name}");
    }
}

/// Whether what a handler gets is what the schema says, and nothing else is.
#[test]
fn payloads_are_valid_against_the_schema() {
    let schema = serde_json::from_str::<Value>(&events_json_schema()).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let event = |row: EventId, payload: Value| {
        let mut event = json!({"type": row.name()});
        event.as_object_mut().unwrap().extend(payload.as_object().unwrap().clone());
        event
    };
    let call = ToolCallEvent {
        tool_name: "bash".into(),
        tool_call_id: "1".into(),
        parent_tool_call_id: None,
        input: json!({"command": "ls"}),
    };
    let call = event(EventId::ToolCall, serde_json::to_value(call).unwrap());

    let builder = MessageBuilder::new(AssistantMessage::empty());
    let updates = {
        let (text, start) = builder.text_start();
        let delta = builder.text_delta(text, "Hello");
        let end = builder.text_end(text, None);
        let (tool, tool_start) = builder.tool_call_start("1", "bash");
        let tool_delta = builder.tool_call_delta(tool, r#"{"command":"ls"}"#);
        let tool_end = builder.tool_call_end(tool, ToolCallBlock::default());
        [start, delta, end, tool_start, tool_delta, tool_end]
    };
    let updates = updates.map(|item| {
        let message = Snapshot(item.partial.clone());
        let update = MessageUpdateEvent { message, assistant_message_event: StreamUpdate(item) };
        event(EventId::MessageUpdate, serde_json::to_value(update).unwrap())
    });

    let messages = [json!({"role": "user", "content": "hi"}), json!({"role": "from the future", "x": [1]})];
    let messages = messages.map(|message| serde_json::from_value::<Message>(message).unwrap());
    let context = ContextEvent { messages: messages.clone().into_iter().collect() };
    let turn = TurnEndEvent {
        turn_index: 0,
        message: messages[1].clone().into(),
        response: messages[1].clone().into(),
        tool_results: Messages::new(),
        message_entry_id: "a".into(),
        tool_result_entry_ids: vec![],
        boundary: BoundaryState {
            entries: vec![EntryDraft::ContextEdit { target_id: "b".into(), replacement: None }],
            ..BoundaryState::default()
        },
    };
    let rest = [
        event(EventId::Context, serde_json::to_value(context).unwrap()),
        event(EventId::TurnEnd, serde_json::to_value(turn).unwrap()),
        event(EventId::AgentStart, json!({})),
    ];
    for event in [call.clone()].iter().chain(&updates).chain(&rest) {
        let errors = validator.iter_errors(event).map(|error| error.to_string()).collect::<Vec<_>>();
        assert_eq!(errors, Vec::<String>::new(), "{event}");
    }

    let mut nameless = call.clone();
    nameless["type"] = "no such event".into();
    let mut wrong = call;
    wrong["toolName"] = 1.into();
    for event in [nameless, wrong, json!({"type": "tool_call"})] {
        assert!(!validator.is_valid(&event), "{event}");
    }
}

/// A declaration file without its comments and strings, as words.
fn words(declarations: &str) -> Vec<String> {
    let mut code = String::new();
    let mut rest = declarations;
    while let Some(next) = rest.chars().next() {
        let end = match next {
            '/' if rest.starts_with("/*") => rest.find("*/").unwrap() + 2,
            '/' if rest.starts_with("//") => rest.find('\n').unwrap(),
            '"' => rest[1..].find('"').unwrap() + 2,
            _ => {
                code.push(next);
                next.len_utf8()
            }
        };
        rest = &rest[end..];
    }
    let separated = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || "{}()[]".contains(c));
    code.split(separated).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn every_type_is_declared_once_and_every_bracket_closed() {
    let file = events_typescript();
    let words = words(&file);
    let mut declared = BTreeSet::from(["Record", "Promise", "AbortSignal", "Name", "Context"].map(str::to_owned));
    for pair in words.windows(2).filter(|pair| pair[0] == "interface" || pair[0] == "type") {
        if pair[1].starts_with(|c: char| c.is_ascii_uppercase()) {
            assert!(declared.insert(pair[1].clone()), "{} is declared twice", pair[1]);
        }
    }
    let text = words.join(" ");
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '{' | '(' | '[' => open.push(c),
            '}' => assert_eq!(open.pop(), Some('{')),
            ')' => assert_eq!(open.pop(), Some('(')),
            ']' => assert_eq!(open.pop(), Some('[')),
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let used = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let used = used.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase())).map(str::to_owned);
    assert_eq!(used.filter(|word| !declared.contains(word)).collect::<BTreeSet<_>>(), BTreeSet::new());
    let events = TABLE.iter().filter(|row| text.contains(&format!("{}Event", pascal_case(row.name)))).count();
    assert_eq!(events, TABLE.len());
}

fn pascal_case(name: &str) -> String {
    name.split(['_', '.']).map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
