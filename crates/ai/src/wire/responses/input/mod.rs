//! The conversation as items of the Responses interface.

mod ids;
mod items;

use std::borrow::Cow;

use serde_json::{Value, json};

use super::compat::Compat;
use super::tools::{self, Toolset};
use crate::declared::ToolChange;
use crate::wire::body::Pieces;
use crate::wire::error::{self, WireError};
use crate::wire::strict::Grammars;
use crate::wire::turns::{Step, Turn, turns};
use crate::{AssistantMessage, StreamRequest};
use ids::Origin;

/// Key in an answer's fields for the effort that it was asked for inside the conversation.
pub(super) const PROVIDER_LEVEL: &str = "providerThinkingLevel";

/// The steps of a conversation. Ids stay as they are, since what becomes of one depends on the model that gave it.
pub(super) fn steps(request: &StreamRequest) -> Vec<Step<'_>> {
    turns(&request.messages, &request.model, Cow::Borrowed)
}

/// What the items are made with.
pub(super) struct Form<'f> {
    /// Differences of the server.
    pub compat: &'f Compat,
    /// Tools that are declared here.
    pub tools: &'f Toolset,
    /// Tools that take a text.
    pub grammars: &'f Grammars<'f>,
    /// The effort, where it stands inside the conversation.
    pub effort: Option<&'f str>,
    /// Whether the instructions are an item.
    pub instructs: bool,
    /// Whether the provider knows the items of calls of its other models.
    pub keeps_items: bool,
}

/// All items, instructions first.
///
/// # Errors
/// When a message has no JSON form, or a tool needs what the server does not have.
pub(super) fn convert(request: &StreamRequest, steps: &[Step<'_>], form: &Form<'_>) -> Result<Pieces, WireError> {
    let model = &*request.model;
    let role = if model.reasoning && form.compat.supports_developer_role { "developer" } else { "system" };
    let mut pieces = Pieces::default();
    let mut changes = form.tools.changes.iter().peekable();
    let mut declare = |pieces: &mut Pieces, at: usize| -> Result<(), WireError> {
        while let Some(change) = changes.next_if(|change| change.at <= at) {
            changed(pieces, change, role, form)?;
        }
        Ok(())
    };
    // Tools before instructions, as the interface shows them to the model.
    declare(&mut pieces, 0)?;
    let system = request.system.as_deref().filter(|system| form.instructs && !system.is_empty());
    if let Some(system) = system {
        push(&mut pieces, &json!({"role": role, "content": system}))?;
    }
    let mut writing = request.options.written.begin(model).map_err(error::no_json)?;
    for (at, step) in steps.iter().enumerate() {
        declare(&mut pieces, at)?;
        let answer = step.from.first().and_then(|message| message.as_assistant());
        let items = || write(request, step, answer, form);
        // What is written for a tool with a grammar depends on the tool.
        let of_grammar =
            answer.is_some_and(|answer| answer.tool_calls().any(|call| form.grammars.argument(&call.name).is_some()));
        let items = if of_grammar {
            items().iter().map(|item| serde_json::to_vec(item).map(Into::into)).collect::<Result<Vec<_>, _>>()
        } else {
            writing.step(step.key(), items).map(|wire| wire.messages)
        };
        let items = items.map_err(error::no_json)?;
        if let (Turn::Assistant(_), Some(answer), false) = (&step.turn, answer, items.is_empty())
            && form.effort.is_some()
            && Origin::of(answer, model) == Origin::Same
            && let Some(effort) = answer.extra.get(PROVIDER_LEVEL).and_then(Value::as_str)
        {
            push(&mut pieces, &configuration(effort))?;
        }
        pieces.extend(items);
    }
    declare(&mut pieces, steps.len())?;
    writing.finish();
    if let Some(effort) = form.effort {
        push(&mut pieces, &configuration(effort))?;
    }
    Ok(pieces)
}

fn push(pieces: &mut Pieces, item: &Value) -> Result<(), WireError> {
    pieces.push(item).map_err(error::no_json)
}

fn configuration(effort: &str) -> Value {
    json!({"type": "configuration_update", "reasoning": {"effort": effort}})
}

fn changed(pieces: &mut Pieces, change: &ToolChange, role: &str, form: &Form<'_>) -> Result<(), WireError> {
    for item in tools::items(change, role, form.tools.how, form.compat, form.tools.strict)? {
        push(pieces, &item)?;
    }
    Ok(())
}

fn write(request: &StreamRequest, step: &Step<'_>, answer: Option<&AssistantMessage>, form: &Form<'_>) -> Vec<Value> {
    match (&step.turn, answer) {
        (Turn::UserText(text), _) => vec![items::user_text(text)],
        (Turn::User(parts), _) => vec![items::user(parts)],
        (Turn::Assistant(_), Some(answer)) => items::answer(answer, &request.model, form),
        (Turn::Results(replies), Some(answer)) => items::results(replies, answer, &request.model, form),
        // Both begin with their answer.
        (Turn::Assistant(_) | Turn::Results(_), None) => Vec::new(),
    }
}
