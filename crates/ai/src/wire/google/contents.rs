//! The conversation as `contents`.

use serde_json::{Value, json};

use super::models::{has_call_ids, takes_images_in_results};
use crate::wire::body::Pieces;
use crate::wire::turns::{Part, Reply, Said, Turn, narrow_id, turns};
use crate::{JsonMap, StreamRequest};

const MAX_ID: usize = 64;
const ONLY_IMAGES: &str = "(see attached image)";
const NO_OUTPUT: &str = "(no tool output)";
const IMAGES_FOLLOW: &str = "Tool result image:";

/// All messages.
///
/// # Errors
/// When a message has no JSON form.
pub(super) fn convert(request: &StreamRequest) -> Result<Pieces, serde_json::Error> {
    let model = &*request.model;
    let has_ids = has_call_ids(&model.id);
    let mut pieces = Pieces::default();
    let mut writing = request.options.written.begin(model)?;
    for step in &turns(&request.messages, model, |id| narrow_id(id, MAX_ID)) {
        let wire = writing.step(step.key(), || match &step.turn {
            Turn::UserText(text) => vec![content("user", vec![json!({ "text": text })])],
            Turn::User(parts) => vec![content("user", parts.iter().map(part).collect())],
            Turn::Assistant(said) => {
                // The signatures of another model mean nothing to this one.
                let own = step.is_of(model);
                let parts: Vec<Value> = said.iter().filter_map(|said| self::said(said, own, has_ids)).collect();
                if parts.is_empty() { Vec::new() } else { vec![content("model", parts)] }
            }
            Turn::Results(replies) => results(replies, has_ids, takes_images_in_results(&model.id)),
        })?;
        pieces.extend(wire.messages);
    }
    writing.finish();
    Ok(pieces)
}

fn content(role: &str, parts: Vec<Value>) -> Value {
    json!({"role": role, "parts": parts})
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "text": text }),
        Part::Image(image) => json!({"inlineData": {"mimeType": image.mime_type, "data": image.data}}),
    }
}

/// A part of an answer; `own` when this very model gave it.
fn said(said: &Said<'_>, own: bool, has_ids: bool) -> Option<Value> {
    let (mut part, signature) = match said {
        Said::Text(text) => (json!({ "text": text }), None),
        Said::Signed(block) => {
            let signature = usable(block.text_signature.as_deref());
            if signature.is_none() && block.text.trim().is_empty() {
                return None;
            }
            (json!({ "text": block.text }), signature)
        }
        Said::Thinking(block) => {
            let signature = usable(block.thinking_signature.as_deref());
            if signature.is_none() && block.thinking.trim().is_empty() {
                return None;
            }
            (json!({"thought": true, "text": block.thinking}), signature)
        }
        Said::Call { id, call } => {
            let mut function = json!({"name": call.name, "args": call.replayed_arguments()});
            if has_ids {
                function["id"] = json!(id);
            }
            (json!({ "functionCall": function }), usable(call.thought_signature.as_deref().filter(|_| own)))
        }
    };
    if let Some(signature) = signature {
        part["thoughtSignature"] = json!(signature);
    }
    Some(part)
}

/// A signature that Google can read: bytes in base64, padded. It refuses requests with others.
fn usable(signature: Option<&str>) -> Option<&str> {
    let signature = signature?;
    let bytes = signature.trim_end_matches('=');
    let padding = signature.len() - bytes.len();
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    (!bytes.is_empty() && padding <= 2 && signature.len().is_multiple_of(4) && bytes.bytes().all(allowed))
        .then_some(signature)
}

/// One turn with all results, since Google wants as many as there were calls. Pictures follow in a turn of their own
/// where a result cannot hold them.
fn results(replies: &[Reply<'_>], has_ids: bool, takes_images: bool) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut after = Vec::new();
    for reply in replies {
        let texts: Vec<&str> = reply
            .parts
            .iter()
            .filter_map(|part| if let Part::Text(text) = part { Some(*text) } else { None })
            .collect();
        let images: Vec<Value> = reply.parts.iter().filter(|part| matches!(part, Part::Image(_))).map(part).collect();
        let text = match texts.as_slice() {
            [] if !images.is_empty() => ONLY_IMAGES.to_owned(),
            [] => NO_OUTPUT.to_owned(),
            texts => texts.join("\n"),
        };
        let mut response = JsonMap::new();
        response.insert("name".to_owned(), json!(reply.name));
        let kind = if reply.is_error { "error" } else { "output" };
        response.insert("response".to_owned(), json!({ kind: text }));
        if takes_images && !images.is_empty() {
            response.insert("parts".to_owned(), Value::Array(images));
        } else {
            after.extend(images);
        }
        if has_ids {
            response.insert("id".to_owned(), json!(reply.id));
        }
        parts.push(json!({ "functionResponse": response }));
    }
    let mut contents = vec![content("user", parts)];
    if !after.is_empty() {
        after.insert(0, json!({ "text": IMAGES_FOLLOW }));
        contents.push(content("user", after));
    }
    contents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_base64_is_a_signature() {
        for (given, is_usable) in [
            ("c2ln", true),
            ("dGV4dA==", true),
            ("ab+/", true),
            ("", false),
            ("abc", false),
            ("a===", false),
            ("====", false),
            ("ab=c", false),
            ("ab-_", false),
            ("reasoning_content", false),
        ] {
            assert_eq!(usable(Some(given)).is_some(), is_usable, "{given:?}");
        }
        assert_eq!(usable(None), None);
    }
}
