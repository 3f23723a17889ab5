//! The conversation in the form of the Messages interface.

use std::sync::Arc;

use serde_json::{Value, json};

use super::compat::Compat;
use super::thinking::{effort_message, noted_effort};
use super::tools::change_message;
use crate::preamble::Change;
use crate::wire::body::Pieces;
use crate::wire::turns::{IMAGES_FOLLOW, Part, Reply, Said, Turn, narrow_id, turns};
use crate::{AssistantMessage, Message, Model, StreamRequest};

const MAX_ID: usize = 64;
const ONLY_IMAGES: &str = "(see attached image)";
const NO_OUTPUT: &str = "(no tool output)";

/// Changes that the request adds to the conversation.
pub(super) struct Told<'a> {
    /// How the system prompt and the tools changed.
    pub changes: &'a [Change],
    /// Whether changes of tools are part of them.
    pub tools: bool,
    /// The effort of the next answer, where messages say it.
    pub effort: Option<&'a str>,
}

/// All messages. The marker of the cache goes on the last one that is not an answer.
///
/// # Errors
/// When a message has no JSON form.
pub(super) fn convert(
    request: &StreamRequest,
    compat: &Compat,
    marker: Option<&Value>,
    told: &Told<'_>,
) -> Result<Pieces, serde_json::Error> {
    let model = &*request.model;
    let steps = turns(&request.messages, model, |id| narrow_id(id, MAX_ID));
    let mut pieces = Pieces::default();
    let mut writing = request.options.written.begin(model)?;
    let mut changes = told.changes.iter().peekable();
    // What changes behind the last message comes last, and has the marker.
    let change = |change: &Change| change_message(&change.difference, compat, told.tools);
    let last_answer = steps.iter().rfind(|step| matches!(step.turn, Turn::Assistant(_))).map(|step| step.at);
    let open = told.changes.iter().filter(|change| last_answer.is_none_or(|answer| change.after >= answer));
    let mut ending: Vec<Value> = open.filter_map(change).collect();
    let last = steps.len().saturating_sub(1);
    for (at, step) in steps.iter().enumerate() {
        let is_answer = matches!(step.turn, Turn::Assistant(_));
        if is_answer {
            while let Some(earlier) = changes.next_if(|change| change.after < step.at) {
                if let Some(message) = change(earlier) {
                    pieces.push(&message)?;
                }
            }
            if told.effort.is_some()
                && let Some(answer) = step.from.first().and_then(|message| message.as_assistant())
                && let Some(effort) = noted_effort(answer, &model.api, &model.provider)
            {
                pieces.push(&effort_message(effort))?;
            }
        }
        let is_last = at == last && ending.is_empty();
        if is_last && is_answer && told.effort.is_none() {
            pieces.push(&without_end_space(message(&step.turn, compat)))?;
        } else if is_last && !is_answer && marker.is_some() {
            // The next request has its marker elsewhere.
            pieces.push(&marked_message(message(&step.turn, compat), marker))?;
        } else {
            pieces.extend(writing.step(step.key(), || vec![message(&step.turn, compat)])?.messages);
        }
    }
    writing.finish();
    if let Some(message) = ending.last_mut() {
        *message = marked_message(message.take(), marker);
    }
    for message in &ending {
        pieces.push(message)?;
    }
    if let Some(effort) = told.effort {
        pieces.push(&effort_message(effort))?;
    }
    Ok(pieces)
}

/// An answer as the next request has it; none when nothing of it is sent.
pub(super) fn answer_message(answer: &AssistantMessage, model: &Model, compat: &Compat) -> Option<Value> {
    let answer = [Arc::new(Message::Assistant(answer.clone()))];
    let steps = turns(&answer, model, |id| narrow_id(id, MAX_ID));
    let step = steps.first().filter(|step| matches!(step.turn, Turn::Assistant(_)))?;
    Some(message(&step.turn, compat))
}

/// Puts the marker of the cache on a block.
pub(super) fn marked(mut block: Value, marker: Option<&Value>) -> Value {
    if let (Some(marker), Value::Object(block)) = (marker, &mut block) {
        block.insert("cache_control".to_owned(), marker.clone());
    }
    block
}

/// Puts it on the last of some blocks.
pub(super) fn mark_last(blocks: &mut [Value], marker: Option<&Value>) {
    if let Some(last) = blocks.last_mut() {
        *last = marked(last.take(), marker);
    }
}

/// Puts it on a message: on the last block, which a bare text becomes.
fn marked_message(mut message: Value, marker: Option<&Value>) -> Value {
    if marker.is_none() {
        return message;
    }
    let content = &mut message["content"];
    if let Value::String(text) = content {
        *content = json!([{"type": "text", "text": text}]);
    }
    if let Value::Array(blocks) = content {
        mark_last(blocks, marker);
    }
    message
}

/// An answer that the model is to continue must not end in white space.
fn without_end_space(mut message: Value) -> Value {
    let last = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut());
    if let Some(Value::String(text)) = last.and_then(|block| block.get_mut("text")) {
        text.truncate(text.trim_end().len());
    }
    message
}

fn message(turn: &Turn<'_>, compat: &Compat) -> Value {
    let (role, content): (_, Vec<Value>) = match turn {
        Turn::UserText(text) => return json!({"role": "user", "content": text}),
        Turn::User(parts) => ("user", parts.iter().map(part).collect()),
        Turn::Assistant(said) => ("assistant", said.iter().map(|said| self::said(said, compat)).collect()),
        Turn::Results(replies) => ("user", results(replies)),
    };
    json!({"role": role, "content": content})
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(image) => {
            json!({"type": "image", "source": {"type": "base64", "media_type": image.mime_type, "data": image.data}})
        }
    }
}

fn said(said: &Said<'_>, compat: &Compat) -> Value {
    match said {
        Said::Text(text) => json!({"type": "text", "text": text}),
        Said::Signed(block) => json!({"type": "text", "text": block.text}),
        Said::Call { id, call } => {
            json!({"type": "tool_use", "id": id, "name": call.name, "input": call.replayed_arguments()})
        }
        Said::Thinking(thinking) => {
            let signature = thinking.thinking_signature.as_deref().unwrap_or_default();
            if thinking.redacted == Some(true) {
                json!({"type": "redacted_thinking", "data": signature})
            } else if !signature.trim().is_empty() || compat.empty_signature() {
                json!({"type": "thinking", "thinking": thinking.thinking, "signature": signature})
            } else {
                json!({"type": "text", "text": thinking.thinking})
            }
        }
    }
}

/// The results of a turn. A failed one takes no pictures: they follow all results.
fn results(replies: &[Reply<'_>]) -> Vec<Value> {
    let mut content = Vec::with_capacity(replies.len());
    let mut follow = Vec::new();
    for reply in replies {
        let images = || reply.parts.iter().filter(|part| matches!(part, Part::Image(_)));
        if reply.is_error && images().next().is_some() {
            content.push(result(reply, &without_images(&reply.parts)));
            follow.push(json!({"type": "text", "text": reply.caption()}));
            follow.extend(images().map(part));
        } else {
            content.push(result(reply, &reply.parts));
        }
    }
    content.append(&mut follow);
    content
}

/// One notice stands for a row of pictures.
fn without_images<'a>(parts: &[Part<'a>]) -> Vec<Part<'a>> {
    let mut kept: Vec<Part<'a>> = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Part::Text(text) => kept.push(Part::Text(text)),
            Part::Image(_) if kept.last() != Some(&Part::Text(IMAGES_FOLLOW)) => kept.push(Part::Text(IMAGES_FOLLOW)),
            Part::Image(_) => {}
        }
    }
    kept
}

fn result(reply: &Reply<'_>, parts: &[Part<'_>]) -> Value {
    let texts = || parts.iter().filter_map(|part| if let Part::Text(text) = part { Some(*text) } else { None });
    let content = if parts.iter().any(|part| matches!(part, Part::Image(_))) {
        let mut blocks: Vec<Value> = parts.iter().map(part).collect();
        if texts().next().is_none() {
            blocks.insert(0, json!({"type": "text", "text": ONLY_IMAGES}));
        }
        Value::Array(blocks)
    } else if parts.is_empty() {
        json!(NO_OUTPUT)
    } else {
        json!(texts().collect::<Vec<_>>().join("\n"))
    };
    json!({"type": "tool_result", "tool_use_id": reply.id, "content": content, "is_error": reply.is_error})
}
