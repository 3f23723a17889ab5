//! Tool calls, each with its result.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;
use tau_ai::{ContentBlock, Message, ToolCallBlock, ToolResultMessage};
use tau_session::{EntryBody, EntryKind, SessionTree};
use tau_view::code::language_of;

use super::ansi::ansi;
use super::block::{self, Face};
use super::markup::Markup;
use super::palette::Palette;
use super::parts::{badge, data, first_line, usage};
use super::{Page, links};

/// How much of an argument stands beside a tool's name, in characters.
const PREVIEW: usize = 120;

/// Arguments that name a file, as tools in use call them.
const PATHS: &[&str] = &["path", "file_path", "filePath", "file"];
/// Arguments that hold what such a file is to have.
const CONTENTS: &[&str] = &["content", "oldText", "newText", "old_string", "new_string"];
/// Arguments that are code, each with the language.
const LANGUAGES: &[(&str, &str)] = &[("command", "bash"), ("sql", "sql"), ("patch", "diff"), ("diff", "diff")];
/// Tools whose result is what stands in the file.
const READERS: &[&str] = &["read"];

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
    let mut open: HashMap<String, (usize, usize)> = HashMap::new();
    for &at in entries {
        let node = &tree.nodes[at];
        if node.entry.kind() != EntryKind::Message {
            continue;
        }
        let body = node.entry.body();
        let EntryBody::Message(body) = &*body else { continue };
        match &*body.message {
            Message::Assistant(answer) => {
                for (index, block) in answer.content.iter().enumerate() {
                    if let Some(call) = block.as_tool_call() {
                        open.insert(call.id.clone(), (at, index));
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
        let message = node.and_then(|node| match &*node.entry.body() {
            EntryBody::Message(body) => Some(Arc::clone(&body.message)),
            _ => None,
        });
        let answer = answer.zip(match message.as_deref() {
            Some(Message::ToolResult(result)) => Some(result),
            _ => None,
        });
        let failed = answer.is_some_and(|(_, answer)| answer.is_error);
        let open = "<details open class=\"tool\"><summary>";
        out.raw(if failed { "<details open class=\"tool failed\"><summary>" } else { open });
        out.element("<code>", &call.name, "</code> ");
        let first = first(&call.arguments);
        if let Some((name, text)) = first {
            out.raw("<code class=\"what\">");
            block::pieces(out, &block::code(&first_line(text, PREVIEW), language_of_argument(name, None)));
            out.raw("</code>");
        }
        match answer {
            None => badge(out, if call.is_incomplete() { "incomplete" } else { "no result" }),
            Some(_) if failed => badge(out, "failed"),
            Some(_) => {}
        }
        if let Some(label) = node.and_then(|node| node.label.as_deref()) {
            out.element(" <span class=\"label\">", label, "</span>");
        }
        out.raw("</summary>\n");
        // What stands in the summary as a whole needs no second place, and a difference says what its arguments say.
        let said = first.filter(|(_, text)| first_line(text, PREVIEW) == *text).map(|(name, _)| name);
        match answer.and_then(|(_, answer)| difference(answer)) {
            Some(_) => data(out, "Arguments", &call.arguments),
            None => arguments(out, &call.arguments, said),
        }
        if let Some((at, answer)) = answer {
            // The entry of the result has no place of its own.
            out.raw("<div").attribute("id", format_args!("e{at}")).raw(">\n");
            let reads = READERS.contains(&call.name.as_str()) && !answer.is_error;
            let language = path(&call.arguments).filter(|_| reads).and_then(language_of);
            result(out, &mut self.palette, answer, language);
            out.raw("</div>\n");
        }
        out.raw("</details>\n");
    }
}

/// What a result says.
///
/// `language` is that of a file which the text is the content of.
pub(super) fn result(
    out: &mut Markup,
    palette: &mut Palette,
    result: &ToolResultMessage,
    language: Option<&'static str>,
) {
    for content in &result.content {
        match content {
            ContentBlock::Text(text) => match language {
                Some(language) => block::folded(out, Face::Code(language), &block::code(&text.text, language)),
                None => block::folded(out, Face::Output, &ansi(palette, &text.text)),
            },
            ContentBlock::Image(image) => links::image(out, image),
            content => data(out, "Content", content),
        }
    }
    match (difference(result), &result.details) {
        (Some(text), _) => block::folded(out, Face::Diff, &block::diff(text)),
        (None, Some(details)) if !is_empty(details) => data(out, "Details", details),
        _ => {}
    }
    if let Some(calls) = result.extra.get("nestedCalls") {
        data(out, "Calls to other tools", calls);
    }
    if let Some(spent) = &result.usage {
        out.element("<p class=\"quiet\">", &usage(spent), "</p>\n");
    }
}

/// What a tool changed, as it tells.
fn difference(result: &ToolResultMessage) -> Option<&str> {
    result.details.as_ref()?.get("diff")?.as_str()
}

/// All arguments but the one that was `said` already.
fn arguments(out: &mut Markup, arguments: &Value, said: Option<&str>) {
    let Value::Object(fields) = arguments else {
        data(out, "Arguments", arguments);
        return;
    };
    let path = path(arguments);
    let mut left = fields.iter().filter(|(name, _)| Some(name.as_str()) != said).peekable();
    if left.peek().is_none() {
        return;
    }
    out.raw("<dl class=\"arguments\">\n");
    for (name, value) in left {
        let (text, language) = match value {
            Value::String(text) => (text.clone(), language_of_argument(name, path)),
            value => (serde_json::to_string_pretty(value).unwrap_or_default(), "json"),
        };
        out.element("<dt>", name, "</dt><dd>");
        block::folded(out, Face::Code(""), &block::code(&text, language));
        out.raw("</dd>\n");
    }
    out.raw("</dl>\n");
}

/// The first argument that is a text; for the built-in tools that is what they work on.
fn first(arguments: &Value) -> Option<(&str, &str)> {
    arguments.as_object()?.iter().find_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

/// The file that a call is about.
fn path(arguments: &Value) -> Option<&str> {
    PATHS.iter().find_map(|name| arguments.get(name)?.as_str())
}

/// The language of an argument; nothing where there is none.
fn language_of_argument(name: &str, path: Option<&str>) -> &'static str {
    let known = LANGUAGES.iter().find(|(argument, _)| *argument == name).map(|(_, language)| *language);
    let of_file = || path.filter(|_| CONTENTS.contains(&name)).and_then(language_of);
    known.or_else(of_file).unwrap_or_default()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
