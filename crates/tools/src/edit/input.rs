//! Arguments of the shapes that models and older sessions use.

use serde_json::{Map, Value, json};

/// Brings `edits` into a list: a list in JSON text, a single edit, and the old pair `oldText` and `newText`
/// beside `path` all mean one. What has another shape is left for validation to complain about.
pub(super) fn prepare(raw: Value) -> Value {
    let Value::Object(mut args) = raw else { return raw };
    match args.get("edits") {
        Some(Value::String(text)) => {
            if let Ok(parsed) = serde_json::from_str::<Value>(text)
                && (parsed.is_array() || is_edit(&parsed))
            {
                args.insert("edits".to_owned(), into_list(parsed));
            }
        }
        Some(single) if is_edit(single) => {
            let list = json!([single]);
            args.insert("edits".to_owned(), list);
        }
        _ => {}
    }
    if !is_pair(&args) {
        return Value::Object(args);
    }
    let edit = json!({ "oldText": args.shift_remove("oldText"), "newText": args.shift_remove("newText") });
    match args.get_mut("edits") {
        Some(Value::Array(edits)) => edits.push(edit),
        _ => {
            args.insert("edits".to_owned(), json!([edit]));
        }
    }
    Value::Object(args)
}

fn into_list(value: Value) -> Value {
    if value.is_array() { value } else { Value::Array(vec![value]) }
}

fn is_edit(value: &Value) -> bool {
    value.as_object().is_some_and(is_pair)
}

fn is_pair(map: &Map<String, Value>) -> bool {
    ["oldText", "newText"].iter().all(|name| map.get(*name).is_some_and(Value::is_string))
}
