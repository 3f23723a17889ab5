//! The schemas of all events in one namespace.
//!
//! A type has two schemas: what tau hands out (every field it always writes is required) and what it takes (fields
//! with a default may be left out). Where the two differ, the second one is called `…Input`.

use std::collections::{BTreeMap, BTreeSet};

use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use crate::events::TABLE;
use crate::table::EventRow;

/// Where a schema refers to another one.
pub(super) const DEFINITIONS: &str = "#/$defs/";

/// Everything the generated files are made from.
pub(super) struct Catalogue {
    /// The events in the order of the table.
    pub(super) events: Vec<Shapes>,
    /// What their schemas refer to, by name.
    pub(super) definitions: BTreeMap<String, Value>,
}

/// An event with its schemas.
pub(super) struct Shapes {
    pub(super) row: &'static EventRow,
    /// The stem of its type names, such as `ToolCall`.
    pub(super) stem: String,
    /// What handlers get.
    pub(super) payload: Value,
    /// What they may return, if anything.
    pub(super) result: Option<Value>,
}

impl Shapes {
    pub(super) fn payload_name(&self) -> String {
        format!("{}Event", self.stem)
    }

    pub(super) fn result_name(&self) -> String {
        format!("{}Result", self.stem)
    }
}

impl Catalogue {
    pub(super) fn build() -> Self {
        Self::of(TABLE)
    }

    fn of(table: &'static [EventRow]) -> Self {
        let mut given = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let mut taken = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let payloads = table.iter().map(|row| (row.payload_schema)(&mut given).to_value()).collect::<Vec<_>>();
        let results = table.iter().map(|row| (row.output_schema)(&mut taken).to_value()).collect::<Vec<_>>();
        let mut given = tidy_definitions(&mut given);
        let mut taken = tidy_definitions(&mut taken);

        taken.iter_mut().for_each(|(name, schema)| drop_null(schema, given.get(name)));
        given.values_mut().for_each(|schema| drop_null(schema, None));
        let renamed = differing(&given, &taken);
        let events = table.iter().zip(payloads).zip(results).map(|((row, payload), mut result)| {
            tidy(&mut result);
            drop_null(&mut result, None);
            rename(&mut result, &renamed);
            let result = row.takes_returned().then_some(result);
            Shapes { row, stem: pascal_case(row.name), payload: named_payload(row, &payload, &given), result }
        });
        let events = events.collect::<Vec<_>>();

        let mut definitions = given;
        for (name, mut schema) in taken {
            rename(&mut schema, &renamed);
            let name = if renamed.contains(&name) { format!("{name}Input") } else { name };
            definitions.insert(name, schema);
        }
        let definitions = reachable(&events, definitions);
        Self { events, definitions }
    }
}

fn tidy_definitions(generator: &mut SchemaGenerator) -> BTreeMap<String, Value> {
    let mut definitions = generator.take_definitions(true).into_iter().collect::<BTreeMap<_, _>>();
    definitions.values_mut().for_each(tidy);
    definitions
}

/// Turns documentation comments into plain text: no line breaks, no links into the code.
fn tidy(schema: &mut Value) {
    walk(schema, &mut |map| {
        if let Some(Value::String(text)) = map.get_mut("description") {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            *text = words.replace("[`", "`").replace("`]", "`");
        }
    });
}

/// Drops `null` from the values of optional fields, where it means the same as leaving the field out. It does not
/// where tau itself writes a `null`: where the field is required in `given`, the schema of what is handed out.
fn drop_null(schema: &mut Value, given: Option<&Value>) {
    for key in ["oneOf", "anyOf", "allOf"] {
        if let Some(Value::Array(variants)) = schema.get_mut(key) {
            for (index, variant) in variants.iter_mut().enumerate() {
                drop_null(variant, given.and_then(|given| given.get(key)?.get(index)));
            }
        }
    }
    let required = schema.get("required").cloned();
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return };
    for (name, field) in fields {
        let written = given.is_some_and(|given| lists(given.get("required"), name));
        if written || lists(required.as_ref(), name) {
            continue;
        }
        let Value::Object(field) = field else { continue };
        if let Some(Value::Array(types)) = field.get_mut("type") {
            types.retain(|one| one != "null");
            if let [only] = types.as_mut_slice() {
                field["type"] = only.take();
            }
        }
        if let Some(Value::Array(variants)) = field.get_mut("anyOf") {
            variants.retain(|variant| *variant != json!({"type": "null"}));
            if let [Value::Object(only)] = variants.as_mut_slice() {
                let only = std::mem::take(only);
                field.remove("anyOf");
                field.extend(only);
            }
        }
    }
}

/// The names in `taken` whose schema, or one it refers to, is another one in `given`.
fn differing(given: &BTreeMap<String, Value>, taken: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let mut differing = BTreeSet::new();
    loop {
        let before = differing.len();
        for (name, schema) in taken {
            let other = given.get(name).is_some_and(|given| given != schema);
            if other || (given.contains_key(name) && !references(schema).is_disjoint(&differing)) {
                differing.insert(name.clone());
            }
        }
        if differing.len() == before {
            return differing;
        }
    }
}

fn rename(schema: &mut Value, renamed: &BTreeSet<String>) {
    walk(schema, &mut |map| {
        if let Some(Value::String(target)) = map.get_mut("$ref")
            && target.strip_prefix(DEFINITIONS).is_some_and(|name| renamed.contains(name))
        {
            target.push_str("Input");
        }
    });
}

/// The schema of a payload with the event's name in the field `type`.
fn named_payload(row: &EventRow, payload: &Value, given: &BTreeMap<String, Value>) -> Value {
    let definition = payload.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(DEFINITIONS));
    let payload = definition.and_then(|name| given.get(name)).unwrap_or(payload);
    let mut fields = Map::new();
    fields.insert("type".to_owned(), json!({"type": "string", "const": row.name}));
    let own = payload.get("properties").and_then(Value::as_object).cloned();
    fields.extend(own.unwrap_or_default());
    let mut required = vec![json!("type")];
    required.extend(payload.get("required").and_then(Value::as_array).cloned().unwrap_or_default());
    json!({ "description": row.doc.trim(), "type": "object", "properties": fields, "required": required })
}

/// The definitions that the events refer to, directly or not.
fn reachable(events: &[Shapes], mut definitions: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    let mut open = BTreeSet::new();
    for event in events {
        open.append(&mut references(&event.payload));
        open.append(&mut event.result.as_ref().map(references).unwrap_or_default());
    }
    let mut reached = BTreeMap::new();
    while let Some(name) = open.pop_first() {
        if let Some(schema) = definitions.remove(&name) {
            open.append(&mut references(&schema));
            reached.insert(name, schema);
        }
    }
    reached
}

/// The names a schema refers to.
fn references(schema: &Value) -> BTreeSet<String> {
    fn collect(schema: &Value, names: &mut BTreeSet<String>) {
        match schema {
            Value::Object(map) => {
                let target = map.get("$ref").and_then(Value::as_str);
                names.extend(target.and_then(|target| target.strip_prefix(DEFINITIONS)).map(str::to_owned));
                map.values().for_each(|value| collect(value, names));
            }
            Value::Array(items) => items.iter().for_each(|value| collect(value, names)),
            _ => {}
        }
    }
    let mut names = BTreeSet::new();
    collect(schema, &mut names);
    names
}

/// Calls `visit` with every object in a schema.
pub(super) fn walk(value: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            visit(map);
            map.values_mut().for_each(|value| walk(value, visit));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| walk(value, visit)),
        _ => {}
    }
}

/// Whether a list of names, such as `required`, has one.
pub(super) fn lists(names: Option<&Value>, name: &str) -> bool {
    names.and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
}

/// `tool_call` as `ToolCall`.
fn pascal_case(name: &str) -> String {
    let words = name.split(['_', '.']);
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}
