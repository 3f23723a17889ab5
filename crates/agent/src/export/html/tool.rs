//! Tool calls, each with its result.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use tau_ai::{ContentBlock, Message, ToolCallBlock, ToolResultMessage};
use tau_session::{EntryBody, EntryKind, SessionTree};

use super::ansi::{Palette, ansi};
use super::markup::Markup;
use super::parts::{badge, data, first_line, usage};
use super::{Page, links};

/// How much of an argument stands beside a tool's name, in characters.
const PREVIEW: usize = 120;

/// Which results belong to which calls.
#[derive(Default)]
pub(super) struct Calls {
    /// The position of the result, by that of the answer and the number of the block in it.
    results: HashMap<(usize, usize), usize>,
    /// Positions of the results that stand with their calls.
    shown: HashSet<usize>,
}

impl Calls {
    pub(super) fn is_shown(&self, at: usize) -> bool {
        self.shown.contains(&at)
    }

    /// Where the result of a call is: the position of the answer, and the number of the block in it.
    pub(super) fn result_of(&self, at: usize, block: usize) -> Option<usize> {
        self.results.get(&(at, block)).copied()
    }
}

/// Finds them in a chain of entries. Ids may stand in several answers; a result belongs to the latest call before it.
pub(super) fn pair(tree: &SessionTree, entries: &[usize]) -> Calls {
    let mut calls = Calls::default();
    let mut open: HashMap<&str, (usize, usize)> = HashMap::new();
    for &at in entries {
        let node = &tree.nodes[at];
        if node.entry.kind() != EntryKind::Message {
            continue;
        }
        let EntryBody::Message(body) = node.entry.body() else { continue };
        match &*body.message {
            Message::Assistant(answer) => {
                for (index, block) in answer.content.iter().enumerate() {
                    if let Some(call) = block.as_tool_call() {
                        open.insert(&call.id, (at, index));
                    }
                }
            }
            Message::ToolResult(result) => {
                if let Some(place) = open.remove(result.tool_call_id.as_str()) {
                    calls.results.insert(place, at);
                    calls.shown.insert(at);
                }
            }
            _ => {}
        }
    }
    calls
}

impl Page<'_> {
    pub(super) fn call(&mut self, out: &mut Markup, call: &ToolCallBlock, answer: Option<usize>) {
        let tree = self.tree;
        let node = answer.and_then(|at| tree.nodes.get(at));
        let answer = answer.zip(node.and_then(|node| match node.entry.body() {
            EntryBody::Message(body) => match &*body.message {
                Message::ToolResult(result) => Some(result),
                _ => None,
            },
            _ => None,
        }));
        let failed = answer.is_some_and(|(_, answer)| answer.is_error);
        out.raw(if failed { "<details class=\"tool failed\"><summary>" } else { "<details class=\"tool\"><summary>" });
        out.element("<code>", &call.name, "</code> ").text(&preview(&call.arguments));
        match answer {
            None => badge(out, if call.is_incomplete() { "incomplete" } else { "no result" }),
            Some(_) if failed => badge(out, "failed"),
            Some(_) => {}
        }
        if let Some(label) = node.and_then(|node| node.label.as_deref()) {
            out.element(" <span class=\"label\">", label, "</span>");
        }
        out.raw("</summary>\n");
        arguments(out, &call.arguments);
        if let Some((at, answer)) = answer {
            // The entry of the result has no place of its own.
            out.raw("<div").attribute("id", format_args!("e{at}")).raw(">\n");
            result(out, &mut self.palette, answer);
            out.raw("</div>\n");
        }
        out.raw("</details>\n");
    }
}

/// What a result says.
pub(super) fn result(out: &mut Markup, palette: &mut Palette, result: &ToolResultMessage) {
    for block in &result.content {
        match block {
            ContentBlock::Text(block) => {
                out.raw("<pre><samp>");
                ansi(out, palette, &block.text);
                out.raw("</samp></pre>\n");
            }
            ContentBlock::Image(image) => links::image(out, image),
            block => data(out, "Content", block),
        }
    }
    if let Some(details) = &result.details {
        match details.get("diff").and_then(Value::as_str) {
            Some(text) => diff(out, text),
            None if is_empty(details) => {}
            None => data(out, "Details", details),
        }
    }
    if let Some(calls) = result.extra.get("nestedCalls") {
        data(out, "Calls to other tools", calls);
    }
    if let Some(spent) = &result.usage {
        out.element("<p class=\"quiet\">", &usage(spent), "</p>\n");
    }
}

/// What changed, by the first character of each line.
fn diff(out: &mut Markup, text: &str) {
    out.raw("<pre class=\"diff\"><code>");
    for line in text.lines() {
        let class = match line.as_bytes().first() {
            Some(b'+') => "<span class=\"added\">",
            Some(b'-') => "<span class=\"removed\">",
            _ => "<span>",
        };
        out.element(class, line, "</span>\n");
    }
    out.raw("</code></pre>\n");
}

fn arguments(out: &mut Markup, arguments: &Value) {
    let Value::Object(fields) = arguments else {
        data(out, "Arguments", arguments);
        return;
    };
    out.raw("<dl class=\"arguments\">\n");
    for (name, value) in fields {
        let text = match value {
            Value::String(text) => text.clone(),
            value => serde_json::to_string_pretty(value).unwrap_or_default(),
        };
        out.element("<dt>", name, "</dt>").element("<dd><pre><code>", &text, "</code></pre></dd>\n");
    }
    out.raw("</dl>\n");
}

/// The first argument that is a text; for the built-in tools that is what they work on.
fn preview(arguments: &Value) -> String {
    let first = arguments.as_object().and_then(|fields| fields.values().find_map(Value::as_str));
    first_line(first.unwrap_or_default(), PREVIEW)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
