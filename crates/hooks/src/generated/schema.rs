//! `docs/events.schema.json`.

use serde_json::{Map, Value, json};

use super::catalogue::{Catalogue, DEFINITIONS};

/// A JSON schema that any event as a handler gets it is valid against. The result of an event is in its `$defs`,
/// under the event's name, as is everything else.
pub fn events_json_schema() -> String {
    let catalogue = Catalogue::build();
    let mut definitions = Map::new();
    let mut events = Vec::new();
    for event in catalogue.events {
        events.push(json!({ "$ref": format!("{DEFINITIONS}{}", event.payload_name()) }));
        let result_name = event.result_name();
        definitions.insert(event.payload_name(), event.payload);
        definitions.extend(event.result.map(|result| (result_name, result)));
    }
    definitions.extend(catalogue.definitions);
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Events of tau",
        "description": "What handlers get: one of these, told apart by `type`. What they may return is under the same \
                        name with `Result` in `$defs`. Generated from the event table.",
        "oneOf": events,
        "$defs": Value::Object(definitions),
    });
    format!("{schema:#}\n")
}
