//! `docs/events.d.ts`.

use std::fmt::Write;

use serde_json::Value;

use super::catalogue::Catalogue;
use super::types::{comment, convert, gap, key, object};

/// TypeScript declarations of all events and what they are made of.
pub fn events_typescript() -> String {
    let catalogue = Catalogue::build();
    let mut file = String::from(
        "// Events of tau, generated from the event table: do not edit.\n\
         // `…Input` types are what tau takes from an extension; fields it can fill in itself are optional there.\n",
    );
    for event in &catalogue.events {
        declare(&mut file, &event.payload_name(), &event.payload);
        if let Some(result) = &event.result {
            declare(&mut file, &event.result_name(), result);
        }
    }
    for (name, schema) in &catalogue.definitions {
        declare(&mut file, name, schema);
    }
    file.push_str(
        "\n/** All events by name: what a handler gets and what it may return. */\nexport interface TauEvents {\n",
    );
    for event in &catalogue.events {
        let result = if event.result.is_some() { event.result_name() } else { "void".to_owned() };
        let signal = if event.row.signal { " & { signal: AbortSignal }" } else { "" };
        let (name, payload) = (key(event.row.name), event.payload_name());
        let _ = writeln!(file, "    {name}: {{ event: {payload}{signal}; result: {result} }};");
    }
    file.push_str(
        "}\n\n\
         /** Any event. */\n\
         export type TauEvent = TauEvents[keyof TauEvents][\"event\"];\n\n\
         /** A handler of one event; returning nothing changes nothing. */\n\
         export type TauHandler<Name extends keyof TauEvents, Context = unknown> = (\n    \
             event: TauEvents[Name][\"event\"],\n    \
             ctx: Context,\n\
         ) => TauEvents[Name][\"result\"] | null | undefined | void\n    \
             | Promise<TauEvents[Name][\"result\"] | null | undefined | void>;\n",
    );
    file
}

/// Declares a type: an interface if it is an object and nothing else.
fn declare(file: &mut String, name: &str, schema: &Value) {
    file.push('\n');
    file.push_str(&comment(schema, 0));
    let plain = ["$ref", "const", "enum", "oneOf", "anyOf", "allOf"].iter().all(|key| schema.get(key).is_none());
    let lines = Some(0);
    match schema.get("properties").and_then(Value::as_object) {
        Some(fields) if plain => {
            let _ = writeln!(file, "export interface {name} {}", object(schema, fields, lines));
        }
        _ => {
            let text = convert(schema, lines).text;
            let _ = writeln!(file, "export type {name} ={}{text};", gap(&text));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn declarations_keep_their_documentation() {
        let schema = json!({
            "description": "Ends */ early.",
            "type": "object",
            "properties": {
                "kind": {"description": "Which.", "oneOf": [{"const": "a", "description": "One."}, {"const": "b"}]},
                "more": {"type": "object", "properties": {"deep": {"type": "string", "description": "Deep."}}}
            },
            "required": ["kind"]
        });
        let mut file = String::new();
        declare(&mut file, "Name", &schema);
        declare(&mut file, "Kind", &schema["properties"]["kind"]);
        declare(&mut file, "Plain", &json!({"type": "string"}));
        assert_eq!(
            file,
            r#"
/** Ends *\/ early. */
export interface Name {
    /** Which. */
    kind:
        /** One. */
        | "a"
        | "b";
    more?: {
        /** Deep. */
        deep?: string;
    };
}

/** Which. */
export type Kind =
    /** One. */
    | "a"
    | "b";

export type Plain = string;
"#
        );
    }
}
