//! The generated reference of the events in `docs/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tau_hooks::events::TABLE;
use tau_hooks::generated::{FILES, events_json_schema, events_markdown, events_typescript};

/// With `UPDATE_DOCS=1` in the environment the files are written instead.
#[test]
fn the_files_in_docs_are_those_of_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let update = std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1");
    let mut stale = Vec::new();
    for (path, generate) in FILES {
        let (file, wanted) = (root.join(path), generate());
        if update {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, wanted).unwrap();
        } else if fs::read_to_string(&file).ok().as_deref() != Some(&wanted) {
            stale.push(*path);
        }
    }
    let empty: [&str; 0] = [];
    assert_eq!(stale, empty, "bring them up to date with UPDATE_DOCS=1 cargo test -p tau-hooks --test generated");
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
    let mut declared = BTreeSet::from(["Record", "Promise", "Name", "Context"].map(str::to_owned));
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
    assert_eq!(open, []);
    let used = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let used = used.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase())).map(str::to_owned);
    assert_eq!(used.filter(|word| !declared.contains(word)).collect::<BTreeSet<_>>(), BTreeSet::new());
    let events = TABLE.iter().filter(|row| text.contains(&format!("{}Event", pascal_case(row.name)))).count();
    assert_eq!(events, TABLE.len());
}

fn pascal_case(name: &str) -> String {
    name.split(['_', '.']).map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
