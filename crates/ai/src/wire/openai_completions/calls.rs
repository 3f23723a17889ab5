//! Tool calls as they arrive, in pieces and perhaps interleaved.

use serde::Deserialize;
use serde_json::json;

use crate::wire::driver::Emitter;
use crate::wire::strict::Grammars;
use crate::{StreamItem, tool_args};

/// A piece of a call.
#[derive(Deserialize)]
pub(super) struct CallDelta {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionDelta>,
    /// In place of a function for a tool with a grammar.
    custom: Option<CustomDelta>,
}

#[derive(Deserialize)]
struct CustomDelta {
    name: Option<String>,
    input: Option<String>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<String>,
}

/// A tool call that is being received. Calls may arrive interleaved.
struct Call {
    wire_index: Option<u64>,
    id: String,
    name: String,
    /// Absent until the name is known.
    index: Option<usize>,
    /// Argument text that came before the name.
    early: String,
    /// The arguments are a text, not JSON.
    custom: Custom,
}

/// How the text of a tool with a grammar becomes arguments.
#[derive(Clone, Copy, PartialEq)]
enum Custom {
    /// It is none.
    No,
    /// Nothing has come.
    Before,
    /// The argument is open.
    Within,
}

/// The calls of an answer.
pub(super) struct Calls<'r> {
    grammars: Grammars<'r>,
    list: Vec<Call>,
}

impl<'r> Calls<'r> {
    /// None, of tools of which these have grammars.
    pub fn new(grammars: Grammars<'r>) -> Self {
        Self { grammars, list: Vec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Takes in a piece of a call.
    pub async fn push(&mut self, delta: CallDelta, emitter: &Emitter) {
        let is_custom = delta.function.is_none() && delta.custom.is_some();
        let (name, text) = match (delta.function, delta.custom) {
            (Some(function), _) => (function.name, function.arguments),
            (None, Some(custom)) => (custom.name, custom.input),
            (None, None) => (None, None),
        };
        let at = self.list.iter().position(|call| match (delta.index, call.wire_index) {
            (Some(wanted), Some(index)) => wanted == index,
            _ => delta.id.as_ref().is_some_and(|id| !id.is_empty() && *id == call.id),
        });
        // A piece without index and id continues the last call.
        let nameless = delta.index.is_none() && delta.id.is_none() && name.is_none();
        let at = at.or_else(|| self.list.len().checked_sub(1).filter(|_| nameless)).unwrap_or_else(|| {
            self.list.push(Call {
                wire_index: delta.index,
                id: String::new(),
                name: String::new(),
                index: None,
                early: String::new(),
                custom: if is_custom { Custom::Before } else { Custom::No },
            });
            self.list.len() - 1
        });
        let builder = &emitter.builder;
        let call = &mut self.list[at];
        if call.id.is_empty() {
            call.id = delta.id.unwrap_or_default();
        }
        if call.name.is_empty() {
            call.name = name.unwrap_or_default();
        }
        call.early.push_str(&text.unwrap_or_default());
        if call.name.is_empty() {
            return;
        }
        let index = match call.index {
            Some(index) => index,
            None => {
                if call.id.is_empty() {
                    // Results must name their call, so it gets an id even when the server has none.
                    call.id = format!("call_{}", emitter.ids.id("tool call").simple());
                }
                let (index, item) = builder.tool_call_start(&call.id, &call.name);
                call.index = Some(index);
                emitter.emit(item).await;
                index
            }
        };
        let mut text = std::mem::take(&mut call.early);
        if call.custom != Custom::No && !text.is_empty() {
            let argument = self.grammars.argument(&call.name).unwrap_or("input");
            let piece = json!(text).to_string();
            let piece = &piece[1..piece.len() - 1];
            text = match std::mem::replace(&mut call.custom, Custom::Within) {
                Custom::Before => format!("{{{}:\"{piece}", json!(argument)),
                _ => piece.to_owned(),
            };
        }
        emitter.emit(builder.tool_call_delta(index, &text)).await;
    }

    /// Ends the call of a block; `None` when the block is of no call. What was cut off stays as it is and must not run.
    pub async fn close(&mut self, index: usize, is_cut: bool, emitter: &Emitter) -> Option<StreamItem> {
        let builder = &emitter.builder;
        let call = self.list.iter_mut().find(|call| call.index == Some(index))?;
        let (id, name) = (std::mem::take(&mut call.id), std::mem::take(&mut call.name));
        // JSON shows that it is not complete, and a text does not, so that of a cut call stays open.
        if call.custom != Custom::No && !is_cut {
            let argument = self.grammars.argument(&name).unwrap_or("input");
            let end = match call.custom {
                Custom::Within => "\"}".to_owned(),
                _ => json!({argument: ""}).to_string(),
            };
            emitter.emit(builder.tool_call_delta(index, &end)).await;
        }
        Some(builder.tool_call_end(index, tool_args::finished_call(id, name, &builder.collected(index))))
    }
}
