//! Tools that have no renderer of their own.

use serde_json::Value;
use tau_view::truncate::truncate_to_width;
use tau_view::width::visible_width;

use super::Renderer;
use super::call::Call;
use crate::blocks::paint::{Rows, visible, visible_line};

/// How many lines of the output show, and how many of that of a tool of a server.
const LINES: usize = 10;
const SERVER_LINES: usize = 5;
/// The longest value in a title, in characters.
const LONGEST: usize = 200;

pub(super) struct Other;

impl Renderer for Other {
    fn title(&self, call: &Call<'_>) -> String {
        let name = match &call.view.label {
            Some(label) => label.clone(),
            None => from_server(&call.view.name).unwrap_or_else(|| call.view.name.clone()),
        };
        let name = call.name(&name);
        if call.view.expanded {
            return name;
        }
        let args = pairs(&call.view.args).map(|(key, value)| format!(" {key}={value}")).collect::<String>();
        // The sign before the title takes two columns.
        let room = call.width.saturating_sub(2 + visible_width(&name)).max(2 * call.width / 3);
        format!("{name}{}", call.fg("toolOutput", &truncate_to_width(&args, room, "…", false)))
    }

    fn body(&self, call: &Call<'_>) -> Vec<String> {
        let mut rows = Vec::new();
        if call.view.expanded {
            rows = arguments(call);
            if !rows.is_empty() && call.view.blocked.is_none() && call.shown().is_some() {
                rows.push(String::new());
            }
        }
        if call.view.is_error || call.view.blocked.is_some() {
            rows.extend(call.error());
            return rows;
        }
        if let Some(shown) = call.shown() {
            let lines = if from_server(&call.view.name).is_some() { SERVER_LINES } else { LINES };
            rows.extend(call.output(&shown.output, Rows::First(lines)));
            rows.extend(call.notes(&shown));
        }
        rows
    }
}

/// `server/tool` for a tool that a server offers.
fn from_server(name: &str) -> Option<String> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(format!("{server}/{tool}"))
}

/// The arguments by name, each on one line.
fn pairs(args: &Value) -> impl Iterator<Item = (String, String)> {
    args.as_object().into_iter().flatten().map(|(key, value)| {
        let text = match value {
            Value::String(text) => quoted(text),
            other => other.to_string().chars().take(LONGEST).collect(),
        };
        (visible_line(key), visible_line(&text))
    })
}

/// The beginning of a text, in quotes.
fn quoted(text: &str) -> String {
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
    let text = text[..end].replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"");
    format!("\"{text}\"")
}

/// The arguments, each below the other, whole.
fn arguments(call: &Call<'_>) -> Vec<String> {
    let args = match &*call.view.args {
        Value::Null => return Vec::new(),
        Value::Object(args) => args,
        other => return call.wrapped("toolOutput", &visible(&other.to_string())),
    };
    let lines = args.iter().map(|(key, value)| {
        let value = match value {
            Value::String(text) => visible(text.trim_end()),
            other => visible(&other.to_string()),
        };
        format!("{}: {value}", visible_line(key))
    });
    lines.flat_map(|line| call.wrapped("toolOutput", &line)).collect()
}
