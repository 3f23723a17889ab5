//! `{{…}}` in texts and tool-call arguments: what the model was sent, put into what it answers.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::error::nearest;
use super::filter::Filter;
use super::payload::Payload;
use crate::{JsonMap, ToolResultMessage};

/// A text with `{{variable|filter}}` places. Checked when the script is read; only values are missing.
#[derive(Debug, Clone, Default)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Place { variable: Variable, filters: Vec<Filter> },
}

#[derive(Debug, Clone)]
enum Variable {
    /// A result by call id, by tool name, or `last`.
    Tool(String),
    /// Anything else: built in or given by the host.
    Named(String),
}

/// Where the values come from.
pub struct Scope<'a> {
    /// What the model was sent.
    pub payload: &'a Payload,
    /// What the host gave.
    pub vars: &'a BTreeMap<String, String>,
    /// The number of this request, from 1.
    pub request: u64,
}

impl Template {
    /// Reads a template.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("{{") {
            if let Some(before) = rest[..at].strip_suffix('\\') {
                literal.push_str(before);
                literal.push_str("{{");
                rest = &rest[at + 2..];
                continue;
            }
            literal.push_str(&rest[..at]);
            let inside = &rest[at + 2..];
            let end = inside.find("}}").ok_or_else(|| {
                format!("`{{{{` without `}}}}` in the template {text:?} (write `\\{{{{` for the plain characters)")
            })?;
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            parts.push(place(&inside[..end])?);
            rest = &inside[end + 2..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Self { parts })
    }

    /// Fills the places in.
    pub fn render(&self, scope: &Scope<'_>) -> Result<String, String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Place { variable, filters } => {
                    let value = scope.value(variable)?;
                    out.push_str(&filters.iter().fold(value, |value, filter| filter.apply(value)));
                }
            }
        }
        Ok(out)
    }
}

fn place(inside: &str) -> Result<Part, String> {
    let mut pieces = inside.split('|');
    let head = pieces.next().unwrap_or_default().trim();
    if head.is_empty() {
        return Err(format!("no variable in `{{{{{inside}}}}}`"));
    }
    let mut filters = Vec::new();
    let variable = match head.strip_prefix("tool.") {
        Some(rest) => {
            let (id, property) =
                rest.split_once('.').ok_or_else(|| format!("`{head}` needs a property, such as `{head}.text`"))?;
            if property != "text" {
                filters.push(Filter::parse(property)?);
            }
            Variable::Tool(id.to_owned())
        }
        None => Variable::Named(head.to_owned()),
    };
    for piece in pieces {
        filters.push(Filter::parse(piece)?);
    }
    Ok(Part::Place { variable, filters })
}

impl Scope<'_> {
    fn value(&self, variable: &Variable) -> Result<String, String> {
        match variable {
            Variable::Tool(id) => self.tool(id).map(ToolResultMessage::text).ok_or_else(|| self.no_result(id)),
            Variable::Named(name) => self.named(name).ok_or_else(|| self.unknown(name)),
        }
    }

    fn tool(&self, id: &str) -> Option<&ToolResultMessage> {
        let mut latest_first = self.payload.tool_results().rev();
        match id {
            "last" => latest_first.next(),
            _ => latest_first
                .find(|result| result.tool_call_id == id)
                .or_else(|| self.payload.tool_results().rev().find(|result| result.tool_name == id)),
        }
    }

    fn no_result(&self, id: &str) -> String {
        let known: Vec<String> = self
            .payload
            .tool_results()
            .map(|result| format!("{} ({})", result.tool_call_id, result.tool_name))
            .collect();
        match known.as_slice() {
            [] => format!("there is no tool result `{id}`: the request holds no tool results"),
            known => format!("there is no tool result `{id}`; the request holds {}", known.join(", ")),
        }
    }

    fn named(&self, name: &str) -> Option<String> {
        Some(match name {
            "user" => self.payload.last_user().unwrap_or_default(),
            "system" => self.payload.system.clone().unwrap_or_default(),
            "model" => self.payload.model.clone(),
            "messages" => self.payload.messages.len().to_string(),
            "tools" => self.payload.tool_names().collect::<Vec<_>>().join("\n"),
            "request" => self.request.to_string(),
            _ => return self.vars.get(name).cloned(),
        })
    }

    fn unknown(&self, name: &str) -> String {
        let built_in = ["user", "system", "model", "messages", "tools", "request"];
        let known: Vec<&str> = built_in.into_iter().chain(self.vars.keys().map(String::as_str)).collect();
        match nearest(name, known.iter().copied()) {
            Some(hint) => format!("unknown variable `{name}`; did you mean `{hint}`?"),
            None => format!("unknown variable `{name}`; known are {} and tool.<id>.text", known.join(", ")),
        }
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// A JSON value whose strings are templates. Keys are taken as they are.
#[derive(Debug, Clone)]
pub enum JsonTemplate {
    /// A value without text.
    Plain(Value),
    /// A string.
    Text(Template),
    /// An array.
    List(Vec<JsonTemplate>),
    /// An object.
    Object(Vec<(String, JsonTemplate)>),
}

impl JsonTemplate {
    fn compile(value: Value) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::Text(Template::parse(&text)?),
            Value::Array(items) => Self::List(items.into_iter().map(Self::compile).collect::<Result<_, _>>()?),
            Value::Object(map) => Self::Object(
                map.into_iter().map(|(key, value)| Ok((key, Self::compile(value)?))).collect::<Result<_, String>>()?,
            ),
            plain => Self::Plain(plain),
        })
    }

    /// Fills the places in.
    pub fn render(&self, scope: &Scope<'_>) -> Result<Value, String> {
        Ok(match self {
            Self::Plain(value) => value.clone(),
            Self::Text(template) => Value::String(template.render(scope)?),
            Self::List(items) => Value::Array(items.iter().map(|item| item.render(scope)).collect::<Result<_, _>>()?),
            Self::Object(members) => {
                let mut map = JsonMap::new();
                for (key, value) in members {
                    map.insert(key.clone(), value.render(scope)?);
                }
                Value::Object(map)
            }
        })
    }
}

impl Default for JsonTemplate {
    fn default() -> Self {
        Self::Object(Vec::new())
    }
}

impl<'de> Deserialize<'de> for JsonTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::compile(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
