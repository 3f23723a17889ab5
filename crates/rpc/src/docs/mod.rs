//! `docs/rpc.md`, made from the table of commands and the types.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use crate::{COMMANDS, CommandRow, ExtensionError, Group, HookError, Order, Response, UiRequest, UiResponse};

/// What no table says.
const INTRODUCTION: &str = include_str!("introduction.md");
const EVENTS: &str = include_str!("events.md");
const DIALOGS: &str = include_str!("dialogs.md");
const MESSAGE: &str = include_str!("message.md");

/// Where a schema refers to another one.
const DEFINITIONS: &str = "#/$defs/";

/// Types whose sections are written by hand, because their schemas say less.
const WRITTEN: &[(&str, &str)] = &[("Message", MESSAGE)];

/// The reference of the protocol. `E` is the type of the events, which is the agent's.
pub fn reference<E: JsonSchema>() -> String {
    let mut schemas = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let commands: Vec<_> = COMMANDS
        .iter()
        .map(|row| (row, (row.arguments)(&mut schemas).to_value(), (row.answer)(&mut schemas).to_value()))
        .collect();
    let response = schemas.subschema_for::<Response>().to_value();
    let events = schemas.subschema_for::<E>().to_value();
    let error = schemas.subschema_for::<ExtensionError>().to_value();
    let hook_error = schemas.subschema_for::<HookError>().to_value();
    let request = schemas.subschema_for::<UiRequest>().to_value();
    let answer = schemas.subschema_for::<UiResponse>().to_value();
    let mut page =
        Page { text: INTRODUCTION.to_owned(), definitions: definitions(&mut schemas), named: BTreeSet::new() };

    page.text.push_str("\n## Responses\n\n");
    page.object(&response);
    page.text.push_str("\n## Commands\n");
    for group in Group::ALL {
        let _ = write!(page.text, "\n### {}\n", group.title());
        for (row, arguments, answer) in commands.iter().filter(|(row, ..)| row.group == group) {
            page.command(row, arguments, answer);
        }
    }
    let _ = write!(page.text, "\n{EVENTS}");
    page.variants(&events, "type");
    page.text.push_str("\n### extension_error\n\n");
    page.object(&error);
    page.text.push_str("\n### hook_error\n\n");
    page.object(&hook_error);
    let _ = write!(page.text, "\n{DIALOGS}");
    page.variants(&request, "method");
    page.text.push_str("\n### extension_ui_response\n\n");
    page.object(&answer);
    page.types();
    page.text
}

fn definitions(schemas: &mut SchemaGenerator) -> BTreeMap<String, Value> {
    schemas.take_definitions(true).into_iter().collect()
}

struct Page {
    text: String,
    definitions: BTreeMap<String, Value>,
    /// Types that something refers to and that are not described yet.
    named: BTreeSet<String>,
}

impl Page {
    fn command(&mut self, row: &CommandRow, arguments: &Value, answer: &Value) {
        let _ = write!(self.text, "\n#### {}\n\n", row.name);
        if let [first, ..] = row.older {
            let _ = writeln!(self.text, "Once called `{first}`, which still works.\n");
        }
        self.object(arguments);
        if row.order == Order::Beside {
            self.text.push_str("\nIt does not keep later commands waiting.\n");
        }
        let (shape, null) = without_null(answer);
        let shape = self.resolve(&shape);
        let or_null = if null { ", or `null`" } else { "" };
        if shape.get("type") == Some(&"null".into()) {
            return;
        }
        let _ = write!(self.text, "\nData{or_null}: ");
        self.object(&shape);
    }

    /// The description of a schema and the table of its members.
    fn object(&mut self, schema: &Value) {
        let schema = self.resolve(schema);
        if let Some(text) = schema.get("description").and_then(Value::as_str) {
            let _ = writeln!(self.text, "{}", tidy(text));
        }
        self.members(&schema, "");
    }

    fn members(&mut self, schema: &Value, tag: &str) {
        let Some(members) = schema.get("properties").and_then(Value::as_object) else { return };
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let shown: Vec<_> = members.iter().filter(|(name, _)| *name != tag).collect();
        if shown.is_empty() {
            return;
        }
        self.text.push_str("\n| member | type | meaning |\n|---|---|---|\n");
        for (name, member) in shown {
            let optional = !required.contains(&name.as_str());
            let (bare, _) = if optional { without_null(member) } else { (member.clone(), false) };
            let kind = self.kind(&bare).replace('|', "\\|");
            let mark = if optional { "?" } else { "" };
            let meaning = member.get("description").and_then(Value::as_str).map(tidy).unwrap_or_default();
            let _ = writeln!(self.text, "| `{name}{mark}` | `{kind}` | {} |", meaning.replace('|', "\\|"));
        }
    }

    /// A section for each variant of a tagged type.
    fn variants(&mut self, schema: &Value, tag: &str) {
        let schema = self.resolve(schema);
        let variants = schema.get("oneOf").and_then(Value::as_array).cloned().unwrap_or_default();
        for variant in variants {
            let variant = self.merged(&variant);
            let name = variant["properties"][tag]["const"].as_str().unwrap_or_default().to_owned();
            let _ = write!(self.text, "\n### {name}\n\n");
            if let Some(text) = variant.get("description").and_then(Value::as_str) {
                let _ = writeln!(self.text, "{}", tidy(text));
            }
            self.members(&variant, tag);
        }
    }

    /// The types that were named, and those that these name.
    fn types(&mut self) {
        self.text.push_str("\n## Types\n");
        let mut done: BTreeSet<String> = BTreeSet::new();
        while let Some(name) = self.named.iter().find(|name| !done.contains(*name)).cloned() {
            done.insert(name.clone());
            if let Some((_, text)) = WRITTEN.iter().find(|(written, _)| *written == name) {
                let _ = write!(self.text, "\n### {name}\n\n{text}");
                continue;
            }
            let Some(schema) = self.definitions.get(&name).cloned() else { continue };
            let _ = write!(self.text, "\n### {name}\n\n");
            self.object(&schema);
            for values in ["oneOf", "enum"] {
                let mut all = schema.get(values).and_then(Value::as_array).cloned().unwrap_or_default();
                for variant in &all {
                    let variant = self.merged(variant);
                    self.members(&variant, "");
                }
                all.retain(|variant| variant.get("properties").is_none());
                let names: Vec<String> = all.iter().map(|value| self.kind(value)).collect();
                if !names.is_empty() {
                    let _ = writeln!(self.text, "\nOne of `{}`.", names.join("`, `"));
                }
            }
        }
    }

    /// The schema that another one refers to.
    fn resolve(&self, schema: &Value) -> Value {
        match name_of(schema).and_then(|name| self.definitions.get(name)) {
            Some(schema) => schema.clone(),
            None => schema.clone(),
        }
    }

    /// A variant with the members of the type it consists of.
    fn merged(&self, schema: &Value) -> Value {
        let mut merged = schema.clone();
        if let Some(base) = name_of(schema).and_then(|name| self.definitions.get(name)) {
            for (name, member) in base.get("properties").and_then(Value::as_object).into_iter().flatten() {
                merged["properties"][name] = member.clone();
            }
            for name in base.get("required").and_then(Value::as_array).into_iter().flatten() {
                merged["required"].as_array_mut().into_iter().for_each(|required| required.push(name.clone()));
            }
        }
        merged
    }

    /// A type in a few words.
    fn kind(&mut self, schema: &Value) -> String {
        if let Some(name) = name_of(schema) {
            // A list of words says more than its name.
            let words = self.definitions.get(name).map(words).unwrap_or_default();
            if !words.is_empty() {
                return words.join(" | ");
            }
            self.named.insert(name.to_owned());
            return name.to_owned();
        }
        let own = words(schema);
        if !own.is_empty() {
            return own.join(" | ");
        }
        for any in ["anyOf", "oneOf"] {
            if let Some(all) = schema.get(any).and_then(Value::as_array) {
                return all.clone().iter().map(|one| self.kind(one)).collect::<Vec<_>>().join(" | ");
            }
        }
        match schema.get("type") {
            Some(Value::String(kind)) if kind == "array" => match schema.get("items") {
                Some(items) => {
                    let of = self.kind(items);
                    if of.contains(' ') { format!("({of})[]") } else { format!("{of}[]") }
                }
                None => "any[]".to_owned(),
            },
            Some(Value::String(kind)) => kind.clone(),
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "),
            _ => "any".to_owned(),
        }
    }
}

fn name_of(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(DEFINITIONS)
}

/// The texts a schema consists of, each in quotes.
fn words(schema: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().map(|text| format!("{text:?}"));
    if let Some(word) = schema.get("const").and_then(word) {
        return vec![word];
    }
    if let Some(all) = schema.get("enum").and_then(Value::as_array) {
        return all.iter().filter_map(word).collect();
    }
    let Some(all) = schema.get("oneOf").and_then(Value::as_array) else { return Vec::new() };
    let words: Vec<String> = all.iter().flat_map(words).collect();
    if words.len() >= all.len() { words } else { Vec::new() }
}

/// A schema without the `null` that stands for nothing, and whether there was one.
fn without_null(schema: &Value) -> (Value, bool) {
    let null = |value: &Value| value.get("type") == Some(&"null".into()) || value == "null";
    let mut bare = schema.clone();
    for list in ["anyOf", "type"] {
        if let Some(all) = schema.get(list).and_then(Value::as_array) {
            let left: Vec<Value> = all.iter().filter(|one| !null(one)).cloned().collect();
            if left.len() == all.len() {
                return (bare, false);
            }
            match (&left[..], list) {
                ([only], "anyOf") => bare = only.clone(),
                ([only], _) => bare[list] = only.clone(),
                _ => bare[list] = left.into(),
            }
            return (bare, true);
        }
    }
    (bare, false)
}

/// Plain text in one line, paragraphs kept apart.
fn tidy(text: &str) -> String {
    let lines = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.split("\n\n").map(lines).collect::<Vec<_>>().join("\n\n");
    text.replace("[`", "`").replace("`]", "`")
}
